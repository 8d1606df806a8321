//! The benchmark of registration, whose clouds and protocol these are: its figures and those here are of the same thing.

use crate::Outcome;

#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../../swgg-apps/benches/registration/cases.rs"]
pub mod cases;
#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../../swgg-apps/benches/registration/clouds.rs"]
mod clouds;
#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../../swgg-apps/benches/registration/cuts.rs"]
mod cuts;
#[allow(dead_code, reason = "the benchmark uses the rest")]
#[path = "../../../../swgg-apps/benches/registration/shapes.rs"]
pub mod shapes;
