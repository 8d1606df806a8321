//! Plans of a few lines, merged among themselves.

use super::clouds::Clouds;
use super::merge::{Matching, way_back};
use super::short::Short;
use crate::scalar::Scalar;

/// A matching made of some lines, in short rows.
///
/// Two matchings by unrelated lines differ in one long cycle and little else, so that taking the cheaper one of each cycle is, in
/// effect, taking the cheaper one. That is what is done here: the dearer one only proposes exchanges. What comes out is never
/// dearer than any of the lines.
pub(super) struct Sheaf {
    target_of: Vec<u32>,
    /// The way back, once it has been asked for.
    source_of: Option<Vec<u32>>,
    /// `- sum <x_i, y_T(i)>` in short rows: half of the cost, up to what all matchings share.
    score: f64,
}

/// Points whose leaps are computed before any of them is decided: decisions cannot be foreseen, and loads that wait behind them would
/// come one at a time.
const BLOCK: usize = 64;
/// More than what the score of a point loses to single precision.
const ROUNDING: f64 = 2e-6;

impl Sheaf {
    pub fn new(target_of: Vec<u32>, short: &Short) -> Self {
        let score = -short.agreement(&target_of);
        Sheaf { target_of, source_of: None, score }
    }

    /// Both in one.
    pub fn merged<T: Scalar>(self, other: Sheaf, clouds: &Clouds<'_, T>, short: &Short) -> Self {
        if other.is_cheaper(&self, clouds) {
            other.improved(&self, clouds, short)
        } else {
            self.improved(&other, clouds, short)
        }
    }

    fn is_cheaper<T: Scalar>(&self, other: &Sheaf, clouds: &Clouds<'_, T>) -> bool {
        let rise = self.score - other.score;
        if rise.abs() > ROUNDING * self.target_of.len() as f64 {
            return rise < 0.0;
        }
        clouds.cost(&self.target_of) < clouds.cost(&other.target_of)
    }

    /// Exchanges two targets wherever the other one says so and it pays.
    fn improved<T: Scalar>(mut self, other: &Sheaf, clouds: &Clouds<'_, T>, short: &Short) -> Self {
        let mut source_of = self.source_of.take().unwrap_or_else(|| way_back(&self.target_of));
        let n = self.target_of.len();
        let mut leaps = [Default::default(); BLOCK];
        for start in (0..n).step_by(BLOCK) {
            let range = start..n.min(start + BLOCK);
            for (leap, (&mine, &theirs)) in leaps
                .iter_mut()
                .zip(self.target_of[range.clone()].iter().zip(&other.target_of[range.clone()]))
            {
                *leap = (short.leap(mine, theirs), mine);
            }
            for (a, (leap, before)) in range.zip(leaps) {
                let (mine, theirs) = (self.target_of[a], other.target_of[a]);
                if mine == theirs {
                    continue;
                }
                // An exchange within the block may have changed where the leap begins.
                let leap = if mine == before { leap } else { short.leap(mine, theirs) };
                let b = source_of[theirs as usize] as usize;
                let accord = short.accord([a, b], leap).unwrap_or_else(|| {
                    let unit = clouds.unit;
                    (unit * (unit * clouds.accord([a, b], [mine as usize, theirs as usize]))) as f32
                });
                if accord < 0.0 {
                    self.score += f64::from(accord);
                    self.target_of[a] = theirs;
                    self.target_of[b] = mine;
                    source_of[theirs as usize] = a as u32;
                    source_of[mine as usize] = b as u32;
                }
            }
        }
        self.source_of = Some(source_of);
        self
    }

    pub fn matching(self) -> Matching {
        match self.source_of {
            Some(source_of) => Matching { target_of: self.target_of, source_of },
            None => Matching::new(self.target_of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_dearer_than_either() {
        let mut numbers = crate::sampler::Gaussians::new(3, 0);
        let mut points = || {
            let mut rows = vec![0.0; 400 * 3];
            numbers.fill(&mut rows);
            rows
        };
        let (x, y) = (points(), points());
        let clouds = Clouds::new(&x, &y, 3);
        let short = Short::new(&clouds).expect("three coordinates");
        let shuffled = |step: usize| (0..400).map(|i| ((i * step + 7) % 400) as u32).collect::<Vec<u32>>();
        let mut all = Sheaf::new(shuffled(1), &short);
        for step in [3, 7, 9, 11, 13, 17, 19, 21, 23] {
            let other = Sheaf::new(shuffled(step), &short);
            let before = clouds.cost(&all.target_of).min(clouds.cost(&other.target_of));
            all = all.merged(other, &clouds, &short);
            assert!(clouds.cost(&all.target_of) < before);
            // The score is kept up to date, and so is the way back.
            assert!((all.score + short.agreement(&all.target_of)).abs() < 1e-3);
            assert_eq!(all.source_of.as_deref(), Some(way_back(&all.target_of).as_slice()));
        }
    }
}
