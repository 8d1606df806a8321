//! Plans between cells of colours.

use swgg::{Auto, Coupling, Detour, Exact, Lift, Measure, MinSwgg, Parallelism, Sinkhorn, Stein, Subspace};

use super::error::Result;
use super::palette::{Palette, scaled};
use super::pieces::{Piece, pieces};
use super::space::Space;

/// How colours are transported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Many lines made into one plan, refined: the default solver.
    #[default]
    Auto,
    /// The best single line: found by descent, or among so many random ones as in the paper.
    MinSwgg(Option<usize>),
    /// Exact transport, between cells of some bits.
    Exact,
    /// Entropic transport, between cells of some bits.
    Sinkhorn,
    /// The plan that is optimal on the first two principal axes, between cells of some bits.
    SubspaceDetour,
    /// The affine map between Gaussians: it meets mean and covariance of the reference, not its colours.
    Gaussian,
}

/// What is common to all plans of a transfer.
#[derive(Clone, Copy)]
pub(super) struct Solver {
    pub method: Method,
    pub space: Space,
    pub seed: u64,
    pub parallelism: Parallelism,
    /// Effort of the default solver.
    pub effort: u8,
}

impl Method {
    /// Cells of colours on a side, at most, so that the plan takes a second and not an hour.
    pub(super) fn most_cells(self) -> usize {
        match self {
            Method::Auto => 1 << 16,
            Method::MinSwgg(_) | Method::Gaussian => 1 << 18,
            Method::Exact | Method::Sinkhorn | Method::SubspaceDetour => 3000,
        }
    }
}

impl Solver {
    /// The plan from one palette to another, in pixels of the source, and one sentence about it.
    pub fn pieces(&self, source: &Palette, reference: &Palette) -> Result<(Vec<Piece>, String)> {
        let counts = scaled(&reference.counts, source.pixels());
        let mu = measure(source.coordinates(self.space), &source.counts)?;
        let nu = measure(reference.coordinates(self.space), &counts)?;
        let (coupling, story) = self.coupling(&mu, &nu)?;
        Ok((pieces(&coupling, &source.counts, &counts), story))
    }

    /// A plan between measures, and one sentence about it.
    pub fn coupling(&self, mu: &Measure<f64>, nu: &Measure<f64>) -> Result<(Coupling, String)> {
        let Solver { seed, parallelism, effort, .. } = *self;
        Ok(match self.method {
            Method::Auto | Method::Gaussian => {
                let auto = Auto { effort, bounds: false, seed, parallelism, ..Default::default() };
                let found = auto.solve(mu, nu)?;
                (found.coupling, found.story)
            }
            Method::MinSwgg(directions) => {
                let solver = MinSwgg::new().parallelism(parallelism);
                let solver = match directions {
                    Some(directions) => solver.seed(seed).directions(directions),
                    None => solver.search(Stein { seed, ..Default::default() }),
                };
                let found = solver.solve(mu, nu)?;
                (found.coupling, format!("the best of {} lines", found.tried))
            }
            Method::Exact => {
                let found = Exact { seed, parallelism, ..Default::default() }.solve(mu, nu)?;
                (found.coupling, "exact transport".to_string())
            }
            Method::Sinkhorn => {
                let found = Sinkhorn { parallelism, ..Default::default() }.solve(mu, nu)?;
                let state = if found.converged { "" } else { ", not converged" };
                (found.plan(mu, nu)?, format!("{} iterations of Sinkhorn{state}", found.iterations))
            }
            Method::SubspaceDetour => {
                let plane = Subspace::principal(mu, nu, 2)?;
                let detour = Detour { parallelism, ..Detour::new(plane, Lift::MongeKnothe) };
                (detour.solve(mu, nu)?.coupling, "a detour over two principal axes".to_string())
            }
        })
    }
}

/// Colours with so many pixels each.
pub(super) fn measure(coordinates: Vec<f64>, counts: &[u32]) -> Result<Measure<'static, f64>> {
    let weights: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
    Ok(Measure::from_vec(coordinates, 3)?.with_weights(&weights)?)
}
