//! Progress on a terminal: the stage, how much of it is done, and how much spilled.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::Meter;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Print;

/// How long work stays silent.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often lines are printed at most.
const LINE_PAUSE: Duration = Duration::from_millis(100);

/// A bar that reads a meter. Ends when dropped.
pub struct Bar {
    /// Dropped to end the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// A bar, lines for whoever started this program, or nothing.
    pub fn of(meter: &Arc<Meter>, print: &Print) -> Self {
        if print.progress_lines {
            return Bar::spawn(meter.clone(), lines);
        }
        Bar::new(meter.clone(), print.quiet)
    }

    pub fn new(meter: Arc<Meter>, quiet: bool) -> Self {
        if quiet {
            return Bar { done: None, thread: None };
        }
        Bar::spawn(meter, |meter, finished| {
            if finished.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{bar:24} {msg}, {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr()).with_style(style);
            while finished.recv_timeout(Duration::from_millis(120)) == Err(RecvTimeoutError::Timeout) {
                let reached = meter.reached();
                let unit = if reached.stage.contains("cell") || reached.stage.contains("pairs") {
                    ""
                } else {
                    " rows"
                };
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
        })
    }

    fn spawn(meter: Arc<Meter>, show: impl FnOnce(&Meter, &Receiver<()>) + Send + 'static) -> Self {
        let (done, finished) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("bar".into()).spawn(move || show(&meter, &finished));
        Bar { done: Some(done), thread: thread.ok() }
    }
}

/// A line of JSON for every change, on standard error, until the work is finished.
fn lines(meter: &Meter, finished: &Receiver<()>) {
    let mut last = None;
    loop {
        let is_over = finished.recv_timeout(LINE_PAUSE) != Err(RecvTimeoutError::Timeout);
        let reached = meter.reached();
        if last != Some(reached) {
            last = Some(reached);
            let line = serde_json::json!({
                "stage": reached.stage, "done": reached.done, "total": reached.total, "spilled": reached.spilled,
            });
            // Nobody may be listening any more.
            let _ = writeln!(io::stderr(), "{line}");
        }
        if is_over {
            return;
        }
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
