//! How a computation runs: seed, threads, time, who watches it, and why it ended.

pub(crate) mod halt;
pub(crate) mod observe;
pub(crate) mod stop;
pub(crate) mod workers;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::error::{ErrorKind, Result};

pub use halt::Halt;
pub use observe::{Observe, Progress};
pub use stop::Stop;
pub use workers::{Parallelism, Workers};

/// How to run a solver: what does not belong to the question, nor to the solver's own settings.
///
/// ```
/// use std::time::Duration;
/// use swgg::{Auto, Measure, Question, Run, Solver};
/// # let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// # let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let mut run = Run { seed: 7, ..Run::for_at_most(Duration::from_secs(10)) };
/// let found = Auto::default().answer(&Question::new(&source, &target)?, &mut run)?;
/// assert_eq!(found.cost, 9.0);
/// # Ok::<(), swgg::Error>(())
/// ```
pub struct Run<'a> {
    /// Seed of everything random: same seed, same answer.
    pub seed: u64,
    /// How many threads to use; the answer does not depend on it.
    pub parallelism: Parallelism,
    /// When to stop: the best plan by then is the answer, which then depends on the machine. Long steps look at it while they run; one
    /// that would end later, going by the step before it, is not begun. A lower bound is looked for only as far as there is time.
    pub deadline: Option<Instant>,
    /// Stop as soon as the cost is proved to be at most this share above the optimum, for solvers that can tell on the way.
    pub gap: Option<f64>,
    /// Whether to look for a lower bound, which may take longer than the plan.
    pub bounds: bool,
    /// Who is told about progress, and may stop: then the best so far is the answer.
    pub observer: Option<&'a mut dyn Observe>,
    /// Whether the deadline was the reason to stop; the run itself says so.
    pub is_late: bool,
    /// What its threads look at to see whether to stop; the run itself tells them.
    pub halt: Halt,
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run {
            seed: 0,
            parallelism: Parallelism::Auto,
            deadline: None,
            gap: None,
            bounds: true,
            observer: None,
            is_late: false,
            halt: Halt::default(),
        }
    }
}

impl<'a> Run<'a> {
    /// The usual run, which ends after this much time.
    pub fn for_at_most(time: Duration) -> Self {
        // A time beyond what the clock can tell is no limit.
        Run { deadline: Instant::now().checked_add(time), ..Run::default() }
    }

    /// A run with this seed.
    pub fn seeded(seed: u64) -> Self {
        Run { seed, ..Run::default() }
    }

    /// A run on so many threads; 0 for all.
    pub fn on_threads(threads: usize) -> Self {
        Run { parallelism: Parallelism::from_count(threads), ..Run::default() }
    }

    /// The same run, which ends as soon as the cost is proved to be at most this share above the optimum.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadSetting`] unless it is a number above 0.
    pub fn within(self, gap: f64) -> Result<Self> {
        if gap > 0.0 && gap.is_finite() {
            return Ok(Run { gap: Some(gap), ..self });
        }
        let expected = "give a share above 0, such as 0.01 for 1 %";
        Err(ErrorKind::BadSetting { name: "gap", value: gap, expected }.into())
    }

    /// The same run without bounds.
    pub fn without_bounds(self) -> Self {
        Run { bounds: false, ..self }
    }

    /// The same run, watched.
    pub fn watched<'b>(self, observer: &'b mut dyn Observe) -> Run<'b> {
        let Run { seed, parallelism, deadline, gap, bounds, is_late, halt, .. } = self;
        Run { seed, parallelism, deadline, gap, bounds, observer: Some(observer), is_late, halt }
    }

    /// Its threads, whose tasks can see whether the run is to end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Threads`] if the operating system refuses.
    pub fn workers(&self) -> Result<Workers> {
        Ok(Workers::new(self.parallelism)?.until(self.listening()))
    }

    /// What is told when the observer breaks or raises its flag, or when time is up.
    pub(crate) fn listening(&self) -> Halt {
        self.halt.clone().hearing(self.flag()).by(self.deadline)
    }

    /// For a solver inside a solver: same threads, seed 0, nobody watching, nothing bounded. It ends when this run is to end.
    pub(crate) fn part(&self) -> Run<'static> {
        Run { parallelism: self.parallelism, bounds: false, halt: self.listening(), ..Run::default() }
    }

    /// Why it ended: what an engine calls an interruption may have been the deadline.
    pub(crate) fn reason(&self, stop: Stop) -> Stop {
        // Threads see by themselves that time is up.
        let is_late =
            self.is_late || (self.is_overdue() && !self.halt.clone().hearing(self.flag()).is_told());
        if is_late && stop == Stop::Interrupted { Stop::TimeLimit } else { stop }
    }

    fn is_overdue(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The longest time limit, in seconds.
const MAX_SECONDS: f64 = 31_536_000.0;

/// A time limit that somebody typed.
///
/// # Errors
///
/// What to give instead, in words that go on after "give" or "expected": more than nothing, at most a year.
///
/// ```
/// use swgg::run::time_limit;
/// assert_eq!(time_limit(0.5).map(|limit| limit.as_millis()), Ok(500));
/// assert_eq!(time_limit(0.0), Err("seconds above 0"));
/// assert_eq!(time_limit(1e9), Err("at most 31536000 seconds, a year"));
/// ```
pub fn time_limit(seconds: f64) -> std::result::Result<Duration, &'static str> {
    match seconds {
        s if s > MAX_SECONDS => Err("at most 31536000 seconds, a year"),
        s if s > 0.0 => Duration::try_from_secs_f64(s).map_err(|_| "seconds above 0"),
        _ => Err("seconds above 0"),
    }
}

/// The observer of the run, and its deadline.
impl Observe for Run<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(observer) = &mut self.observer
            && observer.progress(progress).is_break()
        {
            self.is_late = false;
            self.halt.tell();
            return ControlFlow::Break(());
        }
        self.is_late = self.is_overdue();
        let is_told = self.halt.clone().hearing(self.flag()).is_told();
        if self.is_late || is_told { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        self.observer.as_ref().and_then(|observer| observer.flag())
    }
}
