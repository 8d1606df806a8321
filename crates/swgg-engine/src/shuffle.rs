//! The pass that DataFusion runs: rows to their cells, cells to their parts of the plan.
//!
//! ```text
//! rows -> blocks (cell, rows in bytes) -> RepartitionExec by hash of the cell -> SortExec by cell (spills)
//!        -> AggregateExec GROUP BY cell: swgg_cell(rows) -> sums of each cell
//! ```
//!
//! A row of DataFusion is a block of many rows of a table that fall into one cell, so what it moves about and sorts is few and large. There
//! is no step that a single partition has to make: every cell is solved by whoever holds it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::{SchemaRef, UInt32Type};
use datafusion_execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::runtime_env::RuntimeEnvBuilder;
use datafusion_execution::{SendableRecordBatchStream, TaskContext, config::SessionConfig};
use datafusion_expr::AggregateUDF;
use datafusion_physical_expr::aggregate::AggregateExprBuilder;
use datafusion_physical_expr::expressions::col;
use datafusion_physical_expr::{LexOrdering, Partitioning, PhysicalSortExpr};
use datafusion_physical_plan::aggregates::{AggregateExec, AggregateMode, PhysicalGroupBy};
use datafusion_physical_plan::repartition::RepartitionExec;
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::stream::RecordBatchReceiverStream;
use datafusion_physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion_physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;

use crate::aggregate::{CellSolver, SwggCell};
use crate::cell::Sums;
use crate::dealer::{BLOCKS_PER_BATCH, Blocks, Deal, schema};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::pool::Shared;

/// Bytes of a block at most: large enough that few are moved about.
const LARGEST_BLOCK: usize = 1 << 16;
/// Bytes of a block at least, however many cells there are.
const SMALLEST_BLOCK: usize = 1 << 10;

/// What a run of DataFusion is given.
#[derive(Clone, Debug)]
pub(crate) struct Resources {
    /// Partitions, and threads that work on them.
    pub threads: usize,
    /// Bytes of memory.
    pub memory: usize,
    /// Where sorts go when memory is full.
    pub spill: PathBuf,
}

/// Rows on their way to cells, and what becomes of them there.
#[derive(Debug)]
pub(crate) struct Shuffle {
    pub deal: Arc<dyn Deal>,
    pub solver: Arc<dyn CellSolver>,
    /// Cells that are to be solved.
    pub cells: usize,
    pub meter: Arc<Meter>,
}

