//! The engine from the outside: what is promised of plans, costs and bounds, on clouds of every kind.
// The exception for tests covers test functions, not the helpers they share.
#![allow(clippy::unwrap_used)]

mod common;
mod costs;
mod exact;
mod examples;
mod gaussians;
mod geodesics;
mod many;
mod metrics;
mod numbers;
mod optimal;
mod partial;
mod pivots;
mod propositions;
mod seam;
mod searches;
mod sinkhorn;
mod sliced;
mod wide;
