//! Whether the machine was left alone.

use std::time::Instant;

/// Clock ticks in a second of `/proc`, the same on every Linux that Rust runs on.
const TICKS: f64 = 100.0;

/// Watches the processors from its making on; only Linux says what they do.
pub struct Quiet {
    since: Instant,
    before: Option<(f64, f64)>,
}

impl Quiet {
    pub fn new() -> Self {
        Quiet { since: Instant::now(), before: ticks() }
    }

    /// How many processors were busy with other programs, on average; those we started and waited for are ours.
    pub fn others(&self) -> Option<f64> {
        let ((all_before, ours_before), (all, ours)) = (self.before?, ticks()?);
        let others = (all - all_before) - (ours - ours_before);
        Some((others / TICKS / self.since.elapsed().as_secs_f64()).max(0.0))
    }
}

/// Time of all programs, and of this one with those it has waited for.
fn ticks() -> Option<(f64, f64)> {
    let system = std::fs::read_to_string("/proc/stat").ok()?;
    let numbers = |text: &str| text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let total: Vec<f64> = numbers(system.lines().next()?.strip_prefix("cpu ")?);
    // User, nice, system, idle, waiting, two kinds of interrupts, stolen; then guests, which are users too.
    let idle = total.get(3)? + total.get(4)?;
    let all = total.iter().take(8).sum::<f64>() - idle;
    let process = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which may hold anything, and the state, the eleventh number is the first of four times.
    let fields: Vec<f64> = numbers(process.rsplit_once(')')?.1);
    Some((all, fields.get(10..14)?.iter().sum()))
}
