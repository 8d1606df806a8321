//! Many small problems at once: one thread each.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use swgg::{Observe, Parallelism, Progress};

use crate::errors::Outcome;

/// What the threads share: which task is next, how many are done, and whether to go on.
struct Queue<R> {
    count: usize,
    next: AtomicUsize,
    done: AtomicUsize,
    stop: AtomicBool,
    answers: Mutex<Vec<(usize, Outcome<R>)>>,
}

impl<R: Send> Queue<R> {
    /// Takes tasks until there are none; `heard` is asked before each whether to go on.
    fn work(&self, task: &(impl Fn(usize) -> Outcome<R> + Sync), mut heard: impl FnMut(usize) -> bool) {
        while !self.stop.load(Ordering::Relaxed) {
            let k = self.next.fetch_add(1, Ordering::Relaxed);
            if k >= self.count {
                return;
            }
            let answer = task(k);
            let goes_on = answer.is_ok();
            self.answers.lock().unwrap_or_else(PoisonError::into_inner).push((k, answer));
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if !goes_on || !heard(done) {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// The answers to tasks `0..count`, in this order. The observer is told how many are done of how many; if it stops,
/// those that have begun are finished, and the answers are those of the first tasks. Of refusals, that of the lowest
/// number is returned.
pub fn each<R: Send>(
    count: usize,
    watch: &mut dyn Observe,
    parallelism: Parallelism,
    task: impl Fn(usize) -> Outcome<R> + Sync,
) -> Outcome<Vec<R>> {
    let queue = Queue {
        count,
        next: AtomicUsize::new(0),
        done: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        answers: Mutex::new(Vec::with_capacity(count)),
    };
    let last = Cell::new(0);
    let mut tell = |done: usize| {
        last.set(done);
        watch.progress(&Progress { tried: done, total: count, best: count as f64 })
            == ControlFlow::Continue(())
    };
    let others = parallelism.threads().min(count.max(1)) - 1;
    if others == 0 {
        queue.work(&task, &mut tell);
    } else {
        // The observer stays on this thread, which works like the others and looks up after each task.
        let (queue, task) = (&queue, &task);
        rayon::in_place_scope(|scope| {
            for _ in 0..others {
                scope.spawn(move |_| queue.work(task, |_| true));
            }
            queue.work(task, |_| tell(queue.done.load(Ordering::Relaxed)));
        });
        // The last ones may have been somebody else's.
        let done = queue.done.load(Ordering::Relaxed);
        if last.get() < done && !queue.stop.load(Ordering::Relaxed) {
            tell(done);
        }
    }
    let mut answers = queue.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|answer| answer.0);
    answers.into_iter().map(|answer| answer.1).collect()
}

/// Several problems are solved by one thread each, a single one by all.
pub fn serial_if_many(count: usize, parallelism: Parallelism) -> Parallelism {
    if count > 1 { Parallelism::Serial } else { parallelism }
}
