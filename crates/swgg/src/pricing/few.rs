//! The few cheapest targets of each source.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::kernel::Kernel;
use super::priced::{LeafVisitor, MAX_TREE_DEPTH, PricedTree};
use super::tree::{KdTree, Lanes, POINTS_PER_LEAF, Span};
use crate::run::workers::Workers;

/// Sources that one task answers.
const SOURCES_PER_TASK: usize = 16 * POINTS_PER_LEAF;
/// Neighbours, at least, that look together: fewer are quicker one by one.
const MIN_GROUP: usize = 4;

/// The cheapest targets of some sources, in no order, with what moving there costs.
pub(crate) struct Few {
    /// Targets per source.
    pub count: usize,
    /// `count` targets of each source in turn.
    pub targets: Vec<u32>,
    /// What each of them costs, prices left aside.
    pub costs: Vec<f64>,
    /// What any other target costs a source at least, less its price.
    pub beyond: Vec<f64>,
}

impl Few {
    pub fn new(count: usize) -> Self {
        Few { count, targets: Vec::new(), costs: Vec::new(), beyond: Vec::new() }
    }

    /// Nothing is known of these many sources: anything may be cheaper. For threads that are told to stop.
    pub fn unknown(count: usize, sources: usize) -> Self {
        Few {
            count,
            targets: vec![0; count * sources],
            costs: vec![0.0; count * sources],
            beyond: vec![f64::NEG_INFINITY; sources],
        }
    }

    /// One after the other.
    pub fn joined(count: usize, parts: Vec<Few>) -> Self {
        let mut all = Few::new(count);
        for part in parts {
            all.targets.extend(part.targets);
            all.costs.extend(part.costs);
            all.beyond.extend(part.beyond);
        }
        all
    }
}

impl<const D: usize, K: Kernel<D>> PricedTree<'_, D, K> {
    /// The `count` cheapest targets of the sources that are asked about, all in the order of the trees, and what so many targets are known
    /// to cost less than. The prices may have fallen since the tree was priced, never risen.
    pub fn few(
        &self,
        asking: &KdTree<D>,
        (asked, below): (&[u32], &[f64]),
        count: usize,
        prices: &[f64],
        workers: &Workers,
    ) -> Few {
        let count = count.min(self.tree.points().len());
        let arch = Arch::new();
        let part = |range: Range<usize>| {
            let (asked, below) = (&asked[range.clone()], below.get(range));
            if workers.is_halted() {
                return Few::unknown(count, asked.len());
            }
            arch.dispatch(FewQueries { priced: self, asking, asked, below, count, prices })
        };
        if asked.len() <= SOURCES_PER_TASK {
            return part(0..asked.len());
        }
        let task = |k: usize| k * SOURCES_PER_TASK..asked.len().min((k + 1) * SOURCES_PER_TASK);
        Few::joined(count, workers.map(asked.len().div_ceil(SOURCES_PER_TASK), |k| part(task(k))))
    }

    /// For a source that has no neighbours to look together with.
    #[inline(always)]
    fn few_of_one(&self, point: &[f64; D], lane: usize, found: &mut Lowest<'_, K>) {
        let root = Span::whole(self.tree.leaf_count());
        let mut stack = [(root, f64::NEG_INFINITY); MAX_TREE_DEPTH];
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (span, least) = stack[height];
            if least >= found.worst[lane] {
                continue;
            }
            if span.leaves() == 1 {
                found.visit(self.tree, span.first, lane, point);
                continue;
            }
            let [left, right] = span.children();
            let least = |span: Span| self.kernel.least_of_one(&self.nodes[span.node], point);
            let (first, second) = (least(left), least(right));
            let halves = [(left, first), (right, second)];
            let upper = usize::from(halves[1].1 < halves[0].1);
            for half in [halves[1 - upper], halves[upper]] {
                if half.1 < found.worst[lane] {
                    stack[height] = half;
                    height += 1;
                }
            }
        }
    }
}

/// A run of sources, as a kernel of its own: a closure that could be called twice would not be compiled for the wide
/// instructions.
struct FewQueries<'a, const D: usize, K: Kernel<D>> {
    priced: &'a PricedTree<'a, D, K>,
    asking: &'a KdTree<D>,
    asked: &'a [u32],
    below: Option<&'a [f64]>,
    count: usize,
    prices: &'a [f64],
}

