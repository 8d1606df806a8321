//! What is told along the way from a pose to the last one.

use std::ops::ControlFlow;

use swgg::{Observe, Progress};

use super::outcome::{Step, Stop};
use super::settings::Settings;

/// The steps so far, and somebody who is told about each and may stop.
pub(super) struct Story<'a> {
    pub steps: Vec<Step>,
    /// Set where no more steps may follow, by anybody.
    pub stop: Option<Stop>,
    max_steps: usize,
    tolerance: f64,
    watch: &'a mut dyn Observe,
}

impl<'a> Story<'a> {
    pub fn new(settings: &Settings, watch: &'a mut dyn Observe) -> Self {
        let Settings { max_steps, tolerance, .. } = *settings;
        Story { steps: Vec::new(), stop: None, max_steps, tolerance, watch }
    }

    /// Notes a step; whether it was the last one of all.
    pub fn add(&mut self, step: Step) -> bool {
        let best = step.cost;
        self.steps.push(step);
        let progress = Progress { tried: self.steps.len(), total: self.max_steps, best };
        if self.watch.progress(&progress) == ControlFlow::Break(()) {
            self.stop = Some(Stop::Interrupted);
        } else if self.steps.len() >= self.max_steps {
            self.stop = Some(Stop::Steps);
        }
        self.is_over()
    }

    /// Forgets all steps but so many: those that led astray are not part of the answer, nor are they counted against others.
    pub fn take_back(&mut self, told: usize) {
        self.steps.truncate(told);
        if self.stop == Some(Stop::Steps) && told < self.max_steps {
            self.stop = None;
        }
    }

    pub fn is_over(&self) -> bool {
        self.stop.is_some()
    }

    /// Why it ended, now that it has.
    pub fn ending(&self) -> Stop {
        let change = self.steps.last().map_or(f64::INFINITY, |step| step.change);
        match self.stop {
            Some(Stop::Interrupted) => Stop::Interrupted,
            Some(_) if change > self.tolerance => Stop::Steps,
            // Whoever matched last has settled by a rule of its own: more steps would not be taken.
            _ => Stop::Converged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::motion::Motion;
    use crate::registration::outcome::Stage;

    fn step(change: f64) -> Step {
        Step { stage: Stage::Planes, motion: Motion::identity(2), points: 3, cost: 1.0, change }
    }

    #[test]
    fn steps_that_are_taken_back_do_not_count_against_max_steps() {
        let settings = Settings { max_steps: 3, ..Default::default() };
        let mut silent = ();
        let mut story = Story::new(&settings, &mut silent);
        assert!(!story.add(step(0.5)) && !story.add(step(0.5)) && story.add(step(0.5)));
        assert_eq!(story.ending(), Stop::Steps);
        story.take_back(1);
        assert!(!story.is_over());
        story.add(step(0.4));
        // Ended by the matcher, with a step to spare: no more of them were needed.
        assert_eq!((story.steps.len(), story.ending()), (2, Stop::Converged));
    }
}
