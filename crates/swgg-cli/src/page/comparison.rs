//! The page of a comparison: what methods pay, and how long they take.

use swgg::{Measure, Scalar};

use super::html::{escaped, grid};
use super::plan::{Way, seen};
use super::scene::Scene;
use super::{Origin, Page};
use crate::exit::Outcome;
use crate::printer::{counted, duration, grouped, number, percent};
use crate::report::{ComparisonReport, ComparisonRow, Report};

pub fn comparison<T: Scalar>(clouds: [&Measure<'_, T>; 2], report: &ComparisonReport) -> Outcome<Page> {
    let origin = Origin::of_this_command().with_seed(report.seed, report.threads);
    let lead = match (report.best, report.cost, report.lower_bound) {
        (Some(best), Some(cost), Some(bound)) => format!(
            "The cheapest plan is that of {best}, {} (mean squared distance); no plan costs less than {}.",
            number(cost),
            number(bound)
        ),
        (Some(best), Some(cost), None) => {
            format!("The cheapest plan is that of {best}, {} (mean squared distance).", number(cost))
        }
        _ => "None of these methods has a plan.".to_string(),
    };
    let mut page = Page::about(&report.summary(), lead, origin);
    page.facts = vec![
        ("source".to_string(), counted(report.n, "point")),
        ("target".to_string(), counted(report.m, "point")),
        ("dimension".to_string(), grouped(report.d)),
        ("time limit".to_string(), format!("{} for each method", duration(report.time_limit))),
    ];
    page.section("Cost against time", scatter(report));
    page.section("Methods", methods(report));
    if !report.left_out.is_empty() {
        let left = report.left_out.iter().map(|left| {
            format!("<li><b>{}</b> {}</li>", escaped(left.method), escaped(left.reason.trim_end_matches('.')))
        });
        page.section("Left out", format!("<ul>{}</ul>\n", left.collect::<String>()));
    }
    let mut scene = Scene::new(seen(clouds, Way::CloudsAlone, None, 3)?);
    scene.lines = false;
    page.scene = Some(scene);
    Ok(page)
}

/// The colour of a method, and its number.
fn badge(k: usize) -> String {
    format!("<b class=\"badge\" style=\"{}\">{}</b>", color(k), k + 1)
}

/// Hues that are far from those of the methods before: steps of the golden angle; darker where they come near again.
fn color(k: usize) -> String {
    format!("--hue:{};--light:{}%", (210 + k * 137) % 360, if k < 8 { 40 } else { 26 })
}

/// A disc for every method: to the right the slow ones, above the dear ones.
fn scatter(report: &ComparisonReport) -> String {
    let rows = &report.methods;
    let seconds = |row: &ComparisonRow| row.seconds.max(1e-6).log10();
    let fold = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let (quick, slow) = fold(&mut rows.iter().map(seconds));
    let (cheap, dear) = fold(&mut rows.iter().map(|row| row.cost).chain(report.lower_bound));
    // Costs further apart than this are drawn by their logarithms.
    let powers = cheap > 0.0 && dear > 8.0 * cheap;
    let height = |cost: f64| if powers { cost.max(1e-300).log10() } else { cost };
    let share = |x: f64, low: f64, high: f64| if high > low { (x - low) / (high - low) } else { 0.5 };
    let up = |cost: f64| 8.0 + 84.0 * share(height(cost), height(cheap), height(dear));
    let mut dots = String::new();
    if let Some(bound) = report.lower_bound {
        dots += &format!("<i class=\"floor\" style=\"bottom:{:.2}%\"></i>", up(bound));
    }
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let left = 5.0 + 90.0 * share(seconds(row), quick, slow);
        // Methods that pay and take the same stand beside each other.
        let near = |at: &&(f64, f64)| (at.0 - left).abs() < 3.0 && (at.1 - up(row.cost)).abs() < 6.0;
        let nudge = taken.iter().filter(near).count();
        taken.push((left, up(row.cost)));
        let told = format!("{}: {} in {}", row.method, number(row.cost), duration(row.seconds));
        let class = if row.is_plan() { "disc" } else { "disc other" };
        dots += &format!(
            "<b class=\"{class}\" style=\"{};--nudge:{nudge};left:{left:.2}%;bottom:{:.2}%\" title=\"{}\">{}</b>",
            color(k),
            up(row.cost),
            escaped(&told),
            k + 1
        );
    }
    let others = if rows.iter().all(ComparisonRow::is_plan) {
        ""
    } else {
        " Squares are not costs of plans but bounds, or neither."
    };
    let floor = if report.lower_bound.is_some() { " No plan is below the dashed line." } else { "" };
    let scale = if powers { " (logarithmic)" } else { "" };
    format!(
        "<p>To the right the slow methods, above the dear ones{scale}; numbers are those of the table.{floor}{others}</p>\n\
         <div class=\"scatter\" role=\"img\" aria-label=\"cost against time, as in the table below\">{dots}</div>\n\
         <div class=\"ends\"><span>{}</span><span>time, logarithmic</span><span>{}</span></div>\n",
        duration(10f64.powf(quick)),
        duration(10f64.powf(slow)),
    )
}

/// A row per method, with bars.
fn methods(report: &ComparisonReport) -> String {
    let rows = &report.methods;
    let most = |pick: fn(&ComparisonRow) -> f64| rows.iter().map(pick).fold(0.0, f64::max);
    let (dear, slow) = (most(|row| row.cost), most(|row| row.seconds));
    let bar = |k: usize, x: f64, most: f64| {
        let share = if most > 0.0 { (100.0 * x / most).clamp(0.0, 100.0) } else { 0.0 };
        format!("<i class=\"bar\" style=\"{};width:{share:.1}%\"></i>", color(k))
    };
    let row = |(k, row): (usize, &ComparisonRow)| {
        let dash = || "-".to_string();
        vec![
            badge(k),
            escaped(row.method),
            number(row.cost),
            format!("<div class=\"track\">{}</div>", bar(k, row.cost, dear)),
            escaped(row.cost_is.name()),
            row.gap.map_or_else(dash, |gap| if gap <= 1e-9 { "0".to_string() } else { percent(gap) }),
            duration(row.seconds),
            format!("<div class=\"track\">{}</div>", bar(k, row.seconds, slow)),
            row.memory
                .map_or_else(dash, |bytes| format!("{} MB", grouped((bytes as f64 / 1e6).round() as usize))),
            escaped(row.stop),
        ]
    };
    let rows: Vec<Vec<String>> = rows.iter().enumerate().map(row).collect();
    grid(&["", "method", "cost", "", "is", "gap", "time", "", "memory", "ended"], &rows)
}
