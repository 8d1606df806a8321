//! `swgg solve --method`: what each method finds, what it says about it, and what it refuses.

use serde_json::Value;

use swgg::solver::METHODS;

use crate::bytes::{npy64, scattered};
use crate::json::SOLVE;
use crate::scene::{Ran, Scene};

fn methods() -> impl Iterator<Item = &'static str> {
    // A line needs a cloud that lies on one, and min-SWGG has tests of its own.
    METHODS.iter().map(|method| method.name).filter(|name| !["line", "min-swgg"].contains(name))
}

/// Clouds of 60 and 45 points of the plane.
fn squares() -> Scene {
    Scene::new().with("source.csv", "").with("a.npy", scattered(60, 3)).with("b.npy", scattered(45, 4))
}

/// Clouds of 40 points of space.
fn cubes() -> Scene {
    let cloud = |k: usize| {
        let wave = |i: usize| ((i * (7 + k) + k) as f64 * 0.731).sin() * (1.0 + i as f64 % 3.0);
        npy64(3, &(0..120).map(wave).collect::<Vec<f64>>())
    };
    Scene::new().with("a.npy", cloud(0)).with("b.npy", cloud(5))
}

fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or_else(|| panic!("{key} in {found}"))
}

#[track_caller]
fn check_refusal(arguments: &str, message: &str) {
    Scene::new().refuses(&format!("solve source.csv target.csv {arguments}"), message);
}

#[test]
fn costs_and_bounds_are_in_order() {
    for (scene, clouds) in [(squares(), "a.npy b.npy"), (cubes(), "a.npy b.npy")] {
        let optimum = number(&scene.json(&format!("solve {clouds} --method exact")), "cost");
        for method in methods() {
            let found = scene.json(&format!("solve {clouds} --method {method}"));
            let (cost, bound) = (number(&found, "cost"), number(&found, "lower_bound"));
            assert_eq!(found["method"].as_str(), Some(method));
            assert!((number(&found, "distance").powi(2) - cost).abs() <= 1e-12 * cost, "{found}");
            assert!(bound <= optimum * (1.0 + 1e-9), "{method}: {bound} is above {optimum}");
            match found["cost_is"].as_str().unwrap() {
                "exact" => assert!((cost - optimum).abs() <= 1e-8 * optimum, "{method}: {cost} {optimum}"),
                "upper-bound" => assert!(cost >= optimum * (1.0 - 1e-12), "{method}: {cost} {optimum}"),
                "lower-bound" => assert!(cost <= optimum * (1.0 + 1e-9), "{method}: {cost} {optimum}"),
                other => panic!("{method}: {other}"),
            }
        }
    }
}

#[test]
fn a_move_is_exact_for_everybody() {
    for method in methods() {
        let cost = Scene::new().cost(&format!("--method {method}"));
        // Entropy and a pivot of fewer points than the clouds have blur it.
        assert!((cost - 25.0).abs() < 1e-3 * 25.0, "{method}: {cost}");
    }
}

#[test]
fn plans_have_their_marginals() {
    let scene = squares();
    for method in methods().filter(|method| !["gaussian", "linear-ot"].contains(method)) {
        let found = scene.json(&format!("solve a.npy b.npy --method {method} --plan plan.csv --map map.npy"));
        assert_eq!(found["plan"], true, "{method}");
        let (mut from, mut to) = (vec![0.0; 60], vec![0.0; 45]);
        for (i, j, mass) in scene.plan("plan.csv") {
            from[i] += mass;
            to[j] += mass;
        }
        assert!(from.iter().all(|mass| (mass - 1.0 / 60.0).abs() < 1e-9), "{method}: {from:?}");
        assert!(to.iter().all(|mass| (mass - 1.0 / 45.0).abs() < 1e-9), "{method}: {to:?}");
        assert_eq!(scene.points("map.npy").len(), 60, "{method}");
    }
}

