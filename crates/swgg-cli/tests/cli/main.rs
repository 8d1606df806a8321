//! The command line from the outside: arguments and files in; exit code, output and files out.
// The exception for tests covers test functions, not the helpers they share.
#![allow(clippy::unwrap_used)]

mod auto;
mod barycenter;
mod browser;
mod bytes;
mod compare;
mod costs;
mod distance;
mod engine;
mod exact;
#[cfg(target_os = "linux")]
mod faults;
mod files;
mod first_hour;
mod flow;
mod json;
mod landscape;
mod methods;
mod otdd;
mod pages;
mod pansharpen;
mod partial;
mod pictures;
mod places;
mod real;
mod refused;
mod register;
mod saved;
mod scene;
mod schema;
mod searches;
mod shell;
#[cfg(unix)]
mod signals;
mod snapshots;
mod tables;
mod works;

use scene::{Ran, Scene};
