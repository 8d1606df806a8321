//! `swgg solve` as it is without `--method`, and its parts: trees and merged lines.

use serde_json::Value;

use crate::bytes::{npy, npy64, scattered};
use crate::scene::{Ran, Scene, one_line, root, swgg};

/// Too many points to be solved exactly at once.
const MANY: usize = 6000;

fn many() -> Scene {
    Scene::new().with("a.npy", scattered(MANY, 1)).with("b.npy", scattered(MANY, 2))
}

fn number(found: &Value, key: &str) -> f64 {
    found[key].as_f64().unwrap_or_else(|| panic!("{key} in {found}"))
}

/// Everything of a line of JSON but times and threads.
fn timeless(line: &str) -> String {
    let (before, after) = line.split_once("\"threads\":").unwrap();
    let (_, after) = after.split_once(',').unwrap();
    let (stop, after) = after.split_once("\"seconds\":").unwrap();
    format!("{before}{stop}{}", after.split_once('}').unwrap().1)
}

#[track_caller]
fn check_refusal(arguments: &str, message: &str) {
    Scene::new().refuses(&format!("solve source.csv target.csv {arguments}"), message);
}

#[test]
fn it_is_the_default_and_exact_for_the_examples() {
    let solve = |arguments: &str| {
        let line = format!("solve examples/source.csv examples/target.csv --json {arguments}");
        one_line(&Ran::of(swgg(&root(), &line)).stdout)
    };
    let (usual, exact) = (solve(""), solve("--method exact"));
    assert_eq!((&usual["method"], &usual["solver"]), (&"auto".into(), &"exact".into()));
    assert_eq!((&usual["cost"], &usual["cost_is"]), (&exact["cost"], &"exact".into()));
    assert_eq!((&usual["effort"], &usual["plan_kind"]), (&5.into(), &"matching".into()));
    assert_eq!(usual["story"], "exact transport of 400 points to 400");
    for found in [&usual, &exact] {
        assert!(number(found, "gap") < 1e-9, "{found}");
    }
    assert!(exact["effort"].is_null() && exact["story"].is_string(), "{exact}");
    assert_eq!(solve("--method auto")["cost"], usual["cost"]);
}

#[test]
fn effort_pays() {
    let scene = many();
    let found = |effort: u8| scene.json(&format!("solve a.npy b.npy --seed 3 --effort {effort}"));
    let (quick, thorough) = (found(1), found(3));
    assert_eq!((&quick["effort"], &quick["solver"]), (&1.into(), &"refined".into()));
    assert!(number(&thorough, "cost") <= number(&quick, "cost"), "{thorough} {quick}");
    assert!(number(&thorough, "trees") > number(&quick, "trees"));
    for found in [&quick, &thorough] {
        let (cost, bound, gap) = (number(found, "cost"), number(found, "lower_bound"), number(found, "gap"));
        assert!(bound <= cost && (gap - (cost / bound - 1.0)).abs() < 1e-12, "{found}");
        assert_eq!((&found["plan_kind"], &found["stop"]), (&"matching".into(), &"all-tried".into()));
    }
}

