//! Poses that are found, and those that are not pretended to be.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg::ndarray::{Array1, Array2, Axis, concatenate};
use swgg::{Measure, Parallelism};
use swgg_apps::registration::{
    Confidence, Error, Group, Matching, Motion, Overlap, Registration, Settings, Stage, Start, Stop, align,
    align_watched, fit,
};

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A random motion: an orthogonal matrix of this determinant, a translation of length 5.
fn motion(d: usize, seed: u64, reflected: bool) -> Motion {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let points = Array2::from_shape_fn((d, d), |(i, j)| f64::from(u8::from(i == j)));
    let both = concatenate![Axis(0), points, -&points];
    let images = Array2::from_shape_fn((d, d), |_| normal(&mut rng));
    let images = concatenate![Axis(0), images, -&images];
    let mut rotation = fit(both.view(), images.view(), None, Group::Rigid).unwrap().rotation;
    if reflected {
        rotation.row_mut(0).mapv_inplace(|x| -x);
    }
    let way = Array1::from_shape_fn(d, |_| normal(&mut rng));
    let length = way.dot(&way).sqrt();
    Motion { rotation, translation: way * (5.0 / length), scale: 1.0 }
}

/// A horn: a tube that winds, widens, and is the same from no two sides; in any dimension.
fn horn(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut points = Array2::zeros((n, d));
    for mut row in points.rows_mut() {
        let (t, turn): (f64, f64) = (rng.random(), std::f64::consts::TAU * rng.random::<f64>());
        let width = 0.3 + 1.2 * t * t;
        let along = [9.0 * t, 3.0 * (3.0 * t).sin(), 4.0 * t * t * t];
        let round = [0.0, width * turn.cos(), width * turn.sin()];
        for (c, x) in row.iter_mut().enumerate() {
            *x = match c {
                0..3 => along[c] + round[c],
                _ => (1.0 + c as f64 / 2.0) * (t * (c as f64)).cos() + 0.3 * turn.sin(),
            };
        }
    }
    points
}

/// Moved, shuffled, and shaken.
fn moved(points: &Array2<f64>, motion: &Motion, noise: f64, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..points.nrows()).collect();
    order.shuffle(&mut rng);
    motion.apply(points.view()).select(Axis(0), &order).mapv(|x| x + noise * normal(&mut rng))
}

fn run(source: &Array2<f64>, target: &Array2<f64>, settings: &Settings) -> Registration {
    let (source, target) =
        (Measure::from_view(source.view()).unwrap(), Measure::from_view(target.view()).unwrap());
    align(&source, &target, settings).unwrap()
}

fn refused(source: &Array2<f64>, target: &Array2<f64>, settings: &Settings) -> Error {
    let (source, target) =
        (Measure::from_view(source.view()).unwrap(), Measure::from_view(target.view()).unwrap());
    align(&source, &target, settings).unwrap_err()
}

/// How far the images of the points are from where they should be, root mean square.
fn error(points: &Array2<f64>, found: &Motion, truth: &Motion) -> f64 {
    let gaps = found.apply(points.view()) - truth.apply(points.view());
    ((&gaps * &gaps).sum() / points.nrows() as f64).sqrt()
}

#[test]
fn a_pose_is_found_from_any_turn_in_any_dimension() {
    for (d, n) in [(2, 300), (3, 400), (5, 400)] {
        for seed in 0..4 {
            let (points, truth) = (horn(n, d, seed), motion(d, seed, false));
            let target = moved(&points, &truth, 0.02, seed);
            let found = run(&points, &target, &Settings::default());
            assert!(error(&points, &found.motion, &truth) < 0.05, "d = {d}, seed {seed}: {found:?}");
            assert_eq!(found.stop, Stop::Converged, "d = {d}, seed {seed}");
            assert!(
                matches!(found.confidence, Confidence::Clear { .. }),
                "d = {d}, seed {seed}: {}",
                found.confidence
            );
            assert!(found.rms < 0.1 && (found.rms * found.rms - found.cost).abs() < 1e-12);
            assert_eq!(found.overlap, 1.0);
            assert!(!found.motion.is_reflection());
        }
    }
}

