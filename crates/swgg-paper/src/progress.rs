//! How far it is, for people who wait.

use std::cell::RefCell;
use std::io::{IsTerminal, Write};

/// A line on a terminal that changes in place; nothing where there is no terminal.
pub struct Progress {
    is_shown: bool,
    /// What stands before every word: which experiment it is.
    before: RefCell<String>,
}

impl Progress {
    pub fn new() -> Self {
        Progress { is_shown: std::io::stderr().is_terminal(), before: RefCell::default() }
    }

    /// Nobody waits.
    #[cfg(test)]
    pub fn silent() -> Self {
        Progress { is_shown: false, before: RefCell::default() }
    }

    /// Another experiment begins.
    pub fn begin(&self, what: String) {
        *self.before.borrow_mut() = what;
        self.tell("");
    }

    /// What is being done.
    pub fn tell(&self, what: &str) {
        if self.is_shown {
            eprint!("\r\x1b[K{} {what}", self.before.borrow());
            let _ = std::io::stderr().flush();
        }
    }

    /// The line is over.
    pub fn end(&self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
