//! The page of a transport: two clouds, the plan between them, and what it costs.

use swgg::{CostIs, Measure, Scalar, Transport};

use super::chart::{histogram, interval};
use super::plan::{Way, seen};
use super::scene::Scene;
use super::{Origin, Page};
use crate::exit::Outcome;
use crate::printer::{grouped, number, percent};
use crate::report::{Report, TransportReport};

/// What `solve` and `interpolate` found.
pub fn transport<T: Scalar>(
    clouds: [&Measure<'_, T>; 2],
    found: &Transport,
    report: &TransportReport,
) -> Outcome<Page> {
    let origin = Origin::of_this_command().with_seed(report.seed, report.threads);
    let (n, m) = (grouped(report.n), grouped(report.m));
    let what = match (&found.coupling, report.cost_is) {
        (Some(_), CostIs::Optimal | CostIs::Upper) => {
            format!("Moving {n} points onto {m} costs {} ({}).", number(report.cost), power(found.exponent))
        }
        _ => format!("Between {n} and {m} points {} says {}.", report.method, number(report.cost)),
    };
    let words = bounds(report.cost, report.lower_bound, report.cost_is);
    let lead = if found.coupling.is_some() { format!("{what} {words}") } else { what };
    let mut page = Page::about(&report.summary(), lead, origin);
    let way = match (&found.coupling, &found.image) {
        (Some(plan), _) => Way::Plan(plan),
        (None, Some(image)) => Way::Map(image),
        (None, None) => Way::Nothing,
    };
    draw(&mut page, clouds, way, found.exponent)?;
    if found.coupling.is_some() && report.lower_bound.is_some() {
        page.section("How good it is", interval(report.cost, report.lower_bound, &words));
    }
    costs(&mut page);
    Ok(page)
}

/// What a page says about a plan that somebody else made.
pub struct Told {
    /// The head of the page.
    pub title: String,
    /// Names and values, for the table.
    pub facts: Vec<(String, String)>,
    /// Not rooted.
    pub cost: f64,
    /// What no plan costs less than, if that is known.
    pub lower_bound: Option<f64>,
    /// Power of the distances; `None` for other costs.
    pub exponent: Option<f64>,
}

/// A page about any plan, or about two clouds without one; for the Python package.
pub fn of_plan<T: Scalar>(clouds: [&Measure<'_, T>; 2], way: Way<'_>, told: Told) -> Outcome<Page> {
    let has_plan = matches!(way, Way::Plan(_));
    let cost_is = if has_plan { CostIs::Upper } else { CostIs::Other };
    let words = bounds(told.cost, told.lower_bound, cost_is);
    let (n, m) = (grouped(clouds[0].len()), grouped(clouds[1].len()));
    let costs_told = format!("costs {} ({})", number(told.cost), power(told.exponent));
    let lead = match has_plan {
        true => format!("Moving {n} points onto {m} {costs_told}. {words}"),
        false => format!("Moving {n} points onto {m} {costs_told}."),
    };
    let mut page = Page { title: told.title, lead, facts: told.facts, ..Page::default() };
    draw(&mut page, clouds, way, told.exponent)?;
    if has_plan && told.lower_bound.is_some() {
        page.section("How good it is", interval(told.cost, told.lower_bound, &words));
    }
    costs(&mut page);
    Ok(page)
}

/// The canvas of two clouds.
fn draw<T: Scalar>(
    page: &mut Page,
    clouds: [&Measure<'_, T>; 2],
    way: Way<'_>,
    exponent: Option<f64>,
) -> Outcome<()> {
    let mut scene = Scene::new(seen(clouds, way, exponent, 3)?);
    scene.lines = matches!(way, Way::Plan(_) | Way::Map(_));
    page.scene = Some(scene);
    Ok(())
}

/// The histogram of what is drawn.
fn costs(page: &mut Page) {
    if let Some(paid) = page.scene.as_ref().and_then(|scene| scene.paid.as_ref()) {
        let chart = histogram(paid);
        page.section("Cost of each point", chart);
    }
}

/// What the cost is a power of.
fn power(exponent: Option<f64>) -> String {
    match exponent {
        Some(2.0) => "mean squared distance".to_string(),
        Some(1.0) => "mean distance".to_string(),
        Some(p) => format!("mean distance to the power {p}"),
        None => "by the cost that was asked for".to_string(),
    }
}

/// How good a plan is, in a sentence.
pub fn bounds(cost: f64, lower_bound: Option<f64>, cost_is: CostIs) -> String {
    let gap = lower_bound.and_then(|bound| crate::report::gap(cost, bound));
    match (cost_is, lower_bound, gap) {
        (CostIs::Optimal, ..) => "That is the optimum: no plan costs less.".to_string(),
        (_, Some(_), Some(gap)) if gap <= 1e-9 => {
            "That is the optimum, to rounding: no plan costs less.".to_string()
        }
        (_, Some(bound), Some(gap)) if gap < 1.0 => format!(
            "The optimum lies between {} and {}: the plan is certified to be within {} of it.",
            number(bound),
            number(cost),
            percent(gap)
        ),
        (_, Some(bound), _) => format!(
            "The optimum lies between {} and {}; the lower bound is weak, and says little about the plan.",
            number(bound),
            number(cost)
        ),
        (_, None, _) => "How far that is from the optimum was not looked into.".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swgg::Coupling;

    #[test]
    fn bounds_in_words() {
        let words = |cost, bound| bounds(cost, bound, CostIs::Upper);
        assert!(
            words(1.005, Some(1.0)).ends_with("within 0.5 % of it.")
                || words(1.005, Some(1.0)).contains("0.5")
        );
        assert!(words(1.0, Some(1.0)).starts_with("That is the optimum"));
        assert!(words(9.0, Some(1.0)).contains("weak"));
        assert!(words(9.0, Some(0.0)).contains("weak"));
        assert!(words(9.0, None).contains("not looked into"));
        assert!(bounds(1.0, None, CostIs::Optimal).starts_with("That is the optimum"));
    }

    #[test]
    fn a_page_of_a_plan_has_everything() {
        let mu = Measure::from_vec(vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2).unwrap();
        let nu = Measure::from_vec(vec![3.0, 1.0, 4.0, 1.0, 3.0, 2.0], 2).unwrap();
        let plan = Coupling::from_map(vec![0, 1, 2]).unwrap();
        let facts = vec![("method".to_string(), "by hand <&>".to_string())];
        let told = Told {
            title: "Three".to_string(),
            facts,
            cost: 10.0,
            lower_bound: Some(10.0),
            exponent: Some(2.0),
        };
        let text = of_plan([&mu, &nu], Way::Plan(&plan), told).unwrap().html();
        for words in [
            "<h1>Three</h1>",
            "costs 10.0000 (mean squared distance). That is the optimum",
            "id=\"walk\"",
            "class=\"histogram\"",
            "class=\"interval\"",
            "by hand &lt;&amp;&gt;",
            "<noscript><svg",
            "swgg ",
        ] {
            assert!(text.contains(words), "no {words} in {text}");
        }
        let nothing =
            Told { title: String::new(), facts: Vec::new(), cost: 1.0, lower_bound: None, exponent: None };
        let text = of_plan([&mu, &nu], Way::Nothing, nothing).unwrap().html();
        assert!(!text.contains("id=\"walk\"") && text.contains("only the clouds are drawn"));
    }
}
