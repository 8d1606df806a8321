//! Running other programs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What went wrong, in words.
pub type Outcome<T> = Result<T, String>;

/// Root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    root().join(target)
}

/// Cargo, in the root, with the toolchain that runs this.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Runs a command to its end; a failure names it.
pub fn run(command: &mut Command) -> Outcome<()> {
    let words = describe(command);
    let status = command.status().map_err(|error| format!("could not start `{words}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{words}` failed ({status})")) }
}

/// Runs a command and returns what it prints.
pub fn output(command: &mut Command) -> Outcome<String> {
    let words = describe(command);
    let output = command.output().map_err(|error| format!("could not start `{words}`: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{words}` failed ({}): {complaint}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{words}` printed bytes that are not text"))
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy();
    let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
    format!("{program} {}", args.join(" "))
}
