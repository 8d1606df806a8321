//! The dual bound: never above exact transport, and close to it where it should be.

use std::num::NonZeroUsize;

use proptest::collection::vec;
use proptest::prelude::*;
use swgg_testkit::{Cloud, clouds, gaussian_pair, weights};

use super::dual::{certify, proved};
use crate::answer::Transport;
use crate::cost::{SqEuclidean, sq_distance};
use crate::dual::DualBound;
use crate::error::ErrorKind;
use crate::exact::exact;
use crate::line::sampler::Gaussians;
use crate::measure::Measure;
use crate::plan::coupling::{Coo, Coupling};
use crate::pricing::{Metric, ground};
use crate::question::Question;
use crate::run::workers::{Parallelism, Workers};

fn weighted<'a>(cloud: &'a Cloud, weights: &[u32]) -> Measure<'a> {
    let weights: Vec<f64> = weights.iter().map(|w| f64::from(*w)).collect();
    measure(cloud).with_weights(&weights).unwrap()
}

fn measure(cloud: &Cloud) -> Measure<'_> {
    Measure::from_slice(&cloud.points, cloud.dim).unwrap()
}

/// What rounding errors are measured against.
fn scale(mu: &Measure, nu: &Measure) -> f64 {
    1.0 + mu.points().iter().chain(nu.points()).map(|x| x * x).fold(0.0, f64::max) * mu.dim() as f64
}

#[track_caller]
fn check(found: &DualBound, mu: &Measure, nu: &Measure, best: &Transport) {
    assert!(found.value <= best.cost, "{} is above {}", found.value, best.cost);
    let potentials = &found.potentials;
    for (i, u) in potentials.source.iter().enumerate() {
        for (j, v) in potentials.target.iter().enumerate() {
            let cost = sq_distance(mu.point(i), nu.point(j));
            let tolerance = 1e-12 * (scale(mu, nu) + u.abs() + v.abs());
            assert!(u + v <= cost + tolerance, "{i} {j}: {u} + {v} is above {cost}");
        }
    }
    let value = potentials.value(mu, nu).max(0.0);
    let size = potentials.source.iter().chain(&potentials.target).fold(scale(mu, nu), |m, p| m.max(p.abs()));
    assert!((value - found.value).abs() <= 1e-11 * size, "{value} and {}", found.value);
}

/// Any plan: what is left of both sides, in order.
fn some_plan(mu: &Measure, nu: &Measure) -> Coupling {
    let (mut sources, mut targets, mut masses) = (Vec::new(), Vec::new(), Vec::new());
    let (mut i, mut j, mut left, mut room) = (0, 0, mu.weight(0), nu.weight(0));
    loop {
        let mass = left.min(room);
        sources.push(i);
        targets.push(j);
        masses.push(mass);
        (left, room) = (left - mass, room - mass);
        if left <= room {
            i += 1;
            if i as usize == mu.len() {
                break;
            }
            left = mu.weight(i as usize);
        } else {
            j += 1;
            if j as usize == nu.len() {
                break;
            }
            room = nu.weight(j as usize);
        }
    }
    Coupling::sparse(mu.len(), nu.len(), Coo { sources, targets, masses }).unwrap()
}

type Weighted = (Cloud, Vec<u32>);

