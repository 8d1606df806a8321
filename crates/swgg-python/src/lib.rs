//! The native half of the Python package: arrays in, arrays out, one file per noun.
//!
//! The Python half checks shapes and kinds, this one checks values; see `python/swgg`.

mod batch;
mod clouds;
mod directions;
mod envelope;
mod errors;
mod held;
mod nearest;
mod pairwise;
mod plan;
mod run;
mod sliced;
mod solve;
mod solver;
mod tasks;

use pyo3::prelude::*;

/// The engine of swgg.
#[pymodule(gil_used = true)]
mod _swgg {
    #[pymodule_export]
    use crate::batch::solve_batch;
    #[pymodule_export]
    use crate::envelope::{Envelope, envelope, sliced_potentials};
    #[pymodule_export]
    use crate::nearest::nearest;
    #[pymodule_export]
    use crate::pairwise::pairwise;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::sliced::{Mean, Slice, max_sliced, sliced, sliced_gradient};
    #[pymodule_export]
    use crate::solve::{Answer, solve};

    use pyo3::prelude::*;

    /// The command line: arguments with the name of the program first; returns the exit code.
    #[pyfunction]
    fn main(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| swgg_cli::exit_code(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
