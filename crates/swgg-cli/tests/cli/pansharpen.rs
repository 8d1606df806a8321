//! `swgg pansharpen`: files in and out, tags carried along, pairs that do not fit refused.

use std::fs;

use swgg_io::Output;
use swgg_io::raster::{Depth, Raster, TagValue, Tags};

use crate::Scene;

const SIDE: usize = 64;

/// Stripes and dots, brighter from left to right.
fn light(i: usize, j: usize) -> f32 {
    300.0
        + 4.0 * j as f32
        + if (i / 5).is_multiple_of(2) { 150.0 } else { 0.0 }
        + ((i * 7 + j * 13) % 17) as f32
}

fn pan() -> Raster {
    let values = (0..SIDE * SIDE).map(|k| light(k / SIDE, k % SIDE)).collect();
    let georeference = vec![
        (33550, TagValue::Doubles(vec![0.6, 0.6, 0.0])),
        (33922, TagValue::Doubles(vec![0.0, 0.0, 0.0, 485_000.5, 2_147_000.25, 0.0])),
        (34735, TagValue::Shorts(vec![1, 1, 0, 1, 3072, 0, 1, 32614])),
    ];
    let tags = Tags { georeference, ..Tags::default() };
    Raster { bands: 1, rows: SIDE, columns: SIDE, depth: Depth::U16, values, tags }
}

/// Three bands, `ratio` times coarser.
fn ms(ratio: usize, depth: Depth) -> Raster {
    let side = SIDE / ratio;
    let mut values = Vec::new();
    for band in 0..3 {
        for pixel in 0..side * side {
            let (top, left) = (pixel / side * ratio, pixel % side * ratio);
            let fine = (0..ratio * ratio).map(|k| light(top + k / ratio, left + k % ratio));
            values.push((fine.sum::<f32>() / (ratio * ratio) as f32 * (0.15 + 0.075 * band as f32)).round());
        }
    }
    let tags = Tags { metadata: Some("<GDALMetadata/>".into()), ..Tags::default() };
    Raster { bands: 3, rows: side, columns: side, depth, values, tags }
}

fn put(scene: &Scene, name: &str, raster: &Raster) {
    raster.write(Output::create(&scene.path(name)).unwrap()).unwrap().commit().unwrap();
}

fn scene(pan: &Raster, ms: &Raster) -> Scene {
    let scene = Scene::new();
    put(&scene, "pan.tif", pan);
    put(&scene, "ms.tif", ms);
    scene
}

fn get(scene: &Scene, name: &str) -> Raster {
    Raster::read(&scene.path(name)).unwrap()
}

#[test]
fn all_bands_land_on_the_ground_of_pan() {
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        for ratio in [2, 4] {
            let scene = scene(&pan(), &ms(ratio, depth));
            let report = scene.json("pansharpen pan.tif ms.tif out.tif --markers 9");
            assert_eq!(report["ratio"], ratio);
            assert_eq!((&report["bands"], &report["georeferenced"]), (&3.into(), &true.into()));
            assert_eq!((&report["superpixels"], &report["missing"]), (&9.into(), &0.into()));
            assert!(report.get("scores").is_none());
            let fused = get(&scene, "out.tif");
            assert_eq!((fused.bands, fused.rows, fused.columns, fused.depth), (3, SIDE, SIDE, depth));
            assert_eq!(fused.tags.georeference, pan().tags.georeference);
            assert_eq!(fused.tags.metadata.as_deref(), Some("<GDALMetadata/>"));
            assert_eq!(fused.tags.nodata, None);
            // The bands are shares of the light: their ratio is kept, and so are the stripes.
            let (first, last) = (fused.band(0), fused.band(2));
            let off = first.iter().zip(last).map(|(a, b)| (b / a - 2.0).abs()).fold(0.0, f32::max);
            assert!(off < 0.1, "{depth} {ratio}: {off}");
        }
    }
}

