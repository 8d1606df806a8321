//! What Ballista has to say, on standard error.

use std::io::Write;

use log::{LevelFilter, Log, Metadata, Record};

struct Lines;

impl Log for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            // Nobody may be listening any more.
            let _ = writeln!(std::io::stderr(), "{} {}: {}", record.level(), record.target(), record.args());
        }
    }

    fn flush(&self) {}
}

/// Prints everything of this level and above.
pub fn to_stderr(level: LevelFilter) {
    static LINES: Lines = Lines;
    // A second logger would be a mistake of ours, and not worth ending for.
    let _ = log::set_logger(&LINES);
    log::set_max_level(level);
}
