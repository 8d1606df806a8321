//! `--engine`: handing over to the second program, and what is said without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder on the disk of the command, so that a link to it can be made there.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// The command in a folder of its own, where nothing is beside it.
///
/// A link, not a copy: a program cannot be started while anybody has it open for writing, and a child that another test
/// starts meanwhile inherits the copy that is being written.
fn alone(folder: &Path) -> PathBuf {
    let name = format!("swgg{}", std::env::consts::EXE_SUFFIX);
    fs::hard_link(env!("CARGO_BIN_EXE_swgg"), folder.join(&name)).unwrap();
    folder.join(name)
}

fn run(program: &Path, args: &[&str]) -> Output {
    Command::new(program).args(args).env("PATH", "").output().unwrap()
}

#[test]
fn without_it_one_sentence_says_how_to_get_it() {
    let folder = folder();
    let swgg = alone(folder.path());
    for args in [
        &["solve", "a", "b", "--engine", "datafusion"][..],
        &["distance", "a", "b", "--kind", "sw", "--engine=datafusion"],
        &["check", "plan"],
    ] {
        let out = run(&swgg, args);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&out.stderr),
            "error: tables beyond memory and their plans need the program swgg-engine, which is neither beside swgg nor on \
             the PATH; build it with `cargo build --release -p swgg-engine`\n"
        );
    }
}

#[test]
fn clusters_are_told_too() {
    let folder = folder();
    let swgg = alone(folder.path());
    for args in [
        &["cluster", "scheduler"][..],
        &["solve", "a", "b", "--engine", "ballista://127.0.0.1:50050"],
        &["solve", "a", "b", "--engine=ballista://127.0.0.1:50050"],
    ] {
        let out = run(&swgg, args);
        assert_eq!(out.status.code(), Some(2));
        assert_eq!(
            String::from_utf8_lossy(&out.stderr),
            "error: clusters need the program swgg-cluster, which is neither beside swgg nor on the PATH; build it with `cargo \
             build --release -p swgg-cluster`\n"
        );
    }
}

#[cfg(unix)]
#[test]
fn the_program_beside_gets_every_word() {
    let folder = folder();
    let (swgg, engine) = (alone(folder.path()), folder.path().join("swgg-engine"));
    // Written by another process, for the reason above.
    let written = Command::new("sh")
        .args(["-c", "printf '%s\n' '#!/bin/sh' 'echo \"$SWGG_CALLER_VERSION: $*\"' 'exit 7' > \"$0\"; chmod 755 \"$0\""])
        .arg(&engine)
        .status();
    assert!(written.unwrap().success());
    let out = run(&swgg, &["solve", "a b", "c", "--engine", "datafusion", "--memory", "2GB"]);
    assert_eq!(out.status.code(), Some(7));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        String::from_utf8_lossy(&out.stdout),
        format!("{version}: solve a b c --engine datafusion --memory 2GB\n")
    );
}
