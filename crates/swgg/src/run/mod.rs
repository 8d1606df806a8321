//! How a computation runs: seed, threads, time, who watches it, and why it ended.

pub(crate) mod observe;
pub(crate) mod stop;
pub(crate) mod workers;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::error::{ErrorKind, Result};

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
    /// When to stop: the best plan by then is the answer, which then depends on the machine. A step that has begun is finished; a
    /// lower bound is looked for only as far as there is time.
    pub deadline: Option<Instant>,
    /// Stop as soon as the cost is proved to be at most this share above the optimum, for solvers that can tell on the way.
    pub gap: Option<f64>,
    /// Whether to look for a lower bound, which may take longer than the plan.
    pub bounds: bool,
    /// Who is told about progress, and may stop: then the best so far is the answer.
    pub observer: Option<&'a mut dyn Observe>,
    /// Whether the deadline was the reason to stop; the run itself says so.
    pub is_late: bool,
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
        let Run { seed, parallelism, deadline, gap, bounds, is_late, .. } = self;
        Run { seed, parallelism, deadline, gap, bounds, observer: Some(observer), is_late }
    }

    /// For a solver inside a solver: same threads, seed 0, nobody watching, nothing bounded.
    pub(crate) fn part(&self) -> Run<'static> {
        Run { parallelism: self.parallelism, bounds: false, ..Run::default() }
    }

    /// Why it ended: what an engine calls an interruption may have been the deadline.
    pub(crate) fn reason(&self, stop: Stop) -> Stop {
        if self.is_late && stop == Stop::Interrupted { Stop::TimeLimit } else { stop }
    }
}

/// The observer of the run, and its deadline.
impl Observe for Run<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Some(observer) = &mut self.observer
            && observer.progress(progress).is_break()
        {
            self.is_late = false;
            return ControlFlow::Break(());
        }
        self.is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.is_late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
