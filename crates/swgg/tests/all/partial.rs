//! A part of the mass: against brute force, against its dual, and against transport of everything.

use swgg::answer::Fact;
use swgg::ndarray::Array2;
use swgg::question::Side;
use swgg::{
    Auto, CostIs, ErrorKind, Exact, Measure, MinSwgg, Question, Run, Solver, Transport, solver::Sinkhorn,
};
use swgg_testkit::gaussian_pair;

use crate::common::close;

/// Numbers from 0 to 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

fn exact(question: &Question<'_>) -> Transport {
    Exact.answer(question, &mut Run::default()).unwrap()
}

/// The cheapest matching of `k` pairs: every source in turn goes to a free target or stays.
fn cheapest(costs: &Array2<f64>, i: usize, used: u32, k: usize) -> f64 {
    if k == 0 {
        return 0.0;
    }
    if i == costs.nrows() {
        return f64::INFINITY;
    }
    let stays = cheapest(costs, i + 1, used, k);
    (0..costs.ncols())
        .filter(|j| used >> j & 1 == 0)
        .map(|j| costs[[i, j]] + cheapest(costs, i + 1, used | 1 << j, k - 1))
        .fold(stays, f64::min)
}

#[track_caller]
fn is_sound(found: &Transport, question: &Question<'_>, pay: impl Fn(usize, usize) -> f64) {
    let (source, target) = (question.source(), question.target());
    let plan = found.plan().unwrap();
    let paid: f64 = plan.entries().map(|(i, j, mass)| mass * pay(i, j)).sum();
    close(paid, found.cost, 1e-9 * (1.0 + paid), "cost of the plan");
    let moved: f64 = plan.entries().map(|entry| entry.2).sum();
    close(moved, found.number("moved").unwrap(), 1e-12 * (1.0 + moved), "mass of the plan");
    for (name, marginal, measure) in [
        ("unmatched_source", plan.source_marginal(), source),
        ("unmatched_target", plan.target_marginal(), target),
    ] {
        let mut left = vec![0.0; measure.len()];
        let Some(Fact::Masses(stayed)) = found.fact(name) else { panic!("nobody says who stayed") };
        stayed.iter().for_each(|&(i, mass)| left[i as usize] += mass);
        for (i, (moved, left)) in marginal.iter().zip(&left).enumerate() {
            close(moved + left, measure.weight(i) * measure.total(), 1e-12 * measure.total(), name);
        }
    }
    // What proves it.
    let (Some(potentials), Some(multiplier)) = (&found.potentials, found.number("multiplier")) else {
        return;
    };
    let tolerance = 1e-9 * (1.0 + multiplier.abs());
    let mut bound = moved * multiplier;
    for (i, u) in potentials.source.iter().enumerate() {
        assert!(*u <= multiplier + tolerance, "{u} {multiplier}");
        bound -= source.total() * source.weight(i) * (multiplier - u);
        for (j, v) in potentials.target.iter().enumerate() {
            assert!(u + v <= pay(i, j) + tolerance);
        }
    }
    for (j, v) in potentials.target.iter().enumerate() {
        assert!(*v <= tolerance);
        bound += target.total() * target.weight(j) * v;
    }
    close(bound, found.cost, 1e-9 * (1.0 + found.cost), "what potentials prove");
    assert_eq!(found.cost_is, CostIs::Optimal);
}

#[test]
fn matchings_of_every_size_are_the_cheapest() {
    for seed in 0..40 {
        let (n, m) = (2 + seed as usize % 4, 2 + seed as usize % 5);
        let costs = Array2::from_shape_vec((n, m), numbers(n * m, seed)).unwrap();
        let (x, y) = (vec![0.0; n], vec![0.0; m]);
        let mu = Measure::from_slice(&x, 1).unwrap().with_weights(&vec![1.0; n]).unwrap();
        let nu = Measure::from_slice(&y, 1).unwrap().with_weights(&vec![1.0; m]).unwrap();
        for k in 1..=n.min(m) {
            let question = Question::new(&mu, &nu).unwrap().with_costs(costs.view()).unwrap();
            let question = question.with_moved(k as f64).unwrap();
            let found = exact(&question);
            close(found.cost, cheapest(&costs, 0, 0, k), 1e-9, "brute force");
            is_sound(&found, &question, |i, j| costs[[i, j]]);
            assert_eq!(found.plan().unwrap().len(), k, "no point is split");
        }
    }
}

