//! The seam between the loop of a registration and the ways to match points.

mod neighbors;
mod planes;
mod transport;

pub(super) use neighbors::NearestNeighbors;
pub(super) use planes::{Normals, Planes};
pub(super) use transport::{PlanKind, TransportPlans};

use super::cloud::Cloud;
use super::error::Result;
use super::motion::Motion;
use super::outcome::{Stage, Step};
use super::story::Story;

/// A way to match the points of two clouds, with the fit that belongs to it: points are fitted to points at once, points to planes in
/// small steps.
///
/// A new way to match is a file beside this one, a [`Stage`] and a place in `refinement`.
pub(super) trait Matcher {
    /// How points are matched, for the story.
    fn stage(&self) -> Stage;

    /// Matches points where the pose puts the source, and fits the next pose to the matches.
    fn step(&mut self, pose: &Motion) -> Result<Fit>;

    /// Whether the pose has settled, after a step that moved points by `change`.
    ///
    /// Asked after every step but the last one of a story, so a matcher may also prepare for the next step here.
    fn is_settled(&mut self, change: f64, tolerance: f64) -> bool {
        change <= tolerance
    }
}

/// What comes out of one step of a matcher.
pub(super) struct Fit {
    /// The next pose.
    pub motion: Motion,
    /// Matches that took part.
    pub points: usize,
    /// Mean squared distance of the matches before the fit.
    pub cost: f64,
}

/// When an iteration ends.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Steps at most.
    pub steps: usize,
    /// A step that moves points by no more than this share of the size of the cloud is the last one.
    pub tolerance: f64,
}

impl Limits {
    /// So many steps, however small they are.
    pub fn steps(steps: usize) -> Self {
        Limits { steps, tolerance: f64::NEG_INFINITY }
    }
}

/// Matches and fits in turn, from a pose and until it settles; the story, if there is one, may end it before.
///
/// Where a step fails the pose is that of the step before.
pub(super) fn iterate(
    matcher: &mut impl Matcher,
    source: &Cloud,
    pose: &mut Motion,
    limits: Limits,
    mut story: Option<&mut Story>,
) -> Result<()> {
    for _ in 0..limits.steps {
        let Fit { motion, points, cost } = matcher.step(pose)?;
        let change = source.apart(&motion, pose);
        *pose = motion;
        let is_over = story.as_deref_mut().is_some_and(|story| {
            story.add(Step { stage: matcher.stage(), motion: pose.clone(), points, cost, change })
        });
        if is_over || matcher.is_settled(change, limits.tolerance) {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use swgg::{Measure, Progress};

    use super::*;
    use crate::registration::error::Error;
    use crate::registration::outcome::Stop;
    use crate::registration::settings::Settings;

    /// Goes half of the way to 1 in every step, and fails after some.
    struct Halving {
        left: usize,
    }

    impl Matcher for Halving {
        fn stage(&self) -> Stage {
            Stage::Nearest
        }

        fn step(&mut self, pose: &Motion) -> Result<Fit> {
            self.left = self.left.checked_sub(1).ok_or(Error::NoFit)?;
            let mut motion = pose.clone();
            motion.translation[0] += (1.0 - motion.translation[0]) / 2.0;
            Ok(Fit { motion, points: 3, cost: 1.0 - pose.translation[0] })
        }
    }

    /// A cloud of size 1.
    fn cloud() -> Cloud {
        let points = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0];
        Cloud::new("source", &Measure::from_slice(&points, 2).unwrap()).unwrap()
    }

    /// Where it ends, and how.
    fn run(left: usize, limits: Limits, story: Option<&mut Story>) -> (f64, Result<()>) {
        let mut pose = Motion::identity(2);
        let ended = iterate(&mut Halving { left }, &cloud(), &mut pose, limits, story);
        (pose.translation[0], ended)
    }

    #[test]
    fn it_ends_when_steps_are_small_or_there_are_no_more() {
        // Steps of 1/2, 1/4 and 1/8.
        assert_eq!(run(9, Limits { steps: 9, tolerance: 0.13 }, None).0, 0.875);
        assert_eq!(run(9, Limits { steps: 2, tolerance: 0.13 }, None).0, 0.75);
        assert_eq!(run(60, Limits::steps(60), None).0, 1.0);
    }

    #[test]
    fn the_pose_is_that_of_the_last_step_that_did_not_fail() {
        let (place, ended) = run(2, Limits::steps(5), None);
        assert_eq!(place, 0.75);
        assert!(matches!(ended, Err(Error::NoFit)));
    }

    #[test]
    fn the_story_hears_every_step_and_may_end_it() {
        let settings = Settings { max_steps: 3, ..Default::default() };
        let mut silent = ();
        let mut story = Story::new(&settings, &mut silent);
        assert_eq!(run(9, Limits::steps(9), Some(&mut story)).0, 0.875);
        assert_eq!((story.steps.len(), story.ending()), (3, Stop::Steps));
        assert_eq!(story.steps.iter().map(|step| step.cost).collect::<Vec<_>>(), [1.0, 0.5, 0.25]);
        let mut stop = |_: &Progress| ControlFlow::Break(());
        let mut story = Story::new(&settings, &mut stop);
        assert_eq!(run(9, Limits::steps(9), Some(&mut story)).0, 0.5);
        assert_eq!(story.ending(), Stop::Interrupted);
    }
}