impl<const D: usize, K: Kernel<D>> WithSimd for FewQueries<'_, D, K> {
    type Output = Few;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Few {
        let FewQueries { priced, asking, asked, below, count, prices } = self;
        let mut found = Few::new(count);
        found.targets.reserve(asked.len() * count);
        found.costs.reserve(asked.len() * count);
        let mut best = Lowest::new(priced.kernel, count, prices);
        let mut rest = asked;
        while let Some(&first) = rest.first() {
            let near = |&&i: &&u32| (i as usize) < first as usize + POINTS_PER_LEAF;
            let group = &rest[..rest.iter().take(POINTS_PER_LEAF).take_while(near).count()];
            let done = asked.len() - rest.len();
            rest = &rest[group.len()..];
            let member = |lane: usize| group[lane.min(group.len() - 1)] as usize;
            let points =
                std::array::from_fn(|c| std::array::from_fn(|lane| asking.points()[member(lane)][c]));
            let mut below = below.map(|below| &below[done..done + group.len()]);
            loop {
                best.begin(group.len(), below);
                if group.len() < MIN_GROUP {
                    for (lane, &i) in group.iter().enumerate() {
                        priced.few_of_one(&asking.points()[i as usize], lane, &mut best);
                    }
                } else {
                    priced.descend(&points, &mut best);
                }
                // What was known may be wrong for rounding: then as if nothing were known.
                if below.is_none() || best.is_full(group.len()) {
                    break;
                }
                below = None;
            }
            for (lane, &i) in group.iter().enumerate() {
                let chosen = &best.targets[lane * count..(lane + 1) * count];
                found.targets.extend_from_slice(chosen);
                let x = &asking.points()[i as usize];
                let cost = |&j: &u32| priced.kernel.between(x, &priced.tree.points()[j as usize]);
                found.costs.extend(chosen.iter().map(cost));
                let everything = count == priced.tree.points().len();
                found.beyond.push(if everything { f64::INFINITY } else { best.worst[lane] });
            }
        }
        found
    }
}

/// The lowest values so far, of the sources of a group.
struct Lowest<'a, K> {
    kernel: K,
    /// In the order of the tree.
    prices: &'a [f64],
    count: usize,
    values: Vec<f64>,
    targets: Vec<u32>,
    /// The largest of the values of each source, and where it is.
    worst: Lanes,
    worst_at: [u32; POINTS_PER_LEAF],
    /// What dearer targets are not looked for.
    below: Lanes,
}

impl<'a, K> Lowest<'a, K> {
    fn new(kernel: K, count: usize, prices: &'a [f64]) -> Self {
        Lowest {
            kernel,
            prices,
            count,
            values: vec![f64::INFINITY; count * POINTS_PER_LEAF],
            targets: vec![0; count * POINTS_PER_LEAF],
            worst: [f64::INFINITY; POINTS_PER_LEAF],
            worst_at: [0; POINTS_PER_LEAF],
            below: [f64::INFINITY; POINTS_PER_LEAF],
        }
    }

    /// Lanes beyond the first few ask for nothing.
    fn begin(&mut self, lanes: usize, below: Option<&[f64]>) {
        self.values[..lanes * self.count].fill(f64::INFINITY);
        self.worst_at.fill(0);
        self.worst = [f64::NEG_INFINITY; POINTS_PER_LEAF];
        self.below = [f64::INFINITY; POINTS_PER_LEAF];
        if let Some(below) = below {
            self.below[..lanes].copy_from_slice(below);
        }
        self.worst[..lanes].copy_from_slice(&self.below[..lanes]);
    }

    /// Whether there are as many targets as were asked for.
    fn is_full(&self, lanes: usize) -> bool {
        self.values[..lanes * self.count].iter().all(|value| value.is_finite())
    }

    #[inline(always)]
    fn insert(&mut self, lane: usize, value: f64, target: u32) {
        let first = lane * self.count;
        let at = first + self.worst_at[lane] as usize;
        self.values[at] = value;
        self.targets[at] = target;
        let values = &self.values[first..first + self.count];
        let worst = values.iter().fold(f64::NEG_INFINITY, |most, v| if *v > most { *v } else { most });
        self.worst[lane] = worst.min(self.below[lane]);
        self.worst_at[lane] = values.iter().position(|v| *v == worst).unwrap_or(0) as u32;
    }
}

impl<const D: usize, K: Kernel<D>> LeafVisitor<D> for Lowest<'_, K> {
    #[inline(always)]
    fn worst(&self) -> &Lanes {
        &self.worst
    }

    #[inline(always)]
    fn visit(&mut self, tree: &KdTree<D>, leaf: usize, lane: usize, point: &[f64; D]) {
        let first = leaf * POINTS_PER_LEAF;
        // What fills the last leaf up is never chosen.
        let prices: Lanes = match self.prices[first..].first_chunk() {
            Some(whole) => *whole,
            None => std::array::from_fn(|lane| {
                self.prices.get(first + lane).copied().unwrap_or(f64::NEG_INFINITY)
            }),
        };
        let (sums, least) = tree.less_prices(self.kernel, leaf, point, &prices);
        if least < self.worst[lane] {
            for (other, &sum) in sums.iter().enumerate() {
                if sum < self.worst[lane] {
                    self.insert(lane, sum, (first + other) as u32);
                }
            }
        }
    }
}
