//! Real scans, when `SWGG_DATA` names the directory that holds them.

use crate::Scene;

/// The sizes of a pair of clouds and the plan between them, if the data are there.
fn check(source: &str, target: &str, sizes: (usize, usize)) {
    let Some(data) = std::env::var_os("SWGG_DATA") else {
        println!("skipped: no data (set SWGG_DATA to the directory that holds {source})");
        return;
    };
    let data = std::path::Path::new(&data).display().to_string();
    let scene = Scene::new();
    let line = format!("solve {data}/{source} {data}/{target} --directions 3 --plan plan.csv");
    let report = scene.json(&line);
    assert_eq!((report["n"].as_u64(), report["m"].as_u64()), (Some(sizes.0 as u64), Some(sizes.1 as u64)));
    let plan = scene.plan("plan.csv");
    assert!(plan.len() < sizes.0 + sizes.1);
    assert!((plan.iter().map(|entry| entry.2).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn point_lists_with_prefixes() {
    check("icp/mumble_sitting_80000.pts", "icp/mumble_sitting_100000.pts", (80_000, 100_000));
}

#[test]
fn binary_scans_with_intensities() {
    check("small_gicp/source.ply", "small_gicp/target.ply", (69_792, 69_088));
}

#[test]
fn depth_images_with_few_distinct_values() {
    check("icp/kinect_capture0001.ply", "icp/kinect_capture0002.ply", (249_647, 249_931));
}
