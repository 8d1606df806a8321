//! Progress on a terminal: the stage, how much of it is done, and how much spilled.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use swgg_engine::Meter;

/// How long work stays silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that reads a meter. Ends when dropped.
pub struct Bar {
    /// Dropped to end the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    pub fn new(meter: Arc<Meter>, quiet: bool) -> Self {
        if quiet {
            return Bar { done: None, thread: None };
        }
        let (done, finished) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("bar".into()).spawn(move || {
            if finished.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{bar:24} {msg}, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr()).with_style(style);
            while finished.recv_timeout(Duration::from_millis(120)) == Err(RecvTimeoutError::Timeout) {
                let reached = meter.reached();
                let unit = if reached.stage == "solving cells" { "" } else { " rows" };
                let spilled = match reached.spilled {
                    0 => String::new(),
                    bytes => format!(", {:.1} GB spilled", bytes as f64 / 1e9),
                };
                bar.set_length(reached.total.max(1));
                bar.set_position(reached.done);
                bar.set_message(format!(
                    "{} {}/{}{unit}{spilled}",
                    reached.stage, reached.done, reached.total
                ));
            }
            bar.finish_and_clear();
        });
        Bar { done: Some(done), thread: thread.ok() }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // The thread draws a bar; if that panicked there is nothing to save.
            let _ = thread.join();
        }
    }
}
