//! The answer: a cost, what it says about the optimum, and what came with it.

use ndarray::Array2;

use crate::error::{ErrorKind, Result};
use crate::line::direction::Direction;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::run::stop::Stop;

/// What a solver found: a cost, usually a plan, and what is known about how good it is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transport {
    /// Name of the method that was asked.
    pub method: &'static str,
    /// The cost, not rooted: squared, unless the exponent is another.
    pub cost: f64,
    /// What the cost says about the optimum.
    pub cost_is: CostIs,
    /// Exponent of the distances; `None` for costs that were given.
    pub exponent: Option<f64>,
    /// What no plan can cost less than, if it is known.
    pub lower_bound: Option<f64>,
    /// The plan; `None` for methods without one between the points.
    pub coupling: Option<Coupling>,
    /// Where a map without a plan takes the source points, one row each.
    pub image: Option<Array2<f64>>,
    /// The line that induces the plan, if one does.
    pub direction: Option<Direction>,
    /// Dual potentials, if the solver has them.
    pub potentials: Option<Potentials>,
    /// One sentence about what was run.
    pub story: String,
    /// Steps, iterations or directions it took.
    pub steps: usize,
    /// Why it ended.
    pub stop: Stop,
    /// Seconds that the search for a lower bound took, beside those of the solver.
    pub bound_seconds: f64,
    /// What only this solver has to say: names and values.
    pub facts: Vec<(&'static str, Fact)>,
    /// The same for people: lines of a summary.
    pub remarks: Vec<Remark>,
    /// Which lower bound is computed for it.
    pub(crate) bounding: Bounding,
}

/// What a cost says about the optimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostIs {
    /// It is the optimum: that of a plan, and no plan costs less.
    Optimal,
    /// The cost of a plan: the optimum is at most this.
    Upper,
    /// No plan costs less: the optimum is at least this.
    Lower,
    /// Neither a bound from above nor one from below.
    Other,
}

impl CostIs {
    /// A word for reports.
    pub fn name(self) -> &'static str {
        match self {
            CostIs::Optimal => "exact",
            CostIs::Upper => "upper-bound",
            CostIs::Lower => "lower-bound",
            CostIs::Other => "no-bound",
        }
    }
}

/// Which lower bound is computed for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Bounding {
    /// By the means, the covariances and some lines, which is cheap.
    #[default]
    Lines,
    /// By prices learnt from the plan as well, made feasible against all pairs.
    Prices,
    /// The answer came with the best bound there is.
    Done,
}

/// A value that only one solver has to say.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// A count.
    Count(usize),
    /// Two of them, of source and target.
    Counts([usize; 2]),
    /// A number.
    Number(f64),
    /// A word or a sentence.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// Not there this time.
    Nothing,
    /// Many numbers, such as the cost of every direction.
    Series(Vec<f64>),
    /// A matrix, such as the points of a pivot.
    Matrix(Array2<f64>),
    /// Some points and a mass of each, such as what stayed where it was.
    Masses(Vec<(u32, f64)>),
}

/// A line of a summary.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// Its name, at most ten letters; empty when it goes on with the line before.
    pub label: &'static str,
    /// A number to begin with.
    pub value: Option<f64>,
    /// What it says.
    pub text: String,
}

impl Remark {
    /// A line of words.
    pub fn new(label: &'static str, text: impl Into<String>) -> Self {
        Remark { label, value: None, text: text.into() }
    }

    /// A number and what it is.
    pub fn number(label: &'static str, value: f64, text: impl Into<String>) -> Self {
        Remark { label, value: Some(value), text: text.into() }
    }
}

impl Transport {
    /// A cost and nothing else, of squared distances.
    pub fn new(method: &'static str, cost: f64, cost_is: CostIs) -> Self {
        Transport {
            method,
            cost,
            cost_is,
            exponent: Some(2.0),
            lower_bound: None,
            coupling: None,
            image: None,
            direction: None,
            potentials: None,
            story: String::new(),
            steps: 0,
            stop: Stop::ClosedForm,
            bound_seconds: 0.0,
            facts: Vec::new(),
            remarks: Vec::new(),
            bounding: Bounding::Lines,
        }
    }

