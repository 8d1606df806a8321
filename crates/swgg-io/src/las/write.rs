//! Points out, in the frame of the file they came from or in a new one.

use std::borrow::Cow;
use std::io::{self, Write};

use laz::{LasZipCompressor, LazVlr, LazVlrBuilder};

use super::dims::{self, Dim};
use super::header::{Frame, LONG, MARK, Record, SHORTEST, put};
use crate::attributes::Attributes;
use crate::column::{Column, Data};
use crate::convert::spoken;
use crate::error::{Error, ErrorKind};
use crate::format::Format;
use crate::output::Output;
use crate::scalar::Scalar;
use crate::spec::Written;

/// Steps that coordinates are counted in have 32 bits.
const MOST_STEPS: f64 = i32::MAX as f64;

/// Writes points of three coordinates with their attributes; returns what could not be said.
pub(super) fn write(output: Output, format: Format, data: &[f64], attributes: &Attributes) -> Written {
    if let Some(row) = data.chunks_exact(3).position(|point| point.iter().any(|x| !x.is_finite())) {
        return Err(Error::at(output.path(), ErrorKind::NotFinite { format, row }));
    }
    let columns: Vec<Cow<'_, Column>> = attributes
        .columns
        .iter()
        .flat_map(|column| spoken(Cow::Borrowed(column), format, attributes))
        .collect();
    let before = attributes.origin.frame::<Frame>();
    let mut frame = before.cloned().unwrap_or_else(|| Frame::new(&columns));
    let mut left_out = attributes.unread.clone();
    let dims = dims::dims(frame.point_format, frame.extra);
    let mut placed: Vec<(Dim, Cow<'_, Column>)> = Vec::new();
    for column in columns {
        let name = column.name.clone();
        // Some programs mark what they do not know as scalars.
        let known = name.strip_prefix("scalar_").map_or(name.clone(), str::to_ascii_lowercase);
        let dim = dims.iter().find(|dim| dim.name == known);
        match dim.ok_or("no place for it in a LAS point").and_then(|dim| Ok((*dim, fitted(column, dim)?))) {
            Ok(pair) => placed.push(pair),
            Err(reason) => left_out.push(format!("{name} ({reason})")),
        }
    }
    for axis in 0..3 {
        let values = || data.iter().skip(axis).step_by(3).copied();
        let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        frame.fit_axis(axis, low, high);
    }
    let writer = Writer { frame: &frame, data, placed: &placed };
    let output = output.write_with(|output| writer.write(output, format == Format::Laz))?;
    Ok((output, left_out))
}

/// The column as the dimension has it, or why that cannot be.
fn fitted<'a>(column: Cow<'a, Column>, dim: &Dim) -> Result<Cow<'a, Column>, &'static str> {
    if let Data::Numbers { scalar, count, .. } = column.data
        && count == dim.count
        && scalar == dim.scalar
        && (count > 1 || column.values().is_some_and(|values| values.iter().all(|&value| dim.holds(value))))
    {
        return Ok(column);
    }
    let is_color = ["red", "green", "blue"].contains(&dim.name);
    let eight_bits = match column.data {
        Data::Text { .. } => column.in_type(Scalar::U8).is_some(),
        Data::Numbers { scalar, .. } => scalar == Scalar::U8,
    };
    let mut other = column.in_type(dim.scalar).ok_or("its values do not fit")?;
    if !other.values().is_some_and(|values| values.iter().all(|&value| dim.holds(value))) {
        return Err("its values do not fit");
    }
    if let (true, true, Data::Numbers { bytes, .. }) = (is_color, eight_bits, &mut other.data) {
        // A colour of eight bits as one of sixteen: 255 becomes 65535.
        bytes.chunks_exact_mut(2).for_each(|color| color[1] = color[0]);
    }
    Ok(Cow::Owned(other))
}

impl Frame {
    /// A frame with room for these columns: version 1.2, or 1.4 if there are some that came with it.
    fn new(columns: &[Cow<'_, Column>]) -> Self {
        let any = |names: &[&str]| columns.iter().any(|column| names.contains(&column.name.as_str()));
        let (time, color) = (any(&["gps_time"]), any(&["red", "green", "blue"]));
        let long = any(&["nir", "overlap", "scanner_channel", "scan_angle"]);
        let point_format = match (long, time, color) {
            (true, ..) if any(&["nir"]) => 8,
            (true, _, color) => 6 + u8::from(color),
            (false, time, color) => u8::from(time) + 2 * u8::from(color),
        };
        let length = if long { LONG } else { SHORTEST };
        let mut header = vec![0; length];
        put(&mut header, 0, MARK);
        header[24] = 1;
        header[25] = if long { 4 } else { 2 };
        put(&mut header, 26, b"swgg");
        put(&mut header, 58, b"swgg");
        put(&mut header, 94, &(length as u16).to_le_bytes());
        let (scale, offset) = ([0.0; 3], [0.0; 3]);
        Self { header, records: Vec::new(), point_format, extra: 0, scale, offset }
    }

    /// Keeps scale and offset of an axis if its values fit; otherwise moves the offset, and takes a larger scale only
    /// if it must.
    fn fit_axis(&mut self, axis: usize, low: f64, high: f64) {
        let (scale, offset) = (&mut self.scale[axis], &mut self.offset[axis]);
        let fits = |scale: f64, offset: f64| {
            scale != 0.0 && [low, high].iter().all(|x| ((x - offset) / scale).abs() <= MOST_STEPS)
        };
        if fits(*scale, *offset) {
            return;
        }
        let middle = low / 2.0 + high / 2.0;
        if *scale == 0.0 || !fits(*scale, middle) {
            // The finest power of ten; a cloud without extent has its offset.
            let reach = (high / 2.0 - low / 2.0).max(f64::MIN_POSITIVE.sqrt());
            *scale = 10f64.powf((reach / MOST_STEPS).log10().ceil());
        }
        *offset = if fits(*scale, (middle / *scale).round() * *scale) {
            (middle / *scale).round() * *scale
        } else {
            middle
        };
    }
}

struct Writer<'a> {
    frame: &'a Frame,
    data: &'a [f64],
    placed: &'a [(Dim, Cow<'a, Column>)],
}

