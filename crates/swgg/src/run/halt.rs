//! The word "stop", where every thread can hear it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that is left, once told to stop, to finish what makes an answer: a plan that is complete, a bound that is proved.
const GRACE: Duration = Duration::from_millis(150);

/// Whether to stop, for loops and threads that have no observer at hand: cheap to ask, and once it says yes it stays with it.
///
/// An observer is asked between steps only, by the thread that runs them. Its [flag](crate::Observe::flag), the deadline of the run and
/// what the observer has said are looked at in the middle of steps, on any thread.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    /// What the observer of the run has said.
    told: Arc<AtomicBool>,
    /// What others raise at any time.
    flags: Vec<Arc<AtomicBool>>,
    deadline: Option<Instant>,
}

impl Halt {
    /// One that is told already.
    pub(crate) fn told() -> Self {
        let halt = Halt::default();
        halt.tell();
        halt
    }

    /// From now on everybody is to stop.
    pub fn tell(&self) {
        self.told.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_told(&self) -> bool {
        self.told.load(Ordering::Relaxed)
            || self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The same, which ends by this time too.
    pub fn by(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = self.deadline.into_iter().chain(deadline).min();
        self
    }

    /// The same, which hears this flag too.
    pub fn hearing(mut self, flag: Option<Arc<AtomicBool>>) -> Self {
        self.flags.extend(flag);
        self
    }

    /// What others raise only: for what belongs to an answer even where the observer has had enough.
    pub(crate) fn raised(&self) -> Self {
        Halt { flags: self.flags.clone(), ..Halt::default() }
    }

    /// For what is left of an answer: a moment from now if this one is told, otherwise a moment more than it has.
    pub(crate) fn in_grace(&self) -> Self {
        let later = |time: Instant| time.checked_add(GRACE);
        if self.is_told() {
            return Halt::default().by(later(Instant::now()));
        }
        Halt { deadline: self.deadline.and_then(later), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_by_any_of_three() {
        let flag = Arc::new(AtomicBool::new(false));
        let halt = Halt::default().hearing(Some(flag.clone())).by(None);
        assert!(!halt.is_told());
        flag.store(true, Ordering::Relaxed);
        assert!(halt.is_told());
        let (halt, now) = (Halt::default(), Instant::now());
        let copy = halt.clone().by(now.checked_add(Duration::from_secs(3600)));
        assert!(!copy.is_told());
        // The earlier of two deadlines counts.
        assert!(copy.clone().by(Some(now)).is_told());
        halt.tell();
        assert!(copy.is_told());
        assert!(!copy.raised().is_told() && Halt::default().hearing(Some(flag)).raised().is_told());
        // There is a moment left after that.
        assert!(!copy.in_grace().is_told());
    }
}
