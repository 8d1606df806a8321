//! Nearest neighbours, exactly, in any dimension.

mod near;

use std::collections::BinaryHeap;

use ndarray::Array2;
use pulp::Arch;

use near::Near;

use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, same_space};
use crate::par::{Parallelism, Workers};
use crate::scalar::Scalar;

/// Points of a leaf, and queries that look together.
const LEAF: usize = 16;
/// Leaves of queries that one task answers.
const RUN: usize = 8;
/// Leaves of a subtree that one task arranges.
const TASK: usize = 256;
/// Neighbours up to this many are kept in order.
const FEW: usize = 32;
/// Coordinates that are added up before asking whether the rest can still matter.
const STRETCH: usize = 32;

/// The nearest points of every query, nearest first; of points at one distance, those of lower index first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Neighbors {
    /// Index of each neighbour, one row per query.
    pub indices: Array2<u32>,
    /// Squared distance to each neighbour, one row per query.
    pub squares: Array2<f64>,
}

/// The `k` nearest points of every query, by a k-d tree; weights do not matter.
///
/// Exact, ties included: what a look at all points would give, to the bit, for any number of threads.
/// `O((n + q) log n)` time or so in low dimension, and never much more than the `O(n q d)` of looking at all points.
/// `O((n + q) d + q k)` memory.
///
/// ```
/// use swgg::{Measure, Parallelism, nearest};
/// let points = Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 3.0], 2)?;
/// let queries = Measure::from_slice(&[0.0, 1.0, 3.0, 0.0], 2)?;
/// let found = nearest(&points, &queries, 2, Parallelism::Auto)?;
/// assert_eq!(found.indices.row(0).to_vec(), [0, 2]);
/// assert_eq!(found.squares.row(1).to_vec(), [1.0, 9.0]);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn nearest<T: Scalar>(
    points: &Measure<T>,
    queries: &Measure<T>,
    k: usize,
    parallelism: Parallelism,
) -> Result<Neighbors> {
    same_space(points, queries)?;
    PointTree::new(points, parallelism)?.nearest(queries, k, parallelism)
}

/// Points that are asked for their nearest neighbours again and again; see [`nearest`] for one time.
///
/// ```
/// use swgg::{Measure, Parallelism, PointTree};
/// let tree = PointTree::new(&Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 3.0], 2)?, Parallelism::Auto)?;
/// let found = tree.nearest(&Measure::from_slice(&[0.0, 1.0], 2)?, 1, Parallelism::Serial)?;
/// assert_eq!((found.indices[[0, 0]], found.squares[[0, 0]]), (0, 1.0));
/// # Ok::<(), swgg::Error>(())
/// ```
pub struct PointTree(Tree);

impl PointTree {
    /// Arranges a copy of the points; weights do not matter.
    pub fn new<T: Scalar>(points: &Measure<T>, parallelism: Parallelism) -> Result<Self> {
        Ok(PointTree(Tree::new(points, &Workers::new(parallelism)?)))
    }

    /// Number of points.
    #[expect(clippy::len_without_is_empty, reason = "a measure has points")]
    pub fn len(&self) -> usize {
        self.0.leaves.order.len()
    }

    /// The points in an order in which neighbours in space are neighbours in memory, by index.
    pub fn order(&self) -> &[u32] {
        &self.0.leaves.order
    }

    /// The tree of the points put in its [`order`](PointTree::order), which comes with it: points are known by their places in it.
    pub fn in_order(mut self) -> (Self, Vec<u32>) {
        let n = self.len() as u32;
        let order = std::mem::replace(&mut self.0.leaves.order, (0..n).collect());
        for node in (0..self.0.nodes.len()).rev() {
            let Node { next, is_leaf, .. } = self.0.nodes[node];
            self.0.nodes[node].first =
                if is_leaf { (next * LEAF) as u32 } else { self.0.nodes[node + 1].first };
        }
        (self, order)
    }

