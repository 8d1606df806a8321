//! How to flow.

use swgg::Parallelism;

use super::error::{Error, Result};
use super::loss::Loss;
use super::optimizer::Optimizer;

/// Steps whose story fits into memory with ease.
const MAX_STEPS: usize = 10_000_000;

/// How to flow.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What is to fall.
    pub loss: Loss,
    /// Steps at most.
    pub steps: usize,
    /// Length of the steps, `eta`.
    pub rate: f64,
    /// How a gradient becomes a step.
    pub optimizer: Optimizer,
    /// Keep the particles at every so many steps, the first and the last included; `None` keeps none but the last.
    pub every: Option<usize>,
    /// Look for the exact distance at every so many steps, the first and the last included; 0 for never. `None` decides by the sizes: at every step
    /// for up to 200 points a side, less often for more, and not at all beyond 10 000.
    pub exact_every: Option<usize>,
    /// Seed of everything random: same seed, same particles.
    pub seed: u64,
    /// How many threads to use; the particles do not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            loss: Loss::default(),
            steps: 2000,
            rate: 5e-3,
            optimizer: Optimizer::Adam,
            every: None,
            exact_every: None,
            seed: 0,
            parallelism: Parallelism::Auto,
        }
    }
}

impl Settings {
    /// All checks that need no points, before work.
    ///
    /// # Errors
    ///
    /// Steps, rates and intervals that make no sense.
    pub fn validate(&self) -> Result<()> {
        match self {
            Settings { steps: 0, .. } => Err(Error::NoSteps),
            Settings { steps, .. } if *steps > MAX_STEPS => {
                Err(Error::TooManySteps { found: *steps, most: MAX_STEPS })
            }
            Settings { rate, .. } if !(rate.is_finite() && *rate > 0.0) => {
                Err(Error::BadRate { found: *rate })
            }
            Settings { every: Some(0), .. } => Err(Error::NeverKept),
            _ => Ok(()),
        }
    }
}
