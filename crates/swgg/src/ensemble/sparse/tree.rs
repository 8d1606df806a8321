//! A plan by a tree: every cell has its own line.
//!
//! A cell holds pieces of sources and of targets of the same mass. A direction is chosen for it and both sides are cut at the
//! same mass, between two atoms of the side that has more; on the other side at most one atom is split. Every cut adds one piece,
//! so the plan has at most `n + m - 1` entries. One direction for all cells would give the quantile plan along it.

use super::axis::Roots;
use super::block::Block;
use super::cut::{Atom, halve, place};
use super::plan::{Entry, Plan};
use super::{Side, WeightedClouds, dot, key};

/// Cells of at most this many pieces are solved exactly.
const MAX_LEAF_ATOMS: usize = 16;
/// Cells of at least this many pieces are handed to other threads.
const MIN_ATOMS_TO_FORK: usize = 4096;

/// A cell. Its slices have room for all the pieces it can fall into, one less than it has on both sides together.
struct Cell<'c> {
    sources: &'c mut [Atom],
    targets: &'c mut [Atom],
    entries: &'c mut [Entry],
    counts: [usize; 2],
    mass: u64,
    path: u64,
    roots: Option<Roots>,
}

impl WeightedClouds<'_> {
    /// The plan of one tree. Random numbers depend on the seed, the number of the tree and the way to the cell.
    pub fn tree(&self, seed: u64, number: u64) -> Plan {
        let room = self.most_entries();
        let atoms = |side: &Side| {
            let mut atoms = vec![Atom::default(); room];
            for (index, (atom, &units)) in atoms.iter_mut().zip(&side.units).enumerate() {
                *atom = Atom { units, index: index as u32, key: 0.0 };
            }
            atoms
        };
        let mut entries = vec![Entry::default(); room];
        let root = Cell {
            sources: &mut atoms(&self.sources),
            targets: &mut atoms(&self.targets),
            entries: &mut entries,
            counts: [self.sources.count(), self.targets.count()],
            mass: self.total,
            path: key(seed, number),
            roots: None,
        };
        self.grow(root, &mut Block::default());
        entries.retain(|entry| entry.units > 0);
        Plan { entries }
    }

    fn grow(&self, mut cell: Cell<'_>, block: &mut Block) {
        let [s, t] = cell.counts;
        if s == 1 || t == 1 {
            return cell.fill();
        }
        self.project(&mut cell);
        if s + t <= MAX_LEAF_ATOMS {
            cell.walk();
            return self.solve(cell.entries, block);
        }
        let (left, right) = cell.cut();
        if s + t >= MIN_ATOMS_TO_FORK {
            self.workers
                .join(|| self.grow(left, &mut Block::default()), || self.grow(right, &mut Block::default()));
        } else {
            self.grow(left, block);
            self.grow(right, block);
        }
    }

    /// Keys of all atoms along the direction of the cell.
    fn project(&self, cell: &mut Cell<'_>) {
        let [s, t] = cell.counts;
        let (sources, targets) = (&mut cell.sources[..s], &mut cell.targets[..t]);
        let [along, across] = self.axes(sources, targets, cell.path, &mut cell.roots);
        // Keys are short numbers: counted from one of the atoms they keep their digits in small cells.
        let origin = dot(&along, self.source(sources[0].index));
        for atom in sources {
            atom.key = (dot(&along, self.source(atom.index)) - origin) as f32;
        }
        let origin = dot(&across, self.target(targets[0].index));
        for atom in targets {
            atom.key = (dot(&across, self.target(atom.index)) - origin) as f32;
        }
    }

    /// The cheapest plan between the few atoms of these entries.
    fn solve(&self, entries: &mut [Entry], block: &mut Block) {
        let used = entries.iter().position(|entry| entry.units == 0).unwrap_or(entries.len());
        let solved = block.solve(self, &entries[..used]);
        entries.fill(Entry::default());
        entries[..solved.len()].copy_from_slice(solved);
    }
}

impl<'c> Cell<'c> {
    /// One atom on one side: it is tied to all of the other.
    fn fill(self) {
        let Cell { sources, targets, entries, counts: [s, t], .. } = self;
        for (k, entry) in entries[..s.max(t)].iter_mut().enumerate() {
            let (source, target) = (sources[if s == 1 { 0 } else { k }], targets[if t == 1 { 0 } else { k }]);
            let units = if s == 1 { target.units } else { source.units };
            *entry = Entry { units, source: source.index, target: target.index };
        }
    }

    /// The quantile plan along the direction of the cell.
    fn walk(&mut self) {
        let [s, t] = self.counts;
        let (sources, targets) = (&mut self.sources[..s], &mut self.targets[..t]);
        for side in [&mut *sources, &mut *targets] {
            side.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.index.cmp(&b.index)));
        }
        let (mut i, mut j) = (0, 0);
        for entry in self.entries.iter_mut() {
            if i == s {
                break;
            }
            let units = sources[i].units.min(targets[j].units);
            *entry = Entry { units, source: sources[i].index, target: targets[j].index };
            sources[i].units -= units;
            targets[j].units -= units;
            i += usize::from(sources[i].units == 0);
            j += usize::from(targets[j].units == 0);
        }
    }

    /// Two cells, between two atoms of the side that has more of them.
    fn cut(self) -> (Cell<'c>, Cell<'c>) {
        let Cell { sources, targets, entries, counts: [s, t], mass, path, roots } = self;
        let (finer, coarser, by_source) =
            if s >= t { (sources, targets, true) } else { (targets, sources, false) };
        let (fine, coarse) = (s.max(t), s.min(t));
        let (before, left_mass) = halve(&mut finer[..fine], mass);
        let (whole, below) = place(&mut coarser[..coarse], mass, left_mass);
        // What the atom at the cut gives to the left.
        let part = left_mass - below;
        let upto = whole + usize::from(part > 0);
        let room = before + upto - 1;
        finer.copy_within(before..fine, room);
        coarser.copy_within(whole..coarse, room);
        if part > 0 {
            coarser[room].units -= part;
            coarser[whole].units = part;
        }
        let (finer, coarser) = (finer.split_at_mut(room), coarser.split_at_mut(room));
        let entries = entries.split_at_mut(room);
        let cell = |finer, coarser, entries, counts: [usize; 2], mass, step| {
            let (sources, targets) = if by_source { (finer, coarser) } else { (coarser, finer) };
            let counts = if by_source { counts } else { [counts[1], counts[0]] };
            Cell { sources, targets, entries, counts, mass, path: key(path, step), roots }
        };
        (
            cell(finer.0, coarser.0, entries.0, [before, upto], left_mass, 0),
            cell(finer.1, coarser.1, entries.1, [fine - before, coarse - whole], mass - left_mass, 1),
        )
    }
}