    /// The `k` nearest points of every query, by index of the points the tree was made of.
    pub fn nearest<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        self.search(queries, k, parallelism, true)
    }

    /// [`nearest`](PointTree::nearest) of queries that are in a good [`order`](PointTree::order) already, as those of a
    /// cloud that moves are: the same answer, sooner.
    pub fn nearest_in_order<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        parallelism: Parallelism,
    ) -> Result<Neighbors> {
        self.search(queries, k, parallelism, false)
    }

    fn search<T: Scalar>(
        &self,
        queries: &Measure<T>,
        k: usize,
        parallelism: Parallelism,
        arranged: bool,
    ) -> Result<Neighbors> {
        let tree = &self.0;
        if queries.dim() != tree.leaves.dim {
            let (source_dim, target_dim) = (queries.dim(), tree.leaves.dim);
            return Err(ErrorKind::DimensionMismatch { source_dim, target_dim }.into());
        }
        if k == 0 || k > self.len() {
            let expected = "give at least 1 and at most the number of points";
            return Err(ErrorKind::BadSetting { name: "k", value: k as f64, expected }.into());
        }
        let workers = Workers::new(parallelism)?;
        let asking = if arranged { Leaves::new(queries, &workers) } else { Leaves::as_they_are(queries) };
        let arch = Arch::new();
        let tasks = asking.count().div_ceil(RUN);
        let parts: Vec<Vec<Near>> = workers.map(tasks, |task| {
            let mut found = Vec::new();
            let mut search = Search::new(tree, k);
            for leaf in task * RUN..asking.count().min((task + 1) * RUN) {
                arch.dispatch(
                    #[inline(always)]
                    || search.look(asking.leaf(leaf), asking.members(leaf).len()),
                );
                search.take(&mut found);
            }
            found
        });
        let mut indices = Array2::zeros((queries.len(), k));
        let mut squares = Array2::zeros((queries.len(), k));
        let found = parts.iter().flat_map(|part| part.chunks_exact(k));
        for (&query, found) in asking.order.iter().zip(found) {
            for (rank, near) in found.iter().enumerate() {
                indices[[query as usize, rank]] = near.index;
                squares[[query as usize, rank]] = near.square;
            }
        }
        Ok(Neighbors { indices, squares })
    }
}

/// Points in an order in which neighbours in space are neighbours in memory.
struct Leaves {
    dim: usize,
    /// The index each point was given with.
    order: Vec<u32>,
    /// Leaf by leaf, a coordinate of all its points at a time; a last leaf that is not full repeats its last point.
    columns: Vec<[f64; LEAF]>,
}

impl Leaves {
    fn new<T: Scalar>(measure: &Measure<T>, workers: &Workers) -> Self {
        let mut order: Vec<u32> = (0..measure.len() as u32).collect();
        workers.install(|| arrange(measure, &mut order, workers));
        Leaves::in_order(measure, order)
    }

    fn as_they_are<T: Scalar>(measure: &Measure<T>) -> Self {
        Leaves::in_order(measure, (0..measure.len() as u32).collect())
    }

    fn in_order<T: Scalar>(measure: &Measure<T>, order: Vec<u32>) -> Self {
        let dim = measure.dim();
        let mut columns = Vec::with_capacity(order.len().div_ceil(LEAF) * dim);
        for members in order.chunks(LEAF) {
            columns.extend((0..dim).map(|c| -> [f64; LEAF] {
                let point = |lane: usize| measure.point(members[lane.min(members.len() - 1)] as usize);
                std::array::from_fn(|lane| point(lane)[c].to_f64())
            }));
        }
        Leaves { dim, order, columns }
    }

    fn count(&self) -> usize {
        self.order.len().div_ceil(LEAF)
    }

    #[inline(always)]
    fn leaf(&self, leaf: usize) -> &[[f64; LEAF]] {
        &self.columns[leaf * self.dim..(leaf + 1) * self.dim]
    }

    #[inline(always)]
    fn members(&self, leaf: usize) -> &[u32] {
        &self.order[leaf * LEAF..self.order.len().min((leaf + 1) * LEAF)]
    }
}

