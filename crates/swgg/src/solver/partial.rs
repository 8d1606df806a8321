//! Questions about a part of the mass: which settings ask them, and who answers.

use crate::answer::{Fact, Remark, Transport, counted, grouped};
use crate::error::{ErrorKind, Result};
use crate::exact::partial;
use crate::number::scalar::Scalar;
use crate::question::{Marginals, Question, Side, Sizes};
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
    let found = partial::partial(question, run)?;
    let stop = run.reason(found.stop);
    Ok(told(Transport { method, stop, ..found }, question, run))
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
fn told<T: Scalar>(mut found: Transport, question: &Question<'_, T>, run: &Run<'_>) -> Transport {
    let Sizes { n, m, .. } = question.sizes();
    let mut story = format!("a part of the mass of {} points to {}, exact", grouped(n), grouped(m));
    if matches!(found.stop, Stop::Interrupted | Stop::TimeLimit) {
        story.push_str(", stopped before the end");
    }
    let own = match found.method {
        "auto" => vec![
            ("solver", Fact::Text("exact".into())),
            ("trees", Fact::Count(0)),
            ("passes", Fact::Count(0)),
        ],
        _ => {
            story = format!("{story}: simplex, {}", counted(found.steps, "step"));
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
