//! Words and numbers for people, on lines of at most 80 columns.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

pub use swgg::answer::{counted, grouped, percent};

use crate::exit::{Failure, Outcome};

/// Whether a file goes to standard output, where nothing else may be then.
static IS_GIVEN_AWAY: AtomicBool = AtomicBool::new(false);

/// From now on results are written to standard error: standard output is for a file.
pub fn give_standard_output_away() {
    IS_GIVEN_AWAY.store(true, Ordering::SeqCst);
}

/// Writes a result to standard output. A reader that has gone away is not a failure.
pub fn result(text: &str) -> Outcome<()> {
    if IS_GIVEN_AWAY.load(Ordering::SeqCst) {
        let _ = write!(io::stderr(), "{}", tamed(text));
        return Ok(());
    }
    match io::stdout().lock().write_all(tamed(text).as_bytes()).and_then(|()| io::stdout().flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("could not write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a failure to standard error.
pub fn complain(failure: &Failure) {
    // With standard error gone, the exit code is all that is left to say it.
    let _ = writeln!(io::stderr(), "error: {}", tamed(&failure.to_string()));
}

/// Writes a warning to standard error.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {}", tamed(text));
}

/// Text without control characters: the name of a file may hold sequences that would colour or clear a terminal.
pub fn tamed(text: &str) -> Cow<'_, str> {
    let is_wild = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_wild) {
        return Cow::Borrowed(text);
    }
    let mut tame = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_wild(c) { tame.extend(c.escape_default()) } else { tame.push(c) }
    }
    Cow::Owned(tame)
}

/// A number to six significant digits.
pub fn number(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    let magnitude = x.abs().log10().floor() as i32;
    if !(-4..9).contains(&magnitude) {
        return format!("{x:.5e}");
    }
    format!("{x:.*}", (5 - magnitude).max(0) as usize)
}

/// A number as it was given, without a hundred zeros.
pub fn plain(x: f64) -> String {
    if x.is_finite() && x.abs() >= 1e16 { format!("{x:e}") } else { x.to_string() }
}

/// A duration in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// The first coordinates of a vector, and how many there are if not all fit.
pub fn vector(coordinates: &[f64]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = coordinates.iter().take(SHOWN).map(|x| format!("{x:.4}")).collect();
    let rest =
        if coordinates.len() > SHOWN { format!(", ... {} in all", coordinates.len()) } else { String::new() };
    format!("({}{rest})", shown.join(", "))
}

/// Words on lines of at most this width, the ones after the first indented.
pub fn wrapped(words: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            text += &format!("{line}\n");
            line = "  ".to_string();
        } else if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    text + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(counted(1000, "line"), "1 000 lines");
        assert_eq!(number(12.345678), "12.3457");
        assert_eq!(number(0.000123456789), "0.000123457");
        assert_eq!(number(1.5e-9), "1.50000e-9");
        assert_eq!(number(123456.7), "123457");
        assert_eq!(number(2.0), "2.00000");
        assert_eq!(percent(0.023), "2.3 %");
        assert_eq!(percent(0.02301), "2.4 %");
        assert_eq!(percent(0.5), "50 %");
        assert_eq!(percent(1.2345), "124 %");
        assert_eq!(percent(0.00012), "0.012 %");
        assert_eq!(percent(1e-8), "0.001 %");
        assert_eq!(plain(1e300), "1e300");
        assert_eq!(plain(-0.5), "-0.5");
        assert_eq!(duration(0.0000123), "12 us");
        assert_eq!(duration(0.0123), "12.3 ms");
        assert_eq!(tamed("a\u{1b}[31m\tb\n"), "a\\u{1b}[31m\tb\n");
        assert_eq!(duration(75.0), "75.00 s");
        assert_eq!(wrapped("one two three", 9), "one two\n  three\n");
        assert_eq!(vector(&[1.0; 7]), "(1.0000, 1.0000, 1.0000, 1.0000, 1.0000, ... 7 in all)");
    }
}
