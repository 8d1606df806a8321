//! Exact transport: every answer is certified, small ones are compared with brute force.

#![allow(clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use common::*;
use proptest::prelude::*;
use swgg::{
    Exact, ExactTransport, Measure, MinSwgg, Parallelism, Progress, SqEuclidean, Stop, exact, line,
    lower_bounds, max_sliced, swgg_coupling,
};
use swgg_testkit::{
    Cloud, Posed, assignment_cost, exact_cost, exact_cost_weighted, gaussian_pair, low_dimensional_pair,
    multimodal_pair, scaled, translated,
};

fn solve(mu: &Measure, nu: &Measure, p: f64) -> ExactTransport {
    let found = Exact { p, parallelism: Parallelism::Serial, ..Default::default() }.solve(mu, nu).unwrap();
    let weights = |measure: &Measure| (0..measure.len()).map(|i| measure.weight(i)).collect::<Vec<_>>();
    let posed = Posed { x: mu.points(), y: nu.points(), dim: mu.dim(), a: &weights(mu), b: &weights(nu), p };
    let reach = mu.points().iter().chain(nu.points()).fold(1.0_f64, |m, x| m.max(x.abs()));
    let tolerance = 1e-11 * (2.0 * reach * (mu.dim() as f64).sqrt()).powf(p).max(1.0);
    posed.certify(found.coupling.entries(), &found.potentials.source, &found.potentials.target, tolerance);
    assert!(found.lower_bound <= found.cost && found.cost - found.lower_bound <= tolerance);
    assert_eq!(found.stop, Stop::Converged);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Brute force over all matchings agrees; no plan of a line is cheaper.
    #[test]
    fn as_brute_force((x, y, theta) in pairs(1..=7)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let found = solve(&mu, &nu, 2.0);
        let tolerance = 1e-11 * scale(&[&x, &y]);
        close(found.cost, exact_cost(&x.points, &y.points, x.dim), tolerance, "cost");
        prop_assert!(found.coupling.is_matching());
        let along = swgg_coupling(&mu, &nu, &theta).unwrap().cost(&mu, &nu, &SqEuclidean).unwrap();
        prop_assert!(found.cost <= along + tolerance);
        prop_assert!(max_sliced(&mu, &nu).unwrap().cost <= found.cost + tolerance);
        let bounds = lower_bounds(&mu, &nu, &[theta], Parallelism::Serial).unwrap();
        prop_assert!(bounds.best() <= found.cost + tolerance, "{:?}", bounds);
    }

    /// The same with weights, zero among them, and unequal sizes.
    #[test]
    fn as_brute_force_with_weights(((x, a), (y, b), _) in small_weighted_pairs()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let expected = exact_cost_weighted(&x.points, &a, &y.points, &b, x.dim);
        let tolerance = 1e-11 * scale(&[&x, &y]);
        close(solve(&mu, &nu, 2.0).cost, expected, tolerance, "cost");
        prop_assert!(lower_bounds(&mu, &nu, &[], Parallelism::Serial).unwrap().best() <= expected + tolerance);
    }

    /// Larger clouds, ties and duplicates included, any exponent: the certificate is the test.
    #[test]
    fn certified(((x, a), (y, b), _) in weighted_pairs(40), p in prop_oneof![Just(1.0), Just(2.0), Just(3.0), 1.0..3.0_f64]) {
        solve(&weighted(&x, &a), &weighted(&y, &b), p);
        solve(&measure(&x), &measure(&y), p);
    }

    /// In dimension one sorting is optimal for every exponent.
    #[test]
    fn on_the_line(((x, a), (y, b), _) in weighted_pairs(20), p in 1.0..3.0_f64) {
        let flat = |cloud: &Cloud| Cloud { points: cloud.points.iter().copied().step_by(cloud.dim).collect(), dim: 1 };
        let (x, y) = (flat(&x), flat(&y));
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let expected = line::cost(&mu, &nu, p).unwrap();
        close(solve(&mu, &nu, p).cost, expected, 1e-10 * (1.0 + expected), "cost");
    }
}

