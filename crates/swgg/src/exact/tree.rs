//! The basis of the network simplex: a spanning tree of sources and targets, with flows and potentials.

use crate::number::mass::Unit;

/// No node.
const NONE: u32 = u32::MAX;

/// A spanning tree. Nodes `0..n` are sources, the others targets; the arc of a node leads to its parent and always carries mass
/// from its source end to its target end.
///
/// The tree is kept strongly feasible: an arc without flow leads from a source up to its parent. Then every pivot that moves no
/// mass still makes progress, and the simplex ends (Cunningham, 1976).
///
/// Nodes stand in a ring in which every node is followed by all nodes below it (a depth-first order), so that the potentials below an arc
/// are changed by following the ring. Each property of the nodes is a list of its own: a small one stays near the processor.
pub(crate) struct SpanningTree<U = u64> {
    n: usize,
    parent: Vec<u32>,
    /// Mass on the arc to the parent, in units.
    flow: Vec<U>,
    /// Potentials: `u + v = cost` along every arc of the tree.
    pub potential: Vec<f64>,
    root: u32,
    /// The ring; empty until it is needed.
    next: Vec<u32>,
    previous: Vec<u32>,
    /// The last node, in the order of the ring, of the subtree of each node.
    last: Vec<u32>,
    /// How many nodes there are below each node, itself included.
    size: Vec<u32>,
}

/// An arc from a source to a target (both counted from 0) with its flow.
pub(crate) type Arc<U = u64> = (u32, u32, U);

impl<U: Unit> SpanningTree<U> {
    /// A root among `n` sources and `m` targets, to [`grow`](SpanningTree::grow) from.
    pub fn rooted(n: usize, m: usize, root: u32) -> Self {
        let count = n + m;
        SpanningTree {
            n,
            parent: vec![NONE; count],
            flow: vec![U::default(); count],
            potential: vec![0.0; count],
            root,
            next: Vec::new(),
            previous: Vec::new(),
            last: Vec::new(),
            size: Vec::new(),
        }
    }

    /// Hangs a new node below one that is in the tree. An arc without flow must lead up from a source.
    pub fn grow(&mut self, child: u32, parent: u32, flow: U) {
        debug_assert!(self.parent(child) == NONE && child != self.root);
        debug_assert!(!flow.is_none() || self.is_source(child));
        (self.parent[child as usize], self.flow[child as usize]) = (parent, flow);
    }

    fn parent(&self, node: u32) -> u32 {
        self.parent[node as usize]
    }

    fn flow(&self, node: u32) -> U {
        self.flow[node as usize]
    }

    fn is_source(&self, node: u32) -> bool {
        (node as usize) < self.n
    }

    /// Every arc with its flow.
    pub fn arcs(&self) -> impl Iterator<Item = Arc<U>> {
        (0..self.parent.len() as u32).filter(|&node| self.parent(node) != NONE).map(|node| {
            let (source, target) = self.ends(node);
            (source, target, self.flow(node))
        })
    }

    /// Source and target of the arc of a node.
    fn ends(&self, node: u32) -> (u32, u32) {
        let parent = self.parent(node);
        if self.is_source(node) { (node, parent - self.n as u32) } else { (parent, node - self.n as u32) }
    }

    /// Potentials from nothing, so that the rounding of many small changes does not pile up.
    pub fn reset_potentials(&mut self, cost: impl Fn(u32, u32) -> f64) {
        self.make_ring();
        self.potential[self.root as usize] = 0.0;
        let mut node = self.next[self.root as usize];
        while node != self.root {
            let (source, target) = self.ends(node);
            self.potential[node as usize] = cost(source, target) - self.potential[self.parent(node) as usize];
            node = self.next[node as usize];
        }
    }

