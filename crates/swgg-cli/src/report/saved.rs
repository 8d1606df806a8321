//! What became of a saved plan: applied to new points, or checked.

use serde::Serialize;

use super::{Report, Summary};
use crate::printer::{counted, duration, grouped, number, percent};
use crate::seconds::Seconds;

/// New points that were moved.
#[derive(Serialize)]
pub struct ApplyReport {
    pub points: usize,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    pub neighbors: usize,
    /// The largest distance of a point from the source.
    pub farthest: f64,
    pub out: String,
    pub threads: usize,
    pub seconds: Seconds,
}

impl Report for ApplyReport {
    fn summary(&self) -> Summary {
        let mut summary = Summary::titled(format!(
            "{} in dimension {} moved by a plan from {} to {}",
            counted(self.points, "point"),
            self.d,
            grouped(self.n),
            grouped(self.m)
        ));
        let near = match self.neighbors {
            1 => "the nearest source point".to_string(),
            k => format!("{k} source points near by"),
        };
        summary.line("way", format!("that of {near}, at most {} away", number(self.farthest)));
        summary.line("time", format!("{} to move", duration(self.seconds["solve"])));
        summary.text(format!("\nMoved points written to {}\n", self.out));
        summary
    }
}

/// A plan that was looked at.
#[derive(Serialize)]
pub struct CheckReport {
    pub plan: String,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    pub entries: usize,
    pub mass: f64,
    /// The largest difference between what a point gives or gets and its weight.
    pub marginal_gap: f64,
    #[serde(skip)]
    pub worst: String,
    pub is_plan: bool,
    /// Whether it moves a part of the mass and is right otherwise.
    pub is_partial: bool,
    pub cost: f64,
    pub distance: f64,
    pub lower_bound: Option<f64>,
    pub gap: Option<f64>,
    pub threads: usize,
    pub seconds: Seconds,
}

impl Report for CheckReport {
    fn summary(&self) -> Summary {
        let verdict = match (self.is_plan, self.is_partial) {
            (true, _) => "a plan",
            (false, true) => "a plan of a part of the mass",
            (false, false) => "NOT a plan",
        };
        let mut summary = Summary::titled(format!(
            "{}: {verdict} from {} to {} points in dimension {}",
            self.plan,
            grouped(self.n),
            grouped(self.m),
            self.d
        ));
        summary.line("entries", grouped(self.entries));
        summary.line("mass", number(self.mass));
        let worst = if self.worst.is_empty() { String::new() } else { format!(": {}", self.worst) };
        let marginals = match self.is_plan {
            true => format!("exact to {:.1e}", self.marginal_gap),
            false => format!("off by {}{worst}", number(self.marginal_gap)),
        };
        summary.line("marginals", marginals);
        summary.line("cost", format!("{:<12} squared", number(self.cost)));
        summary.line("distance", format!("{:<12} its root", number(self.distance)));
        if let Some(bound) = self.lower_bound {
            summary.line("bound", format!("{:<12} no plan costs less", number(bound)));
        }
        if let Some(gap) = self.gap {
            summary.line("quality", format!("within {} of optimal (certified)", percent(gap)));
        }
        summary.line("time", format!("{} to check", duration(self.seconds["solve"])));
        summary
    }
}
