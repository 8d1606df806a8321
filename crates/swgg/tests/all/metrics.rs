//! Large problems at other costs than squared distances: proofs, efforts, gaps, threads, stopping.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::common::Draws;
use swgg::cost::{GroundCost, Norm};
use swgg::exact::{Start, from_start};
use swgg::{Auto, CostIs, Exact, Measure, Progress, Question, Run, Solver, Stop};

fn cube(n: usize, dim: usize, seed: u64) -> Vec<f64> {
    Draws(seed).several(n * dim)
}

fn cloud(points: &[f64], dim: usize) -> Measure<'_> {
    Measure::from_slice(points, dim).unwrap()
}

#[test]
fn auctions_are_optimal_and_proved_whatever_the_threads() {
    // More pairs than are looked at one by one; the optimum by looking at all of them is the same.
    let (x, y) = (cube(5200, 2, 1), cube(5100, 2, 2));
    let (mu, nu) = (cloud(&x, 2), cloud(&y, 2));
    let (block, nu_matched) = (Norm::cityblock(), cloud(&x, 2));
    let moved: Vec<f64> = cube(5200, 2, 3).iter().map(|y| 0.01 + y).collect();
    let far = cloud(&moved, 2);
    let ask = Question::new(&mu, &nu).unwrap();
    let questions = [
        Question::new(&mu, &far).unwrap().with_power(1.0).unwrap(),
        Question::new(&nu_matched, &far).unwrap().with_cost(&block).unwrap(),
        ask.with_power(3.0).unwrap(),
    ];
    for question in questions {
        let found = [1, 2, 5].map(|threads| {
            let mut run = Run::on_threads(threads).within(0.01).unwrap();
            let mut found = Auto { effort: 1 }.answer(&question, &mut run).unwrap();
            found.bound_seconds = 0.0;
            found
        });
        assert!(found[0] == found[1] && found[0] == found[2], "bits differ: {}", found[0].story);
        assert!(
            found[0].story.contains("auction") && found[0].gap().unwrap() <= 0.01,
            "{:?}",
            found[0].story
        );
        let best = from_start(&question, Start::after(Some(&found[0])), &mut Run::default()).unwrap().cost;
        assert!(found[0].lower_bound.unwrap() <= best && best <= found[0].cost * (1.0 + 1e-12));
    }
}

#[test]
fn exact_goes_to_the_optimum_at_scale() {
    let (x, y) = (cube(5100, 3, 4), cube(5100, 3, 5));
    let (mu, nu) = (cloud(&x, 3), cloud(&y, 3));
    let question = Question::new(&mu, &nu).unwrap().with_power(1.0).unwrap();
    let found = Exact.answer(&question, &mut Run::default()).unwrap();
    assert!(found.story.starts_with("candidates"), "{}", found.story);
    assert!(found.gap().unwrap() < 1e-9 && found.exponent == Some(1.0));
    let all = from_start(&question, Start::default(), &mut Run::default()).unwrap();
    assert!((found.cost - all.cost).abs() <= 1e-9 * all.cost, "{} {}", found.cost, all.cost);
}

#[test]
fn more_effort_never_costs_more_at_other_powers() {
    let (x, y) = (cube(5200, 2, 6), cube(5200, 2, 7));
    let (mu, nu) = (cloud(&x, 2), cloud(&y, 2));
    let question = Question::new(&mu, &nu).unwrap().with_power(1.0).unwrap();
    let mut before = f64::INFINITY;
    for effort in 1..=7 {
        let found = Auto { effort }.answer(&question, &mut Run::default()).unwrap();
        assert!(found.cost <= before, "effort {effort}: {} after {before}", found.cost);
        assert!(found.lower_bound.unwrap() <= found.cost);
        before = found.cost;
        if effort >= 5 {
            assert!(found.gap().unwrap() <= 1e-2, "effort {effort}: {:?}", found.gap());
        }
    }
}

#[test]
fn points_of_a_line_are_sorted_at_every_power() {
    let (x, y) = (cube(3000, 1, 8), cube(2000, 1, 9));
    let (mu, nu) = (cloud(&x, 1), cloud(&y, 1));
    for p in [1.0, 1.5, 3.0] {
        let question = Question::new(&mu, &nu).unwrap().with_power(p).unwrap();
        let found = Auto::default().answer(&question, &mut Run::default()).unwrap();
        assert_eq!((found.cost_is, found.exponent), (CostIs::Optimal, Some(p)));
        let all = from_start(&question, Start::default(), &mut Run::default()).unwrap();
        assert!((found.cost - all.cost).abs() <= 1e-9 * all.cost, "{p}: {} {}", found.cost, all.cost);
    }
}

#[test]
fn time_limits_and_whoever_stops() {
    let (x, y) = (cube(9000, 3, 10), cube(9000, 3, 11));
    let (mu, nu) = (cloud(&x, 3), cloud(&y, 3));
    let question = Question::new(&mu, &nu).unwrap().with_power(1.0).unwrap();
    let deadline = Some(Instant::now() + Duration::from_millis(1500));
    let found = Auto::default().answer(&question, &mut Run { deadline, ..Run::default() }).unwrap();
    assert!(found.lower_bound.is_none_or(|bound| bound <= found.cost));
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
    let mut asked = 0;
    let mut stop = |_: &Progress| {
        asked += 1;
        if asked > 40 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = Exact.answer(&question, &mut Run::default().watched(&mut stop)).unwrap();
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.lower_bound.is_none_or(|bound| bound <= found.cost));
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
}

/// A cost of which nothing is known but what a pair pays.
#[derive(Debug)]
struct Steps;

impl GroundCost for Steps {
    fn name(&self) -> String {
        "steps".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - y).abs().sqrt()).sum()
    }
}

#[test]
fn too_many_points_for_a_bound_have_a_plan_that_says_so() {
    let (x, y) = (cube(20_500, 2, 12), cube(20_500, 2, 13));
    let (mu, nu) = (cloud(&x, 2), cloud(&y, 2));
    let question = Question::new(&mu, &nu).unwrap().with_cost(&Steps).unwrap();
    let found = Auto { effort: 1 }.answer(&question, &mut Run::default()).unwrap();
    assert!(found.lower_bound.is_none() && found.story.contains("no bound"), "{}", found.story);
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
    let pays = |(i, j, mass): (usize, usize, f64)| mass * Steps.between(mu.point(i), nu.point(j));
    let paid: f64 = found.plan().unwrap().entries().map(pays).sum();
    assert!((paid - found.cost).abs() <= 1e-12 * paid);
}
