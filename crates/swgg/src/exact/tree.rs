//! The basis of the network simplex: a spanning tree of sources and targets, with flows, depths and potentials.

/// No node.
const NONE: u32 = u32::MAX;

/// A spanning tree. Nodes `0..n` are sources, the others targets; the arc of a node leads to its parent and always carries mass
/// from its source end to its target end.
///
/// The tree is kept strongly feasible: an arc without flow leads from a source up to its parent. Then every pivot that moves no
/// mass still makes progress, and the simplex ends (Cunningham, 1976).
pub(super) struct Tree {
    n: usize,
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// Mass on the arc to the parent, in units.
    pub flow: Vec<u64>,
    /// Potentials: `u + v = cost` along every arc of the tree.
    pub potential: Vec<f64>,
    first_child: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    root: u32,
    /// Nodes to visit, kept from call to call.
    stack: Vec<u32>,
}

/// An arc from a source to a target (both counted from 0) with its flow.
pub(super) type Arc = (u32, u32, u64);

impl Tree {
    /// A root among `n` sources and `m` targets, to [`grow`](Tree::grow) from.
    pub fn rooted(n: usize, m: usize, root: u32) -> Self {
        let count = n + m;
        Tree {
            n,
            parent: vec![NONE; count],
            depth: vec![0; count],
            flow: vec![0; count],
            potential: vec![0.0; count],
            first_child: vec![NONE; count],
            next: vec![NONE; count],
            previous: vec![NONE; count],
            root,
            stack: Vec::new(),
        }
    }

    /// Hangs a new node below one that is in the tree. An arc without flow must lead up from a source.
    pub fn grow(&mut self, child: u32, parent: u32, flow: u64) {
        debug_assert!(self.parent[child as usize] == NONE && child != self.root);
        debug_assert!(flow > 0 || (child as usize) < self.n);
        self.flow[child as usize] = flow;
        self.depth[child as usize] = self.depth[parent as usize] + 1;
        self.attach(child, parent);
    }

    /// Every arc with its flow.
    pub fn arcs(&self) -> impl Iterator<Item = Arc> {
        (0..self.parent.len() as u32).filter(|&node| self.parent[node as usize] != NONE).map(|node| {
            let (source, target) = self.ends(node);
            (source, target, self.flow[node as usize])
        })
    }

    /// Source and target of the arc of a node.
    fn ends(&self, node: u32) -> (u32, u32) {
        let parent = self.parent[node as usize];
        if (node as usize) < self.n { (node, parent - self.n as u32) } else { (parent, node - self.n as u32) }
    }

    /// Potentials from nothing, so that the rounding of many small changes does not pile up.
    pub fn reset_potentials(&mut self, cost: impl Fn(u32, u32) -> f64) {
        self.potential[self.root as usize] = 0.0;
        self.stack.clear();
        self.stack.push(self.root);
        while let Some(node) = self.stack.pop() {
            if node != self.root {
                let (source, target) = self.ends(node);
                let parent = self.parent[node as usize];
                self.potential[node as usize] = cost(source, target) - self.potential[parent as usize];
            }
            let mut child = self.first_child[node as usize];
            while child != NONE {
                self.stack.push(child);
                child = self.next[child as usize];
            }
        }
    }

    /// Brings the arc from source `i` to target `j` into the tree, whose reduced cost `cost - u - v` is `reduced`.
    pub fn pivot(&mut self, i: u32, j: u32, reduced: f64) {
        let target = self.n as u32 + j;
        let (leaving, below_target) = self.leaving(i, target);
        let amount = self.flow[leaving as usize];
        self.push(i, target, amount);
        // What hangs below the leaving arc is turned around to hang from the entering one.
        let (inner, outer) = if below_target { (target, i) } else { (i, target) };
        self.turn(inner, leaving);
        self.flow[inner as usize] = amount;
        self.attach(inner, outer);
        // The potentials below change so that the entering arc fits: by `reduced` at its own end, alternating.
        let inner_is_source = (inner as usize) < self.n;
        self.stack.clear();
        self.stack.push(inner);
        while let Some(node) = self.stack.pop() {
            let is_source = (node as usize) < self.n;
            self.potential[node as usize] += if is_source == inner_is_source { reduced } else { -reduced };
            self.depth[node as usize] = self.depth[self.parent[node as usize] as usize] + 1;
            let mut child = self.first_child[node as usize];
            while child != NONE {
                self.stack.push(child);
                child = self.next[child as usize];
            }
        }
    }

    /// The node whose arc leaves when mass is sent from source `i` to `target`, and whether it lies on the side of the target.
    ///
    /// Going round the cycle with the entering arc, from its highest node on, it is the last of the arcs that run dry first.
    fn leaving(&self, i: u32, target: u32) -> (u32, bool) {
        let (mut low, mut high) = (i, target);
        let (mut of_source, mut of_target) = ((u64::MAX, NONE), (u64::MAX, NONE));
        while low != high {
            if self.depth[low as usize] >= self.depth[high as usize] {
                // Below the source, arcs of sources lose flow; of equals the one nearest to it comes last.
                if (low as usize) < self.n && self.flow[low as usize] < of_source.0 {
                    of_source = (self.flow[low as usize], low);
                }
                low = self.parent[low as usize];
            } else {
                if high as usize >= self.n && self.flow[high as usize] <= of_target.0 {
                    of_target = (self.flow[high as usize], high);
                }
                high = self.parent[high as usize];
            }
        }
        if of_target.0 <= of_source.0 { (of_target.1, true) } else { (of_source.1, false) }
    }

    /// Sends mass around the cycle of the entering arc.
    fn push(&mut self, i: u32, target: u32, amount: u64) {
        if amount == 0 {
            return;
        }
        let (mut low, mut high) = (i, target);
        while low != high {
            let of_source = self.depth[low as usize] >= self.depth[high as usize];
            let end = if of_source { &mut low } else { &mut high };
            let node = *end;
            *end = self.parent[node as usize];
            // Arcs of the kind of the end they lie below lose what the entering arc gains.
            let gains = ((node as usize) < self.n) != of_source;
            let flow = &mut self.flow[node as usize];
            *flow = if gains { *flow + amount } else { *flow - amount };
        }
    }

    /// Cuts the arc of `top` and makes `node`, which lies below it, the root of what was cut off.
    fn turn(&mut self, node: u32, top: u32) {
        let mut child = node;
        let mut parent = self.parent[node as usize];
        let mut flow = self.flow[node as usize];
        self.detach(node);
        while child != top {
            let above = self.parent[parent as usize];
            let above_flow = self.flow[parent as usize];
            self.detach(parent);
            self.attach(parent, child);
            self.flow[parent as usize] = flow;
            (child, parent, flow) = (parent, above, above_flow);
        }
    }

    fn attach(&mut self, node: u32, parent: u32) {
        let first = std::mem::replace(&mut self.first_child[parent as usize], node);
        self.parent[node as usize] = parent;
        self.next[node as usize] = first;
        self.previous[node as usize] = NONE;
        if first != NONE {
            self.previous[first as usize] = node;
        }
    }

    fn detach(&mut self, node: u32) {
        let (previous, next) = (self.previous[node as usize], self.next[node as usize]);
        match previous {
            NONE => self.first_child[self.parent[node as usize] as usize] = next,
            _ => self.next[previous as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }
}
