//! The JSON of every command: which keys, in which order, and that their values agree.

use serde_json::Value;

use crate::bytes::{npy64, scattered};
use crate::scene::{Scene, one_line};

/// Keys of every answer.
pub const SOLVE: &[&str] = &[
    "method",
    "search",
    "n",
    "m",
    "d",
    "cost",
    "distance",
    "cost_is",
    "lower_bound",
    "gap",
    "plan",
    "plan_kind",
    "theta",
    "directions",
    "effort",
    "story",
    "seed",
    "threads",
    "stop",
    "seconds",
];

/// Checks that a line of JSON has exactly these keys, in this order. `inner` are the keys inside values.
#[track_caller]
fn check_keys(line: &str, keys: &[&[&str]], inner: &[&str]) {
    let keys = keys.concat();
    let object = one_line(line);
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(object.as_object().unwrap().keys().collect::<Vec<_>>(), sorted);
    let written = line.split('"').zip(line.split('"').skip(1));
    let written = written.skip(1).step_by(2).map(|(key, after)| (key, after.starts_with(':')));
    let written = written.filter(|(key, is_key)| *is_key && !inner.contains(key)).map(|(key, _)| key);
    assert_eq!(written.collect::<Vec<_>>(), keys);
}

#[test]
fn keys_of_solve() {
    let line = Scene::new().works("solve source.csv target.csv --json");
    check_keys(&line, &[SOLVE, &["solver", "trees", "passes"]], &["read", "solve", "bound", "write"]);
    let line = Scene::new().works("solve source.csv target.csv --method min-swgg --json");
    check_keys(&line, &[SOLVE], &["read", "solve", "bound", "write"]);
    assert!(line.contains("\"seconds\":{\"read\":"), "{line}");
    let seconds = one_line(&line)["seconds"].clone();
    assert_eq!(seconds.as_object().unwrap().keys().collect::<Vec<_>>(), ["bound", "read", "solve", "write"]);
    assert!(seconds.as_object().unwrap().values().all(|s| s.as_f64().unwrap() >= 0.0));
}

#[test]
fn values_of_solve() {
    let found = Scene::new()
        .json("solve source.csv target.csv --directions 50 --seed 18446744073709551615 --threads 2");
    assert_eq!((found["method"].as_str(), found["search"].as_str()), (Some("min-swgg"), Some("random")));
    assert_eq!([&found["n"], &found["m"], &found["d"]].map(Value::as_u64), [Some(3), Some(3), Some(2)]);
    assert!((found["cost"].as_f64().unwrap() - 25.0).abs() < 1e-12);
    // The clouds are a move apart, which the bound sees in full.
    assert!((found["lower_bound"].as_f64().unwrap() - 25.0).abs() < 1e-9);
    let theta = found["theta"].as_array().unwrap();
    let squares: f64 = theta.iter().map(|t| t.as_f64().unwrap().powi(2)).sum();
    assert!(theta.len() == 2 && (squares - 1.0).abs() < 1e-14);
    assert_eq!((found["directions"].as_u64(), found["threads"].as_u64()), (Some(50), Some(2)));
    assert_eq!((found["seed"].as_u64(), found["stop"].as_str()), (Some(u64::MAX), Some("all-tried")));
}

#[test]
fn the_distance_is_the_root_of_the_cost() {
    let found = Scene::clouds("0,0\n1,2\n", "1,1\n7,3\n2,2\n").json("solve source.csv target.csv");
    let (cost, distance) = (found["cost"].as_f64().unwrap(), found["distance"].as_f64().unwrap());
    assert_eq!(cost.sqrt().to_bits(), distance.to_bits());
}

#[test]
fn values_of_the_closed_form() {
    let scene = Scene::clouds("0,0\n1,1\n", "0,2\n1,3\n");
    let line = scene.works("solve source.csv target.csv --method line --json");
    check_keys(&line, &[SOLVE], &["read", "solve", "bound", "write"]);
    let found = one_line(&line);
    assert!(found["search"].is_null());
    assert_eq!(found["lower_bound"], found["cost"]);
    assert_eq!((found["method"].as_str(), found["stop"].as_str()), (Some("line"), Some("closed-form")));
    assert!((found["cost"].as_f64().unwrap() - 4.0).abs() < 1e-12);
}

