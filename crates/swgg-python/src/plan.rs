//! Plans, as Python sees them.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use swgg::Coupling;

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};

/// A matching or a sparse plan.
#[pyclass(frozen, module = "swgg._swgg")]
pub struct Plan {
    pub coupling: Coupling,
}

#[pymethods]
impl Plan {
    /// `(n, m)`.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.coupling.source_len(), self.coupling.target_len())
    }

    /// How many pairs move mass.
    fn __len__(&self) -> usize {
        self.coupling.len()
    }

    /// Index of the target of each source, if each has one.
    fn targets<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let targets = self.coupling.targets()?;
        Some(PyArray1::from_iter(py, targets.iter().map(|&j| i64::from(j))))
    }

    /// Rows, columns and masses of the entries.
    #[expect(clippy::type_complexity, reason = "three arrays")]
    fn entries<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>) {
        let entries = || self.coupling.entries();
        (
            PyArray1::from_iter(py, entries().map(|(i, _, _)| i as i64)),
            PyArray1::from_iter(py, entries().map(|(_, j, _)| j as i64)),
            PyArray1::from_iter(py, entries().map(|(_, _, mass)| mass)),
        )
    }

    /// The matrix, refused beyond `limit` bytes.
    fn dense<'py>(&self, py: Python<'py>, limit: u128) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let dense = self.coupling.to_dense_within(limit).map_err(Failure::from)?;
        Ok(dense.into_pyarray(py))
    }

    /// The plan from targets to sources.
    fn inverse(&self) -> Plan {
        Plan { coupling: self.coupling.inverse() }
    }

    /// Mean image of each source; a source without mass stays where it is.
    fn barycentric<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let clouds = Clouds::new(x, y, None, None)?;
        let images: Outcome<_> =
            py.detach(|| with_measures!(clouds, |mu, nu| Ok(self.coupling.barycentric_map(&mu, &nu)?)));
        Ok(images?.into_pyarray(py))
    }
}
