//! Entropic transport: small problems against a naive dense solver, large claims against exact transport.

use std::ops::ControlFlow;

use crate::common::*;
use proptest::prelude::*;
use swgg::cost::{Power, SqEuclidean};
use swgg::exact::{Start, exact, from_start};
use swgg::ndarray::Axis;
use swgg::{
    ErrorKind, Measure, Progress, Question, Run, Solver, Stop,
    solver::{Divergence, Epsilon, Sinkhorn, SmoothPlan, sinkhorn, sinkhorn_divergence},
};
use swgg_testkit::gaussian_pair;

fn relative(epsilon: f64) -> Sinkhorn {
    Sinkhorn { epsilon: Epsilon::Relative(epsilon), ..Default::default() }
}

/// On one thread, for squared distances.
fn solved(solver: Sinkhorn, mu: &Measure, nu: &Measure) -> SmoothPlan {
    solver.entropic(&question(mu, nu), &mut Run::on_threads(1)).unwrap()
}

fn asked<'a>(mu: &'a Measure<'a>, nu: &'a Measure<'a>, p: f64) -> Question<'a> {
    question(mu, nu).with_power(p).unwrap()
}

fn weights(measure: &Measure) -> Vec<f64> {
    (0..measure.len()).map(|i| measure.weight(i)).collect()
}

/// `|x - y|^p` between all points.
fn costs(mu: &Measure, nu: &Measure, p: f64) -> Vec<Vec<f64>> {
    let square = |i: usize, j: usize| -> f64 {
        mu.point(i).iter().zip(nu.point(j)).map(|(x, y)| (x - y).powi(2)).sum()
    };
    (0..mu.len()).map(|i| (0..nu.len()).map(|j| square(i, j).powf(p / 2.0)).collect()).collect()
}

/// The textbook: `-epsilon log sum_k w_k exp((v_k - c_k) / epsilon)`.
fn soft_least(weights: &[f64], v: &[f64], costs: impl Fn(usize) -> f64, epsilon: f64) -> f64 {
    let terms: Vec<f64> =
        weights.iter().zip(v).enumerate().map(|(k, (w, v))| w.ln() + (v - costs(k)) / epsilon).collect();
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    -epsilon * (largest + terms.iter().map(|t| (t - largest).exp()).sum::<f64>().ln())
}

/// The plan, its cost and the dual value after some plain iterations.
fn naive(mu: &Measure, nu: &Measure, p: f64, epsilon: f64, iterations: usize) -> (Vec<Vec<f64>>, f64, f64) {
    let (c, a, b) = (costs(mu, nu, p), weights(mu), weights(nu));
    let (mut f, mut g) = (vec![0.0; a.len()], vec![0.0; b.len()]);
    for _ in 0..iterations {
        g = (0..b.len()).map(|j| soft_least(&a, &f, |i| c[i][j], epsilon)).collect();
        f = (0..a.len()).map(|i| soft_least(&b, &g, |j| c[i][j], epsilon)).collect();
    }
    let entry = |i: usize, j: usize| {
        let mass = a[i] * b[j];
        if mass > 0.0 { mass * ((f[i] + g[j] - c[i][j]) / epsilon).exp() } else { 0.0 }
    };
    let plan: Vec<Vec<f64>> = (0..a.len()).map(|i| (0..b.len()).map(|j| entry(i, j)).collect()).collect();
    let cost = plan.iter().zip(&c).map(|(p, c)| p.iter().zip(c).map(|(p, c)| p * c).sum::<f64>()).sum();
    let dual = |w: &[f64], u: &[f64]| w.iter().zip(u).map(|(w, u)| w * u).sum::<f64>();
    (plan, cost, dual(&a, &f) + dual(&b, &g))
}

