//! What a sliced distance is.

use serde::Serialize;
use swgg::Stop;
use swgg::solver::how;

use super::{Report, Summary};
use crate::args::DistanceKind;
use crate::printer::{counted, duration, grouped, number, vector};
use crate::seconds::Seconds;

/// A sliced distance: the fields of a solve where they make sense, and the exponent and the standard error.
#[derive(Serialize)]
pub struct DistanceReport {
    pub method: &'static str,
    pub search: &'static str,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    pub p: f64,
    /// Not rooted.
    pub cost: f64,
    /// The `p`-th root of the cost.
    pub distance: f64,
    pub standard_error: Option<f64>,
    pub lower_bound: Option<f64>,
    pub theta: Option<Vec<f64>>,
    pub directions: usize,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub seconds: Seconds,
    #[serde(skip)]
    pub kind: DistanceKind,
}

impl Report for DistanceReport {
    fn summary(&self) -> Summary {
        let kind = self.kind;
        let exponent = if self.p == 2.0 { "2".to_string() } else { self.p.to_string() };
        let place = match kind {
            DistanceKind::Sw | DistanceKind::MaxSw => format!("a lower bound of W{exponent}^{exponent}"),
            DistanceKind::Pwd | DistanceKind::MinSwgg => "an upper bound of W2^2".to_string(),
        };
        let title = match kind {
            DistanceKind::Sw => "Sliced Wasserstein",
            DistanceKind::MaxSw => "Max-sliced Wasserstein",
            DistanceKind::Pwd => "Projected Wasserstein",
            DistanceKind::MinSwgg => "min-SWGG",
        };
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let mut summary = Summary::titled(format!("{title} between {n} and {m} points in dimension {d}"));
        summary.line("cost", format!("{:<12} power {exponent}, {place}", number(self.cost)));
        if let Some(error) = self.standard_error {
            summary.line("", format!("+- {:<9} standard error over the lines", number(error)));
        }
        let root =
            if self.p == 2.0 { "its root".to_string() } else { format!("its root of order {exponent}") };
        summary.line("distance", format!("{:<12} {root}", number(self.distance)));
        let above = matches!(kind, DistanceKind::Pwd | DistanceKind::MinSwgg);
        if let Some(bound) = self.lower_bound.filter(|bound| above || *bound > self.cost) {
            summary.line("bound", format!("{:<12} no plan costs less", number(bound)));
        }
        if let Some(theta) = &self.theta {
            summary.line("direction", vector(theta));
        }
        let lines = match kind {
            DistanceKind::Sw | DistanceKind::Pwd => {
                let lines = counted(self.directions, &format!("{} direction", self.search));
                format!("mean over {lines}, seed {}", self.seed)
            }
            DistanceKind::MaxSw | DistanceKind::MinSwgg => how(self.search, self.directions, self.seed),
        };
        summary.line("search", lines);
        if self.stop == Stop::Interrupted.name() {
            summary.line("stopped", "early; over the directions so far");
        }
        let threads = counted(self.threads, "thread");
        let (read, solve) = (duration(self.seconds["read"]), duration(self.seconds["solve"]));
        let bound = match self.lower_bound {
            Some(_) if self.p == 2.0 => format!(", {} to bound", duration(self.seconds["bound"])),
            _ => String::new(),
        };
        summary.line("time", format!("{solve} to solve on {threads}{bound}, {read} to read"));
        summary
    }
}
