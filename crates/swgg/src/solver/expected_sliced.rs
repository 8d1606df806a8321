//! The expected sliced plan: the average of the plans of many lines.

use std::ops::ControlFlow;

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::cost::SqEuclidean;
use crate::error::{ErrorKind, Result};
use crate::line::direction::DirectionSet;
use crate::line::sampler::{Sampler, Sphere};
use crate::measure::pairable;
use crate::number::range::not_negative;
use crate::number::scalar::Scalar;
use crate::paper::search::registry::{DIRECTIONS, LISTED};
use crate::paper::slices::{InMemory, Slices};
use crate::plan::glue::gather;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::setting::{Setting, Settings};

/// How much more cheap lines count than dear ones.
pub const BETA: Setting = Setting::number("beta").help(
    "B",
    "how much more cheap lines count: as exp(-B cost), in units of squared distances [default: 0, all alike]",
);

/// Entries of all plans together, before those of one pair are added up, that are held in memory.
const MAX_ENTRIES: usize = 1 << 26;

/// Directions between two reports.
const DIRECTIONS_PER_BATCH: usize = 16;

/// The average of the plans of many lines, cheap ones counting more at will (Liu et al., "Expected sliced transport plans", 2025).
///
/// ```text
/// pi = sum_k w_k pi_(theta_k),    w_k proportional to exp(-beta SWGG_2^2(mu, nu, theta_k))
/// ```
///
/// A coupling of both measures, so its cost is an upper bound of `W_2^2`, at most the mean of the costs of the lines with these
/// weights; blurred where lines disagree. The plans are those of [`RandomSearch`](crate::paper::RandomSearch) with the same seed.
/// `O(L n)` entries at most: many more than the plan of one line has. POT calls it `expected_sliced_plan`.
///
/// ```
/// use swgg::{Measure, Solver, solver::ExpectedSliced};
/// let source = Measure::from_slice(&[3.0, 3.0, 1.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[2.0, 2.5, 3.0, 2.0], 2)?;
/// let found = ExpectedSliced { directions: 20, ..Default::default() }.solve(&source, &target)?;
/// assert!(found.plan()?.marginal_gap(&source, &target)? < 1e-12);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExpectedSliced {
    /// How many lines to draw.
    pub directions: usize,
    /// These lines instead.
    pub listed: Option<DirectionSet>,
    /// The inverse temperature: lines count as `exp(-beta cost)`; all alike at 0.
    pub beta: f64,
}

impl Default for ExpectedSliced {
    fn default() -> Self {
        ExpectedSliced { directions: 200, listed: None, beta: 0.0 }
    }
}

impl Builder for ExpectedSliced {
    const METHOD: Method = Method {
        settings: &[&DIRECTIONS, &LISTED, &BETA],
        is_compared: false,
        ..Method::new(
            "expected-sliced",
            "Expected sliced transport",
            "The average of the plans of all --directions: blurred where lines disagree",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        let usual = ExpectedSliced::default();
        Ok(ExpectedSliced {
            directions: settings.count(&DIRECTIONS).unwrap_or(usual.directions),
            listed: settings.directions(&LISTED).cloned(),
            beta: settings.number(&BETA).unwrap_or(usual.beta),
        })
    }
}

impl ExpectedSliced {
    fn len(&self) -> usize {
        self.listed.as_ref().map_or(self.directions, DirectionSet::len)
    }
}

impl<T: Scalar> Solver<T> for ExpectedSliced {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        not_negative("beta", self.beta)?;
        let entries = self.len().saturating_mul(sizes.n.max(sizes.m));
        match self.len() {
            0 => Err(ErrorKind::NoDirections.into()),
            directions if entries > MAX_ENTRIES => {
                let most = (MAX_ENTRIES / sizes.n.max(sizes.m)).max(1);
                let problem = format!(
                    "is {directions}, whose plans are too large to hold at once; give at most {most}"
                );
                Err(ErrorKind::Setting { setting: DIRECTIONS.name, problem }.into())
            }
            _ => Ok(()),
        }
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        let (both, d, lines) = ((sizes.n + sizes.m) as f64, sizes.d as f64, self.len() as f64);
        let sorting = lines * both * (d + 2.0 * both.log2()) * 1e-9 / run.parallelism.threads() as f64;
        // Pieces of all plans, sorted by their pair.
        let pieces = lines * both;
        Estimate { seconds: sorting + pieces * pieces.max(2.0).log2() * 2e-9, bytes: 40.0 * pieces }
    }

    run_compiled!(ExpectedSliced);
}

