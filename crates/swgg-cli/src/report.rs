//! The record a solve leaves behind, as JSON and as a summary.

use serde::Serialize;
use swgg::{Coupling, Direction, Measure, Parallelism, Scalar, Stop};

use crate::args::Search;
use crate::methods::Details;
use crate::printer::{counted, duration, grouped, number, percent, vector};

/// Fields of the JSON object, in its order.
#[derive(Debug, Serialize)]
pub struct Report {
    pub method: &'static str,
    pub search: Option<&'static str>,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    /// Not rooted: squared, unless the exponent is another.
    pub cost: f64,
    /// Root of the cost; `None` for costs that are not powers of distances.
    pub distance: Option<f64>,
    pub cost_is: Standing,
    pub lower_bound: Option<f64>,
    /// By how much the cost can be above the optimum, as a share of it; `None` where nothing is known.
    pub gap: Option<f64>,
    /// Whether there is a plan between the points.
    pub plan: bool,
    /// `matching` or `sparse`.
    pub plan_kind: Option<&'static str>,
    /// `None` for a plan that no line induces.
    pub theta: Option<Vec<f64>>,
    /// Directions tried.
    pub directions: usize,
    /// Of the default solver, unless it had a time limit.
    pub effort: Option<u8>,
    /// What was run, in a sentence.
    pub story: String,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Vec<f64>>,
    #[serde(flatten)]
    pub details: Option<Details>,
    #[serde(skip)]
    pub p: Option<f64>,
    /// Whether the time to solve is also that of the lower bound.
    #[serde(skip)]
    pub with_bound: bool,
}

/// What a cost says about the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Of a plan, and no plan costs less.
    Exact,
    /// Of a plan.
    UpperBound,
    /// No plan costs less.
    LowerBound,
    /// Neither is known.
    NoBound,
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
    pub standing: Standing,
    /// Exponent of the distances; `None` for costs that were given.
    pub p: Option<f64>,
    pub lower_bound: Option<f64>,
    /// Whether the solver has looked for a lower bound itself, if it was to.
    pub certified: bool,
    /// Seconds that the lower bound took.
    pub bound_seconds: f64,
    pub coupling: Option<Coupling>,
    /// Where a map without a plan takes the source points, row by row.
    pub image: Option<Vec<f64>>,
    pub theta: Option<Direction>,
    pub tried: usize,
    pub effort: Option<u8>,
    /// `None` where the details say it.
    pub story: Option<String>,
    /// `None` for a closed form, which has nothing to stop.
    pub stop: Option<Stop>,
    pub costs: Option<Vec<f64>>,
    pub details: Option<Details>,
}

impl Solved {
    /// A cost and nothing else.
    pub fn new(method: &'static str, cost: f64, standing: Standing) -> Self {
        Solved {
            method,
            search: None,
            cost,
            standing,
            p: Some(2.0),
            lower_bound: None,
            certified: false,
            bound_seconds: 0.0,
            coupling: None,
            image: None,
            theta: None,
            tried: 0,
            effort: None,
            story: None,
            stop: None,
            costs: None,
            details: None,
        }
    }

    /// What the cost says, now that the bound is known: bounds that meet to rounding prove the plan.
    pub fn proven(&self) -> Standing {
        let met = self.lower_bound.is_some_and(|bound| self.cost - bound <= 1e-9 * self.cost);
        if self.standing == Standing::UpperBound && met { Standing::Exact } else { self.standing }
    }

    /// By how much the cost can be above the optimum, as a share of it.
    pub fn gap(&self) -> Option<f64> {
        let squared = self.p == Some(2.0) && self.standing == Standing::UpperBound;
        gap(self.cost, self.lower_bound.filter(|_| squared)?)
    }