#[test]
fn reflections_are_found_if_allowed_and_refused_if_not() {
    for d in [2, 3] {
        let (points, truth) = (horn(300, d, 3), motion(d, 7, true));
        let target = moved(&points, &truth, 0.0, 1);
        let free = run(&points, &target, &Settings { group: Group::Orthogonal, ..Default::default() });
        assert!(free.motion.is_reflection() && error(&points, &free.motion, &truth) < 1e-6, "d = {d}");
        let rigid = run(&points, &target, &Settings::default());
        assert!(!rigid.motion.is_reflection(), "d = {d}");
        assert!(rigid.cost > 100.0 * free.cost.max(1e-9), "d = {d}: {} {}", rigid.cost, free.cost);
    }
    // With enough points it shows that the shapes differ.
    let points = horn(2000, 3, 3);
    let found = run(&points, &moved(&points, &motion(3, 7, true), 0.0, 1), &Settings::default());
    assert_eq!(found.confidence.name(), "doubtful", "{}", found.confidence);
}

#[test]
fn the_scale_is_found_with_similarities_and_left_alone_without() {
    let points = horn(400, 3, 2);
    for scale in [0.2, 3.0] {
        let truth = Motion { scale, ..motion(3, 5, false) };
        let target = moved(&points, &truth, 0.01 * scale, 2);
        let found = run(&points, &target, &Settings { group: Group::Similarity, ..Default::default() });
        assert!((found.motion.scale / scale - 1.0).abs() < 0.01, "{}", found.motion.scale);
        assert!(error(&points, &found.motion, &truth) < 0.05 * scale);
        assert_eq!(run(&points, &target, &Settings::default()).motion.scale, 1.0);
    }
}

#[test]
fn clouds_of_different_sizes_samplings_and_weights() {
    let truth = motion(3, 11, false);
    // Two samples of one shape.
    let (points, others) = (horn(500, 3, 20), horn(350, 3, 21));
    let target = moved(&others, &truth, 0.0, 3);
    let found = run(&points, &target, &Settings::default());
    assert!(error(&points, &found.motion, &truth) < 0.4, "{found:?}");
    // Points of weight two are two points.
    let twice = concatenate![Axis(0), points, points];
    let (weights, equal) = (vec![2.0; 500], Measure::from_view(twice.view()).unwrap());
    let weighted = Measure::from_view(points.view()).unwrap().with_weights(&weights).unwrap();
    let target = moved(&points, &truth, 0.0, 3);
    let target = Measure::from_view(target.view()).unwrap();
    for source in [&weighted, &equal] {
        let found = align(source, &target, &Settings::default()).unwrap();
        assert!(error(&points, &found.motion, &truth) < 1e-3, "{found:?}");
    }
}

#[test]
fn flat_and_straight_clouds() {
    let truth = motion(3, 4, false);
    let mut flat = horn(300, 3, 5);
    flat.column_mut(2).fill(0.0);
    let target = moved(&flat, &truth, 0.0, 6);
    for group in [Group::Rigid, Group::Orthogonal] {
        let found = run(&flat, &target, &Settings { group, ..Default::default() });
        assert!(error(&flat, &found.motion, &truth) < 1e-6, "{group:?}: {found:?}");
        assert!(matches!(found.confidence, Confidence::Clear { .. }), "{group:?}: {}", found.confidence);
    }
    let straight = Array2::from_shape_fn((100, 3), |(i, c)| [1.0, 2.0, -1.0][c] * (i as f64 / 10.0).powi(2));
    let target = moved(&straight, &truth, 0.0, 7);
    let found = run(&straight, &target, &Settings::default());
    assert!(error(&straight, &found.motion, &truth) < 1e-6, "{found:?}");
}

#[test]
fn shapes_with_symmetries_are_ambiguous() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let sphere = |n: usize, rng: &mut ChaCha8Rng| {
        let mut points = Array2::from_shape_fn((n, 3), |_| normal(rng));
        points.rows_mut().into_iter().for_each(|mut row| {
            let length = row.dot(&row).sqrt();
            row.mapv_inplace(|x| x / length);
        });
        points
    };
    let found = run(&sphere(600, &mut rng), &sphere(600, &mut rng), &Settings::default());
    assert!(matches!(found.confidence, Confidence::Ambiguous { .. }), "{}", found.confidence);
    assert!(found.confidence.to_string().starts_with("ambiguous"), "{}", found.confidence);
    // A box looks the same after half a turn.
    let brick = |n: usize, rng: &mut ChaCha8Rng| {
        Array2::from_shape_fn((n, 3), |(_, c)| [3.0, 2.0, 1.0][c] * (rng.random::<f64>() - 0.5))
    };
    let found = run(&brick(600, &mut rng), &brick(600, &mut rng), &Settings::default());
    assert!(matches!(found.confidence, Confidence::Ambiguous { .. }), "{}", found.confidence);
}

