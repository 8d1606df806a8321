//! Plans of a few lines, merged among themselves.

use super::clouds::Clouds;
use super::merge::Matching;
use super::short::{BLOCK, Short, Weighed};
use crate::number::scalar::Scalar;

/// A matching made of some lines, never dearer than any of them.
///
/// Two matchings by unrelated lines differ in one long cycle and little else, so that taking the cheaper one of each cycle is, in
/// effect, taking the cheaper one. Where rows are short that is what is done: the dearer one only proposes exchanges.
pub(super) struct Sheaf {
    target_of: Vec<u32>,
    /// The way back, once it has been asked for.
    source_of: Option<Vec<u32>>,
    /// `- sum <x_i, y_T(i)>` in short rows: half of the cost, up to what all matchings share. Zero where rows are not short.
    score: i64,
}

/// An exchange that may pay: of point `k` of a block, sent to `mine`, with `b`.
#[derive(Clone, Copy, Default)]
struct Hope {
    k: usize,
    mine: u32,
    b: u32,
}

impl Sheaf {
    pub fn new(target_of: Vec<u32>, short: Option<&Short>) -> Self {
        let score = short.map_or(0, |short| -short.agreement(&target_of));
        Sheaf { target_of, source_of: None, score }
    }

    /// Both in one.
    pub fn merged<T: Scalar>(self, other: Sheaf, clouds: &Clouds<'_, T>, short: Option<&Short>) -> Self {
        match short {
            Some(short) if other.is_cheaper(&self, clouds, short.doubt) => {
                other.improved(&self, clouds, short)
            }
            Some(short) => self.improved(&other, clouds, short),
            None => {
                let Matching { target_of, source_of } = self.matching().merged(other.matching(), clouds);
                Sheaf { target_of, source_of: Some(source_of), score: 0 }
            }
        }
    }

    pub fn cost<T: Scalar>(&self, clouds: &Clouds<'_, T>) -> f64 {
        clouds.cost(&self.target_of)
    }

    fn is_cheaper<T: Scalar>(&self, other: &Sheaf, clouds: &Clouds<'_, T>, doubt: i64) -> bool {
        let rise = self.score - other.score;
        if rise.abs() > doubt {
            return rise < 0;
        }
        clouds.cost(&self.target_of) < clouds.cost(&other.target_of)
    }

    fn improved<T: Scalar>(self, other: &Sheaf, clouds: &Clouds<'_, T>, short: &Short) -> Self {
        let score = self.score;
        let mut matching = self.matching();
        let rise = exchange(&mut matching, &other.target_of, clouds, short);
        let Matching { target_of, source_of } = matching;
        Sheaf { target_of, source_of: Some(source_of), score: score + rise }
    }

    pub fn matching(self) -> Matching {
        match self.source_of {
            Some(source_of) => Matching { target_of: self.target_of, source_of },
            None => Matching::new(self.target_of),
        }
    }
}

/// Exchanges two targets wherever the other matching says so and it pays; by how much that changes the score.
///
/// Nobody can foresee which exchanges pay, so a block of them is weighed without asking, and those that seem to pay are looked at
/// again: an exchange within the block may have changed them.
fn exchange<T: Scalar>(matching: &mut Matching, other: &[u32], clouds: &Clouds<'_, T>, short: &Short) -> i64 {
    let Matching { target_of, source_of } = matching;
    let mut hopes = [Hope::default(); BLOCK];
    let mut weighed = Weighed::default();
    let mut rise = 0;
    for (block, theirs) in other.chunks(BLOCK).enumerate() {
        let start = block * BLOCK;
        let mine = &target_of[start..start + theirs.len()];
        short.weigh(start, mine, theirs, source_of, &mut weighed);
        let mut found = 0;
        for (k, (&mine, &theirs)) in mine.iter().zip(theirs).enumerate() {
            hopes[found] = Hope { k, mine, b: weighed.others[k] };
            found += usize::from((mine != theirs) & weighed.accord(k).may_pay());
        }
        for hope in &hopes[..found] {
            let (a, theirs) = ((start + hope.k) as u32, theirs[hope.k]);
            let (mine, b) = (target_of[a as usize], source_of[theirs as usize]);
            let as_weighed = (mine, b) == (hope.mine, hope.b);
            let accord =
                if as_weighed { weighed.accord(hope.k) } else { short.accord([a, b], [mine, theirs]) };
            let in_full =
                || clouds.accord([a, b].map(|i| i as usize), [mine, theirs].map(|j| j as usize)) < 0.0;
            if accord.pays().unwrap_or_else(in_full) {
                rise += i64::from(accord.product);
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
        let clouds = Clouds::new(&x, &y, 3);
        let short = Short::new(&clouds).expect("three coordinates");
        let shuffled = |step: usize| (0..400).map(|i| ((i * step + 7) % 400) as u32).collect::<Vec<u32>>();
        let mut all = Sheaf::new(shuffled(1), Some(&short));
        for step in [3, 7, 9, 11, 13, 17, 19, 21, 23] {
            let other = Sheaf::new(shuffled(step), Some(&short));
            let before = clouds.cost(&all.target_of).min(clouds.cost(&other.target_of));
            all = all.merged(other, &clouds, Some(&short));
            assert!(clouds.cost(&all.target_of) < before);
            // The score is kept up to date, and so is the way back.
            assert_eq!(all.score, -short.agreement(&all.target_of));
            assert_eq!(all.source_of, Some(Matching::new(all.target_of.clone()).source_of));
        }
    }
}
