//! The message that workers get, and what they do with it.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch, UInt32Array};
use arrow::datatypes::SchemaRef;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cell::{CellError, Entry, Layout, Line, Sums};
use crate::cuts::Cuts;
use crate::dealer::{Blocks, Deal, TableDeal, schema};
use crate::error::{Error, Result};
use crate::masses::Masses;
use crate::meter::Meter;
use crate::opened::Opened;
use crate::place::Places;
use crate::scan::{Queue, Side};
use crate::table::Table;
use crate::tree::Bits;

/// Bytes that the blocks of a task come to at most before they are sent on.
const BUFFERS: usize = 64 << 20;
/// Bytes of a block at most and at least, as on one machine.
const BYTES_PER_BLOCK: Range<usize> = 1 << 10..1 << 16;
/// Entries that are sent back at a time.
const ENTRIES_PER_BLOCK: usize = 1 << 14;
/// Bytes of an entry.
pub(super) const ENTRY: usize = 32;
/// The first byte of an answer: what it is.
pub(super) const ENTRIES: u8 = 0;
pub(super) const SUMS: u8 = 1;

/// What a batch is made of: tables, borders and masses. The same bytes for every worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    tables: [Table; 2],
    /// Files with sizes and times, as the driver saw them.
    files: [Vec<(String, u64, u64)>; 2],
    masses: [Masses; 2],
    total: u64,
    theta: Bits,
    /// The number of the first cell between these borders.
    first: usize,
    cuts: Cuts,
    /// Whether a cell between these borders is of the batch.
    wanted: Vec<bool>,
}

/// What one task reads: a side (0 the source, 1 the target), and a piece of its table.
pub type Piece = (u32, u32);

/// What cells are solved with: the part of [`Work`] that solvers need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CellWork {
    dim: usize,
    is_single: [bool; 2],
    theta: Bits,
    total: u64,
    tables: [String; 2],
}

impl Work {
    /// For the cells of a range that are not done.
    pub(super) fn new(
        opened: &Opened,
        theta: &[f64],
        cuts: &Cuts,
        cells: Range<usize>,
        done: &[bool],
    ) -> Result<Work> {
        let (first, cuts) = cuts.around(&cells);
        let is_wanted = |cell: usize| cells.contains(&(first + cell)) && !done[first + cell];
        let [source, target] = opened.both();
        let tables = [source.absolute()?, target.absolute()?];
        Ok(Work {
            files: tables.each_ref().map(Table::fingerprint),
            tables,
            masses: opened.masses.clone(),
            total: opened.total,
            theta: Bits(theta.to_vec()),
            first,
            wanted: (0..cuts.cells()).map(is_wanted).collect(),
            cuts,
        })
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Bytes that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Work> {
        read(bytes)
    }

    /// The message.
    ///
    /// # Errors
    ///
    /// None that is known of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        written(self)
    }

    /// The columns of blocks: `cell` and `rows`.
    pub fn schema() -> SchemaRef {
        schema()
    }

    /// How many cells the batch has.
    pub fn cells(&self) -> usize {
        self.wanted.iter().filter(|wanted| **wanted).count()
    }

    /// Everything there is to read, sources before targets.
    pub fn pieces(&self) -> Vec<Piece> {
        let of = |side: Side| {
            (0..self.tables[side as usize].pieces()).map(move |piece| (side as u32, piece as u32))
        };
        Side::BOTH.into_iter().flat_map(of).collect()
    }

    /// What solvers of its cells need.
    pub fn cell_work(&self) -> CellWork {
        let [source, target] = &self.tables;
        CellWork {
            dim: source.dim,
            is_single: [source.is_single, target.is_single],
            theta: self.theta.clone(),
            total: self.total,
            tables: [source.path.clone(), target.path.clone()],
        }
    }

    /// Reads pieces and sends the rows of the batch on in blocks, until nobody wants more.
    ///
    /// # Errors
    ///
    /// Files that are not here, or are not those that the driver saw.
    pub fn deal(&self, pieces: &[Piece], send: &mut dyn FnMut(RecordBatch) -> ControlFlow<()>) -> Result<()> {
        self.check_files(pieces)?;
        let own = |&(side, piece): &Piece| (Side::BOTH[usize::from(side != 0)], piece as usize);
        let tables = self.tables.clone().map(Arc::new);
        let layout = self.cell_work().layout();
        let places = Places::Line { theta: self.theta.0.clone(), cuts: self.cuts.clone() };
        let deal = TableDeal {
            tables,
            masses: self.masses.clone(),
            layout,
            places,
            done: self.wanted.iter().map(|wanted| !wanted).collect(),
            queue: Queue::of(pieces.iter().map(own).collect()),
            meter: Arc::new(Meter::default()),
        };
        let size = (BUFFERS / (2 * deal.cells())).clamp(BYTES_PER_BLOCK.start, BYTES_PER_BLOCK.end);
        let mut blocks = Blocks::new(deal.cells(), size, schema(), send).numbered_from(self.first);
        deal.deal(&mut blocks)?;
        blocks.finish()
    }

