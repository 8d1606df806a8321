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