#[test]
fn weights_of_any_totals_and_none() {
    for seed in 0..60_u64 {
        let (n, m, d) = (1 + seed as usize % 9, 1 + seed as usize * 7 % 11, 1 + seed as usize % 3);
        let (x, y) = (numbers(n * d, seed), numbers(m * d, seed + 1000));
        let weights = |count: usize, seed: u64| {
            let mut weights = numbers(count, seed);
            weights.iter_mut().skip(1).step_by(3).for_each(|w| *w = 0.0);
            weights
        };
        let mu = Measure::from_slice(&x, d).unwrap().with_weights(&weights(n, seed + 7)).unwrap();
        let nu = Measure::from_slice(&y, d).unwrap().with_weights(&weights(m, seed + 9)).unwrap();
        let power = [1.0, 2.0, 3.0][seed as usize % 3];
        let base = Question::new(&mu, &nu).unwrap().with_power(power).unwrap();
        let pay = |i: usize, j: usize| {
            let sq: f64 = (0..d).map(|c| (x[i * d + c] - y[j * d + c]).powi(2)).sum();
            sq.powf(0.5 * power)
        };
        let mut last = 0.0;
        for share in [0.1, 0.35, 0.5, 0.8, 0.95, 1.0] {
            let question = base.with_mass(share).unwrap();
            let found = exact(&question);
            is_sound(&found, &question, pay);
            close(found.number("moved_share").unwrap(), share, 1e-12, "share");
            assert!(found.cost >= last - 1e-12 && found.cost.is_finite(), "monotone");
            last = found.cost;
            // The same problem seen from its multiplier moves as much, or ties with it.
            let price = base.with_discard_cost(found.number("multiplier").unwrap().max(0.0)).unwrap();
            let seen = exact(&price);
            is_sound(&seen, &price, pay);
            let lambda = found.number("multiplier").unwrap();
            let value = |found: &Transport| found.cost - lambda * found.number("moved").unwrap();
            close(value(&seen), value(&found), 1e-9, "Lagrangian");
        }
    }
}

#[test]
fn all_of_the_mass_is_transport() {
    let (x, y) = gaussian_pair(60, 3, 3, 4);
    let (mu, nu) = (Measure::from_slice(&x.points, 3).unwrap(), Measure::from_slice(&y.points, 3).unwrap());
    let question = Question::new(&mu, &nu).unwrap();
    let all = Exact.answer(&question, &mut Run::default()).unwrap();
    assert_eq!(exact(&question.with_mass(1.0).unwrap()).cost, all.cost);
    // With other weights the mass counts.
    let five = Measure::from_slice(&x.points, 3).unwrap().with_weights(&[0.5; 60]).unwrap();
    let seven = Measure::from_slice(&y.points, 3).unwrap().with_weights(&[0.5; 60]).unwrap();
    let question = Question::new(&five, &seven).unwrap().with_mass(1.0).unwrap();
    close(exact(&question).cost, 30.0 * all.cost, 1e-9, "in the unit of the weights");
    // A little less than all of it.
    let nearly = exact(&Question::new(&mu, &nu).unwrap().with_mass(1.0 - 1e-9).unwrap());
    close(nearly.cost, all.cost, 1e-6, "continuous");
    // One side whole, the other not.
    let double = Measure::from_slice(&y.points, 3).unwrap().with_weights(&[1.0; 60]).unwrap();
    let question = Question::new(&five, &double).unwrap().with_mass_of(Side::Source, 1.0).unwrap();
    let found = exact(&question);
    assert!(matches!(found.fact("unmatched_source"), Some(Fact::Masses(none)) if none.is_empty()));
    assert!(found.cost < 30.0 * all.cost);
    let refused = Question::new(&five, &double).unwrap().with_mass_of(Side::Target, 0.9).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "mass_target is 0.9, which is a mass of 54, and the other side has 30; give at most 0.5"
    );
}

#[test]
fn refusals() {
    let (mu, nu) =
        (Measure::from_slice(&[0.0, 1.0], 1).unwrap(), Measure::from_slice(&[0.0, 1.0], 1).unwrap());
    let question = || Question::new(&mu, &nu).unwrap();
    for share in [0.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            question().with_mass(share).unwrap_err().kind(),
            ErrorKind::BadSetting { name: "mass", .. }
        ));
    }
    for cost in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            question().with_discard_cost(cost).unwrap_err().kind(),
            ErrorKind::BadSetting { name: "discard_cost", .. }
        ));
    }
    assert_eq!(
        question().with_moved(2.0).unwrap_err().to_string(),
        "mass is 2, more than there is to move; give at most 1, the smaller total"
    );
    let refused =
        MinSwgg::default().answer(&question().with_mass(0.5).unwrap(), &mut Run::default()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "method min-swgg moves all of the mass; use method auto or exact for a part of it"
    );
    let huge = Measure::from_slice(&[0.0, 1.0], 1).unwrap().with_weights(&[1e308, 1e308]).unwrap();
    assert!(Question::new(&huge, &nu).unwrap().with_mass(0.5).is_err());
}