/// Copies without noise, of shapes that look the same after a quarter of a turn and that do not.
#[test]
fn exact_copies_are_ambiguous_if_others_are_exact_too() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for count in [60, 900] {
        let arm = Array2::from_shape_fn((count, 2), |(_, c)| [3.0, 1.0][c] * rng.random::<f64>() + 0.1);
        let mut quarter = Motion::identity(2);
        quarter.rotation = Array2::from_shape_fn((2, 2), |(i, j)| [[0.0, -1.0], [1.0, 0.0]][i][j]);
        let half = quarter.then(&quarter);
        let arms = [&quarter, &half, &half.then(&quarter)].map(|turn| turn.apply(arm.view()));
        let star = concatenate![Axis(0), arm, arms[0], arms[1], arms[2]];
        let found = run(&star, &moved(&star, &motion(2, 3, false), 0.0, 7), &Settings::default());
        assert!(found.cost < 1e-20, "{found:?}");
        assert!(matches!(found.confidence, Confidence::Ambiguous { .. }), "{}", found.confidence);
        let truth = motion(2, 4, false);
        let found = run(&arm, &moved(&arm, &truth, 0.0, 8), &Settings::default());
        assert!(found.cost < 1e-20 && error(&arm, &found.motion, &truth) < 1e-9, "{found:?}");
        assert!(matches!(found.confidence, Confidence::Clear { .. }), "{}", found.confidence);
    }
}

#[test]
fn variances_that_are_alike_do_not_hide_the_pose() {
    // A shape with the same variance in all directions.
    let points = horn(400, 3, 8);
    let mean = points.mean_axis(Axis(0)).unwrap();
    let centred = &points - &mean;
    let scales = centred.map_axis(Axis(0), |column| 1.0 / column.dot(&column).sqrt());
    let round = &centred * &scales * 20.0;
    for seed in 0..3 {
        let truth = motion(3, seed, false);
        let found = run(&round, &moved(&round, &truth, 0.005, seed), &Settings::default());
        assert!(error(&round, &found.motion, &truth) < 0.1, "seed {seed}: {found:?}");
    }
}

#[test]
fn the_same_cloud_stays_where_it_is() {
    let points = horn(200, 3, 1);
    let found = run(&points, &points, &Settings::default());
    assert_eq!(found.steps.len(), 1);
    assert!(found.cost < 1e-20 && error(&points, &found.motion, &Motion::identity(3)) < 1e-9, "{found:?}");
}

#[test]
fn half_of_the_target_may_be_missing_and_outliers_present() {
    let points = horn(900, 3, 9);
    let truth = motion(3, 2, false);
    let keep: Vec<usize> = (0..900).filter(|&i| points[[i, 0]] < 5.0).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let target = moved(&points.select(Axis(0), &keep), &truth, 0.02, 5);
    let settings = Settings { overlap: Overlap::Auto, ..Default::default() };
    let found = run(&points, &target, &settings);
    assert!(error(&points, &found.motion, &truth) < 0.2, "{found:?}");
    let share = keep.len() as f64 / 900.0;
    assert!((found.overlap - share).abs() < 0.12, "{} of {share}", found.overlap);
    // The same with the share given, and with strangers among the points.
    let strangers = Array2::from_shape_fn((60, 3), |_| 6.0 * normal(&mut rng));
    let source = concatenate![Axis(0), points, strangers];
    let found = run(&source, &target, &Settings { overlap: Overlap::Share(0.5), ..Default::default() });
    assert!(error(&points, &found.motion, &truth) < 0.2, "{found:?}");
    assert_eq!(found.overlap, 0.5);
}

#[test]
fn every_matching_goes_the_last_bit_of_the_way() {
    let points = horn(200, 3, 6);
    let mut near = motion(3, 1, false);
    near.rotation = Array2::eye(3);
    let (sin, cos) = 0.05_f64.sin_cos();
    near.rotation[[0, 0]] = cos;
    near.rotation[[1, 1]] = cos;
    near.rotation[[0, 1]] = -sin;
    near.rotation[[1, 0]] = sin;
    near.translation *= 0.02;
    let target = moved(&points, &near, 0.0, 8);
    for matching in [Matching::Auto, Matching::Exact, Matching::Nearest] {
        let start = Start::At(Motion::identity(3));
        let found = run(&points, &target, &Settings { start, matching, ..Default::default() });
        assert!(error(&points, &found.motion, &near) < 0.02, "{matching:?}: {found:?}");
        assert!(matches!(found.confidence, Confidence::Local { .. }));
    }
    let start = Start::At(Motion::identity(3));
    let settings = Settings { start, matching: Matching::MinSwgg(100), max_steps: 30, ..Default::default() };
    let found = run(&points, &target, &settings);
    assert!(found.steps.iter().all(|step| step.stage == Stage::Transport && step.points == 200));
    assert!(found.cost < found.steps[0].cost, "{found:?}");
}

