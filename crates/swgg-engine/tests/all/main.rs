//! Plans of tables beside plans in memory, and every refusal.

#![allow(clippy::unwrap_used)]

mod command;
mod distances;
mod plans;
mod refused;
mod resume;
mod tables;
