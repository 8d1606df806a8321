//! Ctrl-C: stops a search politely, ends anything else.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::exit;

/// What the process is doing, for the signal handler to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Nothing has been made yet: leave at once.
    Reading,
    /// The best direction so far is worth keeping.
    Searching,
    /// Asked to stop while searching.
    Stopping,
    /// Files are being written; they take a moment to be whole.
    Writing,
    /// What is being made is of no use before it is whole, as a picture: stop, and leave nothing of it.
    Making,
}

static PHASE: AtomicU8 = AtomicU8::new(Phase::Reading as u8);
static INSTALLED: OnceLock<()> = OnceLock::new();
/// Raised while a search is asked to stop, for steps that look at it on their own.
static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Enters a phase. The first call installs the handler.
pub fn enter(phase: Phase) {
    INSTALLED.get_or_init(|| {
        // Without a handler Ctrl-C still ends the process, only less politely.
        let _ = ctrlc::set_handler(handle);
    });
    FLAG.store(phase == Phase::Stopping, Ordering::SeqCst);
    PHASE.store(phase as u8, Ordering::SeqCst);
}

/// The flag that is raised when the search is asked to stop.
pub fn flag() -> Arc<AtomicBool> {
    FLAG.clone()
}

/// Whether the search was asked to stop.
pub fn asked_to_stop() -> bool {
    PHASE.load(Ordering::SeqCst) == Phase::Stopping as u8
}

fn handle() {
    const SEARCHING: u8 = Phase::Searching as u8;
    const WRITING: u8 = Phase::Writing as u8;
    const MAKING: u8 = Phase::Making as u8;
    match PHASE.load(Ordering::SeqCst) {
        SEARCHING => {
            PHASE.store(Phase::Stopping as u8, Ordering::SeqCst);
            FLAG.store(true, Ordering::SeqCst);
            tell("stopping; press Ctrl-C again to leave without a result");
        }
        WRITING => tell("finishing the files"),
        MAKING => {
            swgg_io::scratch::abandon();
            tell("stopped; what was not whole yet is not written");
            std::process::exit(i32::from(exit::SHORT));
        }
        _ => {
            swgg_io::scratch::abandon();
            // 128 + SIGINT, what shells expect of an interrupted program.
            std::process::exit(130)
        }
    }
}

/// Unlike `eprintln!`, does not panic (and end the handler's thread) when standard error is gone.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
