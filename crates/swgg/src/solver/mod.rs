//! Who answers: one trait, one registry, and a file or folder per method.
//!
//! A [`Solver`] is plain settings. It is asked a [`Question`] within a [`Run`] and gives a [`Transport`]. [`METHODS`] lists them
//! all: the command line, Python and the reports read names, help and settings from there.

mod asked;
mod auto;
mod bounding;
mod compiled;
#[cfg(test)]
mod cost_tests;
mod embedding;
mod exact;
mod expected_sliced;
mod factored;
mod gaussian;
mod ground;
mod line;
mod linear;
mod merged;
mod min_swgg;
mod nearer;
mod optimal;
mod paid;
mod partial;
mod registry;
mod sinkhorn;
mod subspace;
#[cfg(test)]
mod tests;
mod trees;

pub use crate::ensemble::merge::merge_matchings;
pub use auto::{Auto, solve};
pub use exact::Exact;
pub use expected_sliced::ExpectedSliced;
pub use factored::{Factored, Factorization};
pub use gaussian::GaussianFit;
pub use ground::{AskedCost, COSTS, PosedCost, in_double_precision, read_labels};
pub use line::ClosedForm;
pub use linear::{LinearEmbedding, LinearOt, LinearTransport};
pub use merged::Merged;
pub use min_swgg::{MinSwgg, how, min_swgg};
pub use partial::posed;
pub use registry::{Builder, METHODS, Method, PlanKind, build, find, methods_with};
pub use sinkhorn::{
    Divergence, Epsilon, MOST_ENTRIES, Sinkhorn, SmoothPlan, WithItself, sinkhorn, sinkhorn_divergence,
};
pub use subspace::{Ascent, GaussianDetour, Lift, Subspace, SubspaceDetour, SubspaceRobust};
pub use trees::Trees;

/// The settings that methods have; those of searches are in [`paper::settings`](crate::paper::settings).
pub mod settings {
    pub use super::auto::{EFFORT, GAP, TIME_LIMIT};
    pub use super::expected_sliced::BETA;
    pub use super::factored::PIVOT_POINTS;
    pub use super::ground::{
        COST, COST_MATRIX, COVARIANCE, LABEL_COSTS, ORDER, POWER, SCALES, SOURCE_LABELS, TARGET_LABELS,
    };
    pub use super::linear::PIVOT;
    pub use super::partial::{DISCARD_COST, MASS, MASS_SOURCE, MASS_TARGET};
    pub use super::sinkhorn::{EPSILON, RELATIVE_EPSILON, TAU_A, TAU_B};
    pub use super::subspace::{DETOUR, DIMENSION};
    pub use super::trees::TREES;
    use crate::setting::Setting;

    /// Those that change what is asked: the ground cost, and how much of the mass moves.
    pub const OF_THE_QUESTION: [&Setting; 13] =
        super::ground::with_ground([&MASS, &MASS_SOURCE, &MASS_TARGET, &DISCARD_COST]);
}

use std::time::Instant;

use embedding::Embedding;
use nearer::Nearer;

use crate::answer::{CostIs, Fact, Transport};
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::{Marginals, Question, Sizes};
use crate::run::Run;
use crate::setting::Kind;

/// A method of transport with its settings.
///
/// To write one of your own, give its [`Method`], an estimate and `run`; solving unwatched, deadlines and bounds come with the
/// trait.
pub trait Solver<T: Scalar>: Send + Sync {
    /// Its name, its help and the settings it has.
    fn method(&self) -> &'static Method;

    /// Refuses settings that make no sense for clouds of these sizes, before any work.
    fn validate(&self, sizes: Sizes) -> Result<()> {
        let _ = sizes;
        Ok(())
    }

    /// What it will take, roughly.
    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate;

