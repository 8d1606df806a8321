//! `swgg solve`: two clouds in, a plan out.

use std::path::{Path, PathBuf};
use std::time::Instant;

use swgg::{Coupling, Measure, MinSwgg, Parallelism, Scalar, Stop};
use swgg_io::{Output, PlanFormat, write_matrix, write_plan, write_vector};

use crate::args::{Clouds, Method, MethodSettings, Search, Solve};
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, Pair};
use crate::interrupt::{self, Phase};
use crate::methods::budget::Sizes;
use crate::methods::settings::{Chosen, Extras};
use crate::methods::{self, Job};
use crate::printer;
use crate::progress::Spinner;
use crate::report::{Report, Seconds, Solved, Standing};
use crate::search::settings;

pub fn run(args: &Solve) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let chosen = Chosen::new(args);
    let outputs = Outputs::check(args, &chosen)?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    let keep_costs = args.costs.is_some() || args.search.directions_file.is_some();
    let settings = settings(&args.search, files.dim(), keep_costs)?;
    match &files.measures(&args.clouds)? {
        Pair::Single(source, target) => finish(args, &outputs, settings, source, target, started),
        Pair::Double(source, target) => finish(args, &outputs, settings, source, target, started),
    }
}

/// min-SWGG with a progress bar that Ctrl-C can end.
pub fn search<T: Scalar>(
    min_swgg: &MinSwgg,
    args: &Search,
    source: &Measure<T>,
    target: &Measure<T>,
    quiet: bool,
) -> Outcome<Solved> {
    let (settings, extras) = (&MethodSettings::default(), &Extras::default());
    let job = Job { method: Method::MinSwgg, settings, search: args, min_swgg, extras, needs_plan: true };
    transport(&job, source, target, quiet)
}

/// Any method with a progress bar that Ctrl-C can end, and the lower bound.
fn transport<T: Scalar>(
    job: &Job<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    quiet: bool,
) -> Outcome<Solved> {
    if methods::can_stop(job.method) {
        interrupt::enter(Phase::Searching);
    }
    let mut bar = methods::bar(job.method, job.settings, Sizes::of(source, target), quiet);
    let mut solved = methods::transport(job, source, target, &mut bar)?;
    interrupt::enter(Phase::Writing);
    drop(bar);
    if !job.settings.no_bounds {
        methods::bound(&mut solved, source, target, Parallelism::from_count(job.search.threads))?;
    }
    Ok(solved)
}

fn finish<T: Scalar>(
    args: &Solve,
    outputs: &Outputs,
    settings: MinSwgg,
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let (sizes, method) = (Sizes::of(source, target), outputs.method);
    sizes.check(method, &args.settings)?;
    let threads = Parallelism::from_count(args.search.threads).threads();
    if let Some(warning) = sizes.warning(method, &args.settings, threads).filter(|_| !args.print.quiet) {
        printer::warn(&warning);
    }
    let extras = Extras::read(&args.settings, sizes, args.print.quiet)?;
    let mut seconds = Seconds { read: started.elapsed().as_secs_f64(), ..Default::default() };
    let solving = Instant::now();
    let job = Job {
        method,
        settings: &args.settings,
        search: &args.search,
        min_swgg: &settings,
        extras: &extras,
        needs_plan: args.plan.is_some(),
    };
    let solved = transport(&job, source, target, args.print.quiet)?;
    seconds.bound = solved.bound_seconds;
    seconds.solve = solving.elapsed().as_secs_f64() - seconds.bound;
    let writing = Instant::now();
    outputs.write(&solved, source, target, args.print.quiet)?;
    seconds.write = writing.elapsed().as_secs_f64();

    let stop = solved.stop;
    let mut report = Report::new(&solved, source, target, &args.search, seconds);
    if args.search.directions_file.is_some() {
        report.costs = solved.costs;
    }
    if args.print.json {
        printer::result(&report.json())?;
    } else if !args.print.quiet {
        printer::result(&(report.summary() + &outputs.next(args, &report)))?;
    }
    Ok(if stop == Some(Stop::Interrupted) { exit::SHORT } else { exit::DONE })
}

