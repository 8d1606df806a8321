//! Trees as a method of their own.

use super::compiled::{Compiled, run_compiled};
use super::ground::{squared, with_ground};
use super::paid::Paid;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{Bounding, CostIs, Fact, Remark, Transport, counted};
use crate::cost::SqEuclidean;
use crate::ensemble::improve::{BestMatching, Improvable, Schedule, improvable};
use crate::ensemble::sparse;
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, check_pairable, pairable};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::setting::{Setting, Settings};

/// How many trees to grow.
pub const TREES: Setting =
    Setting::count("trees", 0, 1_000_000_000).help("N", "how many trees to grow [default: 16]");

/// Plans that split points are merged so many at a time into the best one.
const PLANS_PER_MERGE: usize = 4;

/// Hierarchical SWGG: plans by trees with a line per cell, merged; nothing is refined.
///
/// A cell holds equally much of both clouds. It is cut across a line, both sides at the same rank (or mass), and so are its parts,
/// until little is left, which is solved exactly. One line for all cells would give SWGG back. Lines are drawn at random, long where
/// the cell is, and seen through the Gaussian map of the cell, so that both sides are cut alike.
///
/// ```
/// use swgg::{Measure, Solver, Trees};
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let plan = Trees { trees: 4 }.solve(&source, &target)?;
/// assert_eq!(plan.cost, 9.0);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trees {
    /// How many trees to grow.
    pub trees: usize,
}

impl Default for Trees {
    fn default() -> Self {
        Trees { trees: 16 }
    }
}

impl Builder for Trees {
    const METHOD: Method = Method {
        settings: &with_ground::<1, 10>([&TREES]),
        is_proved_by_prices: true,
        ..Method::new("tree", "Transport by trees", "Trees with a line per cell, merged; nothing is refined")
    };

    fn build(settings: &Settings) -> Result<Self> {
        Ok(Trees { trees: settings.count(&TREES).unwrap_or(Trees::default().trees) })
    }
}

impl<T: Scalar> Solver<T> for Trees {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, _: Sizes) -> Result<()> {
        if self.trees == 0 { Err(ErrorKind::NoTrees.into()) } else { Ok(()) }
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        Estimate::ensemble(sizes, Estimate::steps_seconds(sizes, self.trees as f64, run), run)
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "trees"
    }

    run_compiled! {
        /// The observer is told about trees, and may stop: then those grown so far are merged.
        Trees
    }
}

impl Compiled for Trees {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        if !question.is_squared() {
            return self.paid(question, run);
        }
        let [source, target] = squared(question, "tree")?;
        let workers = Workers::new(run.parallelism)?;
        let mut improvable = improvable(source, target, run.seed, &workers)?;
        self.grown(&mut *improvable, source, target, run)
    }
}

impl Trees {
    /// The plan of the trees, together with the matching of every tree by itself; the plan costs no more than any of them, and is the
    /// same as without. For uniform clouds of one size only. `O(trees n)` memory.
    ///
    /// ```
    /// use swgg::{Measure, Question, Run, Trees};
    /// use swgg::cost::SqEuclidean;
    /// let points: Vec<f64> = (0..400).map(|k| f64::from(k * k % 101)).collect();
    /// let source = Measure::from_slice(&points[..200], 2)?;
    /// let target = Measure::from_slice(&points[200..], 2)?;
    /// let question = Question::new(&source, &target)?;
    /// let (plan, trees) = Trees { trees: 3 }.run_with_trees(&question, &mut Run::default())?;
    /// assert_eq!(trees.len(), 3);
    /// for tree in trees {
    ///     assert!(plan.cost <= tree.cost(&source, &target, &SqEuclidean)?);
    /// }
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn run_with_trees<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        run: &mut Run<'_>,
    ) -> Result<(Transport, Vec<Coupling>)> {
        Solver::<T>::validate(self, question.sizes())?;
        let [source, target] = squared(question, "tree")?;
        check_pairable(source, target)?;
        let workers = Workers::new(run.parallelism)?;
        let mut matched = BestMatching::new(source, target, run.seed, &workers);
        matched.engine.keep_trees();
        let found = self.grown(&mut matched, source, target, run)?;
        Ok((found, matched.engine.take_trees()))
    }

    /// At another cost than squared distances: trees are grown where these resemble it, and merged at what they cost.
    fn paid<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let paid = Paid::new(question)?;
        let squared = paid.squared()?;
        let (coupling, trees, stop) = if pairable(squared.source(), squared.target()) {
            let (found, mut plans) = self.run_with_trees(&squared, run)?;
            let (trees, stop) = (found.steps, found.stop);
            plans.extend(found.coupling);
            (paid.merged(plans, run)?, trees, stop)
        } else {
            let workers = Workers::new(run.parallelism)?;
            let clouds = sparse::WeightedClouds::new(squared.source(), squared.target(), &workers)?;
            let seed = run.seed;
            let tree = |number: usize| clouds.coupling(&clouds.tree(seed, number as u64));
            let (mut best, mut trees, mut stop) = (tree(0), 1, Stop::AllTried);
            while trees < self.trees {
                let more = PLANS_PER_MERGE.min(self.trees - trees);
                let mut plans = workers.map(more, |k| tree(trees + k));
                plans.push(best);
                best = paid.merged(plans, run)?;
                trees += more;
                let progress = Progress { tried: trees, total: self.trees, best: paid.cost(&best) };
                if run.progress(&progress).is_break() {
                    stop = run.reason(Stop::Interrupted);
                    break;
                }
            }
            (best, trees, stop)
        };
        let cost = paid.cost(&coupling);
        let found = self.told(coupling, cost, (trees, stop), run.seed);
        Ok(Transport { exponent: question.exponent(), ..found })
    }

    fn grown<T: Scalar>(
        &self,
        improvable: &mut dyn Improvable,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let seed = run.seed;
        let mut schedule = Schedule::new(run, None, self.trees);
        schedule.stage(improvable, self.trees - 1, 0);
        let (trees, stop) = (schedule.trees, schedule.stop.unwrap_or(Stop::AllTried));
        let coupling = improvable.coupling();
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        Ok(self.told(coupling, cost, (trees, stop), seed))
    }

    fn told(&self, coupling: Coupling, cost: f64, (trees, stop): (usize, Stop), seed: u64) -> Transport {
        let story = format!("{} merged", counted(trees, "tree"));
        Transport {
            coupling: Some(coupling),
            facts: vec![("trees", Fact::Count(trees))],
            remarks: vec![Remark::new("method", format!("{story}, seed {seed}"))],
            story,
            steps: trees,
            stop,
            bounding: Bounding::Prices,
            ..Transport::new("tree", cost, CostIs::Upper)
        }
    }
}
