//! What a run is asked for.

use std::path::PathBuf;

use crate::table::Reading;

/// How the plan is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The paper's plan of one line: the one in memory, entry by entry.
    #[default]
    MinSwgg,
    /// Cells that fit into memory, each solved by [`swgg::Auto`], regrouped and solved again.
    Auto {
        /// From 1 to 10, as in memory.
        effort: u8,
        /// How often every pair is solved; 1 if there is one cell.
        passes: usize,
    },
}

impl Method {
    /// Passes unless told otherwise: the second heals the borders of the first, the third those of the second.
    pub const PASSES: usize = 3;

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Method::MinSwgg => "min-swgg",
            Method::Auto { .. } => "auto",
        }
    }
}

/// What a run is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// File, folder or pattern of the source.
    pub source: String,
    /// File, folder or pattern of the target.
    pub target: String,
    /// Columns of source and target.
    pub readings: [Reading; 2],
    /// How the plan is found.
    pub method: Method,
    /// The direction; searched for on a sample if there is none.
    pub direction: Option<Vec<f64>>,
    /// Random directions to try on the sample; the recommended search if `None`.
    pub directions: Option<usize>,
    /// Seed of the search.
    pub seed: u64,
    /// Cells; as many as memory asks for if `None`.
    pub cells: Option<usize>,
    /// Bytes of memory for everything that grows with the tables.
    pub memory: usize,
    /// Where sorts go when memory is full; beside the plan if `None`.
    pub spill: Option<PathBuf>,
    /// Threads and partitions, 0 for as many as there are processors.
    pub threads: usize,
    /// Folder of the plan; only the cost is computed if `None`.
    pub plan: Option<PathBuf>,
    /// Go on where a run to the same place was stopped.
    pub resume: bool,
}

impl Request {
    /// Source and target with the default settings: all columns, two gigabytes, all processors, no plan.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        Request {
            source: source.into(),
            target: target.into(),
            readings: Default::default(),
            method: Method::default(),
            direction: None,
            directions: None,
            seed: 0,
            cells: None,
            memory: 2 << 30,
            spill: None,
            threads: 0,
            plan: None,
            resume: false,
        }
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}