impl Shuffle {
    /// Solves every cell, and returns what each comes to, by its number.
    pub fn run(self, stage: &'static str, resources: &Resources) -> Result<Vec<(usize, Sums)>> {
        let (meter, cells) = (self.meter.clone(), self.cells);
        meter.begin(stage, cells as u64);
        let partitions = resources.threads.max(1);
        let disk = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![resources.spill.clone()]))
            .with_max_temp_directory_size(u64::MAX);
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Shared::of(resources.memory))
            .with_disk_manager_builder(disk)
            .build_arc()?;
        let mut config =
            SessionConfig::new().with_batch_size(BLOCKS_PER_BATCH).with_target_partitions(partitions);
        // A merge of spilled runs holds a batch of each; the rest of the share of a sort may be full when it begins.
        config.options_mut().execution.sort_spill_reservation_bytes = resources.memory / 16 / partitions;
        let context =
            Arc::new(TaskContext::default().with_session_config(config).with_runtime(runtime.clone()));
        let plan = self.plan(resources, partitions)?;
        let executor = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(partitions)
            .thread_name("swgg-engine")
            .enable_time()
            .build()
            .map_err(|error| Error::DataFusion(format!("threads could not be started ({error})")))?;
        let sums = executor.block_on(async {
            let count = plan.output_partitioning().partition_count();
            let drain = |partition: usize| {
                let stream = plan.execute(partition, context.clone());
                tokio::spawn(async move {
                    let (mut stream, mut sums) = (stream?, Vec::new());
                    while let Some(batch) = stream.next().await {
                        sums.extend(read_sums(&batch?));
                    }
                    Ok::<_, Error>(sums)
                })
            };
            let tasks: Vec<_> = (0..count).map(drain).collect();
            let watch = tokio::spawn({
                let (meter, runtime) = (meter.clone(), runtime.clone());
                async move {
                    loop {
                        meter.spill(runtime.disk_manager.used_disk_space());
                        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    }
                }
            });
            let (mut all, mut failure) = (Vec::new(), None);
            for task in tasks {
                match task.await {
                    Ok(Ok(sums)) => all.extend(sums),
                    // The first failure is the cause; those of the others often only say that somebody left.
                    Ok(Err(error)) => failure = failure.or(Some(error)),
                    Err(broken) => failure = failure.or(Some(Error::DataFusion(broken.to_string()))),
                }
            }
            watch.abort();
            match failure {
                _ if meter.is_stopped() => Err(Error::Interrupted),
                Some(error) => Err(error),
                None => Ok(all),
            }
        });
        executor.shutdown_timeout(std::time::Duration::from_millis(500));
        let mut sums = sums.map_err(|error| explained(error, &resources.spill))?;
        sums.sort_by_key(|(cell, _)| *cell);
        if sums.len() != cells {
            return Err(Error::DataFusion(format!("{} cells came back of {cells}", sums.len())));
        }
        Ok(sums)
    }

    fn plan(self, resources: &Resources, partitions: usize) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = schema();
        let function = AggregateUDF::from(SwggCell::new(self.solver.clone(), self.meter.clone()));
        let buffers = resources.memory / 16 / partitions / (2 * self.deal.cells());
        let block = buffers.clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let sources = (0..partitions).map(|_| {
            let (deal, schema) = (self.deal.clone(), schema.clone());
            Arc::new(Source { deal, schema, block }) as Arc<dyn PartitionStream>
        });
        let table = StreamingTableExec::try_new(schema.clone(), sources.collect(), None, [], false, None)?;
        let cell = col("cell", &schema)?;
        let dealt =
            RepartitionExec::try_new(Arc::new(table), Partitioning::Hash(vec![cell.clone()], partitions))?;
        let order = LexOrdering::new([PhysicalSortExpr::new_default(cell.clone())])
            .ok_or_else(|| Error::DataFusion("cells have no order".to_string()))?;
        let sorted = SortExec::new(order, Arc::new(dealt)).with_preserve_partitioning(true);
        let solved = AggregateExprBuilder::new(Arc::new(function), vec![col("rows", &schema)?])
            .schema(schema.clone())
            .alias("sums")
            .build()?;
        let aggregate = AggregateExec::try_new(
            AggregateMode::SinglePartitioned,
            PhysicalGroupBy::new_single(vec![(cell, "cell".to_string())]),
            vec![Arc::new(solved)],
            vec![None],
            Arc::new(sorted),
            schema,
        )?;
        Ok(Arc::new(aggregate))
    }
}

fn read_sums(batch: &RecordBatch) -> Vec<(usize, Sums)> {
    let cells = batch.column(0).as_primitive::<UInt32Type>().values();
    let sums = batch.column(1).as_binary::<i32>();
    let read = |(cell, sums): (&u32, Option<&[u8]>)| Some((*cell as usize, Sums::from_bytes(sums?)?));
    cells.iter().zip(sums.iter()).filter_map(read).collect()
}

/// A full disk is the user's to mend; DataFusion says it in its own words.
fn explained(error: Error, spill: &Path) -> Error {
    match error {
        Error::DataFusion(text) if text.contains("No space left") || text.contains("StorageFull") => {
            let problem =
                "no space left while spilling; make room, or name a folder on another disk with --spill";
            Error::place(spill, problem)
        }
        Error::DataFusion(text) if text.contains("Resources exhausted") => Error::DataFusion(format!(
            "memory is too small for a cell ({}); give more --memory, or cut into more --cells",
            text.lines().next().unwrap_or_default()
        )),
        other => other,
    }
}

/// One of the partitions that read.
#[derive(Debug)]
struct Source {
    deal: Arc<dyn Deal>,
    schema: SchemaRef,
    /// Bytes of a block.
    block: usize,
}

impl PartitionStream for Source {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStream::builder(self.schema.clone(), 2);
        let sender = builder.tx();
        let (deal, schema, size) = (self.deal.clone(), self.schema.clone(), self.block);
        // Files are read, and waited for, on a thread of their own.
        builder.spawn_blocking(move || {
            let mut send = |batch| match sender.blocking_send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                // Nobody is interested any more.
                Err(_) => ControlFlow::Break(()),
            };
            let mut blocks = Blocks::new(deal.cells(), size, schema, &mut send);
            deal.deal(&mut blocks)?;
            blocks.finish()?;
            Ok(())
        });
        builder.build()
    }
}
