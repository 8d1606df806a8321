//! Transport plans of tables on a [Ballista](https://datafusion.apache.org/ballista/) cluster: `swgg solve A B --engine ballista://HOST:PORT`.
//!
//! [`swgg_engine`] finds the borders of the cells and writes the plan; here its batches become jobs. A job is a physical plan of two stages:
//!
//! ```text
//! pieces of tables -> ReadPieces: blocks (cell, rows) -> shuffle by hash of the cell -> SortExec by cell -> SolveCells: entries and sums
//! ```
//!
//! Schedulers and executors are Ballista's own; all they need is [`SwggCodec`], by which the two steps of ours travel. [`scheduler_config`] and
//! [`executor_config`] are theirs with it, for programs that start them; `swgg cluster scheduler` and `swgg cluster executor` are such programs.

mod address;
mod codec;
mod failed;
mod job;
mod read;
mod servers;
mod settings;
mod solve;

pub use address::Ballista;
pub use codec::SwggCodec;
pub use servers::{
    ExecutorPlace, SchedulerPlace, executor_config, run_executor, run_scheduler, scheduler_config,
};

/// The version that programs of a cluster compare: other versions may mean other things by the same bytes.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
