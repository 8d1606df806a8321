//! `--engine`: handing over to the second program, and what is said without it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of the command in a folder of its own, where nothing is beside it.
fn alone(folder: &Path) -> PathBuf {
    let name = format!("swgg{}", std::env::consts::EXE_SUFFIX);
    fs::copy(env!("CARGO_BIN_EXE_swgg"), folder.join(&name)).unwrap();
    folder.join(name)
}

fn run(program: &Path, args: &[&str]) -> Output {
    Command::new(program).args(args).env("PATH", "").output().unwrap()
}

#[test]
fn without_it_one_sentence_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
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

#[cfg(unix)]
#[test]
fn the_program_beside_gets_every_word() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (swgg, engine) = (alone(folder.path()), folder.path().join("swgg-engine"));
    fs::write(&engine, "#!/bin/sh\necho \"$SWGG_CALLER_VERSION: $*\"\nexit 7\n").unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    let out = run(&swgg, &["solve", "a b", "c", "--engine", "datafusion", "--memory", "2GB"]);
    assert_eq!(out.status.code(), Some(7));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        String::from_utf8_lossy(&out.stdout),
        format!("{version}: solve a b c --engine datafusion --memory 2GB\n")
    );
}