/// Cuts points in the middle of their leaves across their longest side, again and again.
fn arrange<T: Scalar>(measure: &Measure<T>, order: &mut [u32], workers: &Workers) {
    let leaves = order.len().div_ceil(LEAF);
    if leaves <= 1 {
        return;
    }
    let at = |i: u32, c: usize| measure.point(i as usize)[c].to_f64();
    let first: Vec<f64> = measure.point(order[0] as usize).iter().map(|x| x.to_f64()).collect();
    let (mut low, mut high) = (first.clone(), first);
    for &i in order.iter() {
        for (c, x) in measure.point(i as usize).iter().enumerate() {
            low[c] = low[c].min(x.to_f64());
            high[c] = high[c].max(x.to_f64());
        }
    }
    let side = |c: usize| high[c] - low[c];
    let longest = (1..measure.dim()).fold(0, |best, c| if side(c) > side(best) { c } else { best });
    let middle = leaves.div_ceil(2) * LEAF;
    let mut keys: Vec<(f64, u32)> = order.iter().map(|&i| (at(i, longest), i)).collect();
    keys.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.iter_mut().zip(&keys).for_each(|(i, key)| *i = key.1);
    drop(keys);
    let (left, right) = order.split_at_mut(middle);
    if leaves > TASK {
        workers.join(|| arrange(measure, left, workers), || arrange(measure, right, workers));
    } else {
        arrange(measure, left, workers);
        arrange(measure, right, workers);
    }
}

/// Boxes within boxes around the leaves.
struct Tree {
    leaves: Leaves,
    /// Parents before children, left before right: the left child of a node comes right after it.
    nodes: Vec<Node>,
    /// Lowest and highest of each coordinate, node by node.
    boxes: Vec<[f64; 2]>,
}

#[derive(Clone, Copy)]
struct Node {
    /// The leaf, or the number of the right child.
    next: usize,
    is_leaf: bool,
    /// Lowest index of a point inside: decides among points at one distance.
    first: u32,
}

impl Tree {
    fn new<T: Scalar>(measure: &Measure<T>, workers: &Workers) -> Self {
        let leaves = Leaves::new(measure, workers);
        let count = leaves.count();
        let mut tree = Tree { leaves, nodes: Vec::with_capacity(2 * count), boxes: Vec::new() };
        tree.boxes.reserve(2 * count * measure.dim());
        tree.grow(0, count);
        tree
    }

    /// The node of the leaves from `first` to before `last`, and everything below it.
    fn grow(&mut self, first: usize, last: usize) -> usize {
        let (node, dim) = (self.nodes.len(), self.leaves.dim);
        if last - first == 1 {
            let lowest = self.leaves.members(first).iter().copied().fold(u32::MAX, u32::min);
            self.nodes.push(Node { next: first, is_leaf: true, first: lowest });
            let extent = |column: &[f64; LEAF]| {
                column
                    .iter()
                    .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)])
            };
            self.boxes.extend(self.leaves.leaf(first).iter().map(extent));
            return node;
        }
        self.nodes.push(Node { next: 0, is_leaf: false, first: 0 });
        self.boxes.resize((node + 1) * dim, [0.0; 2]);
        let middle = first + (last - first).div_ceil(2);
        let (left, right) = (self.grow(first, middle), self.grow(middle, last));
        let lowest = self.nodes[left].first.min(self.nodes[right].first);
        self.nodes[node] = Node { next: right, is_leaf: false, first: lowest };
        for c in 0..dim {
            let ([low, high], [other_low, other_high]) =
                (self.boxes[left * dim + c], self.boxes[right * dim + c]);
            self.boxes[node * dim + c] = [low.min(other_low), high.max(other_high)];
        }
        node
    }

    /// No point of the node is nearer than this to each of the queries. Rounding keeps order, and coordinates are
    /// added up in the order of [`Search::scan`], so this holds to the last bit.
    #[inline(always)]
    fn least(&self, node: usize, asking: &[[f64; LEAF]]) -> [f64; LEAF] {
        let dim = self.leaves.dim;
        let mut sums = [0.0; LEAF];
        for ([low, high], asking) in self.boxes[node * dim..(node + 1) * dim].iter().zip(asking) {
            for (sum, x) in sums.iter_mut().zip(asking) {
                let (below, above) = (low - x, x - high);
                let gap = if below > above { below } else { above };
                let gap = if gap > 0.0 { gap } else { 0.0 };
                *sum += gap * gap;
            }
        }
        sums
    }
}

/// The neighbours of the queries of one leaf: they look at the same nodes.
struct Search<'a> {
    tree: &'a Tree,
    k: usize,
    /// Nodes still to look at.
    stack: Vec<(usize, [f64; LEAF])>,
    /// The best so far: if they are few in order, else the farthest on top.
    few: [Vec<Near>; LEAF],
    found: [BinaryHeap<Near>; LEAF],
    /// What a point must beat.
    worst: [Near; LEAF],
    lanes: usize,
}

