//! Numbers within their limits: settings that are refused, and bounds that must not be above for rounding.

use crate::error::{ErrorKind, Result};

/// Most starts, walks or pairs that are held at once.
const MAX_AT_ONCE: usize = 100_000;

/// Matrices of more bytes are refused: decompositions hold several of their size, and take minutes from here on.
const MAX_MATRIX_BYTES: u128 = 1 << 29;

/// Refuses a matrix that is too large.
pub(crate) fn matrix_fits(what: &'static str, rows: usize, columns: usize) -> Result<()> {
    let (needed, limit) = (rows as u128 * columns as u128 * size_of::<f64>() as u128, MAX_MATRIX_BYTES);
    if needed <= limit {
        return Ok(());
    }
    Err(ErrorKind::MatrixTooLarge { what, rows, columns, needed, limit }.into())
}

/// Refuses a setting of zero.
pub(crate) fn at_least_one(name: &'static str, value: usize) -> Result<()> {
    let expected = "give 1 or more";
    if value == 0 { Err(ErrorKind::BadSetting { name, value: 0.0, expected }.into()) } else { Ok(()) }
}

/// Refuses a search without steps.
pub(crate) fn some_steps(steps: usize) -> Result<()> {
    if steps == 0 { Err(ErrorKind::NoSteps.into()) } else { Ok(()) }
}

/// Refuses a count of zero and one that is a slip of the finger.
pub(crate) fn some(name: &'static str, value: usize) -> Result<()> {
    at_least_one(name, value)?;
    let expected = "give at most 100000";
    if value > MAX_AT_ONCE {
        Err(ErrorKind::BadSetting { name, value: value as f64, expected }.into())
    } else {
        Ok(())
    }
}

/// Refuses a setting that is not a finite positive number.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<()> {
    let expected = "give a finite number above 0";
    let fine = value.is_finite() && value > 0.0;
    if fine { Ok(()) } else { Err(ErrorKind::BadSetting { name, value, expected }.into()) }
}

/// Refuses a tolerance that is negative or not a number.
pub(crate) fn not_negative(name: &'static str, value: f64) -> Result<()> {
    let fine = value.is_finite() && value >= 0.0;
    if fine { Ok(()) } else { Err(ErrorKind::BadSetting { name, value, expected: "give 0 or more" }.into()) }
}

/// A little lower: coordinates in another basis are rounded, and a bound must not be above for that.
pub(crate) fn below(bound: f64) -> f64 {
    bound * (1.0 - 1e-12)
}

/// A little below: a bound must not be above for rounding.
pub(crate) fn safe(bound: f64) -> f64 {
    (bound * (1.0 - 1e-12)).max(0.0)
}

/// [`safe`] for sums over so many coordinates, whose rounding grows as the root of their number.
pub(crate) fn safe_over(bound: f64, coordinates: usize) -> f64 {
    safe(bound * (1.0 - 16.0 * f64::EPSILON * (coordinates as f64).sqrt()))
}
