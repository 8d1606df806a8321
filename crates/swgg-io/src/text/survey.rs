//! A look at all columns of a table of text.

use std::fs::File;

use super::dialect::Dialect;
use super::is_missing;
use super::rows::Rows;
use super::table::header;
use crate::error::{ErrorKind, shorten};
use crate::format::Format;
use crate::input::buffered;
use crate::survey::{ColumnSurvey, Survey};

/// Counts what each column holds. Rows of another length count where they have fields.
pub(crate) fn survey(file: File, format: Format, decimal_comma: bool) -> Result<Survey, ErrorKind> {
    let mut rows = Rows::new(buffered(file), Dialect::of(format, decimal_comma));
    if !rows.advance()? {
        return Err(ErrorKind::NoRows);
    }
    let names = header(&rows)?;
    let width = rows.len();
    let name = |index: usize| match &names {
        Some(names) if !names[index].is_empty() => names[index].clone(),
        _ => index.to_string(),
    };
    let mut columns: Vec<ColumnSurvey> = (0..width).map(|index| ColumnSurvey::new(name(index))).collect();
    let mut count = 0;
    let mut more = names.is_none() || rows.advance()?;
    while more {
        count += 1;
        for (index, column) in columns.iter_mut().enumerate().take(rows.len()) {
            match rows.number(index) {
                Some(value) => column.count(value),
                None if is_missing(rows.field(index)) => column.missing += 1,
                None => {
                    column.words += 1;
                    if column.example.is_none() {
                        column.example = Some(shorten(rows.text(index)?));
                    }
                }
            }
        }
        more = rows.advance()?;
    }
    if count == 0 { Err(ErrorKind::NoRows) } else { Ok(Survey { format, rows: count, columns }) }
}