/// What holds for every answer: finite, bounds in order, a rounded plan with exact marginals.
#[track_caller]
fn sane(found: &SmoothPlan, mu: &Measure, nu: &Measure, p: f64) -> f64 {
    let potentials = found.potentials.source.iter().chain(&found.potentials.target);
    assert!(potentials.clone().all(|u| u.is_finite()), "{found:?}");
    for number in [found.cost, found.value, found.lower_bound, found.marginal_error] {
        assert!(number.is_finite(), "{found:?}");
    }
    assert!(found.cost >= 0.0 && found.lower_bound >= 0.0);
    assert_eq!(found.converged, found.stop == Stop::Converged);
    let plan = found.plan(mu, nu).unwrap();
    assert!(plan.marginal_gap(mu, nu).unwrap() <= 1e-12);
    let best = from_start(&asked(mu, nu, p), Start::default(), &mut Run::default()).unwrap().cost;
    let paid = plan.cost(mu, nu, &Power::new(p).unwrap()).unwrap();
    let slack = 1e-12 * costs(mu, nu, p).into_iter().flatten().fold(0.0, f64::max);
    assert!(paid >= best - slack, "a plan that costs {paid}, {best} is best");
    assert!(found.lower_bound <= best + slack, "bound {}, best {best}", found.lower_bound);
    if found.converged {
        // Logarithms are rounded too, and all of the value where all points are in one place.
        let slack = slack + 1e-12 * found.epsilon;
        assert!(found.value >= best - slack - found.marginal_error, "value {}, best {best}", found.value);
    }
    let map = found.barycentric_map(mu, nu).unwrap();
    assert!(map.iter().all(|x| x.is_finite()));
    paid
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// As many plain iterations as the naive solver: the same plan, cost and value; any weights, any exponent.
    #[test]
    fn as_the_naive_solver(((x, a), (y, b), _) in small_weighted_pairs(), p in 1.0..4.0_f64, iterations in 1..30_usize) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let epsilon = 0.05 * costs(&mu, &nu, p).into_iter().flatten().fold(0.1, f64::max);
        let plain = Sinkhorn::plain(Epsilon::Absolute(epsilon), iterations);
        let found = plain.entropic(&asked(&mu, &nu, p), &mut Run::on_threads(1)).unwrap();
        let (plan, cost, value) = naive(&mu, &nu, p, epsilon, found.iterations);
        prop_assert!((found.cost - cost).abs() <= 1e-10 * (epsilon + cost), "{} and {cost}", found.cost);
        prop_assert!((found.value - value).abs() <= 1e-10 * (epsilon + value.abs()));
        let dense = found.dense_plan(&mu, &nu).unwrap();
        for ((i, j), mass) in dense.indexed_iter() {
            prop_assert!((mass - plan[i][j]).abs() <= 1e-11);
        }
        sane(&found, &mu, &nu, p);
    }

    /// The default settings lead to the answer of many plain iterations; groups that hardly exchange mass may need more of them.
    #[test]
    fn shortcuts_lead_to_the_same_answer(((x, a), (y, b), _) in small_weighted_pairs()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let found = solved(relative(0.1), &mu, &nu);
        let allowed = if found.converged { 1e-6 } else { 1e-4 };
        prop_assert!(found.marginal_error <= allowed, "{}", found.marginal_error);
        let (_, cost, value) = naive(&mu, &nu, 2.0, found.epsilon.max(1e-9), 500);
        let scale = 1e-3 * found.epsilon + 1e-6 * scale(&[&x, &y]);
        prop_assert!((found.cost - cost).abs() <= 100.0 * scale, "{} and {cost}", found.cost);
        prop_assert!((found.value - value).abs() <= scale, "{} and {value}", found.value);
        sane(&found, &mu, &nu, 2.0);
    }
}

fn gaussians(n: usize, d: usize, seed: u64) -> (Measure<'static>, Measure<'static>) {
    let (x, y) = gaussian_pair(n, d, d, seed);
    (Measure::from_vec(x.points, d).unwrap(), Measure::from_vec(y.points, d).unwrap())
}

#[test]
fn marginals_are_met_at_convergence() {
    let (mu, nu) = gaussians(90, 3, 1);
    for epsilon in [1.0, 1e-1, 1e-2, 1e-3] {
        let found = solved(relative(epsilon), &mu, &nu);
        assert!(found.converged && found.iterations < 5000, "{epsilon}: {found:?}");
        let plan = found.dense_plan(&mu, &nu).unwrap();
        let error = |sums: Vec<f64>| sums.iter().map(|s| (s - 1.0 / 90.0).abs()).sum::<f64>();
        assert!(error(plan.sum_axis(Axis(1)).to_vec()) < 1e-11);
        let at_target = error(plan.sum_axis(Axis(0)).to_vec());
        assert!((at_target - found.marginal_error).abs() < 1e-11 && at_target <= 1e-6);
        sane(&found, &mu, &nu, 2.0);
    }
}

