//! The page of a barycenter: every cloud on its way to the middle.

use swgg::Measure;
use swgg_apps::barycenter::Barycenter;

use super::chart::{curve, interval};
use super::html::{escaped, grid};
use super::lens::Lens;
use super::plan::{MOST_POINTS, Seen};
use super::scene::Scene;
use super::track::{Track, some};
use super::{Origin, Page};
use crate::exit::Outcome;
use crate::printer::{counted, grouped, number, percent};
use crate::report::{BarycenterReport, Report};

/// Colours of clouds: all but that of the middle.
const COLORS: [usize; 9] = [1, 4, 5, 6, 3, 8, 9, 7, 2];
/// Points of the barycenter that are drawn.
const MOST_MIDDLE: usize = 30_000;

pub fn barycenter(
    clouds: &[Measure<'_, f64>],
    names: &[String],
    found: &Barycenter,
    report: &BarycenterReport,
) -> Outcome<Page> {
    let origin = Origin::of_this_command().with_seed(report.seed, report.threads);
    let (points, many) = (counted(report.points, "point"), counted(clouds.len(), "cloud"));
    let words = match (report.lower_bound, report.gap) {
        (Some(bound), Some(gap)) if gap < 1.0 => format!(
            "No cloud at all is below {}: this one is certified to be within {} of the least.",
            number(bound),
            percent(gap)
        ),
        (Some(bound), _) => format!("No cloud at all is below {}.", number(bound)),
        (None, _) => "How far that is from the least was not looked into.".to_string(),
    };
    let lead = format!(
        "{points} in the middle of {many}: their weighted sum of squared distances is {}. {words}",
        number(report.objective)
    );
    let mut page = Page::about(&report.summary(), lead, origin);
    page.scene = Some(scene(clouds, names, found)?);
    if report.lower_bound.is_some() {
        page.section("How good it is", interval(report.objective, report.lower_bound, &words));
    }
    page.section("Clouds", table(names, report));
    let objectives: Vec<(f64, f64)> =
        found.steps.iter().enumerate().map(|(k, step)| ((k + 1) as f64, step.objective)).collect();
    let chart = curve(&objectives, "step", "Weighted sum of squared distances");
    if !chart.is_empty() {
        page.section("Steps", chart);
    }
    Ok(page)
}

/// Every cloud walks to the middle along its plan.
fn scene(clouds: &[Measure<'_, f64>], names: &[String], found: &Barycenter) -> Outcome<Scene> {
    let all: Vec<&Measure<'_, f64>> = clouds.iter().collect();
    let lens = Lens::new(&all, 3)?;
    let each = MOST_POINTS / clouds.len().max(1);
    let (last, mut tracks) = (clouds.len().max(2) - 1, Vec::new());
    let mut notes: Vec<String> = match clouds.first().map_or(0, Measure::dim) {
        1 => vec!["The points have one coordinate: clouds are drawn above each other.".to_string()],
        _ => lens.told().map(String::from).into_iter().collect(),
    };
    for (k, ((cloud, name), plan)) in clouds.iter().zip(names).zip(&found.plans).enumerate() {
        let color = COLORS[k % COLORS.len()];
        let level = k as f64 / last as f64;
        let Some(plan) = plan else {
            let numbers = some(cloud.len(), each);
            let mut points = Vec::new();
            numbers.iter().for_each(|&j| lens.see(cloud.point(j), level, &mut points));
            tracks.push(Track::still(&format!("{name} (weight 0)"), color, points, cloud.len()));
            continue;
        };
        let mut wanted = some(plan.len(), each).into_iter().peekable();
        let (mut from, mut to, mut masses) = (Vec::new(), Vec::new(), Vec::new());
        for (entry, (i, j, mass)) in plan.entries().enumerate() {
            if wanted.next_if_eq(&entry).is_some() {
                lens.see(cloud.point(j), level, &mut from);
                lens.see(found.support.point(i), 0.5, &mut to);
                masses.push(mass);
            }
        }
        if masses.len() < plan.len() {
            notes.push(format!(
                "{} of {} ways are drawn ({name}).",
                grouped(masses.len()),
                grouped(plan.len())
            ));
        }
        tracks.push(Track {
            name: name.clone(),
            colors: [color; 2],
            frames: vec![from, to],
            masses: (!plan.is_matching()).then_some(masses),
            of: plan.len(),
            ..Track::default()
        });
    }
    let numbers = some(found.support.len(), MOST_MIDDLE);
    let mut middle = Vec::new();
    numbers.iter().for_each(|&i| lens.see(found.support.point(i), 0.5, &mut middle));
    tracks.push(Track::still("barycenter", 0, middle, found.support.len()));
    let mut scene = Scene::new(Seen { dim: lens.dim(), plain: lens.is_plain(), tracks, paid: None, notes });
    scene.lines = false;
    scene.ends = ["the clouds", "the barycenter"];
    Ok(scene)
}

fn table(names: &[String], report: &BarycenterReport) -> String {
    let row = |(k, name): (usize, &String)| {
        let cost = report.costs[k];
        vec![
            format!("<i class=\"dot c{}\"></i>", COLORS[k % COLORS.len()]),
            escaped(name),
            grouped(report.sizes[k]),
            number(report.weights[k]),
            cost.map_or_else(|| "-".to_string(), number),
            cost.map_or_else(|| "-".to_string(), |cost| number(cost.sqrt())),
        ]
    };
    let rows: Vec<Vec<String>> = names.iter().enumerate().map(row).collect();
    grid(&["", "cloud", "points", "weight", "cost", "distance"], &rows)
}