    /// What was run, in a sentence.
    fn story(&self, seed: u64) -> String {
        if let Some(story) = &self.story {
            return story.clone();
        }
        match (self.search, &self.details) {
            (Some(search), _) => how(search, self.tried, seed),
            (None, Some(details)) => {
                let lines = details.lines(None, seed).into_iter();
                lines.filter(|(name, _)| *name == "method").map(|(_, story)| story).collect()
            }
            (None, None) => CLOSED_FORM.to_string(),
        }
    }
}

impl Report {
    pub fn new<T: Scalar>(
        solved: &Solved,
        source: &Measure<T>,
        target: &Measure<T>,
        search: &Search,
        seconds: Seconds,
    ) -> Self {
        let root = |p: f64| if p == 2.0 { solved.cost.sqrt() } else { solved.cost.powf(1.0 / p) };
        Report {
            method: solved.method,
            search: solved.search,
            n: source.len(),
            m: target.len(),
            d: source.dim(),
            cost: solved.cost,
            distance: solved.p.map(root),
            cost_is: solved.proven(),
            lower_bound: solved.lower_bound,
            gap: solved.gap(),
            plan: solved.coupling.is_some(),
            plan_kind: solved
                .coupling
                .as_ref()
                .map(|plan| if plan.is_matching() { "matching" } else { "sparse" }),
            theta: solved.theta.as_ref().map(|theta| theta.as_slice().to_vec()),
            directions: solved.tried,
            effort: solved.effort,
            story: solved.story(search.seed),
            seed: search.seed,
            threads: Parallelism::from_count(search.threads).threads(),
            stop: solved.stop.map_or("closed-form", Stop::name),
            seconds,
            costs: None,
            details: solved.details.clone(),
            p: solved.p,
            with_bound: solved.certified && solved.lower_bound.is_some(),
        }
    }

    pub fn json(&self) -> String {
        // Numbers, strings and lists: there is nothing in it that could fail to serialise.
        serde_json::to_string(self)
            .map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |text| text + "\n")
    }

    /// A few lines for a person.
    pub fn summary(&self) -> String {
        let (power, optimum) = match self.p {
            Some(2.0) => ("squared".to_string(), "the optimum W2^2".to_string()),
            Some(p) => (format!("power {p}"), format!("the optimum W{p}^{p}")),
            None => ("by the costs given".to_string(), "the optimum".to_string()),
        };
        let kind = match self.cost_is {
            Standing::Exact => "exact".to_string(),
            Standing::UpperBound => format!("an upper bound of {optimum}"),
            Standing::LowerBound => format!("a lower bound of {optimum}"),
            Standing::NoBound => format!("no bound of {optimum}"),
        };
        let mut text = format!(
            "{} from {} to {} points in dimension {}\n\n",
            title(self.method),
            grouped(self.n),
            grouped(self.m),
            self.d
        );
        let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<10} {value}\n"));
        line("cost", format!("{:<12} {power}, {kind}", number(self.cost)));
        if let Some(distance) = self.distance {
            let root = if self.p == Some(2.0) { "its root" } else { "its root of that order" };
            line("distance", format!("{:<12} {root}", number(distance)));
        }
        let bound = self.lower_bound.filter(|_| self.cost_is != Standing::Exact);
        if let Some(bound) = bound.filter(|bound| self.cost_is != Standing::LowerBound || *bound > self.cost)
        {
            line("bound", format!("{:<12} no plan costs less", number(bound)));
        }
        if let Some(quality) =
            quality(self.cost_is, self.lower_bound, self.gap).filter(|_| self.plan && self.p == Some(2.0))
        {
            line("quality", quality);
        }
        if let Some(theta) = &self.theta {
            line("direction", vector(theta));
        }
        match (self.search, &self.details) {
            (Some(_), _) => line("search", self.story.clone()),
            (None, Some(details)) => {
                let lines = details.lines(Some(&self.story), self.seed);
                lines.into_iter().for_each(|(name, value)| line(name, value));
            }
            (None, None) => line("method", self.story.clone()),
        }
        if self.stop == Stop::Interrupted.name() {
            line("stopped", "early; this is the best so far".to_string());
        }
        if self.stop == Stop::TimeLimit.name() {
            line("stopped", "time limit reached: the best plan so far".to_string());
        }
        let threads = counted(self.threads, "thread");
        let (read, solve) = (duration(self.seconds.read), duration(self.seconds.solve));
        let bound = match self.seconds.bound {
            0.0 => String::new(),
            seconds => format!(", {} to bound", duration(seconds)),
        };
        let what = if self.with_bound { "solve and bound" } else { "solve" };
        line("time", format!("{solve} to {what} on {threads}{bound}, {read} to read"));
        text
    }
}