#[test]
fn threads_do_not_matter_and_seeds_do_little() {
    let points = horn(700, 3, 12);
    let truth = motion(3, 13, false);
    let target = moved(&horn(700, 3, 14), &truth, 0.02, 15);
    for overlap in [Overlap::Share(1.0), Overlap::Auto] {
        let with = |threads: usize| {
            let parallelism = Parallelism::from_count(threads);
            run(&points, &target, &Settings { overlap, parallelism, seed: 3, ..Default::default() })
        };
        let (one, three) = (with(1), with(3));
        assert_eq!((&one.motion, one.cost, &one.steps), (&three.motion, three.cost, &three.steps));
    }
}

#[test]
fn a_run_can_be_watched_and_stopped() {
    let points = horn(300, 3, 16);
    let target = moved(&points, &motion(3, 17, false), 0.1, 18);
    let (x, y) = (Measure::from_view(points.view()).unwrap(), Measure::from_view(target.view()).unwrap());
    let mut seen = 0;
    let mut stop = |progress: &swgg::Progress| {
        seen += 1;
        assert_eq!(progress.tried, seen);
        std::ops::ControlFlow::Break(())
    };
    let found = align_watched(&x, &y, &Settings::default(), &mut stop).unwrap();
    assert_eq!((found.stop, found.steps.len()), (Stop::Interrupted, 1));
    let found = align(&x, &y, &Settings { max_steps: 1, tolerance: 0.0, ..Default::default() }).unwrap();
    assert_eq!((found.stop, found.steps.len()), (Stop::Steps, 1));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let points = horn(50, 3, 1);
    let settings = Settings::default();
    let few = points.select(Axis(0), &[0, 1, 2]);
    let said = refused(&few, &points, &settings).to_string();
    assert!(said.contains("source has 3 points in dimension 3") && said.contains("at least 4"), "{said}");
    let one = Array2::from_elem((10, 3), 7.5);
    assert!(matches!(refused(&points, &one, &settings), Error::OnePlace { cloud: "target" }));
    let said = refused(&points, &horn(50, 2, 1), &settings).to_string();
    assert!(said.contains('3') && said.contains('2') && said.contains("dimension"), "{said}");
    for overlap in [0.0, -0.5, 1.5, f64::NAN] {
        let settings = Settings { overlap: Overlap::Share(overlap), ..Default::default() };
        assert!(matches!(refused(&points, &points, &settings), Error::BadOverlap { .. }), "{overlap}");
    }
    assert!(matches!(
        refused(&points, &points, &Settings { max_steps: 0, ..Default::default() }),
        Error::NoSteps
    ));
    let tolerance = Settings { tolerance: f64::NAN, ..Default::default() };
    assert!(matches!(refused(&points, &points, &tolerance), Error::BadTolerance { .. }));
    let start = |motion: Motion| Settings { start: Start::At(motion), ..Default::default() };
    assert!(matches!(refused(&points, &points, &start(Motion::identity(2))), Error::StartDimension { .. }));
    assert!(matches!(refused(&points, &points, &start(motion(3, 1, true))), Error::Reflected));
    let twice = Motion { scale: 2.0, ..Motion::identity(3) };
    assert!(matches!(refused(&points, &points, &start(twice)), Error::Scaled { .. }));
}

#[test]
fn matrices_are_read_and_written() {
    let scaled = Motion { scale: 2.5, ..motion(3, 21, true) };
    let back = Motion::from_matrix(scaled.matrix().view()).unwrap();
    assert!(error(&horn(20, 3, 1), &back, &scaled) < 1e-9 && back.is_reflection());
    let home = scaled.then(&scaled.inverse());
    assert!(error(&horn(20, 3, 1), &home, &Motion::identity(3)) < 1e-9);
    let mut flat = Array2::eye(4);
    flat[[1, 1]] = 0.0;
    let mut sheared = Array2::eye(4);
    sheared[[0, 1]] = 0.5;
    let mut last = Array2::eye(4);
    last[[3, 0]] = 1.0;
    let not_a_number = Array2::from_elem((4, 4), f64::NAN);
    for matrix in [flat, sheared, last, not_a_number, Array2::zeros((3, 4)), Array2::zeros((4, 4))] {
        let refused = Motion::from_matrix(matrix.view()).unwrap_err();
        assert!(refused.to_string().contains("the matrix is no motion"), "{refused}");
    }
}
