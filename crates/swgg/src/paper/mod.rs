//! The paper: SWGG at a direction in its three forms, pivots, the closed form, the smooth surrogate, and searches for the
//! best direction ("Fast Optimal Transport through Sliced Wasserstein Generalized Geodesics", Mahey et al., 2023).

pub(crate) mod closed_form;
pub(crate) mod geodesic;
pub(crate) mod plane;
pub(crate) mod search;
pub(crate) mod slices;
pub(crate) mod smooth;
pub(crate) mod spanned;
pub(crate) mod swgg;

pub use closed_form::{LINE_TOLERANCE, Line, LineTransport, line_transport, supporting_line};
pub use geodesic::{Geodesic, PivotCoupling, pivot_measure};
pub use plane::{Arc, MOST_TURNS};
pub use search::*;
/// The settings that searches have.
pub mod settings {
    pub use super::search::registry::{
        BLUR, COPIES, DIRECTIONS, KEEP_COSTS, LEARNING_RATE, LISTED, OF_SEARCHES, OPTIMIZER, PAIRS, RADIUS,
        REACH, RESTARTS, SEARCH, START, STARTS, STEPS, TOLERANCE, owners,
    };
}
pub use slices::{InMemory, Slices, orders};
pub use smooth::{Blur, BlurWidth, Smoothed};
pub use spanned::Spanned;
pub use swgg::{
    PivotForm, projected_cost, swgg_by_pairs, swgg_by_pivot, swgg_by_quantiles, swgg_cost, swgg_coupling,
    swgg_distance,
};
