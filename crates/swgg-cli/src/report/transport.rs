//! What a solve found.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use swgg::answer::{Fact, grouped};
use swgg::{CostIs, Measure, Parallelism, Scalar, Stop, Transport, solver};

use super::{Report, Summary};
use crate::printer::{number, percent, vector};
use crate::seconds::Seconds;

/// A transport between two clouds, whatever the method.
#[derive(Debug, Serialize)]
pub struct TransportReport {
    pub method: &'static str,
    pub search: Option<String>,
    pub n: usize,
    pub m: usize,
    pub d: usize,
    /// Not rooted: squared, unless the exponent is another.
    pub cost: f64,
    /// Root of the cost; `None` for costs that are not powers of distances.
    pub distance: Option<f64>,
    #[serde(serialize_with = "named")]
    pub cost_is: CostIs,
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
    pub effort: Option<usize>,
    /// What was run, in a sentence.
    pub story: String,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub seconds: Seconds,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Vec<f64>>,
    #[serde(flatten)]
    facts: Facts,
    #[serde(skip)]
    exponent: Option<f64>,
    #[serde(skip)]
    remarks: Vec<swgg::answer::Remark>,
    /// What follows the summary: files that were written, or where to go next.
    #[serde(skip)]
    pub ending: String,
}

/// What only one method has to say.
#[derive(Debug)]
struct Facts(Vec<(&'static str, Fact)>);

impl Facts {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find_map(|(key, fact)| match fact {
            Fact::Text(text) if *key == name => Some(text.as_str()),
            _ => None,
        })
    }
}

/// A point, and some of its mass.
#[derive(Serialize)]
struct PointMass {
    index: u32,
    mass: f64,
}

/// Facts that have a field of their own.
const FIELDS: [&str; 4] = ["search", "directions", "effort", "costs"];

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, fact) in self.0.iter().filter(|(name, _)| !FIELDS.contains(name)) {
            match fact {
                Fact::Count(count) => map.serialize_entry(name, count)?,
                Fact::Counts(counts) => map.serialize_entry(name, counts)?,
                Fact::Number(number) => map.serialize_entry(name, number)?,
                Fact::Text(text) => map.serialize_entry(name, text)?,
                Fact::Flag(flag) => map.serialize_entry(name, flag)?,
                Fact::Nothing => map.serialize_entry(name, &None::<f64>)?,
                Fact::Masses(masses) => {
                    let some = masses.iter().map(|&(index, mass)| PointMass { index, mass });
                    map.serialize_entry(name, &some.collect::<Vec<_>>())?;
                }
                // Matrices are for programs that hold them in memory.
                _ => {}
            }
        }
        map.end()
    }
}

/// What a cost says about the optimum, by its name.
pub fn named<S: Serializer>(cost_is: &CostIs, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(cost_is.name())
}

