//! A loss with its gradient in the particles, and what it remembers from step to step.

mod lines;
mod plans;
mod smooth;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use swgg::run::Halt;
use swgg::{Measure, Parallelism, Run};

use self::lines::{Mean, Widest};
use self::plans::{BestLine, Cheapest};
use self::smooth::Smooth;
use super::error::Result;
use super::loss::Loss;

/// A loss at some particles.
pub(super) struct Sloped {
    /// Not rooted.
    pub loss: f64,
    /// In every coordinate of the particles, row by row.
    pub gradient: Vec<f64>,
    /// Whether the loss is the squared distance itself.
    pub is_optimal: bool,
}

/// One step of a flow: its seed, its threads, and whether it is to end early.
pub(super) struct Turn {
    pub seed: u64,
    pub parallelism: Parallelism,
    halt: Halt,
}

impl Turn {
    /// The `step`-th of a flow: its seed depends on that of the flow and on the number of the step, and on nothing else.
    pub fn new(seed: u64, step: usize, parallelism: Parallelism, flag: Option<Arc<AtomicBool>>) -> Self {
        Turn { seed: mixed(seed, step as u64), parallelism, halt: Halt::default().hearing(flag) }
    }

    /// A run of the engine within this step.
    pub fn run(&self) -> Run<'static> {
        let Turn { seed, parallelism, ref halt } = *self;
        Run { seed, parallelism, bounds: false, halt: halt.clone(), ..Run::default() }
    }

    /// Whether it was told to stop.
    pub fn is_halted(&self) -> bool {
        self.halt.is_told()
    }
}

/// A seed for a step: two numbers stirred until neighbours have nothing in common (the finaliser of SplitMix64).
fn mixed(seed: u64, step: u64) -> u64 {
    let mut z = seed.wrapping_add(step.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A loss that can be asked again and again, and begins where it was.
pub(super) trait Slope: Send {
    /// The loss and its gradient at the particles `mu`.
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped>;

    /// How directions were looked for last, if they were.
    fn search(&self) -> Option<&'static str> {
        None
    }
}

/// The slope of a loss.
pub(super) fn slope(loss: &Loss) -> Box<dyn Slope> {
    match loss {
        Loss::MinSwgg { search, warm } => Box::new(BestLine::new(search.clone(), *warm)),
        Loss::Sliced { directions } => Box::new(Mean::along(*directions)),
        Loss::Projected { directions } => Box::new(Mean::across(*directions)),
        Loss::MaxSliced { climb, warm } => Box::new(Widest::new(climb.clone(), *warm)),
        Loss::Auto { effort } => Box::new(Cheapest::new(*effort)),
        Loss::Sinkhorn { epsilon } => Box::new(Smooth::new(*epsilon)),
    }
}
