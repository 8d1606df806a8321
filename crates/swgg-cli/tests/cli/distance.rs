//! `swgg distance`: the sliced family.

use serde_json::Value;

use crate::Scene;
use crate::bytes::scattered;

const KINDS: [&str; 4] = ["sw", "max-sw", "pwd", "min-swgg"];

/// Of the clouds every scene has, which are the same but for a move by (3, 4).
fn moved(arguments: &str) -> Value {
    Scene::new().json(&format!("distance source.csv target.csv --kind {arguments}"))
}

#[track_caller]
fn check_cost(arguments: &str, expected: f64, tolerance: f64) {
    let cost = moved(arguments)["cost"].as_f64().unwrap();
    assert!((cost - expected).abs() <= tolerance, "{arguments}: {cost} is not {expected}");
}

#[track_caller]
fn check_refusal(arguments: &str, message: &str) {
    Scene::new().refuses(&format!("distance source.csv target.csv --kind {arguments}"), message);
}

#[test]
fn every_plan_of_a_moved_cloud_is_the_move() {
    check_cost("pwd", 25.0, 1e-12);
    check_cost("min-swgg", 25.0, 1e-12);
}

#[test]
fn the_largest_line_of_a_moved_cloud_is_that_of_the_move() {
    check_cost("max-sw", 25.0, 1e-6);
    check_cost("max-sw --p 1", 5.0, 1e-6);
    check_cost("max-sw --p 3", 125.0, 1e-5);
}

#[test]
fn the_mean_over_lines_of_a_moved_cloud_is_half_the_move() {
    let found = moved("sw --directions 4000");
    let error = found["standard_error"].as_f64().unwrap();
    assert!(error > 0.0 && error < 0.5, "{error}");
    assert!((found["cost"].as_f64().unwrap() - 12.5).abs() < 4.0 * error, "{found}");
    // Two orthogonal lines share a square between them.
    check_cost("sw --orthogonal --directions 2", 12.5, 1e-9);
}

#[test]
fn the_distance_is_the_root_of_the_cost() {
    for (arguments, p) in [("sw --p 1", 1.0), ("sw", 2.0), ("max-sw --p 3", 3.0), ("pwd", 2.0)] {
        let found = moved(arguments);
        let (cost, distance) = (found["cost"].as_f64().unwrap(), found["distance"].as_f64().unwrap());
        assert_eq!(found["p"].as_f64(), Some(p), "{arguments}");
        assert!((distance.powf(p) - cost).abs() < 1e-9 * cost, "{arguments}: {found}");
    }
}

#[test]
fn keys() {
    for (arguments, theta, error, directions) in [
        ("sw --directions 9", false, true, Some(9)),
        ("max-sw --iterations 3", true, false, None),
        ("pwd --directions 9", false, true, Some(9)),
        ("min-swgg --directions 9", true, false, Some(9)),
    ] {
        let found = moved(&format!("{arguments} --seed 4"));
        assert_eq!(found["method"].as_str(), arguments.split(' ').next());
        assert_eq!([&found["n"], &found["m"], &found["d"]].map(Value::as_u64), [Some(3), Some(3), Some(2)]);
        assert_eq!(found["theta"].is_array(), theta, "{arguments}");
        assert_eq!(found["standard_error"].is_f64(), error, "{arguments}");
        // The clouds are a move apart, which the means say in full.
        assert!((found["lower_bound"].as_f64().unwrap() - 25.0).abs() < 1e-9, "{arguments}: {found}");
        assert_eq!(found["seed"].as_u64(), Some(4));
        let tried = found["directions"].as_u64().unwrap();
        assert!(tried > 0 && directions.is_none_or(|directions| directions == tried), "{found}");
    }
}

#[test]
fn names_of_the_searches() {
    for (arguments, search, stop) in [
        ("sw", "random", "all-tried"),
        ("sw --orthogonal", "orthogonal", "all-tried"),
        ("pwd --orthogonal", "orthogonal", "all-tried"),
        ("max-sw", "ascent", "max-iterations"),
        ("min-swgg", "sweep", "all-tried"),
        ("min-swgg --search annealing --iterations 9", "annealing", "max-iterations"),
    ] {
        let found = moved(arguments);
        assert_eq!((found["search"].as_str(), found["stop"].as_str()), (Some(search), Some(stop)));
    }
}

#[test]
fn every_distance_has_a_lower_bound_of_the_optimum() {
    let (scene, clouds) = weighted();
    let optimum = scene.json(&format!("solve {clouds} --method exact"))["cost"].as_f64().unwrap();
    for kind in KINDS {
        let found = scene.json(&format!("distance {clouds} --kind {kind}"));
        let (cost, bound) = (found["cost"].as_f64().unwrap(), found["lower_bound"].as_f64().unwrap());
        assert!(0.0 < bound && bound <= optimum * (1.0 + 1e-12), "{kind}: {bound} {optimum}");
        let is_below = kind == "sw" || kind == "max-sw";
        assert!(if is_below { bound >= cost } else { bound <= cost }, "{kind}: {bound} {cost}");
    }
    // Other exponents have the value itself, where that is a bound.
    let found = scene.json(&format!("distance {clouds} --kind sw --p 1"));
    assert_eq!(found["lower_bound"], found["cost"]);
}

