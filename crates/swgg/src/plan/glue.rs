//! Glueing plans: from source to pivot and from pivot to target, which masses meet at the pivot.

use crate::plan::coupling::Coupling;

/// How two plans are glued where they meet at a point of the pivot.
///
/// Every choice gives a coupling with the right marginals whose projections on the pivot are the two plans. They differ in cost
/// and in the number of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glue {
    /// Everything that arrives is spread over everything that leaves, `pi_ij = sum_k P_ik Q_kj / w_k`: the most entropic
    /// choice, that of Forrow et al. At a point where `p` pieces arrive and `q` leave it has `p q` entries.
    #[default]
    Independent,
    /// What arrives leaves in the same order along a line: at most `p + q - 1` entries, and as a rule a lower cost.
    Monotone,
}

/// Entries of a plan that are held; beyond, plans are glued monotonically.
pub(crate) const MAX_GLUED_ENTRIES: u64 = 1 << 24;

/// What passes through one point of the pivot: `(point, mass)` on both sides.
#[derive(Clone, Default)]
struct Crossing {
    arriving: Vec<(u32, f64)>,
    leaving: Vec<(u32, f64)>,
}

/// Glues a plan to the pivot and one from it; `x` and `y` are the positions of source and target points along a line, which
/// the monotone choice goes by. Returns the choice as well: a plan that would have too many entries is glued monotonically.
pub(crate) fn glue(into: &Coupling, out: &Coupling, how: Glue, x: &[f64], y: &[f64]) -> (Coupling, Glue) {
    let mut crossings = vec![Crossing::default(); into.target_len()];
    into.entries().for_each(|(i, k, mass)| crossings[k].arriving.push((i as u32, mass)));
    out.entries().for_each(|(k, j, mass)| crossings[k].leaving.push((j as u32, mass)));
    let product: u64 = crossings.iter().map(|c| c.arriving.len() as u64 * c.leaving.len() as u64).sum();
    let how = if product > MAX_GLUED_ENTRIES { Glue::Monotone } else { how };
    let mut pieces = Vec::new();
    for crossing in &mut crossings {
        match how {
            Glue::Independent => crossing.spread(&mut pieces),
            Glue::Monotone => crossing.in_order(x, y, &mut pieces),
        }
    }
    let paired = into.is_matching() && out.is_matching();
    (gather(into.source_len(), out.target_len(), pieces, paired), how)
}

impl Crossing {
    fn spread(&self, pieces: &mut Vec<(u32, u32, f64)>) {
        let whole: f64 = self.arriving.iter().map(|piece| piece.1).sum();
        for &(i, p) in &self.arriving {
            pieces.extend(self.leaving.iter().map(|&(j, q)| (i, j, p * q / whole)));
        }
    }

    fn in_order(&mut self, x: &[f64], y: &[f64], pieces: &mut Vec<(u32, u32, f64)>) {
        let by =
            |along: &[f64], a: u32, b: u32| along[a as usize].total_cmp(&along[b as usize]).then(a.cmp(&b));
        self.arriving.sort_by(|a, b| by(x, a.0, b.0));
        self.leaving.sort_by(|a, b| by(y, a.0, b.0));
        let whole: f64 = self.arriving.iter().map(|piece| piece.1).sum();
        // Both sides carry the same mass up to the last digits: what is below them is not worth an entry.
        let nothing = 8.0 * f64::EPSILON * whole;
        let (mut arriving, mut leaving) = (self.arriving.iter().copied(), self.leaving.iter().copied());
        let (mut from, mut to) = (arriving.next(), leaving.next());
        while let (Some((i, p)), Some((j, q))) = (from, to) {
            let mass = p.min(q);
            if mass > 0.0 {
                pieces.push((i, j, mass));
            }
            from = if p - mass > nothing { Some((i, p - mass)) } else { arriving.next() };
            to = if q - mass > nothing { Some((j, q - mass)) } else { leaving.next() };
        }
    }
}

/// A plan from pieces in any order: pieces of one pair become one entry, and where the measures pair one to one
/// (`pairable`) a plan that does so too becomes a matching.
pub(crate) fn gather(n: usize, m: usize, mut pieces: Vec<(u32, u32, f64)>, pairable: bool) -> Coupling {
    pieces.sort_unstable_by_key(|piece| (piece.0, piece.1));
    pieces.dedup_by(|piece, kept| {
        let same = (piece.0, piece.1) == (kept.0, kept.1);
        kept.2 += if same { piece.2 } else { 0.0 };
        same
    });
    if pairable && pieces.len() == n {
        let mut taken = vec![false; m];
        let one_each = pieces.iter().enumerate().all(|(i, piece)| {
            piece.0 as usize == i && !std::mem::replace(&mut taken[piece.1 as usize], true)
        });
        if one_each {
            return Coupling::from_targets(pieces.into_iter().map(|piece| piece.1).collect());
        }
    }
    let (mut sources, mut targets, mut masses) = (Vec::new(), Vec::new(), Vec::new());
    for (i, j, mass) in pieces {
        sources.push(i);
        targets.push(j);
        masses.push(mass);
    }
    Coupling::from_merge(n, m, sources, targets, masses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::coupling::Coo;

    #[test]
    fn two_ways_through_one_point() {
        let into = Coo { sources: vec![0, 1], targets: vec![0, 0], masses: vec![0.5, 0.5] };
        let out = Coo { sources: vec![0, 0], targets: vec![0, 1], masses: vec![0.5, 0.5] };
        let (into, out) = (Coupling::sparse(2, 1, into).unwrap(), Coupling::sparse(1, 2, out).unwrap());
        let (x, y) = ([3.0, 1.0], [3.0, 4.0]);
        let (plan, _) = glue(&into, &out, Glue::Independent, &x, &y);
        assert_eq!(plan.to_coo().masses, [0.25; 4]);
        let (plan, how) = glue(&into, &out, Glue::Monotone, &x, &y);
        assert_eq!(plan.entries().collect::<Vec<_>>(), [(0, 1, 0.5), (1, 0, 0.5)]);
        assert_eq!(how, Glue::Monotone);
    }

    #[test]
    fn pieces_become_a_matching_where_they_can() {
        let pieces = vec![(1, 0, 0.5), (0, 1, 0.25), (0, 1, 0.25)];
        assert_eq!(gather(2, 2, pieces.clone(), true).targets(), Some(&[1, 0][..]));
        assert_eq!(gather(2, 2, pieces, false).len(), 2);
        assert!(!gather(2, 2, vec![(0, 0, 0.5), (1, 0, 0.5)], true).is_matching());
    }
}
