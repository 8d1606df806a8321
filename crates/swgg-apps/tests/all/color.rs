//! Colour transfer and colorization on pictures small enough to check.

use std::collections::BTreeMap;

use swgg::cost::SqEuclidean;
use swgg::{Measure, Parallelism};
use swgg_apps::color::{
    Error, Image, Method, Sample, Samples, Settings, Space, colorize, colorize_within, transfer,
};

const ALL: [Method; 7] = [
    Method::Auto,
    Method::MinSwgg(None),
    Method::MinSwgg(Some(20)),
    Method::Exact,
    Method::Sinkhorn,
    Method::SubspaceDetour,
    Method::Gaussian,
];

/// A landscape of sorts: a smooth sky with a little noise over something rough.
fn picture(width: usize, height: usize, tint: [f64; 3], seed: usize) -> Vec<[u8; 3]> {
    let noise = |k: usize| ((k + seed).wrapping_mul(2_654_435_761) >> 7) % 256;
    (0..width * height)
        .map(|k| {
            let y = (k / width) as f64 / height as f64;
            let grain = noise(k) as f64 / 255.0 - 0.5;
            let light = if y < 0.6 { 0.4 + 0.5 * y + 0.02 * grain } else { 0.25 + 0.4 * grain };
            tint.map(|t| u8::from_unit(light * t + 0.05))
        })
        .collect()
}

fn dusk() -> Vec<[u8; 3]> {
    picture(40, 30, [0.5, 0.7, 1.0], 0)
}

fn dawn() -> Vec<[u8; 3]> {
    picture(30, 40, [1.0, 0.8, 0.5], 7)
}

fn histogram<S: Sample>(pixels: &[[S; 3]]) -> BTreeMap<[u32; 3], usize> {
    let mut counts = BTreeMap::new();
    pixels.iter().for_each(|pixel| *counts.entry(pixel.map(S::rank)).or_insert(0) += 1);
    counts
}

fn run<S: Sample>(source: &[[S; 3]], reference: &[[S; 3]], settings: &Settings) -> Vec<[S; 3]> {
    let image = |pixels| Image::new(1, pixels).unwrap();
    transfer(&image(source), &image(reference), settings).unwrap().pixels
}

fn deep(pixels: &[[u8; 3]]) -> Vec<[u16; 3]> {
    let spread = |i: usize, x: u8| (u16::from(x) * 257) ^ (i * 37 % 200) as u16;
    pixels.iter().enumerate().map(|(i, p)| p.map(|x| spread(i, x))).collect()
}

#[test]
fn every_plan_gives_exactly_the_colours_of_the_reference() {
    let (source, reference) = (dusk(), dawn());
    for method in ALL {
        for smoothing in [0.0, 0.7] {
            let settings = Settings { method, smoothing, ..Default::default() };
            let (from, to) = (Image::new(40, &source).unwrap(), Image::new(30, &reference).unwrap());
            let found = transfer(&from, &to, &settings).unwrap();
            assert_eq!(found.is_exact, method != Method::Gaussian);
            let is_same = histogram(&found.pixels) == histogram(&reference);
            assert_eq!(is_same, method != Method::Gaussian, "{method:?} {smoothing}");
            let cost = cost(&source, &found.pixels);
            // Gaussian images may lie beyond black and white, where pixels cannot follow.
            if method != Method::Gaussian {
                assert!((found.cost - cost).abs() < 1e-12, "{method:?}");
            }
        }
    }
}

fn cost<S: Sample>(x: &[[S; 3]], y: &[[S; 3]]) -> f64 {
    let sq = |x: &[S; 3], y: &[S; 3]| (0..3).map(|c| (x[c].to_unit() - y[c].to_unit()).powi(2)).sum::<f64>();
    x.iter().zip(y).map(|(x, y)| sq(x, y)).sum::<f64>() / x.len() as f64
}

