//! The colours of one picture for another.

use numpy::ndarray::Array3;
use numpy::{
    Element, IntoPyArray, PyReadonlyArray2, PyReadonlyArray3, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use swgg_apps::color::{Image, Method, Sample, Samples, Settings as How, Space, colorize as give, transfer};

use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Task, run};

/// What a transfer is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Choices {
    method: String,
    strength: f64,
    space: String,
    smoothing: f64,
    mass: f64,
    /// None for all pixels.
    samples: Option<usize>,
    seed: u64,
}

impl Choices {
    fn settings(&self) -> Outcome<How> {
        let unknown = |name: &str, found: &str| Failure::Said(format!("{name}: found {found:?}"));
        Ok(How {
            method: Method::from_name(&self.method).ok_or_else(|| unknown("method", &self.method))?,
            strength: self.strength,
            space: Space::from_name(&self.space).ok_or_else(|| unknown("space", &self.space))?,
            smoothing: self.smoothing,
            mass: self.mass,
            samples: self.samples.map_or(Samples::All, Samples::Random),
            seed: self.seed,
            ..Default::default()
        })
    }
}

/// A picture of Python, and which of its pixels take part.
struct Picture<S> {
    width: usize,
    samples: Held<S>,
    part: Option<Held<bool>>,
}

/// Which pixels take part; none for all.
type Part<'py> = Option<PyReadonlyArray2<'py, bool>>;

impl<S: Sample + Element> Picture<S> {
    /// The Python side has seen to it that arrays are contiguous, and that the last of three axes is of three colours.
    fn new(array: &PyReadonlyArray3<'_, S>, part: Part<'_>) -> PyResult<Self> {
        let part = part.map(|part| Held::new(&part)).transpose()?;
        Ok(Picture { width: array.shape()[1], samples: Held::new(array)?, part })
    }

    fn image(&self) -> Outcome<Image<'_, S>> {
        let image = Image::new(self.width, self.samples.as_chunks().0)?;
        Ok(match &self.part {
            Some(part) => image.with_mask(part)?,
            None => image,
        })
    }
}

/// Pixels as an array of Python.
fn array<'py, S: Element>(
    py: Python<'py>,
    shape: [usize; 3],
    pixels: Vec<[S; 3]>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = Array3::from_shape_vec(shape, pixels.into_flattened())
        .map_err(|error| Failure::Panicked(format!("pixels of shape {shape:?}: {error}")))?;
    Ok(array.into_pyarray(py).into_any())
}

/// Runs a function on arrays of the kind that the first one is.
macro_rules! by_kind {
    ($array:expr, $function:ident($($argument:expr),*)) => {
        if $array.extract::<PyReadonlyArrayDyn<'_, u8>>().is_ok() {
            $function::<u8>($($argument),*)
        } else if $array.extract::<PyReadonlyArrayDyn<'_, u16>>().is_ok() {
            $function::<u16>($($argument),*)
        } else {
            $function::<f32>($($argument),*)
        }
    };
}

/// A picture with the colours of another one: `uint8`, `uint16` or `float32`, three colours, both alike.
#[pyfunction]
#[pyo3(signature = (source, reference, part, reference_part, choices, threads))]
pub fn color_transfer<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    part: Part<'py>,
    reference_part: Part<'py>,
    choices: Choices,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    by_kind!(source, transferred(py, source, reference, [part, reference_part], &choices, threads))
}

fn transferred<'py, S: Sample + Element>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    [part, reference_part]: [Part<'py>; 2],
    choices: &Choices,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (from, to): (PyReadonlyArray3<'_, S>, PyReadonlyArray3<'_, S>) =
        (source.extract()?, reference.extract()?);
    let shape = [from.shape()[0], from.shape()[1], 3];
    let how = choices.settings()?;
    let work = 100.0 * (from.len() + to.len()) as f64;
    let (from, to) = (Picture::new(&from, part)?, Picture::new(&to, reference_part)?);
    let found = run(py, Task { threads, callback: None, work }, move |_, parallelism| {
        Ok(transfer(&from.image()?, &to.image()?, &How { parallelism, ..how })?)
    })?;
    array(py, shape, found.pixels)
}

/// A gray picture with the colours of another one, of the same kind.
#[pyfunction]
#[pyo3(signature = (gray, reference, reference_part, threads))]
pub fn colorize<'py>(
    py: Python<'py>,
    gray: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    reference_part: Part<'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    by_kind!(gray, colorized(py, gray, reference, reference_part, threads))
}

fn colorized<'py, S: Sample + Element>(
    py: Python<'py>,
    gray: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    reference_part: Part<'py>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (gray, to): (PyReadonlyArray2<'_, S>, PyReadonlyArray3<'_, S>) =
        (gray.extract()?, reference.extract()?);
    let [height, width] = [gray.shape()[0], gray.shape()[1]];
    let work = 20.0 * (gray.len() + to.len()) as f64;
    let (grays, to) = (Held::new(&gray)?, Picture::new(&to, reference_part)?);
    let found = run(py, Task { threads, callback: None, work }, move |_, parallelism| {
        Ok(give(width, &grays, &to.image()?, parallelism)?)
    })?;
    array(py, [height, width, 3], found.pixels)
}
