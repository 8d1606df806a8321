//! `swgg completions` and `swgg man`: what a shell and a reader of manuals want, made from the flags themselves.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::Command;
use clap_mangen::Man as Page;
use swgg_io::Output;

use crate::args::{self, Completions, Man};
use crate::exit::{self, Failure, Outcome};
use crate::printer::{counted, result};

pub fn completions(args: &Completions) -> Outcome<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "swgg", &mut script);
    result(&String::from_utf8_lossy(&script))?;
    Ok(exit::DONE)
}

pub fn man(args: &Man) -> Outcome<u8> {
    let place = args.directory.display();
    let refuse = |error: std::io::Error| Failure::new(format!("{place}: {error}; name another directory"));
    if !args.directory.exists() {
        fs::create_dir(&args.directory).map_err(refuse)?;
    }
    let mut program = args::command();
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let mut written = Vec::new();
    for command in [&program].into_iter().chain(commands) {
        written.push(page(&args.directory, command)?);
    }
    let count = written.len();
    // All are on the disk before the first takes its place.
    written.into_iter().try_for_each(Output::commit)?;
    result(&format!("{} written to {place}\n", counted(count, "manual page")))?;
    Ok(exit::DONE)
}

fn page(directory: &Path, command: &Command) -> Outcome<Output> {
    let page = Page::new(command.clone());
    let mut text = Vec::new();
    let path = directory.join(page.get_filename());
    page.render(&mut text).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok(Output::create(&path)?.write_with(|output| output.write_all(&text))?)
}
