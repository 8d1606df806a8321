//! `cargo xtask fuzz`: coverage-guided fuzzing on the stable toolchain.
//!
//! LibFuzzer needs counters at every edge. The compiler has the pass that puts them there, and takes it on a stable toolchain as
//! well (`-C passes`); only sanitizers would need another one. A target of its own keeps build scripts free of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::shell::{Outcome, cargo, output, root, run, target};

/// Every target; `fuzz/src/main.rs` has the same list.
const TARGETS: [&str; 12] = [
    "cloud", "text", "packed", "plan", "picture", "profile", "raster", "idx", "solve", "partial", "sparse",
    "sort",
];

/// What the compiler puts into the program.
const COVERAGE: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// Megabytes that a target may hold.
const MEMORY: usize = 2048;

pub fn run_with(options: &[&str]) -> Outcome<()> {
    let (mut minutes, mut chosen) = (10.0, Vec::new());
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match *word {
            "--minutes" => {
                let text = words.next().ok_or("--minutes needs a number")?;
                let number = text.parse::<f64>().ok().filter(|minutes| *minutes > 0.0);
                minutes = number.ok_or(format!("found {text} minutes, expected a number above 0"))?;
            }
            name if TARGETS.contains(&name) => chosen.push(name),
            name => return Err(format!("no target {name}; they are {}", TARGETS.join(", "))),
        }
    }
    let chosen = if chosen.is_empty() { TARGETS.to_vec() } else { chosen };
    let program = build()?;
    let mut found = Vec::new();
    for name in chosen {
        println!("\n== {name}, {minutes} minutes");
        found.extend(fuzz(&program, name, minutes)?);
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(format!(
        "found {}; mend them, and make a test of each (CONTRIBUTING.md says where)",
        found.join(", ")
    ))
}

/// Builds the program with coverage.
fn build() -> Outcome<PathBuf> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let host =
        version.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc -vV names no host")?;
    let directory = target().join("fuzz");
    let manifest = root().join("fuzz/Cargo.toml").display().to_string();
    let place = directory.display().to_string();
    let words =
        ["build", "--release", "--manifest-path", &manifest, "--target", host, "--target-dir", &place];
    run(cargo(&words).env("RUSTFLAGS", COVERAGE.join(" ")))?;
    Ok(directory.join(host).join("release/swgg-fuzz"))
}

/// Runs a target and says what it found: files that made it fail.
fn fuzz(program: &Path, name: &str, minutes: f64) -> Outcome<Vec<String>> {
    let corpus = target().join("fuzz/corpus").join(name);
    let artifacts = target().join("fuzz/found").join(name);
    for directory in [&corpus, &artifacts] {
        fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    seed(name, &corpus)?;
    let before = files(&artifacts);
    let mut command = Command::new(program);
    command
        .arg(&corpus)
        .arg(format!("-max_total_time={}", (60.0 * minutes).round()))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .args(["-timeout=20", "-print_final_stats=1", "-max_len=65536", "-verbosity=1"])
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .env("SWGG_FUZZ_TARGET", name)
        .env("TMPDIR", scratch())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let ended =
        command.output().map_err(|error| format!("could not start {}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&ended.stderr);
    let covered = text.lines().rev().find(|line| line.contains(" cov: "));
    println!("{}", covered.unwrap_or("no coverage was reported"));
    for line in
        text.lines().filter(|line| line.starts_with("stat::number_of") || line.starts_with("stat::average"))
    {
        println!("{line}");
    }
    let found: Vec<String> = files(&artifacts).into_iter().filter(|file| !before.contains(file)).collect();
    if !ended.status.success() {
        let complaint = text.lines().filter(|line| line.contains("panicked") || line.contains("ERROR:"));
        complaint.take(3).for_each(|line| println!("{line}"));
        if found.is_empty() {
            return Err(format!("{name} failed without a file ({}): {text}", ended.status));
        }
    }
    Ok(found)
}

/// Where readers find the bytes as files: in memory, where there is such a place.
fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() }
}

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries.map(|entry| entry.path().display().to_string()).collect()
}

/// Files to begin with: the examples of the repository, each with the byte that names its format in front.
fn seed(name: &str, corpus: &Path) -> Outcome<()> {
    let endings: &[&str] = match name {
        "cloud" => &["npy", "ply", "pcd", "las", "laz", "parquet", "npz", "obj", "off", "stl", "xyz", "pts"],
        "text" => &["csv", "tsv", "txt"],
        "plan" => &["csv", "npz", "parquet"],
        "picture" => &["png", "jpg", "tif", "webp", "bmp"],
        _ => return Ok(()),
    };
    for folder in ["examples", "docs", "fuzz/seeds"] {
        for file in files(&root().join(folder)) {
            let path = Path::new(&file);
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let (Some(which), Ok(bytes)) =
                (endings.iter().position(|known| *known == ending), fs::read(path))
            else {
                continue;
            };
            // Long files teach little, and slowly.
            if bytes.len() <= 60_000 {
                let place =
                    corpus.join(format!("seed-{}", path.file_name().unwrap_or_default().to_string_lossy()));
                let bytes = [&[which as u8], &bytes[..]].concat();
                fs::write(&place, bytes).map_err(|error| format!("{}: {error}", place.display()))?;
            }
        }
    }
    Ok(())
}
