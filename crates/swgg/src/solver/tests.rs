//! Plans that did not go to the exact solver, however small the problem.

use proptest::prelude::*;
use swgg_testkit::{clouds, weights};

use super::bounding::bounded;
use super::{Auto, Solver};
use crate::answer::Transport;
use crate::ensemble::improve::improvable;
use crate::exact::exact;
use crate::measure::{Measure, of_cloud as measure};
use crate::question::Question;
use crate::run::Run;
use crate::run::workers::{Parallelism, Workers};

/// Trees, merged and refined, with bounds.
fn refined(mu: &Measure, nu: &Measure, effort: u8) -> Transport {
    let mut run = Run::on_threads(1);
    let found = Auto { effort }.refined(&Question::new(mu, nu).unwrap(), None, &mut run).unwrap();
    bounded(found, &Question::new(mu, nu).unwrap(), &run).unwrap()
}

/// The optimum lies between the bound and the cost, and the plan is a plan.
#[track_caller]
fn check(mu: &Measure, nu: &Measure, effort: u8) {
    let (found, best) = (refined(mu, nu, effort), exact(mu, nu).unwrap());
    let reach = mu.points().iter().chain(nu.points()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let rounding = 1e-12 * (1.0 + reach * reach) * mu.dim() as f64;
    assert!(best.cost <= found.cost + rounding, "{} below the optimum {}", found.cost, best.cost);
    let bound = found.lower_bound.unwrap();
    assert!(bound <= best.cost + rounding, "a bound of {bound} above the optimum {}", best.cost);
    let plan = found.plan().unwrap();
    assert!(plan.marginal_gap(mu, nu).unwrap() < 1e-15);
    assert!(plan.len() < mu.len() + nu.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_optimum_is_between_bound_and_cost(
        (x, y) in (1..=60_usize, 1..=8_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d))),
        effort in 1..=4_u8,
    ) {
        check(&measure(&x, None), &measure(&y, None), effort);
    }

    #[test]
    fn the_optimum_is_between_bound_and_cost_with_weights(
        ((x, a), (y, b)) in (1..=40_usize, 1..=40_usize, 1..=6_usize)
            .prop_flat_map(|(n, m, d)| ((clouds(n, d), weights(n)), (clouds(m, d), weights(m)))),
        effort in 1..=3_u8,
    ) {
        check(&measure(&x, Some(&a)), &measure(&y, Some(&b)), effort);
    }

    /// Fewer points than dimensions.
    #[test]
    fn few_points_in_many_dimensions(
        (x, y) in (1..=20_usize, 9..=40_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d))),
    ) {
        check(&measure(&x, None), &measure(&y, None), 2);
    }
}

fn grid(n: usize, dim: usize, seed: usize) -> Vec<f64> {
    (0..n * dim).map(|k| ((k * 7919 + seed * 104_729 + k * k % 97) % 1013) as f64 / 100.0).collect()
}

#[test]
fn no_step_raises_the_cost() {
    let weighed: Vec<f64> = (0..700).map(|k| 1.0 + f64::from(k % 5)).collect();
    for (n, m, dim) in [(900, 900, 2), (900, 700, 3), (500, 500, 20)] {
        let (x, y) = (grid(n, dim, 1), grid(m, dim, 2));
        let mu = Measure::from_slice(&x, dim).unwrap();
        let mut nu = Measure::from_slice(&y, dim).unwrap();
        if m == 700 {
            nu = nu.with_weights(&weighed).unwrap();
        }
        let workers = Workers::new(Parallelism::Serial).unwrap();
        let mut improvable = improvable(&mu, &nu, 5, &workers).unwrap();
        let mut before = improvable.cost();
        for step in 0..40 {
            match step % 5 {
                0 => {
                    improvable.grow(2);
                    improvable.merge();
                }
                _ => {
                    improvable.refine();
                }
            }
            let cost = improvable.coupling().cost(&mu, &nu, &crate::cost::SqEuclidean).unwrap();
            assert!(cost <= before * (1.0 + 1e-12), "step {step}: from {before} to {cost}");
            assert!((cost - improvable.cost()).abs() <= 1e-9 * cost);
            before = cost;
        }
        let best = exact(&mu, &nu).unwrap().cost;
        assert!(before < 1.03 * best + 1e-9, "n {n}, m {m}, d {dim}: {before} against {best}");
    }
}

