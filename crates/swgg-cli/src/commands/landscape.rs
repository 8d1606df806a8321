//! `swgg landscape`: the cost as a function of the direction.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use swgg::ndarray::Array2;
use swgg::{
    Blur, BlurWidth, Direction, DirectionSet, InMemory, Measure, Orthogonal, Parallelism, Problem, Sampler,
    Scalar, Solution, Stop, recommended,
};
use swgg_io::Output;

use super::solve::place;
use crate::args::Landscape;
use crate::exit::{self, Failure, Outcome};
use crate::figure::{Curve, Figure, Panel, Style};
use crate::input::{Files, Pair};
use crate::interrupt::{self, Phase};
use crate::printer::{self, counted, duration, grouped, number, vector};
use crate::progress::{SearchBar, Spinner};
use crate::report::Seconds;

/// More are a slip of the finger, and take hours.
const MOST_ANGLES: usize = 100_000;

/// What to write.
#[derive(Clone, Copy)]
enum Kind {
    Svg,
    Png,
    Csv,
}

/// The curves along one circle of directions.
struct Profile {
    caption: String,
    angles_deg: Vec<f64>,
    swgg: Vec<f64>,
    line: Vec<f64>,
    smoothed: Vec<Vec<f64>>,
}

/// The JSON object.
#[derive(Serialize)]
struct Report {
    n: usize,
    m: usize,
    d: usize,
    circles: usize,
    angles: usize,
    /// The lowest SWGG found, squared, and its direction.
    cost: f64,
    theta: Vec<f64>,
    search: &'static str,
    stop: &'static str,
    file: String,
    seconds: Seconds,
}

pub fn run(args: &Landscape) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let kind = kind(&args.out)?;
    check(args)?;
    if args.clouds.files().any(|file| place(file) == place(&args.out)) {
        return Err(Failure::new(format!(
            "{} is read and would be overwritten; name another file",
            args.out.display()
        )));
    }
    // Made and dropped: a place that cannot be written to should be known before the work.
    drop(Output::create(&args.out)?);
    let files = Files::read(&args.clouds, args.print.quiet)?;
    match &files.measures(&args.clouds)? {
        Pair::Single(source, target) => finish(args, kind, source, target, started),
        Pair::Double(source, target) => finish(args, kind, source, target, started),
    }
}

fn kind(path: &Path) -> Outcome<Kind> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Kind::Svg),
        Some("png") => Ok(Kind::Png),
        Some("csv") => Ok(Kind::Csv),
        _ => Err(Failure::new(format!("--out {} must end in .svg, .png or .csv; rename it", path.display()))),
    }
}

fn check(args: &Landscape) -> Outcome<()> {
    if args.angles < 2 {
        return Err(Failure::new(format!("--angles {} is too few; a curve needs 2", args.angles)));
    }
    if args.angles > MOST_ANGLES {
        return Err(Failure::new(format!(
            "--angles {} is too many; no eye tells more than {MOST_ANGLES} apart",
            args.angles
        )));
    }
    if args.circles == 0 {
        return Err(Failure::new("--circles 0 leaves nothing to draw; ask for at least one"));
    }
    blurs(args).iter().try_for_each(Blur::validate)?;
    Ok(())
}

/// Every pair of copies and width.
fn blurs(args: &Landscape) -> Vec<Blur> {
    let pairs = args.copies.iter().flat_map(|s| args.widths.iter().map(move |w| (*s, *w)));
    pairs.map(|(s, w)| Blur { copies: Some(s), width: BlurWidth::Relative(w), seed: args.seed }).collect()
}

