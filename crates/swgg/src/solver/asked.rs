//! Whether the gap that was asked for was reached, in words.

use crate::answer::{CostIs, Fact, Remark, Transport, percent};
use crate::number::scalar::Scalar;
use crate::pricing::MAX_TREE_DIM;
use crate::question::Question;
use crate::run::Run;
use crate::run::stop::Stop;

/// A gap that is above the one asked for by this share of it is that one, to rounding.
const ROUNDING_SHARE: f64 = 1e-6;

/// The answer with the gap that the run asked for among its facts and, if it was missed, with a sentence on that: in the story, in the
/// facts for scripts, in the remarks for people.
pub(super) fn noted<T: Scalar>(mut found: Transport, question: &Question<'_, T>, run: &Run<'_>) -> Transport {
    let Some(asked) = run.gap else { return found };
    found.facts.push(("gap_asked", Fact::Number(asked)));
    let reached = found.gap();
    if found.cost_is == CostIs::Optimal || reached.is_some_and(|gap| gap <= asked * (1.0 + ROUNDING_SHARE)) {
        return found;
    }
    // As it was typed, but for the last digits of a product.
    let wanted = (1e11 * asked).round() / 1e9;
    let reached = reached.map_or("nothing".to_string(), percent);
    let (missed, why) = (format!("within {wanted} %; certified: {reached}"), why(&found, question, run));
    found.remarks.extend([Remark::new("asked", missed.clone()), Remark::new("", why)]);
    let missed = format!("asked: {missed} - {why}");
    found.story = format!("{}; {missed}", found.story);
    found.facts.push(("gap_missed", Fact::Text(missed)));
    found
}

/// What was in the way of a smaller gap.
fn why<T: Scalar>(found: &Transport, question: &Question<'_, T>, run: &Run<'_>) -> &'static str {
    match found.stop {
        Stop::TimeLimit => "time limit reached",
        Stop::Interrupted => "stopped before",
        _ if !matches!(found.cost_is, CostIs::Upper | CostIs::Optimal) => "the cost is not that of a plan",
        _ if found.lower_bound.is_none() && !run.bounds => "no bound was looked for",
        _ if !matches!(found.method, "auto" | "exact") => "only auto and exact go on until it is certified",
        _ if question.sizes().d > MAX_TREE_DIM => "not certified further beyond dimension 8",
        _ => "no better bound was found",
    }
}

#[cfg(test)]
mod tests {
    use swgg_testkit::gaussian_pair;

    use super::*;
    use crate::measure::Measure;
    use crate::solver::{Auto, MinSwgg, Solver};

    fn missed(found: &Transport) -> Option<&str> {
        match found.fact("gap_missed")? {
            Fact::Text(text) => Some(text),
            _ => None,
        }
    }

    #[track_caller]
    fn ask(found: &Transport, start: &str, end: &str) {
        let said = missed(found).unwrap();
        assert!(said.starts_with(start) && said.ends_with(end), "{said}");
        assert!(found.story.ends_with(said) && found.remarks.iter().any(|remark| remark.label == "asked"));
        assert!(found.number("gap_asked").is_some());
    }

    #[test]
    fn what_was_missed_is_said_with_the_reason() {
        let (x, y) = gaussian_pair(900, 3, 3, 4);
        let (mu, nu) =
            (Measure::from_slice(&x.points, 3).unwrap(), Measure::from_slice(&y.points, 3).unwrap());
        let question = Question::new(&mu, &nu).unwrap();
        let run = |gap| Run::default().within(gap).unwrap();
        let met = Auto::default().answer(&question, &mut run(0.07)).unwrap();
        assert!(
            missed(&met).is_none() && met.number("gap_asked") == Some(0.07) && !met.story.contains("asked")
        );
        let other = MinSwgg::default().answer(&question, &mut run(1e-3)).unwrap();
        ask(&other, "asked: within 0.1 %; certified: ", " - only auto and exact go on until it is certified");
        let bare = MinSwgg::default().answer(&question, &mut run(0.07).without_bounds()).unwrap();
        ask(&bare, "asked: within 7 %; certified: nothing", " - no bound was looked for");
        let deadline = Some(std::time::Instant::now());
        let late = Auto::default().answer(&question, &mut Run { deadline, ..run(1e-6) }).unwrap();
        ask(&late, "asked: within 0.0001 %; certified: ", " - time limit reached");
        // Without a gap that was asked for, nothing is said of one.
        let plain = Auto::default().answer(&question, &mut Run::default()).unwrap();
        assert!(plain.fact("gap_asked").is_none() && missed(&plain).is_none());
    }
}
