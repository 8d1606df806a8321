//! `swgg solve --method exact`.

use crate::Scene;

/// Where sorting along any line pairs the wrong points: two crosses, one turned.
const CROSS: &str = "x,y\n1,0\n-1,0\n0,1\n0,-1\n";
const TURNED: &str = "x,y\n0.1,-1\n1,0.1\n-0.1,1\n-1,-0.1\n";

#[test]
fn the_optimum_with_its_proof() {
    let found =
        Scene::clouds(CROSS, TURNED).json("solve source.csv target.csv --method exact --plan plan.csv");
    assert!((found["cost"].as_f64().unwrap() - 0.01).abs() < 1e-12, "{found}");
    assert!((found["lower_bound"].as_f64().unwrap() - 0.01).abs() < 1e-12, "{found}");
    assert_eq!((&found["method"], &found["stop"]), (&"exact".into(), &"converged".into()));
    assert!(found["search"].is_null() && found["theta"].is_null() && found["iterations"].is_u64(), "{found}");
}

#[test]
fn the_plan_is_written() {
    let scene = Scene::clouds(CROSS, TURNED);
    scene.works("solve source.csv target.csv --method exact --plan plan.csv --map moved.npy --quiet");
    assert_eq!(scene.plan("plan.csv"), [(0, 1, 0.25), (1, 3, 0.25), (2, 2, 0.25), (3, 0, 0.25)]);
    assert_eq!(scene.points("moved.npy")[0], [1.0, 0.1]);
}

#[test]
fn weights_and_sizes_may_differ() {
    let scene = Scene::clouds("0\n1\n2\n", "0\n2\n").with("a.csv", "1\n2\n1\n").with("b.csv", "3\n1\n");
    let line = "solve source.csv target.csv --method exact --source-weights a.csv --target-weights b.csv";
    // Half of all mass moves from 1 to 0, and nothing else.
    assert_eq!(scene.json(line)["cost"].as_f64(), Some(0.5));
}

#[test]
fn it_is_never_above_a_line() {
    let scene = Scene::clouds(CROSS, TURNED);
    let cost =
        |method: &str| scene.json(&format!("solve source.csv target.csv {method}"))["cost"].as_f64().unwrap();
    assert!(cost("--method exact") <= cost("--search sweep"));
}

#[test]
fn a_search_is_refused() {
    let scene = Scene::new();
    for flag in ["--search stein", "--restarts 3", "--blur 1", "--costs c.npy"] {
        let name = flag.split(' ').next().unwrap();
        let message =
            format!("{name} is not a setting of --method exact; leave it out, or use --method min-swgg");
        scene.refuses(&format!("solve source.csv target.csv --method exact {flag}"), &message);
    }
}

#[test]
fn other_powers_have_a_gap_too() {
    let found = Scene::clouds(CROSS, TURNED).json("solve source.csv target.csv --method exact --p 1");
    assert!(found["gap"].as_f64().is_some_and(|gap| gap < 1e-9), "{found}");
}
