//! `swgg otdd`: data sets in, the distances between all of them out.

mod files;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use swgg::ndarray::Array2;
use swgg::question::Sizes;
use swgg::setting::Settings as OwnSettings;
use swgg::{Run, Stop};
use swgg_apps::otdd::{DataSet, LabelDistance, Settings, linkage, otdd_matrix, outer_solver};
use swgg_io::Output;

use self::files::Loaded;
use crate::args::{Otdd, Typed};
use crate::exit::{self, Failure, Outcome};
use crate::figure::{Drawing, Heat};
use crate::interrupt::{self, Phase};
use crate::method::{file_value, misfit, typed_value};
use crate::outputs::{check_places, ending};
use crate::page::{self, HeatMap, Page, PageFile};
use crate::printer;
use crate::progress::SearchBar;
use crate::report::{self, OtddReport, Report, SetReport};
use crate::seconds::Seconds;

pub fn run(args: &Otdd) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    check(args)?;
    let page = PageFile::check(args.report.as_deref())?;
    let loaded = files::read(args)?;
    let settings = Settings { label_distance: label_distance(args, loaded.dim)?, power: power(args) };
    let solver = outer_solver(&args.method, &own(args.of_method())?)?;
    let run = Run {
        seed: args.search.seed,
        bounds: !args.no_bounds,
        gap: args.gap,
        ..Run::on_threads(args.search.threads)
    };
    let largest = loaded.sets.iter().map(DataSet::len).max().unwrap_or(1);
    let sizes = Sizes { n: largest, m: largest, d: loaded.dim + 1 };
    solver.validate(sizes)?;
    if let Some(why) = misfit(solver.estimate(sizes, &run)) {
        return Err(Failure::usage(format!("--method {} {why}; take fewer --samples", args.method)));
    }
    let mut seconds = Seconds::read_since(started);
    let mut bar = SearchBar::new(args.print.quiet).counting("problems");
    interrupt::enter(Phase::Searching);
    let found =
        seconds.time("solve", || otdd_matrix(&loaded.sets, &settings, &*solver, &mut run.watched(&mut bar)));
    interrupt::enter(Phase::Writing);
    drop(bar);
    let found = found?;
    let Loaded { sets, names, class_names, notes, dim } = loaded;
    let told = |k: usize| SetReport {
        name: names[k].clone(),
        n: sets[k].len(),
        labels: class_names[k].clone(),
        class_sizes: sets[k].class_sizes(),
    };
    let told = (0..sets.len()).map(told).collect();
    let joins = linkage(&found.matrix);
    let mut report = OtddReport::new(&found, told, dim, (args, &settings), seconds);
    report.notes = notes;
    report.with_tree(joins.as_deref());
    if let Some(path) = &args.picture {
        let writing = Instant::now();
        draw(path, &found.matrix, &report, joins)?;
        report.seconds["write"] = writing.elapsed().as_secs_f64();
    }
    if let Some(file) = page {
        let writing = Instant::now();
        file.write(&page_of(&found.matrix, &report))?.commit()?;
        report.page = Some(file.told());
        report.seconds["write"] += writing.elapsed().as_secs_f64();
    }
    report::print(&args.print, &report)?;
    let is_short = matches!(found.stop, Stop::Interrupted | Stop::TimeLimit);
    Ok(if is_short { exit::SHORT } else { exit::DONE })
}