impl Writer<'_> {
    fn write(&self, output: &mut Output, packed: bool) -> io::Result<()> {
        let Frame { point_format, extra, .. } = *self.frame;
        let size = dims::size(point_format).unwrap_or_default() + extra;
        let vlr = if packed {
            let builder = LazVlrBuilder::default().with_point_format(point_format, extra as u16);
            Some(builder.map_err(io::Error::other)?.build())
        } else {
            None
        };
        let mut records = self.frame.records.clone();
        if let Some(vlr) = &vlr {
            let mut bytes = Vec::new();
            vlr.write_to(&mut bytes)?;
            records.push(Record::new(LazVlr::USER_ID, LazVlr::RECORD_ID, LazVlr::DESCRIPTION, &bytes));
        }
        output.write_all(&self.header(&records, size, packed))?;
        records.iter().try_for_each(|record| output.write_all(&record.bytes))?;
        let mut point = vec![0; size];
        let rows = 0..self.data.len() / 3;
        match vlr {
            None => {
                for row in rows {
                    self.encode(row, &mut point);
                    output.write_all(&point)?;
                }
                Ok(())
            }
            Some(vlr) => {
                let mut encoder = LasZipCompressor::new(output, vlr).map_err(io::Error::other)?;
                for row in rows {
                    self.encode(row, &mut point);
                    encoder.compress_one(&point)?;
                }
                encoder.done()
            }
        }
    }

    /// The steps of a coordinate from the offset.
    fn steps(&self, row: usize, axis: usize) -> i32 {
        ((self.data[3 * row + axis] - self.frame.offset[axis]) / self.frame.scale[axis]).round() as i32
    }

    fn encode(&self, row: usize, point: &mut [u8]) {
        point.fill(0);
        (0..3).for_each(|axis| put(point, 4 * axis, &self.steps(row, axis).to_le_bytes()));
        for (dim, column) in self.placed {
            dim.set(point, column.bytes(row));
        }
        if self.returns().is_none() {
            // Every point is a return of some pulse: the first of one.
            point[14] |= if self.frame.point_format < 6 { 1 | 1 << 3 } else { 1 | 1 << 4 };
        }
    }

    fn returns(&self) -> Option<&Column> {
        self.placed.iter().find(|(dim, _)| dim.name == "return_number").map(|(_, column)| &**column)
    }

    fn header(&self, records: &[Record], size: usize, packed: bool) -> Vec<u8> {
        let mut header = self.frame.header.clone();
        let rows = self.data.len() / 3;
        let start = header.len() + records.iter().map(|record| record.bytes.len()).sum::<usize>();
        put(&mut header, 96, &(start as u32).to_le_bytes());
        put(&mut header, 100, &(records.len() as u32).to_le_bytes());
        header[104] = self.frame.point_format | if packed { 0x80 } else { 0 };
        put(&mut header, 105, &(size as u16).to_le_bytes());
        let mut by_return = [0u64; 15];
        for row in 0..rows {
            let number = self.returns().map_or(1, |column| column.bytes(row)[0]);
            if let Some(count) = usize::from(number).checked_sub(1).and_then(|k| by_return.get_mut(k)) {
                *count += 1;
            }
        }
        // Counts of 32 bits are zero where they are too small or the format came after them.
        let legacy = self.frame.point_format < 6 && u32::try_from(rows).is_ok();
        let short = |count: u64| if legacy { count as u32 } else { 0 }.to_le_bytes();
        put(&mut header, 107, &short(rows as u64));
        (0..5).for_each(|k| put(&mut header, 111 + 4 * k, &short(by_return[k])));
        for axis in 0..3 {
            put(&mut header, 131 + 8 * axis, &self.frame.scale[axis].to_le_bytes());
            put(&mut header, 155 + 8 * axis, &self.frame.offset[axis].to_le_bytes());
            let steps = (0..rows).map(|row| self.steps(row, axis));
            let (low, high) = steps.fold((i32::MAX, i32::MIN), |(l, h), step| (l.min(step), h.max(step)));
            let value = |step: i32| f64::from(step) * self.frame.scale[axis] + self.frame.offset[axis];
            put(&mut header, 179 + 16 * axis, &value(high).to_le_bytes());
            put(&mut header, 187 + 16 * axis, &value(low).to_le_bytes());
        }
        if header.len() >= LONG && header[25] >= 4 {
            // No records after the points.
            put(&mut header, 235, &[0; 12]);
            put(&mut header, 247, &(rows as u64).to_le_bytes());
            (0..15).for_each(|k| put(&mut header, 255 + 8 * k, &by_return[k].to_le_bytes()));
        }
        header
    }
}
