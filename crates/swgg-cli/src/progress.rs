//! Progress on a terminal, for work that takes longer than a moment.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use swgg::{Observe, Progress};

use crate::interrupt;
use crate::printer::tamed;

/// How long work stays silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar over the directions of a search; hides itself when standard error is not a terminal.
pub struct SearchBar {
    bar: Option<ProgressBar>,
    started: Instant,
    quiet: bool,
    unit: &'static str,
    bounding: bool,
}

impl SearchBar {
    pub fn new(quiet: bool) -> Self {
        SearchBar { bar: None, started: Instant::now(), quiet, unit: "directions", bounding: false }
    }

    /// A bar over something else.
    pub fn counting(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// A bar over something that is followed by the search for a lower bound, which cannot say how far it has come.
    pub fn bounding(mut self, bounding: bool) -> Self {
        self.bounding = bounding;
        self
    }
}

impl Observe for SearchBar {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if !self.quiet && self.started.elapsed() > PATIENCE {
            let bar = self.bar.get_or_insert_with(|| {
                let bar =
                    ProgressBar::with_draw_target(Some(progress.total as u64), ProgressDrawTarget::stderr());
                // How long an exact solver will take is anybody's guess, and the last of other steps are long ones.
                let known = self.unit == "directions" && !self.bounding;
                let left = if known { ", {eta} left" } else { ", {elapsed}" };
                let bar = bar
                    .with_elapsed(self.started.elapsed())
                    .with_style(style(&format!("{{bar:24}} {{pos}}/{{len}} {}{{msg}}{left}", self.unit)));
                bar.enable_steady_tick(PATIENCE);
                bar
            });
            // A time limit that goes on after the last step.
            bar.set_length(progress.total as u64);
            bar.set_position(progress.tried as u64);
            bar.set_message(match progress.best {
                // The first iteration is not done yet.
                best if best.is_infinite() => ", under way".to_string(),
                // Told before the last step, and not again.
                best if self.bounding && progress.tried + 1 >= progress.total => {
                    format!(", best cost {best:.6}, then the bound")
                }
                best => format!(", best cost {best:.6}"),
            });
        }
        if interrupt::asked_to_stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(interrupt::flag())
    }
}

impl Drop for SearchBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A spinner for work that cannot say how far it has come. Ends when dropped.
pub struct Spinner {
    /// Dropped to end the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Spinner {
    pub fn new(message: String, quiet: bool) -> Self {
        if quiet {
            return Spinner { done: None, thread: None };
        }
        let (done, finished) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("spinner".into()).spawn(move || {
            if finished.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style("{spinner} {msg} {elapsed}"));
            bar.set_message(tamed(&message).into_owned());
            while finished.recv_timeout(Duration::from_millis(120)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Spinner { done: Some(done), thread: thread.ok() }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // The thread draws a spinner; if that panicked there is nothing to save.
            let _ = thread.join();
        }
    }
}

/// A style of ours: a template that does not parse is a mistake here, and the default bar will do.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
