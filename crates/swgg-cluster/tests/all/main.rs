//! Plans on a cluster of processes on loopback: one scheduler, two executors.

// Each file of helpers is used by some of the tests.
#![allow(clippy::unwrap_used)]

mod command;
#[path = "../../../swgg-engine/tests/all/entries.rs"]
#[allow(dead_code)]
mod entries;
mod ground;
mod lost;
mod plans;
mod strangers;
#[path = "../../../swgg-engine/tests/all/tables.rs"]
#[allow(dead_code)]
mod tables;
