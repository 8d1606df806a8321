//! Rows of text made into points.

use std::io::BufRead;

use super::dialect::Dialect;
use super::is_missing;
use super::rows::Rows;
use crate::attributes::{Attributes, Origin, coordinates_by_name};
use crate::cloud::{Cloud, Extra, Values};
use crate::column::Column;
use crate::columns::{ColumnRef, ColumnSelection, slots};
use crate::error::{ErrorKind, shorten};
use crate::format::Format;
use crate::input::Input;

/// What is wanted of a file of text.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) format: Format,
    pub(super) columns: Option<&'a ColumnSelection>,
    /// Whether columns that are not coordinates are wanted, too.
    pub(super) keep: bool,
    /// Whether values that are not there are read as not a number.
    pub(super) missing: bool,
    /// Whether a comma separates the decimals.
    pub(super) decimal_comma: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn of(input: &Input<'a>) -> Self {
        let Input { format, columns, keep, missing, decimal_comma, .. } = *input;
        Self { format, columns, keep, missing, decimal_comma }
    }
}

/// Reads the coordinates and, if wanted, everything else. The first row is a header if none of its fields is a number;
/// `.xyz` files may then announce how many points follow.
pub(super) fn read(reader: impl BufRead, asked: Asked<'_>) -> Result<(Cloud, Attributes), ErrorKind> {
    let Asked { format, columns, keep, missing, decimal_comma } = asked;
    let mut rows = Rows::new(reader, Dialect::of(format, decimal_comma));
    let mut table = Table { columns, keep, missing, ..Table::default() };
    let mut announced = None;

    let mut more = rows.advance()?;
    if more {
        table.names = header(&rows)?;
        if table.names.is_some() {
            more = rows.advance()?;
        }
    }
    if more
        && rows.may_announce()
        && table.names.as_ref().is_none_or(|names| names.len() > 1)
        && let Some(count) = lone_integer(&rows)
    {
        // A number of points, or a point with a single coordinate: the next row tells.
        let line = rows.line();
        more = rows.advance()?;
        if more && rows.len() > 1 {
            announced = Some(count);
        } else {
            table.start_row(line, 1)?;
            table.values.push(count as f64);
        }
    }
    while more {
        table.push(&rows)?;
        more = rows.advance()?;
    }
    table.finish(format, announced)
}

/// The names that the first row gives, if it is a header.
pub(super) fn header<R: BufRead>(rows: &Rows<R>) -> Result<Option<Vec<String>>, ErrorKind> {
    if !rows.is_header() {
        return Ok(None);
    }
    let mut names = Vec::with_capacity(rows.len());
    for index in 0..rows.len() {
        let name = rows.text(index)?;
        // Some programs write the header of a point list as a `//` comment.
        names.push(if index == 0 { name.trim_start_matches("//").trim_start() } else { name }.to_owned());
    }
    Ok(Some(names))
}

fn lone_integer<R: BufRead>(rows: &Rows<R>) -> Option<u64> {
    if rows.len() != 1 {
        return None;
    }
    std::str::from_utf8(rows.field(0)).ok()?.parse().ok()
}

#[derive(Default)]
struct Table<'a> {
    columns: Option<&'a ColumnSelection>,
    /// Whether columns that are not picked are kept as text.
    keep: bool,
    /// Whether values that are not there become not a number.
    missing: bool,
    names: Option<Vec<String>>,
    /// Fields of every row, known from the header or the first point on.
    width: Option<usize>,
    picked: Vec<usize>,
    values: Vec<f64>,
    kept: Vec<(usize, Column)>,
    /// Rows and the lines where they stand, wherever the two do not go on side by side.
    lines: Vec<(usize, u64)>,
}

