//! Several matchings into one.

use super::clouds::Clouds;
use super::merge::Matching;
use super::short::Short;
use super::tree::join;
use crate::measure::Measure;
use crate::par::Workers;
use crate::scalar::Scalar;

/// One matching that costs no more than any of these, of which there is at least one; each must be a bijection.
pub(crate) fn merged<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    matchings: &[Vec<u32>],
    workers: &Workers,
) -> Vec<u32> {
    let clouds = Clouds::new(source.points(), target.points(), source.dim());
    let several = Several { clouds, short: Short::new(&clouds), forks: workers.count() > 1 };
    workers.install(|| {
        let merged = several.merged(matchings).target_of;
        // Merges leave alone what single precision does not see: an input may be cheaper by that much.
        let costs = matchings.iter().map(|given| clouds.cost(given));
        let least = costs.zip(matchings).min_by(|one, other| one.0.total_cmp(&other.0));
        let given = least.filter(|(cost, _)| *cost < clouds.cost(&merged));
        given.map_or(merged, |(_, given)| given.clone())
    })
}

struct Several<'a, T> {
    clouds: Clouds<'a, T>,
    short: Option<Short>,
    forks: bool,
}

impl<T: Scalar> Several<'_, T> {
    /// Half with half: the same merges whoever makes them.
    fn merged(&self, matchings: &[Vec<u32>]) -> Matching {
        match matchings {
            [one] => Matching::new(one.clone()),
            _ => {
                let (low, high) = matchings.split_at(matchings.len() / 2);
                let (low, high) = join(self.forks, || self.merged(low), || self.merged(high));
                low.merged(high, &self.clouds, self.short.as_ref())
            }
        }
    }
}
