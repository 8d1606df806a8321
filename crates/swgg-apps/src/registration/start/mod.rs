//! The pose to begin with, among many.

mod oriented;
mod part;
mod poses;
mod whole;

use super::cloud::Cloud;
use super::error::{Error, Result};
use super::inputs::Inputs;
use super::motion::Motion;

/// Poses whose images of the cloud are nearer than this share of its size are one pose.
pub(super) const SAME_POSE: f64 = 0.1;
/// Poses that cost at most this many times the best are as good for all that the clouds tell.
const RIVAL_COST_RATIO: f64 = 1.25;

/// A pose and what it costs.
#[derive(Clone)]
pub(super) struct Candidate {
    pub cost: f64,
    pub pose: Motion,
}

/// Poses, the best first; far enough from each other.
pub(super) struct Candidates(Vec<Candidate>);

/// Finds poses to begin with.
pub(super) fn search(inputs: &Inputs) -> Result<Candidates> {
    if inputs.settings.is_partial() { part::search(inputs) } else { whole::search(inputs) }
}

impl Candidates {
    fn new(mut all: Vec<Candidate>, cloud: &Cloud, most: usize) -> Self {
        all.sort_by(|one, other| one.cost.total_cmp(&other.cost));
        let mut kept: Vec<Candidate> = Vec::new();
        for next in all {
            let is_other = |kept: &Candidate| cloud.apart(&next.pose, &kept.pose) > SAME_POSE;
            if kept.len() < most && kept.iter().all(is_other) {
                kept.push(next);
            }
        }
        Candidates(kept)
    }

    /// The best pose.
    pub fn best(&self) -> Result<Motion> {
        self.0.first().map(|best| best.pose.clone()).ok_or(Error::NoFit)
    }

    /// Poses that cost about as much as the best one; costs up to `nothing` are rounding.
    pub fn rivals(&self, nothing: f64) -> impl Iterator<Item = &Motion> {
        let limit = self.0.first().map_or(0.0, |best| RIVAL_COST_RATIO * best.cost + nothing);
        self.0.iter().skip(1).take_while(move |next| next.cost <= limit).map(|next| &next.pose)
    }

    /// What the next best pose costs against the best one.
    pub fn ratio(&self) -> Option<f64> {
        let [best, next, ..] = &self.0[..] else { return None };
        Some(if best.cost > 0.0 { next.cost / best.cost } else { f64::INFINITY })
    }

    fn into_poses(self) -> Vec<Motion> {
        self.0.into_iter().map(|candidate| candidate.pose).collect()
    }
}
