//! How many threads a computation may use, as an argument, and the threads themselves.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::halt::Halt;
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

/// Threads at work: what a [`Parallelism`] asks for, started once for a whole computation.
///
/// A clone is the same threads.
///
/// ```
/// use swgg::{Parallelism, run::Workers};
/// let workers = Workers::new(Parallelism::from_count(2))?;
/// assert_eq!(workers.map(4, |k| k * k), [0, 1, 4, 9]);
/// // Solvers that are called from within share these threads.
/// assert_eq!(workers.run(|parallelism| parallelism.threads()), 2);
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Workers {
    /// The calling thread only.
    Caller,
    /// A pool of their own.
    Own(Arc<rayon::ThreadPool>),
    /// Those of the current `rayon` pool.
    Shared,
    /// Others, whose tasks may be told to stop.
    Until(Box<Workers>, Halt),
}

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Threads`] if the operating system refuses.
    pub fn new(parallelism: Parallelism) -> Result<Self> {
        match parallelism {
            Parallelism::Serial => Ok(Workers::Caller),
            more => Workers::pool(more),
        }
    }

    /// [`new`](Workers::new) for tasks that fork by themselves, as `rayon`'s iterators do.
    ///
    /// A single thread is a pool of one: tasks of [`Workers::Caller`] would fork onto the threads of everybody.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Threads`] if the operating system refuses.
    pub fn pool(parallelism: Parallelism) -> Result<Self> {
        match parallelism {
            Parallelism::Auto => Ok(Workers::Shared),
            fixed => Workers::start(fixed.threads(), rayon::ThreadPoolBuilder::new()),
        }
    }

    /// A pool of so many threads that are called `name-0`, `name-1` and so on in lists of threads.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Threads`] if the operating system refuses.
    pub fn named(threads: NonZeroUsize, name: &str) -> Result<Self> {
        let name = name.to_string();
        let builder = rayon::ThreadPoolBuilder::new().thread_name(move |k| format!("{name}-{k}"));
        Workers::start(threads.get(), builder)
    }

    /// Starts the threads that everybody shares, if nobody has yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Threads`] if the operating system refuses: whoever used them then would panic.
    pub fn start_shared() -> Result<()> {
        use std::error::Error;
        // Only a refusal of the system has another error behind it; that they are there already has none.
        match rayon::ThreadPoolBuilder::new().build_global() {
            Err(refused) if refused.source().is_some() => {
                let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                Err(ErrorKind::Threads { threads, reason: refused.to_string() }.into())
            }
            _ => Ok(()),
        }
    }

    fn start(threads: usize, builder: rayon::ThreadPoolBuilder) -> Result<Self> {
        let refused = |e: rayon::ThreadPoolBuildError| ErrorKind::Threads { threads, reason: e.to_string() };
        Ok(Workers::Own(Arc::new(builder.num_threads(threads).build().map_err(refused)?)))
    }

    /// The same threads for tasks that end early when told; what they were told before counts no more.
    pub fn until(&self, halt: Halt) -> Self {
        match self {
            Workers::Until(threads, _) => threads.until(halt),
            threads => Workers::Until(Box::new(threads.clone()), halt),
        }
    }

    /// The same threads for what is left of an answer: told to stop, they still have a moment.
    pub(crate) fn in_grace(&self) -> Self {
        match self {
            Workers::Until(threads, halt) => threads.until(halt.in_grace()),
            threads => threads.clone(),
        }
    }

    /// What these threads look at to see whether to stop.
    pub fn halt(&self) -> Halt {
        match self {
            Workers::Until(_, halt) => halt.clone(),
            _ => Halt::default(),
        }
    }

    /// Whether tasks are to end early. What they return then is worth nothing, and whoever asked for it looks here before using it.
    pub fn is_halted(&self) -> bool {
        matches!(self, Workers::Until(_, halt) if halt.is_told())
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        match self {
            Workers::Until(threads, _) => threads.count(),
            Workers::Caller => 1,
            Workers::Own(pool) => pool.current_num_threads(),
            Workers::Shared => rayon::current_num_threads(),
        }
    }

    /// What a task that [runs](Workers::run) on these threads may hand on.
    pub fn parallelism(&self) -> Parallelism {
        match self {
            Workers::Caller => Parallelism::Serial,
            Workers::Own(_) | Workers::Shared => Parallelism::Auto,
            Workers::Until(threads, _) => threads.parallelism(),
        }
    }

    /// `task(0), ..., task(count - 1)`, in this order whoever computes them.
    pub fn map<R: Send>(&self, count: usize, task: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        if count == 1 || self.is_caller() {
            return (0..count).map(task).collect();
        }
        let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
        self.each(count, &|k| *held(&results[k]) = Some(task(k)));
        let result = |place: Mutex<Option<R>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.into_iter().map(|place| result(place).expect("every task has run")).collect()
    }

    /// `task` of every item, in their order whoever computes it.
    pub fn map_items<T: Sync, R: Send>(&self, items: &[T], task: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        self.map(items.len(), |k| task(&items[k]))
    }

    /// `task(k, part)` of every part of some numbers, each `len` long but for the last.
    pub(crate) fn fill<R: Send>(
        &self,
        numbers: &mut [R],
        len: usize,
        task: impl Fn(usize, &mut [R]) + Sync + Send,
    ) {
        if self.is_caller() {
            return numbers.chunks_mut(len).enumerate().for_each(|(k, part)| task(k, part));
        }
        let parts: Vec<Mutex<&mut [R]>> = numbers.chunks_mut(len).map(Mutex::new).collect();
        self.each(parts.len(), &|k| task(k, &mut held(&parts[k])));
    }

    /// `task(0), ..., task(count - 1)`, begun in this order.
    pub fn queue(&self, count: usize, task: impl Fn(usize) + Sync + Send) {
        self.each_in_turn(count, &task);
    }

    /// Runs a task where its own forks find these threads; on [`Workers::Caller`] it must not fork.
    pub fn install<R: Send>(&self, task: impl FnOnce() -> R + Send) -> R {
        let (mut task, mut result) = (Some(task), None);
        self.inside(&mut || result = task.take().map(|task| task()));
        result.expect("the task has run")
    }

    /// [`install`](Workers::install) for a task that calls solvers: it is told which parallelism they share these threads with.
    pub fn run<R: Send>(&self, task: impl FnOnce(Parallelism) -> R + Send) -> R {
        self.install(|| task(self.parallelism()))
    }

    /// Both tasks, at the same time where there are two threads.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let (mut first, mut second) = (Some(first), Some(second));
        let (mut one, mut other) = (None, None);
        let start_first = &mut || one = first.take().map(|task| task());
        self.both(start_first, &mut || other = second.take().map(|task| task()));
        (one.expect("the first task has run"), other.expect("the second task has run"))
    }
}

