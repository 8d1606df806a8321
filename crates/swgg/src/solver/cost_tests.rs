//! Auctions and bounds at every kind of cost against exact transport, however small the problem.

use ndarray::Array2;
use proptest::prelude::*;
use swgg_testkit::{Cloud, clouds, weights};

use crate::bound::certify;
use crate::cost::{GroundCost, Labelled, Norm, Power};
use crate::ensemble::improve::improvable;
use crate::exact::{Start, from_start, paid};
use crate::flow::{Goal, improved};
use crate::measure::{Measure, of_cloud as measure};
use crate::plan::potentials::Potentials;
use crate::question::{Ground, Question};
use crate::run::Run;
use crate::run::workers::{Parallelism, Workers};

/// Going up costs more, and nothing is known of boxes.
#[derive(Debug)]
struct Uphill;

impl GroundCost for Uphill {
    fn name(&self) -> String {
        "uphill".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| (y - x).abs()).sum::<f64>() + 3.0 * (y[0] - x[0]).max(0.0)
    }
}

/// The same, with what is known of boxes from either side.
#[derive(Debug)]
struct KnownUphill;

fn gaps(x: &[f64], low: &[f64], high: &[f64]) -> f64 {
    x.iter().zip(low.iter().zip(high)).map(|(x, (low, high))| (low - x).max(x - high).max(0.0)).sum()
}

impl GroundCost for KnownUphill {
    fn name(&self) -> String {
        "known uphill".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        Uphill.between(x, y)
    }

    fn least(&self, x: &[f64], low: &[f64], high: &[f64]) -> f64 {
        gaps(x, low, high) + 3.0 * (low[0] - x[0]).max(0.0)
    }

    fn least_to(&self, y: &[f64], low: &[f64], high: &[f64]) -> f64 {
        gaps(y, low, high) + 3.0 * (y[0] - high[0]).max(0.0)
    }
}

const LABELS: usize = 4;

/// Costs between labels that are no distances.
fn labels(is_rooted: bool) -> Labelled {
    let between = Array2::from_shape_fn((LABELS, LABELS), |(i, j)| 0.3 + ((i + j) * (i * j + 1) % 5) as f64);
    Labelled::new(between.view(), if is_rooted { Power::PLAIN } else { Power::SQUARED }).unwrap()
}

/// All costs, by number: powers, norms, labels rooted and not, and those of one's own.
const COSTS: usize = 10;

fn cost(kind: usize) -> Option<Box<dyn GroundCost>> {
    match kind {
        0..=2 => None,
        3 => Some(Box::new(Norm::cityblock())),
        4 => Some(Box::new(Norm::chebyshev())),
        5 => Some(Box::new(Norm::minkowski(3.0).unwrap())),
        6 => Some(Box::new(labels(false))),
        7 => Some(Box::new(labels(true))),
        8 => Some(Box::new(Uphill)),
        _ => Some(Box::new(KnownUphill)),
    }
}

/// With a label as the last coordinate, where the cost has labels.
fn with_labels(cloud: Cloud, kind: usize) -> Cloud {
    if !matches!(kind, 6 | 7) {
        return cloud;
    }
    let rows = cloud.points.chunks_exact(cloud.dim).enumerate();
    let points = rows.flat_map(|(i, row)| row.iter().copied().chain([(i * 7 % LABELS) as f64])).collect();
    Cloud { points, dim: cloud.dim + 1 }
}

fn pair_cost(question: &Question<'_>, i: usize, j: usize) -> f64 {
    let (x, y) = (question.source().point(i), question.target().point(j));
    match question.ground() {
        Ground::Distance(power) => crate::cost::Cost::between(&power, x, y),
        Ground::Cost(cost) => cost.between(x, y),
        Ground::Matrix(_) => unreachable!("nobody asks at a matrix here"),
    }
}

#[track_caller]
fn feasible(question: &Question<'_>, potentials: &Potentials, rounding: f64) {
    for (i, u) in potentials.source.iter().enumerate() {
        for (j, v) in potentials.target.iter().enumerate() {
            let cost = pair_cost(question, i, j);
            assert!(u + v <= cost + rounding * (1.0 + u.abs() + v.abs()), "{i} {j}: {u} + {v} above {cost}");
        }
    }
}

