//! Pan-sharpening as a whole, on scenes whose sharp colors are known.

use std::num::NonZeroUsize;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::cost::SqEuclidean;
use swgg::ndarray::{Array, Array2, Array3, s};
use swgg::{Measure, paper::line_transport};

use super::resampling::{degrade, each_band, enlarge};
use super::transport::pair;
use super::*;

/// Rectangles of random colors with texture: all bands sharp.
fn truth(bands: usize, side: usize, seed: u64) -> Array3<f32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut image = Array3::from_elem((bands, side, side), 300.0_f32);
    for _ in 0..side {
        let (i, j) = (random.random_range(0..side), random.random_range(0..side));
        let (high, wide) = (random.random_range(3..side / 4), random.random_range(3..side / 4));
        let light = random.random_range(150.0..800.0_f32);
        for mut band in image.outer_iter_mut() {
            let color = light * random.random_range(0.7..1.3_f32);
            band.slice_mut(s![i..(i + high).min(side), j..(j + wide).min(side)]).fill(color);
        }
    }
    for i in 0..side {
        for j in 0..side {
            let texture = random.random_range(0.95..1.05_f32);
            image.slice_mut(s![.., i, j]).mapv_inplace(|x| (x * texture).round());
        }
    }
    image
}

fn pan_of(truth: &Array3<f32>) -> Array2<f32> {
    let weights = [0.1, 0.4, 0.3, 0.2];
    let mut pan = Array2::zeros((truth.dim().1, truth.dim().2));
    for (band, weight) in truth.outer_iter().zip(weights) {
        pan.scaled_add(weight, &band);
    }
    pan.mapv(f32::round)
}

fn pair_of(seed: u64, side: usize) -> (Array3<f32>, Array2<f32>, Array3<f32>) {
    let truth = truth(4, side, seed);
    let ms = each_band(&truth, |band| degrade(band, 4)).mapv(f32::round);
    let pan = pan_of(&truth);
    (truth, pan, ms)
}

fn fuse(scene: &Scene, method: Method) -> Array3<f32> {
    scene.fuse(&Settings { method, markers: 40, ..Settings::default() }).unwrap().bands
}

#[test]
fn the_truth_is_nearer_than_by_enlarging() {
    for seed in 0..3 {
        let (truth, pan, ms) = pair_of(seed, 128);
        let scene = Scene::new(pan.view(), ms.view(), Given::default()).unwrap();
        let all = Array2::from_elem(pan.dim(), true);
        let error = |method| ergas(fuse(&scene, method).view(), truth.view(), 4, &all);
        let (ours, plain) = (error(Method::Transport), error(Method::Upsample));
        assert!(ours < 0.6 * plain, "seed {seed}: {ours} of {plain}");
        // Wald's protocol, which does not know the truth, tells the same.
        let settings = Settings { markers: 40, ..Settings::default() };
        let scores = score(&scene, &settings, &Method::ALL).unwrap();
        assert_eq!(scores.iter().map(|score| score.method).collect::<Vec<_>>(), Method::ALL);
        assert!(scores[0].ergas < scores[5].ergas && scores[0].uiqi > scores[5].uiqi, "{scores:?}");
    }
}

#[test]
fn the_plan_of_a_superpixel_is_optimal() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let grays: Vec<f32> = (0..60).map(|_| random.random_range(0..40_u16).into()).collect();
    let colors: Vec<f32> = (0..180).map(|_| random.random_range(0..999_u16).into()).collect();
    let plan = pair(&grays, &colors).unwrap();
    let line: Vec<f32> = grays.iter().flat_map(|&gray| [gray; 3]).collect();
    let (source, target) = (Measure::from_slice(&line, 3).unwrap(), Measure::from_slice(&colors, 3).unwrap());
    let cost = swgg::Coupling::from_map(plan).unwrap().cost(&source, &target, &SqEuclidean).unwrap();
    let exact = line_transport(&source, &target).unwrap().cost;
    assert!((cost - exact).abs() < 1e-9 * exact, "{cost} {exact}");
    let solved = swgg::exact::exact(&source, &target).unwrap().cost;
    assert!((cost - solved).abs() < 1e-9 * solved, "{cost} {solved}");
}