impl TransportReport {
    pub fn new<T: Scalar>(
        found: &Transport,
        [source, target]: [&Measure<'_, T>; 2],
        (seed, threads): (u64, usize),
        seconds: Seconds,
    ) -> Self {
        let count = |name: &str| match found.fact(name) {
            Some(Fact::Count(count)) => Some(*count),
            _ => None,
        };
        let kind = |plan: &swgg::Coupling| if plan.is_matching() { "matching" } else { "sparse" };
        TransportReport {
            method: found.method,
            search: match found.fact("search") {
                Some(Fact::Text(search)) => Some(search.clone()),
                _ => None,
            },
            n: source.len(),
            m: target.len(),
            d: source.dim(),
            cost: found.cost,
            distance: found.distance(),
            cost_is: found.cost_is,
            lower_bound: found.lower_bound,
            gap: found.gap(),
            plan: found.coupling.is_some(),
            plan_kind: found.coupling.as_ref().map(kind),
            theta: found.direction.as_ref().map(|theta| theta.as_slice().to_vec()),
            directions: count("directions").unwrap_or(0),
            effort: count("effort"),
            story: found.story.clone(),
            seed,
            threads: Parallelism::from_count(threads).threads(),
            stop: found.stop.name(),
            seconds,
            costs: None,
            facts: Facts(found.facts.clone()),
            exponent: found.exponent,
            remarks: found.remarks.clone(),
            ending: String::new(),
        }
    }
}

impl Report for TransportReport {
    fn summary(&self) -> Summary {
        let (power, optimum) = match self.exponent {
            Some(2.0) => ("squared".to_string(), "the optimum W2^2".to_string()),
            Some(p) => (format!("power {p}"), format!("the optimum W{p}^{p}")),
            None => match self.facts.text("ground") {
                Some("matrix") | None => ("by the costs given".to_string(), "the optimum".to_string()),
                Some(ground) => (ground.to_string(), "the optimum".to_string()),
            },
        };
        let kind = match self.cost_is {
            CostIs::Optimal => "exact".to_string(),
            CostIs::Upper => format!("an upper bound of {optimum}"),
            CostIs::Lower => format!("a lower bound of {optimum}"),
            CostIs::Other => format!("no bound of {optimum}"),
        };
        let title = solver::find(self.method).map_or("Transport", |method| method.title);
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let mut summary = Summary::titled(format!("{title} from {n} to {m} points in dimension {d}"));
        summary.line("cost", format!("{:<12} {power}, {kind}", number(self.cost)));
        if let Some(distance) = self.distance {
            let root = if self.exponent == Some(2.0) { "its root" } else { "its root of that order" };
            summary.line("distance", format!("{:<12} {root}", number(distance)));
        }
        let bound = self.lower_bound.filter(|_| self.cost_is != CostIs::Optimal);
        if let Some(bound) = bound.filter(|bound| self.cost_is != CostIs::Lower || *bound > self.cost) {
            summary.line("bound", format!("{:<12} no plan costs less", number(bound)));
        }
        if let Some(quality) = quality(self.cost_is, self.lower_bound, self.gap).filter(|_| self.plan) {
            summary.line("quality", quality);
        }
        if let Some(theta) = &self.theta {
            summary.line("direction", vector(theta));
        }
        for remark in &self.remarks {
            summary.line(
                remark.label,
                match remark.value {
                    Some(value) => format!("{:<12} {}", number(value), remark.text),
                    None => remark.text.clone(),
                },
            );
        }
        if self.stop == Stop::Interrupted.name() {
            summary.line("stopped", "early; this is the best so far");
        }
        if self.stop == Stop::TimeLimit.name() {
            summary.line("stopped", "time limit reached: the best plan so far");
        }
        summary.line("time", self.seconds.told(self.threads));
        summary.text(&self.ending);
        summary
    }
}

/// How far from optimal a plan can be, if that is known. The optimum is that of squared distances.
fn quality(cost_is: CostIs, lower_bound: Option<f64>, gap: Option<f64>) -> Option<String> {
    match cost_is {
        CostIs::Optimal => Some("optimal (certified)".to_string()),
        CostIs::Upper => lower_bound.map(|_| match gap {
            Some(gap) if gap < 1.0 => format!("within {} of optimal (certified)", percent(gap)),
            Some(gap) if gap < 99.0 => {
                // Rounded up: what is certified must stay true.
                let times = (10.0 * (1.0 + gap)).ceil() / 10.0;
                format!("at most {times:.1} times the optimum (certified)")
            }
            _ => "not known: no useful lower bound was found".to_string(),
        }),
        CostIs::Lower | CostIs::Other => None,
    }
}

/// By how much a cost can be above the optimum, as a share of it; `None` where the lower bound says nothing about shares.
pub fn gap(cost: f64, lower_bound: f64) -> Option<f64> {
    match (cost, lower_bound) {
        (0.0, _) => Some(0.0),
        (cost, bound) if bound > 0.0 => Some((cost / bound - 1.0).max(0.0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cost: f64, lower_bound: f64, expected: &str) {
        let found = quality(CostIs::Upper, Some(lower_bound), gap(cost, lower_bound));
        assert_eq!(found.as_deref(), Some(expected));
    }

    #[test]
    fn quality_in_words() {
        check(1.023, 1.0, "within 2.3 % of optimal (certified)");
        check(1.0, 1.0 - 1e-8, "within 0.001 % of optimal (certified)");
        check(7.01, 2.0, "at most 3.6 times the optimum (certified)");
        check(1.0, 0.0, "not known: no useful lower bound was found");
        check(1.0, 1e-9, "not known: no useful lower bound was found");
        assert_eq!(quality(CostIs::Upper, None, None), None);
        assert_eq!(quality(CostIs::Optimal, None, None).as_deref(), Some("optimal (certified)"));
        assert_eq!(gap(3.0, 2.0), Some(0.5));
    }
}