#[test]
fn without_smoothing_exact_is_the_optimum_and_nothing_is_below_it() {
    let (source, reference) = (dusk(), dawn());
    let points = |pixels: &[[u8; 3]]| {
        Measure::from_vec(pixels.iter().flat_map(|p| p.map(Sample::to_unit)).collect(), 3).unwrap()
    };
    let best = swgg::exact::exact(&points(&source), &points(&reference)).unwrap().cost;
    let of = |method, smoothing| {
        let settings = Settings { method, smoothing, ..Default::default() };
        cost(&source, &run(&source, &reference, &settings))
    };
    assert!((of(Method::Exact, 0.0) - best).abs() < 1e-9);
    for method in [Method::Auto, Method::MinSwgg(Some(20))] {
        assert!(of(method, 0.0) >= best - 1e-9, "{method:?}");
    }
    // What smoothness costs here.
    assert!(of(Method::Auto, 0.7) < 1.1 * best);
}

#[test]
fn the_same_colours_change_nothing() {
    let source = dusk();
    let mut turned = source.clone();
    turned.reverse();
    for method in ALL {
        let settings = Settings { method, ..Default::default() };
        assert_eq!(run(&source, &source, &settings), source);
        assert_eq!(run(&source, &turned, &settings), source);
        assert_eq!(run(&deep(&source), &deep(&source), &settings), deep(&source));
    }
}

#[test]
fn strength_walks_from_the_source_to_the_reference() {
    let (source, reference) = (dusk(), dawn());
    for space in [Space::Rgb, Space::Oklab, Space::Lab] {
        let at = |strength| run(&source, &reference, &Settings { strength, space, ..Default::default() });
        assert_eq!(at(0.0), source);
        assert_eq!(histogram(&at(1.0)), histogram(&reference));
        let (way, half) = (cost(&source, &at(1.0)), cost(&source, &at(0.5)));
        // Half of the way costs a quarter, exactly in RGB but for rounding to bytes.
        let allowed = if space == Space::Rgb { 0.01 } else { 0.15 };
        assert!((half / way - 0.25).abs() < allowed, "{space:?}: {}", half / way);
    }
}

#[test]
fn grays_stay_gray_and_one_colour_is_one_colour() {
    let gray: Vec<[u8; 3]> = (0..200).map(|k| [(k * 7 % 101) as u8; 3]).collect();
    let bright: Vec<[u8; 3]> = (0..200).map(|k| [155 + (k * 3 % 100) as u8; 3]).collect();
    let found = run(&gray, &bright, &Settings::default());
    assert_eq!(histogram(&found), histogram(&bright));
    // Monotone: a brighter pixel never gets a darker one.
    let plain = run(&gray, &bright, &Settings { smoothing: 0.0, ..Default::default() });
    let mut pairs: Vec<(u8, u8)> = gray.iter().zip(&plain).map(|(x, y)| (x[0], y[0])).collect();
    pairs.sort_unstable();
    assert!(pairs.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 <= pair[1].1));
    for method in ALL {
        let settings = Settings { method, ..Default::default() };
        assert_eq!(run(&gray, &[[9, 8, 7]; 5], &settings), [[9, 8, 7]; 200], "{method:?}");
        assert_eq!(run(&[[1_u8, 2, 3]], &[[4, 5, 6]], &settings), [[4, 5, 6]], "{method:?}");
    }
    let mut spread = run(&[[1_u8, 2, 3]; 200], &bright, &Settings::default());
    spread.sort_unstable();
    assert_eq!(histogram(&spread), histogram(&bright));
}

