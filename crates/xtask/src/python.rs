//! Private Python environments under `target/`, and the wheel of the package in one of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Outcome, output, root, run, target};

/// Packages that share an environment, at the versions everything was tested and measured with.
pub struct Environment {
    directory: &'static str,
    packages: &'static [&'static str],
}

/// POT, for the benchmarks.
pub const POT: Environment =
    Environment { directory: "bench-env", packages: &["POT==0.9.7.post1", "numpy==2.4.6", "scipy==1.17.1"] };
/// OR-tools, a peer of sparse matching.
pub const ORTOOLS: Environment = Environment {
    directory: "bench-ortools-env",
    packages: &["ortools==9.15.6755", "numpy==2.4.6", "scipy==1.17.1"],
};
/// A peer of registration.
pub const GICP: Environment =
    Environment { directory: "bench-gicp-env", packages: &["small_gicp==1.0.1", "numpy==2.4.6"] };
/// PyTorch, about 5 GB, so it has an environment of its own; and GeomLoss on top of it.
pub const TORCH: Environment = Environment {
    directory: "bench-torch-env",
    packages: &["torch==2.15.0", "numpy==2.4.6", "geomloss==0.3.1", "scipy==1.17.1"],
};
/// Dask, for a recipe of the engine.
pub const DASK: Environment = Environment { directory: "bench-dask-env", packages: &["dask==2026.8.0"] };
/// What builds and tests the package.
pub const PACKAGE: Environment = Environment {
    directory: "python-env",
    packages: &[
        "maturin==1.16.0",
        "numpy==2.4.6",
        "scipy==1.17.1",
        "pytest==9.2.0",
        "mypy==2.4.1",
        "POT==0.9.7.post1",
        "scikit-learn==1.9.1",
        "matplotlib==3.11.2",
        "pandas==2.3.3",
        "polars==2.1.0",
        "anndata==0.12.19",
    ],
};
/// What builds the site and runs its gallery.
pub const SITE: Environment = Environment {
    directory: "site-env",
    packages: &[
        "maturin==1.16.0",
        "numpy==2.4.6",
        "scipy==1.17.1",
        "scikit-learn==1.9.1",
        "matplotlib==3.11.2",
        "pillow==13.0.0",
        "sphinx==9.0.4",
        "furo==2025.12.19",
        "myst-parser==5.2.0",
        "numpydoc==1.11.0",
        "sphinx-gallery==0.22.1",
    ],
};
/// On top of [`TORCH`], whose other packages are those of the benchmarks: what runs its tests, and what some of them compare with.
const TORCH_TESTS: [&str; 2] = ["pytest==9.2.0", "POT==0.9.7.post1"];

/// How hard wheels are packed, of 9.
const COMPRESSION: &str = "9";
/// A wheel above this many bytes is refused.
const LARGEST_WHEEL: u64 = 10_000_000;

impl Environment {
    fn path(&self) -> PathBuf {
        root().join("target").join(self.directory)
    }

    /// Whether it has been made, with the versions of today.
    pub fn is_ready(&self) -> bool {
        std::fs::read_to_string(self.path().join("ready")).is_ok_and(|found| found == self.packages.join(" "))
    }
}

/// A Python interpreter that can import the packages; made on first use.
pub fn interpreter(environment: &Environment) -> Outcome<PathBuf> {
    let path = environment.path();
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = path.join(programs).join(format!("python{}", std::env::consts::EXE_SUFFIX));
    if environment.is_ready() {
        return Ok(python);
    }
    let wanted = environment.packages.join(" ");
    println!("preparing {} with {wanted}", path.strip_prefix(root()).unwrap_or(&path).display());
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&path)).map_err(|error| {
        format!("{error}; this needs Python 3 with its venv module (Debian: apt install python3-venv)")
    })?;
    install(&python, environment.packages)?;
    let ready = path.join("ready");
    std::fs::write(&ready, wanted).map_err(|error| format!("{}: {error}", ready.display()))?;
    Ok(python)
}

