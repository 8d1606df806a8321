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

    pub fn is_over(&self) -> bool {
        self.stop.is_some()
    }

    /// Why it ended, now that it has.
    pub fn ending(&self) -> Stop {
        let change = self.steps.last().map_or(f64::INFINITY, |step| step.change);
        match self.stop {
            Some(Stop::Interrupted) => Stop::Interrupted,
            _ if change <= self.tolerance => Stop::Converged,
            _ => Stop::Steps,
        }
    }
}
