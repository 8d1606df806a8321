//! Settings of a barycenter, and their checks.

use swgg::Measure;

use super::error::{Error, Result};

/// How to look for a barycenter; the seed, threads, time and whoever watches are those of the [`Run`](swgg::Run).
#[derive(Clone, Debug)]
pub struct Settings {
    /// What each cloud counts, scaled to sum to one; equal if left out. A cloud of weight 0 takes no part.
    pub weights: Option<Vec<f64>>,
    /// How many points the barycenter has. Left out: those of the geodesic between two clouds, and as many as the largest cloud has
    /// between more.
    pub points: Option<usize>,
    /// Points to begin with, and their masses; drawn from all clouds together if left out.
    pub start: Option<Measure<'static, f64>>,
    /// When to stop.
    pub ending: Ending,
    /// Steps at most.
    pub max_steps: usize,
}

/// When a search for a barycenter has come to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ending {
    /// When a step lowers the objective by at most this share of it.
    Gain(f64),
    /// When a step moves points by at most this much, as the sum of all squared distances: the rule of POT.
    Shift(f64),
    /// As plans are: a billionth of the objective where they are exact, a thousandth elsewhere.
    #[default]
    AsPlansAre,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { weights: None, points: None, start: None, ending: Ending::AsPlansAre, max_steps: 100 }
    }
}

impl Settings {
    /// What needs no cloud to be seen, before work.
    pub(super) fn validate(&self, dim: usize) -> Result<()> {
        if self.points == Some(0) {
            return Err(Error::NoPoints);
        }
        if let Some(start) = &self.start {
            let found = start.dim();
            if found != dim {
                return Err(Error::StartDimension { found, expected: dim });
            }
            if let Some(points) = self.points.filter(|points| *points != start.len()) {
                return Err(Error::StartAndPoints { start: start.len(), points });
            }
        }
        if self.max_steps == 0 {
            return Err(Error::NoSteps);
        }
        match self.ending {
            Ending::Gain(found) | Ending::Shift(found) if !(found >= 0.0 && found.is_finite()) => {
                Err(Error::BadTolerance { found })
            }
            _ => Ok(()),
        }
    }
}
