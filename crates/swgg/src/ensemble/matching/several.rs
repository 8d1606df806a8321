//! Several matchings into one.

use super::clouds::UniformClouds;
use super::lines::halved;
use super::merge::Matching;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

/// One matching that costs no more than any of these, of which there is at least one; each must be a bijection.
pub(crate) fn merged<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    matchings: &[Vec<u32>],
    workers: &Workers,
) -> Vec<u32> {
    let clouds = UniformClouds::new(source.points(), target.points(), source.dim());
    let forks = workers.count() > 1;
    workers.install(|| {
        let merge = |low: Matching, high: Matching| low.merged(high, &clouds);
        let one = |k: usize| Matching::new(matchings[k].clone());
        let merged = halved(0..matchings.len(), forks, &one, &merge).map_or(Vec::new(), |all| all.target_of);
        // Merges leave alone what single precision does not see: an input may be cheaper by that much.
        let costs = matchings.iter().map(|given| clouds.cost(given));
        let least = costs.zip(matchings).min_by(|one, other| one.0.total_cmp(&other.0));
        let given = least.filter(|(cost, _)| *cost < clouds.cost(&merged));
        given.map_or(merged, |(_, given)| given.clone())
    })
}
