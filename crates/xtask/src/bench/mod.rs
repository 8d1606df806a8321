//! Benchmarks: figures with their command beside them, never tests.

pub mod bsp;
pub mod exact;
pub mod images;
pub mod package;
pub mod pot;
pub mod registration;
pub mod scale;
pub mod searches;
pub mod sinkhorn;
pub mod sliced;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::python;
use crate::shell::{Outcome, cargo, output, root, run, target};

/// Builds the command line for release and returns its path.
pub fn build() -> Outcome<PathBuf> {
    run(&mut cargo(&["build", "--quiet", "--release", "--package", "swgg-cli", "--locked"]))?;
    Ok(target().join("release").join(format!("swgg{}", std::env::consts::EXE_SUFFIX)))
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
