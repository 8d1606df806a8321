//! The best matching so far, and the steps that make it better.

use rayon::prelude::*;

use super::axis::common_direction;
use super::clouds::UniformClouds;
use super::exchange::exchange;
use super::lines::along;
use super::merge::Matching;
use super::refine::Pass;
use super::tree::{CellTree, stream};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::run::workers::Workers;

/// Clouds up to this size grow several trees at a time; larger ones have work for all threads within a tree.
const MAX_POINTS_FOR_TREE_BATCHES: usize = 1 << 16;
/// Trees that such clouds grow at a time.
const TREES_PER_BATCH: usize = 4;

/// Pairs in a block of refinement.
const PAIRS_PER_BLOCK: usize = 64;
/// Lines that pairs are ordered along after a merge.
const LINES_PER_EXCHANGE: usize = 3;
/// Passes whose blocks are dealt from large groups of pairs.
const COARSE_PASSES: u32 = 3;
/// By how many halvings the groups of each coarse pass are smaller than those of the one before.
const HALVINGS_PER_COARSE_PASS: u32 = 3;

/// Two uniform clouds of one size and a matching between them that only ever gets cheaper.
///
/// The points are kept in the order of a first tree, in which neighbours in space are neighbours in memory.
pub(crate) struct Engine<T> {
    x: Vec<T>,
    y: Vec<T>,
    dim: usize,
    unit: f64,
    /// The caller's indices of the points, by position.
    sources: Vec<u32>,
    targets: Vec<u32>,
    best: Matching,
    cost: f64,
    /// The trees of the group at hand, merged.
    group: Option<Matching>,
    seed: u64,
    forks: bool,
    trees: usize,
    passes: usize,
    /// The spreads of the coarse passes to come, last one first.
    coarse: Vec<u32>,
    /// Whether trees were merged since the last pass.
    fresh: bool,
    /// Every tree by itself, in the caller's order, if they are kept.
    kept: Option<Vec<Coupling>>,
}

impl<T: Scalar> Engine<T> {
    /// Begins with one tree.
    pub fn new(source: &Measure<T>, target: &Measure<T>, seed: u64, workers: &Workers) -> Self {
        let dim = source.dim();
        let clouds = UniformClouds::new(source.points(), target.points(), dim);
        let forks = workers.count() > 1;
        let [sources, targets] = workers.install(|| CellTree { clouds, seed, number: 0, forks }.grow());
        let unit = clouds.unit;
        let (x, y) = (clouds.x.gathered(&sources), clouds.y.gathered(&targets));
        let best = Matching::new((0..sources.len() as u32).collect());
        let whole = sources.len().div_ceil(PAIRS_PER_BLOCK).next_power_of_two().ilog2();
        let coarse = (0..COARSE_PASSES)
            .rev()
            .map(|k| whole.saturating_sub(k * HALVINGS_PER_COARSE_PASS))
            .filter(|&s| s > 0)
            .collect();
        let mut engine = Engine {
            x,
            y,
            dim,
            unit,
            sources,
            targets,
            best,
            cost: 0.0,
            group: None,
            seed,
            forks,
            trees: 1,
            passes: 0,
            coarse,
            fresh: true,
            kept: None,
        };
        engine.cost = engine.clouds().cost(&engine.best.target_of);
        // Between a cloud and a shifted or scaled copy of it the plan of any line is optimal; that of a tree need not be.
        let line = Matching::new(along(
            [&engine.x, &engine.y],
            common_direction(dim, &mut stream(seed, 0, 0)).0.as_slice(),
        ));
        let mut best = engine.best.clone();
        best.merge(&line, &engine.clouds());
        engine.settle(best);
        engine
    }

