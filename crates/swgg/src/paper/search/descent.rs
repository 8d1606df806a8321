//! Steps on the sphere.

use crate::line::direction::{Direction, dot, norm};

/// How a gradient becomes a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimizer {
    /// Adam (moments 0.9 and 0.999): the paper's choice. Above dimension 20 its rate falls as the root of the dimension, so
    /// that steps along the sphere get no longer.
    #[default]
    Adam,
    /// Plain gradient descent.
    Sgd,
}

/// Adam moves every coordinate by about the rate, so its steps grow as the root of the dimension. From this dimension on they
/// stop growing: in dimension 784 they would be longer than a radian.
const MAX_DIM_OF_FULL_RATE: f64 = 20.0;

/// A point that walks on the sphere against a gradient.
pub(crate) struct Walker {
    optimizer: Optimizer,
    theta: Direction,
    first: Vec<f64>,
    second: Vec<f64>,
    steps: i32,
}

impl Walker {
    pub fn new(theta: Direction, optimizer: Optimizer) -> Self {
        let zeros = vec![0.0; theta.dim()];
        Walker { optimizer, theta, first: zeros.clone(), second: zeros, steps: 0 }
    }

    pub fn theta(&self) -> &Direction {
        &self.theta
    }

    /// One step of `rate` against `gradient`, back onto the sphere. False where the gradient has no part along the sphere.
    pub fn step(&mut self, gradient: &[f64], rate: f64) -> bool {
        let tangent = tangent(gradient, &self.theta);
        let size = norm(&tangent);
        // What is left of a gradient that points straight out of the sphere is rounding.
        if !(size.is_finite() && size > 1e-14 * norm(gradient)) {
            return false;
        }
        self.steps += 1;
        let mut moved = self.theta.as_slice().to_vec();
        match self.optimizer {
            Optimizer::Sgd => moved.iter_mut().zip(&tangent).for_each(|(t, g)| *t -= rate * g),
            Optimizer::Adam => {
                let rate = rate * (MAX_DIM_OF_FULL_RATE / moved.len() as f64).sqrt().min(1.0);
                let (fade, fade_sq): (f64, f64) = (0.9, 0.999);
                let (fresh, fresh_sq) = (1.0 - fade.powi(self.steps), 1.0 - fade_sq.powi(self.steps));
                for (c, g) in tangent.iter().enumerate() {
                    self.first[c] = fade * self.first[c] + (1.0 - fade) * g;
                    self.second[c] = fade_sq * self.second[c] + (1.0 - fade_sq) * g * g;
                    let scale = (self.second[c] / fresh_sq).sqrt();
                    if scale > 0.0 {
                        moved[c] -= rate * (self.first[c] / fresh) / scale;
                    }
                }
            }
        }
        // A step long enough to leave no direction, or one that overflows, is not taken.
        match Direction::new(&moved) {
            Ok(theta) => self.theta = theta,
            Err(_) => return false,
        }
        true
    }
}

/// The part of a vector along the sphere at `theta`.
pub(crate) fn tangent(vector: &[f64], theta: &Direction) -> Vec<f64> {
    let out = dot(vector, theta.as_slice());
    vector.iter().zip(theta.as_slice()).map(|(g, t)| g - out * t).collect()
}

/// A learning rate that falls from `rate` to nothing along half a cosine: long strides first, small ones at the end.
pub(crate) fn faded(rate: f64, step: usize, steps: usize) -> f64 {
    0.5 * rate * (1.0 + (std::f64::consts::PI * step as f64 / steps as f64).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the sphere `<a, theta>` is least opposite to `a`.
    #[test]
    fn both_walk_downhill() {
        let downhill = [3.0, 0.0, 4.0];
        for optimizer in [Optimizer::Adam, Optimizer::Sgd] {
            let mut walker = Walker::new(Direction::new(&[0.3, 1.0, 0.2]).unwrap(), optimizer);
            for step in 0..300 {
                walker.step(&downhill, faded(0.05, step, 300));
            }
            let end = walker.theta().as_slice();
            assert!((end[0] + 0.6).abs() < 1e-2 && (end[2] + 0.8).abs() < 1e-2, "{optimizer:?}: {end:?}");
        }
    }

    #[test]
    fn there_is_nowhere_to_go_on_the_line_or_without_gradient() {
        let mut walker = Walker::new(Direction::axis(1, 0).unwrap(), Optimizer::Adam);
        assert!(!walker.step(&[5.0], 0.1));
        let mut walker = Walker::new(Direction::axis(3, 0).unwrap(), Optimizer::Sgd);
        assert!(!walker.step(&[0.0; 3], 0.1) && !walker.step(&[f64::NAN; 3], 0.1));
        assert!(walker.step(&[0.0, 1.0, 0.0], 0.1));
    }
}