#[test]
fn one_line_has_no_standard_error() {
    assert!(moved("sw --directions 1")["standard_error"].is_null());
}

/// Weighted clouds of 40 and 30 points.
fn weighted() -> (Scene, &'static str) {
    let weights = |n: usize| (0..n).map(|i| format!("{}\n", i * 7 % 5)).collect::<String>();
    let scene = Scene::new()
        .with("a.npy", scattered(40, 5))
        .with("b.npy", scattered(30, 6))
        .with("wa.csv", weights(40))
        .with("wb.csv", weights(30));
    (scene, "a.npy b.npy --source-weights wa.csv --target-weights wb.csv")
}

#[test]
fn weighted_clouds_of_two_sizes_are_in_order() {
    let (scene, clouds) = weighted();
    let costs = KINDS.map(|kind| {
        let found = scene.json(&format!("distance {clouds} --kind {kind}"));
        assert_eq!((found["n"].as_u64(), found["m"].as_u64()), (Some(40), Some(30)));
        found["cost"].as_f64().unwrap()
    });
    let [sw, max_sw, pwd, min_swgg] = costs;
    assert!(0.0 < sw && sw < max_sw && max_sw < min_swgg && min_swgg < pwd, "{costs:?}");
}

#[test]
fn the_smallest_plan_is_that_of_solve() {
    let (scene, clouds) = weighted();
    let distance = scene.json(&format!("distance {clouds} --kind min-swgg"));
    let solve = scene.json(&format!("solve {clouds} --method min-swgg"));
    for key in ["cost", "distance", "theta", "search", "directions"] {
        assert_eq!(distance[key], solve[key], "{key}");
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let (scene, clouds) = weighted();
    for kind in KINDS {
        let answer = |threads: usize| {
            let found = scene.json(&format!("distance {clouds} --kind {kind} --threads {threads}"));
            ["cost", "standard_error", "theta", "directions"].map(|key| found[key].clone())
        };
        let serial = answer(1);
        assert_eq!(serial, answer(2), "{kind}");
        assert_eq!(serial, answer(5), "{kind}");
    }
}

#[test]
fn quiet_prints_nothing() {
    assert_eq!(Scene::new().works("distance source.csv target.csv --kind sw --quiet"), "");
}

#[test]
fn settings_of_other_kinds() {
    for (kind, flag, owners) in [
        ("sw", "--search stein", "min-swgg"),
        ("sw", "--start 1,0", "max-sw|min-swgg"),
        ("sw", "--directions-file x.npy", "min-swgg"),
        ("sw", "--iterations 5", "max-sw|min-swgg"),
        ("pwd", "--p 2", "sw|max-sw"),
        ("pwd", "--search random", "min-swgg"),
        ("pwd", "--blur 1", "min-swgg"),
        ("pwd", "--pairs 3", "min-swgg"),
        ("max-sw", "--orthogonal", "sw|pwd"),
        ("max-sw", "--directions 7", "sw|pwd|min-swgg"),
        ("max-sw", "--copies 2", "min-swgg"),
        ("min-swgg", "--p 2", "sw|max-sw"),
        ("min-swgg", "--orthogonal", "sw|pwd"),
    ] {
        let name = flag.split(' ').next().unwrap();
        let message =
            format!("{name} is not a setting of --kind {kind}; leave it out, or use --kind {owners}");
        check_refusal(&format!("{kind} {flag}"), &message);
    }
    check_refusal("min-swgg --blur 1", "--blur-epsilon needs a search it belongs to; add --search gradient");
}

#[test]
fn numbers_out_of_range() {
    for kind in ["sw", "max-sw"] {
        for (p, shown) in [("0.5", "0.5"), ("-1", "-1"), ("inf", "inf"), ("nan", "NaN")] {
            let message = format!("the exponent is {shown}; |x - y|^p needs a finite p of 1 or more");
            check_refusal(&format!("{kind} --p {p}"), &message);
        }
    }
    for kind in ["sw", "pwd", "sw --orthogonal"] {
        let message = "no directions to try; ask for at least one with --directions";
        check_refusal(&format!("{kind} --directions 0"), message);
    }
    check_refusal("max-sw --iterations 0", "the number of steps is 0; give 1 or more (--iterations)");
    check_refusal("max-sw --starts 0", "the number of starts is 0; give 1 or more");
    check_refusal("max-sw --learning-rate 0", "the learning rate is 0; give a finite number above 0");
    check_refusal("max-sw --start 1", "--start has 1 coordinate, the points have 2; they must agree");
}

#[test]
fn a_distance_that_is_not_named() {
    let more = "For more information, try '--help'.";
    Scene::new().refuses(
        "distance source.csv target.csv",
        &format!(
            "the following required arguments were not provided:\n  --kind <KIND>\n\n\
             Usage: swgg distance --kind <KIND> <SOURCE> <TARGET>\n\n{more}"
        ),
    );
    check_refusal(
        "best",
        &format!(
            "invalid value 'best' for '--kind <KIND>'\n  [possible values: sw, max-sw, pwd, min-swgg]\n\n{more}"
        ),
    );
}