#[test]
fn the_line_and_the_simplex_agree() {
    for seed in 0..30_u64 {
        let (n, m) = (5 + seed as usize % 20, 5 + seed as usize * 3 % 25);
        let (x, y) = (numbers(n, seed), numbers(m, seed + 500));
        let mu = Measure::from_slice(&x, 1).unwrap().with_weights(&vec![1.0; n]).unwrap();
        let nu = Measure::from_slice(&y, 1).unwrap().with_weights(&vec![1.0; m]).unwrap();
        let costs = Array2::from_shape_fn((n, m), |(i, j)| (x[i] - y[j]).powi(2));
        for share in [0.2, 0.55, 0.9, 1.0] {
            let line = Question::new(&mu, &nu).unwrap().with_mass(share).unwrap();
            let found = Auto::default().answer(&line, &mut Run::default()).unwrap();
            let by_costs = line.with_costs(costs.view()).unwrap();
            close(found.cost, exact(&by_costs).cost, 1e-9, "cost");
            if share < 1.0 || n != m {
                is_sound(&found, &line, |i, j| costs[[i, j]]);
            }
        }
        let line = Question::new(&mu, &nu).unwrap().with_discard_cost(0.01).unwrap();
        let by_costs = line.with_costs(costs.view()).unwrap();
        let (found, other) = (exact(&line), exact(&by_costs));
        close(found.cost, other.cost, 1e-9, "at a cost");
    }
}

/// Two clouds of which a part has nothing to do with the other.
fn with_outliers(n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut x, y) = gaussian_pair(n, 3, 3, 8);
    x.points.iter_mut().take(3 * n / 10).for_each(|x| *x += 6.0);
    (x.points, y.points)
}

#[test]
fn some_thousand_points_are_close_to_the_optimum() {
    let (x, y) = with_outliers(2000);
    let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
    let question = Question::new(&mu, &nu).unwrap().with_mass(0.8).unwrap();
    let best = exact(&question);
    assert_eq!(best.cost_is, CostIs::Optimal);
    let found = Auto::default().answer(&question, &mut Run::default()).unwrap();
    close(found.number("moved_share").unwrap(), 0.8, 1e-12, "share");
    assert!(found.cost <= 1.01 * best.cost, "{} {}", found.cost, best.cost);
    let bound = found.lower_bound.unwrap();
    assert!(bound <= best.cost * (1.0 + 1e-9) && bound >= 0.98 * best.cost, "{bound} {}", best.cost);
    for threads in [1, 2] {
        let again = Auto::default().answer(&question, &mut Run::on_threads(threads)).unwrap();
        assert_eq!((again.cost, again.lower_bound), (found.cost, found.lower_bound), "{threads} threads");
    }
    let priced =
        Question::new(&mu, &nu).unwrap().with_discard_cost(best.number("multiplier").unwrap()).unwrap();
    let found = Auto::default().answer(&priced, &mut Run::default()).unwrap();
    close(found.number("moved_share").unwrap(), 0.8, 0.02, "share at the multiplier");
    assert!(found.gap().unwrap() < 0.02);
}

#[test]
fn relaxed_marginals_are_a_fixed_point() {
    let (x, y) = (numbers(12, 1), numbers(9, 2));
    let mu = Measure::from_slice(&x, 1).unwrap().with_weights(&numbers(12, 3)).unwrap();
    let nu = Measure::from_slice(&y, 1).unwrap().with_weights(&numbers(9, 4)).unwrap();
    let (epsilon, tau) = (0.05, [0.8, 0.6]);
    let sinkhorn = Sinkhorn {
        epsilon: swgg::solver::Epsilon::Absolute(epsilon),
        tolerance: 1e-12,
        tau,
        ..Sinkhorn::default()
    };
    let found = sinkhorn.answer(&Question::new(&mu, &nu).unwrap(), &mut Run::default()).unwrap();
    let potentials = found.potentials.as_ref().unwrap();
    // Where the penalty is smooth, marginals are `a exp(-f / rho)`.
    let plan = found.plan().unwrap();
    for (marginal, measure, potentials, tau) in [
        (plan.source_marginal(), &mu, &potentials.source, tau[0]),
        (plan.target_marginal(), &nu, &potentials.target, tau[1]),
    ] {
        let rho = epsilon * tau / (1.0 - tau);
        for (i, mass) in marginal.iter().enumerate() {
            let expected = measure.total() * measure.weight(i) * (-potentials[i] / rho).exp();
            close(*mass, expected, 1e-8, "marginal");
        }
    }
    let refused = Sinkhorn { tau: [0.0, 1.0], ..Sinkhorn::default() };
    assert!(refused.solve(&mu, &nu).is_err());
}