    /// The ring of a tree that has been grown, unless it is there.
    fn make_ring(&mut self) {
        if !self.next.is_empty() {
            return;
        }
        let count = self.parent.len();
        let (mut first_child, mut sibling) = (vec![NONE; count], vec![NONE; count]);
        for node in (0..count as u32).filter(|&node| node != self.root) {
            let first = &mut first_child[self.parent(node) as usize];
            sibling[node as usize] = std::mem::replace(first, node);
        }
        let mut order = Vec::with_capacity(count);
        let mut stack = vec![self.root];
        while let Some(node) = stack.pop() {
            order.push(node);
            let mut child = first_child[node as usize];
            while child != NONE {
                stack.push(child);
                child = sibling[child as usize];
            }
        }
        (self.next, self.previous) = (vec![NONE; count], vec![NONE; count]);
        self.last = (0..count as u32).collect();
        self.size = vec![1; count];
        let mut after = self.root;
        for &node in order.iter().rev() {
            self.link(node, after);
            after = node;
            let parent = self.parent(node);
            if parent == NONE {
                continue;
            }
            self.size[parent as usize] += self.size[node as usize];
            // Of the nodes below a parent the last ones come first here.
            if self.last[parent as usize] == parent {
                self.last[parent as usize] = self.last[node as usize];
            }
        }
    }

    /// Lets a node of the ring follow another one.
    fn link(&mut self, node: u32, after: u32) {
        self.next[node as usize] = after;
        self.previous[after as usize] = node;
    }

    /// Brings the arc from source `i` to target `j` into the tree, whose reduced cost `cost - u - v` is `reduced`. Returns the mass that went
    /// round the cycle: the cost of the plan changes by `reduced` times it.
    pub fn pivot(&mut self, i: u32, j: u32, reduced: f64) -> U {
        self.make_ring();
        let target = self.n as u32 + j;
        let apex = self.apex(i, target);
        let (leaving, below_target) = self.leaving(i, target, apex);
        let amount = self.flow(leaving);
        self.push(i, target, apex, amount);
        // What hangs below the leaving arc is turned around to hang from the entering one.
        let (inner, outer) = if below_target { (target, i) } else { (i, target) };
        let (above, size) = (self.parent(leaving), self.size[leaving as usize]);
        self.change_sizes(above, apex, |other| other - size);
        self.detach(leaving);
        let last = self.turn(inner, leaving);
        (self.parent[inner as usize], self.flow[inner as usize]) = (outer, amount);
        self.attach(inner, last, outer);
        self.change_sizes(outer, apex, |other| other + size);
        self.shift(inner, reduced);
        amount
    }

    /// Changes the sizes from `node` up to the apex, which keeps its own.
    fn change_sizes(&mut self, mut node: u32, apex: u32, change: impl Fn(u32) -> u32) {
        while node != apex {
            let size = &mut self.size[node as usize];
            *size = change(*size);
            node = self.parent(node);
        }
    }

    /// Changes the potentials from `top` down so that its arc fits: by `reduced` at its own end, alternating. Only differences count, so where
    /// most nodes are below, those of all others change instead.
    fn shift(&mut self, top: u32, reduced: f64) {
        let last = self.last[top as usize];
        let is_most = 2 * self.size[top as usize] as usize > self.size.len();
        let (mut node, end) =
            if is_most { (self.next[last as usize], self.previous[top as usize]) } else { (top, last) };
        let of_sources = if self.is_source(top) == is_most { -reduced } else { reduced };
        loop {
            self.potential[node as usize] += if self.is_source(node) { of_sources } else { -of_sources };
            if node == end {
                return;
            }
            node = self.next[node as usize];
        }
    }

    /// The lowest node above both.
    fn apex(&self, i: u32, target: u32) -> u32 {
        let mut ends = [i, target];
        while ends[0] != ends[1] {
            // The one with less below it is not above the other.
            let lower = usize::from(self.size[ends[0] as usize] > self.size[ends[1] as usize]);
            ends[lower] = self.parent(ends[lower]);
        }
        ends[0]
    }

