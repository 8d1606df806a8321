//! Barycenters: known answers, an objective that never rises, refusals.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use swgg::cost::SqEuclidean;
use swgg::exact::exact;
use swgg::paper::Geodesic;
use swgg::setting::Settings as OwnSettings;
use swgg::solver::{METHODS, PlanKind, find};
use swgg::{Measure, Parallelism, Progress, Run, Stop, Trees};
use swgg_apps::barycenter::{Barycenter, Ending, Error, PlanMaker, Settings, barycenter};

/// Points in a cube that is stretched and moved, the same for the same seed.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| uniform()).collect()
}

fn cloud(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
    let stretch = 1.0 + seed as f64 % 3.0;
    let points = numbers(n * d, seed).into_iter().enumerate();
    let place = |(k, x): (usize, f64)| if k % d == 0 { stretch * x + seed as f64 } else { x * x };
    Measure::from_vec(points.map(place).collect(), d).unwrap()
}

fn weighted(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
    cloud(n, d, seed).with_weights(&numbers(n, seed + 77)).unwrap()
}

fn exactly() -> PlanMaker<'static> {
    PlanMaker::Exact
}

fn find_between(clouds: &[Measure<'_, f64>], maker: &PlanMaker<'_>, settings: &Settings) -> Barycenter {
    barycenter(clouds, maker, settings, &mut Run::default()).unwrap()
}

/// What every answer has to be: real plans, an objective that is theirs, which never rises and is not below the bound.
#[track_caller]
fn check(clouds: &[Measure<'_, f64>], found: &Barycenter) {
    assert!(found.steps.is_sorted_by(|a, b| a.objective >= b.objective), "{:?}", found.steps);
    let mut objective = 0.0;
    for (k, cloud) in clouds.iter().enumerate() {
        let Some(plan) = &found.plans[k] else {
            assert_eq!((found.weights[k], found.costs[k]), (0.0, None));
            continue;
        };
        assert!(plan.marginal_gap(&found.support, cloud).unwrap() < 1e-12);
        let cost = plan.cost(&found.support, cloud, &SqEuclidean).unwrap();
        assert!((cost - found.costs[k].unwrap()).abs() <= 1e-9 * (1.0 + cost));
        objective += found.weights[k] * cost;
    }
    assert!((objective - found.objective).abs() <= 1e-9 * (1.0 + objective), "{objective} {found:?}");
    if let Some(last) = found.steps.last() {
        assert_eq!(last.objective, found.objective);
    }
    assert!(found.lower_bound.is_none_or(|bound| bound <= found.objective));
    assert!(!found.story.is_empty());
}

#[test]
fn the_objective_never_rises_whatever_the_method() {
    let even = [cloud(40, 2, 1), cloud(40, 2, 2), cloud(40, 2, 3)];
    let odd = [cloud(30, 2, 4), weighted(45, 2, 5), cloud(37, 2, 6), weighted(20, 2, 7)];
    let with_plans = METHODS.iter().filter(|method| method.plan == PlanKind::Plan && method.name != "line");
    for method in with_plans {
        let maker = PlanMaker::named(method, &OwnSettings::new()).unwrap();
        for clouds in [&even[..], &odd[..]] {
            // As far as it goes, even where it gains nothing.
            let settings =
                Settings { points: Some(25), ending: Ending::Gain(0.0), max_steps: 12, ..Default::default() };
            let found = find_between(clouds, &maker, &settings);
            assert_eq!((found.method, found.support.len()), (method.name, 25));
            check(clouds, &found);
            check(clouds, &find_between(clouds, &maker, &Settings { weights: weights(clouds), ..settings }));
        }
    }
}

fn weights(clouds: &[Measure<'_, f64>]) -> Option<Vec<f64>> {
    Some((0..clouds.len()).map(|k| k as f64 + 0.5).collect())
}

#[test]
fn large_clouds_begin_with_little_effort() {
    for clouds in [[1, 2, 3].map(|seed| cloud(1400, 2, seed)), [1, 2, 3].map(|seed| weighted(1200, 3, seed))]
    {
        let maker = PlanMaker::Auto { effort: Some(3) };
        let settings = Settings { points: Some(1400), ..Default::default() };
        let found = find_between(&clouds, &maker, &settings);
        check(&clouds, &found);
        let efforts: Vec<u8> = found.steps.iter().filter_map(|step| step.effort).collect();
        assert!(efforts[0] == 1 && efforts.is_sorted() && efforts.last() == Some(&3), "{efforts:?}");
        // Not far from what exact plans find.
        let best = find_between(&clouds, &exactly(), &settings);
        check(&clouds, &best);
        assert!(found.objective <= 1.02 * best.objective, "{} {}", found.objective, best.objective);
        assert!(found.gap().unwrap() < 0.1);
    }
}

#[test]
fn translated_clouds_have_a_translated_barycenter() {
    let shape = numbers(60, 3);
    let shifts = [[0.0, 0.0], [6.0, 0.0], [0.0, 9.0]];
    let moved = |[x, y]: [f64; 2]| shape.chunks(2).flat_map(|p| [p[0] + x, p[1] + y]).collect::<Vec<f64>>();
    let clouds = shifts.map(|shift| Measure::from_vec(moved(shift), 2).unwrap());
    let settings = Settings { weights: Some(vec![2.0, 1.0, 1.0]), ..Default::default() };
    let found = find_between(&clouds, &exactly(), &settings);
    check(&clouds, &found);
    // The shape is found again around the mean shift, wherever the points came from.
    let expected = Measure::from_vec(moved([1.5, 2.25]), 2).unwrap();
    assert!(exact(&found.support, &expected).unwrap().cost < 1e-18);
    // Half of the mean squared distance between the shifts, weighted: sum_{i<j} w_i w_j |s_i - s_j|^2.
    let known = 0.5 * 0.25 * 36.0 + 0.5 * 0.25 * 81.0 + 0.25 * 0.25 * 117.0;
    assert!((found.objective - known).abs() < 1e-9, "{} {known}", found.objective);
    assert!((found.lower_bound.unwrap() - known).abs() < 1e-6 && found.gap().unwrap() < 1e-6);
    assert_eq!(found.stop, Stop::Converged);
}

#[test]
fn on_the_line_quantiles_are_averaged() {
    let clouds = [1, 2, 3, 4].map(|seed| cloud(50, 1, seed));
    let found = find_between(&clouds, &PlanMaker::default(), &Settings::default());
    check(&clouds, &found);
    let sorted = |cloud: &Measure<'_, f64>| {
        let mut points = cloud.points().to_vec();
        points.sort_by(f64::total_cmp);
        points
    };
    let each: Vec<Vec<f64>> = clouds.iter().map(sorted).collect();
    for (k, x) in sorted(&found.support).into_iter().enumerate() {
        let mean = each.iter().map(|points| points[k]).sum::<f64>() / 4.0;
        assert!((x - mean).abs() < 1e-12);
    }
}

#[test]
fn two_clouds_lie_on_their_geodesic() {
    for [first, second] in [
        [cloud(40, 2, 1), cloud(40, 2, 2)],
        [cloud(30, 3, 3), weighted(50, 3, 4)],
        [weighted(25, 2, 5), cloud(25, 2, 6)],
    ] {
        let best = exact(&first, &second).unwrap();
        for t in [0.25, 0.5, 0.9] {
            let clouds = [first.clone(), second.clone()];
            let settings = Settings { weights: Some(vec![1.0 - t, t]), ..Default::default() };
            let found = find_between(&clouds, &exactly(), &settings);
            check(&clouds, &found);
            assert!(found.is_geodesic && found.steps.is_empty() && found.story.contains("geodesic"));
            // The same points as `swgg interpolate` writes.
            let curve = Geodesic::new(&first, &second, best.plan().unwrap().clone()).unwrap();
            let t = found.weights[1];
            assert_eq!(found.support.points(), curve.at(t).unwrap().points());
            // As far from either end as the geodesic is, by exact transport from scratch.
            let [to_first, to_second] =
                [&first, &second].map(|end| exact(&found.support, end).unwrap().cost.sqrt());
            let whole = best.cost.sqrt();
            assert!((to_first - t * whole).abs() < 1e-9 && (to_second - (1.0 - t) * whole).abs() < 1e-9);
            assert!((found.objective - t * (1.0 - t) * best.cost).abs() < 1e-9);
            assert!(found.gap().unwrap() < 1e-9);
        }
    }
    // As many points as a matching has are those of the geodesic, fewer are not.
    let clouds = [cloud(40, 2, 1), cloud(40, 2, 2)];
    let asked = |points| Settings { points: Some(points), ..Default::default() };
    assert!(find_between(&clouds, &exactly(), &asked(40)).is_geodesic);
    let fewer = find_between(&clouds, &exactly(), &asked(20));
    check(&clouds, &fewer);
    assert!(!fewer.is_geodesic && fewer.support.len() == 20);
    assert!(fewer.objective >= find_between(&clouds, &exactly(), &asked(40)).objective);
}

#[test]
fn clouds_of_no_weight_take_no_part() {
    let clouds = [cloud(20, 2, 1), weighted(30, 2, 2), cloud(25, 2, 3)];
    let asked = |weights: [f64; 3]| Settings { weights: Some(weights.to_vec()), ..Default::default() };
    let alone = find_between(&clouds, &exactly(), &asked([0.0, 3.0, 0.0]));
    check(&clouds, &alone);
    assert_eq!(alone.support.points(), clouds[1].points());
    assert_eq!((alone.objective, alone.costs), (0.0, vec![None, Some(0.0), None]));
    let two = find_between(&clouds, &exactly(), &asked([1.0, 0.0, 1.0]));
    check(&clouds, &two);
    assert!(two.is_geodesic);
    let pair = [clouds[0].clone(), clouds[2].clone()];
    let same = find_between(&pair, &exactly(), &Settings::default());
    assert_eq!(two.support.points(), same.support.points());
}

#[test]
fn a_start_is_kept_in_number_and_mass() {
    let clouds = [cloud(40, 2, 1), weighted(35, 2, 2), cloud(20, 2, 3)];
    let start = weighted(15, 2, 9);
    let settings = Settings { start: Some(start.clone()), ..Default::default() };
    let found = find_between(&clouds, &PlanMaker::default(), &settings);
    check(&clouds, &found);
    let masses = found.support.weights().unwrap().iter().zip(start.weights().unwrap());
    assert!(masses.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-15);
    // It ends where another search from there stays.
    let again = Settings { start: Some(found.support.clone()), ..Default::default() };
    let again = find_between(&clouds, &PlanMaker::default(), &again);
    assert!((again.objective - found.objective).abs() <= 1e-8 * found.objective);
    // More points than all clouds have together can be asked for, too.
    let many = find_between(&clouds, &exactly(), &Settings { points: Some(200), ..Default::default() });
    check(&clouds, &many);
    assert!(many.objective <= found.objective);
}

#[test]
fn solvers_of_ones_own_and_threads() {
    let clouds = [1, 2, 3, 4, 5].map(|seed| cloud(150, 3, seed));
    for (make, points) in [(true, None), (false, Some(90)), (true, Some(60))] {
        let run = |threads: usize, seed: u64| {
            let maker = match make {
                true => PlanMaker::Other(Box::new(Trees { trees: 4 })),
                false => PlanMaker::default(),
            };
            let settings = Settings { points, max_steps: 5, ..Default::default() };
            let mut run = Run { seed, parallelism: Parallelism::from_count(threads), ..Run::default() };
            let found = barycenter(&clouds, &maker, &settings, &mut run).unwrap();
            check(&clouds, &found);
            (found.support.points().to_vec(), found.objective.to_bits(), found.lower_bound.map(f64::to_bits))
        };
        let one = run(1, 7);
        assert_eq!(one, run(2, 7));
        assert_eq!(one, run(5, 7));
        assert_ne!(one.0, run(2, 8).0);
    }
}

#[test]
fn whoever_watches_may_stop_at_any_plan() {
    let clouds = [1, 2, 3].map(|seed| cloud(300, 2, seed));
    let settings = Settings { points: Some(200), ending: Ending::Gain(0.0), ..Default::default() };
    let mut last = f64::INFINITY;
    for most in [0, 1, 4, 7] {
        let mut told = Vec::new();
        let mut watch = |progress: &Progress| {
            told.push(progress.tried);
            if told.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut run = Run { parallelism: Parallelism::Serial, ..Run::default() }.watched(&mut watch);
        let found = barycenter(&clouds, &PlanMaker::default(), &settings, &mut run).unwrap();
        assert_eq!(found.stop, Stop::Interrupted);
        check(&clouds, &found);
        assert!(told.is_sorted());
        assert!(found.objective <= last);
        last = found.objective;
    }
    // Time that is up before the first plan still makes an answer.
    let late = Run { deadline: Some(Instant::now()), ..Run::default() };
    let found = barycenter(&clouds, &PlanMaker::default(), &settings, &mut { late }).unwrap();
    assert_eq!((found.stop, found.steps.len()), (Stop::TimeLimit, 1));
    check(&clouds, &found);
    let mut soon = Run::for_at_most(Duration::from_secs(3600));
    let found = barycenter(&clouds, &PlanMaker::default(), &Settings::default(), &mut soon).unwrap();
    assert_eq!(found.stop, Stop::Converged);
}

#[test]
fn the_rule_of_pot() {
    let clouds = [cloud(60, 2, 1), cloud(60, 2, 2), weighted(50, 2, 3)];
    let asked = |ending, max_steps| Settings { points: Some(60), ending, max_steps, ..Default::default() };
    let found = find_between(&clouds, &exactly(), &asked(Ending::Shift(1e-7), 100));
    let (last, others) = found.steps.split_last().unwrap();
    assert!(last.shift_sq <= 1e-7 && others.iter().all(|step| step.shift_sq > 1e-7));
    assert_eq!(find_between(&clouds, &exactly(), &asked(Ending::Shift(0.0), 2)).stop, Stop::MaxIterations);
}

#[test]
fn refusals_say_what_to_do() {
    let clouds = [cloud(10, 2, 1), cloud(12, 2, 2), cloud(9, 2, 3)];
    let usual = Settings::default;
    let refused = |clouds: &[Measure<'_, f64>], settings: Settings| {
        barycenter(clouds, &exactly(), &settings, &mut Run::default()).unwrap_err().to_string()
    };
    assert_eq!(refused(&clouds[..1], usual()), "found 1 cloud; a barycenter is between at least 2");
    assert_eq!(refused(&[], usual()), "found 0 clouds; a barycenter is between at least 2");
    let mixed = [cloud(10, 2, 1), cloud(10, 3, 1)];
    assert_eq!(
        refused(&mixed, usual()),
        "cloud 1 (counted from 0) has dimension 3, cloud 0 has 2; all must live in the same space"
    );
    let weights = |weights: &[f64]| Settings { weights: Some(weights.to_vec()), ..usual() };
    assert_eq!(refused(&clouds, weights(&[1.0])), "found 1 weights for 3 clouds; give one for each");
    assert_eq!(
        refused(&clouds, weights(&[1.0, -2.0, 1.0])),
        "weight 1 (counted from 0) is -2; weights are finite and not negative"
    );
    assert!(refused(&clouds, weights(&[1.0, f64::NAN, 1.0])).starts_with("weight 1 "));
    assert!(refused(&clouds, weights(&[0.0; 3])).starts_with("all 3 weights are zero; "));
    assert_eq!(
        refused(&clouds, Settings { points: Some(0), ..usual() }),
        "found 0 points; ask for at least 1"
    );
    assert_eq!(refused(&clouds, Settings { max_steps: 0, ..usual() }), "found 0 steps; give at least 1");
    let ending = Ending::Gain(-1.0);
    assert!(refused(&clouds, Settings { ending, ..usual() }).starts_with("found a tolerance of -1; "));
    let start = |d| Some(cloud(5, d, 1));
    assert!(
        refused(&clouds, Settings { start: start(3), ..usual() }).starts_with("the start has dimension 3 ")
    );
    let both = Settings { start: start(2), points: Some(6), ..usual() };
    assert!(refused(&clouds, both).starts_with("found a start of 5 points and 6 points asked for; "));
    let many = Settings { points: Some(usize::MAX / 4), ..usual() };
    assert!(refused(&clouds, many).ends_with("do not fit in memory; ask for fewer"));
    let gaussian = PlanMaker::named(find("gaussian").unwrap(), &OwnSettings::new());
    assert!(matches!(gaussian, Err(Error::NoPlan { method: "gaussian" })));
    let mut powers = OwnSettings::new();
    powers.set(&swgg::solver::settings::POWER, swgg::setting::Value::Number(1.0)).unwrap();
    let other = PlanMaker::named(find("exact").unwrap(), &powers);
    assert!(matches!(other, Err(Error::OtherCost { setting: "p" })));
    // Solvers refuse as they do elsewhere.
    let effort = barycenter(&clouds, &PlanMaker::Auto { effort: Some(11) }, &usual(), &mut Run::default());
    assert!(matches!(effort, Err(Error::Transport(_))));
}