/// Installs packages into the environment of an interpreter.
fn install(python: &Path, arguments: &[&str]) -> Outcome<()> {
    run(Command::new(python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(arguments))
}

/// Runs a script of the benchmarks and parses the JSON on its last line.
pub fn script(python: &PathBuf, name: &str, threads: usize, args: &[&str]) -> Outcome<serde_json::Value> {
    let path = root().join("crates/xtask/python/bench").join(name);
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

/// How a wheel is compiled: `release` as users get it, `dev` with what the tests of the crates have compiled already and with checks
/// of overflow, in a third of the time.
#[derive(Clone, Copy, PartialEq)]
pub enum Profile {
    Release,
    Dev,
}

/// Builds the wheel and installs it into the environment of an interpreter; returns its path.
pub fn wheel(python: &Path, profile: Profile) -> Outcome<PathBuf> {
    let directory = root().join("target/wheels");
    // A wheel of another version would be found in the place of the one that is built now.
    match std::fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(format!("{}: {error}", directory.display()));
        }
        _ => {}
    }
    let mut build = Command::new(python);
    let name = if profile == Profile::Release { "release" } else { "dev" };
    build
        .args([
            "-m",
            "maturin",
            "build",
            "--profile",
            name,
            "--strip",
            "--locked",
            "--quiet",
            "--compression-level",
            COMPRESSION,
            "--interpreter",
        ])
        .arg(python);
    build.arg("--out").arg(&directory).current_dir(root().join("python"));
    run(build.env("CARGO_TARGET_DIR", target()))?;
    let mut wheels =
        std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let built = wheels.find_map(|entry| {
        let path = entry.ok()?.path();
        (path.extension()? == "whl").then_some(path)
    });
    let built = built.ok_or("maturin built no wheel")?;
    let size = std::fs::metadata(&built).map_err(|error| format!("{}: {error}", built.display()))?.len();
    if profile == Profile::Release && size > LARGEST_WHEEL {
        return Err(format!("the wheel takes {size} bytes, {LARGEST_WHEEL} are allowed"));
    }
    let name = built.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("{name}: {:.1} MB", size as f64 / 1e6);
    install_wheel(python, &built)?;
    Ok(built)
}

fn install_wheel(python: &Path, wheel: &Path) -> Outcome<()> {
    install(python, &["--force-reinstall", "--no-deps", &wheel.display().to_string()])
}

/// The steps of `cargo xtask test` in Python; PyTorch is downloaded only if asked for.
pub fn test(with_torch: bool) -> Outcome<()> {
    println!("\n== Python: the wheel");
    let python = interpreter(&PACKAGE)?;
    let wheel = wheel(&python, Profile::Dev)?;
    println!("\n== Python: tests and examples of the docstrings");
    pytest(&python, &["tests".to_owned()], "swgg")?;
    println!("\n== Python: types");
    let module = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.arg("-m").args(arguments).env("MYPY_CACHE_DIR", root().join("target/mypy"));
        run(command.current_dir(root().join("target")))
    };
    let sources = root().join("python");
    let settings = sources.join("pyproject.toml").display().to_string();
    for directory in [sources.join("swgg"), sources.join("examples")] {
        if directory.is_dir() {
            module(&["mypy", "--config-file", &settings, "--strict", &directory.display().to_string()])?;
        }
    }
    module(&["mypy.stubtest", "--mypy-config-file", &settings, "swgg._swgg"])?;
    crate::book::check(&python)?;
    println!("\n== Python: PyTorch");
    torch(&wheel, with_torch)
}

/// The tests of `swgg.engine` with the program it starts, where the package has been installed for its other tests.
pub fn engine(program: &Path) -> Outcome<()> {
    let python = interpreter(&PACKAGE)?;
    if output(Command::new(&python).args(["-c", "import swgg"]).current_dir(root().join("target"))).is_err() {
        println!("swgg.engine: skipped: the package is not installed (cargo xtask test python installs it)");
        return Ok(());
    }
    let sources = root().join("python");
    let mut command = Command::new(&python);
    command.args(["-B", "-m", "pytest", "-p", "no:cacheprovider", "-c"]).arg(sources.join("pyproject.toml"));
    command.arg(sources.join("tests/test_engine.py")).env("SWGG_ENGINE", program);
    run(command.current_dir(root().join("target")))
}

/// The tests of `swgg.torch`, where there is PyTorch.
fn torch(wheel: &Path, is_wanted: bool) -> Outcome<()> {
    if !is_wanted && !TORCH.is_ready() {
        println!("torch: skipped: not installed (cargo xtask test torch installs it, about 5 GB)");
        return Ok(());
    }
    let python = interpreter(&TORCH)?;
    install(&python, &TORCH_TESTS)?;
    install_wheel(&python, wheel)?;
    let mut names = Vec::new();
    for entry in
        std::fs::read_dir(root().join("python/tests")).map_err(|error| format!("python/tests: {error}"))?
    {
        let name = entry
            .map_err(|error| format!("python/tests: {error}"))?
            .file_name()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("test_torch") || name == "test_pot_torch.py" {
            names.push(format!("tests/{name}"));
        }
    }
    names.sort();
    pytest(&python, &names, "swgg.torch")
}

/// Runs tests, and the docstrings of what is installed, with the settings of the package.
///
/// The working directory is on Python's path, so it must not be the one with the sources.
fn pytest(python: &Path, tests: &[String], package: &str) -> Outcome<()> {
    let sources = root().join("python");
    let mut command = Command::new(python);
    command.args(["-B", "-m", "pytest", "-p", "no:cacheprovider", "--doctest-modules", "-c"]);
    command
        .arg(sources.join("pyproject.toml"))
        .args(tests.iter().map(|tests| sources.join(tests)))
        .args(["--pyargs", package]);
    if output(Command::new(python).args(["-c", "import torch"])).is_err() {
        println!("swgg.torch: skipped: no torch");
        command.args(["--ignore-glob=*/swgg/torch*", "--ignore-glob=*/test_torch.py"]);
    }
    run(command.current_dir(root().join("target")))
}
