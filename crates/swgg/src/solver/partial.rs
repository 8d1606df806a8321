//! Questions about a part of the mass: which settings ask them, and who answers.

use crate::answer::{CostIs, Fact, Remark, Transport, counted, grouped};
use crate::error::{ErrorKind, Result};
use crate::exact::partial::{self, Amounts, Moved};
use crate::flow::partial::{pairs_points, partial_matching};
use crate::line::path_until;
use crate::number::scalar::{Scalar, by_precision};
use crate::question::{Ground, Marginals, Question, QuestionHolder, Side, Sizes};
use crate::run::Run;
use crate::run::stop::Stop;
use crate::setting::{Setting, Settings};

/// The share of the mass that moves.
pub const MASS: Setting = Setting::number("mass").help(
    "F",
    "move only the cheapest share F of the mass, of the smaller total where weights add up to different ones",
);
/// The same as a share of the source.
pub const MASS_SOURCE: Setting = Setting::number("mass_source")
    .flag("mass-source")
    .help("F", "the same as a share of the source: with 1 all of it moves, to any part of the target")
    .instead_of("mass");
/// The same as a share of the target.
pub const MASS_TARGET: Setting = Setting::number("mass_target")
    .flag("mass-target")
    .help("F", "the same as a share of the target: with 1 all of it is reached, from any part of the source")
    .instead_of("mass");
/// What moving a unit of mass is worth.
pub const DISCARD_COST: Setting = Setting::number("discard_cost")
    .flag("discard-cost")
    .help("L", "leave mass where it is rather than move it for more than L per unit: a squared distance, unless costs are others")
    .instead_of("mass");

/// The question with the part of the mass that the settings name, if they do.
///
/// # Errors
///
/// Where two of them are given, and where a share or a cost makes no sense.
pub fn posed<'a, T: Scalar>(question: Question<'a, T>, settings: &Settings) -> Result<Question<'a, T>> {
    let all = [&MASS, &MASS_SOURCE, &MASS_TARGET, &DISCARD_COST];
    let given: Vec<(&Setting, f64)> =
        all.into_iter().filter_map(|setting| Some((setting, settings.number(setting)?))).collect();
    match given[..] {
        [] => Ok(question),
        [(setting, value)] => match setting.name {
            "mass" => question.with_mass(value),
            "mass_source" => question.with_mass_of(Side::Source, value),
            "mass_target" => question.with_mass_of(Side::Target, value),
            _ => question.with_discard_cost(value),
        },
        [(first, _), (second, _), ..] => {
            let problem = format!("says how much moves, and so does {}; give one of them", second.name);
            Err(ErrorKind::Setting { setting: first.name, problem }.into())
        }
    }
}

/// Totals and masses that differ by this share are equal, to rounding.
const ROUNDING_SHARE: f64 = 1e-12;

/// The answer of a method that can leave mass where it is. `balanced` answers questions about all of it.
pub(super) fn answered<T: Scalar>(
    method: &'static str,
    question: &Question<'_, T>,
    run: &mut Run<'_>,
    balanced: impl FnOnce(&Question<'_, T>, &mut Run<'_>) -> Result<Transport>,
) -> Result<Transport> {
    if !matches!(method, "auto" | "exact") {
        return Err(ErrorKind::UnsupportedMarginals { method }.into());
    }
    if is_everything(question) {
        return Ok(everything(balanced(&question.with_all(), run)?, question));
    }
    by_precision!(
        T: QuestionHolder<'_, '_> = question,
        (method: &'static str = method, run: &mut Run<'_> = run) -> Result<Transport>,
        |question| part(method, question, run)
    )
}

/// The answer about less than all of the mass.
fn part<T: Scalar>(method: &'static str, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
    let (found, by) = if is_on_the_line(question) {
        (on_the_line(question, run)?, By::Line)
    } else if is_at_scale(method, question) {
        let gap = run.gap.unwrap_or(if method == "exact" { 0.0 } else { USUAL_GAP });
        match auctioned(question, gap, run)? {
            Some(found) => (found, By::Auction),
            None => (partial::partial(question, run)?, By::Simplex),
        }
    } else {
        (partial::partial(question, run)?, By::Simplex)
    };
    let stop = run.reason(found.stop);
    Ok(told(Transport { method, stop, ..found }, question, by, run))
}

