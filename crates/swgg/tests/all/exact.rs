//! Exact transport: every answer is certified, small ones are compared with brute force.

use std::ops::ControlFlow;

use crate::common::*;
use proptest::prelude::*;
use swgg::bound::lower_bounds;
use swgg::cost::SqEuclidean;
use swgg::exact::{Start, by_costs, exact, from_start, on_support};
use swgg::{CostIs, ErrorKind, Measure, MinSwgg, Parallelism, Progress, Run, Stop, Transport, line, ndarray};
use swgg::{paper::swgg_coupling, plan::Potentials, sliced::max_sliced};
use swgg_testkit::{
    Cloud, Posed, assignment_cost, exact_cost, exact_cost_weighted, gaussian_pair, low_dimensional_pair,
    multimodal_pair, scaled, translated,
};

fn solve(mu: &Measure, nu: &Measure, p: f64) -> Transport {
    let found = powered(mu, nu, p, &mut Run::on_threads(1)).unwrap();
    certify(&found, mu, nu, p);
    found
}

fn powered(mu: &Measure, nu: &Measure, p: f64, run: &mut Run) -> swgg::Result<Transport> {
    from_start(&question(mu, nu).with_power(p)?, Start::default(), run)
}

fn duals(found: &Transport) -> &Potentials {
    found.potentials.as_ref().unwrap()
}

/// How far the bound is below the cost.
fn slack(found: &Transport) -> f64 {
    found.cost - found.lower_bound.unwrap()
}

/// Trusts nothing but the points.
#[track_caller]
fn certify(found: &Transport, mu: &Measure, nu: &Measure, p: f64) {
    let weights = |measure: &Measure| (0..measure.len()).map(|i| measure.weight(i)).collect::<Vec<_>>();
    let posed = Posed { x: mu.points(), y: nu.points(), dim: mu.dim(), a: &weights(mu), b: &weights(nu), p };
    let reach = mu.points().iter().chain(nu.points()).fold(1.0_f64, |m, x| m.max(x.abs()));
    let tolerance = 1e-11 * (2.0 * reach * (mu.dim() as f64).sqrt()).powf(p).max(1.0);
    let potentials = duals(found);
    posed.certify(found.plan().unwrap().entries(), &potentials.source, &potentials.target, tolerance);
    if let Some(bound) = found.lower_bound {
        assert!(bound <= found.cost && found.cost - bound <= tolerance);
    }
    assert_eq!(found.stop, Stop::Converged);
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
        prop_assert!(found.plan().unwrap().is_matching());
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
        let line = plain(MinSwgg::new(), &measure(&x), &measure(&y), Run::default());
        assert!(found.cost <= line.cost);
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
            assert!(slack(&found) <= 1e-9 * (1.0 + found.cost), "{x:?} {y:?}");
            if x == y {
                assert_eq!(found.cost, 0.0);
            }
        }
    }
    // One point against many, and next to no mass on some.
    let (one, many) = (Measure::from_slice(&[0.0, 0.0], 2).unwrap(), Measure::from_slice(&grid, 2).unwrap());
    assert_eq!(solve(&one, &many, 2.0).plan().unwrap().len(), 30);
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
    let found = powered(&mu, &nu, 2.0, &mut Run::default().watched(&mut stop)).unwrap();
    let least = exact(&mu, &nu).unwrap().cost;
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.lower_bound.unwrap() <= least && least <= found.cost);
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12);
}

/// POT's network simplex finds the same costs on 200 small problems, ties and weights among them. The inputs come from seeds;
/// `cargo xtask golden` writes the file.
#[test]
fn as_pot() {
    let all = golden(include_str!("../golden/exact.csv"));
    assert_eq!(all.len(), 200);
    for Golden { seed, source, target, cost } in all {
        let found = solve(&source, &target, 2.0).cost;
        assert!((found - cost).abs() <= 1e-9 * cost.max(1e-12), "seed {seed}: {found}, POT {cost}");
    }
}