#[test]
fn the_summary_says_what_was_run_and_how_good_it_is() {
    let scene = many();
    let text = scene.works("solve a.npy b.npy --effort 1");
    assert!(text.starts_with("Transport from 6 000 to 6 000 points in dimension 2\n\n  cost "), "{text}");
    assert!(
        text.contains("\n  quality    within ") && text.contains(" % of optimal (certified)\n"),
        "{text}"
    );
    let story = scene.json("solve a.npy b.npy --effort 1 --no-bounds")["story"].as_str().unwrap().to_string();
    assert!(
        text.contains(&format!("\n  method     {story}\n             effort 1 of 10, seed 0\n")),
        "{text}"
    );
    assert!(text.ends_with(",\n  --effort 4 for a cheaper plan that takes longer.\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let text = scene.works("solve a.npy b.npy --effort 1 --no-bounds");
    assert!(!text.contains("quality") && !text.contains("bound  "), "{text}");
}

#[test]
fn a_time_limit_ends_it() {
    const N: usize = 200_000;
    let scene = Scene::new().with("a.npy", scattered(N, 1)).with("b.npy", scattered(N, 2));
    let line = "solve a.npy b.npy --time-limit 0.2 --no-bounds";
    let text = scene.works(line);
    assert!(text.contains("\n  stopped    time limit reached: the best plan so far\n"), "{text}");
    assert!(text.contains("\n             time limit 0.2 s, seed 0\n"), "{text}");
    let found = scene.json(line);
    assert_eq!(found["stop"], "time-limit");
    assert!(found["effort"].is_null() && found["lower_bound"].is_null() && found["gap"].is_null(), "{found}");
}

#[test]
fn a_long_time_limit_is_not_used_up_for_nothing() {
    let scene = Scene::new().with("a.npy", scattered(30, 1)).with("b.npy", scattered(30, 2));
    let found = scene.json("solve a.npy b.npy --time-limit 1000");
    assert_eq!(found["stop"], "converged");
}

#[test]
fn weights_give_sparse_plans_with_exact_marginals() {
    let weights: Vec<f64> = (0..2500_u32).map(|i| f64::from(1 + i % 7)).collect();
    let scene = Scene::new().with("a.npy", scattered(2500, 1)).with("b.npy", scattered(2000, 2));
    let scene = scene.with("w.npy", npy64(1, &weights));
    let total: f64 = weights.iter().sum();
    for method in ["auto --effort 2", "tree --trees 3", "merged --directions 20"] {
        let line =
            format!("a.npy b.npy --source-weights w.npy --plan plan.csv --map map.npy --method {method}");
        let found = scene.json(&format!("solve {line}"));
        assert_eq!(found["plan_kind"], "sparse", "{method}");
        let (mut from, mut to) = (vec![0.0; 2500], vec![0.0; 2000]);
        for (i, j, mass) in scene.plan("plan.csv") {
            from[i] += mass;
            to[j] += mass;
        }
        assert!(from.iter().zip(&weights).all(|(mass, w)| (mass - w / total).abs() < 1e-12), "{method}");
        assert!(to.iter().all(|mass| (mass - 1.0 / 2000.0).abs() < 1e-12), "{method}");
        assert_eq!(scene.points("map.npy").len(), 2500);
    }
}

#[test]
fn plans_and_maps_of_both_precisions_agree() {
    let double = scattered(1500, 4);
    let values: Vec<f64> =
        double[128..].chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()) as f32 as f64).collect();
    assert_eq!(values.len(), 3000);
    let single: Vec<u8> = values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
    let scene = Scene::new()
        .with("a8.npy", npy64(2, &values[..1400]))
        .with("b8.npy", npy64(2, &values[1400..]))
        .with("a4.npy", npy("<f4", "(700, 2)", &single[..5600]))
        .with("b4.npy", npy("<f4", "(800, 2)", &single[5600..]));
    let answer = |bytes: u8| {
        let clouds = format!("a{bytes}.npy b{bytes}.npy");
        let found = scene.json(&format!("solve {clouds} --plan plan.csv --map map.npy"));
        let mut mapped = vec![0.0; 700];
        scene.plan("plan.csv").into_iter().for_each(|(i, _, mass)| mapped[i] += mass);
        assert!(mapped.iter().all(|mass| (mass - 1.0 / 700.0).abs() < 1e-12));
        assert_eq!(scene.points("map.npy").len(), 700);
        number(&found, "cost")
    };
    let (single, double) = (answer(4), answer(8));
    assert!((single - double).abs() < 1e-6 * double, "{single} {double}");
}

#[test]
fn threads_do_not_change_a_byte() {
    let scene = many().with("c.npy", scattered(5000, 3));
    for clouds in ["a.npy b.npy", "a.npy c.npy"] {
        for method in ["auto --effort 2", "tree --trees 5", "merged --directions 40"] {
            let answer = |threads: usize| {
                let line = format!("solve {clouds} --method {method} --seed 5 --threads {threads}");
                let line = scene.works(&format!("{line} --plan plan.csv --json"));
                (timeless(&line), scene.text("plan.csv"))
            };
            let serial = answer(1);
            assert!(serial == answer(2), "{clouds} {method}");
            assert!(serial == answer(1), "{clouds} {method}");
        }
    }
}

