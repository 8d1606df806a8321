//! Plans, as Python sees them.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyType;
use swgg::plan::Coo;
use swgg::{Coupling, Error, ErrorKind};

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome};
use crate::guard::guarded;

/// A matching or a sparse plan.
#[pyclass(frozen, module = "swgg._swgg")]
pub struct Plan {
    pub coupling: Coupling,
}

#[pymethods]
impl Plan {
    /// A plan from its parts: a matching if `masses` is none.
    #[new]
    fn new(
        n: usize,
        m: usize,
        sources: PyReadonlyArray1<'_, u32>,
        targets: PyReadonlyArray1<'_, u32>,
        masses: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let targets = targets.to_vec()?;
        let coupling = match masses {
            None => Coupling::from_map(targets),
            Some(masses) => {
                Coupling::sparse(n, m, Coo { sources: sources.to_vec()?, targets, masses: masses.to_vec()? })
            }
        };
        Ok(Plan { coupling: coupling.map_err(Failure::from)? })
    }

    /// For `pickle` and `copy`: the parts.
    #[expect(clippy::type_complexity, reason = "a class and its arguments")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyType>,
        (usize, usize, Bound<'py, PyAny>, Bound<'py, PyAny>, Option<Bound<'py, PyAny>>),
    )> {
        let Coo { sources, targets, masses } = self.coupling.to_coo();
        let (n, m) = self.shape();
        let is_matching = self.coupling.is_matching();
        let sources = if is_matching { Vec::new() } else { sources };
        let masses = (!is_matching).then(|| PyArray1::from_vec(py, masses).into_any());
        let parts = (PyArray1::from_vec(py, sources).into_any(), PyArray1::from_vec(py, targets).into_any());
        Ok((py.get_type::<Plan>(), (n, m, parts.0, parts.1, masses)))
    }

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
        let (n, m) = self.shape();
        let needed = n as u128 * m as u128 * size_of::<f64>() as u128;
        if needed > limit {
            return Err(Failure::from(Error::from(ErrorKind::DenseTooLarge { n, m, needed, limit })).into());
        }
        // NumPy refuses what the machine does not have, where Rust would end the process.
        let zeros = py.import("numpy")?.call_method1("zeros", ((n, m),)).map_err(|error| {
            let sparse = "use the entries or the sparse plan instead";
            Failure::Exhausted(format!("a dense {n} x {m} plan does not fit in memory ({error}); {sparse}"))
        })?;
        let zeros = zeros.cast_into::<PyArray2<f64>>()?;
        let mut dense = zeros.readwrite();
        let mut matrix = dense.as_array_mut();
        self.coupling.entries().for_each(|(i, j, mass)| matrix[(i, j)] += mass);
        drop(dense);
        Ok(zeros)
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
        let images: Outcome<_> = py.detach(|| {
            guarded(|| with_measures!(clouds, |mu, nu| Ok(self.coupling.barycentric_map(&mu, &nu)?)))
        });
        Ok(images?.into_pyarray(py))
    }
}
