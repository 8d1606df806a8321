//! Benchmarks: figures with their command beside them, never tests.

pub mod bsp;
pub mod cells;
pub mod domains;
pub mod engine;
pub mod exact;
pub mod flows;
pub mod functions;
pub mod images;
pub mod optimal;
pub mod package;
pub mod pot;
pub mod registration;
pub mod scale;
pub mod searches;
pub mod sinkhorn;
pub mod sliced;
pub mod soak;
mod svg;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::python;
use crate::shell::{Outcome, cargo, output, root, run, target};

/// Builds the command line for release and returns its path.
pub fn build() -> Outcome<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "swgg-cli", "--locked"]))?;
    Ok(target().join("release").join(format!("swgg{}", std::env::consts::EXE_SUFFIX)))
}

/// Builds a bench of one of our crates, with the settings of a release, and returns its path.
fn program(package: &str, name: &str) -> Outcome<PathBuf> {
    let what = ["--package", package, "--bench", name];
    let messages = ["--message-format", "json-render-diagnostics"];
    let text = output(cargo(&["bench", "--quiet", "--no-run", "--locked"]).args(what).args(messages))?;
    let built = text.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == name && message["target"]["kind"] == json!(["bench"]);
        message["executable"].as_str().filter(|_| is_it).map(PathBuf::from)
    });
    built.ok_or_else(|| format!("cargo did not say where it put the bench {name} of {package}"))
}

/// How many seeds `--seeds` asks for.
fn seed_count(found: &str) -> Outcome<usize> {
    let count = found.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| format!("found `--seeds {found}`, expected a whole number of 1 or more"))
}

/// Where scripts put the clouds they draw.
fn clouds() -> Outcome<PathBuf> {
    let directory = root().join("target/bench/clouds");
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}

/// What the figures were measured on.
fn machine() -> Value {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let rustc = output(std::process::Command::new("rustc").arg("--version")).ok();
    json!({
        "processor": model,
        "cores": std::thread::available_parallelism().map(usize::from).unwrap_or(1),
        "rustc": rustc.as_deref().map(str::trim),
    })
}

/// Saves a record next to the others and says where.
fn save(name: &str, record: &Value) -> Outcome<()> {
    let path = root().join("target").join("bench").join(format!("{name}.json"));
    let fail = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(|error| fail(directory, error))?;
    }
    let text = serde_json::to_string_pretty(record).map_err(|error| error.to_string())?;
    std::fs::write(&path, text + "\n").map_err(|error| fail(&path, error))?;
    println!("\nsaved as {}", path.strip_prefix(root()).unwrap_or(&path).display());
    Ok(())
}

/// A number of a record.
fn number(value: &Value, field: &str) -> Outcome<f64> {
    value[field].as_f64().ok_or_else(|| format!("no number `{field}` in {value}"))
}