/// What is left to `rayon`. Tasks come as references to functions, so that its machinery is compiled once and not for every task.
impl Workers {
    /// Whether there is no thread but the caller's.
    fn is_caller(&self) -> bool {
        match self {
            Workers::Caller => true,
            Workers::Own(_) | Workers::Shared => false,
            Workers::Until(threads, _) => threads.is_caller(),
        }
    }

    fn each(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        // One task at a time: directions cost alike, and the last ones should not wait in somebody's queue.
        let run = || (0..count).into_par_iter().with_max_len(1).for_each(task);
        match self {
            Workers::Caller => (0..count).for_each(task),
            Workers::Own(pool) => pool.install(run),
            Workers::Shared => run(),
            Workers::Until(threads, _) => threads.each(count, task),
        }
    }

    fn each_in_turn(&self, count: usize, task: &(dyn Fn(usize) + Sync)) {
        let run = || {
            rayon::scope_fifo(|scope| (0..count).for_each(|k| scope.spawn_fifo(move |_| task(k))));
        };
        match self {
            Workers::Caller => (0..count).for_each(task),
            Workers::Own(pool) => pool.install(run),
            Workers::Shared => run(),
            Workers::Until(threads, _) => threads.each_in_turn(count, task),
        }
    }

    fn inside(&self, task: &mut (dyn FnMut() + Send)) {
        match self {
            Workers::Own(pool) => pool.install(task),
            Workers::Caller | Workers::Shared => task(),
            Workers::Until(threads, _) => threads.inside(task),
        }
    }

    fn both(&self, first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
        match self {
            Workers::Caller => {
                first();
                second();
            }
            Workers::Own(pool) => {
                pool.join(first, second);
            }
            Workers::Shared => {
                rayon::join(first, second);
            }
            Workers::Until(threads, _) => threads.both(first, second),
        }
    }
}

/// What only one task looks at; one that panicked before ends the others anyway.
fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_the_caller_or_a_pool_of_one() {
        let caller = std::thread::current().id();
        let here = |workers: &Workers| workers.install(|| std::thread::current().id() == caller);
        let (alone, pool) =
            (Workers::new(Parallelism::Serial).unwrap(), Workers::pool(Parallelism::Serial).unwrap());
        assert!(here(&alone) && !here(&pool));
        assert_eq!((alone.count(), pool.count()), (1, 1));
        assert_eq!((alone.parallelism(), pool.parallelism()), (Parallelism::Serial, Parallelism::Auto));
        // Whoever forks inside a pool of one stays there.
        assert_eq!(pool.run(|parallelism| (parallelism.threads(), rayon::current_num_threads())), (1, 1));
    }

    #[test]
    fn threads_have_names_and_clones_share_them() {
        let workers = Workers::named(NonZeroUsize::new(3).unwrap(), "swgg").unwrap();
        let names =
            |workers: &Workers| workers.map(64, |_| std::thread::current().name().map(str::to_string));
        for workers in [&workers, &workers.clone()] {
            assert!(names(workers).iter().flatten().all(|name| name.starts_with("swgg-")));
            assert_eq!(workers.count(), 3);
        }
        let (Workers::Own(one), Workers::Own(other)) = (&workers, &workers.clone()) else {
            panic!("no pool")
        };
        assert!(Arc::ptr_eq(one, other));
    }

    #[test]
    fn items_keep_their_order() {
        let items: Vec<usize> = (0..100).collect();
        for workers in [0, 1, 3].map(|threads| Workers::new(Parallelism::from_count(threads)).unwrap()) {
            assert_eq!(workers.map_items(&items, |k| 2 * k), (0..200).step_by(2).collect::<Vec<_>>());
        }
    }
}
