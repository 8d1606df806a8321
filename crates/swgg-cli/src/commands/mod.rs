//! One file per verb.

mod apply;
mod barycenter;
mod check;
mod color_transfer;
mod colorize;
mod compare;
mod distance;
mod flow;
mod help;
mod info;
mod interpolate;
mod landscape;
mod otdd;
mod pansharpen;
mod pictures;
mod register;
mod shell;
mod solve;

use swgg::run::Workers;

use crate::args::Command;
use crate::exit::{Failure, Outcome};

/// Runs a command and returns its exit code.
pub fn run(command: &Command) -> Outcome<u8> {
    // Threads that cannot be had are told before the work, by those who work.
    let is_quick = matches!(
        command,
        Command::Info(_) | Command::Completions(_) | Command::Man(_) | Command::Help(_) | Command::Check(_)
    );
    if !is_quick {
        Workers::start_shared()?;
    }
    match command {
        Command::Solve(args) => solve::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Distance(args) => distance::run(args),
        Command::Flow(args) => flow::run(args),
        Command::Otdd(args) => otdd::run(args),
        Command::Landscape(args) => landscape::run(args),
        Command::Pansharpen(args) => pansharpen::run(args),
        Command::Interpolate(args) => interpolate::run(args),
        Command::Barycenter(args) => barycenter::run(args),
        Command::Register(args) => register::run(args),
        Command::Apply(args) => apply::run(args),
        Command::Check(args) => check::run(args),
        Command::Info(args) => info::run(args),
        Command::Split(_) | Command::Join(_) => {
            Err(Failure::usage("split and join are for the program swgg-engine; call it by this name"))
        }
        Command::Cluster(_) => {
            Err(Failure::usage("cluster is for the program swgg-cluster; call it by this name"))
        }
        Command::ColorTransfer(args) => color_transfer::run(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
        Command::Help(args) => help::run(args),
        Command::Colorize(args) => colorize::run(args),
    }
}
