//! The native half of the Python package: arrays in, arrays out, one file per noun.
//!
//! The Python half checks shapes and kinds, this one checks values; see `python/swgg`.

mod answer;
mod ask;
mod barycenter;
mod batch;
mod clouds;
mod color;
mod directions;
mod emd;
mod envelope;
mod errors;
mod flow;
mod gaussian;
mod guard;
mod held;
mod line;
mod linear;
mod nearest;
mod otdd;
mod page;
mod pairwise;
mod partial;
mod plan;
mod pools;
mod pot;
mod registration;
mod registry;
mod run;
mod sinkhorn;
mod sliced;
mod solve;
mod tasks;

use pyo3::prelude::*;

// Its classes do not change once they are made, and what calls share is behind locks: interpreters that can do without a lock need none
// for this module.
/// The engine of swgg.
#[pymodule(gil_used = false)]
mod _swgg {
    #[pymodule_export]
    use crate::answer::Answer;
    #[pymodule_export]
    use crate::barycenter::barycenter;
    #[pymodule_export]
    use crate::batch::solve_batch;
    #[pymodule_export]
    use crate::color::{color_transfer, colorize};
    #[pymodule_export]
    use crate::emd::emd_matrix;
    #[pymodule_export]
    use crate::envelope::{Envelope, envelope};
    #[pymodule_export]
    use crate::flow::{flow, losses};
    #[pymodule_export]
    use crate::gaussian::{Affine, bures, gaussian};
    #[pymodule_export]
    use crate::line::{geodesic, line_wasserstein};
    #[pymodule_export]
    use crate::linear::linear_ot;
    #[pymodule_export]
    use crate::nearest::nearest;
    #[pymodule_export]
    use crate::otdd::{otdd, otdd_names};
    #[pymodule_export]
    use crate::page::page;
    #[pymodule_export]
    use crate::pairwise::pairwise;
    #[pymodule_export]
    use crate::partial::{partial_line, partial_matrix};
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::pot::{
        pot_costs, pot_dist, pot_exact, pot_lines, pot_merge, pot_plans, pot_sinkhorn, pot_slices, pot_trees,
    };
    #[pymodule_export]
    use crate::registration::register;
    #[pymodule_export]
    use crate::registry::{color_methods, matchings, methods, searches};
    #[pymodule_export]
    use crate::sinkhorn::{sinkhorn, sinkhorn_divergence};
    #[pymodule_export]
    use crate::sliced::{Mean, Slice, max_sliced, sliced, sliced_gradient};
    #[pymodule_export]
    use crate::solve::{factored, solve, subspace_detour, subspace_robust, swgg_at};

    use std::io::Write;

    use pyo3::prelude::*;

    use crate::guard::{guarded, hush};
    use crate::run::{Task, run};

    /// The command line: arguments with the name of the program first; returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> PyResult<u8> {
        let code = py.detach(|| guarded(|| Ok(swgg_cli::exit_code(arguments))));
        // A program flushes when it ends; this one does not end here.
        let _ = std::io::stdout().flush();
        // The command line has a way of its own with panics, and leaves nobody's behind.
        hush();
        Ok(code?)
    }

    /// A mistake of ours on purpose, for the tests: panics on the caller's thread, or on another where there is work.
    #[pyfunction]
    fn _panic(py: Python<'_>, work: f64, threads: usize) -> PyResult<()> {
        run(py, Task { threads: Some(threads), callback: None, work }, |_, _| panic!("on purpose"))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        hush();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
