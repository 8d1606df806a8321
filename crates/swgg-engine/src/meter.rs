//! How far a run is, for whoever watches, and whether somebody asked it to end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// Counters that every thread of a run adds to.
#[derive(Debug, Default)]
pub struct Meter {
    stage: Mutex<&'static str>,
    done: AtomicU64,
    total: AtomicU64,
    spilled: AtomicU64,
    stop: Arc<AtomicBool>,
}

/// What a meter shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// What is being done.
    pub stage: &'static str,
    /// Rows or cells that are done.
    pub done: u64,
    /// Of how many.
    pub total: u64,
    /// Bytes that were written to disk because memory was full.
    pub spilled: u64,
}

impl Meter {
    /// A meter that ends the run when this flag is raised.
    pub fn hearing(stop: Arc<AtomicBool>) -> Self {
        Meter { stop, ..Meter::default() }
    }

    /// How far the run is.
    pub fn reached(&self) -> Reached {
        Reached {
            stage: *self.stage.lock().unwrap_or_else(PoisonError::into_inner),
            done: self.done.load(Ordering::Relaxed),
            total: self.total.load(Ordering::Relaxed),
            spilled: self.spilled.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn begin(&self, stage: &'static str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Some more is done; an error if the run is to end.
    pub(crate) fn advance(&self, more: u64) -> Result<()> {
        self.done.fetch_add(more, Ordering::Relaxed);
        self.check()
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Whether somebody asked the run to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(crate) fn spill(&self, bytes: u64) {
        self.spilled.fetch_max(bytes, Ordering::Relaxed);
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }
}
