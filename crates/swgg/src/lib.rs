//! Optimal transport plans between large clouds of points.
//!
//! Give it two clouds and it hands you the *plan*: which point goes where, what that costs, and how far from the optimum it can be
//! at most. The idea is that of min-SWGG ("Fast Optimal Transport through Sliced Wasserstein Generalized Geodesics", Mahey et al.,
//! 2023): project both clouds on a line, sort, pair by rank, pay the cost in the full space. One line is a weak map; many lines,
//! made into one plan, are a strong one. Time grows as `n log n`, memory as `n`.
//!
//! ```
//! use swgg::Measure;
//! let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
//! let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
//! let found = swgg::solve(&source, &target)?;
//! println!("cost {}, first point goes to {:?}", found.cost, found.plan()?.target_of(0));
//! # assert_eq!(found.plan()?.target_of(0), Some(1));
//! # Ok::<(), swgg::Error>(())
//! ```
//!
//! # Three doors
//!
//! | You want | Use |
//! |---|---|
//! | a plan, now | [`solve`](fn@solve) |
//! | to choose the method, the cost, the seed, threads, a time limit | a [`Solver`], asked a [`Question`] within a [`Run`] |
//! | methods by their names, as on the command line | [`solver::METHODS`] and [`solver::build`] |
//! | the parts | the modules below |
//!
//! ```
//! use swgg::{Measure, Question, Run, Solver, Trees};
//! # let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
//! # let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
//! let question = Question::new(&source, &target)?;
//! let found = Trees { trees: 4 }.answer(&question, &mut Run::seeded(7))?;
//! assert_eq!((found.cost, found.method), (9.0, "tree"));
//! # Ok::<(), swgg::Error>(())
//! ```
//!
//! # The nouns
//!
//! | Noun | What it is |
//! |---|---|
//! | [`Question`] | what is asked: two measures, and what moving mass between them costs |
//! | [`Solver`] | who answers: a method with its settings |
//! | [`Run`] | how: seed, threads, time limit, bounds, and who watches ([`Observe`]) |
//! | [`Transport`] | the answer: a cost, usually a plan, and how good it is |
//! | [`Measure`] | points with weights, checked once; `f32` or `f64`, borrowed or owned |
//! | [`Coupling`] | a plan, as a matching or as sparse entries: cost, map, marginals, exports |
//! | [`Direction`](line::Direction), [`DirectionSet`](line::DirectionSet) | unit vectors, and many of them |
//!
//! | Solver | Its answer |
//! |---|---|
//! | [`Auto`] | the default: the optimum where that is cheap, otherwise many lines made into one plan |
//! | [`Trees`], [`Merged`] | the parts of the default: a line per cell, and many whole lines |
//! | [`MinSwgg`] | the paper's: the plan of the best line that a search finds |
//! | [`Exact`] | the optimum of some thousand points, with potentials that prove it |
//! | [`Sinkhorn`](solver::Sinkhorn) | a smooth plan, by entropy |
//! | [`GaussianFit`](solver::GaussianFit), [`ClosedForm`](solver::ClosedForm) | formulas: between fitted Gaussians, and for clouds on a line |
//! | [`Factored`](solver::Factored) | a plan through a pivot of a few points |
//! | [`SubspaceRobust`](solver::SubspaceRobust), [`SubspaceDetour`](solver::SubspaceDetour) | plans that are optimal on a subspace: the worst one, or the first axes |
//! | [`ExpectedSliced`](solver::ExpectedSliced) | the average of the plans of many lines |
//! | [`LinearTransport`](solver::LinearTransport) | a distance between vectors of displacements from one pivot |
//!
//! | Module | What is in it |
//! |---|---|
//! | [`solver`] | every method, and the list of them |
//! | [`paper`] | SWGG at a line, searches for the best one ([`Search`](paper::Search)), pivots, [`Geodesic`](paper::Geodesic) |
//! | [`exact`](mod@exact) | exact transport from a start, at given costs, along given arcs |
//! | [`bound`] | what no plan can beat |
//! | [`line`](mod@line) | transport in dimension one, directions, and where they come from |
//! | [`cost`], [`question`] | what a pair of points costs; the parts of a question |
//! | [`plan`] | couplings, potentials, gluing |
//! | [`sliced`] | distances that average or maximise over lines |
//! | [`gaussian`] | Gaussians, and maps between them |
//! | [`nearest`](mod@nearest) | nearest neighbours, exactly |
//! | [`setting`], [`answer`], [`run`] | settings by name, and the parts of answers and runs |
//!
//! A `cost` is never rooted, a `distance` always is. Indices count from 0. Equal projections are ordered by index. The same
//! seed gives the same bits, whatever the number of threads.
//!
//! # When not to use it
//!
//! Other costs than squared Euclidean distances have [`Auto`] and [`Exact`], a matrix of costs the latter only. Where two clouds are samples
//! of one law, the optimum is small against the distances between neighbours, plans are some per cent above it, and bounds say
//! little. The same holds in high dimensions. For a smooth plan, or gradients with respect to it, take
//! [`sinkhorn`](solver::sinkhorn).

pub mod answer;
pub mod bound;
pub mod cost;
mod dual;
mod ensemble;
mod error;
pub mod exact;
mod flow;
pub mod gaussian;
pub mod line;
mod measure;
pub mod nearest;
mod number;
pub mod paper;
pub mod plan;
mod pricing;
pub mod question;
pub mod run;
pub mod setting;
pub mod sliced;
pub mod solver;

pub use answer::{CostIs, Transport};
pub use error::{Error, ErrorKind, Result};
pub use measure::Measure;
/// The arrays in the signatures, in the version they have there.
pub use ndarray;
pub use number::scalar::Scalar;
pub use plan::Coupling;
pub use question::Question;
pub use run::{Observe, Parallelism, Progress, Run, Stop};
pub use solver::{Auto, Exact, Merged, MinSwgg, Solver, Trees, min_swgg, solve};

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// And that of the page on many lines.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/many-lines.md")]
struct ManyLines;
