//! Cells of one line: what solves them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::aggregate::CellSolver;
use crate::cell::{CellError, Line, Sums};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::part::PartWriter;
use crate::scan::Side;

/// Pairs the points of a cell along the line, and writes its part of the plan.
#[derive(Debug)]
pub(crate) struct LineSolver {
    pub line: Line,
    /// Where parts of the plan go, if they are wanted.
    pub parts: Option<PathBuf>,
    /// Which split the cells are of, if they are files.
    pub split: Option<String>,
    /// The two tables, for messages.
    pub tables: [String; 2],
    pub meter: Arc<Meter>,
}

impl CellSolver for LineSolver {
    fn solve(&self, cell: usize, rows: [Vec<u8>; 2]) -> Result<Sums> {
        let mut writer = self.parts.as_ref().map(|folder| PartWriter::create(folder, cell)).transpose()?;
        let mut seen = 0_u32;
        let solved = self.line.solve([&rows[0], &rows[1]], |entry| {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(1 << 16) {
                self.meter.check()?;
            }
            writer.as_mut().map_or(Ok(()), |writer| writer.push(entry))
        });
        let sums = solved.map_err(|error| match error {
            CellError::Show(error) => error,
            CellError::Repeated(side, id) => Error::repeated(&self.tables[side as usize], id),
            CellError::Uneven => Error::changed(&self.tables[Side::Source as usize]),
        })?;
        writer.map_or(Ok(()), |writer| writer.finish(&sums, self.split.as_deref()))?;
        Ok(sums)
    }
}
