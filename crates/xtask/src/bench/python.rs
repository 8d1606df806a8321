//! A private Python environment under `target/`, with the peers in it.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{Outcome, output, root, run};

/// Peers that share an environment, at the versions the figures in the documentation were taken with.
pub struct Peers {
    directory: &'static str,
    packages: &'static [&'static str],
}

/// POT.
pub const POT: Peers =
    Peers { directory: "bench-env", packages: &["POT==0.9.7.post1", "numpy==2.4.6", "scipy==1.17.1"] };
/// PyTorch, about 5 GB, so it has an environment of its own; and GeomLoss on top of it.
pub const TORCH: Peers = Peers {
    directory: "bench-torch-env",
    packages: &["torch==2.15.0", "numpy==2.4.6", "geomloss==0.3.1", "scipy==1.17.1"],
};

/// A Python interpreter that can import the peers; made on first use.
pub fn interpreter(peers: &Peers) -> Outcome<PathBuf> {
    let environment = root().join("target").join(peers.directory);
    let python = environment.join("bin").join("python");
    let ready = environment.join("ready");
    let wanted = peers.packages.join(" ");
    if std::fs::read_to_string(&ready).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    println!(
        "preparing {} with {wanted}",
        environment.strip_prefix(root()).unwrap_or(&environment).display()
    );
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment)).map_err(|error| {
        format!("{error}; the benchmarks need Python 3 with its venv module (Debian: python3-venv)")
    })?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(peers.packages))?;
    std::fs::write(&ready, wanted).map_err(|error| format!("{}: {error}", ready.display()))?;
    Ok(python)
}

/// Runs a script of this crate and parses the JSON on its last line.
pub fn script(python: &PathBuf, name: &str, threads: usize, args: &[&str]) -> Outcome<serde_json::Value> {
    let path = root().join("crates/xtask/src/bench").join(name);
    let count = threads.to_string();
    let mut command = Command::new(python);
    command.arg(path).args(args).current_dir(root());
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(variable, &count);
    }
    let text = output(&mut command)?;
    let line = text.lines().last().unwrap_or_default();
    serde_json::from_str(line).map_err(|error| format!("{name} printed `{line}`: {error}"))
}
