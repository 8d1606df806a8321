//! `swgg barycenter` from the outside.

use crate::Scene;
use crate::bytes::{npy64, scattered};

/// Clouds of 30, 30, 20 and 30 points of the plane, and one of space.
fn scene() -> Scene {
    Scene::new()
        .with("a.npy", scattered(30, 1))
        .with("b.npy", scattered(30, 2))
        .with("c.npy", scattered(20, 3))
        .with("d.npy", scattered(30, 4))
        .with("space.npy", npy64(3, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
        .with("masses.csv", (0..20).map(|k| format!("{}\n", k % 4)).collect::<String>())
}

#[test]
fn three_clouds() {
    let scene = scene();
    let line = "barycenter a.npy b.npy c.npy --weights 0.2,0.3,0.5 --out out.csv --picture out.svg";
    let found = scene.json(line);
    assert_eq!(scene.points("out.csv").len(), 30);
    assert_eq!((found["stop"].as_str(), found["geodesic"].as_bool()), (Some("converged"), Some(false)));
    let steps = found["steps"].as_array().unwrap();
    let objectives: Vec<f64> = steps.iter().map(|step| step["objective"].as_f64().unwrap()).collect();
    assert!(
        objectives.is_sorted_by(|a, b| a >= b) && objectives.last() == found["objective"].as_f64().as_ref()
    );
    assert!(found["lower_bound"].as_f64().unwrap() <= found["objective"].as_f64().unwrap());
    let picture = scene.text("out.svg");
    assert!(picture.contains("3 clouds and their barycenter") && picture.contains("b.npy"));
    // Threads change nothing, a seed does.
    let points = scene.text("out.csv");
    scene.works(&format!("{line} --threads 1"));
    assert_eq!(scene.text("out.csv"), points);
    scene.works(&format!("{line} --seed 1"));
    assert_ne!(scene.text("out.csv"), points);
    // Other points, methods, masses and starts.
    for arguments in [
        "--points 7",
        "--method tree --trees 3 --max-steps 4",
        "--method exact --no-bounds",
        "--search random --directions 20",
        "--point-weights equal,equal,masses.csv --begin d.npy",
        "--gain 0.5",
        "--time-limit 20",
    ] {
        let found = scene.json(&format!("barycenter a.npy b.npy c.npy --out other.npy {arguments}"));
        let points = scene.points("other.npy").len() as u64;
        assert_eq!(found["points"].as_u64(), Some(points), "{arguments}");
        assert_eq!(points, if arguments == "--points 7" { 7 } else { 30 });
        assert_eq!(found["lower_bound"].is_null(), arguments.ends_with("--no-bounds"));
    }
}

#[test]
fn two_clouds_are_what_interpolate_writes() {
    let scene = scene();
    scene.works("interpolate a.npy c.npy --steps 5 --out steps --format npy");
    scene.works("barycenter a.npy c.npy --weights 0.75,0.25 --out mid.npy --out-weights w.npy");
    assert_eq!(scene.points("mid.npy"), scene.points("steps/step_1.npy"));
    assert_eq!(scene.vector("w.npy"), scene.vector("steps/weights.npy"));
    // Weights that nobody asked for are not lost silently.
    let said = scene.works("barycenter a.npy c.npy --out mid.npy");
    assert!(said.contains("unequal weights: --out-weights"), "{said}");
    let said = scene.works("barycenter a.npy b.npy --out mid.npy");
    assert!(said.contains("Two clouds: the geodesic of their plan at t = 0.5"), "{said}");
}

#[track_caller]
fn check(arguments: &str, message: &str) {
    scene().with("old.csv", "old").refuses(&format!("barycenter {arguments}"), message);
}

#[test]
fn refusals() {
    let out = "--out old.csv";
    check(
        &format!("a.npy {out}"),
        "found 1 cloud, a.npy; a barycenter is between at least 2: name more files",
    );
    check(
        &format!("a.npy b.npy space.npy {out}"),
        "a.npy has points of dimension 2, space.npy of dimension 3; all clouds must have the same (--columns picks some)",
    );
    check(
        &format!("a.npy b.npy --begin space.npy {out}"),
        "a.npy has points of dimension 2, space.npy of dimension 3; all clouds must have the same (--columns picks some)",
    );
    check(
        &format!("a.npy b.npy --weights 1,2,3 {out}"),
        "found 3 weights for 2 clouds; give one for each (--weights)",
    );
    check(
        &format!("a.npy b.npy --weights -1,2 {out}"),
        "weight 0 (counted from 0) is -1; weights are finite and not negative (--weights)",
    );
    check(
        &format!("a.npy b.npy --weights 0,0 {out}"),
        "all 2 weights are zero; give at least one cloud a weight above 0 (--weights)",
    );
    check(&format!("a.npy b.npy --points 0 {out}"), "found 0 points; ask for at least 1 (--points)");
    check(&format!("a.npy b.npy --max-steps 0 {out}"), "found 0 steps; give at least 1 (--max-steps)");
    check(
        &format!("a.npy b.npy c.npy --gain -1 {out}"),
        "found a tolerance of -1; give a number, 0 or more (--gain)",
    );
    check(
        &format!("a.npy b.npy --method gaussian {out}"),
        "--method gaussian has no plan between the points to follow; leave it out, or use --method auto",
    );
    check(
        &format!("a.npy b.npy --method exact --p 1 {out}"),
        "--p changes what is asked, and barycenters are those of squared distances and of all the mass; leave it out",
    );
    check(
        &format!("a.npy b.npy --point-weights masses.csv {out}"),
        "--point-weights names 1 files for 2 clouds; give one for each, or the word equal",
    );
    check(
        &format!("a.npy b.npy --point-weights masses.csv,equal {out}"),
        "masses.csv: found 20 weights for 30 points; give one weight per point",
    );
    check("a.npy b.npy --out a.npy", "a.npy is read and would be overwritten; name another file");
    check(
        &format!("a.npy b.npy --picture out.gif {out}"),
        "--picture out.gif must end in .png or .svg; rename it",
    );
    check(
        &format!("a.npy b.npy --columns 0 --picture out.svg {out}"),
        "--picture needs points in 2 or more dimensions, these have 1; leave it out",
    );
    check(
        "a.npy b.npy --out out.ply --columns 0",
        "out.ply: a .ply file has no place for points in dimension 1; write .csv, .npy or .parquet",
    );
}