#[test]
fn methods_without_a_plan_say_so() {
    for method in ["gaussian", "linear-ot"] {
        let found = Scene::new().json(&format!("solve source.csv target.csv --method {method}"));
        assert_eq!(found["plan"], false);
        assert!(found["computed"].is_string(), "{found}");
    }
    check_refusal(
        "--method gaussian --plan plan.csv",
        "--method gaussian has no plan between the points; leave --plan out (--map writes its map), or use \
         --method exact",
    );
    for flag in ["--plan plan.csv", "--map map.npy"] {
        let name = flag.split(' ').next().unwrap();
        let message = format!(
            "--method linear-ot has no plan between the clouds; leave {name} out, or use --method exact, which \
             has one"
        );
        check_refusal(&format!("--method linear-ot {flag}"), &message);
    }
}

#[test]
fn the_map_of_gaussians_is_affine() {
    let scene = Scene::clouds("0,0\n2,0\n0,2\n2,2\n", "10,1\n14,1\n10,3\n14,3\n");
    let found = scene.json("solve source.csv target.csv --method gaussian --map map.npy");
    assert_eq!(found["stop"], "closed-form");
    let expected = [[10.0, 1.0], [14.0, 1.0], [10.0, 3.0], [14.0, 3.0]];
    for (point, expected) in scene.points("map.npy").iter().zip(expected) {
        assert!(point.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-9), "{point:?} {expected:?}");
    }
}

#[test]
fn keys_of_each_method() {
    for (method, keys) in [
        ("auto", &["solver", "trees", "passes"][..]),
        ("tree", &["trees"]),
        ("merged", &[]),
        ("exact", &["p", "iterations"]),
        ("sinkhorn", &["epsilon", "value", "marginal_error", "converged", "iterations"]),
        ("gaussian", &["computed"]),
        ("factored", &["k", "factored", "glue", "iterations"]),
        ("subspace-robust", &["k", "robust_lower", "robust_upper", "iterations"]),
        ("subspace-detour", &["k", "detour", "subspace_cost", "fibres"]),
        ("linear-ot", &["pivot", "pivot_points", "computed"]),
    ] {
        let found = Scene::new().json(&format!("solve source.csv target.csv --method {method}"));
        let found: Vec<&str> = found.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = [SOLVE, keys].concat();
        expected.sort_unstable();
        assert_eq!(found, expected, "{method}");
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let scene = squares();
    for method in methods() {
        let answer = |threads: usize| {
            let mut found = scene.json(&format!("solve a.npy b.npy --method {method} --threads {threads}"));
            let all = found.as_object_mut().unwrap();
            all.remove("seconds");
            all.remove("threads");
            found
        };
        let serial = answer(1);
        assert_eq!(serial, answer(2), "{method}");
        assert_eq!(serial, answer(5), "{method}");
    }
}

#[test]
fn summaries_fit_a_terminal() {
    let scene = cubes();
    for method in methods() {
        let text = scene.works(&format!("solve a.npy b.npy --method {method}"));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("\n  cost ") && text.contains("\n  method "), "{text}");
    }
}

#[test]
fn exponents() {
    let scene = Scene::clouds("0\n1\n", "3\n5\n");
    for (p, cost, distance) in [("1", 3.5, 3.5), ("3", 45.5, 45.5_f64.powf(1.0 / 3.0))] {
        let found = scene.json(&format!("solve source.csv target.csv --method exact --p {p}"));
        assert!((number(&found, "cost") - cost).abs() < 1e-12, "{found}");
        assert!((number(&found, "distance") - distance).abs() < 1e-12, "{found}");
    }
    check_refusal("--method exact --p 0.5", "the exponent is 0.5; |x - y|^p needs a finite p of 1 or more");
    check_refusal("--method exact --p nan", "the exponent is NaN; |x - y|^p needs a finite p of 1 or more");
}

#[test]
fn given_costs() {
    let scene = Scene::clouds("0\n1\n", "3\n5\n7\n");
    let scene = scene.with("c.npy", npy64(3, &[9.0, 0.0, 1.0, 0.0, 9.0, 1.0])).with("w.csv", "1\n1\n0\n");
    let line = "solve source.csv target.csv --method exact --cost-matrix c.npy --plan plan.csv";
    let found = scene.json(&format!("{line} --target-weights w.csv"));
    assert_eq!((number(&found, "cost"), found["distance"].is_null()), (0.0, true));
    assert_eq!((found["p"].is_null(), &found["cost_is"]), (true, &"exact".into()));
    assert_eq!(scene.plan("plan.csv"), [(0, 1, 0.5), (1, 0, 0.5)]);
    assert!((number(&scene.json(line), "cost") - 1.0 / 3.0).abs() < 1e-9);
    let text = scene.works(&format!("{line} --threads 1"));
    assert!(text.contains("by the costs given, exact\n") && !text.contains("distance"), "{text}");
}

