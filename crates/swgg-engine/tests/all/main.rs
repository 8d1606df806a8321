//! Plans of tables beside plans in memory, and every refusal.

#![allow(clippy::unwrap_used)]

mod auto;
mod command;
mod distances;
mod entries;
mod killed;
mod plans;
mod refused;
mod resume;
mod split;
mod tables;
