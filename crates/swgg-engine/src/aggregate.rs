//! `swgg_cell(block)`: an aggregate function of DataFusion that solves a cell.
//!
//! With `GROUP BY cell` it receives the blocks of a cell, in any order, and ends with what the cell comes to; on the way it writes the part
//! of the plan. Its state between two steps of an engine is the blocks themselves, so it may be computed in parts and joined.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result as DataFusionResult, ScalarValue};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};

use crate::cell::{HEADER, Layout, Sums};
use crate::error::Result;
use crate::meter::Meter;
use crate::scan::Side;

/// What becomes of the rows of a cell.
pub(crate) trait CellSolver: fmt::Debug + Send + Sync {
    /// Solves a cell, given its rows of both sides in any order, and leaves its result where it belongs.
    fn solve(&self, cell: usize, rows: [Vec<u8>; 2]) -> Result<Sums>;
}

/// The function.
pub(crate) struct SwggCell {
    solver: Arc<dyn CellSolver>,
    meter: Arc<Meter>,
    signature: Signature,
}

impl SwggCell {
    pub fn new(solver: Arc<dyn CellSolver>, meter: Arc<Meter>) -> Self {
        SwggCell { solver, meter, signature: Signature::exact(vec![DataType::Binary], Volatility::Volatile) }
    }
}

impl fmt::Debug for SwggCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SwggCell")
    }
}

// Two of them are the same if they work for the same run.
impl PartialEq for SwggCell {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.solver, &other.solver)
    }
}

impl Eq for SwggCell {}

impl Hash for SwggCell {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.solver).cast::<()>().hash(state);
    }
}

impl AggregateUDFImpl for SwggCell {
    fn name(&self) -> &str {
        "swgg_cell"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> DataFusionResult<DataType> {
        Ok(DataType::Binary)
    }

    fn accumulator(&self, _: AccumulatorArgs<'_>) -> DataFusionResult<Box<dyn Accumulator>> {
        let (solver, meter) = (self.solver.clone(), self.meter.clone());
        Ok(Box::new(Cell { solver, meter, number: None, rows: Default::default() }))
    }

    fn state_fields(&self, _: StateFieldsArgs<'_>) -> DataFusionResult<Vec<FieldRef>> {
        let field = |name| Arc::new(Field::new(name, DataType::Binary, true));
        Ok(vec![field("source"), field("target")])
    }
}

/// A cell that is being collected.
struct Cell {
    solver: Arc<dyn CellSolver>,
    meter: Arc<Meter>,
    number: Option<u32>,
    /// Rows of both sides, without the headers of their blocks.
    rows: [Vec<u8>; 2],
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cell").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Cell {
    fn take(&mut self, blocks: &ArrayRef) -> DataFusionResult<()> {
        for block in blocks.as_binary::<i32>().iter().flatten() {
            if let Some((cell, side)) = Layout::header(block) {
                self.number = Some(cell);
                self.rows[side as usize].extend_from_slice(&block[HEADER..]);
            }
        }
        Ok(())
    }

    fn solve(&mut self) -> Result<Sums> {
        self.meter.check()?;
        let number = self.number.unwrap_or_default() as usize;
        let sums = self.solver.solve(number, std::mem::take(&mut self.rows))?;
        self.meter.advance(1)?;
        Ok(sums)
    }
}

impl Accumulator for Cell {
    fn update_batch(&mut self, values: &[ArrayRef]) -> DataFusionResult<()> {
        self.take(&values[0])
    }

    fn evaluate(&mut self) -> DataFusionResult<ScalarValue> {
        Ok(ScalarValue::Binary(Some(self.solve()?.to_bytes())))
    }

    fn size(&self) -> usize {
        // While it is solved, a row also has a place in the order along the line.
        2 * self.rows.iter().map(Vec::capacity).sum::<usize>() + size_of::<Self>()
    }

    fn state(&mut self) -> DataFusionResult<Vec<ScalarValue>> {
        let blocks = Side::BOTH.map(|side| {
            let mut block = Vec::new();
            Layout::begin(&mut block, self.number.unwrap_or_default() as usize, side);
            block.append(&mut self.rows[side as usize]);
            ScalarValue::Binary(self.number.map(|_| block))
        });
        Ok(blocks.to_vec())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> DataFusionResult<()> {
        states.iter().try_for_each(|blocks| self.take(blocks))
    }
}

impl Sums {
    pub fn to_bytes(self) -> Vec<u8> {
        let Sums { entries, units, cost, along, along_power } = self;
        let words = [entries, units, cost.to_bits(), along.to_bits(), along_power.to_bits()];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Sums> {
        let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let [entries, units, cost, along, along_power] = words[..] else { return None };
        let [cost, along, along_power] = [cost, along, along_power].map(f64::from_bits);
        Some(Sums { entries, units, cost, along, along_power })
    }
}