#[test]
fn merged_directions_are_never_above_the_best_of_them() {
    let scene = many();
    let found = |method: &str| scene.json(&format!("solve a.npy b.npy --directions 30 --method {method}"));
    let (merged, best) = (found("merged"), found("min-swgg --search random"));
    assert_eq!((&merged["directions"], &best["directions"]), (&30.into(), &30.into()));
    assert!(number(&merged, "cost") <= number(&best, "cost"));
    assert!(merged["effort"].is_null());
    assert_eq!(merged["story"], "the plans of 30 directions merged");
}

#[test]
fn trees() {
    let scene = many();
    let found = |arguments: &str| scene.json(&format!("solve a.npy b.npy --method tree {arguments}"));
    assert_eq!(found("")["trees"], 16);
    let few = found("--trees 3 --no-bounds");
    assert_eq!((&few["trees"], &few["story"]), (&3.into(), &"3 trees merged".into()));
    assert!(few["lower_bound"].is_null() && few["gap"].is_null(), "{few}");
}

#[test]
fn flags_of_a_search_mean_the_best_single_line() {
    let scene = Scene::new().with("thetas.npy", npy64(2, &[1.0, 0.0]));
    for flags in
        ["--directions 5", "--search stein", "--costs c.npy --directions 3", "--directions-file thetas.npy"]
    {
        let found = scene.json(&format!("solve source.csv target.csv {flags}"));
        assert_eq!(found["method"], "min-swgg", "{flags}");
        assert!(found["effort"].is_null() && found["gap"].is_number(), "{found}");
    }
}

#[test]
fn no_bounds_for_any_method() {
    let scene = Scene::new().with("a.npy", scattered(60, 3)).with("b.npy", scattered(45, 4));
    let bound = |method: &str| {
        let found = scene.json(&format!("solve a.npy b.npy --no-bounds --method {method}"));
        assert_eq!(found["gap"].is_null(), found["lower_bound"].is_null(), "{found}");
        found["lower_bound"].clone()
    };
    for method in ["tree", "merged", "min-swgg", "factored"] {
        assert!(bound(method).is_null(), "{method}");
    }
    // These have theirs anyway.
    for method in ["auto", "exact", "sinkhorn", "subspace-robust"] {
        assert!(bound(method).is_number(), "{method}");
    }
}

#[test]
fn settings_that_are_refused() {
    let more = "\n\nFor more information, try '--help'.";
    for effort in ["0", "11", "-1", "300"] {
        let message = format!("invalid value '{effort}' for '--effort <E>': {effort} is not in 1..=10{more}");
        check_refusal(&format!("--effort {effort}"), &message);
    }
    for (limit, message) in [
        ("0", "--time-limit is 0; give seconds above 0"),
        ("-2", "--time-limit is -2; give seconds above 0"),
        ("nan", "--time-limit is NaN; give seconds above 0"),
        ("inf", "--time-limit is inf; give at most 31536000 seconds, a year"),
        ("1e300", "--time-limit is 1e300; give at most 31536000 seconds, a year"),
    ] {
        check_refusal(&format!("--time-limit {limit}"), message);
    }
    check_refusal(
        "--effort 3 --time-limit 2",
        &format!(
            "the argument '--effort <E>' cannot be used with '--time-limit <SECONDS>'\n\nUsage: swgg solve \
             --effort <E> <SOURCE> <TARGET>{more}"
        ),
    );
    check_refusal("--method tree --trees 0", "0 trees make no plan; grow at least one with --trees");
    check_refusal(
        "--method merged --directions 0",
        "no directions to try; ask for at least one with --directions",
    );
}

#[test]
fn settings_of_others() {
    check_refusal(
        "--search stein --effort 3",
        "--search implies --method min-swgg, --effort belongs to --method auto; leave one of them out",
    );
    check_refusal(
        "--directions 5 --trees 3",
        "--directions implies --method min-swgg, --trees belongs to --method tree; leave one of them out",
    );
    check_refusal(
        "--method auto --restarts 5",
        "--restarts is not a setting of --method auto; leave it out, or use --method min-swgg",
    );
    check_refusal(
        "--method merged --restarts 5",
        "--restarts is not a setting of --method merged; leave it out, or use --method min-swgg",
    );
    check_refusal(
        "--epsilon 1",
        "--epsilon is not a setting of --method auto; leave it out, or use --method sinkhorn",
    );
}