#[test]
fn recoloring_hands_out_the_colors_of_ms_and_no_others() {
    let (_, pan, ms) = pair_of(7, 64);
    let large = each_band(&ms, |band| enlarge(band, 4, 64, 64));
    let scene = Scene::new(pan.view(), large.view(), Given { ratio: Some(4), ..Given::default() }).unwrap();
    let sorted = |image: &Array3<f32>| {
        let mut colors: Vec<Vec<u32>> = image
            .lanes(swgg::ndarray::Axis(0))
            .into_iter()
            .map(|c| c.iter().map(|x| x.to_bits()).collect())
            .collect();
        colors.sort();
        colors
    };
    let painted = fuse(&scene, Method::Paper);
    assert_eq!(sorted(&painted), sorted(&large));
    assert_ne!(painted, large);
    // All grays alike: ties go by the brightness of MS at the place, so that everything stays.
    let flat = Array2::from_elem((64, 64), 500.0);
    let scene = Scene::new(flat.view(), large.view(), Given { ratio: Some(4), ..Given::default() }).unwrap();
    assert_eq!(fuse(&scene, Method::Paper), large);
}

#[test]
fn a_flat_pan_adds_nothing_to_a_flat_ms() {
    let scene = Scene::new(
        Array2::from_elem((32, 32), 9.0).view(),
        Array3::from_elem((2, 8, 8), 5.0).view(),
        Given::default(),
    );
    for method in Method::ALL {
        let fused = fuse(scene.as_ref().unwrap(), method);
        assert!(fused.iter().all(|x| (x - 5.0).abs() < 1e-4), "{method:?}: {fused}");
    }
}

#[test]
fn rounds_bring_the_result_nearer_to_ms() {
    let (_, pan, ms) = pair_of(3, 128);
    let scene = Scene::new(pan.view(), ms.view(), Given::default()).unwrap();
    let gaps: Vec<f32> = [0, 1, 4]
        .iter()
        .map(|&rounds| {
            let fused = scene.fuse(&Settings { rounds, markers: 40, ..Settings::default() }).unwrap().bands;
            let again = each_band(&fused, |band| degrade(band, 4));
            (again - &ms).mapv(|x| x * x).sum()
        })
        .collect();
    assert!(gaps.is_sorted_by(|a, b| a > b), "{gaps:?}");
}

#[test]
fn missing_pixels_stay_missing_and_tell_nothing() {
    let (_, mut pan, mut ms) = pair_of(11, 96);
    let given = Given { pan_nodata: Some(0.0), ms_nodata: Some(65535.0), ratio: None };
    pan.slice_mut(s![10..20, 30..40]).fill(0.0);
    ms.slice_mut(s![1, 15..18, 15..20]).fill(65535.0);
    let hole = |i: usize, j: usize| {
        (10..20).contains(&i) && (30..40).contains(&j) || (60..72).contains(&i) && (60..80).contains(&j)
    };
    let scene = Scene::new(pan.view(), ms.view(), given).unwrap();
    assert_eq!(scene.measured(), 96 * 96 - 100 - 240);
    let mut other = ms.clone();
    other.slice_mut(s![.., 15..18, 15..20]).fill(f32::NAN);
    let unlike = Scene::new(pan.view(), other.view(), given).unwrap();
    for method in Method::ALL {
        let fused = fuse(&scene, method);
        for ((_, i, j), x) in fused.indexed_iter() {
            assert_eq!(x.is_nan(), hole(i, j), "{method:?} at {i}, {j}");
        }
        let same = fused.iter().zip(&fuse(&unlike, method)).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{method:?} saw what is in a hole");
    }
    let scores = score(&scene, &Settings { markers: 40, ..Settings::default() }, &Method::ALL).unwrap_err();
    assert!(matches!(scores, Error::TooSmallToJudge { least: 32, .. }), "{scores}");
    let none = Scene::new(Array2::from_elem((96, 96), 0.0).view(), ms.view(), given).unwrap_err();
    assert!(matches!(none, Error::NothingMeasured), "{none}");
}