/// How far from optimal a plan can be, if that is known. The optimum is that of squared distances.
fn quality(cost_is: Standing, lower_bound: Option<f64>, gap: Option<f64>) -> Option<String> {
    match cost_is {
        Standing::Exact => Some("optimal (certified)".to_string()),
        Standing::UpperBound => lower_bound.map(|_| match gap {
            Some(gap) if gap < 1.0 => format!("within {} of optimal (certified)", percent(gap)),
            Some(gap) if gap < 99.0 => {
                // Rounded up: what is certified must stay true.
                let times = (10.0 * (1.0 + gap)).ceil() / 10.0;
                format!("at most {times:.1} times the optimum (certified)")
            }
            _ => "not known: no useful lower bound was found".to_string(),
        }),
        Standing::LowerBound | Standing::NoBound => None,
    }
}

/// What a closed form has to say.
const CLOSED_FORM: &str = "closed form: one of the clouds lies on this line";

/// By how much a cost can be above the optimum, as a share of it; `None` where the lower bound says nothing about shares.
pub fn gap(cost: f64, lower_bound: f64) -> Option<f64> {
    match (cost, lower_bound) {
        (0.0, _) => Some(0.0),
        (cost, bound) if bound > 0.0 => Some((cost / bound - 1.0).max(0.0)),
        _ => None,
    }
}

fn title(method: &str) -> &'static str {
    match method {
        "auto" => "Transport",
        "tree" => "Transport by trees",
        "merged" => "Merged SWGG transport",
        "min-swgg" => "min-SWGG transport",
        "sinkhorn" => "Entropic transport",
        "gaussian" => "Gaussian transport",
        "factored" => "Factored transport",
        "subspace-robust" => "Subspace-robust transport",
        "subspace-detour" => "Transport by subspace detour",
        "linear-ot" => "Linear transport",
        _ => "Exact transport",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cost: f64, lower_bound: f64, expected: &str) {
        let solved =
            Solved { lower_bound: Some(lower_bound), ..Solved::new("auto", cost, Standing::UpperBound) };
        let found = quality(solved.proven(), solved.lower_bound, solved.gap());
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn quality_in_words() {
        check(1.023, 1.0, "within 2.3 % of optimal (certified)");
        check(1.0, 1.0 - 1e-11, "optimal (certified)");
        check(0.0, 0.0, "optimal (certified)");
        check(1.0, 1.0 - 1e-8, "within 0.001 % of optimal (certified)");
        check(7.01, 2.0, "at most 3.6 times the optimum (certified)");
        check(1.0, 0.0, "not known: no useful lower bound was found");
        check(1.0, 1e-9, "not known: no useful lower bound was found");
        assert_eq!(quality(Standing::UpperBound, None, None), None);
    }

    #[test]
    fn gaps_of_squared_costs_only() {
        let cubed = Solved {
            p: Some(3.0),
            lower_bound: Some(1.0),
            ..Solved::new("exact", 2.0, Standing::UpperBound)
        };
        assert_eq!(cubed.gap(), None);
        let below = Solved { lower_bound: Some(1.0), ..Solved::new("gaussian", 1.0, Standing::LowerBound) };
        assert_eq!(below.gap(), None);
        assert_eq!(gap(3.0, 2.0), Some(0.5));
    }
}