/// What found the plan.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Line,
    Simplex,
    Auction,
}

/// The certified gap at which the default ends.
const USUAL_GAP: f64 = 5e-3;
/// Points of both sides up to which the simplex finds the optimum, for the default and for exact transport.
const MAX_SIMPLEX_POINTS: [usize; 2] = [20_000, 20_000];

/// Whether there is a path of all masses: points of one mass in dimension one, any power of the distance.
fn is_on_the_line<T: Scalar>(question: &Question<'_, T>) -> bool {
    let is_power = matches!(question.ground(), Ground::Distance(_));
    question.sizes().d == 1 && is_power && pairs_points(question)
}

/// Whether points of one mass are so many that an auction is quicker than the simplex.
fn is_at_scale<T: Scalar>(method: &str, question: &Question<'_, T>) -> bool {
    let Sizes { n, m, .. } = question.sizes();
    let most = MAX_SIMPLEX_POINTS[usize::from(method == "exact")];
    n + m > most
        && super::optimal::are_at_scale(question.sizes())
        && !matches!(question.ground(), Ground::Matrix(_))
        && pairs_points(question)
}

/// By the path of the line: whole steps, and a part of the next one.
fn on_the_line<T: Scalar>(question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
    let (source, target) = (question.source(), question.target());
    let amounts = Amounts::new(question);
    let p = question.exponent().unwrap_or(2.0);
    let unit = amounts.supply[0].min(amounts.demand[0]);
    // One step more than is asked for: a part of it may move, and it says what the next unit would cost.
    let most = amounts.moved.map_or(usize::MAX, |moved| (moved / unit) as usize + 1);
    let highest = match question.marginals() {
        Marginals::DiscardCost(cost) => cost,
        _ => f64::INFINITY,
    };
    let expected = most.min(source.len()).min(target.len());
    let is_enough = |steps: usize, cost: f64| steps >= most || cost > highest;
    let (path, is_stopped) = path_until(source, target, (p, expected), is_enough, run)?;
    let (steps, rest) = match (question.marginals(), amounts.moved) {
        (Marginals::DiscardCost(cost), _) => (path.marginal_costs.partition_point(|step| *step <= cost), 0),
        (_, moved) => {
            let moved = moved.unwrap_or(0);
            ((moved / unit) as usize, moved % unit)
        }
    };
    // A part of a step is a mixture of the plans before it and after it.
    let (steps, rest) = if steps >= path.len() { (path.len(), 0) } else { (steps, rest) };
    let mut arcs: Vec<(u32, u32, u64)> = Vec::new();
    for (k, units) in [(steps, unit - rest), (steps + 1, rest)] {
        if units > 0 && k > 0 {
            arcs.extend(path.pairs(source, target, k)?.into_iter().map(|(i, j)| (i, j, units)));
        }
    }
    arcs.sort_unstable();
    arcs.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        kept.2 += if same { next.2 } else { 0 };
        same
    });
    let multiplier = match question.marginals() {
        Marginals::DiscardCost(cost) => cost,
        _ => {
            let last = if rest > 0 { steps } else { steps.saturating_sub(1) };
            path.marginal_costs.get(last).copied().unwrap_or(0.0)
        }
    };
    let stop = if is_stopped { Stop::Interrupted } else { Stop::ClosedForm };
    let moved = Moved { arcs, potentials: None, multiplier, steps: path.len(), stop };
    let found = partial::answer(question, &amounts, moved, &|i, j| partial::cost_of(question, i, j));
    // A path that was cut short moves less than was asked for, for less than that would cost.
    let cost_is = if is_stopped { CostIs::Lower } else { CostIs::Optimal };
    Ok(Transport { lower_bound: Some(found.cost), cost_is, ..found })
}