#[test]
fn hundreds_of_points() {
    let pairs = [
        gaussian_pair(250, 3, 3, 0),
        gaussian_pair(200, 20, 4, 1),
        multimodal_pair(200, 0),
        low_dimensional_pair(200, 0),
    ];
    for (x, y) in pairs {
        let found = solve(&measure(&x), &measure(&y), 2.0);
        close(found.cost, assignment_cost(&x.points, &y.points, x.dim), 1e-10 * scale(&[&x, &y]), "cost");
        assert!(found.cost <= MinSwgg::new().solve(&measure(&x), &measure(&y)).unwrap().cost);
    }
}

#[test]
fn known_answers() {
    for known in [translated(60, [1.0, 2.0, 2.0]), scaled(60, 1.7, [0.3, -2.0, 1.0])] {
        let (mu, nu) =
            (Measure::from_slice(&known.source, 3).unwrap(), Measure::from_slice(&known.target, 3).unwrap());
        close(solve(&mu, &nu, 2.0).cost, known.cost, 1e-12, "cost");
    }
}

/// Clouds that break careless solvers.
#[test]
fn degenerate_clouds() {
    let equal = [1.5; 40];
    let grid: Vec<f64> = (0..60).map(|k| f64::from(k % 3)).collect();
    let far: Vec<f64> = grid.iter().map(|x| 1e9 + x).collect();
    let tiny: Vec<f64> = grid.iter().map(|x| 1e-15 * x).collect();
    let huge: Vec<f64> = grid.iter().map(|x| 1e15 * x).collect();
    for (x, y) in [
        (&equal[..], &equal[..]),
        (&grid, &grid),
        (&grid, &far),
        (&tiny, &tiny),
        (&huge, &grid),
        (&equal, &grid),
    ] {
        for d in [1, 2, 4] {
            let (mu, nu) = (Measure::from_slice(x, d).unwrap(), Measure::from_slice(y, d).unwrap());
            let found = exact(&mu, &nu).unwrap();
            assert!(found.cost - found.lower_bound <= 1e-9 * (1.0 + found.cost), "{x:?} {y:?}");
            if x == y {
                assert_eq!(found.cost, 0.0);
            }
        }
    }
    // One point against many, and next to no mass on some.
    let (one, many) = (Measure::from_slice(&[0.0, 0.0], 2).unwrap(), Measure::from_slice(&grid, 2).unwrap());
    assert_eq!(solve(&one, &many, 2.0).coupling.len(), 30);
    let mut weights = vec![1e-300; 30];
    weights[7] = 1.0;
    let spike = Measure::from_slice(&grid, 2).unwrap().with_weights(&weights).unwrap();
    solve(&spike, &many, 2.0);
    let (x, y) = gaussian_pair(40, 500, 500, 0);
    solve(&measure(&x), &measure(&y), 2.0);
}

#[test]
fn stopped_early_it_has_a_plan_and_a_bound() {
    let (x, y) = gaussian_pair(400, 3, 3, 2);
    let (mu, nu) = (measure(&x), measure(&y));
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let found = Exact::default().solve_watched(&mu, &nu, &mut stop).unwrap();
    let least = exact(&mu, &nu).unwrap().cost;
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.lower_bound <= least && least <= found.cost);
    assert!(found.coupling.marginal_gap(&mu, &nu).unwrap() < 1e-12);
}

#[test]
fn seeds_and_threads_do_not_change_the_cost() {
    let (x, y) = gaussian_pair(120, 4, 4, 3);
    let (mu, nu) = (measure(&x), measure(&y));
    let with = |seed, threads| {
        Exact { seed, parallelism: Parallelism::from_count(threads), ..Default::default() }
            .solve(&mu, &nu)
            .unwrap()
    };
    assert_eq!(with(0, 1), with(0, 2));
    close(with(0, 1).cost, with(5, 1).cost, 1e-12, "cost");
    assert!(Exact { p: 0.5, ..Default::default() }.solve(&mu, &nu).is_err());
}