    fn clouds(&self) -> UniformClouds<'_, T> {
        UniformClouds::with_unit(&self.x, &self.y, self.dim, self.unit)
    }

    /// Cost of the best matching.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Keeps every tree by itself from now on, and the first one.
    pub fn keep_trees(&mut self) {
        // Points are in the order of the first tree, which therefore pairs equal positions.
        let first: Vec<u32> = (0..self.sources.len() as u32).collect();
        self.kept = Some(vec![self.outward(&first)]);
    }

    /// The trees that were kept.
    pub fn take_trees(&mut self) -> Vec<Coupling> {
        self.kept.take().unwrap_or_default()
    }

    /// Grows trees towards a group: as many as suit the size, at most `most`. Returns how many.
    pub fn grow(&mut self, most: usize, workers: &Workers) -> usize {
        let count = if self.best.target_of.len() <= MAX_POINTS_FOR_TREE_BATCHES {
            most.min(TREES_PER_BATCH)
        } else {
            most.min(1)
        };
        let (clouds, seed, forks) = (self.clouds(), self.seed, self.forks);
        let one = |number: usize| {
            let [s, t] = CellTree { clouds, seed, number, forks }.grow();
            let mut target_of = vec![0; s.len()];
            s.iter().zip(&t).for_each(|(&i, &j)| target_of[i as usize] = j);
            Matching::new(target_of)
        };
        let numbers = self.trees..self.trees + count;
        let grown: Vec<Matching> = workers.install(|| {
            if forks { numbers.into_par_iter().map(one).collect() } else { numbers.map(one).collect() }
        });
        if let Some(mut kept) = self.kept.take() {
            kept.extend(grown.iter().map(|matching| self.outward(&matching.target_of)));
            self.kept = Some(kept);
        }
        let mut group = self.group.take();
        for matching in grown {
            group = Some(match group {
                Some(group) => group.merged(matching, &self.clouds()),
                None => matching,
            });
        }
        self.group = group;
        self.trees += count;
        count
    }

    /// Merges the group into the best matching.
    pub fn merge(&mut self) {
        if let Some(group) = self.group.take() {
            let mut best = std::mem::replace(&mut self.best, Matching::new(Vec::new()));
            best.merge(&group, &self.clouds());
            self.settle(best);
            self.fresh = true;
        }
    }

    /// One pass of refinement; whether it gained anything.
    ///
    /// After the first pass come some whose blocks are dealt from the whole clouds, then from ever smaller parts of them: they move
    /// points over distances that neighbours would pass on a little at a time. Between Gaussians they gain little; where a map tears
    /// a cloud apart they gain most of what there is to gain.
    pub fn refine(&mut self, workers: &Workers) -> bool {
        if std::mem::take(&mut self.fresh) {
            self.exchange(workers);
        }
        let spread = if self.passes == 0 { 0 } else { self.coarse.pop().unwrap_or(0) };
        let pass = Pass {
            clouds: self.clouds(),
            target_of: &self.best.target_of,
            // Other random numbers than those of the trees.
            seed: !self.seed,
            number: self.passes,
            size: PAIRS_PER_BLOCK,
            spread,
            forks: self.forks,
        };
        let (target_of, gain) = workers.install(|| pass.run());
        self.passes += 1;
        if gain > 0.0 {
            self.settle(Matching::new(target_of));
        }
        // A coarse pass that gains nothing says nothing about fine ones.
        gain > 0.0 || spread > 0
    }

    /// Exchanges along some lines: what is still rough after a merge is quickly made better this way.
    fn exchange(&mut self, workers: &Workers) {
        let mut target_of = self.best.target_of.clone();
        workers.install(|| {
            for line in 0..LINES_PER_EXCHANGE {
                // Cells of a pass have paths from 1 on.
                let rng = stream(!self.seed, self.passes * LINES_PER_EXCHANGE + line, 0);
                exchange(&self.clouds(), &mut target_of, rng, self.forks);
            }
        });
        self.settle(Matching::new(target_of));
    }

    /// A matching that costs no more takes the place of the best one.
    fn settle(&mut self, matching: Matching) {
        let cost = self.clouds().cost(&matching.target_of);
        debug_assert!(cost <= self.cost * (1.0 + 1e-9) + f64::MIN_POSITIVE, "{cost} above {}", self.cost);
        self.best = matching;
        self.cost = cost;
    }

    /// The best matching, in the caller's order.
    pub fn coupling(&self) -> Coupling {
        self.outward(&self.best.target_of)
    }

    /// A matching of positions, in the caller's order.
    fn outward(&self, matching: &[u32]) -> Coupling {
        let mut target_of = vec![0; self.sources.len()];
        for (&i, &j) in self.sources.iter().zip(matching) {
            target_of[i as usize] = self.targets[j as usize];
        }
        Coupling::from_targets(target_of)
    }
}
