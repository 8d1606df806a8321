//! Costs along circles of directions.

use std::ops::ControlFlow;

use swgg::ndarray::{Array2, s};
use swgg::{
    Observe, Progress, Scalar,
    line::{Direction, DirectionSet, Orthogonal, Sampler},
    paper::{Blur, InMemory, Slices},
};

use crate::exit::{Failure, Outcome};
use crate::progress::SearchBar;
use crate::report::Circle;

/// How often circles may move to a lower direction found on one of them.
const MOVES: usize = 20;

/// Circles of directions of one problem, and the lowest direction known.
pub struct Circles<'a, T: Scalar> {
    pub problem: &'a InMemory<'a, T>,
    pub lowest: Direction,
    pub cost: f64,
    pub count: usize,
    pub angles: usize,
    pub seed: u64,
}

impl<T: Scalar> Circles<'_, T> {
    /// SWGG on every circle. In space they pass through the lowest direction, and move as long as a lower one lies on them.
    /// Nothing when the user stops.
    pub fn search(&mut self, quiet: bool) -> Outcome<Option<Vec<Circle>>> {
        for left in (0..MOVES).rev() {
            let mut circles = self.place()?;
            let mut bar =
                Bar::new(circles.iter().map(|circle| circle.angles_deg.len()).sum(), self.cost, quiet);
            for circle in &mut circles {
                let Some(swgg) = bar.each(&circle.thetas, |thetas| self.problem.costs(thetas))? else {
                    return Ok(None);
                };
                circle.swgg = swgg;
            }
            let all = circles.iter().flat_map(|circle| circle.swgg.iter().zip(circle.thetas.rows()));
            let Some((&cost, theta)) = all.min_by(|a, b| a.0.total_cmp(b.0)) else { return Ok(None) };
            let lower = cost < self.cost;
            if lower {
                (self.cost, self.lowest) = (cost, Direction::new(&theta.to_vec())?);
            }
            if !lower || self.problem.dim() == 2 || left == 0 {
                return Ok(Some(circles));
            }
        }
        Ok(None)
    }

    /// The other curves. False when the user stops.
    pub fn fill(&self, circles: &mut [Circle], blurs: &[Blur], quiet: bool) -> Outcome<bool> {
        let directions: usize = circles.iter().map(|circle| circle.angles_deg.len()).sum();
        let mut bar = Bar::new(directions * (1 + blurs.len()), self.cost, quiet);
        for circle in circles {
            let Some(line) = bar.each(&circle.thetas, |thetas| self.problem.line_costs(thetas, 2.0))? else {
                return Ok(false);
            };
            circle.line = line;
            for blur in blurs {
                let values = bar.each(&circle.thetas, |thetas| {
                    Ok(self
                        .problem
                        .smoothed(thetas, blur)?
                        .into_iter()
                        .map(|smoothed| smoothed.value)
                        .collect())
                })?;
                let Some(values) = values else { return Ok(false) };
                circle.smoothed.push(values);
            }
        }
        Ok(true)
    }

    /// The whole plane, or great circles through the lowest direction, towards directions orthogonal to it and each other.
    fn place(&self) -> Outcome<Vec<Circle>> {
        let d = self.problem.dim();
        if d == 2 {
            let axes = [&Direction::axis(2, 0)?, &Direction::axis(2, 1)?];
            return Ok(vec![circle(String::new(), axes, 0.0, self.angles)?]);
        }
        let axes = self.problem.axes()?;
        let random = Orthogonal::new(d, self.seed)?.batch(0..self.count + 1);
        // Towards the widest axes first: along those the landscape changes most.
        let candidates = (0..axes.len()).map(|k| axes.get(k)).chain((0..random.len()).map(|k| random.get(k)));
        let mut basis = vec![self.lowest.clone()];
        for candidate in candidates {
            if basis.len() > self.count {
                break;
            }
            if let Some(fresh) = orthogonal_part(&candidate, &basis) {
                basis.push(fresh);
            }
        }
        let circles = basis[1..].iter().enumerate();
        circles
            .map(|(k, towards)| {
                let caption = format!("great circle {} through the best direction (at 0)", k + 1);
                circle(caption, [&self.lowest, towards], -90.0, self.angles)
            })
            .collect()
    }
}

/// A circle without curves yet, from one direction to another and on.
fn circle(caption: String, [zero, right]: [&Direction; 2], from_deg: f64, angles: usize) -> Outcome<Circle> {
    let step = 180.0 / angles as f64;
    // Both ends are drawn: they are the same line.
    let angles_deg: Vec<f64> = (0..=angles).map(|k| from_deg + k as f64 * step).collect();
    let rows = angles_deg.iter().flat_map(|angle| {
        let (sin, cos) = angle.to_radians().sin_cos();
        zero.as_slice().iter().zip(right.as_slice()).map(move |(z, r)| cos * z + sin * r)
    });
    let thetas = Array2::from_shape_vec((angles_deg.len(), zero.dim()), rows.collect())
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(Circle { caption, angles_deg, thetas, swgg: Vec::new(), line: Vec::new(), smoothed: Vec::new() })
}

/// The direction of what is left of `theta` beside an orthonormal family, unless next to nothing is.
fn orthogonal_part(theta: &Direction, basis: &[Direction]) -> Option<Direction> {
    let mut rest = theta.as_slice().to_vec();
    for other in basis {
        let along: f64 = rest.iter().zip(other.as_slice()).map(|(r, o)| r * o).sum();
        rest.iter_mut().zip(other.as_slice()).for_each(|(r, o)| *r -= along * o);
    }
    let length = rest.iter().map(|r| r * r).sum::<f64>().sqrt();
    if length > 0.3 { Direction::new(&rest).ok() } else { None }
}

/// Progress over directions, in batches short enough for Ctrl-C.
struct Bar {
    bar: SearchBar,
    progress: Progress,
}

/// Directions between two looks at Ctrl-C.
const BATCH: usize = 16;

impl Bar {
    fn new(total: usize, best: f64, quiet: bool) -> Self {
        Bar { bar: SearchBar::new(quiet), progress: Progress { tried: 0, total, best } }
    }

    /// A number for each direction, unless the user stops.
    fn each(
        &mut self,
        thetas: &Array2<f64>,
        mut evaluate: impl FnMut(&DirectionSet) -> swgg::Result<Vec<f64>>,
    ) -> Outcome<Option<Vec<f64>>> {
        let mut values = Vec::with_capacity(thetas.nrows());
        while values.len() < thetas.nrows() {
            let batch = values.len()..thetas.nrows().min(values.len() + BATCH);
            self.progress.tried += batch.len();
            values.extend(evaluate(&DirectionSet::from_rows(thetas.slice(s![batch, ..]))?)?);
            if self.bar.progress(&self.progress) == ControlFlow::Break(()) {
                return Ok(None);
            }
        }
        Ok(Some(values))
    }
}