/// Refuses outputs that the method does not have.
fn refuse_missing(args: &Solve, method: Method) -> Outcome<()> {
    let (plan, map) = (args.plan.is_some(), args.map.is_some());
    let refuse = |what: &str| Err(Failure::new(format!("--method {} {what}", methods::name(method))));
    match method {
        Method::Gaussian if plan => refuse(
            "has no plan between the points; leave --plan out (--map writes its map), or use --method exact",
        ),
        Method::LinearOt if plan || map => {
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
    method: Method,
    plan: Option<(&'a Path, PlanFormat)>,
    map: Option<&'a Path>,
    costs: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    fn check(args: &'a Solve, chosen: &Chosen) -> Outcome<Self> {
        let method = chosen.method;
        chosen.check_search(args)?;
        args.settings.check(chosen)?;
        refuse_missing(args, method)?;
        let plan = match args.plan.as_deref() {
            Some(path) => Some((path, PlanFormat::from_path(path)?)),
            None => None,
        };
        let npy = |path: Option<&'a Path>, flag: &str| match path {
            Some(path) if path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("npy")) => {
                Err(Failure::new(format!("{flag} {} must end in .npy; rename it", path.display())))
            }
            path => Ok(path),
        };
        let outputs = Outputs {
            method,
            plan,
            map: npy(args.map.as_deref(), "--map")?,
            costs: npy(args.costs.as_deref(), "--costs")?,
        };
        let paths: Vec<&Path> =
            [outputs.plan.map(|plan| plan.0), outputs.map, outputs.costs].into_iter().flatten().collect();
        let inputs = args.clouds.files().chain(args.search.directions_file.as_deref());
        check_places(&paths, inputs.chain(args.settings.files()))?;
        Ok(outputs)
    }

    fn write<T: Scalar>(
        &self,
        solved: &Solved,
        source: &Measure<T>,
        target: &Measure<T>,
        quiet: bool,
    ) -> Outcome<()> {
        let _spinner = Spinner::new("writing".to_string(), quiet);
        let mut written = Vec::new();
        if let (Some((path, format)), Some(coupling)) = (self.plan, &solved.coupling) {
            let entries = coupling.entries().map(|(i, j, mass)| (i as u32, j as u32, mass));
            written.push(write_plan(Output::create(path)?, format, source.len(), target.len(), entries)?);
        }
        if let Some(path) = self.map {
            let average = |coupling: &Coupling| -> Outcome<Vec<f64>> {
                Ok(coupling.barycentric_map(source, target)?.into_raw_vec_and_offset().0)
            };
            let averages = solved.coupling.as_ref().map(average).transpose()?;
            if let Some(map) = averages.as_deref().or(solved.image.as_deref()) {
                written.push(write_matrix(Output::create(path)?, source.len(), source.dim(), map)?);
            }
        }
        if let (Some(path), Some(costs)) = (self.costs, &solved.costs) {
            written.push(write_vector(Output::create(path)?, costs)?);
        }
        // All are on the disk before the first takes its place: a full disk leaves none of them.
        written.into_iter().try_for_each(Output::commit)?;
        Ok(())
    }

    /// What was written, or where to go next.
    fn next(&self, args: &Solve, report: &Report) -> String {
        let mut text = String::from("\n");
        if let Some((path, _)) = self.plan {
            text += &format!("Plan written to {}\n", path.display());
        }
        for path in [self.map, self.costs].into_iter().flatten() {
            text += &format!(
                "{} written to {}\n",
                if Some(path) == self.map { "Map" } else { "Costs" },
                path.display()
            );
        }
        if self.plan.is_none() && self.map.is_none() {
            text += if self.costs.is_some() { "\n" } else { "" };
            text += match self.method {
                Method::LinearOt => "Next: add --json for scripts",
                Method::Gaussian => "Next: add --map moved.npy for where points go, --json for scripts",
                _ => "Next: add --plan plan.csv for who goes where, --json for scripts",
            };
            // The curve of other plans is not to be had from the command line.
            // Nor does somebody who pressed Ctrl-C want to wait longer.
            let improvable = report.cost_is != Standing::Exact && report.stop != Stop::Interrupted.name();
            text += &match (self.method, report.effort.filter(|_| improvable)) {
                (Method::MinSwgg, _) => interpolation(args),
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
    let Clouds { source, target, columns, source_weights, target_weights } = &args.clouds;
    let plain_options = columns.is_none()
        && source_weights.is_none()
        && target_weights.is_none()
        && args.search.search.is_none()
        && crate::search::given(&args.search).next().is_none()
        && args.search.seed == 0;
    let safe = |path: &Path| {
        let text = path.to_string_lossy();
        !text.starts_with('-') && text.chars().all(|c| c.is_alphanumeric() || "/._-+".contains(c))
    };
    let command = format!("  swgg interpolate {} {} --out steps\n", source.display(), target.display());
    if plain_options && safe(source) && safe(target) && command.chars().count() <= 80 {
        return format!(", or\n{command}");
    }
    ", or\n  swgg interpolate SOURCE TARGET --out steps   (and the same options)\n".to_string()
}

/// Refuses outputs that are read, asked for twice or cannot be written.
pub fn check_places<'a>(outputs: &[&Path], inputs: impl Iterator<Item = &'a Path>) -> Outcome<()> {
    let inputs: Vec<PathBuf> = inputs.map(place).collect();
    let places: Vec<PathBuf> = outputs.iter().map(|path| place(path)).collect();
    for (k, path) in outputs.iter().enumerate() {
        if inputs.contains(&places[k]) {
            let path = path.display();
            return Err(Failure::new(format!("{path} is read and would be overwritten; name another file")));
        }
        if places[..k].contains(&places[k]) {
            return Err(Failure::new(format!("{} is asked for twice; name two files", path.display())));
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
