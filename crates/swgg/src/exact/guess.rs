//! Prices between Gaussians.

use super::exact;
use super::ground::Distances;
use super::start::SupplyDemand;
use crate::cost::sq_distance;
use crate::error::Result;
use crate::gaussian::prices_between;
use crate::measure::Measure;
use crate::number::mass::Unit;
use crate::number::scalar::Scalar;

/// Covariances take `n d^2` operations, eigenvectors `d^3`: beyond this dimension a guess is not worth them.
const MAX_GUESS_DIM: usize = 32;

/// The prices that would be right if both clouds were Gaussian. For squared distances only; none where they cannot be computed.
pub(super) fn gaussian_prices<U: Unit>(ground: &Distances, load: SupplyDemand<'_, U>) -> Option<Vec<f64>> {
    if ground.power.exponent() != 2.0 || ground.dim > MAX_GUESS_DIM {
        return None;
    }
    let measure = |rows: Vec<f64>, masses: &[U]| {
        let weights: Vec<f64> = masses.iter().map(|w| w.to_f64()).collect();
        Measure::from_vec(rows, ground.dim).and_then(|measure| measure.with_weights(&weights)).ok()
    };
    let source = measure(ground.sources.clone(), load.supply)?;
    let target = measure(ground.target_rows(0..load.demand.len() as u32), load.demand)?;
    prices_between(&source, &target)
}

/// Points of each side that are looked at to see whether a guess is right.
const JUDGED_POINTS: usize = 256;
/// Candidates of a source: how far apart they are is the scale of chance.
const CANDIDATES: usize = 16;
/// Between clouds that are images of each other but for chance, the guess misses the optimum by about this share of that scale at most. Measured
/// with 256 points: 0.08 to 0.18 between Gaussians and samples of one law, seldom more; 0.26 to 1.3 elsewhere in the plane and in space, but
/// 0.13 to 0.6 along curves.
const MAX_MISSED_SHARE: f64 = 0.2;

/// Ranks of two neighbours of a point whose distances tell how many dimensions points spread in.
const NEIGHBOUR_RANKS: [usize; 2] = [4, 16];
/// Points that spread in fewer dimensions than this lie along a curve.
const MIN_SPREAD_DIM: f64 = 1.5;

/// Whether the prices between the Gaussians fitted to both clouds are right but for chance, judged by a sample of both. What is left to settle
/// is among neighbours then: none of them far, unless points lie along a curve, where whoever moves pushes everybody along.
pub(crate) fn are_gaussian_images<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<bool> {
    let [x, y] = [sampled(source)?, sampled(target)?];
    if x.len() != y.len() || x.len() <= CANDIDATES || lies_along_curve(&x) {
        return Ok(false);
    }
    let Some(prices) = prices_between(&x, &y) else { return Ok(false) };
    let (mut bound, mut apart) = (0.0, 0.0);
    for i in 0..x.len() {
        let pays = |j: usize| -> f64 {
            let squares = x.point(i).iter().zip(y.point(j)).map(|(x, y)| (x - y) * (x - y));
            squares.sum::<f64>() - prices[j]
        };
        let mut pays: Vec<f64> = (0..y.len()).map(pays).collect();
        let (nearer, &mut last, _) = pays.select_nth_unstable_by(CANDIDATES - 1, f64::total_cmp);
        let least = nearer.iter().fold(last, |least, pays| least.min(*pays));
        bound += least + prices[i];
        apart += last - least;
    }
    let optimum = exact(&x, &y)?.cost * x.len() as f64;
    Ok(optimum - bound <= MAX_MISSED_SHARE * apart)
}

/// Whether points spread in hardly more than one dimension: in `k` dimensions the squared distance of the neighbour of rank `r` grows like `r^(2/k)`.
fn lies_along_curve(cloud: &Measure<f64>) -> bool {
    let [near, far] = NEIGHBOUR_RANKS;
    let growth = |i: usize| {
        let mut squares: Vec<f64> =
            (0..cloud.len()).map(|j| sq_distance(cloud.point(i), cloud.point(j))).collect();
        let (nearer, &mut at_far, _) = squares.select_nth_unstable_by(far, f64::total_cmp);
        let (_, &mut at_near, _) = nearer.select_nth_unstable_by(near, f64::total_cmp);
        if at_near > 0.0 { (at_far / at_near).ln() } else { 0.0 }
    };
    let mean = (0..cloud.len()).map(growth).sum::<f64>() / cloud.len() as f64;
    mean > (far as f64 / near as f64).ln() * 2.0 / MIN_SPREAD_DIM
}

/// Evenly spread points of a cloud, at most as many as are judged.
fn sampled<T: Scalar>(cloud: &Measure<T>) -> Result<Measure<'static, f64>> {
    let count = cloud.len().min(JUDGED_POINTS);
    let picked = (0..count).map(|k| k * cloud.len() / count);
    let rows: Vec<f64> = picked.flat_map(|i| cloud.point(i)).map(|x| x.to_f64()).collect();
    Measure::from_vec(rows, cloud.dim())
}

#[cfg(test)]
mod tests {
    use swgg_testkit::{Random, gaussian_pair};

    use super::{are_gaussian_images, lies_along_curve};
    use crate::measure::Measure;

    fn judged(x: &[f64], y: &[f64], dim: usize) -> bool {
        let cloud = |rows: &[f64]| Measure::from_vec(rows.to_vec(), dim).expect("a cloud");
        are_gaussian_images(&cloud(x), &cloud(y)).expect("judged")
    }

    #[test]
    fn gaussians_are_linear_images_of_each_other() {
        for seed in 0..5 {
            let (x, y) = gaussian_pair(1000, 5, 5, seed);
            assert!(judged(&x.points, &y.points, 5), "seed {seed}");
        }
    }

    #[test]
    fn curves_are_told_from_surfaces() {
        for seed in 0..5 {
            let mut random = Random(seed);
            let mut lies = |is_curve: bool| {
                let point = |_: usize| {
                    let (angle, height) = (std::f64::consts::TAU * random.uniform(), random.uniform());
                    [angle.cos(), angle.sin(), if is_curve { (2.0 * angle).sin() } else { height }]
                };
                let rows = (0..256).flat_map(point).collect();
                lies_along_curve(&Measure::from_vec(rows, 3).expect("a cloud"))
            };
            assert_eq!([true, false].map(&mut lies), [true, false], "seed {seed}");
        }
    }

    #[test]
    fn halves_that_move_apart_are_not_linear_images() {
        for seed in 0..5 {
            let (x, y) = gaussian_pair(1000, 2, 2, seed);
            let middle = y.points.iter().step_by(2).sum::<f64>() / 1000.0;
            let farther = |c: usize, y: f64| if c == 0 { y + 20.0 * (y - middle).signum() } else { y };
            assert!(!judged(&x.points, &y.map(farther).points, 2), "seed {seed}");
        }
    }
}
