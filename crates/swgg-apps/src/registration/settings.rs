//! How to register.

use swgg::Parallelism;

use super::error::{Error, Result};
use super::matching::Matching;
use super::motion::{Group, Motion};

/// Where to begin.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// Anywhere: principal axes with all signs, and turns where these do not tell.
    #[default]
    Global,
    /// Here.
    At(Motion),
}

/// How much of the source has a counterpart in the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Overlap {
    /// This share, above 0 and at most 1.
    Share(f64),
    /// Found along the way.
    Auto,
}

/// How to register.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to begin.
    pub start: Start,
    /// How points are matched; with an overlap other than 1 by nearest neighbours, or by exact transport of that share of the mass. Other plans
    /// move everything and are refused there.
    pub matching: Matching,
    /// Which motions are allowed.
    pub group: Group,
    /// How much of the source has a counterpart; it must be given where the scale is to be found.
    pub overlap: Overlap,
    /// Steps at most, from the pose that was chosen.
    pub max_steps: usize,
    /// A step that moves points by less than this share of the size of the cloud is the last one.
    pub tolerance: f64,
    /// Seed of samples, lines and turns.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            start: Start::Global,
            matching: Matching::Auto,
            group: Group::Rigid,
            overlap: Overlap::Share(1.0),
            max_steps: 100,
            tolerance: 1e-5,
            seed: 0,
            parallelism: Parallelism::Auto,
        }
    }
}

impl Settings {
    /// All checks, before work.
    pub(super) fn validate(&self, dim: usize) -> Result<()> {
        match self.overlap {
            Overlap::Share(found) if !(found > 0.0 && found <= 1.0) => {
                return Err(Error::BadOverlap { found });
            }
            _ => {}
        }
        if self.is_partial() && self.matching.is_whole() && self.moved_share().is_none() {
            return Err(Error::WholeOnly);
        }
        if self.overlap == Overlap::Auto && self.group == Group::Similarity {
            return Err(Error::ScaleAndOverlap);
        }
        if self.max_steps == 0 {
            return Err(Error::NoSteps);
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return Err(Error::BadTolerance { found: self.tolerance });
        }
        match &self.start {
            Start::At(motion) if motion.dim() != dim => {
                Err(Error::StartDimension { found: motion.dim(), expected: dim })
            }
            Start::At(motion) if self.group != Group::Orthogonal && motion.is_reflection() => {
                Err(Error::Reflected)
            }
            Start::At(motion) if self.group != Group::Similarity && (motion.scale - 1.0).abs() > 1e-3 => {
                Err(Error::Scaled { found: motion.scale })
            }
            _ => Ok(()),
        }
    }

    /// The share of the mass that plans move, where they are to move less than all of it.
    pub(super) fn moved_share(&self) -> Option<f64> {
        match self.overlap {
            Overlap::Share(share) if self.is_partial() && self.matching == Matching::Exact => Some(share),
            _ => None,
        }
    }

    /// Whether points without a counterpart are left out.
    pub(super) fn is_partial(&self) -> bool {
        self.overlap != Overlap::Share(1.0)
    }
}