/// Two groups of equal mass, between which almost nothing moves: steps that lengthen and shorten in turn got nowhere.
#[test]
fn groups_that_hardly_exchange_mass() {
    let (x, y) = ([0.85, 6.46, 0.85], [-4.37, -8.19, -5.93, 9.98]);
    let mu = Measure::from_slice(&x, 1).unwrap().with_weights(&[2.0, 1.0, 3.0]).unwrap();
    let nu = Measure::from_slice(&y, 1).unwrap().with_weights(&[3.0, 1.0, 1.0, 1.0]).unwrap();
    let found = solved(relative(0.1), &mu, &nu);
    assert!(found.converged && found.iterations < 3000, "{found:?}");
    let plain = solved(Sinkhorn { scaling: None, accelerate: false, ..relative(0.1) }, &mu, &nu);
    assert!(!plain.converged);
}

#[test]
fn plans_tend_to_the_cheapest() {
    let (mu, nu) = gaussians(80, 2, 2);
    let best = exact(&mu, &nu).unwrap().cost;
    let mut last = f64::INFINITY;
    for epsilon in [1e-1, 1e-2, 1e-3, 1e-4] {
        let found = solved(relative(epsilon), &mu, &nu);
        let paid = sane(&found, &mu, &nu, 2.0);
        assert!(paid < last, "{epsilon}: {paid} after {last}");
        last = paid;
    }
    assert!((last / best - 1.0).abs() < 1e-4, "{last} and {best}");
    let bound = solved(relative(1e-4), &mu, &nu).lower_bound;
    assert!((bound / best - 1.0).abs() < 1e-3, "{bound} and {best}");
}

#[test]
fn tiny_epsilons_give_sane_answers() {
    let (mu, nu) = gaussians(100, 3, 3);
    for (epsilon, max_iterations) in [(1e-4, 1), (1e-4, 300), (1e-6, 100), (1e-9, 20)] {
        for (scaling, accelerate) in [(None, false), (Some(0.5), true), (None, true)] {
            let sinkhorn = Sinkhorn { max_iterations, scaling, accelerate, ..relative(epsilon) };
            let found = solved(sinkhorn, &mu, &nu);
            assert_eq!(found.iterations, max_iterations);
            let mass = found.dense_plan(&mu, &nu).unwrap().sum();
            assert!((mass - 1.0).abs() < 1e-6, "{epsilon}: {mass}");
            sane(&found, &mu, &nu, 2.0);
        }
    }
}

#[test]
fn threads_change_nothing() {
    let (x, y) = gaussian_pair(700, 5, 5, 4);
    let ramp: Vec<f64> = (0..700).map(|i| f64::from(i % 7)).collect();
    let mu = Measure::from_vec(x.points, 5).unwrap().with_weights(&ramp).unwrap();
    let nu = Measure::from_slice(&y.points[..5 * 411], 5).unwrap();
    let solve = |threads| {
        let sinkhorn = Sinkhorn { max_iterations: 30, ..relative(1e-2) };
        let found = sinkhorn.entropic(&question(&mu, &nu), &mut Run::on_threads(threads)).unwrap();
        let extras = (found.plan(&mu, &nu).unwrap(), found.barycentric_map(&mu, &nu).unwrap());
        (found.cost, found.value, found.lower_bound, found.potentials, extras)
    };
    let one = solve(1);
    for threads in [2, 5] {
        assert_eq!(solve(threads), one, "{threads} threads");
    }
}

