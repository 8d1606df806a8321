//! `--engine`: tables beyond memory are the business of a second program, `swgg-engine`, which gets the whole command line.
//!
//! It is a program of its own because the engine it stands on takes longer to build than everything else together.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use swgg_io::PlanFormat;

use crate::exit::{Failure, Outcome};

const PROGRAM: &str = "swgg-engine";
/// Verbs that take `--engine`.
const VERBS: [&str; 2] = ["solve", "distance"];
/// Verbs that only the engine has.
const OWN_VERBS: [&str; 2] = ["split", "join"];
/// A verb that plans of engines have, too.
const CHECK: &str = "check";
/// What a folder holds that is such a plan.
const MANIFEST: &str = "manifest.json";
/// Says to the other program who calls it.
const CALLER: &str = "SWGG_CALLER_VERSION";

/// Whether a command line asks for an engine, or is about a plan of one.
pub fn is_asked_for(args: &[OsString]) -> bool {
    let verb = args.get(1).and_then(|verb| verb.to_str()).unwrap_or_default();
    if OWN_VERBS.contains(&verb) {
        // Without the other program, this one says at least what they are.
        let is_help = args.iter().any(|arg| arg == "--help" || arg == "-h");
        return !is_help || is_installed();
    }
    if verb == "info" {
        return args.iter().skip(2).any(|arg| Path::new(arg).join(MANIFEST).is_file());
    }
    // A plan in a file is looked at here, together with its clouds; a folder alone is looked at there.
    if verb == CHECK {
        let words: Vec<_> =
            args.iter().skip(2).filter(|arg| !arg.to_string_lossy().starts_with('-')).collect();
        let is_file = words.first().is_some_and(|plan| PlanFormat::from_path(Path::new(plan)).is_ok());
        return words.len() == 1 && !is_file
            || words.iter().any(|arg| Path::new(arg).join(MANIFEST).is_file());
    }
    let has = |flag: &str| {
        let is_it = |arg: &OsString| {
            arg.to_string_lossy()
                .strip_prefix(flag)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        args.iter().take_while(|arg| *arg != "--").any(is_it)
    };
    // A cell is one of a split.
    VERBS.contains(&verb) && has("--engine") || verb == "solve" && has("--cell")
}

/// Hands the command line over and returns the exit code of the other program.
pub fn run(args: &[OsString]) -> Outcome<u8> {
    let program = find().ok_or_else(|| {
        Failure::usage(format!(
            "tables beyond memory and their plans need the program {PROGRAM}, which is neither beside swgg nor on the \
             PATH; build it with `cargo build --release -p {PROGRAM}`"
        ))
    })?;
    let mut command = Command::new(&program);
    command.args(&args[1..]).env(CALLER, env!("CARGO_PKG_VERSION"));
    let failed = |error: std::io::Error| {
        Failure::new(format!("{}: could not be started ({error}); build it again", program.display()))
    };
    become_it(command).map_err(failed)
}

/// This process becomes the other one: signals reach it, and its exit code is ours.
#[cfg(unix)]
fn become_it(mut command: Command) -> std::io::Result<u8> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> std::io::Result<u8> {
    let code = command.status()?.code();
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(crate::exit::FAILED))
}

/// Whether the other program can be found.
pub fn is_installed() -> bool {
    find().is_some()
}

/// Beside this program, or on the PATH.
fn find() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let path = env::var_os("PATH");
    let folders = beside.into_iter().chain(env::split_paths(path.as_deref().unwrap_or(OsStr::new(""))));
    // An entry without a name would mean the current folder, where anybody's program may lie.
    let named = folders.filter(|folder| !folder.as_os_str().is_empty());
    named.map(|folder| folder.join(&name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_verbs_and_before_two_dashes() {
        let asked = |line: &str| is_asked_for(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asked("swgg solve a b --engine datafusion"));
        assert!(asked("swgg distance a b --kind sw --engine datafusion"));
        assert!(asked("swgg solve --engine=datafusion a b"));
        assert!(!asked("swgg solve a b"));
        assert!(!asked("swgg solve a -- --engine"));
        assert!(!asked("swgg info --engine"));
        assert!(asked("swgg split a b --cells 8 --out cells"));
        assert!(asked("swgg solve cells --cell 3"));
        assert!(asked("swgg solve cells --cell=3"));
        assert!(!asked("swgg solve a b --cells 3"));
        assert!(asked("swgg join cells --plan plan"));
        assert!(asked("swgg check plan"));
        assert!(!asked("swgg check plan.csv a b"));
        assert!(!asked("swgg check plan.csv"));
        assert!(!asked("swgg check --help"));
    }
}
