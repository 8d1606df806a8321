//! Barycenters: the cloud in the middle of several clouds.
//!
//! ```text
//! F(x) = sum_i w_i W_2^2( sum_k b_k delta_{x_k}, mu_i )
//! ```
//!
//! is made small over the places `x_k` of so many points with masses `b_k`, equal unless a start has others (free support). Two steps in turn, as in
//! Cuturi and Doucet (2014) and Alvarez-Esteban et al. (2016): plans from the points to every cloud, then each point to the weighted mean of the
//! places its mass goes to. Neither makes `F` larger, and a plan is only replaced by a cheaper one, so `F` never rises whatever the
//! method of the plans. Where it ends is a place that no such step improves, not the least `F` of all.
//!
//! Two clouds need no iteration: with weights `1 - t` and `t` the barycenter is the [geodesic](swgg::paper::Geodesic) of their plan at `t`, which for
//! `t = 1/2` is the generalized mean of the paper.
//!
//! | room | what it holds |
//! |---|---|
//! | `search` | the door: which of the ways below, and the bound at the end |
//! | `settings`, `inputs` | what is asked, and everything that is refused |
//! | `between` | two clouds: the geodesic |
//! | `start` | points to begin with |
//! | `plans` | who makes plans, with which effort, beginning where |
//! | `iteration` | plans and moves, in turn |
//! | `bound` | what no cloud can be below |
//! | `outcome` | what there is to say at the end |

mod between;
mod bound;
mod error;
mod inputs;
mod iteration;
mod outcome;
mod plans;
mod search;
mod settings;
mod start;

pub use error::{Error, Result};
pub use outcome::{Barycenter, Step};
pub use plans::PlanMaker;
pub use search::barycenter;
pub use settings::{Ending, Settings};
