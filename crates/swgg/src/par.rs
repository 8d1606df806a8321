//! How many threads a computation may use, as an argument.

use std::num::NonZeroUsize;

use rayon::prelude::*;

use crate::error::{ErrorKind, Result};

/// How many threads to use. The result does not depend on it, to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parallelism {
    /// The calling thread only.
    Serial,
    /// This many threads.
    Threads(NonZeroUsize),
    /// Those of the current `rayon` pool, by default all the machine offers.
    #[default]
    Auto,
}

impl Parallelism {
    /// `0` means [`Auto`](Parallelism::Auto), as on the command line.
    pub fn from_count(threads: usize) -> Self {
        match NonZeroUsize::new(threads) {
            None => Parallelism::Auto,
            Some(NonZeroUsize::MIN) => Parallelism::Serial,
            Some(threads) => Parallelism::Threads(threads),
        }
    }

    /// Threads this comes to on this machine.
    pub fn threads(self) -> usize {
        match self {
            Parallelism::Serial => 1,
            Parallelism::Threads(threads) => threads.get(),
            Parallelism::Auto => rayon::current_num_threads(),
        }
    }
}

/// Threads at work for one problem.
pub(crate) enum Workers {
    Caller,
    Own(rayon::ThreadPool),
    Shared,
}

impl Workers {
    pub fn new(parallelism: Parallelism) -> Result<Self> {
        match parallelism {
            Parallelism::Auto => Ok(Workers::Shared),
            Parallelism::Serial => Ok(Workers::Caller),
            Parallelism::Threads(threads) => {
                let threads = threads.get();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let refused =
                    |e: rayon::ThreadPoolBuildError| ErrorKind::Threads { threads, reason: e.to_string() };
                Ok(Workers::Own(pool.map_err(refused)?))
            }
        }
    }

    pub fn count(&self) -> usize {
        match self {
            Workers::Caller => 1,
            Workers::Own(pool) => pool.current_num_threads(),
            Workers::Shared => rayon::current_num_threads(),
        }
    }

    /// `task(0), ..., task(count - 1)`, in this order whoever computes them.
    pub fn map<R: Send>(&self, count: usize, task: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        // One task at a time: directions cost alike, and the last ones should not wait in somebody's queue.
        let run = || (0..count).into_par_iter().with_max_len(1).map(&task).collect();
        match self {
            _ if count == 1 => vec![task(0)],
            Workers::Caller => (0..count).map(task).collect(),
            Workers::Own(pool) => pool.install(run),
            Workers::Shared => run(),
        }
    }

    /// `task(0), ..., task(count - 1)`, begun in this order.
    pub fn queue(&self, count: usize, task: impl Fn(usize) + Sync + Send) {
        match self {
            Workers::Caller => (0..count).for_each(task),
            Workers::Own(_) | Workers::Shared => self.install(|| {
                rayon::scope_fifo(|scope| {
                    let task = &task;
                    (0..count).for_each(|k| scope.spawn_fifo(move |_| task(k)));
                });
            }),
        }
    }

    /// Runs a task where its own forks find these threads; with one thread it must not fork.
    pub fn install<R: Send>(&self, task: impl FnOnce() -> R + Send) -> R {
        match self {
            Workers::Own(pool) => pool.install(task),
            Workers::Caller | Workers::Shared => task(),
        }
    }

    /// Both tasks, at the same time where there are two threads.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self {
            Workers::Caller => (first(), second()),
            Workers::Own(pool) => pool.join(first, second),
            Workers::Shared => rayon::join(first, second),
        }
    }
}
