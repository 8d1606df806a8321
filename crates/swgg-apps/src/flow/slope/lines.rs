//! Losses along lines: means and maxima, without a plan.

use swgg::Measure;
use swgg::line::Direction;
use swgg::sliced::{MaxSliced, PointGradient, Sliced, Slicing};

use super::{Slope, Sloped, Turn};
use crate::flow::error::Result;

/// `SW_2^2` or `PWD_2^2`: a mean over random directions, other ones at every step.
pub(super) struct Mean(Sliced);

impl Mean {
    /// Of costs along the lines.
    pub fn along(directions: usize) -> Self {
        Mean(Sliced { directions, ..Sliced::new(Slicing::Wasserstein { p: 2.0 }) })
    }

    /// Of what the plans of the lines cost in the full space.
    pub fn across(directions: usize) -> Self {
        Mean(Sliced { directions, ..Sliced::new(Slicing::Projected) })
    }
}

impl Slope for Mean {
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped> {
        let (estimate, slopes) = self.0.gradient(mu, nu, &mut turn.run())?;
        Ok(sloped(estimate.cost, slopes))
    }
}

/// `max-SW_2^2`.
pub(super) struct Widest {
    climb: MaxSliced,
    warm: bool,
    last: Option<Direction>,
}

impl Widest {
    pub fn new(climb: MaxSliced, warm: bool) -> Self {
        Widest { climb, warm, last: None }
    }
}

impl Slope for Widest {
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped> {
        let found = match self.last.take().filter(|_| self.warm) {
            Some(last) => self.climb.climb(mu, nu, &last, &mut turn.run())?,
            None => self.climb.maximum(mu, nu, &mut turn.run())?,
        };
        let slopes = found.gradient(mu, nu)?;
        self.last = Some(found.theta);
        Ok(sloped(found.cost, slopes))
    }
}

fn sloped(loss: f64, slopes: PointGradient) -> Sloped {
    let gradient = slopes.source.into_iter().collect();
    Sloped { loss, gradient, is_optimal: false }
}