    /// The plan, or a refusal for a method that has none between the points.
    pub fn plan(&self) -> Result<&Coupling> {
        self.coupling.as_ref().ok_or_else(|| ErrorKind::NoPlan { method: self.method }.into())
    }

    /// The plan itself, as [`plan`](Transport::plan).
    pub fn into_plan(self) -> Result<Coupling> {
        let method = self.method;
        self.coupling.ok_or_else(|| ErrorKind::NoPlan { method }.into())
    }

    /// Root of the cost, `W_p` where the cost is `W_p^p`; `None` for costs that are not powers of distances.
    pub fn distance(&self) -> Option<f64> {
        self.exponent.map(|p| if p == 2.0 { self.cost.sqrt() } else { self.cost.powf(1.0 / p) })
    }

    /// By how much the cost can be above the optimum, as a share of it: `cost / lower_bound - 1`.
    ///
    /// 0 for a plan that costs nothing; `None` without a lower bound, where it is zero and so says nothing about shares, and
    /// for costs that are not those of a plan.
    pub fn gap(&self) -> Option<f64> {
        match (self.cost_is, self.lower_bound) {
            (CostIs::Lower | CostIs::Other, _) | (_, None) => None,
            _ if self.cost == 0.0 => Some(0.0),
            (_, Some(bound)) if bound > 0.0 => Some((self.cost / bound - 1.0).max(0.0)),
            _ => None,
        }
    }

    /// A fact by its name.
    pub fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|(key, _)| *key == name).map(|(_, fact)| fact)
    }

    /// A fact that is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.fact(name)? {
            Fact::Number(number) => Some(*number),
            Fact::Count(count) => Some(*count as f64),
            _ => None,
        }
    }

    /// Bounds that meet to rounding prove the plan.
    pub(crate) fn proved(mut self) -> Self {
        let met = self.lower_bound.is_some_and(|bound| self.cost - bound <= 1e-9 * self.cost);
        if self.cost_is == CostIs::Upper && met {
            self.cost_is = CostIs::Optimal;
        }
        self
    }
}

/// A share in per cent, rounded up to two digits or so: what is certified must stay true.
pub fn percent(share: f64) -> String {
    let percent = (100.0 * share).max(1e-3);
    let digits = (1 - percent.log10().floor() as i32).clamp(0, 3);
    let scale = 10_f64.powi(digits);
    // What is a round number but for rounding stays one.
    format!("{:.*} %", digits as usize, (percent * scale * (1.0 - 1e-12)).ceil() / scale)
}

/// `1 tree`, `2 trees`, `3 passes`, `1 000 directions`.
pub fn counted(number: usize, what: &str) -> String {
    let plural = match (number, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{} {what}{plural}", grouped(number))
}

/// Digits in groups of three.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_those_of_plans() {
        let found =
            |cost, bound| Transport { lower_bound: bound, ..Transport::new("auto", cost, CostIs::Upper) };
        assert_eq!(found(3.0, Some(2.0)).gap(), Some(0.5));
        assert_eq!(found(0.0, Some(0.0)).gap(), Some(0.0));
        assert_eq!(found(1.0, Some(0.0)).gap(), None);
        assert_eq!(found(1.0, None).gap(), None);
        let below = Transport { lower_bound: Some(1.0), ..Transport::new("gaussian", 1.0, CostIs::Lower) };
        assert_eq!(below.gap(), None);
        assert_eq!(found(1.0, Some(1.0 - 1e-11)).proved().cost_is, CostIs::Optimal);
        assert_eq!(found(1.0, Some(1.0 - 1e-8)).proved().cost_is, CostIs::Upper);
        assert_eq!(below.proved().cost_is, CostIs::Lower);
    }

    #[test]
    fn words() {
        assert_eq!(counted(1, "tree"), "1 tree");
        assert_eq!(counted(3, "pass"), "3 passes");
        assert_eq!(counted(1_234_567, "direction"), "1 234 567 directions");
        assert!(Transport::new("gaussian", 1.0, CostIs::Lower).plan().is_err());
    }
}
