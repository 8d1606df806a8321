//! `swgg interpolate`: the clouds on the way from one to the other.

use std::path::{Path, PathBuf};
use std::time::Instant;

use swgg::paper::Geodesic;
use swgg::solver::PlanKind;
use swgg::solver::settings::{DISCARD_COST, MASS, MASS_SOURCE, MASS_TARGET};
use swgg::{Measure, Scalar, Stop};
use swgg_io::{Format, Output, write_cloud, write_vector};

use super::solve::transport;
use crate::args::Interpolate;
use crate::exit::{self, Failure, Outcome};
use crate::figure::{Moves, drawn};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::method::Chosen;
use crate::new_directory::NewDirectory;
use crate::outputs::{check_places, ending};
use crate::page::{self, PageFile};
use crate::progress::Spinner;
use crate::report::{self, InterpolationReport, TransportReport};

pub fn run(args: &Interpolate) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    if args.steps < 2 {
        return Err(Failure::new(format!("--steps {} is too few; both ends need 2", args.steps)));
    }
    let chosen = Chosen::new(&args.how, false)?;
    if chosen.method.plan != PlanKind::Plan {
        return Err(Failure::usage(format!(
            "--method {} has no plan between the points to follow; leave it out, or use --method auto",
            chosen.method.name
        )));
    }
    let part = [MASS, MASS_SOURCE, MASS_TARGET, DISCARD_COST];
    if let Some(part) = part.iter().find(|setting| args.how.given.number(setting).is_some()) {
        return Err(Failure::usage(format!(
            "--{} leaves mass where it is, and a geodesic moves all of it; leave it out",
            part.flag
        )));
    }
    let page = PageFile::check(args.report.as_deref())?;
    let picture = args.picture.as_deref();
    picture.map(|path| ending("--picture", path, &["svg", "png"])).transpose()?;
    let places: Vec<&Path> = picture.into_iter().chain(page.map(|page| page.path)).collect();
    check_places(&places, args.clouds.files().chain(args.how.given.files()))?;
    // Made and dropped: a place that cannot be written to should be known before the work. Kept, it would be left behind by
    // a Ctrl-C before there is anything to write.
    drop(NewDirectory::create(&args.out)?);
    let files = Files::read(&args.clouds, args.print.quiet)?;
    let names = files.names();
    with_measures!(files, &args.clouds, |source, target| {
        finish(args, &chosen, (names, page), [source, target], started)
    })
}

fn finish<T: Scalar>(
    args: &Interpolate,
    chosen: &Chosen<'_>,
    (names, page): (Option<&[String]>, Option<PageFile<'_>>),
    [source, target]: [&Measure<'_, T>; 2],
    started: Instant,
) -> Outcome<u8> {
    let (found, seconds) = transport(chosen, [source, target], args.print.quiet, started)?;
    let coupling = found.plan()?;

    let writing = Instant::now();
    let curve = Geodesic::new(source, target, coupling.clone())?;
    let mut transport =
        TransportReport::new(&found, [source, target], (args.how.seed, args.how.threads), seconds);
    let mut written = Vec::new();
    let mut also = String::new();
    if let Some(path) = &args.picture {
        written.push(drawn(path, &Moves::new([source, target], &found)?)?);
        also += &format!("Picture written to {}\n", path.display());
    }
    if let Some(file) = &page {
        written.push(file.write(&page::transport([source, target], &found, &transport)?)?);
        also += &file.told();
    }
    let directory = NewDirectory::create(&args.out)?;
    let files = write_steps(args, &directory, names, &curve, source.dim())?;
    let files = directory.commit(files)?;
    written.into_iter().try_for_each(Output::commit)?;
    transport.seconds["write"] = writing.elapsed().as_secs_f64();

    let out = args.out.display().to_string();
    let report =
        InterpolationReport { transport, steps: args.steps, files, pieces: coupling.len(), out, also };
    report::print(&args.print, &report)?;
    Ok(if found.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// Writes every cloud into the directory and returns the names of the files.
fn write_steps<T: Scalar>(
    args: &Interpolate,
    directory: &NewDirectory,
    names: Option<&[String]>,
    curve: &Geodesic<T>,
    dim: usize,
) -> Outcome<Vec<PathBuf>> {
    let _spinner = Spinner::new("writing".to_string(), args.print.quiet);
    let (last, extension) = (args.steps - 1, &args.format);
    let digits = last.to_string().len();
    let mut files = Vec::with_capacity(args.steps);
    for step in 0..args.steps {
        let cloud = curve.at(step as f64 / last as f64)?;
        let file = PathBuf::from(format!("step_{step:0digits$}.{extension}"));
        let format = Format::from_path(&file)?;
        directory.write(&file, |output| write_cloud(output, format, dim, cloud.points(), names))?;
        files.push(file);
        if step == last
            && let Some(weights) = cloud.weights()
        {
            let file = PathBuf::from(InterpolationReport::WEIGHTS);
            directory.write(&file, |output| write_vector(output, weights))?;
            files.push(file);
        }
    }
    Ok(files)
}
