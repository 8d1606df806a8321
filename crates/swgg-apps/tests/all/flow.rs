//! Flows: known targets are reached, gradients are those of their losses, threads do not matter.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use swgg::ndarray::Array2;
use swgg::paper::settings::{DIRECTIONS, SEARCH, STEPS};
use swgg::setting::{Settings as Told, Value};
use swgg::sliced::MaxSliced;
use swgg::solver::Epsilon;
use swgg::{Measure, Parallelism, Progress, Stop};
use swgg_apps::flow::{Flow, Loss, Optimizer, Settings, flow, flow_watched, gradient};

/// Numbers between -1 and 1 without a pattern.
fn scattered(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn told(settings: &[(&'static swgg::setting::Setting, Value)]) -> Told {
    let mut told = Told::new();
    settings.iter().for_each(|(setting, value)| told.set(setting, value.clone()).unwrap());
    told
}

fn searching(name: &str) -> Loss {
    let settings = match name {
        "random" => told(&[(&DIRECTIONS, Value::Count(40))]),
        name => told(&[(&SEARCH, Value::Word(name.into())), (&STEPS, Value::Count(8))]),
    };
    Loss::build("min-swgg", &settings, true).unwrap()
}

/// Every loss, and min-SWGG by several searches.
fn losses() -> Vec<Loss> {
    let mut all: Vec<Loss> = ["min-swgg", "sw", "max-sw", "pwd", "auto", "sinkhorn"]
        .map(|name| Loss::build(name, &Told::new(), true).unwrap())
        .to_vec();
    all.extend(["random", "gradient", "stein", "annealing"].map(searching));
    all
}

fn moved(points: &[f64], change: impl Fn(usize, f64) -> f64) -> Vec<f64> {
    points.iter().enumerate().map(|(k, x)| change(k % 2, *x)).collect()
}

#[test]
fn shifts_and_scalings_are_reached() {
    let x = scattered(60, 1);
    let shift = moved(&x, |column, x| x + [0.8, -0.5][column]);
    let scaling = moved(&x, |_, x| 1.8 * x);
    let source = Measure::from_slice(&x, 2).unwrap();
    for (y, is_shift) in [(shift, true), (scaling, false)] {
        let target = Measure::from_slice(&y, 2).unwrap();
        // The mean of many plans draws particles together where plans differ: PWD follows shifts, not scalings.
        let follows = |loss: &Loss| is_shift || !matches!(loss, Loss::Projected { .. });
        for loss in losses().into_iter().filter(follows) {
            let settings = Settings {
                loss,
                steps: 200,
                rate: 0.02,
                parallelism: Parallelism::Serial,
                ..Default::default()
            };
            let found = flow(&source, &target, &settings).unwrap();
            let (first, last) = (found.story[0], found.story[200]);
            assert!(last.loss < 0.02 * first.loss, "{:?}: {first:?} to {last:?}", settings.loss);
            assert!(last.w2 < first.w2.map(|w2| 0.2 * w2), "{:?}: {first:?} to {last:?}", settings.loss);
            assert_eq!((found.steps, found.stop), (200, Stop::MaxIterations));
        }
    }
}

/// Plain descent on the optimum is known in full: plans do not change, and every displacement shrinks by the same factor.
#[test]
fn plain_descent_follows_the_formula() {
    let x = scattered(20, 2);
    let y = moved(&x, |column, x| 1.5 * x + [2.0, -1.0][column]);
    let (source, target) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let settings = Settings {
        loss: Loss::Auto { effort: 5 },
        optimizer: Optimizer::Sgd,
        steps: 30,
        rate: 0.5,
        ..Default::default()
    };
    let found = flow(&source, &target, &settings).unwrap();
    // Ten points: a step goes 2 rate / 10 of the way.
    let left = 0.9_f64.powi(30);
    for ((end, x), y) in found.points.iter().zip(&x).zip(&y) {
        assert!((end - (y + left * (x - y))).abs() < 1e-12);
    }
    for (k, step) in found.story.iter().enumerate() {
        let expected = found.story[0].w2.unwrap() * 0.9_f64.powi(k as i32);
        assert!(
            (step.w2.unwrap() - expected).abs() < 1e-12 && (step.loss - expected * expected).abs() < 1e-12
        );
    }
}

/// Potentials that go on from step to step lead to the same divergence as those that begin anew.
#[test]
fn smooth_plans_go_on_where_they_were() {
    let (x, y) = (scattered(40, 7), moved(&scattered(60, 8), |column, y| 1.2 * y + [0.7, -0.3][column]));
    let (source, target) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let loss = Loss::Sinkhorn { epsilon: Epsilon::Absolute(0.05) };
    let settings =
        Settings { loss: loss.clone(), steps: 60, rate: 0.02, every: Some(20), ..Default::default() };
    let found = flow(&source, &target, &settings).unwrap();
    for kept in &found.snapshots {
        let here = Measure::from_view(kept.points.view()).unwrap();
        let (anew, _) = gradient(&here, &target, &loss, 0).unwrap();
        let on = found.story[kept.step].loss;
        assert!((on - anew).abs() < 1e-5 * found.story[0].loss, "step {}: {on} {anew}", kept.step);
    }
}

#[test]
fn gradients_are_finite_differences() {
    let (x, y) = (scattered(14, 3), moved(&scattered(22, 4), |column, y| 1.3 * y + [0.4, 0.9][column]));
    let a: Vec<f64> = (0..7).map(|k| 1.0 + f64::from(k * k % 5)).collect();
    let b: Vec<f64> = (0..11).map(|k| 1.0 + f64::from(k % 4)).collect();
    let target = Measure::from_slice(&y, 2).unwrap().with_weights(&b).unwrap();
    let tight = MaxSliced { steps: 2000, learning_rate: 0.02, ..Default::default() };
    let all = [
        (Loss::Sliced { directions: 5 }, 1e-5),
        (Loss::Projected { directions: 5 }, 1e-5),
        // The direction is the best one up to where its climb ended.
        (Loss::MaxSliced { climb: tight, warm: true }, 1e-2),
        (Loss::MinSwgg { search: Told::new(), warm: true }, 1e-5),
        (searching("random"), 1e-5),
        (Loss::Auto { effort: 5 }, 1e-5),
        (Loss::Sinkhorn { epsilon: Epsilon::Absolute(0.5) }, 1e-3),
    ];
    for (loss, tolerance) in all {
        let at = |x: &[f64]| {
            let source = Measure::from_slice(x, 2).unwrap().with_weights(&a).unwrap();
            gradient(&source, &target, &loss, 9).unwrap()
        };
        let (_, slopes) = at(&x);
        let size = slopes.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
        for (k, slope) in slopes.iter().enumerate() {
            let step = 1e-6;
            let value = |by: f64| {
                let mut x = x.clone();
                x[k] += by;
                at(&x).0
            };
            let expected = (value(step) - value(-step)) / (2.0 * step);
            assert!((slope - expected).abs() < tolerance * size, "{loss:?} {k}: {slope} {expected}");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    // Enough coordinates for several threads.
    let (x, y) = (scattered(300 * 60, 5), scattered(280 * 60, 6));
    let source = Measure::from_slice(&x, 60).unwrap();
    let target = Measure::from_slice(&y, 60).unwrap();
    for loss in losses() {
        let run = |threads: usize| {
            let parallelism = Parallelism::Threads(NonZeroUsize::new(threads).unwrap());
            let settings =
                Settings { loss: loss.clone(), steps: 3, seed: 7, parallelism, ..Default::default() };
            flow(&source, &target, &settings).unwrap()
        };
        let bits = |found: &Flow| -> (Vec<u64>, Vec<u64>) {
            let losses = found.story.iter().map(|step| step.loss.to_bits()).collect();
            (found.points.iter().map(|x| x.to_bits()).collect(), losses)
        };
        let one = run(1);
        for threads in [2, 5] {
            assert!(bits(&run(threads)) == bits(&one), "{loss:?} on {threads} threads");
        }
        let other =
            flow(&source, &target, &Settings { loss: loss.clone(), steps: 3, seed: 8, ..Default::default() });
        let is_random = !matches!(loss, Loss::Auto { .. } | Loss::Sinkhorn { .. });
        assert_eq!(other.unwrap().points != one.points, is_random, "{loss:?}");
    }
}

#[test]
fn directions_that_are_kept_never_raise_the_loss_of_short_steps() {
    let (x, y) = (scattered(200, 7), scattered(200, 8));
    let (source, target) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let settings = Settings {
        loss: searching("random"),
        optimizer: Optimizer::Sgd,
        rate: 1.0,
        steps: 200,
        exact_every: Some(0),
        ..Default::default()
    };
    let found = flow(&source, &target, &settings).unwrap();
    assert!(found.story.windows(2).all(|pair| pair[1].loss <= pair[0].loss * (1.0 + 1e-12)));
    assert_eq!((found.search, found.w2()), (Some("random"), None));
    // Forgotten, other directions are worse now and then.
    let Loss::MinSwgg { search, .. } = searching("random") else { panic!("another loss") };
    let cold = Settings { loss: Loss::MinSwgg { search, warm: false }, ..settings };
    let found = flow(&source, &target, &cold).unwrap();
    assert!(found.story.windows(2).any(|pair| pair[1].loss > pair[0].loss));
}

#[test]
fn what_is_kept() {
    let x = scattered(40, 9);
    let source = Measure::from_slice(&x, 2).unwrap();
    let target = Measure::from_slice(&x, 2).unwrap();
    // Nothing to do: the gradient vanishes before the first step.
    let settings = Settings { every: Some(3), ..Default::default() };
    let found = flow(&source, &target, &settings).unwrap();
    assert_eq!((found.steps, found.stop, found.story.len()), (0, Stop::Converged, 1));
    let y = moved(&x, |_, x| x + 1.0);
    let target = Measure::from_slice(&y, 2).unwrap();
    let settings = Settings { steps: 8, every: Some(3), exact_every: Some(5), ..Default::default() };
    let found = flow(&source, &target, &settings).unwrap();
    let kept: Vec<usize> = found.snapshots.iter().map(|kept| kept.step).collect();
    assert_eq!(kept, [0, 3, 6, 8]);
    assert_eq!(found.snapshots[0].points, Array2::from_shape_vec((20, 2), x.clone()).unwrap());
    assert_eq!(found.snapshots[3].points, found.points);
    let judged: Vec<usize> =
        found.story.iter().filter(|step| step.w2.is_some()).map(|step| step.step).collect();
    assert_eq!(judged, [0, 5, 8]);
    // Stopped in the middle, it keeps where the particles are.
    let mut told = Vec::new();
    let mut stop = |progress: &Progress| {
        told.push((progress.tried, progress.total));
        if progress.tried == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = flow_watched(&source, &target, &settings, &mut stop).unwrap();
    assert_eq!((found.steps, found.stop, found.story.len()), (4, Stop::Interrupted, 5));
    assert_eq!(found.snapshots.iter().map(|kept| kept.step).collect::<Vec<_>>(), [0, 3, 4]);
    assert_eq!(told, [0, 1, 2, 3, 4].map(|step| (step, 8)));
}

#[test]
fn refusals() {
    let x = scattered(12, 1);
    let y = moved(&x, |_, x| x + 1.0);
    let (source, target) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let refused = |settings: Settings| flow(&source, &target, &settings).unwrap_err().to_string();
    let usual = Settings::default;
    assert_eq!(refused(Settings { steps: 0, ..usual() }), "found 0 steps; give at least 1");
    assert_eq!(
        refused(Settings { steps: 1 << 40, ..usual() }),
        "found 1099511627776 steps; give at most 10000000"
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("found a rate of {rate}; give a finite number above 0");
        assert_eq!(refused(Settings { rate, ..usual() }), expected);
    }
    assert_eq!(
        refused(Settings { every: Some(0), ..usual() }),
        "found 0 steps between clouds; give at least 1"
    );
    let far = Settings { loss: Loss::Auto { effort: 5 }, optimizer: Optimizer::Sgd, rate: 1e90, ..usual() };
    assert_eq!(
        refused(far),
        format!("the particles left all bounds at step 2 with a rate of {}; give a smaller one", 1e90)
    );
    let unknown = Loss::build("w1", &Told::new(), true).unwrap_err().to_string();
    assert_eq!(unknown, "there is no loss \"w1\"; give one of min-swgg, sw, max-sw, pwd, auto, sinkhorn");
    let other = Measure::from_slice(&x, 3).unwrap();
    let refusal = flow(&source, &other, &usual()).unwrap_err().to_string();
    assert!(refusal.contains("dimension"), "{refusal}");
    assert!(refused(Settings { loss: Loss::Sliced { directions: 0 }, ..usual() }).contains("direction"));
    assert!(refused(Settings { loss: Loss::Auto { effort: 11 }, ..usual() }).contains("effort"));
}
