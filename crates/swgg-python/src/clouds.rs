//! Two clouds with weights, from arrays to measures.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::question::Sizes;
use swgg::{Measure, Scalar};

use crate::errors::{Failure, Outcome, named};
use crate::held::Held;

/// Rows of both clouds, in one precision.
pub enum Rows {
    F32([Held<f32>; 2]),
    F64([Held<f64>; 2]),
}

/// Arguments `X, Y, a, b` of nearly every function.
pub struct Clouds {
    pub rows: Rows,
    pub sizes: [usize; 2],
    pub dims: [usize; 2],
    weights: [Option<Held<f64>>; 2],
    /// What the caller calls them.
    names: [&'static str; 2],
}

impl Clouds {
    /// The Python side has seen to it that arrays are contiguous, of two axes, and both `float32` or both `float64`.
    pub fn new(
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        a: Option<PyReadonlyArray1<'_, f64>>,
        b: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let weights = |weights: Option<PyReadonlyArray1<'_, f64>>| weights.map(|w| Held::new(&w)).transpose();
        let (weights, names) = ([weights(a)?, weights(b)?], ["X", "Y"]);
        if let Ok(x) = x.extract::<PyReadonlyArray2<'_, f64>>() {
            let y = y.extract::<PyReadonlyArray2<'_, f64>>()?;
            let (sizes, dims) = shapes(x.shape(), y.shape());
            return Ok(Clouds {
                rows: Rows::F64([Held::new(&x)?, Held::new(&y)?]),
                sizes,
                dims,
                weights,
                names,
            });
        }
        let (x, y) = (x.extract::<PyReadonlyArray2<'_, f32>>()?, y.extract::<PyReadonlyArray2<'_, f32>>()?);
        let (sizes, dims) = shapes(x.shape(), y.shape());
        Ok(Clouds { rows: Rows::F32([Held::new(&x)?, Held::new(&y)?]), sizes, dims, weights, names })
    }

    /// How many points there are, and of which dimension.
    pub fn sizes(&self) -> Sizes {
        Sizes { n: self.sizes[0], m: self.sizes[1], d: self.dims[0] }
    }

    /// The same under other names than `X` and `Y`.
    pub fn called(self, names: [&'static str; 2]) -> Self {
        Clouds { names, ..self }
    }

    /// The measures, checked; refusals name the argument.
    pub fn measures<'a, T: Scalar>(
        &'a self,
        rows: &'a [Held<T>; 2],
    ) -> Outcome<(Measure<'a, T>, Measure<'a, T>)> {
        let side = |k: usize, points: &'static str, weights: &'static str| {
            let measure = named(points, Measure::from_slice(&rows[k], self.dims[k]))?;
            match &self.weights[k] {
                Some(given) => named(weights, measure.with_weights(given)),
                None => Ok(measure),
            }
        };
        let (mu, nu) = (side(0, self.names[0], "a")?, side(1, self.names[1], "b")?);
        if self.dims[0] != self.dims[1] {
            return Err(Failure::Said(format!(
                "{} has {} columns and {} has {}; both clouds must live in the same space",
                self.names[0], self.dims[0], self.names[1], self.dims[1]
            )));
        }
        Ok((mu, nu))
    }

    /// About how much it takes to look at all points along so many lines.
    pub fn work(&self, lines: usize) -> f64 {
        (self.sizes[0] + self.sizes[1]) as f64 * (self.dims[0] + 16) as f64 * lines as f64
    }
}

fn shapes(x: &[usize], y: &[usize]) -> ([usize; 2], [usize; 2]) {
    ([x[0], y[0]], [x[1], y[1]])
}

/// From the tuple `(X, Y, a, b)`.
impl<'py> FromPyObject<'_, 'py> for Clouds {
    type Error = PyErr;

    fn extract(pair: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (x, y, a, b): (Bound<'py, PyAny>, Bound<'py, PyAny>, _, _) = pair.extract()?;
        Clouds::new(&x, &y, a, b)
    }
}

/// Runs an expression on the measures of clouds, whatever their precision.
macro_rules! with_measures {
    ($clouds:expr, |$mu:ident, $nu:ident| $body:expr) => {
        match &$clouds.rows {
            crate::clouds::Rows::F32(rows) => {
                let ($mu, $nu) = $clouds.measures(rows)?;
                $body
            }
            crate::clouds::Rows::F64(rows) => {
                let ($mu, $nu) = $clouds.measures(rows)?;
                $body
            }
        }
    };
}
pub(crate) use with_measures;
