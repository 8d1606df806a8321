//! Cutting one side of a cell by mass.

/// A point of a cell, or the piece of one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Atom {
    pub units: u64,
    pub index: u32,
    /// Where it lies along the direction of the cell.
    pub key: f32,
}

fn mass(atoms: &[Atom]) -> u64 {
    atoms.iter().map(|atom| atom.units).sum()
}

/// Reorders atoms of mass `total` so that the first `k` lie before the others, and atom `k` is the one at `mass`:
/// `(k, below)` with `below <= mass < below + units[k]`. Selection by mass, linear on average.
pub(super) fn place(atoms: &mut [Atom], total: u64, at: u64) -> (usize, u64) {
    debug_assert!(at < total);
    let (mut low, mut high) = (0, atoms.len());
    let (mut below, mut within) = (0, total);
    let mut first = true;
    while high - low > 1 {
        let count = high - low;
        // Where the mass would be if all atoms weighed the same; after a miss a little beyond, so that it gets caught in between.
        let share = (at - below) as f64 / within as f64;
        let guess = (share * count as f64) as usize;
        let margin = if first { 0 } else { (count as f64).sqrt() as usize };
        let guess = if share < 0.5 { guess + margin } else { guess.saturating_sub(margin) };
        let pivot = guess.clamp(1, count - 1);
        atoms[low..high].select_nth_unstable_by(pivot, |a, b| a.key.total_cmp(&b.key));
        let left = mass(&atoms[low..low + pivot]);
        if below + left <= at {
            (low, below, within) = (low + pivot, below + left, within - left);
        } else {
            (high, within) = (low + pivot, left);
        }
        first = false;
    }
    (low, below)
}

/// Reorders atoms of mass `total` and cuts them between two: as many as lie before the cut, and their mass, near one half.
pub(super) fn halve(atoms: &mut [Atom], total: u64) -> (usize, u64) {
    let half = total / 2;
    let (k, below) = place(atoms, total, half);
    let after = below + atoms[k].units;
    let early = k > 0 && (k + 1 == atoms.len() || half - below < after - half);
    if early { (k, below) } else { (k + 1, after) }
}
