//! Points in leaves, and boxes around them.

use super::POINTS_PER_LEAF;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

/// Leaves of a subtree that one task arranges.
const LEAVES_PER_BUILD_TASK: usize = 256;

/// Points in an order in which neighbours in space are neighbours in memory.
pub(super) struct Leaves {
    pub dim: usize,
    /// The index each point was given with.
    pub order: Vec<u32>,
    /// Leaf by leaf, a coordinate of all its points at a time; a last leaf that is not full repeats its last point.
    columns: Vec<[f64; POINTS_PER_LEAF]>,
}

impl Leaves {
    pub fn new<T: Scalar>(measure: &Measure<T>, workers: &Workers) -> Self {
        let mut order: Vec<u32> = (0..measure.len() as u32).collect();
        workers.install(|| arrange(measure, &mut order, workers));
        Leaves::in_order(measure, order)
    }

    pub fn as_they_are<T: Scalar>(measure: &Measure<T>) -> Self {
        Leaves::in_order(measure, (0..measure.len() as u32).collect())
    }

    fn in_order<T: Scalar>(measure: &Measure<T>, order: Vec<u32>) -> Self {
        let dim = measure.dim();
        let mut columns = Vec::with_capacity(order.len().div_ceil(POINTS_PER_LEAF) * dim);
        for members in order.chunks(POINTS_PER_LEAF) {
            columns.extend((0..dim).map(|c| -> [f64; POINTS_PER_LEAF] {
                let point = |lane: usize| measure.point(members[lane.min(members.len() - 1)] as usize);
                std::array::from_fn(|lane| point(lane)[c].to_f64())
            }));
        }
        Leaves { dim, order, columns }
    }

    pub fn count(&self) -> usize {
        self.order.len().div_ceil(POINTS_PER_LEAF)
    }

    /// Where each point is in the order.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.order.len()];
        self.order.iter().enumerate().for_each(|(place, &i)| places[i as usize] = place as u32);
        places
    }

    /// Squared distance of the point at a place, its coordinates added up in the order of the search.
    pub fn square<T: Scalar>(&self, place: u32, query: &[T]) -> f64 {
        let (leaf, lane) = (place as usize / POINTS_PER_LEAF, place as usize % POINTS_PER_LEAF);
        self.leaf(leaf).iter().zip(query).fold(0.0, |sum, (column, x)| {
            let gap = x.to_f64() - column[lane];
            sum + gap * gap
        })
    }

    #[inline(always)]
    pub fn leaf(&self, leaf: usize) -> &[[f64; POINTS_PER_LEAF]] {
        &self.columns[leaf * self.dim..(leaf + 1) * self.dim]
    }

    #[inline(always)]
    pub fn members(&self, leaf: usize) -> &[u32] {
        &self.order[leaf * POINTS_PER_LEAF..self.order.len().min((leaf + 1) * POINTS_PER_LEAF)]
    }
}

/// Cuts points in the middle of their leaves across their longest side, again and again.
fn arrange<T: Scalar>(measure: &Measure<T>, order: &mut [u32], workers: &Workers) {
    let leaves = order.len().div_ceil(POINTS_PER_LEAF);
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
    let middle = leaves.div_ceil(2) * POINTS_PER_LEAF;
    let mut keys: Vec<(f64, u32)> = order.iter().map(|&i| (at(i, longest), i)).collect();
    keys.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.iter_mut().zip(&keys).for_each(|(i, key)| *i = key.1);
    drop(keys);
    let (left, right) = order.split_at_mut(middle);
    if leaves > LEAVES_PER_BUILD_TASK {
        workers.join(|| arrange(measure, left, workers), || arrange(measure, right, workers));
    } else {
        arrange(measure, left, workers);
        arrange(measure, right, workers);
    }
}

/// Boxes within boxes around the leaves.
pub(super) struct KdTree {
    pub leaves: Leaves,
    /// Parents before children, left before right: the left child of a node comes right after it.
    pub nodes: Vec<Node>,
    /// Lowest and highest of each coordinate, node by node.
    boxes: Vec<[f64; 2]>,
}

#[derive(Clone, Copy)]
pub(super) struct Node {
    /// The leaf, or the number of the right child.
    pub next: usize,
    pub is_leaf: bool,
    /// Lowest index of a point inside: decides among points at one distance.
    pub first: u32,
}

impl KdTree {
    pub fn new<T: Scalar>(measure: &Measure<T>, workers: &Workers) -> Self {
        let leaves = Leaves::new(measure, workers);
        let count = leaves.count();
        let mut tree = KdTree { leaves, nodes: Vec::with_capacity(2 * count), boxes: Vec::new() };
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
            let extent = |column: &[f64; POINTS_PER_LEAF]| {
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
    /// added up in the order of the search, so this holds to the last bit.
    #[inline(always)]
    pub fn least(&self, node: usize, asking: &[[f64; POINTS_PER_LEAF]]) -> [f64; POINTS_PER_LEAF] {
        let dim = self.leaves.dim;
        let mut sums = [0.0; POINTS_PER_LEAF];
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
