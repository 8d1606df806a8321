//! From numbers to places.

use std::fmt::Write;

use super::{SIZE, escaped, text};
use crate::statistics::short;

/// What a direction of a panel means.
#[derive(Clone, Debug)]
pub struct Axis {
    pub label: String,
    pub is_log: bool,
    /// From and to; found from the numbers where nobody says.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), is_log: false, range: None }
    }

    pub fn log(label: impl Into<String>) -> Self {
        Axis { is_log: true, ..Axis::new(label) }
    }

    pub fn between(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }

    /// The axis for these numbers; those it has no place for do not count.
    pub(super) fn fit(&self, numbers: impl Iterator<Item = f64>) -> Fitted {
        let seen = |x: &f64| x.is_finite() && (!self.is_log || *x > 0.0);
        let (low, high) = self.range.unwrap_or_else(|| {
            let range = |(low, high): (f64, f64), x: f64| (low.min(x), high.max(x));
            numbers.filter(seen).fold((f64::INFINITY, f64::NEG_INFINITY), range)
        });
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        if self.is_log {
            let (low, high) = (low.log10(), high.log10());
            let room = if high - low < 1e-9 { 0.5 } else { 0.04 * (high - low) };
            return Fitted { is_log: true, low: low - room, high: high + room };
        }
        let room = match high - low {
            range if range <= 1e-12 * high.abs() => 0.5 * high.abs().max(1.0),
            _ if self.range.is_some() => 0.0,
            range => 0.05 * range,
        };
        Fitted { is_log: false, low: low - room, high: high + room }
    }
}

/// An axis that knows its range; logarithms of it if it has them.
pub(super) struct Fitted {
    is_log: bool,
    low: f64,
    high: f64,
}

impl Fitted {
    /// The share of the way from the low end to the high one; `None` for numbers that have no place.
    pub fn share(&self, number: f64) -> Option<f64> {
        let number = if self.is_log { number.log10() } else { number };
        number.is_finite().then(|| (number - self.low) / (self.high - self.low))
    }

    fn ticks(&self) -> Vec<f64> {
        let range = self.high - self.low;
        if self.is_log {
            let (first, last) = (self.low.ceil() as i32, self.high.floor() as i32);
            let stride = ((last - first) / 6 + 1).max(1) as usize;
            let powers: Vec<f64> = (first..=last).step_by(stride).map(|power| 10_f64.powi(power)).collect();
            if powers.len() >= 2 {
                return powers;
            }
        }
        // Less than two powers of ten: numbers at equal steps, of which the logarithms are no longer.
        let (low, range) = if self.is_log {
            (10_f64.powf(self.low), 10_f64.powf(self.high) - 10_f64.powf(self.low))
        } else {
            (self.low, range)
        };
        let rough = range / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (low / step).ceil() as i64;
        (first..).map(|k| k as f64 * step).take_while(|x| *x <= low + range * 1.000_001).take(12).collect()
    }
}

/// Letters that a tick has room for.
fn label(number: f64) -> String {
    let text = short(number);
    match text.split_once('e') {
        Some((digits, power)) => {
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            format!("{digits}e{power}")
        }
        None if text.contains('.') => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        None => text,
    }
}

/// Grid, ticks and labels of both directions.
pub(super) fn frame(svg: &mut String, (x, fx): (&Axis, &Fitted), (y, fy): (&Axis, &Fitted)) {
    let (width, height) = SIZE;
    for tick in fx.ticks() {
        let Some(at) = fx.share(tick).map(|share| share * width) else { continue };
        let _ =
            writeln!(svg, "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"0\" y2=\"{height}\"/>");
        text(svg, (at, height + 15.0), "middle", &label(tick));
    }
    side(svg, y, fy);
    text(svg, (width / 2.0, height + 33.0), "middle", &escaped(&x.label));
}

/// Grid, ticks and label of the upward direction alone.
pub(super) fn side(svg: &mut String, y: &Axis, fitted: &Fitted) {
    let (width, height) = SIZE;
    let _ = writeln!(svg, "<rect class=\"grid\" width=\"{width}\" height=\"{height}\"/>");
    for tick in fitted.ticks() {
        let Some(at) = fitted.share(tick).map(|share| height * (1.0 - share)) else { continue };
        let _ = writeln!(svg, "<line class=\"grid\" x1=\"0\" x2=\"{width}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        text(svg, (-6.0, at + 4.0), "end", &label(tick));
    }
    let _ = writeln!(
        svg,
        "<text class=\"ink\" transform=\"translate(-46 {:.0}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        height / 2.0,
        escaped(&y.label)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        let fitted = Axis::new("x").between(0.0, 10.0).fit(std::iter::empty());
        assert_eq!(fitted.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let fitted = Axis::log("x").fit([1.0, 1e4, 0.0, -3.0, f64::NAN].into_iter());
        assert_eq!(fitted.ticks(), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert!(
            fitted.share(0.0).is_none()
                && fitted.share(100.0).is_some_and(|share| (share - 0.5).abs() < 1e-9)
        );
        let narrow = Axis::log("x").fit([20.0, 40.0].into_iter()).ticks();
        assert!(narrow.len() >= 3 && narrow.iter().all(|tick| (15.0..45.0).contains(tick)), "{narrow:?}");
        assert_eq!([10.0, 2500.0, 0.05, 1e6].map(label), ["10", "2500", "0.05", "1e6"]);
    }
}
