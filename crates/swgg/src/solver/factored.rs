//! Factored couplings: plans that pass through a pivot of a few points.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::cost::SqEuclidean;
use crate::error::Result;
use crate::exact::{Start, from_start};
use crate::line::direction::Direction;
use crate::line::sampler::{Gaussians, principal_axes};
use crate::measure::{Measure, same_space};
use crate::number::range::{at_least_one, not_negative, some};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::glue::{Glue, glue};
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::setting::{Setting, Settings};

/// Points of the pivot.
pub const PIVOT_POINTS: Setting = Setting::count("k", 1, 1_000_000_000)
    .flag("pivot-points")
    .formerly("k")
    .help("K", "points of the pivot [default: 100, fewer for small clouds]");

/// Factored coupling (Forrow et al., 2019): source and target are joined through `k` points of equal weight.
///
/// ```text
/// min over z_1 .. z_k   W_2^2(mu, zeta) + W_2^2(zeta, nu),   zeta = 1/k sum_k delta_{z_k}
/// ```
///
/// Two steps in turn, neither of which raises that sum: exact plans from the source to the pivot and from the pivot to the target,
/// then every `z_k` moves to the middle between the mean of the mass that arrives there and the mean of the mass that leaves.
/// It ends in a local minimum, which depends on the seed. The two plans are then [glued](Glue) into one from source to target. With
/// `k` below `n` such a plan has low rank, is steadier under sampling noise, and costs more than the best one.
///
/// Each turn takes two exact transports of sizes `n x k` and `k x m`.
/// Paper: Supp. "Related works", factored coupling; here the pivot has `k` free points and equal weights.
///
/// ```
/// use swgg::{Measure, Question, Run, Solver, solver::Factored};
/// let mu = Measure::from_slice(&[0.0, 0.0, 0.0, 1.0, 9.0, 0.0, 9.0, 1.0], 2)?;
/// let nu = Measure::from_slice(&[2.0, 0.0, 2.0, 1.0, 7.0, 0.0, 7.0, 1.0], 2)?;
/// let factored = Factored { points: Some(2), ..Default::default() };
/// let found = factored.answer(&Question::new(&mu, &nu)?, &mut Run::seeded(1))?;
/// // Two clusters: nobody changes sides, and within a cluster mass is mixed.
/// assert!((found.cost - 4.5).abs() < 1e-9);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Factored {
    /// Points of the pivot, `k`; 100 where both clouds have as many. The seed of the run is that of the points it starts from.
    pub points: Option<usize>,
    /// Most turns.
    pub max_iterations: usize,
    /// Ends when moving the pivot would lower the sum by less than this share of it.
    pub tolerance: f64,
    /// How the two plans are glued.
    pub glue: Glue,
}

impl Default for Factored {
    fn default() -> Self {
        Factored { points: None, max_iterations: 100, tolerance: 1e-7, glue: Glue::Independent }
    }
}

/// Dimension up to which principal axes take next to no time.
const MAX_BRIEF_DIM: usize = 64;
/// Points of a pivot, if the clouds have as many.
const USUAL_PIVOT_POINTS: usize = 100;

/// A factored coupling with its halves. The answer that a question gets is made of it; this is for those who want the pivot as a
/// measure and the plans to it and from it, which an answer between the two clouds has no place for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Factorization {
    /// Cost of the plan from source to target: an upper bound of `W_2^2`, and at most twice [`factored`](Self::factored).
    pub cost: f64,
    /// The sum that was lowered, `W_2^2(mu, zeta) + W_2^2(zeta, nu)`. It is at least half of `W_2^2(mu, nu)`; at the midpoint
    /// of a geodesic it is exactly half.
    pub factored: f64,
    /// The pivot `zeta`: `k` points of equal weight.
    pub pivot: Measure<'static, f64>,
    /// The optimal plan from the source to the pivot.
    pub source_to_pivot: Coupling,
    /// The optimal plan from the pivot to the target.
    pub pivot_to_target: Coupling,
    /// The glued plan from source to target.
    pub coupling: Coupling,
    /// How it was glued: monotonically whenever the independent plan would have had more than 2^24 entries.
    pub glue: Glue,
    /// Turns taken.
    pub iterations: usize,
    /// Why it ended. After an interruption the plans are still couplings, but not optimal ones.
    pub stop: Stop,
}

