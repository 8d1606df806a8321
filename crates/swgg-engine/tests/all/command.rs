//! The program itself.

use std::process::{Command, Output};

use crate::tables::Cloud;

fn engine(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_swgg-engine")).args(args).output().unwrap()
}

#[test]
fn a_plan_and_its_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let a = Cloud::random(2_000, 2, 1).write_folder(&at("a"));
    let b = Cloud::random(3_000, 2, 2).write_folder(&at("b"));
    let plan = at("plan").display().to_string();
    let out = engine(&[
        "solve",
        &a,
        &b,
        "--engine",
        "datafusion",
        "--direction",
        "-1,0.5",
        "--plan",
        &plan,
        "--json",
        "--memory",
        "100MB",
    ]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (json["n"].as_u64(), json["m"].as_u64(), json["d"].as_u64()),
        (Some(2000), Some(3000), Some(2))
    );
    assert!(json["cost"].as_f64() >= json["lower_bound"].as_f64());
    assert!(at("plan/manifest.json").exists());
    for verb in ["info", "check"] {
        let out = engine(&[verb, &plan]);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.contains("2 000 -> 3 000 in dimension 2"), "{text}");
        assert!(text.contains("manifest says") == (verb == "check"), "{text}");
    }
    let manifest: serde_json::Value =
        serde_json::from_slice(&engine(&["info", &plan, "--json"]).stdout).unwrap();
    let part = at("plan").join(manifest["parts"][0]["file"].as_str().unwrap());
    std::fs::remove_file(&part).unwrap();
    let out = engine(&["check", &plan]);
    let words = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && words.contains("cannot be opened"), "{words}");

    let out = engine(&["solve", &a, &b, "--directions", "20", "--threads", "1"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("best of 20 random directions, seed 0"), "{text}");
    assert!(text.contains("Next: add --plan DIR"), "{text}");
}

#[test]
fn a_plan_is_compared_with_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let a = Cloud::random(3_000, 2, 1).weighted(2).write_folder(&at("a"));
    let b = Cloud::random(2_000, 2, 3).write_folder(&at("b"));
    let plan = at("plan").display().to_string();
    let weights = ["--source-weights", "w"];
    let solve = ["solve", &a, &b, "--direction", "1,1", "--plan", &plan, "--cells", "5"];
    let out = engine(&[&solve[..], &weights].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for memory in ["2GB", "40MB"] {
        let out = engine(&[&["check", &plan, &a, &b, "--memory", memory][..], &weights].concat());
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.contains("Every point gives and gets what its weight says, to"), "{text}");
    }
    // Without their weights the points should give other masses; the weights are then a coordinate of the source.
    let refused = |args: &[&str], code: i32, words: &str| {
        let out = engine(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(code) && said.contains(words), "{:?} {said}", out.status);
    };
    refused(&["check", &plan, &a, &b, "--columns", "x0,x1"], 1, "gives ");
    refused(&["check", &plan, &b, &b], 1, "the source of the plan has 3000 points");
    refused(&["check", &plan, &a], 2, "TARGET");
    refused(&["check", &plan, &a, &a, "--columns", "x0,x1"], 1, "the target of the plan has 2000 points");
}

#[test]
fn progress_in_lines_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let a = Cloud::random(20_000, 2, 1).write_folder(&at("a"));
    let out = engine(&["solve", &a, &a, "--direction", "1,0", "--quiet", "--progress-lines"]);
    assert!(out.status.success() && out.stdout.is_empty());
    let lines: Vec<serde_json::Value> = String::from_utf8_lossy(&out.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last().unwrap();
    assert!(last["stage"] == "solving cells" && last["done"] == last["total"], "{last}");
}

#[test]
fn settings_of_another_method() {
    for (args, words) in [
        (&["--effort", "3"][..], "--effort is for --method auto"),
        (&["--passes", "3"], "--passes is for --method auto"),
        (&["--method", "auto", "--direction", "1,0"], "--direction is for --method min-swgg"),
        (&["--method", "auto", "--directions", "9"], "--directions is for --method min-swgg"),
        (&["--method", "exact"], "invalid value 'exact'"),
    ] {
        let out = engine(&[&["solve", "a", "b"][..], args].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(words), "{said}");
    }
}

#[test]
fn refusals_end_with_two() {
    let out = engine(&["solve", "nowhere.parquet", "nothing.parquet"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&out.stderr),
        "error: nowhere.parquet: there is no such file, folder or pattern\n"
    );
    assert_eq!(engine(&["solve", "a", "b", "--engine", "spark"]).status.code(), Some(2));
    let other = Command::new(env!("CARGO_BIN_EXE_swgg-engine"))
        .args(["solve", "a", "b"])
        .env("SWGG_CALLER_VERSION", "99.0.0")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(words.contains("swgg is version 99.0.0, the swgg-engine it found is"), "{words}");
}
