//! Transport plans of tables that do not fit into memory.
//!
//! The plan is that of [`swgg::paper::swgg_coupling`]: both clouds are sorted along a line and paired by rank, or merged by mass. Here the
//! line is cut into cells, each of which fits into memory, and DataFusion brings the rows to their cells, on disk where memory is full.
//! The plan does not depend on how many cells, threads or bytes there are: it is the in-memory one, entry by entry.
//!
//! When not to use it: clouds that fit into memory. `swgg solve` is quicker there, and has methods with cheaper plans.
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
mod cell;
mod check;
mod cuts;
mod distance;
mod error;
mod folder;
mod ids;
mod key;
mod masses;
mod meter;
mod opened;
mod part;
mod pool;
mod request;
mod scan;
mod search;
mod shuffle;
mod solve;
mod survey;
mod table;

pub use check::check;
pub use distance::{Distance, DistanceRequest, Kind, LINES, distance};
pub use error::{Error, Result};
pub use folder::{Manifest, Part, manifest};
pub use meter::{Meter, Reached};
pub use request::Request;
pub use search::{Found, SampleFacts};
pub use solve::{DATAFUSION, Solved, solve};
pub use table::{Reading, Table};
