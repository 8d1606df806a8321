//! What a search for a barycenter found.

use serde::Serialize;
use swgg::answer::{grouped, percent};
use swgg::{Parallelism, Stop};
use swgg_apps::barycenter::{Barycenter, Step};

use super::{Report, Summary};
use crate::printer::{counted, number};
use crate::seconds::Seconds;

/// The cloud in the middle of several.
#[derive(Serialize)]
pub struct BarycenterReport {
    pub method: &'static str,
    /// Points of every cloud.
    pub sizes: Vec<usize>,
    /// What each cloud counts; they sum to one.
    pub weights: Vec<f64>,
    pub d: usize,
    /// Points of the barycenter.
    pub points: usize,
    /// Whether they weigh the same.
    pub uniform: bool,
    /// Whether it is a point of the geodesic between two clouds.
    pub geodesic: bool,
    pub objective: f64,
    pub lower_bound: Option<f64>,
    pub gap: Option<f64>,
    /// Cost of the plan to each cloud, not rooted; `None` for clouds of weight 0.
    pub costs: Vec<Option<f64>>,
    pub steps: Vec<StepReport>,
    pub story: String,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub seconds: Seconds,
    /// What was written.
    #[serde(skip)]
    pub ending: String,
}

/// One step.
#[derive(Serialize)]
pub struct StepReport {
    objective: f64,
    shift_sq: f64,
    effort: Option<u8>,
}

impl BarycenterReport {
    pub fn new(
        found: &Barycenter,
        sizes: Vec<usize>,
        (seed, threads): (u64, usize),
        seconds: Seconds,
    ) -> Self {
        let told = |step: &Step| StepReport {
            objective: step.objective,
            shift_sq: step.shift_sq,
            effort: step.effort,
        };
        BarycenterReport {
            method: found.method,
            sizes,
            weights: found.weights.clone(),
            d: found.support.dim(),
            points: found.support.len(),
            uniform: found.support.is_uniform(),
            geodesic: found.is_geodesic,
            objective: found.objective,
            lower_bound: found.lower_bound,
            gap: found.gap(),
            costs: found.costs.clone(),
            steps: found.steps.iter().map(told).collect(),
            story: found.story.clone(),
            seed,
            threads: Parallelism::from_count(threads).threads(),
            stop: found.stop.name(),
            seconds,
            ending: String::new(),
        }
    }
}

impl Report for BarycenterReport {
    fn summary(&self) -> Summary {
        let (clouds, points) = (counted(self.sizes.len(), "cloud"), counted(self.points, "point"));
        let all = grouped(self.sizes.iter().sum());
        let mut summary = Summary::titled(format!(
            "Barycenter of {clouds} ({all} points) in dimension {}: {points}",
            self.d
        ));
        summary
            .line("objective", format!("{:<12} weighted sum of squared distances", number(self.objective)));
        if let Some(bound) = self.lower_bound {
            summary.line("bound", format!("{:<12} no cloud at all is below", number(bound)));
        }
        if let Some(gap) = self.gap.filter(|gap| *gap < 1.0) {
            summary.line("quality", format!("within {} of the least (certified)", percent(gap)));
        }
        match &self.steps[..] {
            [] => {}
            [only] => summary.line("steps", format!("1, to {}", number(only.objective))),
            [first, .., last] => {
                let (from, to) = (number(first.objective), number(last.objective));
                summary.line("steps", format!("{}, from {from} to {to}", self.steps.len()));
            }
        }
        if self.stop == Stop::Interrupted.name() {
            summary.line("stopped", "early; this is the best so far");
        }
        if self.stop == Stop::TimeLimit.name() {
            summary.line("stopped", "time limit reached: the best so far");
        }
        if self.stop == Stop::MaxIterations.name() {
            summary.line("stopped", "after all steps; --max-steps allows more");
        }
        summary.line("time", self.seconds.told(self.threads));
        summary.text("\n");
        let mut story = self.story.chars();
        let first = story.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        summary.note(&format!("{first}{}.", story.as_str()));
        summary.text(&self.ending);
        summary
    }
}
