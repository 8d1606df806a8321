//! `swgg solve`: two clouds in, a plan out.

use std::path::Path;
use std::time::Instant;

use swgg::answer::Fact;
use swgg::solver::{Method, PlanKind, build};
use swgg::{CostIs, Coupling, Measure, Question, Scalar, Stop, Transport};
use swgg_io::{Format, Output, PlanFormat, write_cloud, write_plan, write_vector};

use crate::args::{Clouds, Solve};
use crate::exit::{self, Failure, Outcome};
use crate::figure::{Moves, drawn};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::method::Chosen;
use crate::outputs::{check_places, cloud_format, ending, plan_format};
use crate::page::{self, PageFile};
use crate::progress::Spinner;
use crate::report::{self, TransportReport};
use crate::seconds::Seconds;

pub fn run(args: &Solve) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let chosen = Chosen::new(&args.how, args.costs.is_some())?;
    let mut outputs = Outputs::check(args, chosen.method)?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    outputs.check_dim(files.dim())?;
    outputs.names = files.names().map(<[String]>::to_vec);
    with_measures!(files, &args.clouds, |source, target| {
        finish(args, &chosen, &outputs, [source, target], started)
    })
}

/// Any method with a progress bar that Ctrl-C can end, and the lower bound.
pub fn transport<T: Scalar>(
    chosen: &Chosen<'_>,
    [source, target]: [&Measure<'_, T>; 2],
    quiet: bool,
    started: Instant,
) -> Outcome<(Transport, Seconds)> {
    let sizes = Question::new(source, target)?.sizes();
    // What does not fit is refused before any further file is read.
    chosen.check(&*build::<T>(chosen.method, &chosen.typed_settings()?)?, sizes, quiet)?;
    let settings = chosen.settings(sizes, quiet)?;
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    let found = chosen.solve(&settings, source, target, quiet)?;
    seconds["bound"] = found.bound_seconds;
    seconds["solve"] = solving.elapsed().as_secs_f64() - seconds["bound"];
    Ok((found, seconds))
}

fn finish<T: Scalar>(
    args: &Solve,
    chosen: &Chosen<'_>,
    outputs: &Outputs,
    [source, target]: [&Measure<'_, T>; 2],
    started: Instant,
) -> Outcome<u8> {
    let quiet = args.print.quiet;
    let (found, seconds) = transport(chosen, [source, target], quiet, started)?;
    if args.plan.is_some() && found.coupling.is_none() {
        return Err(Failure::new(format!(
            "--method {}: its plan has too many entries to hold; leave --plan out (--map writes its map), or use \
             --method auto",
            found.method
        )));
    }
    let writing = Instant::now();
    let mut report =
        TransportReport::new(&found, [source, target], (args.how.seed, args.how.threads), seconds);
    outputs.write(&found, [source, target], &report, quiet)?;
    report.seconds["write"] = writing.elapsed().as_secs_f64();
    let is_listed = report.search.as_deref() == Some("listed");
    if let Some(Fact::Series(costs)) = found.fact("costs").filter(|_| is_listed) {
        report.costs = Some(costs.clone());
    }
    report.ending = outputs.next(args, &report);
    report::print(&args.print, &report)?;
    Ok(if found.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// Refuses outputs that the method does not have.
fn refuse_missing(args: &Solve, method: &Method) -> Outcome<()> {
    let (plan, map) = (args.plan.is_some(), args.map.is_some());
    let refuse = |what: &str| Err(Failure::usage(format!("--method {} {what}", method.name)));
    match method.plan {
        PlanKind::Map if plan => refuse(
            "has no plan between the points; leave --plan out (--map writes its map), or use --method exact",
        ),
        PlanKind::Neither if plan || map => {
            let flag = if plan { "--plan" } else { "--map" };
            refuse(&format!(
                "has no plan between the clouds; leave {flag} out, or use --method exact, which has one"
            ))
        }
        _ => Ok(()),
    }
}

/// The files a solve was asked to write, checked before the work starts.
struct Outputs<'a> {
    method: &'static Method,
    plan: Option<(&'a Path, PlanFormat)>,
    map: Option<(&'a Path, Format)>,
    names: Option<Vec<String>>,
    costs: Option<&'a Path>,
    picture: Option<&'a Path>,
    page: Option<PageFile<'a>>,
}

impl<'a> Outputs<'a> {
    fn check(args: &'a Solve, method: &'static Method) -> Outcome<Self> {
        refuse_missing(args, method)?;
        let format = |path: &'a Path| plan_format(path).map(|format| (path, format));
        let plan = args.plan.as_deref().map(format).transpose()?;
        args.costs.as_ref().map(|path| ending("--costs", path, &["npy"])).transpose()?;
        let as_cloud = |path: &'a Path| cloud_format("--map", path).map(|format| (path, format));
        let map = args.map.as_deref().map(as_cloud).transpose()?;
        let picture = args.picture.as_deref();
        picture.map(|path| ending("--picture", path, &["svg", "png"])).transpose()?;
        let costs = args.costs.as_deref();
        let outputs = Outputs {
            method,
            plan,
            map,
            names: None,
            costs,
            picture,
            page: PageFile::check(args.report.as_deref())?,
        };
        let (plan, page) = (outputs.plan.map(|plan| plan.0), outputs.page.map(|page| page.path));
        let paths: Vec<&Path> = [plan, outputs.map.map(|map| map.0), outputs.costs, picture, page]
            .into_iter()
            .flatten()
            .collect();
        check_places(&paths, args.clouds.files().chain(args.how.given.files()))?;
        Ok(outputs)
    }

    /// Refuses a map in a format that has no place for points in this dimension.
    fn check_dim(&self, d: usize) -> Outcome<()> {
        match self.map.filter(|(_, format)| !format.holds_dimension(d)) {
            Some((path, format)) => Err(Failure::usage(format!(
                "--map {}: a .{format} file has no place for points in dimension {d}; write .csv, .npy or .parquet",
                path.display()
            ))),
            None => Ok(()),
        }
    }

    fn write<T: Scalar>(
        &self,
        found: &Transport,
        [source, target]: [&Measure<'_, T>; 2],
        report: &TransportReport,
        quiet: bool,
    ) -> Outcome<()> {
        let _spinner = Spinner::new("writing".to_string(), quiet);
        let mut written = Vec::new();
        if let (Some((path, format)), Some(coupling)) = (self.plan, &found.coupling) {
            let entries = coupling.entries().map(|(i, j, mass)| (i as u32, j as u32, mass));
            written.push(write_plan(Output::create(path)?, format, source.len(), target.len(), entries)?);
        }
        if let Some((path, format)) = self.map {
            let average = |coupling: &Coupling| -> Outcome<Vec<f64>> {
                Ok(coupling.barycentric_map(source, target)?.into_raw_vec_and_offset().0)
            };
            let averages = found.coupling.as_ref().map(average).transpose()?;
            let image = found.image.as_ref().and_then(|image| image.as_slice());
            if let Some(map) = averages.as_deref().or(image) {
                let names = self.names.as_deref();
                written.push(write_cloud(Output::create(path)?, format, source.dim(), map, names)?);
            }
        }
        if let (Some(path), Some(Fact::Series(costs))) = (self.costs, found.fact("costs")) {
            written.push(write_vector(Output::create(path)?, costs)?);
        }
        if let Some(path) = self.picture {
            written.push(drawn(path, &Moves::new([source, target], found)?)?);
        }
        if let Some(file) = &self.page {
            written.push(file.write(&page::transport([source, target], found, report)?)?);
        }
        // All are on the disk before the first takes its place: a full disk leaves none of them.
        written.into_iter().try_for_each(Output::commit)?;
        Ok(())
    }

    /// What was written, or where to go next.
    fn next(&self, args: &Solve, report: &TransportReport) -> String {
        let mut text = String::from("\n");
        if let Some((path, _)) = self.plan {
            text += &format!("Plan written to {}\n", path.display());
        }
        for (what, path) in [("Map", self.map.map(|map| map.0)), ("Costs", self.costs)] {
            if let Some(path) = path {
                text += &format!("{what} written to {}\n", path.display());
            }
        }
        if let Some(path) = self.picture {
            text += &format!("Picture written to {}\n", path.display());
        }
        if let Some(file) = &self.page {
            text += &file.told();
        }
        let looked_at = self.picture.is_some() || self.page.is_some();
        if self.plan.is_none() && self.map.is_none() && !looked_at {
            text += if self.costs.is_some() { "\n" } else { "" };
            text += match self.method.plan {
                PlanKind::Neither => "Next: add --json for scripts",
                PlanKind::Map => "Next: add --map moved.npy for where points go, --json for scripts",
                PlanKind::Plan => "Next: add --plan plan.csv for who goes where, --json for scripts",
            };
            // Somebody who pressed Ctrl-C does not want to wait longer.
            let improvable = report.cost_is != CostIs::Optimal && report.stop != Stop::Interrupted.name();
            text += &match (self.method.name, report.effort.filter(|_| improvable)) {
                ("min-swgg", _) => interpolation(args),
                (_, Some(effort @ ..10)) => {
                    let more = (effort + 3).min(10);
                    format!(",\n  --effort {more} for a cheaper plan that takes longer.\n")
                }
                _ => ".\n".to_string(),
            };
        }
        text
    }
}

/// The command that walks along the plan just found, spelled out where that is safe to copy.
fn interpolation(args: &Solve) -> String {
    let Clouds { source, target, columns, source_weights, target_weights, weights_column, tables } =
        &args.clouds;
    let plain_options = columns.is_none()
        && weights_column.is_none()
        && !tables.skip_missing
        && !tables.decimal_comma
        && tables.input_format.is_none()
        && source_weights.is_none()
        && target_weights.is_none()
        && args.how.given.is_empty()
        && args.how.seed == 0;
    let safe = |path: &Path| {
        let text = path.to_string_lossy();
        !text.starts_with('-') && text.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c))
    };
    let command = format!(
        "  swgg interpolate {} {} --method min-swgg --out steps\n",
        source.display(),
        target.display()
    );
    if plain_options && safe(source) && safe(target) && command.chars().count() <= 80 {
        return format!(", or\n{command}");
    }
    ", or\n  swgg interpolate SOURCE TARGET --out steps   (and the same options)\n".to_string()
}
