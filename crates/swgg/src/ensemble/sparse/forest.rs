//! Plans without cycles.

use super::plan::Entry;

const NONE: u32 = u32::MAX;

/// The entries of a plan as a forest: nodes `0..n` are sources, the others targets; every entry is the arc of a node to its
/// parent.
///
/// Around a cycle of entries mass can be moved either way, and one of the two does not cost more: a plan whose entries form
/// cycles can be thinned until they do not, and is then left with at most `n + m - 1`.
#[derive(Default)]
pub(super) struct Forest {
    n: u32,
    parent: Vec<u32>,
    /// Mass on the arc to the parent.
    units: Vec<u64>,
    /// Union-find over the nodes: the representative of the tree each belongs to.
    leader: Vec<u32>,
    size: Vec<u32>,
    /// The last walk that met each node.
    met: Vec<u32>,
    walk: u32,
}

impl Forest {
    /// No arcs yet, between `n` sources and `m` targets.
    pub fn clear(&mut self, n: usize, m: usize) {
        self.n = n as u32;
        for (list, value) in [(&mut self.parent, NONE), (&mut self.size, 1), (&mut self.met, 0)] {
            list.clear();
            list.resize(n + m, value);
        }
        self.units.clear();
        self.units.resize(n + m, 0);
        self.leader.clear();
        self.leader.extend(0..(n + m) as u32);
        self.walk = 0;
    }

    /// Adds an entry; where it closes a cycle, moves mass around it in the cheaper way until one of its entries is used up.
    /// Returns what that gains, mass times cost.
    pub fn insert(&mut self, entry: Entry, cost: impl Fn(u32, u32) -> f64) -> f64 {
        let (i, j) = (entry.source, self.n + entry.target);
        let (a, b) = (self.find(i), self.find(j));
        if a != b {
            let (child, parent) =
                if self.size[a as usize] <= self.size[b as usize] { (i, j) } else { (j, i) };
            self.hang(child, parent, entry.units);
            let (below, above) = if child == i { (a, b) } else { (b, a) };
            self.leader[below as usize] = above;
            self.size[above as usize] += self.size[below as usize];
            return 0.0;
        }
        let apex = self.apex(i, j);
        // More on this arc means less on those of the same kind as the end they lie above.
        let mut rise = cost(i, entry.target);
        let (mut less, mut more) = ((u64::MAX, NONE, i), (u64::MAX, NONE, i));
        for end in [i, j] {
            let mut node = end;
            while node != apex {
                let (source, target) = self.ends(node);
                let units = self.units[node as usize];
                let (sign, least) = if self.is_source(node) == self.is_source(end) {
                    (-1.0, &mut less)
                } else {
                    (1.0, &mut more)
                };
                rise += sign * cost(source, target);
                if units < least.0 {
                    *least = (units, node, end);
                }
                node = self.parent[node as usize];
            }
        }
        let (units, amount, emptied) = if rise <= 0.0 {
            self.turn(i, j, apex, less.0, true);
            (entry.units + less.0, less.0, less)
        } else {
            let amount = entry.units.min(more.0);
            self.turn(i, j, apex, amount, false);
            (entry.units - amount, amount, more)
        };
        if units > 0 {
            let (_, cut, end) = emptied;
            debug_assert_eq!(self.units[cut as usize], 0);
            self.parent[cut as usize] = NONE;
            self.hang(end, if end == i { j } else { i }, units);
        }
        rise.abs() * amount as f64
    }

    /// The entries that carry mass.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let used = (0..self.parent.len() as u32)
            .filter(|&k| self.parent[k as usize] != NONE && self.units[k as usize] > 0);
        used.map(|node| {
            let (source, target) = self.ends(node);
            Entry { units: self.units[node as usize], source, target }
        })
    }

    fn is_source(&self, node: u32) -> bool {
        node < self.n
    }

    /// Source and target of the arc of a node.
    fn ends(&self, node: u32) -> (u32, u32) {
        let parent = self.parent[node as usize];
        if self.is_source(node) { (node, parent - self.n) } else { (parent, node - self.n) }
    }

    fn find(&mut self, node: u32) -> u32 {
        let mut node = node;
        while self.leader[node as usize] != node {
            let above = self.leader[self.leader[node as usize] as usize];
            self.leader[node as usize] = above;
            node = above;
        }
        node
    }

    /// The lowest node above both.
    fn apex(&mut self, i: u32, j: u32) -> u32 {
        self.walk += 1;
        let (mut ends, mut side) = ([i, j], 0);
        loop {
            let node = ends[side];
            if node != NONE {
                if std::mem::replace(&mut self.met[node as usize], self.walk) == self.walk {
                    return node;
                }
                ends[side] = self.parent[node as usize];
            }
            side = 1 - side;
        }
    }

    /// Moves mass around the cycle that the arc from `i` to `j` closes, towards that arc or away from it.
    fn turn(&mut self, i: u32, j: u32, apex: u32, amount: u64, towards: bool) {
        for end in [i, j] {
            let mut node = end;
            while node != apex {
                let loses = (self.is_source(node) == self.is_source(end)) == towards;
                let units = &mut self.units[node as usize];
                *units = if loses { *units - amount } else { *units + amount };
                node = self.parent[node as usize];
            }
        }
    }

    /// Makes `child` the root of its tree and hangs it below `parent`.
    fn hang(&mut self, child: u32, parent: u32, units: u64) {
        let (mut node, mut above, mut mass) = (child, parent, units);
        while node != NONE {
            let next = std::mem::replace(&mut self.parent[node as usize], above);
            let carried = std::mem::replace(&mut self.units[node as usize], mass);
            (node, above, mass) = (next, node, carried);
        }
    }
}