#[test]
fn deep_pictures_are_exact_and_sizes_may_differ() {
    let (source, reference) = (deep(&dusk()), deep(&dawn()));
    assert_eq!(histogram(&run(&source, &reference, &Settings::default())), histogram(&reference));
    let floats = |pixels: &[[u16; 3]]| -> Vec<[f32; 3]> {
        pixels.iter().map(|p| p.map(|x| f32::from(x) / 65535.0)).collect()
    };
    let (source, reference) = (floats(&source), floats(&reference));
    assert_eq!(histogram(&run(&source, &reference, &Settings::default())), histogram(&reference));
    // Three times the size: every colour three times. A part: colours of the reference, each right to one.
    let larger: Vec<[u8; 3]> = [dusk(), dusk(), dusk()].concat();
    let tripled = histogram(&run(&larger, &dawn(), &Settings::default()));
    assert!(histogram(&dawn()).iter().all(|(color, count)| tripled[color] == 3 * count));
    let fewer = histogram(&run(&dusk()[..500], &dawn(), &Settings::default()));
    for (color, count) in histogram(&dawn()) {
        let share = count as f64 * 500.0 / 1200.0;
        let found = *fewer.get(&color).unwrap_or(&0) as f64;
        assert!((found - share).abs() <= 1.0, "{color:?}: {found} for {share}");
    }
}

#[test]
fn masks_keep_what_they_cover() {
    let (source, reference) = (dusk(), dawn());
    let mask: Vec<bool> = (0..source.len()).map(|k| k % 3 == 0).collect();
    let from = Image::new(40, &source).unwrap();
    let to = Image::new(30, &reference).unwrap();
    let found = transfer(&from.with_mask(&mask).unwrap(), &to, &Settings::default()).unwrap().pixels;
    let kept = (0..source.len()).filter(|&i| !mask[i]).all(|i| found[i] == source[i]);
    assert!(kept && found != source);
    let none = vec![false; source.len()];
    let refused = transfer(&from.with_mask(&none).unwrap(), &to, &Settings::default()).unwrap_err();
    assert!(matches!(refused, Error::NoPixels { picture: "source" }), "{refused}");
    let refused = from.with_mask(&none[1..]).unwrap_err().to_string();
    assert_eq!(refused, "the mask has 1199 pixels, the picture 1200; give one that covers the picture");
}

#[test]
fn samples_are_extended_to_all_pixels() {
    let (source, reference) = (dusk(), dawn());
    for samples in [Samples::Random(100), Samples::Means(50)] {
        let settings = Settings { samples, ..Default::default() };
        let (from, to) = (Image::new(40, &source).unwrap(), Image::new(30, &reference).unwrap());
        let found = transfer(&from, &to, &settings).unwrap();
        assert!(!found.is_exact);
        let images = histogram(&found.pixels).len();
        assert!((20..=100).contains(&images), "{images}");
        if samples == Samples::Random(100) {
            let there = histogram(&reference);
            assert!(found.pixels.iter().all(|p| there.contains_key(&p.map(Sample::rank))));
        }
    }
    let none = Settings { samples: Samples::Random(0), ..Default::default() };
    let image = Image::new(40, &source).unwrap();
    let other = Image::new(40, &reference).unwrap();
    assert!(matches!(transfer(&image, &other, &none).unwrap_err(), Error::NoSamples));
}

#[test]
fn threads_and_repetition_change_nothing() {
    let (source, reference) = (picture(90, 70, [0.4, 0.7, 1.0], 0), picture(80, 80, [1.0, 0.7, 0.4], 3));
    let found = |threads, samples| {
        let parallelism = Parallelism::from_count(threads);
        run(&source, &reference, &Settings { parallelism, samples, seed: 5, ..Default::default() })
    };
    for samples in [Samples::All, Samples::Random(300)] {
        let first = found(1, samples);
        assert!([1, 2, 3, 0].iter().all(|&threads| found(threads, samples) == first));
    }
    let grays: Vec<u8> = source.iter().map(|p| p[1]).collect();
    let of = |threads| {
        let to = Image::new(80, &reference).unwrap();
        colorize(90, &grays, &to, Parallelism::from_count(threads)).unwrap().pixels
    };
    assert!([2, 3, 0].iter().all(|&threads| of(threads) == of(1)));
}

