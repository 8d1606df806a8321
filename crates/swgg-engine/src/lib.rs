//! Transport plans of tables that do not fit into memory.
//!
//! The plan is that of [`swgg::paper::swgg_coupling`]: both clouds are sorted along a line and paired by rank, or merged by mass. Here the
//! line is cut into cells, each of which fits into memory, and DataFusion brings the rows to their cells, on disk where memory is full.
//! The plan does not depend on how many cells, threads or bytes there are: it is the in-memory one, entry by entry.
//!
//! [`Method::Auto`] is another plan, much cheaper: cells of both clouds are solved by [`swgg::Auto`], regrouped and solved again. [`split()`],
//! [`solve_cell`] and [`join`] do the same for whoever has a scheduler of their own.
//!
//! When not to use it: clouds that fit into memory. `swgg solve` is quicker there, and has more methods.
//!
//! ```no_run
//! use std::sync::Arc;
//! use swgg_engine::{Meter, Request, solve};
//!
//! let request = Request { direction: Some(vec![1.0, 0.0]), plan: Some("plan".into()), ..Request::new("a/", "b/*.parquet") };
//! let solved = solve(&request, &Arc::new(Meter::default()))?;
//! println!("{} entries cost {}", solved.entries, solved.cost);
//! # Ok::<(), swgg_engine::Error>(())
//! ```

mod aggregate;
mod auto;
mod bits;
mod border;
mod cell;
mod check;
#[doc(hidden)]
pub mod command;
mod cuts;
mod dealer;
mod distance;
mod error;
mod folder;
mod ids;
mod key;
mod line;
mod marginals;
mod masses;
mod meter;
mod opened;
mod part;
mod place;
mod pool;
pub mod remote;
mod request;
mod scan;
mod search;
mod shuffle;
mod solve;
mod split;
mod survey;
mod table;
mod tree;

pub use check::check;
pub use distance::{Distance, DistanceRequest, Kind, LINES, distance};
pub use error::{Error, Result};
pub use folder::{Manifest, Part, Pass, manifest};
pub use marginals::check_tables;
pub use meter::{Meter, Reached};
pub use request::{Method, Request};
pub use search::{ChosenDirection, SampleFacts};
pub use solve::{DATAFUSION, Solved, solve, solve_on};
pub use split::{Split, SplitCell, join, solve_cell, split, split_of};
pub use table::{Reading, Table};
