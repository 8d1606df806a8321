//! From the flags of a search to its settings.

use swgg::{
    Annealing, Blur, BlurWidth, Direction, Gradient, MinSwgg, Optimizer, Parallelism, RandomSearch, Stein,
    Sweep,
};

use crate::args::{OptimizerKind, Search, SearchKind};
use crate::exit::{Failure, Outcome};
use crate::input::read_directions;
use crate::printer::counted;

/// min-SWGG with the settings of the command line, for points of dimension `dim`.
pub fn settings(args: &Search, dim: usize, keep_costs: bool) -> Outcome<MinSwgg> {
    let kind = kind(args)?;
    let (seed, start) = (args.seed, start(args, dim)?);
    let settings = MinSwgg::new().seed(seed).keep_costs(keep_costs);
    let settings = settings.parallelism(Parallelism::from_count(args.threads));
    if let Some(file) = &args.directions_file {
        return Ok(settings.listed(read_directions(file, dim)?));
    }
    Ok(match kind {
        None => settings,
        Some(SearchKind::Random) => settings.directions(args.directions.unwrap_or(RandomSearch::DIRECTIONS)),
        Some(SearchKind::Annealing) => {
            let usual = Annealing::default();
            settings.search(Annealing {
                steps: args.iterations.unwrap_or(usual.steps),
                restarts: args.restarts.unwrap_or(usual.restarts),
                reach: args.reach.unwrap_or(usual.reach),
                tolerance: args.tolerance.unwrap_or(usual.tolerance),
                start,
                seed,
                keep_costs,
            })
        }
        Some(SearchKind::Gradient) => {
            let usual = Gradient::default();
            let width = args.blur.map_or(usual.blur.width, BlurWidth::Epsilon);
            settings.search(Gradient {
                steps: args.iterations.unwrap_or(usual.steps),
                starts: args.starts.unwrap_or(usual.starts),
                learning_rate: args.learning_rate.unwrap_or(usual.learning_rate),
                optimizer: optimizer(args),
                blur: Blur { copies: args.copies, width, seed },
                start,
                seed,
                keep_costs,
            })
        }
        Some(SearchKind::Stein) => {
            let usual = Stein::default();
            settings.search(Stein {
                steps: args.iterations.unwrap_or(usual.steps),
                pairs: args.pairs.unwrap_or(usual.pairs),
                radius: args.radius.unwrap_or(usual.radius),
                learning_rate: args.learning_rate.unwrap_or(usual.learning_rate),
                optimizer: optimizer(args),
                start,
                seed,
                keep_costs,
            })
        }
        Some(SearchKind::Sweep) => settings.search(Sweep { start, keep_costs }),
    })
}

/// The search that was named, or that the flags imply; `None` leaves it to the dimension.
pub fn kind(args: &Search) -> Outcome<Option<SearchKind>> {
    let listed = args.directions.is_some() || args.directions_file.is_some();
    let kind = args.search.or(listed.then_some(SearchKind::Random));
    refuse_strangers(args, kind.map(|kind| (kind, name(kind))))?;
    Ok(kind)
}

fn name(kind: SearchKind) -> &'static str {
    match kind {
        SearchKind::Random => "random",
        SearchKind::Annealing => "annealing",
        SearchKind::Gradient => "gradient",
        SearchKind::Stein => "stein",
        SearchKind::Sweep => "sweep",
    }
}

/// Every flag that belongs to some searches only, whether it was given, and to which it belongs.
pub fn given(args: &Search) -> impl Iterator<Item = (&'static str, &'static [SearchKind])> {
    use SearchKind::{Annealing, Gradient, Random, Stein, Sweep};
    let flags: [(_, _, &'static [SearchKind]); 14] = [
        ("--directions", args.directions.is_some(), &[Random]),
        ("--directions-file", args.directions_file.is_some(), &[Random]),
        ("--start", args.start.is_some(), &[Annealing, Gradient, Stein, Sweep]),
        ("--iterations", args.iterations.is_some(), &[Annealing, Gradient, Stein]),
        ("--restarts", args.restarts.is_some(), &[Annealing]),
        ("--reach", args.reach.is_some(), &[Annealing]),
        ("--tolerance", args.tolerance.is_some(), &[Annealing]),
        ("--starts", args.starts.is_some(), &[Gradient]),
        ("--copies", args.copies.is_some(), &[Gradient]),
        ("--blur", args.blur.is_some(), &[Gradient]),
        ("--pairs", args.pairs.is_some(), &[Stein]),
        ("--radius", args.radius.is_some(), &[Stein]),
        ("--learning-rate", args.learning_rate.is_some(), &[Gradient, Stein]),
        ("--optimizer", args.optimizer.is_some(), &[Gradient, Stein]),
    ];
    flags.into_iter().filter(|(_, given, _)| *given).map(|(flag, _, of)| (flag, of))
}

fn refuse_strangers(args: &Search, kind: Option<(SearchKind, &str)>) -> Outcome<()> {
    for (flag, of) in given(args) {
        let names: Vec<&str> = of.iter().map(|kind| name(*kind)).collect();
        let names = names.join("|");
        match kind {
            Some((kind, _)) if of.contains(&kind) => {}
            Some((_, kind)) => {
                return Err(Failure::new(format!(
                    "{flag} is not a setting of --search {kind}; leave it out, or use --search {names}"
                )));
            }
            None => {
                return Err(Failure::new(format!(
                    "{flag} needs a search it belongs to; add --search {names}"
                )));
            }
        }
    }
    Ok(())
}

pub fn optimizer(args: &Search) -> Optimizer {
    match args.optimizer {
        Some(OptimizerKind::Sgd) => Optimizer::Sgd,
        _ => Optimizer::Adam,
    }
}

/// The direction to start from, if one was given.
pub fn start(args: &Search, dim: usize) -> Outcome<Option<Direction>> {
    let Some(vector) = &args.start else { return Ok(None) };
    let found = vector.0.len();
    if found != dim {
        return Err(Failure::new(format!(
            "--start has {}, the points have {dim}; they must agree",
            counted(found, "coordinate")
        )));
    }
    // There is no other way for finite numbers to be no direction.
    let refuse = |_| Failure::new("--start has no length; give at least one coordinate that is not 0");
    Direction::new(&vector.0).map(Some).map_err(refuse)
}