#[test]
fn a_single_block_is_solved() {
    // Up to 64 pairs make one block, so one pass finds the optimum.
    for dim in [1, 2, 5, 70] {
        let (x, y) = (grid(64, dim, 3), grid(64, dim, 4));
        let (mu, nu) = (Measure::from_slice(&x, dim).unwrap(), Measure::from_slice(&y, dim).unwrap());
        let (found, best) = (refined(&mu, &nu, 1).cost, exact(&mu, &nu).unwrap().cost);
        assert!(found <= best * (1.0 + 1e-6), "{found} against {best}");
    }
}

#[test]
fn far_away_and_very_large_clouds() {
    let (x, y) = (grid(300, 3, 5), grid(300, 3, 6));
    let plain = |x: &[f64], y: &[f64]| {
        let (mu, nu) = (Measure::from_slice(x, 3).unwrap(), Measure::from_slice(y, 3).unwrap());
        refined(&mu, &nu, 3)
    };
    let near = plain(&x, &y);
    for scale in [1e-120, 1e100] {
        let change = |points: &[f64]| points.iter().map(|x| x * scale).collect::<Vec<_>>();
        let large = plain(&change(&x), &change(&y));
        let ratio = large.cost / scale / scale / near.cost;
        assert!((ratio - 1.0).abs() < 0.02, "{scale}: {ratio}");
        assert!(large.lower_bound.unwrap() <= large.cost);
    }
    let away = plain(&x, &y.iter().map(|y| y + 1e7).collect::<Vec<_>>());
    assert!(away.cost > 2.9e14 && away.gap().unwrap() < 1e-3);
}

/// Points around some centres, by their index; `step` puts them on a lattice, where costs tie.
fn high(count: usize, dim: usize, seed: f64, step: Option<f64>) -> Vec<f64> {
    let coordinate = |k: usize| {
        let x = (k as f64 * 7.31 + seed).sin() + 2.0 * ((k / dim % 7) as f64 + seed).cos();
        step.map_or(x, |step| (x / step).round() * step)
    };
    (0..count * dim).map(coordinate).collect()
}

#[test]
fn auctions_with_all_pairs_before_them_prove_what_they_say() {
    for (n, dim, step) in [(600, 130, None), (620, 128, Some(1.0))] {
        let (x, y) = (high(n, dim, 0.1, step), high(n, dim, 0.7, step));
        let (mu, nu) = (Measure::from_slice(&x, dim).unwrap(), Measure::from_slice(&y, dim).unwrap());
        let question = Question::new(&mu, &nu).unwrap();
        let best = exact(&mu, &nu).unwrap().cost;
        let mut before = f64::INFINITY;
        for effort in 1..=4 {
            let solve = |threads| Auto { effort }.answer(&question, &mut Run::on_threads(threads)).unwrap();
            let found = solve(1);
            assert!(found.story.contains("auction"), "{}", found.story);
            let bound = found.lower_bound.unwrap();
            assert!(bound <= best * (1.0 + 1e-12) && best <= found.cost * (1.0 + 1e-12), "{bound} {best}");
            assert!(found.gap().unwrap() <= 0.031 && found.cost <= before, "effort {effort}");
            before = found.cost;
            for threads in [2, 5] {
                let again = solve(threads);
                assert_eq!((again.cost, again.lower_bound), (found.cost, found.lower_bound));
                assert_eq!(again.coupling, found.coupling);
            }
        }
    }
}
