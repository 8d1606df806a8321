//! `swgg register`: the motion that brings one cloud onto another.

mod outputs;
mod scan;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use swgg::ndarray::ArrayView2;
use swgg::solver::Estimate;
use swgg::{Measure, Observe, Parallelism, Progress};
use swgg_apps::registration::{
    self, Confidence, Group, Matching, Motion, Overlap, Registration, Settings, Start, Stop, align_watched,
};
use swgg_io::{ReadOptions, read_cloud};

use self::outputs::Outputs;
use self::scan::Scans;
use crate::args::{OverlapShare, Register, StartPose};
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::method::misfit;
use crate::page;
use crate::printer::warn;
use crate::progress::{SearchBar, Spinner};
use crate::report::{self, RegistrationReport, Report, Written};
use crate::seconds::Seconds;

pub fn run(args: &Register) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let matching = matching(args)?;
    let outputs = Outputs::check(args)?;
    let scans = Scans::read(args)?;
    if !args.print.quiet {
        scans.source.tell_dropped(args.out.as_deref());
        scans.target.tell_dropped(None);
    }
    let (source, target) = (scans.source.measure()?, scans.target.measure()?);
    if source.dim() == target.dim() {
        outputs.check_dim(source.dim())?;
    }
    check_sizes(&source, &target)?;
    let settings = Settings {
        start: start(args, source.dim())?,
        matching,
        group: match (args.orthogonal, args.similarity) {
            (true, _) => Group::Orthogonal,
            (_, true) => Group::Similarity,
            _ => Group::Rigid,
        },
        overlap: match args.overlap {
            OverlapShare::Auto => Overlap::Auto,
            OverlapShare::Share(share) => Overlap::Share(share),
        },
        max_steps: args.max_steps,
        tolerance: args.tolerance,
        seed: args.seed,
        parallelism: Parallelism::from_count(args.threads),
    };
    let read = started.elapsed().as_secs_f64();

    interrupt::enter(Phase::Searching);
    let mut bar = Bar::new(args.print.quiet);
    let found = align_watched(&source, &target, &settings, &mut bar)?;
    drop(bar);
    interrupt::enter(Phase::Writing);

    let writing = Instant::now();
    let sides = [&scans.source, &scans.target].map(|scan| (scan.len(), scan.dropped));
    let page = || {
        let seconds = seconds_of(read, &found, 0.0);
        let summary = RegistrationReport::new(args, sides, &found, Written::default(), seconds).summary();
        let run = (args.seed, Parallelism::from_count(args.threads).threads());
        page::registration([&source, &target], &found, &summary, run)
    };
    let written = outputs.write(args, &scans, &found, page)?;
    if !written.left_out.is_empty() && !args.print.quiet {
        let out = args.out.as_deref().unwrap_or(Path::new("")).display();
        warn(&format!("not in {out}: {}", written.left_out.join(", ")));
    }
    let seconds = seconds_of(read, &found, writing.elapsed().as_secs_f64());
    let ending = hint(args, &found) + &outputs.told(&written);
    let mut report = RegistrationReport::new(args, sides, &found, written, seconds);
    report.ending = ending;
    report::print(&args.print, &report)?;
    Ok(if found.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// What may help where clouds that need not overlap were taken for ones that do.
fn hint(args: &Register, found: &Registration) -> String {
    let whole = matches!(args.overlap, OverlapShare::Share(1.0)) && !args.matching.is_whole();
    match found.confidence {
        Confidence::Doubtful { .. } | Confidence::NotFound { .. } | Confidence::Unlike { .. } if whole => {
            "\nIf only a part of one cloud is in the other, add --overlap auto.\n".to_string()
        }
        _ => String::new(),
    }
}

fn seconds_of(read: f64, found: &Registration, write: f64) -> Seconds {
    let (start, iterate) = (found.seconds.start, found.seconds.iterate);
    Seconds::new([("read", read), ("start", start), ("iterate", iterate), ("write", write)])
}

/// Refuses what has no motion, or whose motion does not fit into memory, before a matrix of `d x d` is made.
fn check_sizes(source: &Measure<'_, f64>, target: &Measure<'_, f64>) -> Outcome<()> {
    let dim = source.dim();
    for (cloud, measure) in [("source", source), ("target", target)] {
        // Dimensions that differ are told by whoever aligns.
        if measure.dim() == dim && measure.len() < dim + 1 {
            let (found, expected) = (measure.len(), dim + 1);
            return Err(registration::Error::TooFewPoints { cloud, found, dim, expected }.into());
        }
    }
    /// Matrices of `d x d` that are held at once.
    const MATRICES: f64 = 12.0;
    let bytes = 8.0 * MATRICES * (dim as f64).powi(2);
    match misfit(Estimate { seconds: 0.0, bytes }) {
        Some(why) => Err(Failure::usage(format!(
            "a motion in dimension {dim} {why}; --columns picks fewer coordinates"
        ))),
        None => Ok(()),
    }
}

fn matching(args: &Register) -> Outcome<Matching> {
    let whole = matches!(args.overlap, OverlapShare::Share(1.0));
    let in_part = args.matching == Matching::Exact && matches!(args.overlap, OverlapShare::Share(_));
    if !whole && args.matching.is_whole() && !in_part {
        return Err(Failure::usage(format!(
            "--matching {} gives every point a counterpart, --overlap says that some have none; leave one out",
            args.matching.name()
        )));
    }
    match args.directions {
        None => Ok(args.matching),
        Some(directions) => match args.matching.with_directions(directions) {
            None => Err(Failure::foreign("--directions", ("matching", args.matching.name()), &["min-swgg"])),
            Some(_) if directions == 0 => {
                Err(Failure::usage("--directions 0 leaves nothing to try; give at least 1"))
            }
            Some(matching) => Ok(matching),
        },
    }
}

fn start(args: &Register, dim: usize) -> Outcome<Start> {
    let path = match &args.start {
        StartPose::Global => return Ok(Start::Global),
        StartPose::Identity => return Ok(Start::At(Motion::identity(dim))),
        StartPose::File(path) => path,
    };
    // A name with an ending is meant to be a file, and whoever reads it says that it is missing.
    if !path.exists() && path.extension().is_none() {
        return Err(Failure::usage(format!(
            "--start {} is neither global nor identity, and no file of that name is there; give one with a homogeneous matrix \
             (.txt, .csv or .npy, as --transform writes it)",
            path.display()
        )));
    }
    // Without the hint at --columns, which are not those of a matrix.
    let cloud = read_cloud(path, &ReadOptions::default()).map_err(|error| Failure::new(error.to_string()))?;
    let refuse = |error: String| Failure::new(format!("{}: {error}", path.display()));
    let values = cloud.to_f64();
    let matrix = ArrayView2::from_shape((cloud.rows(), cloud.columns()), &values)
        .map_err(|error| refuse(error.to_string()))?;
    Motion::from_matrix(matrix).map(Start::At).map_err(|error| refuse(error.to_string()))
}

/// A spinner while the start is looked for, then a bar over the steps.
struct Bar {
    quiet: bool,
    spinner: Option<Spinner>,
    steps: Option<SearchBar>,
}

impl Bar {
    fn new(quiet: bool) -> Self {
        Bar { quiet, spinner: Some(Spinner::new("looking for a start".to_string(), quiet)), steps: None }
    }
}

impl Observe for Bar {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        drop(self.spinner.take());
        let bar = || SearchBar::new(self.quiet).counting("steps");
        self.steps.get_or_insert_with(bar).progress(progress)
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(interrupt::flag())
    }
}
