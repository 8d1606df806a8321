//! Poses of clouds that correspond as a whole.

use swgg::run::Workers;

use crate::registration::cloud::Cloud;
use crate::registration::error::Result;
use crate::registration::inputs::Inputs;
use crate::registration::matcher::{Limits, PlanKind, TransportPlans, iterate};
use crate::registration::matching::Matching;
use crate::registration::motion::Motion;
use crate::registration::settings::Settings;

use super::{Candidate, Candidates, poses};

/// Poses that score worse than this many times the best on lines are not refined.
const REFINED_COST_RATIO: f64 = 4.0;
/// A pose that costs more than this many times the best is no rival.
const RIVAL_COST_RATIO: f64 = 1.6;
/// A pose that moves points by less than this share of their size has settled.
const TOLERANCE: f64 = 0.01;

/// Poses refined by transport between samples.
struct Round {
    /// Points of a sample.
    points: usize,
    /// Poses that take part.
    poses: usize,
    steps: usize,
    /// Trees of a plan.
    trees: usize,
}

const FIRST: Round = Round { points: 512, poses: 8, steps: 6, trees: 3 };
const FINAL: Round = Round { points: 4096, poses: 3, steps: 3, trees: 8 };

/// Principal axes, ranked on lines; the best few are refined by transport of samples.
pub(super) fn search(inputs: &Inputs) -> Result<Candidates> {
    let Inputs { source, target, settings, workers } = inputs;
    let Settings { group, seed, .. } = **settings;
    let ranked = poses::ranked(poses::by_axes(source, target, group, seed), source, target, seed, workers)?;
    let best = ranked.first().map_or(0.0, |best| best.cost);
    let hopeful =
        ranked.into_iter().enumerate().filter(|(k, next)| *k < 2 || next.cost <= REFINED_COST_RATIO * best);
    let hopeful = Candidates::new(hopeful.map(|(_, next)| next).collect(), source, FIRST.poses);
    let found = Candidates::new(FIRST.refine(inputs, hopeful.into_poses())?, source, FIRST.poses);
    let limit = found.0.first().map_or(0.0, |best| RIVAL_COST_RATIO * best.cost);
    let close = found.0.iter().filter(|next| next.cost <= limit).count();
    if close < 2 || FIRST.count(inputs) == source.len().max(target.len()) {
        return Ok(found);
    }
    // Samples do not tell: more points do.
    let (close, rest) = found.0.split_at(close.min(FINAL.poses));
    let mut found = FINAL.refine(inputs, close.iter().map(|next| next.pose.clone()).collect())?;
    let worst = found.iter().fold(0.0_f64, |worst, next| worst.max(next.cost));
    found.extend(rest.iter().map(|next| Candidate { cost: next.cost.max(worst), ..next.clone() }));
    Ok(Candidates::new(found, source, FIRST.poses))
}

impl Round {
    /// Points of each sample: as many as both clouds have.
    fn count(&self, inputs: &Inputs) -> usize {
        self.points.min(inputs.source.len()).min(inputs.target.len())
    }

    /// Every pose after some steps between two samples.
    fn refine(&self, inputs: &Inputs, poses: Vec<Motion>) -> Result<Vec<Candidate>> {
        let (settings, count) = (inputs.settings, self.count(inputs));
        let source = inputs.source.part(count, settings.seed)?;
        let target = inputs.target.part(count, settings.seed ^ 1)?;
        let is_equal = |cloud: &Cloud| cloud.weights.is_none();
        // Trees need clouds that can be paired.
        let kind = match source.len() == target.len() && is_equal(&source) && is_equal(&target) {
            true => PlanKind::Trees(self.trees),
            false => PlanKind::Chosen(Matching::Auto),
        };
        let limits = Limits { steps: self.steps, tolerance: TOLERANCE };
        // One thread a pose, which hears of Ctrl-C.
        let alone = Workers::Caller.until(inputs.workers.halt());
        let refined = inputs.workers.map_items(&poses, |pose| {
            let mut plans = TransportPlans::new([&source, &target], kind, settings, &alone);
            let mut pose = pose.clone();
            iterate(&mut plans, &source, &mut pose, limits, None)?;
            Ok(Candidate { cost: plans.residual, pose })
        });
        refined.into_iter().collect()
    }
}