impl Builder for Factored {
    const METHOD: Method = Method {
        settings: &[&PIVOT_POINTS],
        ..Method::new(
            "factored",
            "Factored transport",
            "A plan through a pivot of a few points: of low rank, steady under noise",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        Ok(Factored { points: settings.count(&PIVOT_POINTS), ..Default::default() })
    }
}

impl<T: Scalar> Solver<T> for Factored {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        some("the number of points of the pivot", self.pivot_points(sizes))?;
        at_least_one("the number of iterations", self.max_iterations)?;
        not_negative("the tolerance", self.tolerance)
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let k = self.pivot_points(sizes) as f64;
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        let flow = |n, m| Estimate::flow_seconds(n, m, d, 3e-8);
        // Every point of the pivot joins all that arrive with all that leave, up to a limit of the solver.
        let glued = 40.0 * (n * m / k + n + m).min(f64::from(1 << 24));
        let bytes = Estimate::exact_bytes(n + m + 2.0 * k, d, 3.0) + glued;
        Estimate { seconds: 20.0 * (flow(n, k) + flow(k, m)), bytes }
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "iterations"
    }

    run_compiled!(Factored);
}

impl Compiled for Factored {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let (found, k) = (self.coupling(question, run)?, self.pivot_points(question.sizes()));
        let glue = match found.glue {
            Glue::Independent => "independent",
            Glue::Monotone => "monotone",
        };
        let (factored, iterations) = (found.factored, found.iterations);
        let story = format!("pivot of {}, glued in {glue} pairs", counted(k, "point"));
        let pivot =
            Array2::from_shape_vec((found.pivot.len(), found.pivot.dim()), found.pivot.points().to_vec());
        let mut facts = vec![
            ("k", Fact::Count(k)),
            ("factored", Fact::Number(factored)),
            ("glue", Fact::Text(glue.into())),
            ("iterations", Fact::Count(iterations)),
        ];
        facts.extend(pivot.ok().map(|pivot| ("pivot", Fact::Matrix(pivot))));
        Ok(Transport {
            coupling: Some(found.coupling),
            facts,
            remarks: vec![
                Remark::number("halves", factored, "squared, to the pivot and from it"),
                Remark::new("method", story.clone()),
                Remark::new("", format!("{}, seed {}", counted(iterations, "iteration"), run.seed)),
            ],
            story,
            steps: iterations,
            stop: found.stop,
            ..Transport::new("factored", found.cost, CostIs::Upper)
        })
    }
}

impl Factored {
    /// The coupling with its halves. The observer of the run is told of turns and of the sum, and may stop.
    pub fn coupling<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<Factorization> {
        Solver::<T>::validate(self, question.sizes())?;
        let [source, target] = squared(question, "factored")?;
        let count = self.pivot_points(question.sizes());
        let pivot = first_pivot(&source.in_f64(), &target.in_f64(), count, run.seed)?;
        self.coupling_from(question, pivot, run)
    }

