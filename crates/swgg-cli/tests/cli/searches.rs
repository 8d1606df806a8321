//! Every way to look for the direction.

use serde_json::Value;

use crate::Scene;
use crate::bytes::{npy64, scattered};

const SEARCHES: [&str; 5] = ["random", "annealing", "gradient", "stein", "sweep"];

/// Every flag that belongs to some searches only, and those.
const SETTINGS: [(&str, &str); 13] = [
    ("--directions 5", "random"),
    ("--directions-file thetas.npy", "random"),
    ("--start 0.6,0.8", "annealing|gradient|stein|sweep"),
    ("--iterations 4", "annealing|gradient|stein"),
    ("--restarts 1", "annealing"),
    ("--reach 0.3", "annealing"),
    ("--tolerance 0.1", "annealing"),
    ("--starts 1", "gradient"),
    ("--copies 3", "gradient"),
    ("--blur-epsilon 0.5", "gradient"),
    ("--pairs 2", "stein"),
    ("--radius 0.1", "stein"),
    ("--learning-rate 0.01", "gradient|stein"),
];

/// Clouds of 60 and 50 points in the plane, and of 7 in space.
fn scene() -> Scene {
    let spatial: Vec<f64> = (0..21).map(|i| f64::from(i * i % 11)).collect();
    Scene::new()
        .with("a.npy", scattered(60, 1))
        .with("b.npy", scattered(50, 2))
        .with("a3.npy", npy64(3, &spatial))
        .with("thetas.npy", npy64(2, &[1.0, 0.0]))
}

fn search(scene: &Scene, arguments: &str) -> Value {
    scene.json(&format!("solve a.npy b.npy --search {arguments}"))
}

/// Refused with these arguments after the names of two clouds; an old plan stays as it was.
#[track_caller]
fn check_refusal(clouds: &str, arguments: &str, message: &str) {
    let scene = scene().with("old.csv", "old plan");
    scene.refuses(&format!("solve {clouds} {arguments} --plan old.csv --costs new.npy"), message);
    scene.refuses(&format!("interpolate {clouds} {arguments} --out new"), message);
}

#[test]
fn none_goes_below_the_sweep() {
    let scene = scene();
    let cost = |name: &str| search(&scene, name)["cost"].as_f64().unwrap();
    let lowest = cost("sweep");
    for name in SEARCHES {
        let cost = cost(name);
        assert!(cost >= lowest * (1.0 - 1e-12), "{name} found {cost}, the sweep {lowest}");
        assert!(cost < 2.0 * lowest, "{name} found {cost}, the sweep {lowest}");
    }
}

