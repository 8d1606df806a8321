//! Processes that are killed, and disks that are full: nothing half-written under the final name, and a way to go on.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tables::{Cloud, entries, expected};

const ENGINE: &str = env!("CARGO_BIN_EXE_swgg-engine");
const THETA: [f64; 2] = [0.6, 0.8];

/// The program, or a shell that starts it, at work in a folder with two tables.
fn solving(mut program: Command, folder: &Path, cells: &str, more: &[&str]) -> Command {
    program
        .args([
            "solve",
            "a",
            "b",
            "--direction",
            "0.6,0.8",
            "--cells",
            cells,
            "--threads",
            "1",
            "--plan",
            "plan",
        ])
        .args(more)
        .current_dir(folder);
    program
}

#[test]
fn killed_in_the_middle_and_resumed() {
    let (source, target) = (Cloud::random(300_000, 2, 1), Cloud::random(300_000, 2, 2));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    source.write_folder(&at("a"));
    target.write_folder(&at("b"));
    let mut program = solving(Command::new(ENGINE), folder.path(), "64", &[]);
    let mut running = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let parts =
        || (0..64).filter(|cell| at(&format!(".plan.unfinished/part-{cell:05}.parquet")).exists()).count();
    while parts() < 3 && begun.elapsed() < Duration::from_secs(60) && running.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    // SIGKILL: no handler runs, nothing is tidied up.
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(!at("plan").exists(), "killed before it was done");
    assert!(parts() >= 3);
    let out = solving(Command::new(ENGINE), folder.path(), "64", &["--resume", "--json"]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(json["resumed"].as_u64() >= Some(3), "{json}");
    assert!(entries(&at("plan")) == expected(&source, &target, &THETA).0);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

/// A limit on the size of files stands for a full disk: writing fails in the middle of one.
#[test]
fn no_room_for_a_part() {
    let (source, target) = (Cloud::random(60_000, 2, 3), Cloud::random(60_000, 2, 4));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    source.write_folder(&at("a"));
    target.write_folder(&at("b"));
    // A signal that is ignored is ignored by the program too, and the write returns an error.
    let limited = format!("trap '' XFSZ; ulimit -f 40; exec '{ENGINE}' \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &limited, "sh"]);
    let out = solving(shell, folder.path(), "8", &[]).output().unwrap();
    let words = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{words}");
    assert!(words.contains("part-") && words.contains("cannot be written"), "{words}");
    assert!(!at("plan").exists());
    let out = solving(Command::new(ENGINE), folder.path(), "8", &["--resume"]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(entries(&at("plan")) == expected(&source, &target, &THETA).0);
}