#[test]
fn clouds_of_every_kind() {
    let line = |points: &[f64]| Measure::from_vec(points.to_vec(), 1).unwrap();
    let ties = line(&[0.0, 0.0, 1.0, 1.0, 1.0]);
    let spread = line(&[0.0, 0.5, 1.0, 2.0]);
    let idle = line(&[0.0, 3.0, 9.0]).with_weights(&[0.0, 1.0, 2.0]).unwrap();
    let faint = line(&[0.0, 3.0, 9.0]).with_weights(&[1e-300, 1.0, 2.0]).unwrap();
    let far = line(&[1e15, -1e15, 3e15]);
    let farther = line(&[1e149, -1e149]);
    let near = line(&[1e-160, -1e-160, 3e-160]);
    let offset = line(&[1e9, 1e9 + 1.0, 1e9 + 2.0]);
    let one = line(&[2.0]);
    let lost = line(&[0.0, 3.0, 1e140]).with_weights(&[1.0, 1.0, 0.0]).unwrap();
    let astray = line(&[2.0, 2.0, 1e12]).with_weights(&[1.0, 1.0, 0.0]).unwrap();
    let all = [&lost, &astray, &ties, &spread, &idle, &faint, &far, &farther, &near, &offset, &one];
    for (k, mu) in all.iter().enumerate() {
        for (l, nu) in all.iter().enumerate() {
            for epsilon in [1e-1, 1e-3] {
                let found = solved(Sinkhorn { max_iterations: 400, ..relative(epsilon) }, mu, nu);
                let paid = sane(&found, mu, nu, 2.0);
                if found.converged && found.lower_bound > 0.0 {
                    assert!(paid >= found.lower_bound * (1.0 - 1e-9), "{k} to {l} at {epsilon}");
                }
            }
        }
    }
    let (mu, nu) = gaussians(40, 50, 5);
    sane(&sinkhorn(&mu, &nu).unwrap(), &mu, &nu, 2.0);
    let same = sinkhorn(&mu, &mu).unwrap();
    assert!(same.converged && same.cost < 1e-6 && same.lower_bound == 0.0, "{}", same.cost);
    let single = sinkhorn(&one, &one).unwrap();
    assert_eq!((single.cost, single.value, single.converged), (0.0, 0.0, true));
}

#[test]
fn idle_points_have_potentials_and_images() {
    let mu = Measure::from_vec(vec![0.0, 1.0, 2.0], 1).unwrap().with_weights(&[1.0, 0.0, 1.0]).unwrap();
    let nu = Measure::from_vec(vec![5.0, 7.0, 9.0], 1).unwrap().with_weights(&[1.0, 1.0, 0.0]).unwrap();
    let found = solved(relative(0.05), &mu, &nu);
    assert_eq!(found.dense_plan(&mu, &nu).unwrap().column(2).to_vec(), [0.0; 3]);
    let u = &found.potentials;
    let c = costs(&mu, &nu, 2.0);
    let f = soft_least(&weights(&nu), &u.target, |j| c[1][j], found.epsilon);
    let g = soft_least(&weights(&mu), &u.source, |i| c[i][2], found.epsilon);
    close(u.source[1], f, 1e-9, "f");
    close(u.target[2], g, 1e-9, "g");
    let map = found.barycentric_map(&mu, &nu).unwrap();
    assert!(map[[0, 0]] < map[[1, 0]] && map[[1, 0]] < map[[2, 0]], "{map}");
}

#[test]
fn maps_are_those_of_the_dense_plan() {
    let (mu, nu) = gaussians(60, 3, 6);
    let found = solved(relative(1e-2), &mu, &nu);
    let dense = found.dense_plan(&mu, &nu).unwrap();
    let map = found.barycentric_map(&mu, &nu).unwrap();
    for i in 0..60 {
        for c in 0..3 {
            let sum: f64 = (0..60).map(|j| dense[[i, j]] * nu.point(j)[c]).sum();
            close(map[[i, c]], sum * 60.0, 1e-9, "image");
        }
    }
}

