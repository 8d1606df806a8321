//! Running the engine without the interpreter's lock, and listening to Python meanwhile.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use swgg::{Observe, Parallelism, Progress};

use crate::errors::{Failure, Outcome};

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long a computation that was told to stop may take to do so before it is left to itself.
const PATIENCE: Duration = Duration::from_millis(600);
/// Work, in multiplications or so, that is done before a thread would have begun it.
const LITTLE: f64 = 2e5;

/// How a call is to be run.
pub struct Settings {
    /// Threads, as many as the machine has if none.
    pub threads: Option<usize>,
    /// Called with `(i, best)`; stops the computation by returning `True`.
    pub callback: Option<Py<PyAny>>,
    /// About how much there is to do.
    pub work: f64,
}

/// What a computation tells while it runs.
enum News<R> {
    Progress(usize, f64),
    Done(Outcome<R>),
}

/// Passes progress on and stops when told.
struct Watch<R> {
    news: Option<Sender<News<R>>>,
    stop: Arc<AtomicBool>,
}

impl<R> Observe for Watch<R> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(news) = &self.news {
            // Nobody listens any more once the caller has gone.
            let _ = news.send(News::Progress(progress.tried, progress.best));
        }
        if self.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Runs a task: at once if it is small, otherwise on a thread of its own, so that Ctrl-C is answered even by steps that cannot be
/// interrupted. Those are left to finish by themselves.
pub fn run<R, F>(py: Python<'_>, settings: Settings, task: F) -> PyResult<R>
where
    R: Send + 'static,
    F: FnOnce(&mut dyn Observe, Parallelism) -> Outcome<R> + Send + 'static,
{
    let Settings { threads, callback, work } = settings;
    if work <= LITTLE && callback.is_none() {
        return py.detach(|| guarded(|| task(&mut (), Parallelism::Serial))).map_err(PyErr::from);
    }
    let pool = pool(threads)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let (flag, listens) = (stop.clone(), callback.is_some());
    std::thread::Builder::new()
        .name("swgg".into())
        .spawn(move || {
            let news = listens.then(|| sender.clone());
            let outcome = guarded(|| {
                let work = |parallelism| task(&mut Watch { news, stop: flag }, parallelism);
                match &pool {
                    Some(pool) => pool.install(|| work(Parallelism::Auto)),
                    None => work(Parallelism::Serial),
                }
            });
            let _ = sender.send(News::Done(outcome));
        })
        .map_err(|error| Failure::Panicked(format!("no thread could be started: {error}")))?;
    let mut refusal: Option<(PyErr, Instant)> = None;
    // Python moves an error rather than a receiver between threads; the receiver stays here and is lent.
    let receiver = Mutex::new(receiver);
    loop {
        let wait = refusal.as_ref().map_or(TICK, |(_, since)| PATIENCE.saturating_sub(since.elapsed()));
        let news = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait));
        match (news, refusal.take()) {
            (Ok(News::Done(_)) | Err(_), Some((error, since))) if since.elapsed() >= PATIENCE => {
                return Err(error);
            }
            (Ok(News::Done(_)), Some((error, _))) => return Err(error),
            (Ok(News::Done(outcome)), None) => return outcome.map_err(PyErr::from),
            (Err(RecvTimeoutError::Disconnected), _) => {
                return Err(Failure::Panicked("a computation ended without an answer".into()).into());
            }
            (_, Some(waiting)) => refusal = Some(waiting),
            (Ok(News::Progress(i, best)), None) => {
                if let Err(error) =
                    told(py, callback.as_ref(), i, best, &stop).and_then(|()| py.check_signals())
                {
                    stop.store(true, Ordering::Relaxed);
                    refusal = Some((error, Instant::now()));
                }
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    refusal = Some((error, Instant::now()));
                }
            }
        }
    }
}

/// Calls the callback; if it returns `True`, the best so far is enough.
fn told(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    i: usize,
    best: f64,
    stop: &AtomicBool,
) -> PyResult<()> {
    if let Some(callback) = callback
        && !stop.load(Ordering::Relaxed)
        && callback.bind(py).call1((i, best))?.extract::<bool>().unwrap_or(false)
    {
        stop.store(true, Ordering::Relaxed);
    }
    Ok(())
}

/// A panic becomes a failure like others.
fn guarded<R>(task: impl FnOnce() -> Outcome<R>) -> Outcome<R> {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(ToString::to_string);
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Panicked(said.unwrap_or_else(|| "a computation panicked".into())))
    })
}

/// Threads that stay, by their number and by process: after a fork only the caller's own thread is left.
///
/// The lock is only taken with the interpreter's lock held, as a fork is, so no fork sees it taken.
fn pool(threads: Option<usize>) -> PyResult<Option<Arc<ThreadPool>>> {
    type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;
    static POOLS: Mutex<Option<Pools>> = Mutex::new(None);
    let threads =
        threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    if threads == 1 {
        return Ok(None);
    }
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    let key = (std::process::id(), threads);
    if let Some(pool) = pools.get(&key) {
        return Ok(Some(pool.clone()));
    }
    let built = ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("swgg-{k}")).build();
    let pool = built.map_err(|error| {
        Failure::Said(format!("n_threads: {threads} threads could not be started: {error}"))
    })?;
    let pool = Arc::new(pool);
    pools.insert(key, pool.clone());
    Ok(Some(pool))
}
