//! The matching of a batch of lines, merged among themselves.

use super::clouds::UniformClouds;
use super::merge::Matching;
use super::packed::{POINTS_PER_BLOCK, PackedClouds, SwapBlock};
use crate::number::scalar::Scalar;

/// A matching made of some lines, never dearer than any of them.
///
/// Two matchings by unrelated lines differ in one long cycle and little else, so that taking the cheaper one of each cycle is, in
/// effect, taking the cheaper one. Where rows are packed that is what is done: the dearer one only proposes exchanges.
pub(super) struct BatchMatching {
    target_of: Vec<u32>,
    /// The source of each target, once it has been asked for.
    source_of: Option<Vec<u32>>,
    /// `- sum <x_i, y_T(i)>` in packed rows: half of the cost, up to what all matchings share. Zero where rows are not packed.
    score: i64,
}

/// A swap of targets that may pay: between point `k` of a block, now sent to `mine`, and point `b`.
#[derive(Clone, Copy, Default)]
struct Candidate {
    k: usize,
    mine: u32,
    b: u32,
}

impl BatchMatching {
    pub fn new(target_of: Vec<u32>, packed: Option<&PackedClouds>) -> Self {
        let score = packed.map_or(0, |packed| -packed.agreement(&target_of));
        BatchMatching { target_of, source_of: None, score }
    }

    /// Both merged into one.
    pub fn merged<T: Scalar>(
        self,
        other: BatchMatching,
        clouds: &UniformClouds<'_, T>,
        packed: Option<&PackedClouds>,
    ) -> Self {
        match packed {
            Some(packed) if other.is_cheaper(&self, clouds, packed.doubt) => {
                other.improved(&self, clouds, packed)
            }
            Some(packed) => self.improved(&other, clouds, packed),
            None => {
                let Matching { target_of, source_of } = self.matching().merged(other.matching(), clouds);
                BatchMatching { target_of, source_of: Some(source_of), score: 0 }
            }
        }
    }

    pub fn cost<T: Scalar>(&self, clouds: &UniformClouds<'_, T>) -> f64 {
        clouds.cost(&self.target_of)
    }

    fn is_cheaper<T: Scalar>(
        &self,
        other: &BatchMatching,
        clouds: &UniformClouds<'_, T>,
        doubt: i64,
    ) -> bool {
        let rise = self.score - other.score;
        if rise.abs() > doubt {
            return rise < 0;
        }
        clouds.cost(&self.target_of) < clouds.cost(&other.target_of)
    }

    fn improved<T: Scalar>(
        self,
        other: &BatchMatching,
        clouds: &UniformClouds<'_, T>,
        packed: &PackedClouds,
    ) -> Self {
        let score = self.score;
        let mut matching = self.matching();
        let rise = exchange(&mut matching, &other.target_of, clouds, packed);
        let Matching { target_of, source_of } = matching;
        BatchMatching { target_of, source_of: Some(source_of), score: score + rise }
    }

    pub fn matching(self) -> Matching {
        match self.source_of {
            Some(source_of) => Matching { target_of: self.target_of, source_of },
            None => Matching::new(self.target_of),
        }
    }
}

/// Exchanges two targets wherever the other matching proposes it and it pays; returns by how much that changes the score.
///
/// Nobody can foresee which exchanges pay, so all of a block are weighed without a branch, and those that seem to pay are weighed
/// again: an exchange within the block may have changed them.
fn exchange<T: Scalar>(
    matching: &mut Matching,
    other: &[u32],
    clouds: &UniformClouds<'_, T>,
    packed: &PackedClouds,
) -> i64 {
    let Matching { target_of, source_of } = matching;
    let mut candidates = [Candidate::default(); POINTS_PER_BLOCK];
    let mut swaps = SwapBlock::default();
    let mut rise = 0;
    for (block, theirs) in other.chunks(POINTS_PER_BLOCK).enumerate() {
        let start = block * POINTS_PER_BLOCK;
        let mine = &target_of[start..start + theirs.len()];
        packed.weigh(start, mine, theirs, source_of, &mut swaps);
        let mut found = 0;
        for (k, (&mine, &theirs)) in mine.iter().zip(theirs).enumerate() {
            candidates[found] = Candidate { k, mine, b: swaps.others[k] };
            found += usize::from((mine != theirs) & swaps.swap_at(k).may_pay());
        }
        for candidate in &candidates[..found] {
            let (a, theirs) = ((start + candidate.k) as u32, theirs[candidate.k]);
            let (mine, b) = (target_of[a as usize], source_of[theirs as usize]);
            let as_weighed = (mine, b) == (candidate.mine, candidate.b);
            let swap = if as_weighed {
                swaps.swap_at(candidate.k)
            } else {
                packed.swap_between([a, b], [mine, theirs])
            };
            let in_full =
                || clouds.swap_rise([a, b].map(|i| i as usize), [mine, theirs].map(|j| j as usize)) < 0.0;
            if swap.pays().unwrap_or_else(in_full) {
                rise += i64::from(swap.product);
                target_of[a as usize] = theirs;
                target_of[b as usize] = mine;
                source_of[theirs as usize] = a;
                source_of[mine as usize] = b;
            }
        }
    }
    rise
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_dearer_than_either() {
        let mut numbers = crate::line::sampler::Gaussians::new(3, 0);
        let mut points = || {
            let mut rows = vec![0.0; 400 * 3];
            numbers.fill(&mut rows);
            rows
        };
        let (x, y) = (points(), points());
        let clouds = UniformClouds::new(&x, &y, 3);
        let packed = PackedClouds::new(&clouds).expect("three coordinates");
        let shuffled = |step: usize| (0..400).map(|i| ((i * step + 7) % 400) as u32).collect::<Vec<u32>>();
        let mut all = BatchMatching::new(shuffled(1), Some(&packed));
        for step in [3, 7, 9, 11, 13, 17, 19, 21, 23] {
            let other = BatchMatching::new(shuffled(step), Some(&packed));
            let before = clouds.cost(&all.target_of).min(clouds.cost(&other.target_of));
            all = all.merged(other, &clouds, Some(&packed));
            assert!(clouds.cost(&all.target_of) < before);
            // The score is kept up to date, and so is the way back.
            assert_eq!(all.score, -packed.agreement(&all.target_of));
            assert_eq!(all.source_of, Some(Matching::new(all.target_of.clone()).source_of));
        }
    }
}