#[test]
fn divergences_vanish_between_equals_only() {
    let (mu, nu) = gaussians(60, 2, 7);
    for epsilon in [1.0, 1e-1, 1e-2] {
        let solver = relative(epsilon);
        let own: Divergence = solver.divergence(&question(&mu, &mu), &mut Run::on_threads(1)).unwrap();
        assert!(own.converged && own.value <= 1e-9 * own.epsilon.max(1.0), "{own:?}");
        let there = solver.divergence(&question(&mu, &nu), &mut Run::on_threads(1)).unwrap();
        let back = solver.divergence(&question(&nu, &mu), &mut Run::on_threads(1)).unwrap();
        assert!(there.converged && there.value > 1e-3, "{there:?}");
        close(there.value, back.value, 1e-7 * there.value, "symmetry");
        // The terms of one measure with itself are those that the solver for two finds.
        let twice = solved(Sinkhorn { epsilon: Epsilon::Absolute(there.epsilon), ..solver }, &mu, &mu);
        close(there.of_source, twice.value, 1e-7 * (1.0 + twice.value.abs()), "self term");
    }
    // Moving a cloud costs the square of the way, whatever the blur.
    let moved: Vec<f64> = mu.points().iter().map(|x| x + 2.0).collect();
    let moved = Measure::from_vec(moved, 2).unwrap();
    let value = sinkhorn_divergence(&mu, &moved, Epsilon::from_blur(0.7)).unwrap();
    close(value, 8.0, 1e-5, "translation");
}

#[test]
fn an_observer_may_stop() {
    let (mu, nu) = gaussians(60, 3, 8);
    for most in [1, 2, 7, 40] {
        let mut seen = 1;
        let mut watch = |progress: &Progress| {
            assert_eq!((progress.tried, progress.total), (seen, 5000));
            seen += 1;
            if progress.tried >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = relative(1e-3)
            .entropic(&question(&mu, &nu), &mut Run::on_threads(1).watched(&mut watch))
            .unwrap();
        assert_eq!((found.stop, found.iterations, found.converged), (Stop::Interrupted, most, false));
        sane(&found, &mu, &nu, 2.0);
    }
}

#[test]
fn bad_settings_are_refused() {
    let (mu, nu) = gaussians(5, 2, 9);
    let refused = |solver: Sinkhorn, expected: &str| {
        let error = solver.entropic(&question(&mu, &nu), &mut Run::default()).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::BadSetting { name, .. } if *name == expected),
            "{expected}: {error}"
        );
        assert!(solver.divergence(&question(&mu, &nu), &mut Run::default()).is_err());
        assert!(solver.solve(&mu, &nu).is_err());
    };
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-15] {
        refused(relative(epsilon), "epsilon");
        refused(Sinkhorn { epsilon: Epsilon::Absolute(epsilon), ..Default::default() }, "epsilon");
    }
    refused(Sinkhorn { max_iterations: 0, ..Default::default() }, "max_iterations");
    for tolerance in [-1e-9, f64::NAN, f64::INFINITY] {
        refused(Sinkhorn { tolerance, ..Default::default() }, "tolerance");
    }
    for scaling in [0.0, 1.0, f64::NAN] {
        refused(Sinkhorn { scaling: Some(scaling), ..Default::default() }, "scaling");
    }
    let error = question(&mu, &nu).with_power(0.5).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::BadExponent { p: 0.5 });
    let huge = Measure::from_vec(vec![1e150, -1e150], 1).unwrap();
    let error = Sinkhorn::default().entropic(&asked(&huge, &huge, 3.0), &mut Run::default()).unwrap_err();
    assert!(error.to_string().contains("overflow"), "{error}");
    let found = sinkhorn(&mu, &nu).unwrap();
    assert!(found.plan(&mu, &huge).is_err() && found.dense_plan_within(&mu, &nu, 199).is_err());
    let other = gaussians(6, 2, 9).0;
    assert!(matches!(found.plan(&mu, &other).unwrap_err().kind(), ErrorKind::CouplingSize { .. }));
}

#[test]
fn plans_are_sparse_and_rounding_costs_little() {
    let (mu, nu) = gaussians(200, 2, 10);
    let found = solved(relative(1e-3), &mu, &nu);
    let plan = found.plan(&mu, &nu).unwrap();
    assert!(plan.len() < 200 * 60, "{} entries", plan.len());
    let paid = plan.cost(&mu, &nu, &SqEuclidean).unwrap();
    close(paid, found.cost, 1e-4 * paid, "rounded");
}

