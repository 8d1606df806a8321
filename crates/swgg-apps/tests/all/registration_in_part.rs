//! Clouds that are both cut, clouds that have nothing in common, and clouds that are where they belong.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg::ndarray::{Array1, Array2, Axis};
use swgg::{Measure, Observe, Parallelism, Progress};
use swgg_apps::registration::{
    Group, Matching, Motion, Overlap, Registration, Settings, Start, Stop, align, align_watched, fit,
};

fn normals(count: usize, d: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    Array2::from_shape_simple_fn((count, d), || StandardNormal.sample(rng))
}

/// A ball of radius 10 with bumps and dents, another one for every `form`.
fn blob(n: usize, form: u64, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut shape = ChaCha8Rng::seed_from_u64(form);
    let bumps: Vec<[f64; 5]> = (0..12).map(|_| std::array::from_fn(|_| shape.random())).collect();
    let mut points = normals(n, 3, rng);
    for mut row in points.rows_mut() {
        let length = row.dot(&row).sqrt();
        row.mapv_inplace(|x| x / length);
        let bump = |&[x, y, z, high, wide]: &[f64; 5]| {
            let place = [x, y, z].map(|x| 2.0 * x - 1.0);
            let square: f64 = row.iter().zip(place).map(|(a, b)| (a - b) * (a - b)).sum();
            (high - 0.4) * (-square / (2.0 * (0.2 + 0.4 * wide).powi(2))).exp()
        };
        let radius = 10.0 * (1.0 + bumps.iter().map(bump).sum::<f64>());
        row.mapv_inplace(|x| radius * x);
    }
    points
}

/// The points of a cloud without the share that is farthest in a direction.
fn cut(cloud: &Array2<f64>, direction: &Array1<f64>, share: f64) -> Array2<f64> {
    let heights = cloud.dot(direction);
    let mut sorted = heights.to_vec();
    sorted.sort_by(f64::total_cmp);
    let limit = sorted[((1.0 - share) * sorted.len() as f64) as usize];
    let kept: Vec<usize> = (0..cloud.nrows()).filter(|&i| heights[i] < limit).collect();
    cloud.select(Axis(0), &kept)
}

/// Any rotation, and a translation.
fn motion(rng: &mut ChaCha8Rng) -> Motion {
    let axes = Array2::from_shape_fn((6, 3), |(i, j)| match i % 3 == j {
        true => 1.0 - 2.0 * (i / 3) as f64,
        false => 0.0,
    });
    let images = axes.dot(&normals(3, 3, rng));
    let mut motion = fit(axes.view(), images.view(), None, Group::Rigid).unwrap();
    motion.translation = normals(1, 3, rng).row(0).to_owned() * 5.0;
    motion
}

fn run(source: &Array2<f64>, target: &Array2<f64>, settings: &Settings) -> Registration {
    let [source, target] = [source, target].map(|cloud| Measure::from_view(cloud.view()).unwrap());
    align(&source, &target, settings).unwrap()
}

/// A blob sampled twice, each sample without 31 % on a side of its own, the opposite ones: 55 % of what is left is in both.
fn both_cut(seed: u64, n: usize) -> (Array2<f64>, Array2<f64>, Motion) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let direction = normals(1, 3, &mut rng).row(0).to_owned();
    let [source, target] =
        [1.0_f64, -1.0].map(|side| cut(&blob(n, seed, &mut rng), &(&direction * side), 0.31));
    let truth = motion(&mut rng);
    (source, truth.apply(target.view()), truth)
}

#[test]
fn two_clouds_that_are_both_cut() {
    for seed in 200..203 {
        let (source, target, truth) = both_cut(seed, 2500);
        for overlap in [Overlap::Share(0.5), Overlap::Auto] {
            let found = run(&source, &target, &Settings { overlap, ..Default::default() });
            let degrees = found.motion.degrees_to(&truth);
            assert!(degrees < 3.0, "seed {seed}, {overlap:?}: {degrees} degrees, {}", found.confidence);
            let apart = &found.motion.translation - &truth.translation;
            assert!(apart.dot(&apart).sqrt() < 0.5, "seed {seed}, {overlap:?}: {apart}");
            assert_eq!(found.confidence.name(), "clear", "seed {seed}, {overlap:?}: {}", found.confidence);
            assert!((found.overlap - 0.55).abs() < 0.1, "seed {seed}, {overlap:?}: {}", found.overlap);
        }
    }
}

