//! Registration of two clouds.

use std::time::Instant;

use swgg::run::Halt;
use swgg::{Measure, Observe, Scalar};

use super::confidence::Judge;
use super::error::Result;
use super::indexed_cloud::IndexedPair;
use super::inputs::Inputs;
use super::motion::Motion;
use super::outcome::{Registration, Seconds, Stop};
use super::refinement::{Refined, Refinement, SAME_SPACINGS};
use super::settings::{Overlap, Settings, Start};
use super::start;
use super::story::Story;

/// So much of what overlaps has to be in place for the clouds not to be moved; by chance it is a fifteenth of a surface.
const IN_PLACE_SHARE: f64 = 0.9;
/// What overlaps where nobody says how much.
const IN_PLACE_OVERLAP: f64 = 0.5;

/// The motion that brings the source onto the target.
///
/// Points are matched and the best motion for the matches is fitted, in turn, until nothing moves (the paper's section on point cloud
/// registration). From a bad pose that ends in a wrong one, so unless a start is given many poses are tried first.
///
/// ```
/// use swgg::Measure;
/// use swgg_apps::registration::{Settings, align};
/// let source = Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 1.0, 2.0, 0.5], 2)?;
/// // Turned by a quarter, and moved by (10, 20).
/// let target = Measure::from_slice(&[10.0, 20.0, 10.0, 24.0, 9.0, 20.0, 9.5, 22.0], 2)?;
/// let found = align(&source, &target, &Settings::default())?;
/// assert!(found.rms < 1e-9);
/// assert!((found.motion.translation[1] - 20.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Clouds of different dimension, of fewer than `d + 1` points or all in one place, and settings that make no sense.
pub fn align<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
) -> Result<Registration> {
    align_watched(source, target, settings, &mut ())
}

/// [`align`] with an observer, which is told about every step from the pose that was chosen, and may stop.
pub fn align_watched<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
    watch: &mut dyn Observe,
) -> Result<Registration> {
    let unit = unit(source, target);
    if unit == 1.0 {
        return aligned(source, target, settings, watch);
    }
    let settings = Settings {
        start: match &settings.start {
            Start::At(pose) => Start::At(moved_unit(pose.clone(), unit)),
            Start::Global => Start::Global,
        },
        ..settings.clone()
    };
    let mut found = aligned(&in_unit(source, unit)?, &in_unit(target, unit)?, &settings, watch)?;
    // Two divisions: the square of the unit may be no number.
    (found.motion, found.rms) = (moved_unit(found.motion, 1.0 / unit), found.rms / unit);
    found.cost = found.cost / unit / unit;
    for step in &mut found.steps {
        step.motion = moved_unit(step.motion.clone(), 1.0 / unit);
        step.cost = step.cost / unit / unit;
    }
    Ok(found)
}

/// A power of two by which coordinates come near 1 where their squares would leave the range of numbers; nothing is rounded by it.
fn unit<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> f64 {
    const SAFE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;
    let largest = |measure: &Measure<T>| {
        (0..measure.len()).flat_map(|i| measure.point(i)).fold(0.0_f64, |most, x| most.max(x.to_f64().abs()))
    };
    let largest = largest(source).max(largest(target));
    if largest == 0.0 || !largest.is_finite() || SAFE.contains(&largest) {
        return 1.0;
    }
    // Both it and its inverse are numbers.
    2.0_f64.powi((-largest.log2().round() as i32).clamp(-1000, 1000))
}

fn in_unit<T: Scalar>(measure: &Measure<T>, unit: f64) -> Result<Measure<'static, f64>> {
    let points = (0..measure.len()).flat_map(|i| measure.point(i)).map(|x| x.to_f64() * unit).collect();
    let scaled = Measure::from_vec(points, measure.dim())?;
    Ok(match measure.weights() {
        Some(weights) => scaled.with_weights(weights)?,
        None => scaled,
    })
}

fn moved_unit(motion: Motion, unit: f64) -> Motion {
    Motion { translation: motion.translation * unit, ..motion }
}

fn aligned<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
    watch: &mut dyn Observe,
) -> Result<Registration> {
    let clock = Instant::now();
    let mut inputs = Inputs::new(source, target, settings)?;
    // Plans between large clouds take a while, and hear of Ctrl-C meanwhile.
    inputs.workers = inputs.workers.until(Halt::default().hearing(watch.flag()));
    let (begin, candidates) = match &settings.start {
        Start::At(pose) => (pose.clone(), None),
        // The same points in the same order are where they belong.
        Start::Global if inputs.source.points == inputs.target.points => {
            (Motion::identity(source.dim()), None)
        }
        Start::Global => {
            let candidates = start::search(&inputs)?;
            (candidates.best()?, Some(candidates))
        }
    };
    let thinned = inputs.thinned()?;
    let begin = match &candidates {
        Some(_) if is_in_place(&inputs, &thinned)? => Motion::identity(source.dim()),
        _ => begin,
    };
    let start = clock.elapsed().as_secs_f64();
    let mut story = Story::new(settings, watch);
    let refined = Refinement { inputs: &inputs, thinned: &thinned, story: &mut story }.run(begin)?;
    let judge = Judge { inputs: &inputs, thinned: &thinned };
    let confidence = match candidates {
        None => judge.alone(&refined)?,
        Some(candidates) => judge.among(&candidates, &refined, story.stop == Some(Stop::Interrupted))?,
    };
    let seconds = Seconds { start, iterate: clock.elapsed().as_secs_f64() - start };
    let Refined { motion, cost, overlap } = refined;
    let (stop, steps) = (story.ending(), story.steps);
    Ok(Registration { motion, overlap, cost, rms: cost.sqrt(), steps, stop, confidence, seconds })
}

/// Whether the clouds are the same points, but for little, and where they belong: samples for poses would not tell.
fn is_in_place(inputs: &Inputs, thinned: &IndexedPair) -> Result<bool> {
    let overlap = match inputs.settings.overlap {
        Overlap::Share(share) => share,
        Overlap::Auto => IN_PLACE_OVERLAP,
    };
    let identity = Motion::identity(inputs.source.dim());
    let near = thinned.share_within(&identity, SAME_SPACINGS * thinned.spacing_sq, &inputs.workers)?;
    Ok(near >= IN_PLACE_SHARE * overlap)
}
