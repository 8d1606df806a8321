//! Threads for a registration: one pool, whatever is asked how often.

use rayon::prelude::*;
use swgg::Parallelism;

use super::error::{Error, Result};

/// Threads at work.
pub(super) enum Crew {
    Caller,
    Shared,
    Own(rayon::ThreadPool),
}

impl Crew {
    pub fn new(parallelism: Parallelism) -> Result<Self> {
        Ok(match parallelism {
            Parallelism::Serial => Crew::Caller,
            Parallelism::Auto => Crew::Shared,
            Parallelism::Threads(threads) => {
                let found = threads.get();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(found).build();
                Crew::Own(pool.map_err(|e| Error::Threads { found, reason: e.to_string() })?)
            }
        })
    }

    /// Runs a task with the parallelism it may hand to the engine.
    pub fn run<R: Send>(&self, task: impl FnOnce(Parallelism) -> R + Send) -> R {
        match self {
            Crew::Caller => task(Parallelism::Serial),
            Crew::Shared => task(Parallelism::Auto),
            Crew::Own(pool) => pool.install(|| task(Parallelism::Auto)),
        }
    }

    /// `task` of every item, in their order whoever computes it.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], task: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        match self {
            Crew::Caller => items.iter().map(task).collect(),
            _ => self.run(|_| items.par_iter().with_max_len(1).map(task).collect()),
        }
    }
}