#[test]
fn each_says_what_it_did() {
    let scene = scene();
    for (name, stop) in [
        ("random", "all-tried"),
        ("annealing", "max-iterations"),
        ("gradient", "max-iterations"),
        ("stein", "max-iterations"),
        ("sweep", "all-tried"),
    ] {
        let found = search(&scene, &format!("{name} --seed 7 --costs {name}.npy"));
        assert_eq!((found["method"].as_str(), found["search"].as_str()), (Some("min-swgg"), Some(name)));
        assert_eq!((found["seed"].as_u64(), found["stop"].as_str()), (Some(7), Some(stop)), "{name}");
        assert!(found.get("costs").is_none());
        let costs = scene.vector(&format!("{name}.npy"));
        assert_eq!(found["directions"].as_u64(), Some(costs.len() as u64), "{name}");
        let (cost, lowest) = (found["cost"].as_f64().unwrap(), costs.into_iter().reduce(f64::min).unwrap());
        // The sweep brings costs forward from arc to arc, and evaluates the best anew.
        let rounding = if name == "sweep" { 1e-9 * cost } else { 0.0 };
        assert!((cost - lowest).abs() <= rounding, "{name}: {cost} is not {lowest}");
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let scene = scene();
    for name in SEARCHES {
        let answer = |threads: usize| {
            let mut found = search(&scene, &format!("{name} --seed 3 --threads {threads}"));
            for key in ["seconds", "threads"] {
                found.as_object_mut().unwrap().remove(key).unwrap();
            }
            found
        };
        let serial = answer(1);
        assert_eq!(serial, answer(2), "{name}");
        assert_eq!(serial, answer(5), "{name}");
    }
}

#[test]
fn the_default_depends_on_the_clouds() {
    let scene = scene().with("large.npy", scattered(2000, 3)).with("line.csv", "0\n1\n2\n");
    for (clouds, expected) in [
        ("a.npy b.npy", "sweep"),
        ("large.npy large.npy", "random"),
        ("a3.npy a3.npy", "stein"),
        ("line.csv line.csv", "random"),
        ("a.npy b.npy --directions 5", "random"),
        ("a3.npy a3.npy --directions 5", "random"),
        ("a.npy b.npy --directions-file thetas.npy", "listed"),
    ] {
        let found = scene.json(&format!("solve {clouds} --method min-swgg"));
        assert_eq!(found["search"], expected, "{clouds}");
    }
}

#[test]
fn a_start_is_never_lost() {
    let scene = scene();
    let best = search(&scene, "sweep");
    let theta: Vec<String> = best["theta"].as_array().unwrap().iter().map(Value::to_string).collect();
    let theta = theta.join(",");
    for name in &SEARCHES[1..] {
        // The sweep has nothing to repeat.
        let short = if *name == "sweep" { "" } else { "--iterations 1" };
        let cost = search(&scene, &format!("{name} {short} --start {theta}"))["cost"].as_f64().unwrap();
        assert!(cost <= best["cost"].as_f64().unwrap() * (1.0 + 1e-12), "{name}: {cost}");
    }
}

#[test]
fn a_start_may_be_negative() {
    for start in ["-1,0.5", "-1,-2e-3", "0,-4"] {
        search(&scene(), &format!("stein --iterations 1 --start {start}"));
    }
}

#[test]
fn searches_interpolate_too() {
    for name in SEARCHES {
        let scene = scene();
        let found = scene.json(&format!("interpolate a.npy b.npy --search {name} --steps 2 --out steps"));
        assert_eq!(found["search"], name);
    }
}

#[test]
fn settings_change_the_search_they_belong_to() {
    let scene = scene();
    for (flag, of) in SETTINGS.into_iter().chain([("--optimizer sgd", "gradient|stein")]) {
        for name in of.split('|') {
            let (with, without) = (search(&scene, &format!("{name} {flag}")), search(&scene, name));
            assert_ne!(
                (&with["theta"], &with["directions"]),
                (&without["theta"], &without["directions"]),
                "{name} {flag}"
            );
        }
    }
}

#[test]
fn settings_of_other_searches() {
    for (flag, of) in SETTINGS.into_iter().chain([("--optimizer adam", "gradient|stein")]) {
        let (name, _) = flag.split_once(' ').unwrap();
        for other in SEARCHES.into_iter().filter(|other| of.split('|').all(|of| of != *other)) {
            let message =
                format!("{name} is not a setting of --search {other}; leave it out, or use --search {of}");
            check_refusal("a.npy b.npy", &format!("--search {other} {flag}"), &message);
        }
        if of != "random" {
            let message = format!("{name} needs a search it belongs to; add --search {of}");
            check_refusal("a.npy b.npy", flag, &message);
        }
    }
}

#[test]
fn numbers_out_of_range() {
    let (one, positive) = ("give 1 or more", "give a finite number above 0");
    let not_negative = "give a finite number that is not negative";
    for (arguments, message) in [
        ("gradient --copies 0", "the number of copies is 0; give 1 or more".to_string()),
        ("gradient --blur-epsilon -1", format!("the blur is -1; {not_negative}")),
        ("gradient --blur nan", format!("the blur is NaN; {not_negative}")),
        ("gradient --starts 0", format!("the number of starts is 0; {one}")),
        ("gradient --learning-rate -0.1", format!("the learning rate is -0.1; {positive}")),
        ("gradient --learning-rate 0", format!("the learning rate is 0; {positive}")),
        ("stein --learning-rate -0.1", format!("the learning rate is -0.1; {positive}")),
        ("stein --learning-rate inf", format!("the learning rate is inf; {positive}")),
        ("stein --pairs 0", format!("the number of pairs is 0; {one}")),
        ("stein --radius 0", format!("the radius is 0; {positive}")),
        ("annealing --reach -1", format!("the reach of a proposal is -1; {positive}")),
        ("annealing --tolerance -1", format!("the tolerance is -1; {positive}")),
        ("annealing --iterations 0", format!("the number of steps is 0; {one} (--iterations)")),
        ("gradient --iterations 0", format!("the number of steps is 0; {one} (--iterations)")),
        ("stein --iterations 0", format!("the number of steps is 0; {one} (--iterations)")),
        ("random --directions 0", "no directions to try; ask for at least one with --directions".to_string()),
    ] {
        check_refusal("a.npy b.npy", &format!("--search {arguments}"), &message);
    }
}

#[test]
fn numbers_beyond_all_patience() {
    for (search, flag, value, limit) in [
        ("annealing", "--iterations", "<K>", 1_000_000_000),
        ("annealing", "--restarts", "<R>", 1_000_000_000),
        ("gradient", "--starts", "<N>", 1_000_000_000),
        ("stein", "--pairs", "<P>", 1_000_000),
    ] {
        let message = format!(
            "invalid value '18446744073709551615' for '{flag} {value}': 18446744073709551615 is not in \
             0..={limit}\n\nFor more information, try '--help'."
        );
        let arguments = format!("--search {search} {flag} 18446744073709551615");
        check_refusal("a.npy b.npy", &arguments, &message);
    }
}

#[test]
fn starts_that_are_no_direction() {
    let zero = "--start has no length; give at least one coordinate that is not 0";
    let agree = "the points have 2; they must agree";
    for name in &SEARCHES[1..] {
        let check = |start: &str, message: &str| {
            check_refusal("a.npy b.npy", &format!("--search {name} --start {start}"), message);
        };
        check("0,0", zero);
        check("1", &format!("--start has 1 coordinate, {agree}"));
        check("1,2,3", &format!("--start has 3 coordinates, {agree}"));
    }
    for (start, word) in [("a,b", "a"), ("1,", ""), ("1,nan", "nan"), ("inf,1", "inf")] {
        check_refusal(
            "a.npy b.npy",
            &format!("--search stein --start {start}"),
            &format!(
                "invalid value '{start}' for '--start <X,Y,...>': \"{word}\" is not a number; \
                 give coordinates between commas, as 0.6,0.8\n\nFor more information, try '--help'."
            ),
        );
    }
}

#[test]
fn a_sweep_of_space() {
    check_refusal(
        "a3.npy a3.npy",
        "--search sweep",
        "a sweep turns through the plane, the points have dimension 3; \
         search by stein, gradient or at random instead (leave --search sweep out)",
    );
}

#[test]
fn a_sweep_of_too_many_points() {
    scene().with("large.npy", scattered(3000, 3)).refuses(
        "solve large.npy large.npy --search sweep --plan new.csv",
        "a sweep from 3000 to 3000 points meets 8997000 changes of order, 4000000 are allowed; \
         search by stein, gradient or at random instead (leave --search sweep out)",
    );
}

#[test]
fn a_search_that_does_not_exist() {
    check_refusal(
        "a.npy b.npy",
        "--search best",
        "invalid value 'best' for '--search <SEARCH>'\n  [possible values: random, annealing, gradient, stein, \
         sweep]\n\nFor more information, try '--help'.",
    );
}