fn weighted_pairs() -> impl Strategy<Value = (Weighted, Weighted, Vec<f64>)> {
    (1..=40_usize, 1..=40_usize, prop_oneof![4 => 1..=8_usize, 1 => 9..=45_usize]).prop_flat_map(
        |(n, m, d)| ((clouds(n, d), weights(n)), (clouds(m, d), weights(m)), vec(-1.0..1.0_f64, m)),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Ties, duplicates, flat clouds, more dimensions than points, weights with zeros among them; prices good and silly.
    #[test]
    fn never_above((x, y, noise) in weighted_pairs(), size in prop_oneof![Just(0.0), Just(1.0), Just(100.0), Just(1e9)], far in prop_oneof![Just(0.0), Just(1e6)]) {
        let workers = Workers::Caller;
        let moved = y.0.map(|_, y| y + far);
        for (mu, nu) in [(weighted(&x.0, &x.1), weighted(&moved, &y.1)), (measure(&x.0), measure(&moved))] {
            let best = exact(&mu, &nu).unwrap();
            let plan = some_plan(&mu, &nu);
            let noise: Vec<f64> = noise.iter().map(|v| size * v).collect();
            check(&proved(&Question::new(&mu, &nu).unwrap(), &noise, None, 0, &workers).unwrap().unwrap(), &mu, &nu, &best);
            check(&proved(&Question::new(&mu, &nu).unwrap(), &noise, Some(&plan), 3, &workers).unwrap().unwrap(), &mu, &nu, &best);
            check(&certify(&Question::new(&mu, &nu).unwrap(), &plan, &workers, 0).unwrap().unwrap(), &mu, &nu, &best);
            check(&certify(&Question::new(&mu, &nu).unwrap(), best.plan().unwrap(), &workers, 0).unwrap().unwrap(), &mu, &nu, &best);
            let prices = &best.potentials.as_ref().unwrap().target;
            for plan in [None, Some(best.plan().unwrap())] {
                let found = proved(&Question::new(&mu, &nu).unwrap(), prices, plan, 2, &workers).unwrap().unwrap();
                check(&found, &mu, &nu, &best);
                prop_assert!(found.value >= best.cost - 1e-11 * scale(&mu, &nu), "{} of {}", found.value, best.cost);
            }
        }
    }

    /// Whatever the tree skips is not cheaper.
    #[test]
    fn trees_find_the_cheapest(d in 1..=10_usize, n in 1..300_usize, m in 1..300_usize, size in prop_oneof![Just(0.0), Just(1.0), Just(1e6)], smooth in any::<bool>(), seed in any::<u64>()) {
        let mut draws = Gaussians::new(seed, 0);
        let mut rows = |count: usize| { let mut rows = vec![0.0; count * d]; draws.fill(&mut rows); rows };
        let (x, y, mut prices) = (rows(n), rows(m), rows(m)[..m].to_vec());
        prices.iter_mut().enumerate().for_each(|(j, v)| {
            let place = y[j * d] * y[j * d] - 3.0 * y[j * d + d - 1];
            *v = size * if smooth { place } else { *v };
        });
        let workers = Workers::Caller;
        let ground = ground(&x, &y, d, Metric::SQUARED, &workers).unwrap();
        let [sources, targets] = ground.order();
        let in_order: Vec<f64> = targets.iter().map(|&j| prices[j as usize]).collect();
        let near = vec![(m / 2) as u32; n];
        for near in [None, Some(&near[..])] {
            let (values, choice) = ground.values(&in_order, near, &workers);
            for (place, &i) in sources.iter().enumerate() {
                let point = &x[i as usize * d..(i as usize + 1) * d];
                let all = y.chunks_exact(d).zip(&prices).map(|(y, v)| sq_distance(point, y) - v);
                let least = all.fold(f64::INFINITY, f64::min);
                prop_assert!((values[place] - least).abs() <= 1e-13 * (100.0 + size));
                let chosen = ground.cost(place, choice[place] as usize) - in_order[choice[place] as usize];
                prop_assert!((values[place] - chosen).abs() <= 1e-13 * (100.0 + size));
            }
        }
    }
}

#[test]
fn close_from_an_optimal_plan() {
    for (n, d, seed, most) in [(1000, 2, 0, 0.01), (1000, 3, 1, 0.01), (600, 5, 2, 0.02), (400, 12, 3, 0.08)]
    {
        let (x, y) = gaussian_pair(n, d, d, seed);
        let (mu, nu) = (measure(&x), measure(&y));
        let best = exact(&mu, &nu).unwrap();
        let found = certify(&Question::new(&mu, &nu).unwrap(), best.plan().unwrap(), &Workers::Caller, 0)
            .unwrap()
            .unwrap();
        check(&found, &mu, &nu, &best);
        assert!(best.cost <= (1.0 + most) * found.value, "d {d}: {} of {}", found.value, best.cost);
    }
}

#[test]
fn threads_do_not_matter() {
    let (x, y) = gaussian_pair(5000, 3, 3, 5);
    let (mu, nu) = (measure(&x), measure(&y));
    let plan = crate::min_swgg(&mu, &nu).unwrap().into_plan().unwrap();
    let bound =
        |workers: Workers| certify(&Question::new(&mu, &nu).unwrap(), &plan, &workers, 0).unwrap().unwrap();
    let one = bound(Workers::Caller);
    assert!(one.value > 0.0 && one.value <= plan.cost(&mu, &nu, &SqEuclidean).unwrap());
    for threads in [2, 3] {
        let pool = Workers::new(Parallelism::Threads(NonZeroUsize::new(threads).unwrap())).unwrap();
        assert_eq!(bound(pool), one);
    }
}

#[test]
fn single_precision() {
    let (x, y) = gaussian_pair(300, 3, 3, 6);
    let narrow = |cloud: &Cloud| cloud.points.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let (x, y) = (narrow(&x), narrow(&y));
    let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
    let best = exact(&mu, &nu).unwrap();
    let prices = &best.potentials.as_ref().unwrap().target;
    let found =
        proved(&Question::new(&mu, &nu).unwrap(), prices, None, 0, &Workers::Caller).unwrap().unwrap();
    assert!(found.value <= best.cost && found.value >= best.cost * (1.0 - 1e-9));
}

#[test]
fn far_apart_and_out_of_range() {
    // Clouds that are small and far apart keep their digits; where squares overflow nothing is claimed.
    let (x, y) = gaussian_pair(50, 2, 2, 7);
    let far = y.map(|_, y| y + 1e9);
    let (mu, nu) = (measure(&x), measure(&far));
    let best = exact(&mu, &nu).unwrap();
    let found = certify(&Question::new(&mu, &nu).unwrap(), best.plan().unwrap(), &Workers::Caller, 0)
        .unwrap()
        .unwrap();
    assert!(found.value <= best.cost && found.value >= best.cost * (1.0 - 1e-12));
    let huge = x.map(|_, x| 1e148 * x);
    let (mu, nu) = (measure(&huge), measure(&y));
    let found =
        proved(&Question::new(&mu, &nu).unwrap(), &[0.0; 50], None, 0, &Workers::Caller).unwrap().unwrap();
    assert!(found.value >= 0.0 && found.value.is_finite());
}

#[test]
fn what_does_not_fit_is_refused() {
    let (x, y) = gaussian_pair(5, 2, 2, 8);
    let (mu, nu) = (measure(&x), measure(&y));
    let workers = Workers::Caller;
    let refused = |prices: &[f64]| {
        proved(&Question::new(&mu, &nu).unwrap(), prices, None, 0, &workers).unwrap_err().kind().clone()
    };
    assert_eq!(refused(&[0.0; 4]), ErrorKind::PotentialCount { found: 4, expected: 5 });
    assert!(matches!(refused(&[0.0, 0.0, f64::NAN, 0.0, 0.0]), ErrorKind::NotFinite { row: 2, .. }));
    let small = Coupling::from_map(vec![1, 0]).unwrap();
    assert!(certify(&Question::new(&mu, &nu).unwrap(), &small, &workers, 0).is_err());
    // Too many points for too many dimensions.
    let many = Measure::from_vec(vec![0.0; 9 * 20_001], 9).unwrap();
    assert_eq!(
        proved(&Question::new(&many, &many).unwrap(), &[0.0; 20_001], None, 0, &workers).unwrap(),
        None
    );
}