/// By candidates and an auction in which both sides bid.
fn auctioned<T: Scalar>(
    question: &Question<'_, T>,
    gap: f64,
    run: &mut Run<'_>,
) -> Result<Option<Transport>> {
    let amounts = Amounts::new(question);
    let (seed, workers) = (run.seed, run.workers()?);
    let Some(moved) = partial_matching(question, &amounts, gap, (seed, &workers), run)? else {
        return Ok(None);
    };
    Ok(Some(partial::answer(question, &amounts, moved, &|i, j| partial::cost_of(question, i, j))))
}

/// Whether all of both sides moves.
fn is_everything<T: Scalar>(question: &Question<'_, T>) -> bool {
    let totals = [question.source().total(), question.target().total()];
    let (less, more) = (totals[0].min(totals[1]), totals[0].max(totals[1]));
    let near = |mass: f64| mass >= more * (1.0 - ROUNDING_SHARE);
    matches!(question.marginals(), Marginals::Mass(mass) if near(mass) && near(less))
}

/// A plan of all the mass, in the unit of the weights.
fn everything<T: Scalar>(found: Transport, question: &Question<'_, T>) -> Transport {
    let total = question.source().total();
    let mut found = found;
    if total != 1.0 {
        found.cost *= total;
        found.lower_bound = found.lower_bound.map(|bound| bound * total);
        found.coupling = found.coupling.map(|plan| plan.scaled(total));
    }
    let nobody = || Fact::Masses(Vec::new());
    found.facts.extend([
        ("moved", Fact::Number(total)),
        ("moved_share", Fact::Number(1.0)),
        ("multiplier", Fact::Nothing),
        ("unmatched_source", nobody()),
        ("unmatched_target", nobody()),
    ]);
    found.remarks.insert(0, Remark::new("moved", "all of the mass"));
    found
}

/// The answer with its story, its facts and its remarks.
fn told<T: Scalar>(mut found: Transport, question: &Question<'_, T>, by: By, run: &Run<'_>) -> Transport {
    let Sizes { n, m, .. } = question.sizes();
    let way = match by {
        By::Line => "all masses at once along the line".to_string(),
        By::Simplex => format!("simplex with dummies, {}", counted(found.steps, "step")),
        By::Auction => format!("an auction in which both sides bid, {}", counted(found.steps, "bid")),
    };
    let mut story = format!("a part of the mass of {} points to {}: {way}", grouped(n), grouped(m));
    if matches!(found.stop, Stop::Interrupted | Stop::TimeLimit) {
        story.push_str(", stopped before the end");
    }
    let own = match found.method {
        "auto" => {
            let solver = match by {
                By::Line => "line",
                By::Simplex => "exact",
                By::Auction => "auction",
            };
            vec![("solver", Fact::Text(solver.into())), ("trees", Fact::Count(0)), ("passes", Fact::Count(0))]
        }
        _ => {
            let p = found.exponent.map_or(Fact::Nothing, Fact::Number);
            vec![("p", p), ("iterations", Fact::Count(found.steps))]
        }
    };
    found.remarks =
        vec![Remark::new("moved", how_much(&found, question)), Remark::new("method", story.clone())];
    found.facts = own.into_iter().chain(found.facts).collect();
    super::asked::noted(Transport { story, ..found }, question, run)
}

/// How much moved and who stayed, in words.
fn how_much<T: Scalar>(found: &Transport, question: &Question<'_, T>) -> String {
    let (source, target) = (question.source(), question.target());
    let (moved, share) = (found.number("moved").unwrap_or(0.0), found.number("moved_share").unwrap_or(0.0));
    let stayed = |name: &str| match found.fact(name) {
        Some(Fact::Masses(masses)) => masses.len(),
        _ => 0,
    };
    let per_cent = |share: f64| {
        let rounded = format!("{:.2}", 100.0 * share);
        format!("{} %", rounded.trim_end_matches('0').trim_end_matches('.'))
    };
    let of = match source.total() == target.total() {
        true => "of the mass".to_string(),
        false => {
            let (a, b) = (moved / source.total(), moved / target.total());
            format!("of the smaller total ({} of the source, {} of the target)", per_cent(a), per_cent(b))
        }
    };
    format!(
        "{} {of}; mass stayed at {} of the source and {} of the target",
        per_cent(share),
        counted(stayed("unmatched_source"), "point"),
        counted(stayed("unmatched_target"), "point")
    )
}
