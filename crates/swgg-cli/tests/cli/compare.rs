//! `swgg compare`: several methods on one pair of clouds.

use serde_json::Value;
use swgg::solver::METHODS;

use crate::Scene;
use crate::bytes::scattered;

/// The methods that comparisons run unless told otherwise.
fn usual() -> Vec<&'static str> {
    METHODS.iter().filter(|method| method.is_compared).map(|method| method.name).collect()
}

fn squares() -> Scene {
    Scene::new().with("a.npy", scattered(60, 3)).with("b.npy", scattered(45, 4))
}

fn names(found: &Value, list: &str) -> Vec<String> {
    let rows = found[list].as_array().unwrap();
    rows.iter().map(|row| row["method"].as_str().unwrap().to_string()).collect()
}

#[test]
fn usual_methods_are_in_order() {
    let found = squares().json("compare a.npy b.npy");
    assert_eq!(names(&found, "methods"), usual());
    assert_eq!(
        (found["n"].as_u64(), found["m"].as_u64(), found["d"].as_u64()),
        (Some(60), Some(45), Some(2))
    );
    assert_eq!((found["stop"].as_str(), found["file"].is_null()), (Some("all-tried"), true));
    let optimum = found["cost"].as_f64().unwrap();
    assert!((found["lower_bound"].as_f64().unwrap() - optimum).abs() < 1e-9 * optimum);
    for row in found["methods"].as_array().unwrap() {
        let (cost, ratio) = (row["cost"].as_f64().unwrap(), row["ratio"].as_f64().unwrap());
        assert!((ratio * optimum - cost).abs() < 1e-12 * cost);
        assert_eq!(row["cost_is"] == "lower-bound", row["method"] == "gaussian", "{row}");
        assert_eq!(ratio < 1.0, row["method"] == "gaussian", "{row}");
        assert!(row["seconds"].as_f64().unwrap() > 0.0);
        // The optimum is known here, and so the gap is the ratio.
        match row["gap"].as_f64() {
            Some(gap) => assert!((gap - (ratio - 1.0)).abs() < 1e-8, "{row}"),
            None => assert_eq!(row["method"], "gaussian"),
        }
    }
}

#[test]
fn the_costs_are_those_of_solve() {
    let scene = squares();
    let found = scene.json("compare a.npy b.npy --seed 3");
    for row in found["methods"].as_array().unwrap() {
        let method = row["method"].as_str().unwrap();
        let solved = scene.json(&format!("solve a.npy b.npy --seed 3 --method {method}"));
        assert_eq!(row["cost"], solved["cost"], "{method}");
    }
}

#[test]
fn threads_do_not_change_a_cost() {
    let scene = squares();
    let costs = |threads: usize| -> Vec<Value> {
        let found = scene.json(&format!("compare a.npy b.npy --threads {threads}"));
        found["methods"].as_array().unwrap().iter().map(|row| row["cost"].clone()).collect()
    };
    assert_eq!(costs(1), costs(3));
}

#[test]
fn chosen_methods_and_one_that_does_not_apply() {
    let found = squares().json("compare a.npy b.npy --methods line,linear-ot,exact,linear-ot");
    assert_eq!(names(&found, "methods"), ["linear-ot", "exact"]);
    assert_eq!(names(&found, "left_out"), ["line"]);
    let reason = found["left_out"][0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("failed: neither cloud lies on a line"), "{reason}");
    // The others have no plan.
    assert_eq!(found["best"], "exact");
}

#[test]
fn without_any_plan() {
    let text = squares().works("compare a.npy b.npy --methods gaussian");
    assert!(text.contains("\nNone of these methods has a plan. "), "{text}");
}

#[test]
fn the_table_fits_a_terminal() {
    let text = squares().works("compare a.npy b.npy --methods min-swgg,exact,gaussian,line --threads 1");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(
        text.starts_with("Methods of transport from 60 to 45 points in dimension 2\n\n  method "),
        "{text}"
    );
    for part in [" upper ", " exact ", " lower ", "\nCheapest plan: exact, ", "\nLeft out: line failed: "] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}

#[test]
fn what_would_take_too_long_is_left_out() {
    let scene = Scene::new().with("a.npy", scattered(200_000, 1)).with("b.npy", scattered(190_000, 2));
    let found = scene.json("compare a.npy b.npy --methods gaussian,exact,sinkhorn");
    assert_eq!(names(&found, "methods"), ["gaussian"]);
    assert_eq!(names(&found, "left_out"), ["exact", "sinkhorn"]);
    for left in found["left_out"].as_array().unwrap() {
        let reason = left["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("would take about ") && reason.ends_with("; raise --time-limit"),
            "{reason}"
        );
    }
}

#[test]
fn nothing_to_run() {
    let scene = Scene::new().with("a.npy", scattered(200_000, 1));
    let ran = scene.run("compare a.npy a.npy --methods sinkhorn");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.starts_with("error: no method was run: sinkhorn would take about "), "{}", ran.stderr);
}

#[test]
fn files() {
    let scene = squares();
    for name in ["c.svg", "c.png", "c.csv"] {
        let text = scene.works(&format!("compare a.npy b.npy --out {name}"));
        assert!(text.ends_with(&format!("\nWritten to {name}\n")), "{text}");
    }
    let svg = scene.text("c.svg");
    assert!(usual().iter().all(|method| svg.contains(method)), "{svg}");
    assert!(std::fs::read(scene.path("c.png")).unwrap().starts_with(b"\x89PNG"));
    let csv = scene.text("c.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows[0], "method,cost,cost_is,plan,ratio,lower_bound,gap,seconds,memory,stop");
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row.split(',').count() == 10), "{csv}");
}

#[test]
fn clouds_that_cost_nothing_can_be_drawn() {
    let scene = Scene::new();
    let found = scene.json("compare source.csv source.csv --out c.svg");
    assert_eq!(found["cost"].as_f64(), Some(0.0));
    assert!(found["methods"][0]["ratio"].is_null());
    assert!(scene.text("c.svg").contains("exact"));
}

#[test]
fn refusals() {
    let scene = Scene::new();
    for (arguments, message) in [
        ("--time-limit 0", "--time-limit is 0; give seconds above 0"),
        ("--time-limit nan", "--time-limit is NaN; give seconds above 0"),
        ("--out c.pdf", "--out c.pdf must end in .svg, .png or .csv; rename it"),
        ("--out source.csv", "source.csv is read and would be overwritten; name another file"),
    ] {
        scene.refuses(&format!("compare source.csv target.csv {arguments}"), message);
    }
}

#[test]
fn quiet_prints_nothing() {
    assert_eq!(Scene::new().works("compare source.csv target.csv --quiet"), "");
}
