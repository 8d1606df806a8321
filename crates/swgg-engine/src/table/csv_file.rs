//! Separated text: a header if no field of the first row is a number, as `swgg-io` has it.

use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use arrow::csv::ReaderBuilder;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::files::{damaged, open};
use super::{Columns, Each, Picked, ROWS_PER_BATCH};
use crate::error::{Error, Result};

/// How a file is written.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Dialect {
    separator: u8,
    has_header: bool,
    names: Vec<String>,
}

pub(super) fn look(path: &Path) -> Result<(Dialect, Columns)> {
    let mut first = String::new();
    for line in BufReader::new(open(path)?).lines() {
        let line = line.map_err(|error| damaged(path, error))?;
        if !line.trim().is_empty() && !line.starts_with('#') {
            first = line;
            break;
        }
    }
    if first.is_empty() {
        return Err(Error::table(path.display(), "holds no rows; expected at least one point"));
    }
    let first = first.trim_start_matches('\u{feff}');
    let separator = [b'\t', b';', b','].into_iter().find(|&byte| first.as_bytes().contains(&byte));
    let separator = separator.unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(first.as_bytes());
    let mut fields = csv::StringRecord::new();
    reader.read_record(&mut fields).map_err(|error| damaged(path, error))?;
    let has_header = fields.iter().all(|field| field.trim().parse::<f64>().is_err());
    let names: Vec<String> = if has_header {
        fields.iter().map(|field| field.trim().to_string()).collect()
    } else {
        (0..fields.len()).map(|index| index.to_string()).collect()
    };
    let columns = Columns {
        // Whether a column holds numbers shows when it is read.
        types: vec![DataType::Float64; names.len()],
        names: has_header.then(|| names.clone()),
        is_text: true,
    };
    Ok((Dialect { separator, has_header, names }, columns))
}

fn schema(dialect: &Dialect, picked: &Picked) -> SchemaRef {
    let field = |(index, name): (usize, &String)| {
        let kind = if Some(index) == picked.id {
            DataType::Int64
        } else if picked.all().binary_search(&index).is_ok() {
            DataType::Float64
        } else {
            DataType::Utf8
        };
        Field::new(name, kind, true)
    };
    Arc::new(Schema::new(dialect.names.iter().enumerate().map(field).collect::<Vec<_>>()))
}

pub(super) fn read(
    path: &Path,
    dialect: &Dialect,
    picked: &Picked,
    each: Each<'_>,
) -> Result<ControlFlow<()>> {
    let reader = ReaderBuilder::new(schema(dialect, picked))
        .with_header(dialect.has_header)
        .with_delimiter(dialect.separator)
        .with_comment(b'#')
        .with_batch_size(ROWS_PER_BATCH)
        .with_projection(picked.all())
        .build(open(path)?)
        .map_err(|error| damaged(path, error))?;
    for batch in reader {
        if each(batch.map_err(|error| damaged(path, error))?)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