#[track_caller]
fn check(mu: &Measure, nu: &Measure, kind: usize) {
    let cost = cost(kind);
    let question = Question::new(mu, nu).unwrap();
    let question = match &cost {
        Some(cost) => question.with_cost(&**cost).unwrap(),
        None => question.with_power([1.0, 1.5, 3.0][kind]).unwrap(),
    };
    let best = from_start(&question, Start::default(), &mut Run::on_threads(1)).unwrap().cost;
    let rounding = 1e-11;
    let (above, below) = (best * (1.0 + 1e-9) + rounding, best * (1.0 - 1e-9) - rounding);
    let workers = [1, 2, 5].map(|threads| Workers::new(Parallelism::from_count(threads)).unwrap());
    let start = improvable(mu, nu, 1, &workers[0]).unwrap().coupling();
    let pursued =
        |goal, workers: &Workers| improved(&question, &start, goal, (1, workers), &mut ()).unwrap().unwrap();
    let found = pursued(Goal::Optimal, &workers[0]);
    assert!(found.coupling.marginal_gap(mu, nu).unwrap() < 1e-15);
    let (paid_for, dual) = (paid(&question, &found.coupling).unwrap(), found.dual.unwrap());
    assert!((below..=above).contains(&paid_for), "{kind}: {paid_for} is not the optimum {best}");
    assert!((below..=above).contains(&dual.value), "{kind}: {} does not prove {best}", dual.value);
    assert!(dual.value <= best + rounding * best, "{kind}: {} is above {best}", dual.value);
    feasible(&question, &dual.potentials, rounding);
    for workers in &workers[1..] {
        let other = pursued(Goal::Optimal, workers);
        assert_eq!((&other.coupling, other.dual.as_ref()), (&found.coupling, Some(&dual)));
    }
    let near = pursued(Goal::Gap(0.1), &workers[0]);
    let (paid_for, bound) = (paid(&question, &near.coupling).unwrap(), near.dual.unwrap().value);
    assert!(bound <= best + rounding * best && below <= paid_for);
    assert!(
        paid_for <= 1.1 * bound + 1e-9 * (1.0 + best),
        "{kind}: {paid_for} is not within a tenth of {bound}"
    );
    // What a plan teaches is never above the optimum.
    let taught = certify(&question, &start, &workers[0], 3).unwrap().unwrap();
    assert!(taught.value <= best + rounding * best && taught.value >= 0.0);
    feasible(&question, &taught.potentials, rounding);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn matchings_are_optimal_at_every_cost(
        kind in 0..COSTS,
        (x, y) in (1..=60_usize, 1..=9_usize).prop_flat_map(|(n, d)| (clouds(n, d), clouds(n, d))),
    ) {
        let (x, y) = (with_labels(x, kind), with_labels(y, kind));
        check(&measure(&x, None), &measure(&y, None), kind);
    }

    #[test]
    fn plans_that_split_points_are_optimal_at_every_cost(
        kind in 0..COSTS,
        ((x, a), (y, b)) in (1..=30_usize, 1..=30_usize, 1..=9_usize)
            .prop_flat_map(|(n, m, d)| ((clouds(n, d), weights(n)), (clouds(m, d), weights(m)))),
    ) {
        let (x, y) = (with_labels(x, kind), with_labels(y, kind));
        check(&measure(&x, Some(&a)), &measure(&y, Some(&b)), kind);
    }
}

#[test]
fn samples_teach_prices_at_every_cost() {
    // Enough pairs for two levels of samples; every second cloud is a lattice, where costs tie.
    for kind in 0..COSTS {
        for step in [None, Some(0.25)] {
            let cloud = |seed: usize| {
                let x = |k: usize| ((k * 7919 + seed * 104_729 + k * k % 97) % 1013) as f64 / 253.0;
                let points = (0..800 * 2).map(x).map(|x| step.map_or(x, |step| (x / step).floor() * step));
                with_labels(Cloud { points: points.collect(), dim: 2 }, kind)
            };
            let (x, y) = (cloud(1), cloud(2));
            check(&measure(&x, None), &measure(&y, None), kind);
        }
    }
}