    /// The node whose arc leaves when mass is sent from source `i` to `target`, and whether it lies on the side of the target.
    ///
    /// Going round the cycle with the entering arc, from its highest node on, it is the last of the arcs that run dry first.
    fn leaving(&self, i: u32, target: u32, apex: u32) -> (u32, bool) {
        let (mut of_source, mut of_target) = ((U::MAX, NONE), (U::MAX, NONE));
        let mut node = i;
        while node != apex {
            // Below the source, arcs of sources lose flow; of equals the one nearest to it comes last.
            if self.is_source(node) && self.flow(node) < of_source.0 {
                of_source = (self.flow(node), node);
            }
            node = self.parent(node);
        }
        node = target;
        while node != apex {
            if !self.is_source(node) && self.flow(node) <= of_target.0 {
                of_target = (self.flow(node), node);
            }
            node = self.parent(node);
        }
        if of_target.0 <= of_source.0 { (of_target.1, true) } else { (of_source.1, false) }
    }

    /// Sends mass around the cycle of the entering arc.
    fn push(&mut self, i: u32, target: u32, apex: u32, amount: U) {
        if amount.is_none() {
            return;
        }
        for end in [i, target] {
            let mut node = end;
            while node != apex {
                // Arcs of the kind of the end they lie below lose what the entering arc gains.
                let gains = self.is_source(node) != self.is_source(end);
                let flow = &mut self.flow[node as usize];
                *flow = if gains { *flow + amount } else { *flow - amount };
                node = self.parent(node);
            }
        }
    }

    /// Takes `top` and all nodes below it out of the ring.
    fn detach(&mut self, top: u32) {
        let last = self.last[top as usize];
        let before = self.previous[top as usize];
        self.link(before, self.next[last as usize]);
        self.end_with(self.parent(top), last, before);
    }

    /// Puts `top`, which nodes up to `last` follow, behind its parent.
    fn attach(&mut self, top: u32, last: u32, parent: u32) {
        self.link(last, self.next[parent as usize]);
        self.link(parent, top);
        self.end_with(parent, parent, last);
    }

    /// From `node` up, what ended with `before` ends with `now`.
    fn end_with(&mut self, mut node: u32, before: u32, now: u32) {
        while node != NONE && self.last[node as usize] == before {
            self.last[node as usize] = now;
            node = self.parent(node);
        }
    }

    /// Makes `node`, which lies below `top`, the root of what hangs from `top`, and returns the node with which that ends. What was below a node
    /// on the way up, and not below the one before, follows in the order it had: part of it came before those, part after.
    fn turn(&mut self, node: u32, top: u32) -> u32 {
        let mut child = node;
        let (mut parent, mut flow) = (self.parent(node), self.flow(node));
        // The last node of the subtree that the child had; below, the nodes before and after that subtree in the ring.
        let mut child_last = self.last[node as usize];
        let whole = self.size[top as usize];
        let mut child_size = std::mem::replace(&mut self.size[node as usize], whole);
        let (mut before, mut after) = (self.previous[node as usize], self.next[child_last as usize]);
        let mut end = child_last;
        while child != top {
            let up = parent as usize;
            let (up_before, up_last) = (self.previous[up], self.last[up]);
            self.link(end, parent);
            end = before;
            if up_last != child_last {
                self.link(end, after);
                (end, after) = (up_last, self.next[up_last as usize]);
            }
            let above = std::mem::replace(&mut self.parent[up], child);
            let above_flow = std::mem::replace(&mut self.flow[up], flow);
            let rest = whole - child_size;
            child_size = std::mem::replace(&mut self.size[up], rest);
            (child, parent, flow) = (parent, above, above_flow);
            (child_last, before) = (up_last, up_before);
        }
        // All of them end where the last of them does.
        while child != node {
            self.last[child as usize] = end;
            child = self.parent(child);
        }
        self.last[node as usize] = end;
        end
    }
}

