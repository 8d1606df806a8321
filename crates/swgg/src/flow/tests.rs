//! Candidates, auctions and the simplex along candidates against exact transport, however small the problem.

use std::ops::ControlFlow;

use proptest::prelude::*;
use swgg_testkit::{clouds, weights};

use super::matching::halved;
use super::{Goal, improved};
use crate::cost::SqEuclidean;
use crate::ensemble::improve::improvable;
use crate::exact::exact;
use crate::measure::{Measure, of_cloud as measure};
use crate::question::Question;
use crate::run::observe::{Observe, Progress};
use crate::run::workers::{Parallelism, Workers};

/// The cost of the plan and the bound of the prices, from the plan of one tree.
fn pursued(mu: &Measure, nu: &Measure, goal: Goal, watch: &mut dyn Observe) -> [f64; 2] {
    let workers = Workers::new(Parallelism::Serial).unwrap();
    let start = improvable(mu, nu, 1, &workers).unwrap().coupling();
    let question = Question::new(mu, nu).unwrap();
    let found = improved(&question, &start, goal, (1, &workers), watch).unwrap().unwrap();
    assert!(found.coupling.marginal_gap(mu, nu).unwrap() < 1e-15);
    [found.coupling.cost(mu, nu, &SqEuclidean).unwrap(), found.dual.unwrap().value]
}

#[track_caller]
fn check(mu: &Measure, nu: &Measure) {
    let best = exact(mu, nu).unwrap().cost;
    let reach = mu.points().iter().chain(nu.points()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let rounding = 1e-11 * (1.0 + reach * reach) * mu.dim() as f64;
    let [cost, bound] = pursued(mu, nu, Goal::Optimal, &mut ());
    assert!((cost - best).abs() <= rounding, "{cost} is not the optimum {best}");
    assert!(bound <= best + rounding && bound >= best - 100.0 * rounding, "{bound} does not prove {best}");
    let [cost, bound] = pursued(mu, nu, Goal::Gap(0.1), &mut ());
    assert!(bound <= best + rounding && best <= cost + rounding);
    assert!(cost <= 1.1 * bound + 100.0 * rounding, "{cost} is not within a tenth of {bound}");
    // Told to stop at once, there is a plan and a bound all the same.
    let [cost, bound] = pursued(mu, nu, Goal::Optimal, &mut |_: &Progress| ControlFlow::Break(()));
    assert!(bound <= best + rounding && best <= cost + rounding);
}

proptest! {
    #[test]
    fn halves_have_one_of_every_two_neighbours_on_both_sides(
        plan in (1..=60_u32).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
        mut random: u64,
    ) {
        let pairs: Vec<(u32, u32)> = (0..).zip(plan).collect();
        let half = halved(&pairs, &mut random);
        let mut sides: [Vec<u32>; 2] = [half.iter().map(|pair| pair.0).collect(), half.iter().map(|pair| pair.1).collect()];
        for side in &mut sides {
            side.sort_unstable();
            let of_both = (0..pairs.len() as u32 / 2).all(|k| side.iter().filter(|&&i| i / 2 == k).count() == 1);
            assert!(of_both, "{side:?} is not one of every two of {}", pairs.len());
        }
        assert!(half.iter().all(|pair| pairs.contains(pair)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn matchings_are_optimal(
        (x, y) in (1..=80_usize, 1..=8_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d))),
    ) {
        check(&measure(&x, None), &measure(&y, None));
    }

    #[test]
    fn plans_that_split_points_are_optimal(
        ((x, a), (y, b)) in (1..=40_usize, 1..=40_usize, 1..=6_usize)
            .prop_flat_map(|(n, m, d)| ((clouds(n, d), weights(n)), (clouds(m, d), weights(m)))),
    ) {
        check(&measure(&x, Some(&a)), &measure(&y, Some(&b)));
    }
}

#[test]
fn samples_teach_prices() {
    // Enough pairs for two levels of samples; a curve, a lattice with coincidences, and two samples of one law.
    for (n, dim, shape) in [(700, 2, 0), (700, 2, 1), (1100, 3, 2)] {
        let mut state = 7_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut cloud = || -> Vec<f64> {
            (0..n)
                .flat_map(|_| match shape {
                    0 => {
                        let (sine, cosine) = (std::f64::consts::TAU * draw()).sin_cos();
                        vec![cosine, 2.0 * sine]
                    }
                    1 => vec![(20.0 * draw()).floor(), (20.0 * draw()).floor()],
                    _ => vec![draw(), draw(), draw()],
                })
                .collect()
        };
        let (x, y) = (cloud(), cloud());
        check(&Measure::from_slice(&x, dim).unwrap(), &Measure::from_slice(&y, dim).unwrap());
    }
}

#[test]
fn heavy_points_hold_more_than_their_candidates() {
    // One source in ten goes to some thirty targets, and in the other direction so many sources go to one target.
    let mut state = 3_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (x, y): (Vec<f64>, Vec<f64>) =
        ((0..200).map(|_| draw()).collect(), (0..600).map(|_| draw()).collect());
    let weights: Vec<f64> = (0..100).map(|i| if i % 10 == 0 { 1.0 } else { 1e-4 * (1.0 + draw()) }).collect();
    let heavy = Measure::from_slice(&x, 2).unwrap().with_weights(&weights).unwrap();
    let light = Measure::from_slice(&y, 2).unwrap();
    check(&heavy, &light);
    check(&light, &heavy);
}