fn finish<T: Scalar>(
    args: &Landscape,
    kind: Kind,
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let mut seconds = Seconds { read: started.elapsed().as_secs_f64(), ..Default::default() };
    let solving = Instant::now();
    let quiet = args.print.quiet;
    let problem = InMemory::with_parallelism(source, target, Parallelism::from_count(args.threads))?;
    if problem.dim() < 2 {
        return Err(Failure::new(
            "the points have one column: there is only one line; a landscape needs two or more",
        ));
    }
    interrupt::enter(Phase::Searching);
    let best =
        Solution::search(&*recommended(&problem, args.seed, false), &problem, &mut SearchBar::new(quiet))?;
    interrupt::enter(Phase::Reading);
    let blurs = blurs(args);
    let profiles = {
        let _spinner = Spinner::new("evaluating directions".to_string(), quiet);
        profiles(&problem, &best.theta, args, &blurs)?
    };
    seconds.solve = solving.elapsed().as_secs_f64();

    let writing = Instant::now();
    let best_angle = angle_in_plane(&best.theta);
    let figure = || figure(&profiles, &blurs, source, target, (best_angle, best.cost));
    let bytes = match kind {
        Kind::Svg => figure().svg()?.into_bytes(),
        Kind::Png => figure().png()?,
        Kind::Csv => table(&profiles, &blurs).into_bytes(),
    };
    interrupt::enter(Phase::Writing);
    let mut output = Output::create(&args.out)?;
    let refuse = |error: std::io::Error| Failure::new(format!("{}: {error}", args.out.display()));
    output.write_all(&bytes).map_err(refuse)?;
    output.commit()?;
    seconds.write = writing.elapsed().as_secs_f64();

    let report = Report {
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        circles: profiles.len(),
        angles: args.angles,
        cost: best.cost,
        theta: best.theta.as_slice().to_vec(),
        search: best.search,
        stop: best.stop.name(),
        file: args.out.display().to_string(),
        seconds,
    };
    if args.print.json {
        let text = serde_json::to_string(&report).map_err(|error| Failure::new(error.to_string()))?;
        printer::result(&(text + "\n"))?;
    } else if !quiet {
        printer::result(&report.summary())?;
    }
    Ok(if best.stop == Stop::Interrupted { exit::SHORT } else { exit::DONE })
}

/// The angle of a direction of the plane, in degrees from 0 to 180; nothing in other spaces.
fn angle_in_plane(theta: &Direction) -> Option<f64> {
    let &[x, y] = theta.as_slice() else { return None };
    Some(y.atan2(x).to_degrees().rem_euclid(180.0))
}

/// The whole plane, or great circles through the best direction towards random directions orthogonal to it and each other.
fn profiles<T: Scalar>(
    problem: &InMemory<T>,
    best: &Direction,
    args: &Landscape,
    blurs: &[Blur],
) -> Outcome<Vec<Profile>> {
    let d = problem.dim();
    if d == 2 {
        let (first, second) = (Direction::axis(2, 0)?, Direction::axis(2, 1)?);
        let profile = profile(problem, [&first, &second], 0.0, String::new(), args, blurs)?;
        return Ok(vec![profile]);
    }
    let axes = problem.axes()?;
    let circles = args.circles.min(d - 1);
    let random = Orthogonal::new(d, args.seed)?.batch(0..circles + 1);
    // Towards the widest axes first: along those the landscape changes most.
    let candidates = (0..axes.len()).map(|k| axes.get(k)).chain((0..random.len()).map(|k| random.get(k)));
    let mut basis = vec![best.clone()];
    for candidate in candidates {
        if basis.len() > circles {
            break;
        }
        if let Some(fresh) = orthogonal_part(&candidate, &basis) {
            basis.push(fresh);
        }
    }
    let circles = basis[1..].iter().enumerate();
    circles
        .map(|(k, towards)| {
            let caption = format!("great circle {} through the best direction (at 0)", k + 1);
            profile(problem, [best, towards], -90.0, caption, args, blurs)
        })
        .collect()
}

/// The direction of what is left of `theta` beside an orthonormal family, unless next to nothing is.
fn orthogonal_part(theta: &Direction, basis: &[Direction]) -> Option<Direction> {
    let mut rest = theta.as_slice().to_vec();
    for other in basis {
        let along: f64 = rest.iter().zip(other.as_slice()).map(|(r, o)| r * o).sum();
        rest.iter_mut().zip(other.as_slice()).for_each(|(r, o)| *r -= along * o);
    }
    let length = rest.iter().map(|r| r * r).sum::<f64>().sqrt();
    if length > 0.3 { Direction::new(&rest).ok() } else { None }
}