#[test]
fn costs_that_are_refused() {
    let scene = Scene::new()
        .with("wide.npy", npy64(4, &[1.0; 12]))
        .with("low.npy", npy64(3, &[1.0, 1.0, 1.0, 1.0, 1.0, -2.0, 1.0, 1.0, 1.0]))
        .with("nan.npy", npy64(3, &[1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]));
    for (name, message) in [
        (
            "wide.npy",
            "wide.npy: 3 x 4 costs for 3 source and 3 target points; give a row per source point and a column \
             per target point",
        ),
        (
            "low.npy",
            "low.npy: cost -2 in row 1, column 2 (counted from 0); costs must be finite and not negative",
        ),
        (
            "nan.npy",
            "nan.npy: cost NaN in row 0, column 1 (counted from 0); costs must be finite and not negative",
        ),
    ] {
        scene.refuses(
            &format!("solve source.csv target.csv --method exact --plan p.csv --cost-matrix {name}"),
            message,
        );
    }
    scene.refuses(
        "solve source.csv target.csv --method exact --cost-matrix low.npy --map low.npy",
        "low.npy is read and would be overwritten; name another file",
    );
}

#[test]
fn settings_of_other_methods() {
    for (flag, of) in [
        ("--effort 3", "auto"),
        ("--time-limit 2", "auto"),
        ("--trees 3", "tree"),
        ("--mass 0.5", "auto|exact"),
        ("--k 2", "factored|subspace-robust|subspace-detour"),
        ("--detour knothe", "subspace-detour"),
        ("--epsilon 1", "sinkhorn"),
        ("--relative-epsilon 1", "sinkhorn"),
        ("--pivot p.csv", "linear-ot"),
    ] {
        let name = flag.split(' ').next().unwrap();
        for method in ["min-swgg", "merged", "line", "gaussian"] {
            let message =
                format!("{name} is not a setting of --method {method}; leave it out, or use --method {of}");
            check_refusal(&format!("--method {method} {flag}"), &message);
        }
    }
    for (flag, method) in
        [("--p 2", "line"), ("--cost-matrix c.npy", "min-swgg"), ("--cost cosine", "gaussian")]
    {
        let name = flag.split(' ').next().unwrap();
        let of = "auto|tree|merged|exact|sinkhorn";
        let message =
            format!("{name} is not a setting of --method {method}; leave it out, or use --method {of}");
        check_refusal(&format!("--method {method} {flag}"), &message);
    }
    for method in methods() {
        let message =
            format!("--search is not a setting of --method {method}; leave it out, or use --method min-swgg");
        check_refusal(&format!("--method {method} --search stein"), &message);
    }
}

#[test]
fn sizes_of_pivots_and_subspaces() {
    let scene = cubes();
    let line = |arguments: &str| format!("solve a.npy b.npy --method {arguments}");
    assert_eq!(scene.json(&line("factored"))["k"], 40);
    assert_eq!(scene.json(&line("factored --pivot-points 7"))["k"], 7);
    // The name it once had; not both.
    assert_eq!(scene.json(&line("factored --k 7"))["k"], 7);
    let ran = scene.run(&line("factored --k 7 --pivot-points 8"));
    assert!(ran.code == Some(2) && ran.stderr.contains("cannot be used with"), "{ran:?}");
    assert_eq!(scene.json(&line("subspace-robust"))["k"], 2);
    let whole = scene.json(&line("subspace-robust --k 3"));
    assert_eq!((&whole["k"], &whole["cost_is"]), (&3.into(), &"exact".into()));
    for method in ["subspace-robust", "subspace-detour"] {
        for flag in ["--dimension", "--k"] {
            let message = "the dimension of the subspace is 4; give 1 to 3 (--dimension)";
            scene.refuses(&line(&format!("{method} {flag} 4")), message);
        }
        // There is only one dimension to take.
        assert_eq!(
            Scene::clouds("0\n1\n", "3\n5\n").json(&format!("solve source.csv target.csv --method {method}"))
                ["k"],
            1
        );
    }
    let message =
        "--pivot-points is not a setting of --method subspace-robust; leave it out, or use --method factored";
    check_refusal("--method subspace-robust --pivot-points 4", message);
}