#[cfg(test)]
mod tests {
    use swgg_testkit::Random;

    use super::{NONE, SpanningTree};
    use crate::number::mass::Unit;

    /// Mass that leaves each source and reaches each target.
    fn moved<U: Unit>(tree: &SpanningTree<U>) -> Vec<U> {
        let mut moved = vec![U::default(); tree.parent.len()];
        for (i, j, flow) in tree.arcs() {
            for node in [i as usize, tree.n + j as usize] {
                moved[node] += flow;
            }
        }
        moved
    }

    /// Whether the ring, walked once, has every node right before those below it, arcs without flow lead up from a source, and potentials fit
    /// the arcs.
    fn check<U: Unit>(tree: &SpanningTree<U>, cost: impl Fn(u32, u32) -> f64) {
        let count = tree.parent.len();
        let (mut place, mut ring) = (vec![NONE; count], Vec::with_capacity(count));
        let mut node = tree.root;
        for k in 0..count as u32 {
            assert_eq!(std::mem::replace(&mut place[node as usize], k), NONE, "met twice");
            ring.push(node);
            let next = tree.next[node as usize];
            assert_eq!(tree.previous[next as usize], node);
            node = next;
        }
        assert_eq!(node, tree.root);
        let mut below = vec![1; count];
        for &node in ring.iter().rev() {
            assert_eq!(tree.size[node as usize], below[node as usize]);
            let end = place[tree.last[node as usize] as usize];
            assert_eq!(end + 1, place[node as usize] + below[node as usize], "what is below {node}");
            if node != tree.root {
                below[tree.parent(node) as usize] += below[node as usize];
                assert!(!tree.flow(node).is_none() || tree.is_source(node));
            }
        }
        assert_eq!(below[tree.root as usize], count as u32);
        for (i, j, _) in tree.arcs() {
            let pays = tree.potential[i as usize] + tree.potential[tree.n + j as usize];
            assert!((pays - cost(i, j)).abs() < 1e-9);
        }
    }

    #[test]
    fn the_ring_follows_every_pivot() {
        pivoted::<u64>(|mass| mass);
        pivoted::<u128>(|mass| u128::from(mass) << 70);
    }

    fn pivoted<U: Unit>(units: impl Fn(u64) -> U) {
        for seed in 0..20 {
            let mut random = Random(seed);
            let (n, m) = (3 + seed as usize, 9);
            let costs: Vec<f64> = (0..n * m).map(|_| random.uniform()).collect();
            let cost = |i: u32, j: u32| costs[i as usize * m + j as usize];
            // All sources serve the first target, and the last one serves all others.
            let mut tree = SpanningTree::<U>::rooted(n, m, n as u32);
            for i in 0..n as u32 {
                tree.grow(i, n as u32, units(1 + u64::from(i)));
            }
            for j in 1..m as u32 {
                tree.grow(n as u32 + j, n as u32 - 1, units(u64::from(j)));
            }
            tree.reset_potentials(cost);
            check(&tree, cost);
            let before = moved(&tree);
            for _ in 0..200 {
                let mut below = |count: usize| (random.uniform() * count as f64) as u32;
                let (i, j) = (below(n), below(m));
                let reduced = cost(i, j) - tree.potential[i as usize] - tree.potential[n + j as usize];
                if tree.arcs().any(|(from, to, _)| (from, to) == (i, j)) {
                    continue;
                }
                let pays = |tree: &SpanningTree<U>| {
                    tree.arcs().map(|(i, j, flow)| flow.to_f64() * cost(i, j)).sum::<f64>()
                };
                let paid_before = pays(&tree);
                let change = reduced * tree.pivot(i, j, reduced).to_f64();
                check(&tree, cost);
                assert!((pays(&tree) - paid_before - change).abs() < 1e-9 * paid_before);
                assert!(moved(&tree) == before, "mass is lost");
            }
        }
    }
}