#[test]
fn settings_out_of_range_are_refused() {
    let pixels = [[0.5_f32, 0.0, 1.0], [f32::NAN, 0.0, 0.0]];
    let image = Image::new(1, &pixels[..1]).unwrap();
    for bad in [-0.1, 1.5, f64::NAN] {
        let refused =
            transfer(&image, &image, &Settings { strength: bad, ..Default::default() }).unwrap_err();
        assert!(matches!(refused, Error::NotAShare { name: "the strength", .. }), "{refused}");
        let refused =
            transfer(&image, &image, &Settings { smoothing: bad, ..Default::default() }).unwrap_err();
        assert!(matches!(refused, Error::NotAShare { name: "the smoothing", .. }), "{refused}");
    }
    let bad = Image::new(1, &pixels).unwrap();
    let refused = transfer(&image, &bad, &Settings::default()).unwrap_err().to_string();
    assert_eq!(refused, "pixel 1 (counted from 0) of the reference is not finite; replace it");
    assert!(matches!(Image::new(3, &pixels).unwrap_err(), Error::Shape { found: 2, width: 3 }));
}

#[test]
fn colorization_is_exact_transport() {
    let colors = dawn();
    for count in [colors.len(), 700] {
        let grays: Vec<u8> = (0..count).map(|k| (k * k % 251) as u8).collect();
        let image = Image::new(1, &colors).unwrap();
        let found = colorize(1, &grays, &image, Parallelism::Auto).unwrap();
        let line: Vec<f64> = grays.iter().flat_map(|&g| [g.to_unit(); 3]).collect();
        let cube: Vec<f64> = colors.iter().flat_map(|p| p.map(Sample::to_unit)).collect();
        let (mu, nu) = (Measure::from_vec(line, 3).unwrap(), Measure::from_vec(cube, 3).unwrap());
        let best = swgg::exact::exact(&mu, &nu).unwrap().cost;
        assert!((found.cost - best).abs() < 1e-9 * best, "{} {best}", found.cost);
        if count == colors.len() {
            let gray: Vec<[u8; 3]> = grays.iter().map(|&g| [g; 3]).collect();
            assert!((cost(&gray, &found.pixels) - best).abs() < 1e-9 * best);
            assert_eq!(histogram(&found.pixels), histogram(&colors));
        }
        let closed = swgg::paper::line_transport(&mu, &nu).unwrap().coupling;
        assert!((closed.cost(&mu, &nu, &SqEuclidean).unwrap() - found.cost).abs() < 1e-9);
    }
}

#[test]
fn colours_stay_in_their_regions() {
    let colors = dawn();
    let grays: Vec<u8> = (0..colors.len()).map(|k| (k * k % 251) as u8).collect();
    let labels: Vec<u32> = (0..colors.len()).map(|k| (k % 30 / 7) as u32).collect();
    let image = Image::new(30, &colors).unwrap();
    let found = colorize_within(30, &grays, &image, &labels, Parallelism::Auto).unwrap();
    let of = |pixels: &[[u8; 3]], label: u32| {
        let part = pixels.iter().zip(&labels).filter(|(_, other)| **other == label);
        histogram(&part.map(|(pixel, _)| *pixel).collect::<Vec<_>>())
    };
    assert!((0..5).all(|label| of(&found.pixels, label) == of(&colors, label)));
    assert!(found.cost >= colorize(30, &grays, &image, Parallelism::Auto).unwrap().cost - 1e-12);
    let one = colorize_within(30, &grays, &image, &vec![7; colors.len()], Parallelism::Auto).unwrap();
    assert!((one.cost - colorize(30, &grays, &image, Parallelism::Auto).unwrap().cost).abs() < 1e-12);
    let short = colorize_within(30, &grays, &image, &labels[1..], Parallelism::Auto);
    assert!(matches!(short, Err(Error::Regions { labels: 1199, .. })));
}