    /// [`coupling`](Factored::coupling) from a pivot you know to be good; its points count, `points` and the seed do not.
    pub fn coupling_from<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        pivot: Measure<'static, f64>,
        run: &mut Run<'_>,
    ) -> Result<Factorization> {
        Solver::<T>::validate(self, question.sizes())?;
        let [source, target] = squared(question, "factored")?;
        same_space(source, &pivot)?;
        let (mu, nu) = (source.in_f64(), target.in_f64());
        let mut pivot = pivot;
        let mut progress = Progress { tried: 0, total: self.max_iterations, best: f64::INFINITY };
        let mut before: Option<(Transport, Transport)> = None;
        let (into, out, stop) = loop {
            let part = run.part();
            let mut inner = |_: &Progress| run.progress(&progress);
            let mut part = part.watched(&mut inner);
            // The pivot moves little from turn to turn: what was found before is close.
            let [first, second] = [before.as_ref().map(|pair| &pair.0), before.as_ref().map(|pair| &pair.1)];
            let into = from_start(&Question::new(&mu, &pivot)?, Start::after(first), &mut part)?;
            let out = from_start(&Question::new(&pivot, &nu)?, Start::after(second), &mut part)?;
            progress.tried += 1;
            progress.best = into.cost + out.cost;
            let cut_short = into.stop == Stop::Interrupted || out.stop == Stop::Interrupted;
            if cut_short || run.progress(&progress) == ControlFlow::Break(()) {
                break (into, out, Stop::Interrupted);
            }
            let next = middle(&pivot, into.plan()?, &mu, out.plan()?, &nu)?;
            // With the plans held still, moving the pivot lowers the sum by exactly this much.
            let moved: f64 = pivot.points().iter().zip(&next).map(|(z, w)| (z - w) * (z - w)).sum();
            if 2.0 * moved / pivot.len() as f64 <= self.tolerance * progress.best {
                break (into, out, Stop::Converged);
            }
            if progress.tried >= self.max_iterations {
                break (into, out, Stop::MaxIterations);
            }
            pivot = pivot.with_points(next, mu.dim());
            before = Some((into, out));
        };
        // Whoever stopped it does not wait for the axes of a large space.
        let is_brief = stop == Stop::Interrupted && mu.dim() > MAX_BRIEF_DIM;
        let axis = if is_brief { Direction::axis(mu.dim(), 0)? } else { principal_axes(&mu, &nu)?.get(0) };
        let (coupling, glue) =
            glue(into.plan()?, out.plan()?, self.glue, &axis.project(&mu)?, &axis.project(&nu)?);
        Ok(Factorization {
            cost: coupling.cost(&mu, &nu, &SqEuclidean)?,
            factored: progress.best,
            pivot,
            source_to_pivot: into.into_plan()?,
            pivot_to_target: out.into_plan()?,
            coupling,
            glue,
            iterations: progress.tried,
            stop,
        })
    }

    fn pivot_points(&self, sizes: Sizes) -> usize {
        self.points.unwrap_or(USUAL_PIVOT_POINTS.min(sizes.n).min(sizes.m))
    }
}

/// Points drawn from both clouds, each moved with the mean of its cloud to the middle between the two means: the distance
/// between the clouds then says nothing about where mass passes.
fn first_pivot(mu: &Measure, nu: &Measure, count: usize, seed: u64) -> Result<Measure<'static, f64>> {
    let means = [mu.mean(), nu.mean()];
    let mut pool: Vec<(usize, usize)> = Vec::with_capacity(mu.len() + nu.len());
    for (side, measure) in [mu, nu].into_iter().enumerate() {
        pool.extend((0..measure.len()).filter(|&i| measure.weight(i) > 0.0).map(|i| (side, i)));
    }
    let mut random = Gaussians::new(seed, 0);
    for k in 0..pool.len().min(count) {
        let other = k + (random.uniform() * (pool.len() - k) as f64) as usize;
        let last = pool.len() - 1;
        pool.swap(k, other.min(last));
    }
    // More points than there are to draw from: some are taken again.
    let drawn = pool.iter().cycle().take(count);
    let points = drawn.flat_map(|&(side, i)| {
        let point = [mu, nu][side].point(i);
        let centre = point.iter().zip(&means[side]).zip(means[0].iter().zip(&means[1]));
        centre.map(|((x, mean), (m, n))| x - mean + 0.5 * (m + n)).collect::<Vec<f64>>()
    });
    Measure::from_vec(points.collect(), mu.dim())
}

/// Where the points of the pivot should be: between the means of what arrives and of what leaves.
fn middle(pivot: &Measure, into: &Coupling, mu: &Measure, out: &Coupling, nu: &Measure) -> Result<Vec<f64>> {
    let arriving = into.inverse().barycentric_map(pivot, mu)?;
    let leaving = out.barycentric_map(pivot, nu)?;
    Ok(arriving.iter().zip(&leaving).map(|(x, y)| 0.5 * (x + y)).collect())
}
