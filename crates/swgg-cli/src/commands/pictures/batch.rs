//! One picture or many.

use std::fs;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use swgg_io::fits;
use swgg_io::picture::is_picture;

use crate::exit::{Failure, Outcome};
use crate::outputs::check_places;
use crate::printer;

/// A picture to read and the place for its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    pub source: PathBuf,
    pub out: PathBuf,
}

/// What there is to do.
pub struct Batch {
    pub jobs: Vec<Job>,
    /// Whether a folder or a pattern was given.
    pub is_many: bool,
    /// The folder for the results, if there was none.
    made: Option<PathBuf>,
}

impl Batch {
    /// From a file, a folder or a pattern; makes the folder for the results of the last two.
    ///
    /// Refused if a result, the sheet or what is written beside them (`also`) would take the place of a picture that is read, one of `inputs` or of the sources, or of
    /// each other.
    pub fn new(
        source: &Path,
        out: &Path,
        inputs: &[&Path],
        sheet: Option<&Path>,
        also: &[&Path],
    ) -> Outcome<Self> {
        let is_png = |path: &Path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        if let Some(path) = sheet.filter(|path| !is_png(path)) {
            return Err(Failure::new(format!("{}: a sheet is a .png; name it so", path.display())));
        }
        let batch = Self::listed(source, out)?;
        let read = batch.jobs.iter().map(|job| job.source.as_path()).chain(inputs.iter().copied());
        let written = batch.jobs.iter().map(|job| job.out.as_path()).chain(sheet).chain(also.iter().copied());
        match check_places(&written.collect::<Vec<_>>(), read) {
            Ok(()) => Ok(batch),
            Err(refused) => Err(batch.unmade(refused)),
        }
    }

    /// Refuses to replace pictures of a folder, unless asked to.
    pub fn check_free(&self, overwrite: bool) -> Outcome<()> {
        let mut there = self.jobs.iter().map(|job| &job.out).filter(|out| out.exists());
        match there.next() {
            Some(first) if self.is_many && !overwrite => {
                let more = match there.count() {
                    0 => String::new(),
                    more => format!(", and so are {more} more"),
                };
                Err(Failure::usage(format!(
                    "{} is there already{more}; name another folder, or add --overwrite",
                    first.display()
                )))
            }
            _ => Ok(()),
        }
    }

    /// A folder that was made for nothing goes again; one that was there, or has something in it, stays.
    fn unmade(&self, failure: Failure) -> Failure {
        let _ = self.made.as_ref().map(fs::remove_dir);
        failure
    }

    fn listed(source: &Path, out: &Path) -> Outcome<Self> {
        let pattern = source.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_pattern = !source.exists() && pattern.as_ref().is_some_and(|name| name.contains(['*', '?']));
        if !source.is_dir() && !is_pattern {
            let jobs = vec![Job { source: source.to_path_buf(), out: out.to_path_buf() }];
            return Ok(Batch { jobs, is_many: false, made: None });
        }
        let folder = match source.parent() {
            Some(parent) if is_pattern && parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) if is_pattern => parent,
            _ => source,
        };
        let refuse = |path: &Path, what: &str| Failure::new(format!("{}: {what}", path.display()));
        let entries = fs::read_dir(folder)
            .map_err(|error| refuse(folder, &format!("cannot be looked into ({})", error.kind())))?;
        let is_meant = |path: &Path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let listed = pattern.as_deref().filter(|_| is_pattern).is_none_or(|pattern| fits(pattern, &name));
            path.is_file() && is_picture(path) && listed && !name.starts_with('.')
        };
        let mut sources: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_meant(path)).collect();
        sources.sort();
        if sources.is_empty() {
            return Err(refuse(source, "no pictures there; they end in .png, .jpg, .tif, .webp or .bmp"));
        }
        if out.is_file() {
            return Err(refuse(out, "is a file; name a folder for the results"));
        }
        let made = (!out.exists()).then(|| out.to_path_buf());
        if made.is_some() {
            fs::create_dir(out).map_err(|error| {
                refuse(out, &format!("the folder cannot be made ({}); name another place", error.kind()))
            })?;
        }
        let same =
            |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(folder, out) {
            return Err(refuse(out, "is the folder of the sources; name another one"));
        }
        let job = |source: PathBuf| {
            let out = out.join(source.file_name().unwrap_or_default());
            Job { source, out }
        };
        Ok(Batch { jobs: sources.into_iter().map(job).collect(), is_many: true, made })
    }

    /// Runs all jobs. What is wrong with one of many is told and counted, and does not stop the others.
    pub fn run<T>(&self, quiet: bool, work: impl Fn(&Job) -> Outcome<T>) -> Outcome<(Vec<T>, usize)> {
        if !self.is_many {
            return Ok((self.jobs.iter().map(work).collect::<Outcome<_>>()?, 0));
        }
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} pictures, {msg}, {elapsed}");
        let bar = ProgressBar::with_draw_target(Some(self.jobs.len() as u64), target)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (mut done, mut failed) = (Vec::new(), 0);
        for job in &self.jobs {
            bar.set_message(job.source.file_name().unwrap_or_default().to_string_lossy().into_owned());
            match work(job) {
                Ok(result) => done.push(result),
                Err(failure) => {
                    failed += 1;
                    bar.suspend(|| printer::complain(&failure));
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        if done.is_empty() {
            return Err(self.unmade(Failure::new(match self.jobs.len() {
                1 => "the only picture failed".to_string(),
                many => format!("all {many} pictures failed"),
            })));
        }
        Ok((done, failed))
    }
}
