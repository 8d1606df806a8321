//! What the columns of a table hold, whether they are numbers or not.

use crate::format::Format;

/// A table at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// The format of the file.
    pub format: Format,
    /// Rows below the header.
    pub rows: usize,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnSurvey>,
}

/// One column at a glance.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSurvey {
    /// Its name, or its number from 0.
    pub name: String,
    /// Fields that are finite numbers.
    pub finite: usize,
    /// Fields that are infinite or not a number.
    pub not_finite: usize,
    /// Fields with nothing in them, or a word that says so.
    pub missing: usize,
    /// Other fields.
    pub words: usize,
    /// The smallest finite number.
    pub min: f64,
    /// The mean of the finite numbers.
    pub mean: f64,
    /// The largest finite number.
    pub max: f64,
    /// One of the other fields, shortened.
    pub example: Option<String>,
}

impl ColumnSurvey {
    pub(crate) fn new(name: String) -> Self {
        let (finite, not_finite, missing, words) = (0, 0, 0, 0);
        let (min, mean, max) = (f64::INFINITY, 0.0, f64::NEG_INFINITY);
        Self { name, finite, not_finite, missing, words, min, mean, max, example: None }
    }

    /// Whether the column can be picked as a coordinate: every field that is there is a number.
    pub fn is_numeric(&self) -> bool {
        self.words == 0 && self.finite > 0
    }

    pub(crate) fn count(&mut self, value: f64) {
        if !value.is_finite() {
            self.not_finite += 1;
            return;
        }
        self.finite += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        // Step by step: a sum of large numbers could overflow.
        self.mean += value / self.finite as f64 - self.mean / self.finite as f64;
    }
}
