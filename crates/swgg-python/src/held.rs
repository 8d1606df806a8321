//! Arrays of Python, held while a thread without the interpreter's lock reads them.
#![allow(unsafe_code)]

use std::ops::Deref;

use numpy::{Element, PyArray, PyReadonlyArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::Failure;

/// The numbers of a contiguous array, and a reference that keeps it alive.
///
/// A borrowed slice would do while the caller waits; but a caller who presses Ctrl-C does not wait, and the thread that still
/// computes must not lose its input.
pub struct Held<T> {
    start: *const T,
    len: usize,
    _owner: Py<PyAny>,
}

// SAFETY: what is shared is a slice of plain numbers, read only, and a reference that is counted by the interpreter under its lock.
unsafe impl<T: Sync> Send for Held<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Held<T> {}

impl<T: Element> Held<T> {
    /// Holds an array; refused unless its numbers lie one after the other in the order of rows.
    pub fn new<D: numpy::ndarray::Dimension>(array: &PyReadonlyArray<'_, T, D>) -> PyResult<Self> {
        let bound: &Bound<'_, PyArray<T, D>> = array;
        if !bound.is_c_contiguous() {
            return Err(
                Failure::Said("found an array that is not contiguous in the order of rows".into()).into()
            );
        }
        let slice = array.as_slice()?;
        Ok(Held { start: slice.as_ptr(), len: slice.len(), _owner: bound.clone().into_any().unbind() })
    }
}

impl<T> Deref for Held<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the owner keeps the buffer alive, and NumPy neither moves nor frees the buffer of an array that is referenced (it
        // refuses to resize it, unless told not to look). Somebody who writes to the array meanwhile gets an answer about a mixture, as with NumPy itself.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}