impl Table<'_> {
    fn start_row(&mut self, line: u64, found: usize) -> Result<(), ErrorKind> {
        if self.width.is_none() {
            let width = self.names.as_ref().map_or(found, Vec::len);
            self.picked = match self.columns {
                Some(selection) => selection.resolve(self.names.as_deref(), width)?,
                None => self
                    .coordinates()
                    .unwrap_or_else(|| (usize::from(self.has_row_labels())..width).collect()),
            };
            self.width = Some(width);
            if self.keep {
                let others = (0..width).filter(|index| !self.picked.contains(index));
                let name = |index: usize| match &self.names {
                    Some(names) => names[index].clone(),
                    None => index.to_string(),
                };
                self.kept = others.map(|index| (index, Column::text(name(index)))).collect();
            }
        }
        match self.width {
            Some(expected) if expected != found => Err(ErrorKind::Ragged { line, found, expected }),
            _ => Ok(()),
        }
    }

    /// A table with attributes has x, y and z for coordinates, if it has columns of these names.
    fn coordinates(&self) -> Option<Vec<usize>> {
        self.names.as_ref().filter(|_| self.keep).and_then(|names| coordinates_by_name(names))
    }

    /// Data frames are written with their row labels as a first column without a name.
    fn has_row_labels(&self) -> bool {
        self.names.as_ref().is_some_and(|names| names.len() > 1 && names[0].is_empty())
    }

    fn push<R: BufRead>(&mut self, rows: &Rows<R>) -> Result<(), ErrorKind> {
        let headless = self.names.is_none() && self.width.is_none();
        self.start_row(rows.line(), rows.len())?;
        self.note_line(rows.line());
        if self.columns.is_none() && self.picked.first() == Some(&1) && self.has_row_labels() {
            self.check_labels(rows)?;
        }
        for &index in &self.picked {
            match rows.number(index) {
                Some(value) => self.values.push(value),
                None if self.missing && is_missing(rows.field(index)) => self.values.push(f64::NAN),
                None => return Err(self.refuse(rows, index, headless)),
            }
        }
        for (index, column) in &mut self.kept {
            column.push_text(rows.text(*index)?);
        }
        Ok(())
    }

    fn note_line(&mut self, line: u64) {
        let row = self.values.len() / self.picked.len().max(1);
        let goes_on = |&(first, start): &(usize, u64)| line.wrapping_sub(start) == (row - first) as u64;
        if !self.lines.last().is_some_and(goes_on) {
            self.lines.push((row, line));
        }
    }

    /// Labels of rows are words or whole numbers. Others are coordinates whose column has lost its name.
    fn check_labels<R: BufRead>(&self, rows: &Rows<R>) -> Result<(), ErrorKind> {
        match rows.number(0) {
            Some(value) if value.fract() != 0.0 => {
                Err(ErrorKind::NamelessColumn { line: rows.line(), text: shorten(rows.text(0)?) })
            }
            _ => Ok(()),
        }
    }

    fn refuse<R: BufRead>(&self, rows: &Rows<R>, index: usize, headless: bool) -> ErrorKind {
        let line = rows.line();
        let column = ColumnRef::new(index, self.names.as_deref());
        let has_numbers = || (0..rows.len()).any(|other| rows.number(other).is_some());
        match rows.text(index) {
            Err(not_text) => not_text,
            Ok("") => ErrorKind::EmptyCell { line, column },
            Ok(text) if headless && has_numbers() => {
                ErrorKind::HalfHeader { line, column, text: shorten(text) }
            }
            Ok(text) => ErrorKind::NotANumber { line, column, text: shorten(text) },
        }
    }

    fn finish(self, format: Format, announced: Option<u64>) -> Result<(Cloud, Attributes), ErrorKind> {
        if self.values.is_empty() {
            return Err(ErrorKind::NoRows);
        }
        let found = (self.values.len() / self.picked.len()) as u64;
        match announced {
            Some(expected) if expected != found => {
                return Err(ErrorKind::Count { what: "points".into(), found, expected });
            }
            _ => {}
        }
        let ignored = if self.columns.is_none() && self.has_row_labels() {
            vec!["row labels".to_owned()]
        } else {
            Vec::new()
        };
        let names = self.names.map(|names| self.picked.iter().map(|&index| names[index].clone()).collect());
        let width = self.width.unwrap_or_default();
        let mut attributes = Attributes::new(found as usize, Origin::plain(format));
        let mut places = vec![None; width];
        for (place, (index, column)) in self.kept.into_iter().enumerate() {
            places[index] = Some(place);
            attributes.columns.push(column);
        }
        attributes.arrange(&slots(&self.picked, width), &places);
        attributes.names = names.clone();
        let cloud = Cloud {
            values: Values::F64(self.values),
            columns: self.picked.len(),
            names,
            ignored,
            format,
            dtype: "text",
            extra: Extra { lines: self.lines, ..Extra::default() },
        };
        Ok((cloud, attributes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        bytes: &[u8],
        format: Format,
        columns: Option<&ColumnSelection>,
        keep: bool,
    ) -> Result<(Cloud, Attributes), ErrorKind> {
        super::read(bytes, Asked { format, columns, keep, missing: false, decimal_comma: false })
    }

    fn read_text(format: Format, text: &str) -> Result<Cloud, String> {
        read(text.as_bytes(), format, None, false).map(|(cloud, _)| cloud).map_err(|kind| kind.to_string())
    }

    fn table(format: Format, text: &str) -> (Vec<f64>, usize, Option<Vec<String>>) {
        let cloud = read_text(format, text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        (cloud.to_f64().into_owned(), cloud.columns(), cloud.names().map(<[String]>::to_vec))
    }

    fn names(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn separators_are_found_on_the_first_line() {
        let expected = (vec![1.0, 2.0, 3.0, 4.0], 2, None);
        for (format, text) in [
            (Format::Csv, "1,2\n3,4\n"),
            (Format::Csv, "1;2\n3;4"),
            (Format::Csv, "1,2\r3,4\r"),
            (Format::Csv, "\"1\",2\r\"3\",4"),
            (Format::Csv, "sep=;\n1;2\n3;4"),
            (Format::Csv, "sep=|\r\n1|2\r\n3|4\r\n"),
            (Format::Csv, "1\t2\r\n3\t4\r\n"),
            (Format::Csv, "1 2\n3 4\n"),
            (Format::Tsv, "1  2\n3 4\n"),
            (Format::Tsv, "1\t2\n3\t4\n"),
            (Format::Txt, "1, 2\n3, 4\n"),
            (Format::Txt, "1;2\n3;4\n"),
            (Format::Txt, "1\t2\n3\t4\n"),
            (Format::Txt, "  1   2\n3 4  \n"),
            (Format::Xyz, "1 2\n3\t4\n"),
            (Format::Csv, "\u{feff}# a comment\n\n1,2\n   \n  # another, with a comma\n3,\"4\"\n"),
        ] {
            assert_eq!(table(format, text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_row_without_numbers_is_a_header() {
        assert_eq!(table(Format::Csv, "x,y\n1,2\n"), (vec![1.0, 2.0], 2, names(&["x", "y"])));
        assert_eq!(table(Format::Csv, "y,\n1,2\n").2, names(&["y", ""]));
        assert_eq!(
            table(Format::Csv, "\"a,\"\"b\"\"\",\"line\nbreak\"\n1,2\n").2,
            names(&["a,\"b\"", "line\nbreak"])
        );
        assert_eq!(table(Format::Xyz, "//X Y Z\n1 2 3\n").2, names(&["X", "Y", "Z"]));
        let (values, _, none) = table(Format::Csv, "nan,-inf\n1,2\n");
        assert!(values[0].is_nan() && values[1] == f64::NEG_INFINITY && none.is_none());
    }

    #[test]
    fn row_labels_are_left_out_unless_picked() {
        let text = b"\"\",\"x\",\"y\"\n\"a\",1,2\n7,3,4\n";
        let cloud = read(&text[..], Format::Csv, None, false).unwrap().0;
        assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0][..]));
        assert_eq!(
            (cloud.names(), cloud.ignored()),
            (names(&["x", "y"]).as_deref(), &["row labels".into()][..])
        );
        let selection: ColumnSelection = "0,x".parse().unwrap();
        let cloud = read(&b",x\n5,6\n"[..], Format::Csv, Some(&selection), false).unwrap().0;
        assert_eq!((cloud.as_f64(), cloud.ignored()), (Some(&[5.0, 6.0][..]), &[][..]));
    }

    #[test]
    fn point_lists_may_announce_their_length() {
        assert_eq!(table(Format::Xyz, "2\n1 2 3\n4 5 6\n").0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(table(Format::Xyz, "v 1 2 3\nv 4 5 6\n").0, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(table(Format::Xyz, "x y\n1\n4 5\n").0, [4.0, 5.0]);
        assert_eq!(table(Format::Xyz, "5\n1\n2\n").0, [5.0, 1.0, 2.0]);
        assert_eq!(table(Format::Xyz, "5\n").0, [5.0]);
        assert_eq!(table(Format::Xyz, "x\n5\n").0, [5.0]);
        assert_eq!(
            read_text(Format::Xyz, "3\n1 2\n4 5\n").unwrap_err(),
            "the header announces 3 points but 2 are present; correct one of them"
        );
    }

    #[test]
    fn refused_rows_say_where() {
        let refused = |text: &str| read_text(Format::Csv, text).unwrap_err();
        assert_eq!(
            refused("# c\n\n1,2\n3\n"),
            "line 4 has 1 field where 2 were expected; complete the row or drop it"
        );
        assert_eq!(
            refused("x,y\n1,2,3\n"),
            "line 2 has 3 fields where 2 were expected; complete the row or drop it"
        );
        assert_eq!(
            refused("x,y\n1,2\n3,abc\n"),
            "line 3, column \"y\": \"abc\" is not a number; correct it (with a decimal point, not a comma) or leave \
             the column out"
        );
        let long = refused(&format!("1,2\n\"{}\",2\n", "é".repeat(100)));
        assert!(long.contains(&format!("column 0 (from 0): \"{}...\" is not", "é".repeat(40))), "{long}");
        assert_eq!(
            refused("id,2020\n1,2\n"),
            "line 1 mixes numbers with text (\"id\" in column 0 (from 0)), so it is neither a header nor a point; \
             name every column, or leave the columns of text out"
        );
        assert_eq!(
            refused("1,2\n3,\n"),
            "line 2, column 1 (from 0) is empty; fill it, drop the row or leave the column out"
        );
        assert!(refused("NA,NA\n1,2\n").starts_with("line 1, column 0 (from 0): \"NA\" is not a number"));
        assert!(refused(",\n1,2\n").starts_with("line 1, column 0 (from 0) is empty"));
        assert_eq!(
            refused("1,2\n\"3,4\n5,6\n"),
            "the quote opened on line 2 never closes; close it or remove it"
        );
        // Carriage returns alone end lines only where there is nothing else that does.
        assert!(refused("1,2\r3,4\n").contains("\"2\\r3\" in column 1"), "{}", refused("1,2\r3,4\n"));
        assert_eq!(refused("x,y\n"), "holds no points: it has zero rows; add at least one");
        assert_eq!(refused("\n# nothing\n"), "holds no points: it has zero rows; add at least one");
    }

    #[test]
    fn bytes_that_are_not_text_say_where() {
        let refused = |bytes: &[u8]| read(bytes, Format::Csv, None, false).unwrap_err().to_string();
        assert_eq!(refused(b"1,2\n3,\xff\n"), "line 2 is not UTF-8 text; convert the file to UTF-8");
        assert_eq!(refused(b"x,\xe9\n"), "line 1 is not UTF-8 text; convert the file to UTF-8");
        let utf16 = "is UTF-16 text, two bytes per letter; save it as UTF-8 (iconv -f UTF-16 -t UTF-8 does)";
        assert_eq!(refused(b"\xff\xfex\0,\0"), utf16);
        assert_eq!(refused(b"1\0,\x002\0\n\0"), utf16);
        assert!(refused(b"x,y\n1,2\n3,\x004\n").starts_with("line 3 has a zero byte"));
    }

    #[test]
    fn columns_left_out_may_hold_anything() {
        let selection: ColumnSelection = "y,x".parse().unwrap();
        let text = b"label,x,y\n\"a\nb\",1,2\n\xff,3,4\n,5,6\n";
        let cloud = read(&text[..], Format::Csv, Some(&selection), false).unwrap().0;
        assert_eq!(cloud.as_f64(), Some(&[2.0, 1.0, 4.0, 3.0, 6.0, 5.0][..]));
        assert_eq!(cloud.names(), Some(&["y".to_owned(), "x".to_owned()][..]));
        let selection: ColumnSelection = "1-2".parse().unwrap();
        let cloud = read(&b"bunny,1,2\ncow,3,4\n"[..], Format::Csv, Some(&selection), false).unwrap().0;
        assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0][..]));
    }

    #[test]
    fn a_nameless_column_of_coordinates_is_not_taken_for_labels() {
        let refused = read_text(Format::Csv, ",y\n1,2\n1.5,3\n").unwrap_err();
        assert!(refused.starts_with("line 3 has \"1.5\" in a first column without a name"), "{refused}");
        assert_eq!(table(Format::Csv, ",y\n0,2\n1,3\n").0, [2.0, 3.0]);
    }

    #[test]
    fn decimals_after_a_comma_and_values_that_are_not_there() {
        let read = |text: &str, missing, decimal_comma| {
            let asked = Asked { format: Format::Csv, columns: None, keep: false, missing, decimal_comma };
            super::read(text.as_bytes(), asked).map(|(cloud, _)| cloud).map_err(|kind| kind.to_string())
        };
        let comma = read("x;y\n1,5;2\n-3;0,25\n", false, true).unwrap();
        assert_eq!(comma.as_f64(), Some(&[1.5, 2.0, -3.0, 0.25][..]));
        assert_eq!(read("1,5;2,5\n", false, true).unwrap().as_f64(), Some(&[1.5, 2.5][..]));
        assert!(read("1,5;2,5\n", false, false).unwrap_err().contains("\"1,5\" is not a number"));
        let gaps = read("x,y\n1,\nNA,4\n5,6\n", true, false).unwrap();
        assert!(gaps.to_f64()[1].is_nan() && gaps.to_f64()[2].is_nan() && gaps.rows() == 3);
        assert!(read("x,y\n1,\nfar,4\n", true, false).unwrap_err().contains("\"far\" is not a number"));
    }

    #[test]
    fn rows_know_their_lines() {
        let cloud = read_text(Format::Csv, "# c\nx,y\n1,2\n\n3,4\n5,6\n").unwrap();
        assert_eq!([0, 1, 2].map(|row| cloud.line(row)), [Some(3), Some(5), Some(6)]);
    }
}
