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
//! let plan = swgg::solve(&source, &target)?;
//! println!("cost {}, first point goes to {:?}", plan.cost, plan.coupling.target_of(0));
//! # assert_eq!(plan.coupling.target_of(0), Some(1));
//! # Ok::<(), swgg::Error>(())
//! ```
//!
//! # Three doors
//!
//! | You want | Use |
//! |---|---|
//! | a plan, now | [`solve`](fn@solve) |
//! | to choose the effort, a time limit, the seed, threads | [`Auto`] |
//! | the paper's method | [`min_swgg`], or [`MinSwgg`] with its search, seed and threads |
//! | the parts | [`Direction::sort`], [`swgg_cost`], [`Coupling`], [`InMemory`] and a [`Search`] |
//!
//! # The nouns
//!
//! | Noun | What it is |
//! |---|---|
//! | [`Measure`] | points with weights, checked once; `f32` or `f64`, borrowed or owned |
//! | [`Direction`], [`DirectionSet`] | unit vectors, and where they come from: [`Sphere`], [`Orthogonal`], [`principal_axes`] |
//! | [`Coupling`] | a matching or a sparse plan: cost, map, marginals, exports |
//! | [`Geodesic`] | the curve a plan draws; [`pivot_measure`] and [`PivotCoupling`] for pivots on a line |
//! | [`line`](mod@line) | transport in dimension one |
//! | [`line_transport`] | exact transport when one cloud lies on a line |
//! | [`Auto`], [`Transport`] | the default solver, and its answer: a plan with bounds |
//! | [`Trees`], [`Merged`] | its parts: plans by a line per cell, and by many whole lines |
//! | [`merge_matchings`] | matchings from anywhere, made into one that is as cheap as any of them |
//! | [`exact`](fn@exact), [`Exact`] | exact transport of some thousand points, with potentials that prove it |
//! | [`Gaussian`], [`GaussianMap`] | clouds as Gaussians: a lower bound and an affine map, in closed form |
//! | [`Factored`] | a plan through a pivot of a few points |
//! | [`SubspaceRobust`], [`Detour`] | the worst of all subspaces, and plans that begin on one ([`Subspace`]) |
//! | [`LinearOt`] | many measures as vectors, by their plans from one pivot |
//! | [`sinkhorn`](fn@sinkhorn), [`Sinkhorn`] | entropic transport: smooth plans, maps and [divergences](sinkhorn_divergence) |
//! | [`Problem`], [`Search`] | the seam between points and searches: [`RandomSearch`], [`Annealing`], [`Gradient`], [`Stein`], [`Sweep`] |
//! | [`lower_bounds`], [`dual_bound`] | what no plan can beat |
//! | [`Sliced`], [`MaxSliced`] | distances that average or maximise over lines |
//! | [`nearest`](fn@nearest) | nearest neighbours, exactly |
//! | [`Observe`] | progress and cancellation |
//!
//! A `cost` is never rooted, a `distance` always is. Indices count from 0. Equal projections are ordered by index. The same
//! seed gives the same bits, whatever the number of threads.
//!
//! # When not to use it
//!
//! Costs are those of squared Euclidean distances; other powers have [`Exact`] only. Where two clouds are samples of one law, the
//! optimum is small against the distances between neighbours, plans are some per cent above it, and bounds say little. The same
//! holds in high dimensions. For a smooth plan, or gradients with respect to it, take [`sinkhorn`](fn@sinkhorn).

mod bounds;
mod closed_form;
mod cost;
mod coupling;
mod direction;
mod double;
mod error;
mod exact;
mod factored;
mod gaussian;
mod geodesic;
mod glue;
pub mod line;
mod linear;
mod many;
mod mass;
mod matching;
mod measure;
mod nearest;
mod observe;
mod par;
mod permutation;
mod plane;
mod problem;
mod sampler;
mod scalar;
mod search;
mod sinkhorn;
mod sliced;
mod smooth;
mod solve;
mod sparse;
mod spectral;
mod subspace;
mod swgg;

pub use bounds::{DualBound, LowerBounds, dual_bound, lower_bounds};
pub use closed_form::{LINE_TOLERANCE, Line, LineTransport, line_transport, supporting_line};
pub use cost::{Cost, Power, SqEuclidean};
pub use coupling::{Coo, Coupling, DENSE_LIMIT};
pub use direction::{Direction, DirectionSet};
pub use error::{Error, ErrorKind, Result};
pub use exact::{Exact, ExactTransport, Potentials, Start, exact};
pub use factored::{Factored, FactoredTransport};
pub use gaussian::{Gaussian, GaussianMap, GaussianTransport, bures_sq, gaussian_cost, gaussian_transport};
pub use geodesic::{Geodesic, PivotCoupling, pivot_measure};
pub use glue::Glue;
pub use linear::{LinearEmbedding, LinearOt};
pub use many::{Auto, Merged, Transport, Trees, merge_matchings, solve};
pub use measure::{LARGEST_COORDINATE, Measure};
/// The arrays in the signatures, in the version they have there.
pub use ndarray;
pub use nearest::{Neighbors, PointTree, nearest};
pub use observe::{Observe, Progress};
pub use par::Parallelism;
pub use permutation::Permutation;
pub use plane::{Arc, MOST_TURNS};
pub use problem::{InMemory, Problem};
pub use sampler::{Orthogonal, Sampler, Sphere, principal_axes};
pub use scalar::Scalar;
pub use search::{
    Annealing, Found, Gradient, Optimizer, RandomSearch, Scan, Search, Stein, Stop, Sweep, recommended,
};
pub use sinkhorn::{
    Divergence, EntropicTransport, Epsilon, MOST_ENTRIES, Sinkhorn, sinkhorn, sinkhorn_divergence,
};
pub use sliced::{
    Estimate, MaxSlice, MaxSliced, PointGradient, Sliced, Slicing, max_sliced, pwd, sliced_wasserstein,
};
pub use smooth::{Blur, BlurWidth, Smoothed};
pub use solve::{MinSwgg, Solution, min_swgg};
pub use subspace::{
    Ascent, Detour, DetourTransport, GaussianDetour, Lift, RobustTransport, Subspace, SubspaceRobust,
};

pub use swgg::{
    PivotForm, projected_cost, swgg_by_pairs, swgg_by_pivot, swgg_by_quantiles, swgg_cost, swgg_coupling,
    swgg_distance,
};

/// The examples of the README run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// And that of the page on many lines.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/many-lines.md")]
struct ManyLines;
