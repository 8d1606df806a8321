//! Running the engine without the interpreter's lock, and listening to Python meanwhile.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use swgg::{Observe, Parallelism, Progress};

use crate::errors::{Failure, Outcome};
use crate::guard::{THREAD, guarded};
use crate::pools;

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);
/// How long a computation that was told to stop may take to do so before it is left to itself.
const PATIENCE: Duration = Duration::from_millis(600);
/// Multiplications, more or less, that are done before a thread would have begun them.
const SERIAL_MULTIPLICATIONS: f64 = 2e5;

/// What is known about a task before it runs.
pub struct Task {
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
    listener: Option<Listener<R>>,
    stop: Arc<AtomicBool>,
}

/// Somebody who hears of every step, and says whether there is to be another.
///
/// The computation waits for the answer: a callback that stops at its third step stops at the third step, however
/// slow it is or fast the computation, and nothing piles up.
struct Listener<R> {
    news: Sender<News<R>>,
    goes_on: Receiver<bool>,
}

impl<R> Observe for Watch<R> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let Some(Listener { news, goes_on }) = &self.listener else { return ControlFlow::Continue(()) };
        // Both fail when the caller has gone.
        let told = news.send(News::Progress(progress.tried, progress.best)).is_ok();
        if told && goes_on.recv().unwrap_or(false) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(self.stop.clone())
    }
}

/// Runs a task: at once if it is small, otherwise on a thread of its own, so that Ctrl-C is answered even by steps that cannot be
/// interrupted. Those are left to finish by themselves.
pub fn run<R, F>(py: Python<'_>, asked: Task, task: F) -> PyResult<R>
where
    R: Send + 'static,
    F: FnOnce(&mut dyn Observe, Parallelism) -> Outcome<R> + Send + 'static,
{
    let Task { threads, callback, work } = asked;
    if work <= SERIAL_MULTIPLICATIONS && callback.is_none() {
        return py.detach(|| guarded(|| task(&mut (), Parallelism::Serial))).map_err(PyErr::from);
    }
    // Threads that wait for a callback are lost to others, which the callback may wait for: they are not shared.
    let pool = if callback.is_some() { pools::own(threads)? } else { pools::shared(threads)? };
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = channel();
    let (answer, goes_on) = channel();
    let listener = callback.is_some().then(|| Listener { news: sender.clone(), goes_on });
    let mut watch = Watch { listener, stop: stop.clone() };
    std::thread::Builder::new()
        .name(THREAD.into())
        .spawn(move || {
            let outcome = guarded(|| match &pool {
                Some(pool) => pool.install(|| task(&mut watch, Parallelism::Auto)),
                None => task(&mut watch, Parallelism::Serial),
            });
            let _ = sender.send(News::Done(outcome));
        })
        .map_err(|error| {
            Failure::Exhausted(format!(
                "the system refuses another thread ({error}); raise its limit (ulimit -u)"
            ))
        })?;
    let mut refusal: Option<(PyErr, Instant)> = None;
    // Only what can be shared between threads may be used while the interpreter's lock is released.
    let receiver = Mutex::new(receiver);
    loop {
        let wait = refusal.as_ref().map_or(TICK, |(_, since)| PATIENCE.saturating_sub(since.elapsed()));
        let news = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(wait));
        let heard = match (news, refusal.take()) {
            (Ok(News::Done(outcome)), None) => return outcome.map_err(PyErr::from),
            (Ok(News::Done(_)) | Err(_), Some((error, _))) => return Err(error),
            (Err(RecvTimeoutError::Disconnected), None) => {
                return Err(Failure::Panicked("a computation ended without an answer".into()).into());
            }
            (Ok(News::Progress(..)), Some(waiting)) => {
                let _ = answer.send(false);
                refusal = Some(waiting);
                continue;
            }
            (Ok(News::Progress(i, best)), None) => {
                let told = told(py, callback.as_ref(), i, best);
                let _ = answer.send(matches!(told, Ok(true)));
                told.and_then(|_| py.check_signals())
            }
            (Err(RecvTimeoutError::Timeout), None) => py.check_signals(),
        };
        if let Err(error) = heard {
            stop.store(true, Ordering::Relaxed);
            refusal = Some((error, Instant::now()));
        }
    }
}

/// Calls the callback; if it returns `True`, the best so far is enough.
fn told(py: Python<'_>, callback: Option<&Py<PyAny>>, i: usize, best: f64) -> PyResult<bool> {
    let Some(callback) = callback else { return Ok(true) };
    Ok(!callback.bind(py).call1((i, best))?.extract::<bool>().unwrap_or(false))
}