/// GeomLoss counts half of squared distances, so its divergence is half of ours; `cargo xtask golden` writes the file.
#[test]
fn divergences_as_geomloss() {
    let all = golden(include_str!("../golden/divergence.csv"));
    assert_eq!(all.len(), 30);
    for Golden { seed, source, target, cost } in all {
        let found = sinkhorn_divergence(&source, &target, Epsilon::from_blur(0.3)).unwrap();
        assert!(
            (found - 2.0 * cost).abs() <= 1e-4 * found.max(1e-3),
            "seed {seed}: {found}, GeomLoss {cost}"
        );
    }
}

#[test]
fn an_observer_may_stop_within_a_pass() {
    // Too many pairs for a pass over all of them: the first question comes within it, and the answer without another.
    let n = 30_000;
    let (mu, nu) = gaussians(n, 2, 12);
    let mut asked = 0;
    let mut watch = |progress: &Progress| {
        assert_eq!(progress.tried, 0);
        asked += 1;
        ControlFlow::Break(())
    };
    let solver = Sinkhorn::default();
    let mut run = Run::on_threads(2).without_bounds().watched(&mut watch);
    let found = solver.answer(&question(&mu, &nu), &mut run).unwrap();
    assert_eq!((found.stop, found.steps), (Stop::Interrupted, 0));
    let plan = found.plan().unwrap();
    assert!(plan.len() < 3 * n && plan.marginal_gap(&mu, &nu).unwrap() < 1e-12);
    assert!(found.lower_bound.unwrap() <= found.cost);
    assert_eq!(asked, 1, "whoever has asked to stop is not asked again");
}

#[test]
fn costs_that_are_kept_are_those_that_are_computed() {
    // From dimension 12 on costs are kept; a dimension of zeros more or less changes none of them.
    let (mu, nu) = gaussians(90, 11, 13);
    let wider = |measure: &Measure, d: usize| {
        let rows = measure.points().chunks_exact(measure.dim());
        let pad = vec![0.0; d - measure.dim()];
        Measure::from_vec(rows.flat_map(|row| [row, &pad].concat()).collect(), d).unwrap()
    };
    let [computed, kept] = [(mu.clone(), nu.clone()), (wider(&mu, 40), wider(&nu, 40))].map(|(mu, nu)| {
        let found = relative(1e-2).entropic(&question(&mu, &nu), &mut Run::on_threads(2)).unwrap();
        assert!(found.converged);
        found
    });
    assert_eq!(computed.iterations, kept.iterations);
    close(computed.cost, kept.cost, 1e-9 * computed.cost, "cost");
    close(computed.value, kept.value, 1e-9 * computed.cost, "value");
    close(computed.lower_bound, kept.lower_bound, 1e-9 * computed.cost, "bound");
}

#[test]
fn potentials_to_begin_with_are_checked() {
    let (mu, nu) =
        (Measure::from_slice(&[0.0, 1.0], 1).unwrap(), Measure::from_slice(&[2.0, 3.0, 4.0], 1).unwrap());
    let from = |source: &[f64], target: &[f64]| {
        let start = swgg::plan::Potentials { source: source.to_vec(), target: target.to_vec() };
        let question = Question::new(&mu, &nu).unwrap();
        Sinkhorn::default().entropic_from(&question, &start, &mut Run::default())
    };
    let refused = |source: &[f64], target: &[f64]| from(source, target).unwrap_err().to_string();
    assert_eq!(refused(&[0.0], &[0.0; 3]), "found 1 potentials for 2 points; give one per point");
    assert_eq!(refused(&[0.0; 2], &[0.0; 4]), "found 4 potentials for 3 points; give one per point");
    assert!(refused(&[0.0, f64::NAN], &[0.0; 3]).contains("give finite numbers"));
    // From anywhere the answer is the same.
    let cold = Sinkhorn::default().entropic(&Question::new(&mu, &nu).unwrap(), &mut Run::default()).unwrap();
    let warm = from(&[3.0, -5.0], &[1.0, 0.0, 9.0]).unwrap();
    assert!(warm.converged && (warm.value - cold.value).abs() < 1e-5, "{} {}", warm.value, cold.value);
}