impl<'a> Search<'a> {
    fn new(tree: &'a Tree, k: usize) -> Self {
        let worst = [Near { square: 0.0, index: 0 }; LEAF];
        Search {
            tree,
            k,
            stack: Vec::new(),
            few: Default::default(),
            found: Default::default(),
            worst,
            lanes: 0,
        }
    }

    #[inline(always)]
    fn look(&mut self, asking: &[[f64; LEAF]], lanes: usize) {
        self.lanes = lanes;
        for lane in 0..LEAF {
            // What fills the last leaf up looks for nothing.
            let square = if lane < lanes { f64::INFINITY } else { f64::NEG_INFINITY };
            self.worst[lane] = Near { square, index: u32::MAX };
        }
        self.stack.push((0, [0.0; LEAF]));
        while let Some((mut node, mut least)) = self.stack.pop() {
            loop {
                let Node { next, is_leaf, first } = self.tree.nodes[node];
                if !self.may_find(&least, first) {
                    break;
                }
                if is_leaf {
                    self.scan(asking, next, &least, first);
                    break;
                }
                let (left, right) = (self.tree.least(node + 1, asking), self.tree.least(next, asking));
                let sum = |least: &[f64; LEAF]| least[..lanes].iter().sum::<f64>();
                // The more promising half first.
                if sum(&right) < sum(&left) {
                    self.stack.push((node + 1, left));
                    (node, least) = (next, right);
                } else {
                    self.stack.push((next, right));
                    (node, least) = (node + 1, left);
                }
            }
        }
    }

    /// Whether one of the queries may find something in a node.
    #[inline(always)]
    fn may_find(&self, least: &[f64; LEAF], first: u32) -> bool {
        // No early end: all lanes at once are faster.
        least.iter().zip(&self.worst).fold(false, |may, (least, worst)| may | worst.yields_to(*least, first))
    }

    #[inline(always)]
    fn scan(&mut self, asking: &[[f64; LEAF]], leaf: usize, least: &[f64; LEAF], first: u32) {
        let (columns, members) = (self.tree.leaves.leaf(leaf), self.tree.leaves.members(leaf));
        for lane in 0..self.lanes {
            if !self.worst[lane].yields_to(least[lane], first) {
                continue;
            }
            let mut sums = [0.0; LEAF];
            for (columns, asking) in columns.chunks(STRETCH).zip(asking.chunks(STRETCH)) {
                for (column, asking) in columns.iter().zip(asking) {
                    let x = asking[lane];
                    for (sum, y) in sums.iter_mut().zip(column) {
                        let gap = x - y;
                        *sum += gap * gap;
                    }
                }
                // Sums only grow.
                let far = self.worst[lane].square;
                if sums.iter().fold(true, |all, sum| all & (*sum > far)) {
                    break;
                }
            }
            for (&index, &square) in members.iter().zip(&sums) {
                if self.worst[lane].yields_to(square, index) {
                    self.keep(lane, Near { square, index });
                }
            }
        }
    }

    #[inline(always)]
    fn keep(&mut self, lane: usize, near: Near) {
        if self.k == 1 {
            // The one to beat is the one that was found.
            self.worst[lane] = near;
            return;
        }
        if self.k <= FEW {
            let few = &mut self.few[lane];
            if few.len() < self.k {
                few.push(near);
            }
            let mut place = few.len() - 1;
            while place > 0 && near.is_before(&few[place - 1]) {
                few[place] = few[place - 1];
                place -= 1;
            }
            few[place] = near;
            if few.len() == self.k {
                self.worst[lane] = few[self.k - 1];
            }
            return;
        }
        let found = &mut self.found[lane];
        if found.len() == self.k {
            found.pop();
        }
        found.push(near);
        if found.len() == self.k
            && let Some(worst) = found.peek()
        {
            self.worst[lane] = *worst;
        }
    }

    /// Hands the neighbours of all queries over, nearest first.
    fn take(&mut self, all: &mut Vec<Near>) {
        if self.k == 1 {
            all.extend_from_slice(&self.worst[..self.lanes]);
            return;
        }
        if self.k <= FEW {
            self.few[..self.lanes].iter_mut().for_each(|few| all.append(few));
            return;
        }
        for found in &mut self.found[..self.lanes] {
            all.extend(std::mem::take(found).into_sorted_vec());
        }
    }
}

#[cfg(test)]
mod tests;