#[test]
fn holes_are_left_out_of_scores() {
    let (_, mut pan, ms) = pair_of(2, 160);
    let settings = Settings { markers: 40, ..Settings::default() };
    pan.slice_mut(s![40..60, 40..60]).fill(0.0);
    let given = Given { pan_nodata: Some(0.0), ..Given::default() };
    let scene = Scene::new(pan.view(), ms.view(), given).unwrap();
    let scores = score(&scene, &settings, &[Method::Transport, Method::Upsample]).unwrap();
    assert!(scores.iter().all(|s| s.ergas.is_finite() && s.sam.is_finite() && s.uiqi.is_finite()));
    assert!(scores[0].ergas < scores[1].ergas);
}

#[test]
fn ratios_are_found_or_refused() {
    let (truth, pan, ms) = pair_of(1, 128);
    let made = |ms: &Array3<f32>, ratio| {
        Scene::new(pan.view(), ms.view(), Given { ratio, ..Given::default() }).map(|scene| scene.ratio())
    };
    assert_eq!(made(&ms, None).unwrap(), 4);
    assert_eq!(made(&ms, Some(4)).unwrap(), 4);
    assert!(matches!(made(&ms, Some(2)), Err(Error::RatioDiffers { given: 2, found: 4 })));
    // Enlarged before: found by how little is lost.
    for ratio in [2, 4] {
        let coarse = each_band(&truth, |band| degrade(band, ratio));
        let large = each_band(&coarse, |band| enlarge(band, ratio, 128, 128)).mapv(f32::round);
        assert_eq!(made(&large, None).unwrap(), ratio);
    }
    assert!(matches!(made(&truth, None), Err(Error::NoRatio)));
    assert!(matches!(made(&truth, Some(1)), Err(Error::BadRatio { found: 1 })));
    assert!(matches!(made(&truth, Some(17)), Err(Error::BadRatio { found: 17 })));
    let uneven = Array3::zeros((4, 32, 31));
    let message = made(&uneven, None).unwrap_err().to_string();
    assert!(message.starts_with("PAN has 128 x 128 pixels and MS 31 x 32; "), "{message}");
    assert!(matches!(made(&Array3::zeros((4, 256, 256)), None), Err(Error::Sizes { .. })));
    assert!(matches!(made(&Array3::zeros((0, 32, 32)), None), Err(Error::Empty { .. })));
}

#[test]
fn settings_are_checked() {
    let (_, pan, ms) = pair_of(1, 64);
    let scene = Scene::new(pan.view(), ms.view(), Given::default()).unwrap();
    let refused = |settings: Settings| scene.fuse(&settings).unwrap_err();
    assert!(matches!(refused(Settings { markers: 0, ..Settings::default() }), Error::NoMarkers));
    for compactness in [-1.0, f64::NAN, f64::INFINITY] {
        let error = refused(Settings { compactness, ..Settings::default() });
        assert!(matches!(error, Error::BadCompactness { .. }), "{error}");
    }
}

#[test]
fn threads_do_not_matter() {
    let (_, pan, ms) = pair_of(4, 96);
    let scene = Scene::new(pan.view(), ms.view(), Given::default()).unwrap();
    for method in [Method::Transport, Method::Paper, Method::GramSchmidtAdaptive] {
        let with = |parallelism| {
            let fused = scene.fuse(&Settings { method, parallelism, ..Settings::default() }).unwrap();
            fused.bands.mapv(f32::to_bits)
        };
        let serial = with(Parallelism::Serial);
        assert_eq!(serial, with(Parallelism::Threads(NonZeroUsize::new(3).unwrap())));
        assert_eq!(serial, with(Parallelism::Auto));
    }
}

#[test]
fn one_band_and_one_pixel_are_enough() {
    let pan = Array::from_shape_fn((4, 4), |(i, j)| (i * 4 + j) as f32);
    for (bands, rows) in [(1, 1), (7, 2)] {
        let ms = Array3::from_elem((bands, rows, rows), 12.0);
        let scene = Scene::new(pan.view(), ms.view(), Given::default()).unwrap();
        for method in Method::ALL {
            assert!(fuse(&scene, method).iter().all(|x| x.is_finite()), "{method:?}");
        }
    }
}
