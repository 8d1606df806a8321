//! The native half of the Python package: arrays in, arrays out, one file per noun.
//!
//! The Python half checks shapes and kinds, this one checks values; see `python/swgg`.

mod bound;
mod classic;
mod clouds;
mod directions;
mod emd;
mod errors;
mod gaussian;
mod held;
mod line;
mod linear;
mod plan;
mod run;
mod search;
mod sinkhorn;
mod sliced;
mod solve;

use pyo3::prelude::*;

/// The engine of swgg.
#[pymodule(gil_used = true)]
mod _swgg {
    #[pymodule_export]
    use crate::classic::{factored, subspace_detour, subspace_robust};
    #[pymodule_export]
    use crate::emd::{emd, emd_matrix};
    #[pymodule_export]
    use crate::gaussian::{Affine, bures, gaussian};
    #[pymodule_export]
    use crate::line::{geodesic, line_wasserstein};
    #[pymodule_export]
    use crate::linear::linear_ot;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::search::{min_swgg, swgg_at};
    #[pymodule_export]
    use crate::sinkhorn::{Entropic, sinkhorn, sinkhorn_divergence};
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