#[test]
fn costs_of_listed_directions() {
    let thetas = [1.0, 0.0, 3.0, 4.0, 0.0, -2.0, 1.0, -1.0];
    let scene = Scene::clouds("0,0\n1,2\n5,1\n", "1,1\n7,3\n2,2\n").with("thetas.npy", npy64(2, &thetas));
    let line =
        scene.works("solve source.csv target.csv --directions-file thetas.npy --costs costs.npy --json");
    check_keys(&line, &[SOLVE, &["costs"]], &["read", "solve", "bound", "write"]);
    let found = one_line(&line);
    let costs: Vec<f64> = found["costs"].as_array().unwrap().iter().map(|c| c.as_f64().unwrap()).collect();
    assert_eq!(costs, scene.vector("costs.npy"));
    assert_eq!((costs.len(), found["directions"].as_u64()), (4, Some(4)));
    assert_eq!(found["search"].as_str(), Some("listed"));
    assert_eq!(found["cost"].as_f64(), costs.iter().copied().reduce(f64::min));
}

#[test]
fn every_listed_direction_has_the_cost_it_has_alone() {
    let thetas = [1.0, 0.0, 3.0, 4.0, 0.0, -2.0];
    let scene = Scene::clouds("0,0\n1,2\n5,1\n", "1,1\n7,3\n").with("all.npy", npy64(2, &thetas));
    let costs = scene.json("solve source.csv target.csv --directions-file all.npy")["costs"].clone();
    for (k, theta) in thetas.chunks(2).enumerate() {
        std::fs::write(scene.path("one.npy"), npy64(2, theta)).unwrap();
        assert_eq!(scene.cost("--directions-file one.npy"), costs[k].as_f64().unwrap());
    }
}

#[test]
fn drawn_directions_keep_their_costs_to_the_file() {
    let scene = Scene::clouds("0,0\n1,2\n5,1\n", "1,1\n7,3\n");
    let found = scene.json("solve source.csv target.csv --directions 33 --costs costs.npy");
    assert!(found.get("costs").is_none());
    let costs = scene.vector("costs.npy");
    assert_eq!(costs.len(), 33);
    assert_eq!(found["cost"].as_f64(), costs.into_iter().reduce(f64::min));
}

#[test]
fn threads_do_not_change_a_bit() {
    let scene = Scene::new().with("a.npy", scattered(3000, 1)).with("b.npy", scattered(2500, 2));
    for pair in ["a.npy b.npy", "b.npy b.npy", "a.npy target.csv"] {
        let answer = |threads: usize| {
            let line = scene
                .works(&format!("solve {pair} --directions 40 --threads {threads} --plan plan.csv --json"));
            assert_eq!(one_line(&line)["threads"], threads);
            let digits =
                line.split("\"cost\":").nth(1).unwrap().split(",\"directions\"").next().unwrap().to_string();
            (digits, scene.text("plan.csv"))
        };
        let serial = answer(1);
        assert_eq!(serial, answer(2), "{pair}");
        assert_eq!(serial, answer(5), "{pair}");
    }
}

#[test]
fn the_seed_decides() {
    let scene = Scene::new().with("a.npy", scattered(200, 1)).with("b.npy", scattered(200, 2));
    let theta =
        |seed: u64| scene.json(&format!("solve a.npy b.npy --directions 5 --seed {seed}"))["theta"].clone();
    assert_eq!(theta(3), theta(3));
    assert_ne!(theta(3), theta(4));
}

#[test]
fn quiet_keeps_the_json() {
    check_keys(
        &Scene::new().works("solve source.csv target.csv --json --quiet"),
        &[SOLVE, &["solver", "trees", "passes"]],
        &["read", "solve", "bound", "write"],
    );
}

#[test]
fn keys_of_interpolate() {
    let scene = Scene::new();
    let line = scene.works("interpolate source.csv target.csv --steps 3 --out steps --json");
    let ours = &["solver", "trees", "passes", "steps", "files"];
    check_keys(&line, &[SOLVE, ours], &["read", "solve", "bound", "write"]);
    let found = one_line(&line);
    assert_eq!(found["steps"], 3);
    let files: Vec<_> =
        found["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert_eq!(files, ["steps/step_0.csv", "steps/step_1.csv", "steps/step_2.csv"]);
    assert!(files.iter().all(|file| scene.path(file).is_file()));
}

#[test]
fn json_of_info() {
    let line = Scene::new().with("c.csv", "a,b\n1,nan\n3,inf\n").works("info c.csv --json");
    check_keys(
        &line,
        &[&["file", "format", "rows", "columns", "could_take", "ignored", "stored_as"]],
        &["name", "min", "mean", "max", "not_finite", "words"],
    );
    assert_eq!(
        line,
        "{\"file\":\"c.csv\",\"format\":\"csv\",\"rows\":2,\"columns\":[\
         {\"name\":\"a\",\"min\":1.0,\"mean\":2.0,\"max\":3.0,\"not_finite\":0,\
         \"words\":0},{\"name\":\"b\",\"min\":null,\"mean\":null,\"max\":null,\"not_finite\":2,\
         \"words\":0}],\"could_take\":[\"a\",\"b\"],\"ignored\":[],\"stored_as\":\"text\"}\n"
    );
}
