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

#[test]
fn a_lidar_pair_is_registered() {
    let Some(data) = std::env::var_os("SWGG_DATA") else {
        println!("skipped: no data (set SWGG_DATA to the directory that holds small_gicp)");
        return;
    };
    let data = std::path::Path::new(&data).join("small_gicp").display().to_string();
    let scene = Scene::new();
    let line =
        format!("register {data}/source.ply {data}/target.ply --drop-origin --start identity --overlap auto");
    let ran = scene.run(&format!("{line} --out aligned.laz --quiet --json"));
    let report = crate::scene::one_line(&ran.stdout);
    assert_eq!(report["dropped"]["source"]["at_origin"], 5107);
    assert_eq!(report["dropped"]["target"]["at_origin"], 5032);
    // The truth is about (0.489, 0.121, -0.025).
    let shift: Vec<f64> =
        report["translation"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect();
    assert!((shift[0] - 0.489).abs() < 0.05 && (shift[1] - 0.121).abs() < 0.05, "{shift:?}");
}
