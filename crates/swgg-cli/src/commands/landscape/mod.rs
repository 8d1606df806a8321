//! `swgg landscape`: the cost as a function of the direction.

mod circles;

use std::time::Instant;

use swgg::line::Direction;
use swgg::{
    Measure, Parallelism, Scalar, Stop,
    bound::lower_bounds,
    paper::{Blur, BlurWidth, InMemory, Slices, Spanned, recommended},
};

use self::circles::Circles;
use crate::args::Landscape;
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, with_measures};
use crate::interrupt::{self, Phase};
use crate::outputs::FigureFile;
use crate::progress::SearchBar;
use crate::report::{self, Curves, LandscapeReport};
use crate::seconds::Seconds;

/// More are a slip of the finger, and take hours.
const MOST_ANGLES: usize = 100_000;
/// As many as a legend can tell apart.
const MOST_CURVES: usize = 10;
/// Coordinates of copies per direction that the first of the default smoothed curves may take.
const COORDINATES: usize = 1 << 17;

pub fn run(args: &Landscape) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let out = FigureFile::check(&args.out, args.clouds.files())?;
    check(args)?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    with_measures!(files, &args.clouds, |source, target| finish(args, &out, source, target, started))
}

fn check(args: &Landscape) -> Outcome<()> {
    match args.angles {
        Some(angles @ ..2) => {
            return Err(Failure::new(format!("--angles {angles} is too few; a curve needs 2")));
        }
        Some(angles) if angles > MOST_ANGLES => {
            return Err(Failure::new(format!(
                "--angles {angles} is too many; no eye tells more than {MOST_ANGLES} apart"
            )));
        }
        _ => (),
    }
    if args.circles == Some(0) {
        return Err(Failure::new("--circles 0 leaves nothing to draw; ask for at least one"));
    }
    let curves = args.copies.as_ref().map_or(2, Vec::len).saturating_mul(args.widths.len());
    if curves > MOST_CURVES {
        return Err(Failure::new(format!(
            "--copies and --widths make {curves} smoothed curves; a figure has colours for {MOST_CURVES}"
        )));
    }
    blurs(args, 1, 1).iter().try_for_each(Blur::validate)?;
    Ok(())
}

/// Every pair of copies and width. By default fewer copies of more points: a curve should take seconds, not hours.
fn blurs(args: &Landscape, n: usize, d: usize) -> Vec<Blur> {
    let few = (COORDINATES / n.saturating_mul(d).max(1)).clamp(2, 10);
    let copies = args.copies.clone().unwrap_or_else(|| vec![few, 5 * few]);
    let pairs = copies.iter().flat_map(|s| args.widths.iter().map(move |w| (*s, *w)));
    pairs.map(|(s, w)| Blur { copies: Some(s), width: BlurWidth::Relative(w), seed: args.seed }).collect()
}

/// Great circles to draw: three by default, as far as there is room.
fn circle_count(asked: Option<usize>, d: usize) -> Outcome<usize> {
    let most = d - 1;
    match asked {
        None => Ok(most.min(3)),
        Some(circles) if circles <= most => Ok(circles),
        Some(circles) => Err(Failure::new(format!(
            "--circles {circles} is too many; in dimension {d} there is room for {most}, orthogonal to each other"
        ))),
    }
}

fn finish<T: Scalar>(
    args: &Landscape,
    out: &FigureFile<'_>,
    source: &Measure<T>,
    target: &Measure<T>,
    started: Instant,
) -> Outcome<u8> {
    let dim = source.dim();
    // Few points of very many coordinates: all there is to see is in the subspace that they span.
    match Spanned::of(source, target) {
        Some(spanned) => {
            let lift = |theta: &Direction| Ok(spanned.lift(theta)?.as_slice().to_vec());
            draw(args, out, spanned.clouds(), (dim, &lift), started)
        }
        None => draw(args, out, [source, target], (dim, &|theta| Ok(theta.as_slice().to_vec())), started),
    }
}

/// A direction as one of the space of the points.
type Lift<'a> = &'a dyn Fn(&Direction) -> Outcome<Vec<f64>>;

/// The landscape of two clouds, and the report on it; `dim` and `lift` say where directions belong.
fn draw<T: Scalar>(
    args: &Landscape,
    out: &FigureFile<'_>,
    [source, target]: [&Measure<T>; 2],
    (dim, lift): (usize, Lift<'_>),
    started: Instant,
) -> Outcome<u8> {
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    let quiet = args.print.quiet;
    let problem = InMemory::with_parallelism(source, target, Parallelism::from_count(args.threads))?;
    if problem.dim() < 2 {
        return Err(Failure::new(
            "the points have one column: there is only one line; a landscape needs two or more",
        ));
    }
    let count = circle_count(args.circles, problem.dim())?;
    let blurs = blurs(args, source.len().max(target.len()), problem.dim());
    interrupt::enter(Phase::Searching);
    let search = recommended(&problem, args.seed, false);
    let found = search.run(&problem, &mut SearchBar::new(quiet))?;
    let angles = args.angles.unwrap_or(if problem.dim() == 2 { 720 } else { 240 });
    let (seed, search) = (args.seed, search.name());
    let mut circles =
        Circles { problem: &problem, lowest: found.theta, cost: found.cost, count, angles, seed };
    let mut drawn = None;
    if found.stop != Stop::Interrupted
        && let Some(mut curves) = circles.search(quiet)?
    {
        drawn = circles.fill(&mut curves, &blurs, quiet)?.then_some(curves);
    }
    seconds["solve"] = solving.elapsed().as_secs_f64();

    interrupt::enter(Phase::Writing);
    let also = std::slice::from_ref(&circles.lowest);
    let bound = || lower_bounds(source, target, also, Parallelism::from_count(args.threads));
    let lower_bound = match drawn {
        Some(_) => Some(bound()?.best().min(circles.cost)),
        None => None,
    };
    let is_drawn = drawn.is_some();
    let best = angle_in_plane(&circles.lowest).map(|angle| (angle, circles.cost));
    let mut report = LandscapeReport {
        n: source.len(),
        m: target.len(),
        d: dim,
        circles: count,
        angles,
        cost: circles.cost,
        theta: lift(&circles.lowest)?,
        lower_bound,
        search,
        stop: if is_drawn { found.stop } else { Stop::Interrupted }.name(),
        file: is_drawn.then(|| args.out.display().to_string()),
        seconds,
        curves: drawn.map(|circles| Curves { circles, blurs, best }),
    };
    if is_drawn {
        let writing = Instant::now();
        out.write(&report, LandscapeReport::figure)?;
        report.seconds["write"] = writing.elapsed().as_secs_f64();
    }
    report::print(&args.print, &report)?;
    Ok(if is_drawn { exit::DONE } else { exit::SHORT })
}

/// The angle of a direction of the plane, in degrees from 0 to 180; nothing in other spaces.
fn angle_in_plane(theta: &Direction) -> Option<f64> {
    let &[x, y] = theta.as_slice() else { return None };
    Some(y.atan2(x).to_degrees().rem_euclid(180.0))
}