    /// Refuses files that are not here, or were changed.
    fn check_files(&self, pieces: &[Piece]) -> Result<()> {
        for side in Side::BOTH {
            if !pieces.iter().any(|(of, _)| *of == side as u32) {
                continue;
            }
            let found = self.tables[side as usize].fingerprint();
            for ((path, size, time), seen) in found.iter().zip(&self.files[side as usize]) {
                if (*size, *time) == (0, 0) {
                    let problem = "an executor does not see this file; keep tables where all of them find them by the same path";
                    return Err(Error::table(path, problem));
                }
                if (*size, *time) != (seen.1, seen.2) {
                    return Err(Error::table(
                        path,
                        "an executor sees another file than the driver, or it was changed meanwhile; expected the same file everywhere",
                    ));
                }
            }
        }
        Ok(())
    }
}

impl CellWork {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Bytes that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<CellWork> {
        read(bytes)
    }

    /// The message.
    ///
    /// # Errors
    ///
    /// None that is known of.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        written(self)
    }

    fn layout(&self) -> Layout {
        Layout { dim: self.dim, is_single: self.is_single }
    }

    /// Bytes that a cell takes while it is solved, if its blocks have so many: rows, and their places in the order along the line.
    pub fn bytes(blocks: usize) -> usize {
        2 * blocks
    }

    /// Solves a cell, given its blocks in any order, and shows the answers.
    ///
    /// # Errors
    ///
    /// Blocks that are none, ids that repeat, sides of different mass, and what `show` says.
    pub fn solve(
        &self,
        cell: u32,
        blocks: &[Vec<u8>],
        show: &mut dyn FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let mut rows = [Vec::new(), Vec::new()];
        for block in blocks {
            let (_, side) = Layout::header(block)
                .ok_or_else(|| Error::DataFusion("a block of a cell came without its header".to_string()))?;
            rows[side as usize].extend_from_slice(&block[crate::cell::HEADER..]);
        }
        let line = Line { layout: self.layout(), theta: self.theta.0.clone(), total: self.total, p: 2.0 };
        let mut answer = vec![ENTRIES];
        let solved = line.solve([&rows[0], &rows[1]], |entry| {
            put(&mut answer, entry);
            if answer.len() > ENTRIES_PER_BLOCK * ENTRY {
                show(answered(cell, &std::mem::replace(&mut answer, vec![ENTRIES]))?)?;
            }
            Ok(())
        });
        let sums: Sums = solved.map_err(|error| match error {
            CellError::Show(error) => error,
            CellError::Repeated(side, id) => Error::repeated(&self.tables[side as usize], id),
            CellError::Uneven => Error::changed(&self.tables[Side::Source as usize]),
        })?;
        if answer.len() > 1 {
            show(answered(cell, &answer)?)?;
        }
        let mut last = vec![SUMS];
        last.extend(sums.to_bytes());
        show(answered(cell, &last)?)
    }
}

/// The columns of answers: `cell` and `rows`.
pub fn solved_schema() -> SchemaRef {
    schema()
}

fn answered(cell: u32, answer: &[u8]) -> Result<RecordBatch> {
    let columns: Vec<ArrayRef> =
        vec![Arc::new(UInt32Array::from(vec![cell])), Arc::new(BinaryArray::from(vec![answer]))];
    RecordBatch::try_new(schema(), columns).map_err(|error| Error::DataFusion(error.to_string()))
}

fn put(answer: &mut Vec<u8>, entry: Entry) {
    let Entry { source, target, mass, cost } = entry;
    for word in [source, target, mass.to_bits(), cost.to_bits()] {
        answer.extend_from_slice(&word.to_le_bytes());
    }
}

fn written(message: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(message)
        .map_err(|error| Error::DataFusion(format!("a message cannot be written ({error})")))
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Error::DataFusion(format!(
            "a message cannot be read ({error}); build all programs from the same sources"
        ))
    })
}