#[test]
fn bands_are_picked_from_one() {
    let scene = scene(&pan(), &ms(4, Depth::U16));
    scene.works("pansharpen pan.tif ms.tif all.tif");
    scene.works("pansharpen pan.tif ms.tif some.tif --bands 3,1 --method upsample");
    scene.works("pansharpen pan.tif ms.tif plain.tif --method upsample");
    let (some, plain) = (get(&scene, "some.tif"), get(&scene, "plain.tif"));
    assert_eq!((some.bands, some.band(0), some.band(1)), (2, plain.band(2), plain.band(0)));
    assert_eq!(some.tags.metadata, None);
    scene.refuses(
        "pansharpen pan.tif ms.tif out.tif --bands 1,4",
        "ms.tif: there is no band 4, it has 3 bands; correct --bands",
    );
}

#[test]
fn the_paper_keeps_the_samples_of_an_enlarged_ms() {
    let scene = scene(&pan(), &ms(4, Depth::U16));
    scene.works("pansharpen pan.tif ms.tif large.tif --method upsample");
    scene.works("pansharpen pan.tif large.tif out.tif --method paper --ratio 4 --markers 5");
    let sorted = |raster: &Raster| {
        let mut values: Vec<u16> = raster.band(1).iter().map(|&value| value as u16).collect();
        values.sort_unstable();
        values
    };
    let (large, painted) = (get(&scene, "large.tif"), get(&scene, "out.tif"));
    assert_eq!(sorted(&large), sorted(&painted));
    assert_ne!(large.values, painted.values);
}

#[test]
fn missing_pixels_are_written_back() {
    let (mut pan, mut ms) = (pan(), ms(4, Depth::U16));
    ms.tags.nodata = Some("0".into());
    pan.tags.nodata = Some("65535".into());
    for band in 0..3 {
        ms.values[band * 256 + 17] = 0.0;
    }
    pan.values[5] = 65535.0;
    let scene = scene(&pan, &ms);
    let report = scene.json("pansharpen pan.tif ms.tif out.tif");
    assert_eq!(report["missing"], 17);
    let fused = get(&scene, "out.tif");
    assert_eq!(fused.tags.nodata.as_deref(), Some("0"));
    for band in 0..3 {
        for (pixel, &value) in fused.band(band).iter().enumerate() {
            let (i, j) = (pixel / SIDE, pixel % SIDE);
            let hole = pixel == 5 || (4..8).contains(&i) && (4..8).contains(&j);
            assert_eq!(value == 0.0, hole, "band {band} at {i}, {j}");
        }
    }
}

#[test]
fn a_depth_without_the_missing_value_gets_one_it_can_hold() {
    let (mut pan, ms) = (pan(), ms(4, Depth::U16));
    pan.depth = Depth::F32;
    pan.tags.nodata = Some("-9999".into());
    pan.values[100] = -9999.0;
    let scene = scene(&pan, &ms);
    assert_eq!(scene.json("pansharpen pan.tif ms.tif out.tif")["missing"], 1);
    let fused = get(&scene, "out.tif");
    assert_eq!((fused.tags.nodata.as_deref(), fused.values[100]), (Some("0"), 0.0));
    assert!(fused.band(0).iter().enumerate().all(|(pixel, &value)| (value == 0.0) == (pixel == 100)));
}

#[test]
fn scores_are_printed_for_every_method() {
    let scene = scene(&pan(), &ms(2, Depth::U16));
    let report = scene.json("pansharpen pan.tif ms.tif out.tif --score --markers 9");
    let scores = report["scores"].as_array().unwrap();
    let names: Vec<_> = scores.iter().map(|score| score["method"].as_str().unwrap()).collect();
    assert_eq!(names, ["transport", "paper", "gram-schmidt-adaptive", "gram-schmidt", "brovey", "upsample"]);
    let ergas = |k: usize| scores[k]["ergas"].as_f64().unwrap();
    assert!(ergas(0) < ergas(5), "{report}");
    let text = scene.works("pansharpen pan.tif ms.tif out.tif --score --markers 9");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for name in names {
        assert!(text.contains(&format!("\n  {name:<22} ")), "{text}");
    }
    assert_eq!(scene.works("pansharpen pan.tif ms.tif out.tif --score --quiet"), "");
}

