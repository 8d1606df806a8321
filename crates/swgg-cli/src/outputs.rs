//! Where results may be written: checked before the work, for every command.

use std::io::Write;
use std::path::{Path, PathBuf};

use swgg_io::{Format, Output, PlanFormat, writable_extensions};

use crate::exit::{Failure, Outcome};
use crate::figure::Drawing;
use crate::printer;
use crate::report::{self, Report};

/// Refuses outputs that are read, asked for twice or cannot be written.
pub fn check_places<'a>(outputs: &[&Path], inputs: impl Iterator<Item = &'a Path>) -> Outcome<()> {
    if outputs.contains(&Path::new("-")) {
        printer::give_standard_output_away();
    }
    let inputs: Vec<PathBuf> = inputs.filter(|path| *path != Path::new("-")).map(place).collect();
    let places: Vec<PathBuf> = outputs.iter().map(|path| place(path)).collect();
    for (k, path) in outputs.iter().enumerate() {
        if inputs.contains(&places[k]) {
            let path = path.display();
            return Err(Failure::usage(format!(
                "{path} is read and would be overwritten; name another file"
            )));
        }
        if places[..k].contains(&places[k]) {
            return Err(Failure::usage(format!("{} is asked for twice; name two files", path.display())));
        }
        // Made and dropped: a place that cannot be written to should be known before the work, not after it.
        drop(Output::create(path)?);
    }
    Ok(())
}

/// The format of a cloud to write; text on standard output.
pub fn cloud_format(flag: &str, path: &Path) -> Outcome<Format> {
    if path == Path::new("-") {
        return Ok(Format::Csv);
    }
    let written = || writable_extensions().join(", ");
    match Format::from_path(path) {
        Ok(format) if format.is_written() => Ok(format),
        _ => Err(Failure::usage(format!(
            "{flag} {} must end in one of {}; rename it",
            path.display(),
            written()
        ))),
    }
}

/// The format of a plan to write; text on standard output.
pub fn plan_format(path: &Path) -> Outcome<PlanFormat> {
    if path == Path::new("-") { Ok(PlanFormat::Csv) } else { Ok(PlanFormat::from_path(path)?) }
}

/// Which of these endings a file has, in letters of either case; refuses the others.
pub fn ending(flag: &str, path: &Path, endings: &[&'static str]) -> Outcome<&'static str> {
    let found = path.extension().unwrap_or_default();
    let known = endings.iter().copied().find(|ending| found.eq_ignore_ascii_case(ending));
    known.ok_or_else(|| {
        let (last, others) = endings.split_last().unwrap_or((&"", &[]));
        let others = others.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
        let endings = if others.is_empty() { format!(".{last}") } else { format!("{others} or .{last}") };
        Failure::usage(format!("{flag} {} must end in {endings}; rename it", path.display()))
    })
}

/// What a path names however it is spelled, for a file that may not exist yet.
fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(parent.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_path_buf())
}

/// A figure or a table to write, to a place that can be written to and is not read.
pub struct FigureFile<'a> {
    pub path: &'a Path,
    ending: &'static str,
}

impl<'a> FigureFile<'a> {
    pub fn check<'b>(path: &'a Path, inputs: impl Iterator<Item = &'b Path>) -> Outcome<Self> {
        let ending = ending("--out", path, &["svg", "png", "csv"])?;
        check_places(&[path], inputs)?;
        Ok(FigureFile { path, ending })
    }

    /// Writes the figure of a report, or its table.
    pub fn write<R: Report, D: Drawing>(&self, report: &R, figure: impl FnOnce(&R) -> D) -> Outcome<()> {
        let bytes = match self.ending {
            "svg" => figure(report).svg()?.into_bytes(),
            "png" => figure(report).png()?,
            _ => report::csv(report).into_bytes(),
        };
        let mut output = Output::create(self.path)?;
        let refuse = |error| Failure::new(format!("{}: {error}", self.path.display()));
        output.write_all(&bytes).map_err(refuse)?;
        Ok(output.commit()?)
    }
}
