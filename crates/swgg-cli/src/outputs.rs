//! Where results may be written: checked before the work, for every command.

use std::io::Write;
use std::path::{Path, PathBuf};

use swgg_io::Output;

use crate::exit::{Failure, Outcome};
use crate::figure::Drawing;
use crate::report::{self, Report};

/// Refuses outputs that are read, asked for twice or cannot be written.
pub fn check_places<'a>(outputs: &[&Path], inputs: impl Iterator<Item = &'a Path>) -> Outcome<()> {
    let inputs: Vec<PathBuf> = inputs.map(place).collect();
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

/// What a path names however it is spelled, for a file that may not exist yet.
pub fn place(path: &Path) -> PathBuf {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(parent.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_path_buf())
}

/// A figure or a table, by the ending of its file.
#[derive(Clone, Copy)]
enum FigureKind {
    Svg,
    Png,
    Csv,
}

/// A figure or a table to write, to a place that can be written to and is not read.
pub struct FigureFile<'a> {
    pub path: &'a Path,
    kind: FigureKind,
}

impl<'a> FigureFile<'a> {
    pub fn check<'b>(path: &'a Path, inputs: impl Iterator<Item = &'b Path>) -> Outcome<Self> {
        let kind = match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => FigureKind::Svg,
            Some("png") => FigureKind::Png,
            Some("csv") => FigureKind::Csv,
            _ => {
                let path = path.display();
                return Err(Failure::usage(format!(
                    "--out {path} must end in .svg, .png or .csv; rename it"
                )));
            }
        };
        check_places(&[path], inputs)?;
        Ok(FigureFile { path, kind })
    }

    /// Writes the figure of a report, or its table.
    pub fn write<R: Report, D: Drawing>(&self, report: &R, figure: impl FnOnce(&R) -> D) -> Outcome<()> {
        let bytes = match self.kind {
            FigureKind::Svg => figure(report).svg()?.into_bytes(),
            FigureKind::Png => figure(report).png()?,
            FigureKind::Csv => report::csv(report).into_bytes(),
        };
        let mut output = Output::create(self.path)?;
        let refuse = |error| Failure::new(format!("{}: {error}", self.path.display()));
        output.write_all(&bytes).map_err(refuse)?;
        Ok(output.commit()?)
    }
}