#[test]
fn threads_do_not_change_a_byte() {
    let scene = scene(&pan(), &ms(4, Depth::U16));
    let run = |threads: usize| {
        scene.works(&format!("pansharpen pan.tif ms.tif out.tif --threads {threads} --quiet"));
        fs::read(scene.path("out.tif")).unwrap()
    };
    let one = run(1);
    assert!(one == run(3) && one == run(0));
}

#[test]
fn pairs_that_do_not_fit_are_refused() {
    let scene = scene(&pan(), &ms(4, Depth::U16));
    let mut narrow = ms(4, Depth::U16);
    narrow.columns = 8;
    narrow.values.truncate(3 * 16 * 8);
    put(&scene, "narrow.tif", &narrow);
    scene.refuses(
        "pansharpen pan.tif narrow.tif out.tif",
        "PAN has 64 x 64 pixels and MS 8 x 16; PAN should be as large as MS or a whole number of times larger, the same \
         in both directions: cut both to the same scene",
    );
    scene.refuses(
        "pansharpen pan.tif ms.tif out.tif --ratio 2",
        "a ratio of 2 was given, but PAN is 4 times as large as MS; leave the ratio out (--ratio)",
    );
    scene.refuses(
        "pansharpen ms.tif pan.tif out.tif",
        "ms.tif: has 3 bands where a panchromatic image has 1; check the order, PAN comes first",
    );
    put(&scene, "sharp.tif", &Raster { tags: Tags::default(), ..pan() });
    scene.refuses(
        "pansharpen pan.tif sharp.tif out.tif",
        "MS is as large as PAN and does not look enlarged, so that the ratio of their resolutions cannot be found; give it \
         with --ratio",
    );
    scene.refuses(
        "pansharpen pan.tif ms.tif out.tif --score",
        "MS has 16 x 16 pixels of its own; to judge at a ratio of 4 there should be at least 32 in each direction; leave \
         --score out",
    );
    scene.refuses(
        "pansharpen pan.tif ms.tif out.tif --compactness -1",
        "found a compactness of -1; give a number from 0 on to --compactness",
    );
    scene.refuses(
        "pansharpen pan.tif ms.tif pan.tif",
        "pan.tif is read and would be overwritten; name another file",
    );
    scene.refuses("pansharpen pan.tif ms.tif out.png", "out.png: the result is a TIFF; name it .tif");
    scene.refuses("pansharpen pan.tif gone.tif out.tif", "gone.tif: no such file; check the path");
    scene.refuses(
        "pansharpen pan.tif source.csv out.tif",
        "source.csv: is not a TIFF raster that can be read: it does not begin as one; give a .tif file",
    );
}

#[test]
fn cut_files_are_refused() {
    let scene = scene(&pan(), &ms(4, Depth::U16));
    let whole = fs::read(scene.path("pan.tif")).unwrap();
    fs::write(scene.path("cut.tif"), &whole[..whole.len() / 2]).unwrap();
    let ran = scene.run("pansharpen cut.tif ms.tif out.tif");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.starts_with("error: cut.tif: the raster is cut short: "), "{}", ran.stderr);
    assert!(!scene.path("out.tif").exists());
}

/// The satellite pairs of the paper, when `SWGG_DATA` names the directory that holds them.
#[test]
fn satellites() {
    let Some(data) = std::env::var_os("SWGG_DATA") else {
        println!("skipped: no data (set SWGG_DATA to the directory that holds images/pansharpening)");
        return;
    };
    let data = std::path::Path::new(&data).join("images/pansharpening");
    let scene = Scene::new();
    for name in ["Mexi_nat", "Mexi_urb", "Trend"] {
        let place = |kind: &str| data.join(format!("{name}_{kind}.tif")).display().to_string();
        let line = format!("pansharpen {} {} out.tif --score", place("PAN"), place("MS"));
        let report = scene.json(&line);
        assert_eq!((&report["ratio"], &report["bands"]), (&4.into(), &4.into()));
        let ergas = |k: usize| report["scores"][k]["ergas"].as_f64().unwrap();
        assert!(ergas(0) < ergas(5) && ergas(1) < ergas(5), "{report}");
        let fused = get(&scene, "out.tif");
        assert_eq!((fused.rows, fused.columns, fused.depth), (512, 512, Depth::U16));
        assert_eq!(fused.tags.georeference.len(), 3);
    }
}
