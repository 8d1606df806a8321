//! Memory: what there is, and what this process has held.

use std::fs;

/// Bytes this process may still take, where the system says so.
pub fn available() -> Option<u64> {
    let free = 1024 * number_after(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?;
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    // A number of bytes, or the word unlimited.
    let Some(limit) = number_after(&limits, "Max address space") else { return Some(free) };
    let taken = number_after(&fs::read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    Some(free.min(limit.saturating_sub(1024 * taken)))
}

/// Forgets the highest memory so far; `false` where that is not possible.
pub fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most bytes this process has held since.
pub fn peak() -> Option<u64> {
    Some(1024 * number_after(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")?)
}

fn number_after(text: &str, label: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}
