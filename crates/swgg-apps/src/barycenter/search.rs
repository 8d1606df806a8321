//! The door: which way a barycenter is found.

use swgg::{Measure, Run};

use super::error::Result;
use super::inputs::Inputs;
use super::iteration::Iteration;
use super::outcome::Barycenter;
use super::plans::PlanMaker;
use super::settings::Settings;
use super::{between, bound, start};

/// The cloud in the middle of several: see the page of the module.
///
/// The run says the seed, the threads, when to stop and whether to look for a lower bound; its observer is told about plans,
/// `tried` of at most `total`, and may stop: then the best so far is the answer.
///
/// ```
/// use swgg::{Measure, Run};
/// use swgg_apps::barycenter::{PlanMaker, Settings, barycenter};
///
/// let square = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
/// let moved = |x: f64, y: f64| square.chunks(2).flat_map(|p| [p[0] + x, p[1] + y]).collect::<Vec<f64>>();
/// let clouds = [(0.0, 0.0), (9.0, 0.0), (0.0, 3.0)].map(|(x, y)| Measure::from_vec(moved(x, y), 2).unwrap());
/// let found = barycenter(&clouds, &PlanMaker::default(), &Settings::default(), &mut Run::default())?;
/// // A square again, in the mean of the three places.
/// let mut corners: Vec<[f64; 2]> = found.support.points().chunks(2).map(|p| [p[0].round(), p[1].round()]).collect();
/// corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
/// assert_eq!(corners, [[3.0, 1.0], [3.0, 2.0], [4.0, 1.0], [4.0, 2.0]]);
/// assert!((found.objective - 20.0).abs() < 1e-9);
/// # Ok::<(), swgg_apps::barycenter::Error>(())
/// ```
pub fn barycenter(
    clouds: &[Measure<'_, f64>],
    maker: &PlanMaker<'_>,
    settings: &Settings,
    run: &mut Run<'_>,
) -> Result<Barycenter> {
    let inputs = Inputs::new(clouds, settings)?;
    maker.check()?;
    let is_free = settings.start.is_none() && settings.points.is_none();
    if inputs.clouds.len() == 1 && is_free {
        return between::alone(&inputs, maker);
    }
    // As many points as two clouds have is what the geodesic of a matching has.
    let is_pairable = inputs
        .clouds
        .iter()
        .all(|cloud| settings.start.is_none() && cloud.is_uniform() && Some(cloud.len()) == settings.points);
    if inputs.clouds.len() == 2 && (is_free || is_pairable) {
        return between::geodesic(&inputs, maker, run);
    }
    let start = match &settings.start {
        Some(start) => start.clone(),
        None => start::drawn(&inputs, settings.points.unwrap_or(inputs.usual_points()), run.seed)?,
    };
    let found = Iteration::new(&inputs, maker, start, settings, run)?.run(settings.ending, run)?;
    let workers = run.workers()?;
    let lower_bound = if run.bounds { bound::pairs(&inputs, &workers)? } else { None };
    // Rounding must not put the bound above what it bounds.
    let lower_bound = lower_bound.map(|bound| bound.min(found.objective));
    Ok(Barycenter { lower_bound, ..found })
}
