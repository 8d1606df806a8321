//! The basis of the network simplex: a spanning tree of sources and targets, with flows and potentials.

use crate::number::mass::Unit;

/// No node.
const NONE: u32 = u32::MAX;

/// A spanning tree. Nodes `0..n` are sources, the others targets; the arc of a node leads to its parent and always carries mass
/// from its source end to its target end.
///
/// The tree is kept strongly feasible: an arc without flow leads from a source up to its parent. Then every pivot that moves no
/// mass still makes progress, and the simplex ends (Cunningham, 1976).
pub(crate) struct SpanningTree<U = u64> {
    n: usize,
    nodes: Vec<Node<U>>,
    /// Potentials: `u + v = cost` along every arc of the tree.
    pub potential: Vec<f64>,
    root: u32,
    /// Nodes to visit, kept from call to call.
    stack: Vec<u32>,
    /// The last walk that met each node.
    met: Vec<u32>,
    walk: u32,
}

/// A node with the arc to its parent.
#[derive(Clone, Copy)]
struct Node<U> {
    parent: u32,
    first_child: u32,
    next: u32,
    previous: u32,
    /// Mass on the arc to the parent, in units.
    flow: U,
}

/// An arc from a source to a target (both counted from 0) with its flow.
pub(crate) type Arc<U = u64> = (u32, u32, U);

impl<U: Unit> SpanningTree<U> {
    /// A root among `n` sources and `m` targets, to [`grow`](SpanningTree::grow) from.
    pub fn rooted(n: usize, m: usize, root: u32) -> Self {
        let alone = Node { parent: NONE, first_child: NONE, next: NONE, previous: NONE, flow: U::default() };
        let count = n + m;
        SpanningTree {
            n,
            nodes: vec![alone; count],
            potential: vec![0.0; count],
            root,
            stack: Vec::new(),
            met: vec![0; count],
            walk: 0,
        }
    }

    /// Hangs a new node below one that is in the tree. An arc without flow must lead up from a source.
    pub fn grow(&mut self, child: u32, parent: u32, flow: U) {
        debug_assert!(self.parent(child) == NONE && child != self.root);
        debug_assert!(!flow.is_none() || self.is_source(child));
        self.nodes[child as usize].flow = flow;
        self.attach(child, parent);
    }

    fn parent(&self, node: u32) -> u32 {
        self.nodes[node as usize].parent
    }

    fn flow(&self, node: u32) -> U {
        self.nodes[node as usize].flow
    }

    fn is_source(&self, node: u32) -> bool {
        (node as usize) < self.n
    }

    /// Every arc with its flow.
    pub fn arcs(&self) -> impl Iterator<Item = Arc<U>> {
        (0..self.nodes.len() as u32).filter(|&node| self.parent(node) != NONE).map(|node| {
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
        self.potential[self.root as usize] = 0.0;
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(self.root);
        while let Some(node) = stack.pop() {
            if node != self.root {
                let (source, target) = self.ends(node);
                self.potential[node as usize] =
                    cost(source, target) - self.potential[self.parent(node) as usize];
            }
            self.push_children(node, &mut stack);
        }
        self.stack = stack;
    }

    fn push_children(&self, node: u32, stack: &mut Vec<u32>) {
        let mut child = self.nodes[node as usize].first_child;
        while child != NONE {
            stack.push(child);
            child = self.nodes[child as usize].next;
        }
    }

    /// Brings the arc from source `i` to target `j` into the tree, whose reduced cost `cost - u - v` is `reduced`.
    pub fn pivot(&mut self, i: u32, j: u32, reduced: f64) {
        let target = self.n as u32 + j;
        let apex = self.apex(i, target);
        let (leaving, below_target) = self.leaving(i, target, apex);
        let amount = self.flow(leaving);
        self.push(i, target, apex, amount);
        // What hangs below the leaving arc is turned around to hang from the entering one.
        let (inner, outer) = if below_target { (target, i) } else { (i, target) };
        self.turn(inner, leaving);
        self.nodes[inner as usize].flow = amount;
        self.attach(inner, outer);
        self.shift(inner, reduced);
    }

    /// Changes the potentials from `top` down so that its arc fits: by `reduced` at its own end, alternating.
    fn shift(&mut self, top: u32, reduced: f64) {
        let of_sources = if self.is_source(top) { reduced } else { -reduced };
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(top);
        while let Some(node) = stack.pop() {
            self.potential[node as usize] += if self.is_source(node) { of_sources } else { -of_sources };
            self.push_children(node, &mut stack);
        }
        self.stack = stack;
    }

    /// The lowest node above both.
    fn apex(&mut self, i: u32, target: u32) -> u32 {
        self.walk = self.walk.wrapping_add(1);
        let (mut ends, mut side) = ([i, target], 0);
        loop {
            let node = ends[side];
            if node != NONE {
                let met = std::mem::replace(&mut self.met[node as usize], self.walk);
                if met == self.walk {
                    return node;
                }
                ends[side] = self.parent(node);
            }
            side = 1 - side;
        }
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
                let Node { parent, flow, .. } = &mut self.nodes[node as usize];
                *flow = if gains { *flow + amount } else { *flow - amount };
                node = *parent;
            }
        }
    }

    /// Cuts the arc of `top` and makes `node`, which lies below it, the root of what was cut off.
    fn turn(&mut self, node: u32, top: u32) {
        let mut child = node;
        let mut parent = self.parent(node);
        let mut flow = self.flow(node);
        self.detach(node);
        while child != top {
            let Node { parent: above, flow: above_flow, .. } = self.nodes[parent as usize];
            self.detach(parent);
            self.attach(parent, child);
            self.nodes[parent as usize].flow = flow;
            (child, parent, flow) = (parent, above, above_flow);
        }
    }

    fn attach(&mut self, node: u32, parent: u32) {
        let first = std::mem::replace(&mut self.nodes[parent as usize].first_child, node);
        let here = &mut self.nodes[node as usize];
        (here.parent, here.next, here.previous) = (parent, first, NONE);
        if first != NONE {
            self.nodes[first as usize].previous = node;
        }
    }

    fn detach(&mut self, node: u32) {
        let Node { parent, previous, next, .. } = self.nodes[node as usize];
        match previous {
            NONE => self.nodes[parent as usize].first_child = next,
            _ => self.nodes[previous as usize].next = next,
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
    }
}
