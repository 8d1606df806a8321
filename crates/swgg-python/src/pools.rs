//! Threads that stay from call to call.

use std::sync::{Arc, Mutex, TryLockError};

use pyo3::PyResult;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::Failure;
use crate::guard::THREAD;

/// How many pools are kept, for callers who try every number of threads there is.
const KEPT: usize = 4;

/// The pools of a process, the last used at the end.
struct Pools {
    /// After a fork only the caller's own thread is left.
    process: u32,
    kept: Vec<Arc<ThreadPool>>,
}

/// Threads that calls share; none for a single one.
///
/// The lock is only taken with the interpreter's lock held, as a fork is, so no fork sees it taken. An interpreter without such a lock may
/// call from several threads at once, or fork meanwhile: nobody waits here, whoever comes second gets threads of its own.
pub fn shared(threads: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    static POOLS: Mutex<Option<Pools>> = Mutex::new(None);
    let threads = count(threads);
    if threads == 1 {
        return Ok(None);
    }
    let process = std::process::id();
    let mut pools = match POOLS.try_lock() {
        Ok(pools) => pools,
        Err(TryLockError::Poisoned(pools)) => pools.into_inner(),
        Err(TryLockError::WouldBlock) => return own(Some(threads)),
    };
    if let Some(stale) = pools.take_if(|pools| pools.process != process) {
        // Dropping them would wait for threads that are not there.
        std::mem::forget(stale);
    }
    let kept = &mut pools.get_or_insert_with(|| Pools { process, kept: Vec::new() }).kept;
    let pool = match kept.iter().position(|pool| pool.current_num_threads() == threads) {
        Some(place) => kept.remove(place),
        None => build(threads)?,
    };
    if kept.len() == KEPT {
        // Its threads end when whoever still uses it is done.
        kept.remove(0);
    }
    kept.push(pool.clone());
    Ok(Some(pool))
}

/// Threads for one call.
pub fn own(threads: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    let threads = count(threads);
    if threads == 1 { Ok(None) } else { build(threads).map(Some) }
}

/// As many as the machine has unless told.
fn count(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

fn build(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let built =
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("{THREAD}-{k}")).build();
    Ok(Arc::new(built.map_err(|error| {
        Failure::Exhausted(format!(
            "n_threads: {threads} threads could not be started ({error}); ask for fewer"
        ))
    })?))
}
