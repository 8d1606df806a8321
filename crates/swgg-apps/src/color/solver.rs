//! Plans between cells of colours.

use swgg::paper::Stein;
use swgg::setting::Settings;
use swgg::solver::{self as registry, Sinkhorn, Subspace, SubspaceDetour};
use swgg::{Auto, Coupling, Exact, Measure, MinSwgg, Parallelism, Question, Run, Solver as _};

use super::error::Result;
use super::palette::{Palette, scaled};
use super::pieces::{Piece, partial_pieces, pieces};
use super::space::Space;
use crate::methods::{self, Own};

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
    /// A smooth map: entropic transport, then mean and covariance of the reference. Skies have no seams, and colours are like those of
    /// the reference, not its own.
    Smooth,
    /// Any other method of the engine that has a plan, by its name, with its usual settings, between cells of some bits.
    Registered(&'static str),
}

/// Lines of the paper's random search.
const PAPER_DIRECTIONS: usize = 100;

/// What is common to all plans of a transfer.
#[derive(Clone, Copy)]
pub(super) struct Solver {
    pub method: Method,
    pub space: Space,
    pub seed: u64,
    pub parallelism: Parallelism,
    /// Effort of the default solver.
    pub effort: u8,
    /// The share of the pixels that move.
    pub mass: f64,
}

/// Cells on a side of a plan that moves a part of the pixels, at most: it is made by the simplex.
const MAX_PARTIAL_CELLS: usize = 3000;

impl Method {
    /// Those with words of their own here: their names, and a line of help.
    const OWN: [Own<Method>; 8] = [
        (Method::Smooth, "smooth", "A map without seams, as one would grade a photo"),
        (Method::Auto, "auto", "Exactly the colours of the reference: many lines made into one plan"),
        (Method::MinSwgg(None), "min-swgg", "Best single line, found by descent"),
        (
            Method::MinSwgg(Some(PAPER_DIRECTIONS)),
            "min-swgg-random",
            "Best of 100 random lines, as in the paper",
        ),
        (Method::Exact, "exact", "The optimum, between at most 3000 groups of colours"),
        (Method::Sinkhorn, "sinkhorn", "Entropic transport, between at most 3000 groups of colours"),
        (
            Method::SubspaceDetour,
            "subspace-detour",
            "The plan that is optimal on two principal axes, between at most 3000 groups",
        ),
        (Method::Gaussian, "gaussian", "Mean and covariance of the reference, not its colours"),
    ];

    /// Every method: its name, and a line of help. Those of the engine that have a plan are all here.
    pub fn all() -> Vec<(&'static str, String)> {
        methods::all(&Self::OWN)
    }

    /// A method by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        methods::find(&Self::OWN, name, Method::Registered)
    }

    /// Its name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Method::Registered(name) => name,
            // So many directions as nobody has named are still the random search.
            Method::MinSwgg(Some(_)) => "min-swgg-random",
            _ => Self::OWN.iter().find(|(method, _, _)| *method == self).map_or("auto", |(_, name, _)| *name),
        }
    }

    /// Cells of colours on a side, at most, so that the plan takes a second and not an hour.
    pub(super) fn most_cells(self) -> usize {
        match self {
            Method::Auto => 1 << 16,
            Method::Smooth => 1500,
            Method::MinSwgg(_) | Method::Gaussian => 1 << 18,
            Method::Exact | Method::Sinkhorn | Method::SubspaceDetour | Method::Registered(_) => 3000,
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
        let made = if self.mass < 1.0 { partial_pieces } else { pieces };
        Ok((made(&coupling, &source.counts, &counts), story))
    }

    /// Cells of colours on a side, at most.
    pub fn most_cells(&self) -> usize {
        let most = self.method.most_cells();
        if self.mass < 1.0 { most.min(MAX_PARTIAL_CELLS) } else { most }
    }

    /// A plan between measures, and one sentence about it.
    pub fn coupling(&self, mu: &Measure<f64>, nu: &Measure<f64>) -> Result<(Coupling, String)> {
        let Solver { seed, parallelism, effort, .. } = *self;
        let question = Question::new(mu, nu)?;
        let mut run = Run { seed, parallelism, bounds: false, ..Run::default() };
        if self.mass < 1.0 {
            let found = Exact.answer(&question.with_mass(self.mass)?, &mut run)?;
            let story = found.story.clone();
            return Ok((found.into_plan()?, story));
        }
        Ok(match self.method {
            Method::Auto | Method::Gaussian | Method::Smooth => {
                let found = Auto { effort }.answer(&question, &mut run)?;
                let story = found.story.clone();
                (found.into_plan()?, story)
            }
            Method::MinSwgg(directions) => {
                let solver = match directions {
                    Some(directions) => MinSwgg::new().directions(directions),
                    None => MinSwgg::new().search(Stein { seed, ..Default::default() }),
                };
                let found = solver.answer(&question, &mut run)?;
                let story = format!("the best of {} lines", found.steps);
                (found.into_plan()?, story)
            }
            Method::Exact => (Exact.answer(&question, &mut run)?.into_plan()?, "exact transport".to_string()),
            Method::Sinkhorn => {
                let found = Sinkhorn::default().entropic(&question, &mut run)?;
                let state = if found.converged { "" } else { ", not converged" };
                (found.plan(mu, nu)?, format!("{} iterations of Sinkhorn{state}", found.iterations))
            }
            Method::Registered(name) => {
                let solver = registry::build::<f64>(registry::find(name)?, &Settings::new())?;
                let found = solver.answer(&question, &mut run)?;
                let story = found.story.clone();
                (found.into_plan()?, story)
            }
            Method::SubspaceDetour => {
                let plane = Subspace::principal(mu, nu, 2)?;
                let detour = SubspaceDetour { subspace: Some(plane), ..Default::default() };
                let plan = detour.answer(&question, &mut run)?.into_plan()?;
                (plan, "a detour over two principal axes".to_string())
            }
        })
    }
}

/// Colours with so many pixels each.
pub(super) fn measure(coordinates: Vec<f64>, counts: &[u32]) -> Result<Measure<'static, f64>> {
    let weights: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
    Ok(Measure::from_vec(coordinates, 3)?.with_weights(&weights)?)
}