#[test]
fn deep_grays_get_their_colours_too() {
    let colors = deep(&dawn());
    let grays: Vec<u16> = (0..colors.len()).map(|k| (k * 7919 % 65536) as u16).collect();
    let image = Image::new(1, &colors).unwrap();
    let found = colorize(30, &grays, &image, Parallelism::Auto).unwrap();
    assert_eq!(histogram(&found.pixels), histogram(&colors));
    // Every gray is another one: brightness follows it.
    let mut order: Vec<usize> = (0..grays.len()).collect();
    order.sort_by_key(|&i| grays[i]);
    let sums: Vec<u32> = order.iter().map(|&i| found.pixels[i].iter().map(|&x| u32::from(x)).sum()).collect();
    assert!(sums.is_sorted());
    let floats: Vec<[f32; 3]> = colors.iter().map(|p| p.map(|x| f32::from(x) / 65535.0)).collect();
    let grays: Vec<f32> = grays.iter().map(|&g| f32::from(g) / 65535.0).collect();
    let same = colorize(30, &grays, &Image::new(1, &floats).unwrap(), Parallelism::Auto).unwrap();
    assert!((same.cost - found.cost).abs() < 1e-7);
    assert_eq!(histogram(&same.pixels), histogram(&floats));
    assert!(matches!(
        colorize(7, &grays, &Image::new(1, &floats).unwrap(), Parallelism::Auto),
        Err(Error::Shape { .. })
    ));
}

/// The point of the smoothing: a smooth sky stays smooth.
#[test]
fn smoothing_spares_smooth_places() {
    let (source, reference) = (picture(90, 70, [0.5, 0.7, 1.0], 0), picture(90, 70, [1.0, 0.75, 0.4], 3));
    let from = Image::new(90, &source).unwrap();
    let to = Image::new(90, &reference).unwrap();
    // Mean squared step between neighbours in the sky.
    let grain = |smoothing| {
        let found = transfer(&from, &to, &Settings { smoothing, ..Default::default() }).unwrap().pixels;
        let step = |k: usize| cost(&found[k..k + 1], &found[k + 1..k + 2]);
        (0..90 * 40).filter(|k| k % 90 < 89).map(step).sum::<f64>()
    };
    let (plain, smooth) = (grain(0.0), grain(0.7));
    assert!(smooth < 0.8 * plain, "{smooth} {plain}");
}

/// Colours without a counterpart stay what they are.
#[test]
fn a_part_of_the_colours() {
    let source: Vec<[u8; 3]> = (0..400_u32)
        .map(|k| if k % 2 == 0 { [250, (k % 7) as u8, 10] } else { [10, 20, 150 + (k % 50) as u8] })
        .collect();
    let reference: Vec<[u8; 3]> = (0..400_u32).map(|k| [15, 40, 140 + (k % 60) as u8]).collect();
    let (from, to) = (Image::new(20, &source).unwrap(), Image::new(20, &reference).unwrap());
    for (method, smoothing) in [(Method::Auto, 0.0), (Method::Exact, 0.0), (Method::Auto, 0.7)] {
        let settings = Settings { method, smoothing, mass: 0.5, ..Default::default() };
        let found = transfer(&from, &to, &settings).unwrap();
        assert!(!found.is_exact);
        for (k, pixel) in found.pixels.iter().enumerate() {
            if k % 2 == 0 {
                assert_eq!(*pixel, source[k], "{method:?}, pixel {k}");
            } else {
                assert!(pixel[1] == 40, "{method:?}, pixel {k}: {pixel:?}");
            }
        }
        let all = transfer(&from, &to, &Settings { mass: 1.0, ..settings }).unwrap();
        assert!(found.cost < 0.1 * all.cost);
    }
    for mass in [0.0, -1.0, 1.5, f64::NAN] {
        let refused = transfer(&from, &to, &Settings { mass, ..Default::default() }).unwrap_err();
        assert!(matches!(refused, Error::NoMass { .. }), "{refused}");
    }
    let settings = Settings { mass: 0.5, method: Method::Sinkhorn, ..Default::default() };
    assert!(matches!(transfer(&from, &to, &settings).unwrap_err(), Error::NotInPart { method: "sinkhorn" }));
}
