//! From rows to blocks: what the partitions that read hand to DataFusion.
//!
//! A block holds up to 64 kB of rows of one cell and one side, so what is moved about and sorted is few and large.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, RecordBatch, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::cell::{HEADER, Layout};
use crate::error::{Error, Result};
use crate::masses::Masses;
use crate::meter::Meter;
use crate::place::Places;
use crate::scan::{Queue, Side};
use crate::table::{Rows, Table, Want};

/// Blocks that DataFusion handles at a time.
pub(crate) const BLOCKS_PER_BATCH: usize = 16;

/// Whatever has rows to deal to cells. Several workers call it at once, and share what there is.
pub(crate) trait Deal: fmt::Debug + Send + Sync {
    /// Number of cells.
    fn cells(&self) -> usize;
    /// Deals until nothing is left, or nobody wants more.
    fn deal(&self, blocks: &mut Blocks<'_>) -> Result<()>;
}

/// The columns of what is dealt.
pub(crate) fn schema() -> SchemaRef {
    let fields =
        vec![Field::new("cell", DataType::UInt32, false), Field::new("rows", DataType::Binary, false)];
    Arc::new(Schema::new(fields))
}

/// Takes batches of blocks until it breaks.
pub(crate) type Outlet<'a> = &'a mut dyn FnMut(RecordBatch) -> ControlFlow<()>;

/// The blocks of one worker: one per cell and side.
pub(crate) struct Blocks<'a> {
    schema: SchemaRef,
    /// Bytes of a block.
    size: usize,
    /// What the first of the cells is called.
    first: usize,
    blocks: Vec<[Vec<u8>; 2]>,
    /// Full blocks that are on their way.
    full: Vec<(u32, Vec<u8>)>,
    send: Outlet<'a>,
}

impl<'a> Blocks<'a> {
    pub fn new(cells: usize, size: usize, schema: SchemaRef, send: Outlet<'a>) -> Self {
        Blocks { schema, size, first: 0, blocks: vec![Default::default(); cells], full: Vec::new(), send }
    }

    /// Calls the first cell by another number, and the others accordingly.
    pub fn numbered_from(self, first: usize) -> Self {
        Blocks { first, ..self }
    }

    /// Adds a row of so many bytes to a cell.
    #[inline]
    pub fn put(&mut self, cell: usize, side: Side, width: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let block = &mut self.blocks[cell][side as usize];
        if block.is_empty() {
            block.reserve_exact(self.size);
            Layout::begin(block, self.first + cell, side);
        }
        write(block);
        if block.len() + width > self.size {
            let full = std::mem::take(block);
            self.full.push(((self.first + cell) as u32, full));
        }
    }

    /// Sends full blocks on, if there are enough of them.
    pub fn pass_on(&mut self) -> Result<ControlFlow<()>> {
        self.send(BLOCKS_PER_BATCH)
    }

    /// Sends everything that is left.
    pub fn finish(mut self) -> Result<()> {
        for cell in 0..self.blocks.len() {
            for side in Side::BOTH {
                let block = std::mem::take(&mut self.blocks[cell][side as usize]);
                if block.len() > HEADER {
                    self.full.push(((self.first + cell) as u32, block));
                }
            }
        }
        let _ = self.send(1)?;
        Ok(())
    }

    fn send(&mut self, least: usize) -> Result<ControlFlow<()>> {
        while self.full.len() >= least {
            let some = self.full.len().min(BLOCKS_PER_BATCH);
            let blocks = self.full.drain(..some).collect::<Vec<_>>();
            let cells = UInt32Array::from_iter_values(blocks.iter().map(|(cell, _)| *cell));
            let bytes = blocks.iter().map(|(_, rows)| rows.len()).sum();
            let mut rows = BinaryBuilder::with_capacity(blocks.len(), bytes);
            blocks.iter().for_each(|(_, block)| rows.append_value(block));
            let columns: Vec<ArrayRef> = vec![Arc::new(cells), Arc::new(rows.finish())];
            let batch = RecordBatch::try_new(self.schema.clone(), columns)
                .map_err(|error| Error::DataFusion(error.to_string()))?;
            if (self.send)(batch).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Deals the rows of two tables.
#[derive(Debug)]
pub(crate) struct TableDeal {
    pub tables: [Arc<Table>; 2],
    pub masses: [Masses; 2],
    pub layout: Layout,
    pub places: Places,
    /// Cells that are finished already.
    pub done: Vec<bool>,
    pub queue: Queue,
    pub meter: Arc<Meter>,
}

impl TableDeal {
    fn take(&self, side: Side, rows: &Rows, blocks: &mut Blocks<'_>) {
        let (layout, width) = (&self.layout, self.layout.width(side));
        for (row, point) in rows.points.chunks_exact(layout.dim).enumerate() {
            let weight = rows.weights.get(row).copied();
            let units = self.masses[side as usize].of(rows.first + row as u64, weight);
            let id = rows.ids[row];
            self.places.place(side, point, id, units, &mut |cell, units| {
                if !self.done[cell] {
                    blocks.put(cell, side, width, |block| layout.push(block, side, id, units, point));
                }
            });
        }
    }
}

impl Deal for TableDeal {
    fn cells(&self) -> usize {
        self.places.cells()
    }

    fn deal(&self, blocks: &mut Blocks<'_>) -> Result<()> {
        while let Some((side, piece)) = self.queue.next() {
            let flow = self.tables[side as usize].read(piece, Want::Everything, |rows| {
                self.meter.check()?;
                self.take(side, rows, blocks);
                blocks.pass_on()
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}
