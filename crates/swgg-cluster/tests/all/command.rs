//! The program `swgg-cluster`.

use std::process::{Command, Output};

use crate::ground::Ground;
use crate::tables::Cloud;

fn cluster(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_swgg-cluster")).args(args).output().unwrap()
}

#[test]
fn solve_as_json() {
    let ground = Ground::of(1);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let a = Cloud::random(3_000, 2, 1).write_folder(&at("a"));
    let b = Cloud::random(2_000, 2, 2).write_folder(&at("b"));
    let (engine, plan) = (format!("ballista://{}", ground.address()), at("plan").display().to_string());
    let solve = ["solve", &a, &b, "--engine", &engine, "--direction", "1,1", "--plan", &plan, "--cells", "4"];
    let out = cluster(&[&solve[..], &["--batches", "2", "--json", "--quiet"]].concat());
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(said["engine"] == "ballista" && said["cells"] == 4 && said["n"] == 3000, "{said}");
    let again = cluster(&[&solve[..], &["--method", "auto"]].concat());
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn words() {
    for (args, words) in [
        (&["solve", "a", "b", "--engine", "ballista://nowhere"][..], "with the port of a scheduler"),
        (&["solve", "a", "b", "--batches", "3"], "--batches is for --engine ballista://HOST:PORT"),
        (&["distance", "a", "b"], "unrecognized subcommand"),
        (&["executor", "--scheduler", "here"], "expected HOST:PORT"),
        (&["cluster", "scheduler", "--bind", "nowhere"], "is no address to listen at"),
    ] {
        let out = cluster(args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(words), "{args:?}: {said}");
    }
    for (args, words) in [
        (&["cluster", "scheduler", "--help"][..], "--executor-timeout"),
        (&["executor", "--help"], "--vcores"),
        (&["solve", "--help"], "ballista://HOST:PORT"),
    ] {
        let out = cluster(args);
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success() && said.contains(words), "{args:?}: {said}");
    }
}
