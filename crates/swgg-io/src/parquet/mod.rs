//! Apache Parquet tables, `.parquet`.

mod column;
mod file;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{write_layout, write_plan};
