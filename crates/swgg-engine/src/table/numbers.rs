//! Columns of Arrow as numbers: exactly, or not at all.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{
    DataType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};

use super::{Picked, Rows};

/// Coordinates beyond this are refused, as in memory: sums of their squared distances could overflow.
const LARGEST_COORDINATE: f64 = swgg::Measure::<f64>::LARGEST_COORDINATE;

/// A value that cannot be used.
pub(super) struct Problem {
    pub row: usize,
    /// Place in the batch.
    pub column: usize,
    pub what: String,
}

/// Whether a column can hold coordinates.
pub(super) fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || *kind == DataType::Boolean
}

/// The rows of a batch as numbers.
pub(super) fn fill(
    batch: &RecordBatch,
    picked: &Picked,
    has_ids: bool,
    rows: &mut Rows,
) -> Result<(), Problem> {
    let all = picked.all();
    let place = |column: usize| all.binary_search(&column).unwrap_or_default();
    let (len, dim) = (batch.num_rows(), picked.points.len());
    rows.len = len;
    rows.points.clear();
    rows.points.resize(len * dim, 0.0);
    for (slot, &column) in picked.points.iter().enumerate() {
        let column = place(column);
        let points = &mut rows.points;
        doubles(batch.column(column), |row, value| points[row * dim + slot] = value)
            .map_err(|(row, what)| Problem { row, column, what })?;
        // The comparison is false for NaN, so one test catches NaN, infinities and overflow alike.
        let bad = rows
            .points
            .iter()
            .skip(slot)
            .step_by(dim)
            .position(|x| x.abs() > LARGEST_COORDINATE || x.is_nan());
        if let Some(row) = bad {
            let value = rows.points[row * dim + slot];
            let what = if value.is_finite() {
                format!("is {value:e}, too large to square; scale the points down")
            } else {
                format!("is {value}, not a finite number; drop the row or fill it in")
            };
            return Err(Problem { row, column, what });
        }
    }
    rows.weights.clear();
    if let Some(column) = picked.weights {
        let column = place(column);
        let weights = &mut rows.weights;
        doubles(batch.column(column), |_, value| weights.push(value)).map_err(|(row, what)| Problem {
            row,
            column,
            what,
        })?;
        if let Some(row) = rows.weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            let what = format!("is the weight {}; weights are finite and not negative", rows.weights[row]);
            return Err(Problem { row, column, what });
        }
    }
    rows.ids.clear();
    match picked.id {
        Some(column) => {
            let column = place(column);
            whole(batch.column(column), &mut rows.ids).map_err(|(row, what)| Problem {
                row,
                column,
                what,
            })?;
        }
        // A pass that needs no ids does not read them.
        None if has_ids => {}
        None => rows.ids.extend(rows.first..rows.first + len as u64),
    }
    Ok(())
}

const MISSING: &str = "is missing; drop the row or fill it in";

fn no_nulls(array: &ArrayRef) -> Result<(), (usize, String)> {
    match (0..array.len()).find(|&row| array.is_null(row)) {
        Some(row) if array.null_count() > 0 => Err((row, MISSING.to_string())),
        _ => Ok(()),
    }
}

/// Hands on each value as a double, if it is one.
fn doubles(array: &ArrayRef, mut put: impl FnMut(usize, f64)) -> Result<(), (usize, String)> {
    if array.null_count() > 0 {
        no_nulls(array)?;
    }
    macro_rules! each {
        ($kind:ty, $convert:expr) => {{
            let values = array.as_primitive::<$kind>().values();
            values.iter().enumerate().for_each(|(row, &value)| put(row, $convert(value)));
        }};
    }
    match array.data_type() {
        DataType::Float64 => each!(Float64Type, f64::from),
        DataType::Float32 => each!(Float32Type, f64::from),
        DataType::Float16 => each!(Float16Type, |value: half::f16| value.to_f64()),
        DataType::Int8 => each!(Int8Type, f64::from),
        DataType::Int16 => each!(Int16Type, f64::from),
        DataType::Int32 => each!(Int32Type, f64::from),
        DataType::UInt8 => each!(UInt8Type, f64::from),
        DataType::UInt16 => each!(UInt16Type, f64::from),
        DataType::UInt32 => each!(UInt32Type, f64::from),
        DataType::Int64 => {
            let values = array.as_primitive::<Int64Type>().values();
            exact(values.iter().map(|&value| (value as f64, i128::from(value))), put)?;
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            exact(values.iter().map(|&value| (value as f64, i128::from(value))), put)?;
        }
        DataType::Boolean => {
            let values = array.as_boolean();
            (0..values.len()).for_each(|row| put(row, f64::from(u8::from(values.value(row)))));
        }
        other => return Err((0, format!("holds {other}, expected numbers"))),
    }
    Ok(())
}

/// Whole numbers that a double holds to the last digit.
fn exact(
    values: impl Iterator<Item = (f64, i128)>,
    mut put: impl FnMut(usize, f64),
) -> Result<(), (usize, String)> {
    for (row, (double, value)) in values.enumerate() {
        if double as i128 != value {
            return Err((row, format!("is {value}, which a 64-bit float does not hold exactly")));
        }
        put(row, double);
    }
    Ok(())
}

/// Names of points: whole numbers from 0 on.
fn whole(array: &ArrayRef, ids: &mut Vec<u64>) -> Result<(), (usize, String)> {
    if array.null_count() > 0 {
        no_nulls(array)?;
    }
    macro_rules! each {
        ($kind:ty) => {{
            for (row, &value) in array.as_primitive::<$kind>().values().iter().enumerate() {
                let id = u64::try_from(value)
                    .map_err(|_| (row, format!("is the id {value}; ids are whole numbers from 0 on")))?;
                ids.push(id);
            }
        }};
    }
    match array.data_type() {
        DataType::Int8 => each!(Int8Type),
        DataType::Int16 => each!(Int16Type),
        DataType::Int32 => each!(Int32Type),
        DataType::Int64 => each!(Int64Type),
        DataType::UInt8 => each!(UInt8Type),
        DataType::UInt16 => each!(UInt16Type),
        DataType::UInt32 => each!(UInt32Type),
        DataType::UInt64 => ids.extend_from_slice(array.as_primitive::<UInt64Type>().values()),
        other => return Err((0, format!("holds {other}, expected whole numbers"))),
    }
    Ok(())
}
