//! `swgg flow`: particles along the gradient of a loss.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use swgg::ndarray::Array2;
use swgg::setting::Settings;
use swgg::{Measure, Parallelism, Question, Scalar, Stop};
use swgg_apps::flow::{self, Loss, Optimizer, Snapshot, flow_watched};
use swgg_io::{Format, Output, write_cloud};

use crate::args::{Flow, FlowFlags, Typed};
use crate::exit::{self, Failure, Outcome};
use crate::figure::{Drawing, Paths};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::method::{file_value, typed_value};
use crate::new_directory::NewDirectory;
use crate::outputs::{check_places, ending};
use crate::page::{self, PageFile};
use crate::progress::{SearchBar, Spinner};
use crate::report::{self, FlowReport};
use crate::seconds::Seconds;

/// Clouds that are kept beside the first, unless told otherwise.
const KEPT: usize = 20;

pub fn run(args: &Flow) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    settings(args, Loss::default())?.validate()?;
    let picture = args.picture.as_deref();
    if let Some(path) = picture {
        ending("--picture", path, &["svg", "png"])?;
    }
    let page = PageFile::check(args.report.as_deref())?;
    let places: Vec<&Path> = picture.into_iter().chain(page.map(|page| page.path)).collect();
    check_places(&places, args.clouds.files().chain(args.search.given.files()))?;
    if let Some(out) = &args.out {
        // Made and dropped, as for interpolate: known before the work, and not left behind by a Ctrl-C.
        drop(NewDirectory::create(out)?);
    }
    let files = Files::read(&args.clouds, args.print.quiet)?;
    let names = files.names();
    with_measures!(files, &args.clouds, |source, target| {
        finish(args, (names, page), [source, target], started)
    })
}

/// All settings but those of the loss.
fn settings(args: &Flow, loss: Loss) -> Outcome<flow::Settings> {
    let optimizer = args.search.given.of(None).into_iter().find(|given| given.flag == FlowFlags::OPTIMIZER);
    let optimizer = match optimizer.map(|given| given.typed) {
        Some(Typed::Word(name)) => Optimizer::from_name(name)?,
        _ => Optimizer::Adam,
    };
    let is_kept = args.out.is_some() || args.picture.is_some() || args.report.is_some();
    let every = args.every.unwrap_or_else(|| args.steps.div_ceil(KEPT).max(1));
    Ok(flow::Settings {
        loss,
        steps: args.steps,
        rate: args.rate,
        optimizer,
        every: (is_kept || args.every == Some(0)).then_some(every),
        exact_every: args.exact_every,
        seed: args.search.seed,
        parallelism: Parallelism::from_count(args.search.threads),
    })
}

/// The loss with its settings, some of which may be in files.
fn loss<T: Scalar>(args: &Flow, [source, target]: [&Measure<'_, T>; 2]) -> Outcome<Loss> {
    let sizes = Question::new(source, target)?.sizes();
    let mut settings = Settings::new();
    for given in args.search.given.of(None) {
        let value = match given.typed {
            _ if given.flag == FlowFlags::OPTIMIZER => continue,
            Typed::File(path) => file_value(given.setting, path, sizes, args.print.quiet)?,
            typed => typed_value(typed).ok_or_else(|| Failure::usage("a setting without a value"))?,
        };
        settings.set(given.setting, value)?;
    }
    for (setting, value) in args.own_settings() {
        settings.set(setting, value)?;
    }
    if args.cold && !matches!(args.loss.name, "min-swgg" | "max-sw") {
        return Err(Failure::foreign("--cold", ("loss", args.loss.name), &["min-swgg", "max-sw"]));
    }
    Ok(Loss::build(args.loss.name, &settings, !args.cold)?)
}

fn finish<T: Scalar>(
    args: &Flow,
    (names, page): (Option<&[String]>, Option<PageFile<'_>>),
    [source, target]: [&Measure<'_, T>; 2],
    started: Instant,
) -> Outcome<u8> {
    let settings = settings(args, loss(args, [source, target])?)?;
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    interrupt::enter(Phase::Searching);
    let mut bar = SearchBar::new(args.print.quiet).counting("steps");
    let found = flow_watched(source, target, &settings, &mut bar)?;
    drop(bar);
    interrupt::enter(Phase::Writing);
    seconds["solve"] = solving.elapsed().as_secs_f64();
    seconds["exact"] = found.seconds[1];

    let mut report = FlowReport {
        loss: settings.loss.name(),
        search: found.search,
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        steps: found.steps,
        rate: settings.rate,
        optimizer: settings.optimizer.name(),
        cost: found.story.last().map(|step| step.loss),
        distance: found.w2(),
        losses: found.story.iter().map(|step| step.loss).collect(),
        distances: found.story.iter().map(|step| step.w2).collect(),
        seed: settings.seed,
        threads: settings.parallelism.threads(),
        stop: found.stop.name(),
        files: Vec::new(),
        picture: None,
        page: page.map(|page| page.told()),
        seconds,
    };
    let writing = Instant::now();
    let page = match &page {
        Some(file) => Some(file.write(&page::flow([source, target], &found.snapshots, &report)?)?),
        None => None,
    };
    if let Some(out) = &args.out {
        let _spinner = Spinner::new("writing".to_string(), args.print.quiet);
        report.files = write_clouds(args, out, names, &found.snapshots, &report)?;
    }
    if let Some(path) = &args.picture {
        draw(path, &found.snapshots, target, &report)?;
        report.picture = Some(path.display().to_string());
    }
    page.map(Output::commit).transpose()?;
    report.seconds["write"] = writing.elapsed().as_secs_f64();
    report::print(&args.print, &report)?;
    Ok(if found.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// Writes the clouds that were kept and the story beside them; returns the names of the files.
fn write_clouds(
    args: &Flow,
    out: &Path,
    names: Option<&[String]>,
    snapshots: &[Snapshot],
    report: &FlowReport,
) -> Outcome<Vec<String>> {
    let directory = NewDirectory::create(out)?;
    let digits = args.steps.to_string().len();
    let mut files = Vec::with_capacity(snapshots.len() + 1);
    for Snapshot { step, points } in snapshots {
        let file = PathBuf::from(format!("step_{step:0digits$}.{}", args.format));
        let format = Format::from_path(&file)?;
        let rows = numbers(points);
        directory.write(&file, |output| write_cloud(output, format, points.ncols(), &rows, names))?;
        files.push(file);
    }
    let story = PathBuf::from(FlowReport::STORY);
    let text = report::csv(report);
    directory.write(&story, |output| output.write_with(|output| output.write_all(text.as_bytes())))?;
    files.push(story);
    directory.commit(files)
}

fn numbers(points: &Array2<f64>) -> Vec<f64> {
    points.iter().copied().collect()
}

fn draw<T: Scalar>(
    path: &Path,
    snapshots: &[Snapshot],
    target: &Measure<'_, T>,
    report: &FlowReport,
) -> Outcome<()> {
    let target: Vec<f64> = target.points().iter().map(|x| x.to_f64()).collect();
    let clouds = snapshots.iter().map(|snapshot| numbers(&snapshot.points)).collect();
    let picture = Paths::new(report.d, clouds, target, report.curve(), report.title());
    let bytes = match ending("--picture", path, &["svg", "png"])? {
        "svg" => picture.svg()?.into_bytes(),
        _ => picture.png()?,
    };
    let mut output = Output::create(path)?;
    let refuse = |error| Failure::new(format!("{}: {error}", path.display()));
    output.write_all(&bytes).map_err(refuse)?;
    Ok(output.commit()?)
}
