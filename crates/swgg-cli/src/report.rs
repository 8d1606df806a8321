//! The record a solve leaves behind, as JSON and as a summary.

use serde::Serialize;
use swgg::{Coupling, Direction, Measure, Parallelism, Scalar, Stop};

use crate::args::Search;
use crate::printer::{counted, duration, grouped, number, vector};

/// Fields of the JSON object, in its order.
#[derive(Debug, Serialize)]
pub struct Report {
    pub method: &'static str,
    pub search: Option<&'static str>,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    /// Squared.
    pub cost: f64,
    /// Root of the cost.
    pub distance: f64,
    pub lower_bound: Option<f64>,
    /// `None` for a plan that no line induces.
    pub theta: Option<Vec<f64>>,
    /// Directions tried.
    pub directions: usize,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Vec<f64>>,
    /// Of the network simplex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pivots: Option<usize>,
}

/// Where the time went.
#[derive(Debug, Default, Serialize)]
pub struct Seconds {
    pub read: f64,
    pub solve: f64,
    /// For the lower bound, which is not part of the solve.
    #[serde(skip)]
    pub bound: f64,
    pub write: f64,
}

/// A plan and how it was found, whatever found it.
pub struct Solved {
    pub method: &'static str,
    pub search: Option<&'static str>,
    pub cost: f64,
    pub lower_bound: Option<f64>,
    /// Seconds that the lower bound took.
    pub bound_seconds: f64,
    pub coupling: Coupling,
    pub theta: Option<Direction>,
    pub tried: usize,
    /// `None` for a closed form, which has nothing to stop.
    pub stop: Option<Stop>,
    pub costs: Option<Vec<f64>>,
    /// Of the network simplex.
    pub pivots: Option<usize>,
}

impl Report {
    pub fn new<T: Scalar>(
        solved: &Solved,
        source: &Measure<T>,
        target: &Measure<T>,
        search: &Search,
        seconds: Seconds,
    ) -> Self {
        Report {
            method: solved.method,
            search: solved.search,
            n: source.len(),
            m: target.len(),
            d: source.dim(),
            cost: solved.cost,
            distance: solved.cost.sqrt(),
            lower_bound: solved.lower_bound,
            theta: solved.theta.as_ref().map(|theta| theta.as_slice().to_vec()),
            directions: solved.tried,
            seed: search.seed,
            threads: Parallelism::from_count(search.threads).threads(),
            stop: solved.stop.map_or("closed-form", Stop::name),
            seconds,
            costs: None,
            pivots: solved.pivots,
        }
    }

    pub fn json(&self) -> String {
        // Numbers, strings and lists: there is nothing in it that could fail to serialise.
        serde_json::to_string(self)
            .map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |text| text + "\n")
    }

    /// A few lines for a person.
    pub fn summary(&self) -> String {
        // Bounds that meet to rounding prove the plan.
        let exact = self.lower_bound.is_some_and(|bound| self.cost - bound <= 1e-9 * self.cost);
        let kind = if exact { "squared, exact" } else { "squared, an upper bound of the optimum W2^2" };
        let mut text = format!(
            "{} from {} to {} points in dimension {}\n\n",
            if self.method == "min-swgg" { "min-SWGG transport" } else { "Exact transport" },
            grouped(self.n),
            grouped(self.m),
            self.d
        );
        let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<10} {value}\n"));
        line("cost", format!("{:<12} {kind}", number(self.cost)));
        line("distance", format!("{:<12} its root", number(self.distance)));
        if let Some(bound) = self.lower_bound.filter(|_| !exact) {
            line("bound", format!("{:<12} no plan costs less", number(bound)));
        }
        if let Some(theta) = &self.theta {
            line("direction", vector(theta));
        }
        match (self.search, self.pivots) {
            (Some(search), _) => line("search", how(search, self.directions, self.seed)),
            (None, Some(pivots)) => line("method", format!("network simplex, {}", counted(pivots, "pivot"))),
            (None, None) => line("method", "closed form: one of the clouds lies on this line".to_string()),
        }
        if self.stop == Stop::Interrupted.name() {
            line("stopped", "early; this is the best so far".to_string());
        }
        let threads = counted(self.threads, "thread");
        let (read, solve) = (duration(self.seconds.read), duration(self.seconds.solve));
        let bound = match self.seconds.bound {
            0.0 => String::new(),
            seconds => format!(", {} to bound", duration(seconds)),
        };
        line("time", format!("{solve} to solve on {threads}{bound}, {read} to read"));
        text
    }
}

/// A search in a few words.
pub fn how(search: &str, tried: usize, seed: u64) -> String {
    match search {
        "random" => format!("best of {}, seed {seed}", counted(tried, "random direction")),
        "listed" => format!("best of {}", counted(tried, "listed direction")),
        "sweep" => format!("sweep of the plane, {}", counted(tried, "direction")),
        search => format!("{search}, {} tried, seed {seed}", counted(tried, "direction")),
    }
}
