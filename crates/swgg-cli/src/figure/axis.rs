//! Axes: ticks at round numbers, and what they are called.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// An axis with ticks where we want them.
pub(super) struct Ticked {
    pub range: Range<f64>,
    pub ticks: Vec<f64>,
}

impl Ranged for Ticked {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        low + (share * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`: at least two, about `count`.
pub fn round_numbers(low: f64, high: f64, count: usize) -> Vec<f64> {
    let rough = (high - low) / count.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    // From coarse to fine until two fit; the finest is below a third of the range.
    let steps = [10.0, 5.0, 2.0, 1.0].map(|factor| factor * power);
    let fitting = steps.into_iter().filter(|step| *step < 2.0 * rough);
    let multiples = |step: f64| -> Vec<f64> {
        let (first, last) = ((low / step).ceil(), (high / step).floor());
        // Adding zero makes the negative zero of `-0.3.ceil()` a plain one.
        (0..=(last - first).max(0.0) as usize).map(|k| (first + k as f64) * step + 0.0).collect()
    };
    fitting.map(multiples).find(|ticks| ticks.len() >= 2).unwrap_or_else(|| vec![low, high])
}

/// A tick of an axis whose ticks are `step` apart, with the digits that tell it from its neighbours.
pub(super) fn tick(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let digits = (-step.log10().floor()).max(0.0) as usize;
    if value.abs() >= 1e7 || digits > 6 {
        let significant = (value.abs().log10().floor() - step.log10().floor()).clamp(0.0, 12.0) as usize;
        format!("{value:.significant$e}")
    } else {
        format!("{value:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_at_every_scale() {
        let labels = |low: f64, high: f64| {
            let ticks = round_numbers(low, high, 5);
            let step = ticks[1] - ticks[0];
            ticks.into_iter().map(|value| tick(value, step)).collect::<Vec<_>>()
        };
        assert_eq!(labels(0.1, 1.0), ["0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-1.0, 1.0), ["-1.0", "-0.5", "0", "0.5", "1.0"]);
        assert_eq!(labels(650.0, 700.0), ["650", "660", "670", "680", "690", "700"]);
        assert_eq!(labels(1.1e-12, 4.2e-12), ["2e-12", "3e-12", "4e-12"]);
        assert_eq!(labels(3.0e9, 3.01e9), ["3.000e9", "3.002e9", "3.004e9", "3.006e9", "3.008e9", "3.010e9"]);
    }

    #[test]
    fn every_range_has_ticks() {
        for exponent in -300..300 {
            let scale = 10f64.powi(exponent);
            for (low, high) in [(0.0, 1.0), (0.3, 0.97), (-0.2, 0.1), (5.0, 5.5)] {
                let ticks = round_numbers(low * scale, high * scale, 3);
                assert!((2..=9).contains(&ticks.len()), "{low} to {high} e{exponent}: {ticks:?}");
            }
        }
    }
}
