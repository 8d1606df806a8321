//! The page of a flow: particles on their way, and how the loss fell.

use swgg::{Measure, Scalar};
use swgg_apps::flow::Snapshot;

use super::chart::curve;
use super::lens::Lens;
use super::plan::Seen;
use super::scene::Scene;
use super::track::{Track, some};
use super::{Origin, Page};
use crate::exit::Outcome;
use crate::printer::{counted, grouped, number};
use crate::report::{FlowReport, Report};

/// Moments that are kept: more are not told apart on a slider.
const MOST_FRAMES: usize = 41;
/// Bytes of all moments together.
const MOST_BYTES: usize = 1_500_000;
/// Points of the target.
const MOST_TARGETS: usize = 30_000;

pub fn flow<T: Scalar>(
    [source, target]: [&Measure<'_, T>; 2],
    snapshots: &[Snapshot],
    report: &FlowReport,
) -> Outcome<Page> {
    let origin = Origin::of_this_command().with_seed(report.seed, report.threads);
    let mut page = Page::about(&report.summary(), lead(report), origin);
    let lens = Lens::new(&[source, target], 3)?;
    let moments: Vec<&Snapshot> =
        some(snapshots.len(), MOST_FRAMES).into_iter().filter_map(|k| snapshots.get(k)).collect();
    // The last one is where the particles are.
    let moments: Vec<&Snapshot> = match (moments.last(), snapshots.last()) {
        (Some(drawn), Some(last)) if drawn.step != last.step => {
            moments[..moments.len() - 1].iter().copied().chain([last]).collect()
        }
        _ => moments,
    };
    let each = (MOST_BYTES / (2 * lens.dim() * moments.len().max(1))).max(500);
    let numbers = some(source.len(), each);
    let frame = |snapshot: &&Snapshot| {
        let mut places = Vec::with_capacity(numbers.len() * lens.dim());
        numbers.iter().for_each(|&i| lens.see(&snapshot.points.row(i).to_vec(), 0.0, &mut places));
        places
    };
    let particles = Track {
        name: "source".to_string(),
        end: Some("particles".to_string()),
        colors: [0, 2],
        frames: moments.iter().map(frame).collect(),
        of: source.len(),
        ..Track::default()
    };
    let mut reached = Vec::new();
    let shown = some(target.len(), MOST_TARGETS);
    shown.iter().for_each(|&j| lens.see(target.point(j), 1.0, &mut reached));
    let tracks = vec![particles, Track::still("target", 1, reached, target.len())];
    let mut notes: Vec<String> = lens.told().map(String::from).into_iter().collect();
    for track in &tracks {
        let drawn = track.len(lens.dim());
        if drawn < track.of {
            notes.push(format!(
                "{} of {} points are drawn ({}).",
                grouped(drawn),
                grouped(track.of),
                track.name
            ));
        }
    }
    if moments.len() < snapshots.len() {
        notes.push(format!("{} of {} moments are shown.", moments.len(), grouped(snapshots.len())));
    }
    let mut scene = Scene::new(Seen { dim: lens.dim(), plain: lens.is_plain(), tracks, paid: None, notes });
    scene.steps = Some(moments.iter().map(|snapshot| snapshot.step).collect());
    scene.ends = ["the first step", "the last step"];
    page.scene = Some(scene);
    let over_steps = |values: &mut dyn Iterator<Item = Option<f64>>| -> Vec<(f64, f64)> {
        values.enumerate().filter_map(|(step, value)| Some((step as f64, value?))).collect()
    };
    let distances = over_steps(&mut report.distances.iter().copied());
    let chart = curve(&distances, "step", "Exact distance W2 to the target");
    if !chart.is_empty() {
        page.section("Distance", chart);
    }
    let losses = over_steps(&mut report.losses.iter().copied().map(Some));
    let chart = curve(&losses, "step", &format!("Loss {}, not rooted", report.loss));
    if !chart.is_empty() {
        page.section("Loss", chart);
    }
    Ok(page)
}

fn lead(report: &FlowReport) -> String {
    let steps = counted(report.steps, "step");
    let fell = match (report.losses.first(), report.losses.last()) {
        (Some(first), Some(last)) => {
            format!("In {steps} the loss {} went from {} to {}.", report.loss, number(*first), number(*last))
        }
        _ => format!("{steps} along the loss {}.", report.loss),
    };
    let known = || report.distances.iter().flatten();
    match (known().next(), known().last()) {
        (Some(first), Some(last)) if known().count() > 1 => {
            format!("{fell} The exact distance W2 went from {} to {}.", number(*first), number(*last))
        }
        _ => fell,
    }
}