/// A start changes where the solver begins, not where it ends.
#[test]
fn any_start_ends_at_the_same_cost() {
    let (x, y) = gaussian_pair(150, 3, 3, 5);
    let weights: Vec<f64> = (0..150).map(|i| f64::from(1 + i % 7)).collect();
    let pairs = [(measure(&x), measure(&y)), (measure(&x).with_weights(&weights).unwrap(), measure(&y))];
    for (mu, nu) in pairs {
        let least = solve(&mu, &nu, 2.0);
        let rough = plain(MinSwgg::new(), &mu, &nu, Run::default()).into_plan().unwrap();
        let zeros = Potentials { source: vec![0.0; 150], target: vec![0.0; 150] };
        let from = |plan, potentials| {
            from_start(&question(&mu, &nu), Start { plan, potentials }, &mut Run::default()).unwrap()
        };
        for (plan, potentials) in [
            (Some(&rough), None),
            (Some(&rough), Some(&zeros)),
            (None, Some(&zeros)),
            (None, Some(duals(&least))),
            (least.coupling.as_ref(), Some(duals(&least))),
        ] {
            let found = from(plan, potentials);
            close(found.cost, least.cost, 1e-11 * (1.0 + least.cost), "cost");
            certify(&found, &mu, &nu, 2.0);
        }
    }
    let (mu, nu) = (measure(&x), measure(&y));
    let short = Potentials { source: vec![0.0; 3], target: vec![0.0; 3] };
    let start = Start { potentials: Some(&short), ..Default::default() };
    let refused = from_start(&question(&mu, &nu), start, &mut Run::default()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::PotentialCount { found: 3, expected: 150 }), "{refused}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Costs from a matrix give what the points give; so does the complete support, and a support with the best plan in it.
    #[test]
    fn matrices_and_supports(((x, a), (y, b), _) in weighted_pairs(25), p in prop_oneof![Just(1.0), Just(2.0)]) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let least = solve(&mu, &nu, p);
        let asked = question(&mu, &nu).with_power(p).unwrap();
        let on = |support: &[(u32, u32)], start| on_support(&asked, support, start, &mut Run::default()).unwrap();
        let tolerance = 1e-10 * scale(&[&x, &y]);
        let pay = |i: usize, j: usize| {
            let square: f64 = mu.point(i).iter().zip(nu.point(j)).map(|(x, y)| (x - y) * (x - y)).sum();
            square.sqrt().powf(p)
        };
        let costs = ndarray::Array2::from_shape_fn((mu.len(), nu.len()), |(i, j)| pay(i, j));
        let found = by_costs(costs.view(), mu.weights(), nu.weights(), &mut Run::default()).unwrap();
        close(found.cost, least.cost, tolerance, "cost of the matrix");
        certify(&found, &mu, &nu, p);

        let all: Vec<(u32, u32)> =
            (0..mu.len() as u32).flat_map(|i| (0..nu.len() as u32).map(move |j| (i, j))).collect();
        let found = on(&all, Start::default());
        close(found.cost, least.cost, tolerance, "cost on all arcs");
        certify(&found, &mu, &nu, p);

        let mut some: Vec<(u32, u32)> = least.plan().unwrap().entries().map(|(i, j, _)| (i as u32, j as u32)).collect();
        some.extend(all.iter().step_by(3));
        let found = on(&some, Start::default());
        close(found.cost, least.cost, tolerance, "cost on arcs with the best plan");
        prop_assert!(found.plan().unwrap().entries().all(|(i, j, _)| some.contains(&(i as u32, j as u32))));
        prop_assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12);
        prop_assert_eq!((found.lower_bound, found.cost_is), (None, CostIs::Upper));
        prop_assert!(found.cost - duals(&found).value(&mu, &nu) <= tolerance);
        for &(i, j) in &some {
            let room = pay(i as usize, j as usize)
                - duals(&found).source[i as usize]
                - duals(&found).target[j as usize];
            prop_assert!(room >= -tolerance, "potentials of {i} and {j} exceed the cost by {}", -room);
        }

        // The arcs of a plan along a line: nothing cheaper than that plan among them, and never below the optimum.
        let line = swgg_coupling(&mu, &nu, &line::Direction::axis(mu.dim(), 0).unwrap()).unwrap();
        let arcs: Vec<(u32, u32)> = line.entries().map(|(i, j, _)| (i as u32, j as u32)).collect();
        let start = Start { plan: Some(&line), ..Default::default() };
        let found = on(&arcs, start);
        let along = line.cost(&mu, &nu, &swgg::cost::Power::new(p).unwrap()).unwrap();
        prop_assert!(found.cost <= along + tolerance && found.cost >= least.cost - tolerance);
    }
}

#[test]
fn supports_that_do_not_suffice() {
    let (mu, nu) = (
        Measure::from_slice(&[0.0, 1.0, 2.0], 1).unwrap(),
        Measure::from_slice(&[0.0, 1.0, 2.0], 1).unwrap(),
    );
    let asked = question(&mu, &nu);
    let on = |arcs: &[(u32, u32)]| on_support(&asked, arcs, Start::default(), &mut Run::default());
    // The best plan of these needs the dearest arc.
    close(on(&[(0, 0), (0, 2), (1, 0), (2, 1)]).unwrap().cost, (4.0 + 1.0 + 1.0) / 3.0, 1e-15, "cost");
    for arcs in [&[][..], &[(0, 0), (1, 0), (2, 0), (0, 1)], &[(0, 0), (1, 1)]] {
        let refused = on(arcs).unwrap_err();
        assert!(
            matches!(refused.kind(), ErrorKind::InfeasibleSupport { share } if *share > 0.3),
            "{refused}"
        );
    }
    let refused = on(&[(0, 0), (3, 0)]).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::IndexOutOfRange { position: 1, .. }), "{refused}");
}

