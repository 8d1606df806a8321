//! What `swgg.pot` needs and the rest of the package does not.

mod dist;
mod exact;
mod line;
mod matching;
mod metric;
mod slices;
mod smooth;

pub use dist::pot_dist;
pub use exact::pot_exact;
pub use line::pot_lines;
pub use matching::{pot_merge, pot_trees};
pub use slices::{pot_costs, pot_plans, pot_slices};
pub use smooth::pot_sinkhorn;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;
use swgg::Parallelism;

use crate::errors::Outcome;

/// The entries of a plan by rank; all carry the same mass if none is given.
pub struct Entries {
    sources: Vec<i64>,
    targets: Vec<i64>,
    masses: Option<Vec<f64>>,
}

/// The same as arrays.
type Arrays<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Option<Bound<'py, PyArray1<f64>>>);

impl Entries {
    fn arrays(self, py: Python<'_>) -> Arrays<'_> {
        (
            self.sources.into_pyarray(py),
            self.targets.into_pyarray(py),
            self.masses.map(|masses| masses.into_pyarray(py)),
        )
    }
}

/// `task(0), ..., task(count - 1)` on the threads of the call.
fn each<R: Send>(
    parallelism: Parallelism,
    count: usize,
    task: impl Fn(usize) -> Outcome<R> + Sync + Send,
) -> Outcome<Vec<R>> {
    match parallelism {
        Parallelism::Serial => (0..count).map(task).collect(),
        _ => (0..count).into_par_iter().with_max_len(1).map(task).collect(),
    }
}
