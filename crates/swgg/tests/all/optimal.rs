//! The optimum at scale: proofs, gaps, threads, stopping.

use std::ops::ControlFlow;

use crate::common::{Draws, question};
use swgg::ndarray::Array2;
use swgg::solver::build;
use swgg::{Auto, ErrorKind, Exact, Measure, Progress, Run, Solver, Stop};

fn cube(n: usize, dim: usize, seed: u64) -> Vec<f64> {
    Draws(seed).several(n * dim)
}

fn cloud(points: &[f64], dim: usize) -> Measure<'_> {
    Measure::from_slice(points, dim).unwrap()
}

#[test]
fn exact_is_optimal_and_proved_whatever_the_threads() {
    let (x, y) = (cube(3000, 3, 1), cube(3000, 3, 2));
    let (mu, nu) = (cloud(&x, 3), cloud(&y, 3));
    let ask = question(&mu, &nu);
    let found = [1, 2, 5].map(|threads| Exact.answer(&ask, &mut Run::on_threads(threads)).unwrap());
    assert_eq!((&found[0], &found[0]), (&found[1], &found[2]));
    assert!(found[0].gap().unwrap() < 1e-9, "{:?}", found[0].gap());
    // The parts find the same by looking at all pairs.
    let all = swgg::exact::exact(&mu, &nu).unwrap();
    assert!((found[0].cost - all.cost).abs() <= 1e-12 * all.cost);
}

#[test]
fn more_effort_never_costs_more_and_gaps_shrink() {
    let (x, y) = (cube(6000, 2, 3), cube(6000, 2, 4));
    let (mu, nu) = (cloud(&x, 2), cloud(&y, 2));
    let mut before = f64::INFINITY;
    for effort in 4..=10 {
        let found = Auto { effort }.answer(&question(&mu, &nu), &mut Run::default()).unwrap();
        assert!(found.cost <= before, "effort {effort}: {} after {before}", found.cost);
        before = found.cost;
        if effort >= 5 {
            assert!(found.gap().unwrap() <= 5e-3, "effort {effort}: {:?}", found.gap());
        }
    }
}

#[test]
fn a_gap_that_is_asked_for_is_certified() {
    let (x, y) = (cube(5000, 3, 5), cube(4000, 3, 6));
    let (mu, nu) = (cloud(&x, 3), cloud(&y, 3));
    for gap in [0.05, 0.002] {
        let mut run = Run::default().within(gap).unwrap();
        let found = Auto { effort: 1 }.answer(&question(&mu, &nu), &mut run).unwrap();
        assert!(found.gap().unwrap() <= gap, "{:?} for {gap}", found.gap());
        assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
    }
    for gap in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refusal = Run::default().within(gap).err().unwrap();
        assert!(matches!(refusal.kind(), ErrorKind::BadSetting { name: "gap", .. }), "{refusal}");
    }
}

#[test]
fn whoever_stops_it_gets_a_plan_and_a_bound() {
    let (x, y) = (cube(8000, 3, 7), cube(8000, 3, 8));
    let (mu, nu) = (cloud(&x, 3), cloud(&y, 3));
    let mut asked = 0;
    let mut stop = |_: &Progress| {
        asked += 1;
        if asked > 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = Exact.answer(&question(&mu, &nu), &mut Run::default().watched(&mut stop)).unwrap();
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.lower_bound.unwrap() <= found.cost);
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
}

#[test]
fn high_dimensions_by_products_of_blocks() {
    // Costs that are kept, and the same costs given.
    for (n, m, dim) in [(200, 200, 40), (150, 90, 9), (30, 40, 500)] {
        let (x, y) = (cube(n, dim, 9), cube(m, dim, 10));
        let (mu, nu) = (cloud(&x, dim), cloud(&y, dim));
        let found = Exact.solve(&mu, &nu).unwrap();
        let costs = Array2::from_shape_fn((n, m), |(i, j)| {
            mu.point(i).iter().zip(nu.point(j)).map(|(x, y)| (x - y).powi(2)).sum::<f64>()
        });
        let given = swgg::exact::by_costs(costs.view(), None, None, &mut Run::default()).unwrap();
        assert!((found.cost - given.cost).abs() <= 1e-12 * given.cost, "{} {}", found.cost, given.cost);
        assert!(found.gap().unwrap() < 1e-12);
    }
}

#[test]
fn the_known_optimum_of_split_clouds() {
    // Every point goes two to its own side, whatever the sample.
    let n = 4000;
    let mut draws = Draws(11);
    let mut normal = || (0..12).map(|_| draws.next()).sum::<f64>() - 6.0;
    let x: Vec<f64> = (0..n).flat_map(|_| [0.6_f64.sqrt() * normal(), 0.1_f64.sqrt() * normal()]).collect();
    let y: Vec<f64> = x.iter().rev().map(|x| x + 2.0 * x.signum()).collect();
    let y: Vec<f64> = y.chunks_exact(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    let (mu, nu) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let solver = build::<f64>(swgg::solver::find("exact").unwrap(), &swgg::setting::Settings::new()).unwrap();
    let found = solver.solve(&mu, &nu).unwrap();
    assert!((found.cost - 8.0).abs() < 1e-9, "{}", found.cost);
}