#[test]
fn partial_transport_brings_cut_clouds_together() {
    // From a pose nearby: the plan of a part of the mass leaves out what was cut from the other, the plan of all of it cannot.
    let (source, target, truth) = both_cut(200, 700);
    let axes = Array2::from_shape_fn((3, 3), |(i, j)| f64::from(u8::from(i == j)));
    let turned = Array2::from_shape_vec((3, 3), vec![0.995, 0.0998, 0.0, -0.0998, 0.995, 0.0, 0.0, 0.0, 1.0]);
    let nudge = fit(axes.view(), turned.unwrap().view(), None, Group::Rigid).unwrap();
    let near = Motion { rotation: nudge.rotation.dot(&truth.rotation), ..truth.clone() };
    let with = |overlap: f64| {
        let (matching, overlap) = (Matching::Exact, Overlap::Share(overlap));
        run(
            &source,
            &target,
            &Settings { matching, overlap, start: Start::At(near.clone()), ..Default::default() },
        )
    };
    let (part, whole) = (with(0.5), with(1.0));
    let [near_by, far] = [&part, &whole].map(|found| found.motion.degrees_to(&truth));
    assert!(near_by < 3.0 && far > 2.0 * near_by, "{near_by} and {far} degrees");
    assert!(part.cost < 0.5 * whole.cost && part.overlap == 0.5, "{} {}", part.cost, whole.cost);
}

#[test]
fn threads_do_not_matter_where_both_are_cut() {
    let (source, target, _) = both_cut(7, 1200);
    let with = |threads: usize| {
        let parallelism = Parallelism::from_count(threads);
        run(&source, &target, &Settings { overlap: Overlap::Share(0.5), parallelism, ..Default::default() })
    };
    let (one, three) = (with(1), with(3));
    assert_eq!((&one.motion, one.cost, one.confidence), (&three.motion, three.cost, three.confidence));
}

#[test]
fn what_has_nothing_in_common_is_not_found_rather_than_ambiguous() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for form in 0..2 {
        let (source, target) = (blob(2000, form, &mut rng), blob(2000, form + 10, &mut rng));
        let target = motion(&mut rng).apply(target.view());
        for overlap in [Overlap::Share(0.7), Overlap::Auto] {
            let found = run(&source, &target, &Settings { overlap, ..Default::default() });
            assert_eq!(found.confidence.name(), "not-found", "{form}, {overlap:?}: {}", found.confidence);
            assert!(found.confidence.to_string().starts_with("not found: "), "{}", found.confidence);
        }
    }
    // As a whole, a ball of points and some far away are not one shape, however they are turned.
    let source = normals(500, 3, &mut rng);
    let mut target = normals(500, 3, &mut rng);
    target.rows_mut().into_iter().enumerate().for_each(|(i, mut row)| row[0] += 40.0 * (i % 7) as f64);
    let found = run(&source, &target, &Settings::default());
    assert!(["doubtful", "not-found"].contains(&found.confidence.name()), "{}", found.confidence);
}

#[test]
fn points_that_are_where_they_belong_stay_there() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    // The same in all directions: no sample tells how it is turned.
    let points = normals(2000, 3, &mut rng);
    let shaken = &points + &(normals(2000, 3, &mut rng) * 1e-4);
    for overlap in [Overlap::Share(1.0), Overlap::Auto] {
        let found = run(&points, &shaken, &Settings { overlap, ..Default::default() });
        assert!(found.motion.degrees_to(&Motion::identity(3)) < 0.01, "{overlap:?}: {found:?}");
        assert!(found.rms < 1e-3, "{overlap:?}: {}", found.rms);
        assert_eq!(found.confidence.name(), "clear", "{overlap:?}: {}", found.confidence);
    }
}

/// Somebody who wants it to end before it has begun.
struct Impatient(Arc<AtomicBool>);

impl Observe for Impatient {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(self.0.clone())
    }
}

#[test]
fn the_search_for_a_start_hears_that_it_is_to_end() {
    let (source, target, _) = both_cut(1, 20_000);
    let [source, target] = [&source, &target].map(|cloud| Measure::from_view(cloud.view()).unwrap());
    let settings = Settings { overlap: Overlap::Share(0.5), ..Default::default() };
    let begun = Instant::now();
    let found = align_watched(&source, &target, &settings, &mut Impatient(Arc::new(true.into()))).unwrap();
    let told = begun.elapsed();
    assert_eq!(found.stop, Stop::Interrupted);
    // The search itself takes many times as long.
    assert!(told < Duration::from_secs(5), "{told:?}");
}