/// High exponents make costs of very different sizes: small ones still count.
#[test]
fn high_exponents() {
    let (x, y) = gaussian_pair(80, 3, 3, 4);
    let (mu, nu) = (measure(&x), measure(&y));
    let weights: Vec<u32> = (0..80).map(|i| 1 + i % 3).collect();
    for p in [6.0, 20.0] {
        for (mu, nu) in [(&mu, &nu), (&weighted(&x, &weights), &nu)] {
            let found = powered(mu, nu, p, &mut Run::default()).unwrap();
            assert!(slack(&found) <= 1e-9 * found.cost, "p = {p}: {found:?}");
        }
    }
    let refused = powered(&mu, &nu, 1000.0, &mut Run::default()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::CostOverflow { .. }), "{refused}");
}

/// Paths along curves are long, and the simplex takes over.
#[test]
fn curves_are_certified() {
    let mut draws = Draws(1);
    let circle = |turns: Vec<f64>| Cloud {
        points: turns.iter().flat_map(|t| [(7.0 * t).cos(), (7.0 * t).sin()]).collect(),
        dim: 2,
    };
    let (x, y) = (circle(draws.several(400)), circle(draws.several(400)));
    solve(&measure(&x), &measure(&y), 2.0);
    let line = |turns: Vec<f64>| Cloud { points: turns, dim: 1 };
    let (x, y) = (line(draws.several(400)), line(draws.several(300)));
    let (mu, nu) = (measure(&x), measure(&y));
    close(solve(&mu, &nu, 2.0).cost, line::cost(&mu, &nu, 2.0).unwrap(), 1e-12, "cost");
}

#[test]
fn matrices_that_are_refused() {
    let solve = |costs: ndarray::Array2<f64>, a: Option<&[f64]>| {
        by_costs(costs.view(), a, None, &mut Run::default()).unwrap_err()
    };
    let costs = ndarray::array![[1.0, 2.0], [3.0, -4.0]];
    let refused = solve(costs.clone(), None);
    assert!(matches!(refused.kind(), ErrorKind::BadCost { row: 1, column: 1, .. }), "{refused}");
    let refused = solve(costs.mapv(f64::sqrt), None);
    assert!(matches!(refused.kind(), ErrorKind::BadCost { row: 1, column: 1, .. }), "{refused}");
    let refused = solve(costs.mapv(f64::abs), Some(&[1.0; 3]));
    assert!(matches!(refused.kind(), ErrorKind::WeightCount { found: 3, expected: 2 }), "{refused}");
    assert!(matches!(solve(ndarray::Array2::zeros((0, 2)), None).kind(), ErrorKind::Empty));
}

/// Hundreds of points use samples, cores and rounds; costs of 1e30 and equal clouds included.
#[test]
fn larger_clouds_are_certified() {
    let (x, y) = gaussian_pair(600, 3, 3, 9);
    let weights: Vec<u32> = (0..600).map(|i| i % 5).collect();
    let huge = |cloud: &Cloud| Cloud { points: cloud.points.iter().map(|x| 1e15 * x).collect(), dim: 3 };
    solve(&measure(&x), &measure(&y), 2.0);
    solve(&measure(&x), &measure(&y), 1.0);
    solve(&weighted(&x, &weights), &measure(&y), 2.0);
    solve(&measure(&huge(&x)), &measure(&huge(&y)), 2.0);
    let same = exact(&measure(&x), &measure(&x)).unwrap();
    assert_eq!(same.cost, 0.0);
    let grid = Cloud { points: (0..1800).map(|k| f64::from(k * 7 % 4)).collect(), dim: 3 };
    let shifted = Cloud { points: (0..1800).map(|k| f64::from(k * 5 % 4)).collect(), dim: 3 };
    solve(&measure(&grid), &measure(&shifted), 2.0);
    solve(&weighted(&grid, &weights), &measure(&shifted), 2.0);
}

#[test]
fn seeds_and_threads_do_not_change_the_cost() {
    let (x, y) = gaussian_pair(120, 4, 4, 3);
    let (mu, nu) = (measure(&x), measure(&y));
    let with = |seed, threads| powered(&mu, &nu, 2.0, &mut Run { seed, ..Run::on_threads(threads) }).unwrap();
    assert_eq!(with(0, 1), with(0, 2));
    close(with(0, 1).cost, with(5, 1).cost, 1e-12, "cost");
    assert!(powered(&mu, &nu, 0.5, &mut Run::default()).is_err());
}