/// What needs no file is refused before any is read.
fn check(args: &Otdd) -> Outcome<()> {
    if args.sets.len() < 2 {
        let file = args.sets[0].display();
        return Err(Failure::usage(format!("found one data set, {file}; a distance is between at least 2")));
    }
    let wrong = |flag: &str, count: Option<usize>| match count {
        Some(found) if found != args.sets.len() => Err(Failure::usage(format!(
            "{flag} names {found} for {} data sets; give one for each",
            args.sets.len()
        ))),
        _ => Ok(()),
    };
    wrong("--labels", args.labels.as_ref().map(Vec::len))?;
    wrong("--names", args.names.as_ref().map(Vec::len))?;
    if args.samples == Some(0) {
        return Err(Failure::usage("--samples is 0; ask for at least 1"));
    }
    if let Some(gap) = args.gap.filter(|gap| !(*gap > 0.0 && gap.is_finite())) {
        let gap = printer::plain(gap);
        return Err(Failure::usage(format!("--gap is {gap}; give a share above 0, such as 0.01 for 1 %")));
    }
    for (flag, is_given) in [("--effort", args.effort.is_some()), ("--gap", args.gap.is_some())] {
        if is_given && args.method != "auto" {
            return Err(Failure::foreign(flag, ("method", &args.method), &["auto"]));
        }
    }
    if let Some(path) = &args.picture {
        ending("--picture", path, &["svg", "png"])?;
    }
    let places: Vec<&Path> = args.picture.iter().chain(&args.report).map(PathBuf::as_path).collect();
    check_places(&places, args.files())?;
    // Settings of the labels that are not in files; directions of a file are looked at when the dimension is known.
    let mut settings = own(args.of_labels())?;
    for given in args.search.given.of(None) {
        if let Some(value) = typed_value(given.typed) {
            settings.set(given.setting, value)?;
        }
    }
    LabelDistance::build(args.label_distance.name, &settings)?;
    Ok(())
}

fn power(args: &Otdd) -> f64 {
    if args.power == "2" { 2.0 } else { 1.0 }
}

fn own(given: Vec<(&'static swgg::setting::Setting, swgg::setting::Value)>) -> Outcome<OwnSettings> {
    let mut settings = OwnSettings::new();
    for (setting, value) in given {
        settings.set(setting, value)?;
    }
    Ok(settings)
}

/// The distance between labels with all its settings.
fn label_distance(args: &Otdd, dim: usize) -> Outcome<LabelDistance> {
    let mut settings = own(args.of_labels())?;
    let sizes = Sizes { n: 1, m: 1, d: dim };
    for given in args.search.given.of(None) {
        let value = match given.typed {
            Typed::File(path) => file_value(given.setting, path, sizes, args.print.quiet)?,
            typed => typed_value(typed).ok_or_else(|| Failure::usage("a setting without a value"))?,
        };
        settings.set(given.setting, value)?;
    }
    Ok(LabelDistance::build(args.label_distance.name, &settings)?)
}

/// The matrix, and all that the summary says.
fn page_of(matrix: &Array2<f64>, report: &OtddReport) -> Page {
    let names: Vec<String> = report.sets.iter().map(|set| set.name.clone()).collect();
    let values: Vec<Vec<f64>> = matrix.rows().into_iter().map(|row| row.to_vec()).collect();
    let lead = match &report.sets[..] {
        [a, b] => format!("How far {} and {} are apart, points and labels together.", a.name, b.name),
        all => format!("How far {} data sets are apart, points and labels together.", all.len()),
    };
    let map = HeatMap { names: &names, values: &values, about: "The larger, the further apart." };
    page::matrix(&report.summary(), lead, &map, (report.seed, report.threads))
}

fn draw(
    path: &Path,
    matrix: &Array2<f64>,
    report: &OtddReport,
    joins: Option<Vec<swgg_apps::otdd::Join>>,
) -> Outcome<()> {
    let names = report.sets.iter().map(|set| set.name.clone()).collect();
    let picture =
        Heat { title: report.title(), names, matrix: matrix.clone(), joins: joins.unwrap_or_default() };
    let bytes = match ending("--picture", path, &["svg", "png"])? {
        "svg" => picture.svg()?.into_bytes(),
        _ => picture.png()?,
    };
    let mut output = Output::create(path)?;
    let refuse = |error| Failure::new(format!("{}: {error}", path.display()));
    output.write_all(&bytes).map_err(refuse)?;
    Ok(output.commit()?)
}