#[test]
fn detours() {
    // Seen from the wide axis all points of a pair look alike.
    let scene = Scene::clouds("0,0\n0,1\n90,0\n90,1\n", "2,1\n2,0\n92,1\n92,0\n");
    let cost = |detour: &str| scene.cost(&format!("--method subspace-detour --k 1 {detour}"));
    let (knothe, independent) = (cost("--detour knothe"), cost("--detour independent"));
    assert!((knothe - 4.0).abs() < 0.1 && (independent - 4.5).abs() < 0.1, "{knothe} {independent}");
    assert_eq!(cost(""), knothe);
}

#[test]
fn entropy() {
    let scene = squares();
    let found = |arguments: &str| scene.json(&format!("solve a.npy b.npy --method sinkhorn {arguments}"));
    let optimum = number(&scene.json("solve a.npy b.npy --method exact"), "cost");
    let (sharp, blurred) = (found("--relative-epsilon 0.001"), found("--epsilon 0.5"));
    assert_eq!(number(&blurred, "epsilon"), 0.5);
    assert!(number(&sharp, "cost") < 1.05 * optimum && number(&blurred, "cost") > 2.0 * optimum);
    assert_eq!((&sharp["converged"], &sharp["stop"]), (&true.into(), &"converged".into()));
    assert!(number(&sharp, "marginal_error") <= 1e-6);
    check_refusal("--method sinkhorn --epsilon 0", "epsilon is 0; give a finite number above 0");
}

#[test]
fn pivots() {
    let scene = squares().with("pivot.csv", "0,0\n1,0\n0,1\n").with("flat.csv", "0\n1\n");
    let line = "solve a.npy b.npy --method linear-ot";
    // Points are split on the way to the target, and averages lie nearer.
    let from_source = scene.json(line);
    assert_eq!((&from_source["cost_is"], from_source["pivot"].is_null()), (&"lower-bound".into(), true));
    let found = scene.json(&format!("{line} --pivot pivot.csv"));
    assert_eq!((&found["cost_is"], &found["pivot"]), (&"no-bound".into(), &"pivot.csv".into()));
    assert_eq!(found["pivot_points"], 3);
    // Uniform clouds of one size: three matchings.
    let found = Scene::new().json("solve source.csv target.csv --method linear-ot --pivot target.csv");
    assert!((number(&found, "cost") - 25.0).abs() < 1e-9 && found["cost_is"] != "no-bound", "{found}");
    scene.refuses(
        &format!("{line} --pivot flat.csv"),
        "pivot flat.csv: its points have dimension 1, those of the clouds 2; they must agree",
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_is_refused() {
    const N: usize = 1_500_000;
    let scene = Scene::new().with("a.npy", scattered(N, 1)).with("b.npy", scattered(N, 2));
    // The matrix is not even looked for.
    let methods =
        ["exact", "exact --cost-matrix c.npy", "factored", "subspace-robust", "subspace-detour", "linear-ot"];
    for method in methods {
        let mut command = std::process::Command::new("sh");
        let swgg = env!("CARGO_BIN_EXE_swgg");
        let line =
            format!("ulimit -v 2000000 && exec {swgg} solve a.npy b.npy --threads 1 --method {method}");
        command.arg("-c").arg(line).current_dir(scene.path(""));
        let ran = Ran::of(command);
        let name = method.split(' ').next().unwrap();
        let expected = format!("error: --method {name} takes about ");
        let advice =
            " GB are available; use --method auto, whose memory grows only with the number of points\n";
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&expected) && ran.stderr.ends_with(advice), "{}", ran.stderr);
    }
}
