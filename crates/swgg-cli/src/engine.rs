//! `--engine`: tables beyond memory are the business of a second program, `swgg-engine`, which gets the whole command line; clusters are that of a
//! third one, `swgg-cluster`.
//!
//! They are programs of their own because what they stand on takes longer to build than everything else together.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use swgg_io::PlanFormat;

use crate::exit::{Failure, Outcome};

const PROGRAM: &str = "swgg-engine";
/// For clusters.
const CLUSTER: &str = "swgg-cluster";
/// What the address of a cluster begins with.
const BALLISTA: &str = "ballista:";
/// Verbs that take `--engine`.
const VERBS: [&str; 2] = ["solve", "distance"];
/// Verbs that only the other programs have.
const OWN_VERBS: [&str; 3] = ["split", "join", "cluster"];
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
        return !is_help || find(meant(args)).is_some();
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

/// Which of the programs a command line is for.
fn meant(args: &[OsString]) -> &'static str {
    let words: Vec<_> = args.iter().take_while(|arg| *arg != "--").map(|arg| arg.to_string_lossy()).collect();
    let is_cluster = |engine: &str| engine.starts_with(BALLISTA);
    let is_asked = words.iter().enumerate().any(|(place, word)| match word.strip_prefix("--engine") {
        Some("") => words.get(place + 1).is_some_and(|engine| is_cluster(engine)),
        Some(rest) => rest.strip_prefix('=').is_some_and(is_cluster),
        None => false,
    });
    let verb = words.get(1).map(AsRef::as_ref).unwrap_or_default();
    if verb == "cluster" || verb == "solve" && is_asked { CLUSTER } else { PROGRAM }
}

/// Hands the command line over and returns the exit code of the other program.
pub fn run(args: &[OsString]) -> Outcome<u8> {
    let meant = meant(args);
    let program = find(meant).ok_or_else(|| {
        let what = if meant == CLUSTER { "clusters" } else { "tables beyond memory and their plans" };
        Failure::usage(format!(
            "{what} need the program {meant}, which is neither beside swgg nor on the \
             PATH; build it with `cargo build --release -p {meant}`"
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
    find(PROGRAM).is_some()
}

/// Whether that for clusters can be found.
pub fn has_clusters() -> bool {
    find(CLUSTER).is_some()
}

/// Beside this program, or on the PATH.
fn find(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
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
    fn clusters_are_for_another_program() {
        let meant = |line: &str| meant(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(meant("swgg solve a b --engine ballista://here:50050"), CLUSTER);
        assert_eq!(meant("swgg solve a b --engine=ballista://here:50050"), CLUSTER);
        assert_eq!(meant("swgg cluster scheduler"), CLUSTER);
        assert_eq!(meant("swgg solve a b --engine datafusion"), PROGRAM);
        assert_eq!(meant("swgg solve a -- --engine ballista:"), PROGRAM);
        // It says that there is nothing for a cluster to do.
        assert_eq!(meant("swgg distance a b --kind sw --engine ballista://here:50050"), PROGRAM);
        assert_eq!(meant("swgg check plan"), PROGRAM);
    }

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
