//! Two matchings into one that is as cheap as either, or cheaper.

use super::clouds::Clouds;
use crate::scalar::Scalar;

/// A bijection, both ways.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matching {
    pub target_of: Vec<u32>,
    pub source_of: Vec<u32>,
}

impl Matching {
    pub fn new(target_of: Vec<u32>) -> Self {
        let mut source_of = vec![0; target_of.len()];
        target_of.iter().enumerate().for_each(|(i, &j)| source_of[j as usize] = i as u32);
        Matching { target_of, source_of }
    }

    /// Both in one.
    pub fn merged<T: Scalar>(mut self, other: Matching, clouds: &Clouds<'_, T>) -> Self {
        self.merge(&other, clouds);
        self
    }

    fn pair(&mut self, i: usize, j: u32) {
        self.target_of[i] = j;
        self.source_of[j as usize] = i as u32;
    }

    /// Takes from `other` what makes this one cheaper.
    ///
    /// First whole cycles: following this matching forward and the other one back, points fall into cycles, and on each the two
    /// matchings use the same targets; the cheaper one is kept. Then single exchanges: where the other one sends `a` elsewhere, `a`
    /// may swap targets with whoever is there.
    pub fn merge<T: Scalar>(&mut self, other: &Matching, clouds: &Clouds<'_, T>) {
        let n = self.target_of.len();
        let mut seen = vec![false; n];
        for start in 0..n {
            if seen[start] {
                continue;
            }
            let (mut a, mut rise, mut differ) = (start, 0.0, false);
            while !seen[a] {
                seen[a] = true;
                let (mine, theirs) = (self.target_of[a], other.target_of[a]);
                if mine != theirs {
                    rise += clouds.dearer(a, [theirs as usize, mine as usize]);
                    differ = true;
                }
                a = other.source_of[mine as usize] as usize;
            }
            if differ && rise < 0.0 {
                let mut a = start;
                loop {
                    // `source_of` of the other one is not touched, so the cycle can be walked once more.
                    let next = other.source_of[self.target_of[a] as usize] as usize;
                    self.pair(a, other.target_of[a]);
                    a = next;
                    if a == start {
                        break;
                    }
                }
            }
        }
        for a in 0..n {
            let (mine, theirs) = (self.target_of[a], other.target_of[a]);
            if mine != theirs {
                let b = self.source_of[theirs as usize] as usize;
                if clouds.accord([a, b], [mine as usize, theirs as usize]) < 0.0 {
                    self.pair(a, theirs);
                    self.pair(b, mine);
                }
            }
        }
    }
}
