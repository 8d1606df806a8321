//! How many cells are solved at a time: as many as memory has room for.

use std::sync::{Condvar, Mutex, PoisonError};

/// Places to solve a cell in.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Mutex<usize>,
    changed: Condvar,
}

/// A place that is taken; it is free again when this is dropped.
pub(crate) struct Slot<'a>(&'a Slots);

impl Slots {
    pub fn new(count: usize) -> Self {
        Slots { free: Mutex::new(count.max(1)), changed: Condvar::new() }
    }

    /// Waits for a place.
    pub fn take(&self) -> Slot<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.changed.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}
