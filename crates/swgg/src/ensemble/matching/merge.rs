//! Two matchings into one that is as cheap as either, or cheaper.

use super::clouds::UniformClouds;
use super::cycles::{Cycles, Step};
use crate::number::scalar::Scalar;

/// A bijection, both ways.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matching {
    pub target_of: Vec<u32>,
    pub source_of: Vec<u32>,
}

impl Matching {
    pub fn new(target_of: Vec<u32>) -> Self {
        Matching { source_of: way_back(&target_of), target_of }
    }

    /// Both merged into one.
    pub fn merged<T: Scalar>(mut self, other: Matching, clouds: &UniformClouds<'_, T>) -> Self {
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
    /// may swap targets with the source that is sent there now.
    pub fn merge<T: Scalar>(&mut self, other: &Matching, clouds: &UniformClouds<'_, T>) {
        self.take_cycles(other, clouds);
        for a in 0..self.target_of.len() {
            let (mine, theirs) = (self.target_of[a], other.target_of[a]);
            if mine != theirs {
                let b = self.source_of[theirs as usize] as usize;
                if clouds.swap_rise([a, b], [mine as usize, theirs as usize]) < 0.0 {
                    self.pair(a, theirs);
                    self.pair(b, mine);
                }
            }
        }
    }

    fn take_cycles<T: Scalar>(&mut self, other: &Matching, clouds: &UniformClouds<'_, T>) {
        let unit = clouds.unit;
        // All steps first, in order of memory: a walk along a cycle then waits for one load a step.
        let pairs = self.target_of.iter().zip(&other.target_of).enumerate();
        let step = |(a, (&mine, &theirs)): (usize, (&u32, &u32))| {
            let dearer = clouds.dearer(a, [theirs as usize, mine as usize]);
            Step { next: other.source_of[mine as usize], rise: (unit * (unit * dearer)) as f32 }
        };
        // Rises are kept in single precision: what they do not show is not taken.
        let cycles =
            Cycles::new(pairs.map(step).collect(), |sum| sum.rise < -SINGLE_PRECISION_LOSS * sum.size);
        for a in cycles.chosen() {
            self.pair(a, other.target_of[a]);
        }
    }
}

/// The source that is sent to each target.
fn way_back(target_of: &[u32]) -> Vec<u32> {
    let mut source_of = vec![0; target_of.len()];
    target_of.iter().enumerate().for_each(|(i, &j)| source_of[j as usize] = i as u32);
    source_of
}

/// A bound on the relative error of numbers in single precision.
const SINGLE_PRECISION_LOSS: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_exchanges() {
        let x = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];
        let clouds = UniformClouds::new(&x, &x, 1);
        // One has the first cycle right, the other the second.
        let mut one = Matching::new(vec![0, 1, 2, 4, 5, 3]);
        let other = Matching::new(vec![1, 2, 0, 3, 4, 5]);
        one.merge(&other, &clouds);
        assert_eq!(one, Matching::new(vec![0, 1, 2, 3, 4, 5]));
        // No cycle alone is better, exchanges are.
        let mut one = Matching::new(vec![1, 0, 2, 3, 4, 5]);
        one.merge(&Matching::new(vec![0, 2, 3, 4, 5, 1]), &clouds);
        assert_eq!(one, Matching::new(vec![0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn never_dearer_than_either() {
        let mut numbers = crate::line::sampler::Gaussians::new(3, 0);
        let mut points = || {
            let mut rows = vec![0.0; 400 * 2];
            numbers.fill(&mut rows);
            rows
        };
        let (x, y) = (points(), points());
        let clouds = UniformClouds::new(&x, &y, 2);
        let shuffled = |step: usize| Matching::new((0..400).map(|i| ((i * step + 7) % 400) as u32).collect());
        let mut all = shuffled(1);
        for step in [3, 7, 9, 11, 13, 17, 19, 21, 23] {
            let other = shuffled(step);
            let before = clouds.cost(&all.target_of).min(clouds.cost(&other.target_of));
            all.merge(&other, &clouds);
            assert!(clouds.cost(&all.target_of) <= before);
            assert_eq!(Matching::new(all.target_of.clone()).source_of, all.source_of);
        }
    }
}
