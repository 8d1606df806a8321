//! Where a page came from: the command, word for word, the version, the seed and the day.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::time::{SystemTime, UNIX_EPOCH};

use super::html::{escaped, table};
use crate::printer::counted;

thread_local! {
    /// The command line that this thread runs.
    static LINE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps a command line, program name included, for the pages that it makes.
pub fn remember(args: &[OsString]) {
    LINE.set(Some(line(args)));
}

/// What it takes to make a page again.
#[derive(Default)]
pub struct Origin {
    command: Option<String>,
    seed: Option<u64>,
    threads: Option<usize>,
}

impl Origin {
    /// The command line that is running.
    pub fn of_this_command() -> Self {
        Origin { command: LINE.with_borrow(Clone::clone), ..Origin::default() }
    }

    /// Some command line, program name included.
    #[cfg(test)]
    pub fn of_command(args: impl IntoIterator<Item = OsString>) -> Self {
        Origin { command: Some(line(&args.into_iter().collect::<Vec<_>>())), ..Origin::default() }
    }

    /// With the seed and the threads of everything random and parallel.
    pub fn with_seed(self, seed: u64, threads: usize) -> Self {
        Origin { seed: Some(seed), threads: Some(threads), ..self }
    }

    pub fn html(&self) -> String {
        let mut rows = vec![("version".to_string(), format!("swgg {}", env!("CARGO_PKG_VERSION")))];
        rows.extend(self.seed.map(|seed| ("seed".to_string(), format!("{seed} (same seed, same numbers)"))));
        rows.extend(self.threads.map(|count| ("threads".to_string(), counted(count, "thread"))));
        if let Ok(since) = SystemTime::now().duration_since(UNIX_EPOCH) {
            rows.push(("made".to_string(), date(since.as_secs())));
        }
        let command = match &self.command {
            Some(command) => format!("<pre class=\"command\"><code>{}</code></pre>\n", escaped(command)),
            None => String::new(),
        };
        format!("<section><h2>How it was made</h2>\n{command}{}</section>\n", table("facts", &[], &rows))
    }
}

/// A command line as a shell reads it; the program by its name alone.
fn line(args: &[OsString]) -> String {
    let words = args.iter().skip(1).map(|word| quoted(word));
    ["swgg".to_string()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match word.to_str() {
        Some(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_string(),
        Some(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', "'\\''")),
        // Bytes that nobody can read or type are given by their numbers.
        _ => {
            let bytes = word.as_encoded_bytes().iter().map(|&byte| match byte {
                b'\'' => "\\'".to_string(),
                b'\\' => "\\\\".to_string(),
                b' '..=b'~' => char::from(byte).to_string(),
                byte => format!("\\x{byte:02x}"),
            });
            format!("$'{}'", bytes.collect::<String>())
        }
    }
}

/// Day and minute of so many seconds after the beginning of 1970, in the Gregorian calendar.
fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut left) = (1970, days);
    while left >= 365 + u64::from(is_leap(year)) {
        left -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02} UTC", left + 1, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let words = ["/usr/bin/swgg", "solve", "a b.csv", "it's.npy", "x<y>&.csv", "--seed", "7", ""];
        let words = words.map(OsString::from);
        assert_eq!(line(&words), r"swgg solve 'a b.csv' 'it'\''s.npy' 'x<y>&.csv' --seed 7 ''");
        assert_eq!(line(&["swgg".into(), "a\nb'".into()]), r"swgg $'a\x0ab\''");
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_767_225_599), "2025-12-31 23:59 UTC");
        assert_eq!(date(1_772_366_400), "2026-03-01 12:00 UTC");
    }
}