    /// What its progress counts.
    fn unit(&self, sizes: Sizes, run: &Run<'_>) -> &'static str {
        let _ = (sizes, run);
        "directions"
    }

    /// Whether a setting of it, or what it says beside the cost, is about costs themselves: then none may be left out on the way, even
    /// where every plan pays them.
    fn is_told_costs(&self) -> bool {
        false
    }

    /// Solves; only bounds that come with the answer. Users call [`answer`](Solver::answer).
    fn run(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport>;

    /// Checks, solves, and looks for a lower bound if the run asks for one.
    fn answer(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        if question.marginals() != Marginals::All {
            self.validate(question.sizes())?;
            let balanced = |question: &Question<'_, T>, run: &mut Run<'_>| self.answer(question, run);
            let found = partial::answered(self.method().name, question, run, balanced)?;
            return Ok(paid_for(found, question));
        }
        if let Some(embedding) = Embedding::of(question, self.is_told_costs())? {
            let found = self.answer(&embedding.question()?, run)?;
            return Ok(paid_for(embedding.translated(found, question), question));
        }
        self.validate(question.sizes())?;
        // Points among the settings stand where they were given.
        let has_places = self.method().settings.iter().any(|setting| matches!(setting.kind, Kind::Points));
        if !has_places && let Some(nearer) = Nearer::of(question)? {
            return Ok(nearer.back(self.answer(&nearer.question()?, run)?));
        }
        let mut found = self.run(question, run)?;
        found.stop = run.reason(found.stop);
        found = found.proved();
        // What is proved needs no further proof.
        if run.bounds && found.cost_is != CostIs::Optimal {
            let started = Instant::now();
            found = bounding::bounded(found, question, run)?;
            found.bound_seconds = started.elapsed().as_secs_f64();
        }
        Ok(paid_for(asked::noted(found.proved(), question, run), question))
    }

    /// [`answer`](Solver::answer) for squared distances, seed 0, all threads, with bounds and nobody watching.
    ///
    /// ```
    /// use swgg::{Measure, Solver, Trees};
    /// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
    /// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
    /// assert_eq!(Trees { trees: 4 }.solve(&source, &target)?.cost, 9.0);
    /// # Ok::<(), swgg::Error>(())
    /// ```
    fn solve(&self, source: &Measure<'_, T>, target: &Measure<'_, T>) -> Result<Transport> {
        self.answer(&Question::new(source, target)?, &mut Run::default())
    }
}

/// The answer with the name of its ground cost, if that is not the squared distance.
fn paid_for<T: Scalar>(mut found: Transport, question: &Question<'_, T>) -> Transport {
    found.facts.retain(|(name, _)| *name != "ground");
    found.facts.extend(question.ground_name().map(|name| ("ground", Fact::Text(name))));
    found
}

/// What a solver will take, roughly: within a factor of about three on a machine of our day, for clouds that are not made to be
/// hard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Seconds.
    pub seconds: f64,
    /// Bytes beside the clouds; 0 where that is little.
    pub bytes: f64,
}

impl Estimate {
    /// Seconds of exact transport between `n` and `m` points in `d` dimensions: matchings are quick, plans that split points less
    /// so. Measured.
    pub(crate) fn exact_seconds(n: f64, m: f64, d: f64) -> f64 {
        Self::flow_seconds(n, m, d, if n == m { 4e-9 } else { 2e-8 })
    }

    /// The same with the seconds for a unit of work.
    pub(crate) fn flow_seconds(n: f64, m: f64, d: f64, unit: f64) -> f64 {
        n * m * (n + m).powf(0.15) * (1.0 + 0.05 * d) * unit
    }

    /// Bytes of exact transport of so many points: some copies in a layout of its own, and the trees and queues of the solver.
    pub(crate) fn exact_bytes(points: f64, d: f64, copies: f64) -> f64 {
        points * (8.0 * copies * d + 800.0)
    }

    /// Trees and passes over both clouds, and the proof at the end: never anything of size `n m`.
    pub(crate) fn ensemble(sizes: Sizes, seconds: f64, run: &Run<'_>) -> Self {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        let proof = Self::proof_seconds(sizes, run);
        let of_points = both * if run.bounds { 16.0 * d + 250.0 } else { 8.0 * d + 50.0 };
        let bytes = of_points + Self::slices_bytes(d);
        Estimate { seconds: seconds + if run.bounds { proof } else { 0.0 }, bytes }
    }

    /// Bytes of a batch of directions, and of what is computed from it: little but for very long points.
    pub(crate) fn slices_bytes(d: f64) -> f64 {
        8.0 * 12.0 * d
    }

    /// Seconds of proving a plan by prices.
    pub(crate) fn proof_seconds(sizes: Sizes, run: &Run<'_>) -> f64 {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        both * (1.0 + 0.04 * d * d.min(30.0)) * 1e-5 / run.parallelism.threads() as f64
    }

    /// Seconds of so many trees or passes.
    pub(crate) fn steps_seconds(sizes: Sizes, steps: f64, run: &Run<'_>) -> f64 {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        steps * both * (7.0 + 0.7 * d) * 1e-7 / run.parallelism.threads() as f64
    }
}