fn profile<T: Scalar>(
    problem: &InMemory<T>,
    [zero, right]: [&Direction; 2],
    from_deg: f64,
    caption: String,
    args: &Landscape,
    blurs: &[Blur],
) -> Outcome<Profile> {
    let step = 180.0 / args.angles as f64;
    // Both ends are drawn: they are the same line.
    let angles_deg: Vec<f64> = (0..=args.angles).map(|k| from_deg + k as f64 * step).collect();
    let rows = angles_deg.iter().flat_map(|angle| {
        let (sin, cos) = angle.to_radians().sin_cos();
        zero.as_slice().iter().zip(right.as_slice()).map(move |(z, r)| cos * z + sin * r)
    });
    let rows = Array2::from_shape_vec((angles_deg.len(), problem.dim()), rows.collect())
        .map_err(|error| Failure::new(error.to_string()))?;
    let thetas = DirectionSet::from_rows(rows.view())?;
    let smoothed = blurs.iter().map(|blur| {
        let values = problem.smoothed(&thetas, blur)?.into_iter().map(|smoothed| smoothed.value);
        Ok(values.collect())
    });
    let smoothed = smoothed.collect::<swgg::Result<_>>()?;
    let (swgg, line) = (problem.costs(&thetas)?, problem.line_costs(&thetas, 2.0)?);
    Ok(Profile { caption, angles_deg, swgg, line, smoothed })
}

/// Name of the curve of a blur.
fn blur_name(blur: &Blur) -> String {
    let (BlurWidth::Relative(width) | BlurWidth::Epsilon(width)) = blur.width;
    format!("smoothed, s = {}, noise {width} of spread", blur.copies.unwrap_or_default())
}

fn figure<T: Scalar>(
    profiles: &[Profile],
    blurs: &[Blur],
    source: &Measure<T>,
    target: &Measure<T>,
    (best_angle, best): (Option<f64>, f64),
) -> Figure {
    let mut panels = Vec::new();
    for profile in profiles {
        let first = profile.angles_deg[0];
        let ticks: Vec<f64> = (0..=6).map(|k| first + 30.0 * f64::from(k)).collect();
        let curve = |name: String, values: &[f64], style| {
            let points: Vec<(f64, f64)> =
                profile.angles_deg.iter().copied().zip(values.iter().copied()).collect();
            let mark = points.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
            Curve { name, points, style, mark }
        };
        let mut curves = vec![curve("SWGG".to_string(), &profile.swgg, Style::Main)];
        // What the search found lies between the angles that were drawn.
        curves[0].mark = Some((best_angle.unwrap_or(0.0), best));
        for (k, (blur, values)) in blurs.iter().zip(&profile.smoothed).enumerate() {
            curves.push(curve(blur_name(blur), values, Style::Variant(k)));
        }
        let (caption, y_label) = (profile.caption.clone(), "squared cost".to_string());
        panels.push(Panel { caption, y_label, height: 360, ticks: ticks.clone(), curves });
        let mut line = curve("W2 along the line, squared".to_string(), &profile.line, Style::Reference);
        line.mark = line.points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let (caption, y_label) = (String::new(), "W2, squared".to_string());
        panels.push(Panel { caption, y_label, height: 190, ticks, curves: vec![line] });
    }
    let (n, m) = (grouped(source.len()), grouped(target.len()));
    Figure {
        title: format!(
            "SWGG by direction, {n} and {m} points in dimension {}; best ones marked",
            source.dim()
        ),
        x_label: "angle of the direction, degrees".to_string(),
        panels,
    }
}

fn table(profiles: &[Profile], blurs: &[Blur]) -> String {
    let mut text = String::from("circle,angle_deg,swgg,line");
    for blur in blurs {
        let (BlurWidth::Relative(width) | BlurWidth::Epsilon(width)) = blur.width;
        text += &format!(",smoothed_s{}_w{width}", blur.copies.unwrap_or_default());
    }
    text.push('\n');
    for (circle, profile) in profiles.iter().enumerate() {
        for (k, angle) in profile.angles_deg.iter().enumerate() {
            text += &format!("{},{angle},{},{}", circle + 1, profile.swgg[k], profile.line[k]);
            profile.smoothed.iter().for_each(|values| text += &format!(",{}", values[k]));
            text.push('\n');
        }
    }
    text
}

impl Report {
    fn summary(&self) -> String {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let mut text = format!("Landscape of SWGG between {n} and {m} points in dimension {d}\n\n");
        let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<10} {value}\n"));
        line("lowest", format!("{:<12} squared, by {}", number(self.cost), self.search));
        line("direction", vector(&self.theta));
        if self.stop == Stop::Interrupted.name() {
            line("stopped", "early; there may be lower ones".to_string());
        }
        let (directions, circles) = (self.angles * self.circles, self.circles);
        line("drawn", format!("{} on {}", counted(directions, "direction"), counted(circles, "circle")));
        line("time", format!("{} to evaluate", duration(self.seconds.solve)));
        text + &format!("\nWritten to {}\n", self.file)
    }
}
