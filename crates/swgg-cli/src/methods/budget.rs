//! What a method will take, before it is started: memory and time, roughly.

use std::fs;

use swgg::{Measure, Scalar};

use super::name;
use crate::args::{Method, MethodSettings};
use crate::exit::{Failure, Outcome};

/// Seconds of waiting that nobody minds.
const LONG: f64 = 120.0;

/// Trees and passes of the default solver, effort by effort.
const STEPS: [f64; 10] = [5.0, 10.0, 20.0, 23.0, 38.0, 43.0, 73.0, 83.0, 131.0, 163.0];

/// Sizes of a problem.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub n: usize,
    pub m: usize,
    pub d: usize,
}

impl Sizes {
    pub fn of<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Self {
        Sizes { n: source.len(), m: target.len(), d: source.dim() }
    }

    /// Bytes that a method takes beside the clouds, roughly; nothing for those that take little more than the clouds.
    pub fn bytes(self, method: Method, settings: &MethodSettings) -> f64 {
        let [n, m, d] = [self.n, self.m, self.d].map(|size| size as f64);
        // Points in a layout of their own, and the trees and queues of the solver.
        let exact = |points: f64, copies: f64| points * (8.0 * copies * d + 800.0);
        match method {
            Method::MinSwgg | Method::Line | Method::Gaussian => 0.0,
            // A few plans, and for the bound prices and neighbours: never anything of n x m.
            Method::Auto | Method::Tree | Method::Merged => {
                (n + m) * if settings.no_bounds { 8.0 * d + 50.0 } else { 16.0 * d + 250.0 }
            }
            // The rounded plan has a few entries per pair of points that are near each other.
            Method::Sinkhorn => (n + m) * (16.0 * d + 200.0) + 40.0 * (0.2 * n * m).min(f64::from(1 << 26)),
            Method::Exact if settings.cost_matrix.is_some() => 16.0 * n * m + 800.0 * (n + m),
            Method::Exact => exact(n + m, 2.0),
            Method::SubspaceRobust | Method::SubspaceDetour => exact(n + m, 4.0),
            Method::LinearOt => exact(2.0 * (n + m), 3.0),
            Method::Factored => {
                let k = settings.pivot_points(self.n, self.m) as f64;
                // Every point of the pivot joins all that arrive with all that leave, up to a limit of the solver.
                exact(n + m + 2.0 * k, 3.0) + 40.0 * (n * m / k + n + m).min(f64::from(1 << 24))
            }
        }
    }

    /// Seconds that a method takes, roughly: within a factor of about three on a machine of our day, for clouds that are not
    /// made to be hard.
    pub fn seconds(self, method: Method, settings: &MethodSettings, threads: usize) -> f64 {
        let [n, m, d] = [self.n, self.m, self.d].map(|size| size as f64);
        let both = n + m;
        let threads = threads as f64;
        // Measured: matchings are quick, plans that split points less so, and least those to a few points only.
        let solver = |n: f64, m: f64, d: f64, work: f64| n * m * (n + m).powf(0.15) * (1.0 + 0.05 * d) * work;
        let exact = |d: f64| solver(n, m, d, if n == m { 4e-9 } else { 2e-8 });
        // A tree or a pass, and the proof at the end.
        let walk = |steps: f64| steps * both * (7.0 + 0.7 * d) * 1e-7 / threads;
        let proof = || both * (1.0 + 0.04 * d * d.min(30.0)) * 1e-5 / threads;
        let bound = if settings.no_bounds { 0.0 } else { proof() };
        match method {
            Method::Auto if settings.is_exact(self) => exact(d),
            Method::Auto => {
                let steps = STEPS[usize::from(settings.auto().effort.clamp(1, 10)) - 1];
                settings.time_limit.unwrap_or(walk(steps)) + bound
            }
            Method::Tree => walk(settings.trees.unwrap_or(16) as f64) + bound,
            Method::Merged => 200.0 * both * (2.0 + 0.1 * d) * 1e-7 / threads + bound,
            Method::MinSwgg => 600.0 * both * (d + 2.0 * both.log2()) * 0.5e-9 / threads,
            Method::Line => both * (d + both.log2()) * 1e-8,
            Method::Sinkhorn => 200.0 * n * m * (d + 8.0) * 0.4e-9 / threads,
            Method::Gaussian => both * d * d * 1e-9 + d * d * d * 2e-8,
            Method::Exact | Method::LinearOt => exact(d),
            Method::SubspaceDetour => exact(settings.k.unwrap_or(2) as f64),
            Method::SubspaceRobust => 20.0 * exact(d) + 60.0 * d * d * d * 2e-9,
            Method::Factored => {
                let k = settings.pivot_points(self.n, self.m) as f64;
                20.0 * (solver(n, k, d, 3e-8) + solver(k, m, d, 3e-8))
            }
        }
    }

    /// Refuses what does not fit.
    pub fn check(self, method: Method, settings: &MethodSettings) -> Outcome<()> {
        let advice = match method {
            Method::Auto | Method::Tree | Method::Merged if !settings.no_bounds => {
                "add --no-bounds, which takes less, or use --method min-swgg, which takes least"
            }
            Method::Auto | Method::Tree | Method::Merged => "use --method min-swgg, which takes less",
            _ => "use --method auto, whose memory grows only with the number of points",
        };
        match self.misfit(method, settings) {
            None => Ok(()),
            Some(why) => Err(Failure::new(format!("--method {} {why}; {advice}", name(method)))),
        }
    }

    /// A word of warning before a long wait.
    pub fn warning(self, method: Method, settings: &MethodSettings, threads: usize) -> Option<String> {
        let seconds = self.seconds(method, settings, threads);
        let advice = match method {
            Method::MinSwgg => return None,
            // The user has said how long.
            Method::Auto if settings.time_limit.is_some() => return None,
            Method::Auto => "--effort 1 or --time-limit is sooner done",
            Method::Tree | Method::Merged => "--method auto --effort 1 is sooner done",
            _ => "--method auto scales to millions of points",
        };
        let text = || format!("--method {} will take about {} here; {advice}", name(method), rough(seconds));
        (seconds > LONG).then(text)
    }

    /// Why a method does not fit into memory, if it does not.
    pub fn misfit(self, method: Method, settings: &MethodSettings) -> Option<String> {
        let (needed, available) = (self.bytes(method, settings), available()? as f64);
        let misfit = || format!("takes about {}, {} are available", gigabytes(needed), gigabytes(available));
        (needed > available).then(misfit)
    }
}

/// A duration as one says it.
pub fn rough(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 36e4 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

fn gigabytes(bytes: f64) -> String {
    format!("{:.1} GB", bytes / 1e9)
}

/// Bytes this process may still take, where the system says so.
fn available() -> Option<u64> {
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
