//! Exact transport as a method.

use super::compiled::{Compiled, run_compiled};
use super::ground::with_ground;
use super::optimal::{is_at_scale, pursued};
use super::partial::{DISCARD_COST, MASS, MASS_SOURCE, MASS_TARGET};
use super::{Auto, Builder, Estimate, Method, Solver, optimal};
use crate::answer::{Fact, Remark, Transport, counted};
use crate::error::Result;
use crate::exact::{Start, are_gaussian_images, from_start};
use crate::flow::Goal;
use crate::measure::pairable;
use crate::number::scalar::Scalar;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::setting::Settings;

/// The optimum, with potentials that prove it; see [`exact`](crate::exact) for how, and for its parts.
///
/// ```
/// use swgg::{Exact, Measure, Question, Run, Solver};
/// let mu = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// let nu = Measure::from_slice(&[1.0, 1.0, 0.0, 1.0], 2)?;
/// let found = Exact.solve(&mu, &nu)?;
/// assert_eq!((found.cost, found.plan()?.target_of(0)), (1.0, Some(1)));
/// let found = Exact.answer(&Question::new(&mu, &nu)?.with_power(3.0)?, &mut Run::default())?;
/// assert_eq!(found.lower_bound, Some(1.0));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Builder for Exact {
    const METHOD: Method = Method {
        settings: &with_ground::<4, 13>([&MASS, &MASS_SOURCE, &MASS_TARGET, &DISCARD_COST]),
        ..Method::new(
            "exact",
            "Exact transport",
            "The optimum, with a proof: for up to some ten thousand points",
        )
    };

    fn build(_: &Settings) -> Result<Self> {
        Ok(Exact)
    }
}

impl<T: Scalar> Solver<T> for Exact {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        if optimal::are_at_scale(sizes) {
            let bytes = (n + m) * optimal::BYTES_PER_POINT;
            return Estimate { seconds: optimal::seconds(sizes, sizes.n == sizes.m), bytes };
        }
        Estimate { seconds: Estimate::exact_seconds(n, m, d), bytes: Estimate::exact_bytes(n + m, d, 2.0) }
    }

    fn unit(&self, sizes: Sizes, _: &Run<'_>) -> &'static str {
        if optimal::are_at_scale(sizes) { "steps" } else { "sources in order" }
    }

    run_compiled!(Exact);
}

impl Compiled for Exact {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        if is_at_scale(question) && !looks_at_all_pairs(question)? {
            return self.at_scale(question, run);
        }
        let found = from_start(question, Start::default(), run)?;
        let story = format!("augmenting paths or simplex, {}", counted(found.steps, "step"));
        Ok(told(found, story))
    }
}

/// Pairs up to which looking at all of them is quicker than auctions where prices are flat, or known but for chance.
const MAX_PAIRS_TO_LOOK_AT: usize = 25_000_000;
/// Effort of the plan to begin with: what is cheap, as the rest is done by the auction.
const START_EFFORT: u8 = 2;

impl Exact {
    /// By candidates and auctions, from the plan of many lines.
    fn at_scale<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let start = Auto { effort: START_EFFORT }.refined(question, None, run)?;
        let goal = run.gap.map_or(Goal::Optimal, Goal::Gap);
        let found = pursued(question, start, goal, run)?;
        let story = format!("candidates, an auction and shortest paths, {}", counted(found.steps, "step"));
        Ok(told(found, story))
    }
}

/// Whether looking at all pairs is quicker than auctions: with few points, at costs other than squared distances, where prices are flat, and in
/// matchings of clouds that are linear images of each other, whose prices are known.
fn looks_at_all_pairs<T: Scalar>(question: &Question<'_, T>) -> Result<bool> {
    let (source, target) = (question.source(), question.target());
    if source.len() * target.len() > MAX_PAIRS_TO_LOOK_AT {
        return Ok(false);
    }
    if !question.is_squared() {
        return Ok(true);
    }
    Ok(pairable(source, target) && are_gaussian_images(source, target)?)
}

/// The answer with its story and its facts.
fn told(found: Transport, story: String) -> Transport {
    let p = found.exponent.map_or(Fact::Nothing, Fact::Number);
    Transport {
        method: "exact",
        facts: vec![("p", p), ("iterations", Fact::Count(found.steps))],
        remarks: vec![Remark::new("method", story.clone())],
        story,
        ..found
    }
}
