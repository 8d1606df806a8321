//! Jobs: the physical plans that schedulers get.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{ExecutionPlan, Partitioning};
use swgg_engine::remote::Work;

use crate::read::{ReadPieces, listed};
use crate::solve::{SolveCells, by_cell, cell};

/// Tasks of a stage at most. More would cost more in messages than they bring where there are a few dozen cores.
const MOST_TASKS: usize = 64;
/// Tasks of a greeting: enough that every executor of a small cluster gets one.
const GREETINGS: usize = 16;

/// A batch of cells.
pub fn batch(work: &Work) -> Result<Arc<dyn ExecutionPlan>> {
    let message = |bytes: swgg_engine::Result<Vec<u8>>| -> Result<Arc<[u8]>> { Ok(bytes?.into()) };
    let lists = listed(&work.pieces(), MOST_TASKS)?;
    let blocks = Arc::new(ReadPieces::new(message(work.to_bytes())?, lists));
    let tasks = work.cells().clamp(1, MOST_TASKS);
    let dealt = RepartitionExec::try_new(blocks, Partitioning::Hash(vec![cell()?], tasks))?;
    let sorted = SortExec::new(by_cell()?, Arc::new(dealt)).with_preserve_partitioning(true);
    Ok(Arc::new(SolveCells::new(message(work.cell_work().to_bytes())?, Arc::new(sorted))?))
}

/// Nothing to solve, for many tasks: only who understands the step can finish it.
pub fn greeting() -> Result<Arc<dyn ExecutionPlan>> {
    let nothing = vec![RecordBatch::new_empty(Work::schema())];
    let nobody = MemorySourceConfig::try_new_exec(&vec![nothing; GREETINGS], Work::schema(), None)?;
    Ok(Arc::new(SolveCells::new(Arc::from(&b""[..]), nobody)?))
}