impl Compiled for ExpectedSliced {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "expected-sliced")?;
        let slices = InMemory::with_parallelism(source, target, run.parallelism)?;
        let thetas = match &self.listed {
            Some(listed) => listed.clone(),
            None => Sphere::new(source.dim(), run.seed)?.batch(0..self.directions),
        };
        let mut costs = costs(&slices, &thetas, run)?;
        let mut workers = run.workers()?;
        // Told to stop, there is time for the pieces of a few lines.
        let (points, d) = (source.len().max(target.len()), source.dim());
        let few = (MAX_PIECES_IN_A_HURRY / (points * (1 + d / COORDINATES_PER_PIECE))).max(1);
        let (pieces, shares) = loop {
            if workers.is_halted() {
                workers = Workers::new(run.parallelism)?;
                costs.truncate(few);
            }
            let shares = shares(&costs, self.beta);
            let plans = workers.map(shares.len(), |k| -> Result<Vec<(u32, u32, f64)>> {
                if workers.is_halted() {
                    return Ok(Vec::new());
                }
                let plan = slices.coupling(&thetas.get(k))?;
                let piece = |(i, j, mass): (usize, usize, f64)| (i as u32, j as u32, shares[k] * mass);
                Ok(plan.entries().map(piece).collect())
            });
            if !workers.is_halted() {
                break (plans.into_iter().collect::<Result<Vec<_>>>()?.concat(), shares);
            }
        };
        let coupling = gather(source.len(), target.len(), pieces, pairable(source, target));
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        let mean = shares.iter().zip(&costs).map(|(share, cost)| share * cost).sum();
        let lines = costs.len();
        let story = format!("the average of the plans of {}", counted(lines, "line"));
        Ok(Transport {
            facts: vec![
                ("directions", Fact::Count(lines)),
                ("beta", Fact::Number(self.beta)),
                ("mean_cost", Fact::Number(mean)),
                ("entries", Fact::Count(coupling.len())),
            ],
            coupling: Some(coupling),
            remarks: vec![
                Remark::number("lines", mean, "squared, the mean of their costs"),
                Remark::new("method", format!("{story}, seed {}", run.seed)),
            ],
            story,
            steps: lines,
            stop: if lines < thetas.len() { Stop::Interrupted } else { Stop::AllTried },
            ..Transport::new("expected-sliced", cost, CostIs::Upper)
        })
    }
}

/// Pieces of plans that are gathered in a moment.
const MAX_PIECES_IN_A_HURRY: usize = 1 << 20;
/// Coordinates whose cost takes as long as gathering a piece.
const COORDINATES_PER_PIECE: usize = 8;

/// The cost of every line, or of the first ones if the observer has had enough.
fn costs(slices: &dyn Slices, thetas: &DirectionSet, run: &mut Run<'_>) -> Result<Vec<f64>> {
    let total = thetas.len();
    let mut costs = Vec::with_capacity(total);
    while costs.len() < total {
        let end = total.min(costs.len() + slices.batch_len().min(DIRECTIONS_PER_BATCH));
        costs.extend(slices.costs(&thetas.slice(costs.len()..end))?);
        let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
        if run.progress(&Progress { tried: end, total, best }) == ControlFlow::Break(()) {
            break;
        }
    }
    Ok(costs)
}

/// What every line counts; together one.
fn shares(costs: &[f64], beta: f64) -> Vec<f64> {
    // From the cheapest line on, so that not all exponentials vanish.
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let shares: Vec<f64> = costs.iter().map(|cost| (-beta * (cost - least)).exp()).collect();
    let whole: f64 = shares.iter().sum();
    shares.iter().map(|share| share / whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measure;
    use ndarray::array;

    /// The example of POT's documentation: two axes that disagree.
    #[test]
    fn two_lines_that_disagree() {
        let source = Measure::from_slice(&[3.0, 3.0, 1.0, 1.0], 2).unwrap();
        let target = Measure::from_slice(&[2.0, 2.5, 3.0, 2.0], 2).unwrap();
        let listed = DirectionSet::from_rows(array![[1.0, 0.0], [0.0, 1.0]].view()).unwrap();
        let mut method = ExpectedSliced { listed: Some(listed), ..Default::default() };
        let found = method.solve(&source, &target).unwrap();
        assert_eq!(found.cost, 2.625);
        assert_eq!(found.plan().unwrap().entries().map(|entry| entry.2).collect::<Vec<_>>(), [0.25; 4]);
        // Cold enough, only the cheaper line is left.
        method.beta = 1e3;
        let found = method.solve(&source, &target).unwrap();
        assert!(
            (found.cost - 2.125).abs() < 1e-9 && found.number("mean_cost").unwrap() >= found.cost - 1e-12
        );
    }

    #[test]
    fn too_many_lines_are_refused() {
        let sizes = Sizes { n: 1 << 20, m: 10, d: 3 };
        let many = ExpectedSliced { directions: 1000, ..Default::default() };
        let refusal = Solver::<f64>::validate(&many, sizes).unwrap_err().to_string();
        assert_eq!(
            refusal,
            "n_projections is 1000, whose plans are too large to hold at once; give at most 64"
        );
        let none = ExpectedSliced { directions: 0, ..Default::default() };
        assert!(Solver::<f64>::validate(&none, sizes).is_err());
    }
}
