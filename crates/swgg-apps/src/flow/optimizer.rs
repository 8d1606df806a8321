//! How a gradient becomes a step of the particles.

use super::error::{Error, Result};

/// How a gradient becomes a step.
///
/// Both take the gradient of the loss as it is: the loss is a mean over the particles, so gradients shrink as `1 / n` (or with the
/// weight of a point). Adam does not mind, as it moves every coordinate by about the rate; the rate of plain descent has to grow with `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimizer {
    /// Adam with the usual moments, 0.9 and 0.999: the paper's choice.
    #[default]
    Adam,
    /// Plain descent.
    Sgd,
}

impl Optimizer {
    /// Both of them.
    pub const ALL: [Optimizer; 2] = [Optimizer::Adam, Optimizer::Sgd];

    /// Its name on the command line, in Python and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Optimizer::Adam => "adam",
            Optimizer::Sgd => "sgd",
        }
    }

    /// The optimizer of this name.
    ///
    /// # Errors
    ///
    /// A name that nobody has.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = || Self::ALL.iter().map(|one| one.name()).collect();
        let unknown = || Error::UnknownOptimizer { found: name.to_string(), known: known() };
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(unknown)
    }
}

/// How fast Adam forgets gradients, and their squares.
const FADE: [f64; 2] = [0.9, 0.999];
/// What keeps Adam from dividing by nothing.
const LEAST: f64 = 1e-8;

/// Particles on the move.
pub(super) struct Mover {
    optimizer: Optimizer,
    rate: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
    steps: i32,
}

impl Mover {
    pub fn new(optimizer: Optimizer, rate: f64, coordinates: usize) -> Self {
        let kept = if optimizer == Optimizer::Adam { coordinates } else { 0 };
        Mover { optimizer, rate, means: vec![0.0; kept], squares: vec![0.0; kept], steps: 0 }
    }

    /// One step of all coordinates against the gradient.
    pub fn step(&mut self, points: &mut [f64], gradient: &[f64]) {
        self.steps = self.steps.saturating_add(1);
        if self.optimizer == Optimizer::Sgd {
            points.iter_mut().zip(gradient).for_each(|(x, g)| *x -= self.rate * g);
            return;
        }
        // Means that began with nothing are too small at first.
        let [mean_share, square_share] = FADE.map(|fade| 1.0 - fade.powi(self.steps));
        let (rate, root) = (self.rate / mean_share, square_share.sqrt());
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((x, g), (mean, square)) in points.iter_mut().zip(gradient).zip(moments) {
            *mean = FADE[0] * *mean + (1.0 - FADE[0]) * g;
            *square = FADE[1] * *square + (1.0 - FADE[1]) * g * g;
            *x -= rate * *mean / (square.sqrt() / root + LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_are_those_of_the_formula() {
        let mut points = [1.0, -2.0];
        Mover::new(Optimizer::Sgd, 0.5, 2).step(&mut points, &[2.0, -4.0]);
        assert_eq!(points, [0.0, 0.0]);
        // The first step of Adam is as long as the rate, whatever the gradient.
        let mut adam = Mover::new(Optimizer::Adam, 0.1, 2);
        adam.step(&mut points, &[3.0, -0.01]);
        assert!((points[0] + 0.1).abs() < 1e-6 && (points[1] - 0.1).abs() < 1e-6, "{points:?}");
        // The second by hand: means 0.1 (0.9 g + g'), squares 0.001 (0.999 g^2 + g'^2), both divided by what they began without.
        let mut points = [0.0, 0.0];
        adam.step(&mut points, &[1.0, 0.0]);
        let mean = 0.1 * (0.9 * 3.0 + 1.0) / (1.0 - 0.81);
        let square: f64 = 0.001 * (0.999 * 9.0 + 1.0) / (1.0 - 0.998_001);
        assert!((points[0] + 0.1 * mean / square.sqrt()).abs() < 1e-8, "{points:?}");
    }

    #[test]
    fn names_are_known_or_listed() {
        assert_eq!(Optimizer::from_name("sgd").unwrap(), Optimizer::Sgd);
        let refusal = Optimizer::from_name("newton").unwrap_err().to_string();
        assert_eq!(refusal, "there is no optimizer \"newton\"; give one of adam, sgd");
    }
}
