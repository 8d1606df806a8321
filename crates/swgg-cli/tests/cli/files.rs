//! Outputs: what is in them, where they may go, and that they appear whole or not at all.

use std::fs;

use crate::Scene;
use crate::bytes::{member, scattered};

/// Clouds of 40 and 30 weighted points, so that plans split mass.
fn weighted() -> Scene {
    let weights = |n: usize| (0..n).map(|i| format!("{}\n", i * 7 % 5)).collect::<String>();
    Scene::new()
        .with("a.npy", scattered(40, 5))
        .with("b.npy", scattered(30, 6))
        .with("wa.csv", weights(40))
        .with("wb.csv", weights(30))
}

const WEIGHTED: &str = "a.npy b.npy --source-weights wa.csv --target-weights wb.csv";

fn sq_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

fn masses(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| w / total).collect()
}

#[test]
fn the_plan_has_the_marginals_and_the_cost() {
    let scene = weighted();
    let found = scene.json(&format!("solve {WEIGHTED} --plan plan.csv"));
    assert!(scene.text("plan.csv").starts_with("source,target,mass\n"));
    let (x, y) = (scene.points("a.npy"), scene.points("b.npy"));
    let (mut a, mut b, mut cost) = (vec![0.0; 40], vec![0.0; 30], 0.0);
    for (i, j, mass) in scene.plan("plan.csv") {
        a[i] += mass;
        b[j] += mass;
        cost += mass * sq_distance(&x[i], &y[j]);
    }
    let check = |found: &[f64], weights: &str| {
        for (found, expected) in found.iter().zip(masses(&scene.vector(weights))) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    };
    check(&a, "wa.csv");
    check(&b, "wb.csv");
    assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!((cost - found["cost"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn every_plan_format_says_the_same() {
    let scene = weighted();
    for name in ["plan.csv", "plan.parquet", "plan.npz"] {
        scene.works(&format!("solve {WEIGHTED} --plan {name}"));
    }
    let plan = scene.plan("plan.csv");
    assert_eq!(scene.plan("plan.parquet"), plan);
    let archive = fs::read(scene.path("plan.npz")).unwrap();
    let column = |name: &str| {
        fs::write(scene.path("column.npy"), member(&archive, name)).unwrap();
        scene.vector("column.npy")
    };
    let entries = column("row.npy").into_iter().zip(column("col.npy")).zip(column("data.npy"));
    let entries: Vec<_> = entries.map(|((i, j), mass)| (i as usize, j as usize, mass)).collect();
    assert_eq!(entries, plan);
    assert_eq!(column("shape.npy"), [40.0, 30.0]);
    assert!(member(&archive, "format.npy").ends_with(b"coo"));
}

#[test]
fn the_map_of_a_matching_lists_the_matched_targets() {
    let scene = Scene::new().with("a.npy", scattered(50, 1)).with("b.npy", scattered(50, 2));
    scene.works("solve a.npy b.npy --plan plan.csv --map map.npy");
    let (plan, map, y) = (scene.plan("plan.csv"), scene.points("map.npy"), scene.points("b.npy"));
    let mut targets: Vec<usize> = plan.iter().map(|entry| entry.1).collect();
    targets.sort_unstable();
    assert_eq!(targets, (0..50).collect::<Vec<_>>());
    assert_eq!(map.len(), 50);
    for (i, j, mass) in plan {
        assert_eq!(map[i], y[j]);
        assert_eq!(mass, 1.0 / 50.0);
    }
}

#[test]
fn the_map_of_a_split_plan_averages() {
    let scene = weighted();
    scene.works(&format!("solve {WEIGHTED} --plan plan.csv --map map.npy"));
    let (map, y) = (scene.points("map.npy"), scene.points("b.npy"));
    let (mut mean, mut mass_of) = (vec![[0.0; 2]; 40], vec![0.0; 40]);
    for (i, j, mass) in scene.plan("plan.csv") {
        mass_of[i] += mass;
        (0..2).for_each(|c| mean[i][c] += mass * y[j][c]);
    }
    for i in (0..40).filter(|&i| mass_of[i] > 0.0) {
        let mean = mean[i].map(|sum| sum / mass_of[i]);
        assert!(sq_distance(&map[i], &mean) < 1e-24, "row {i}");
    }
}

#[test]
fn interpolation_starts_at_the_source_and_ends_at_the_target() {
    let scene = Scene::new();
    scene.works("interpolate source.csv target.csv --steps 12 --out steps");
    let names: Vec<String> = (0..12).map(|step| format!("step_{step:02}.csv")).collect();
    assert_eq!(scene.names("steps"), names);
    assert_eq!(scene.points("steps/step_00.csv"), scene.points("source.csv"));
    // The cloud is moved by (3, 4), so that every point finds itself again.
    assert_eq!(scene.points("steps/step_11.csv"), scene.points("target.csv"));
    assert!(scene.text("steps/step_05.csv").starts_with("x,y\n"));
}

#[test]
fn interpolation_of_unequal_masses_writes_them() {
    let scene = weighted();
    let line = format!("interpolate {WEIGHTED} --steps 2 --out steps");
    let files = scene.json(&line)["files"].clone();
    assert_eq!(scene.names("steps"), ["step_0.csv", "step_1.csv", "weights.npy"]);
    assert!(files.as_array().unwrap().iter().any(|file| file == "steps/weights.npy"));
    let weights = scene.vector("steps/weights.npy");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // Pieces of one point add up to its mass, at both ends.
    for (step, cloud, masses_of) in [("step_0", "a.npy", "wa.csv"), ("step_1", "b.npy", "wb.csv")] {
        let pieces = scene.points(&format!("steps/{step}.csv"));
        assert_eq!(pieces.len(), weights.len());
        let expected = masses(&scene.vector(masses_of));
        for (point, mass) in scene.points(cloud).iter().zip(expected) {
            let found: f64 = pieces.iter().zip(&weights).filter(|(p, _)| *p == point).map(|(_, w)| w).sum();
            assert!((found - mass).abs() < 1e-12, "{step}: {found} is not {mass}");
        }
    }
}

#[test]
fn interpolation_into_an_empty_directory() {
    for out in ["steps", "steps/", "./steps"] {
        let scene = Scene::new().with_directory("steps");
        scene.works(&format!("interpolate source.csv target.csv --steps 2 --out {out}"));
        assert_eq!(scene.names("steps"), ["step_0.csv", "step_1.csv"]);
        assert_eq!(scene.names(""), ["source.csv", "steps", "target.csv"]);
    }
}

#[test]
fn outputs_in_another_directory_replace_old_ones() {
    let scene = Scene::new().with_directory("sub").with("sub/plan.csv", "old").with("sub/map.npy", "old");
    let outputs = "--plan sub/plan.csv --map sub/map.npy --costs sub/costs.npy";
    scene.works(&format!("solve source.csv target.csv --directions 200 {outputs}"));
    assert_eq!(scene.names("sub"), ["costs.npy", "map.npy", "plan.csv"]);
    assert_eq!(scene.plan("sub/plan.csv").len(), 3);
    assert_eq!(scene.points("sub/map.npy").len(), 3);
    assert_eq!(scene.vector("sub/costs.npy").len(), 200);
    assert_eq!(scene.names(""), ["source.csv", "sub", "target.csv"]);
}

#[test]
#[cfg(unix)]
fn a_directory_whose_name_is_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    let mut command = scene.command("interpolate source.csv target.csv --steps 2 --json --out");
    command.arg(std::ffi::OsStr::from_bytes(b"st\xffps"));
    let ran = crate::Ran::of(command);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(crate::scene::one_line(&ran.stdout)["files"][0], "st\u{fffd}ps/step_0.csv");
}
