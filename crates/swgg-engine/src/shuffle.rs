//! The pass that DataFusion runs: rows to their cells, cells to their parts of the plan.
//!
//! ```text
//! tables -> blocks (cell, rows in bytes) -> RepartitionExec by hash of the cell -> SortExec by cell (spills)
//!        -> AggregateExec GROUP BY cell: swgg_cell(rows) -> sums of each cell
//! ```
//!
//! A row of DataFusion is a block of many rows of a table that fall into one cell, so what it moves about and sorts is few and large. There
//! is no step that a single partition has to make: every cell is solved by whoever holds it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, BinaryBuilder, RecordBatch, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
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

use crate::aggregate::{CellWork, SwggCell};
use crate::cell::{HEADER, Layout, Sums};
use crate::cuts::Cuts;
use crate::error::{Error, Result};
use crate::key::{Key, project};
use crate::masses::Masses;
use crate::pool::Shared;
use crate::scan::{Queue, Side};
use crate::table::{Rows, Table, Want};

/// Blocks that DataFusion handles at a time.
const BLOCKS_PER_BATCH: usize = 16;
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

/// Rows of two tables on their way to cells.
#[derive(Debug)]
pub(crate) struct Shuffle {
    pub tables: [Arc<Table>; 2],
    pub masses: [Masses; 2],
    pub cuts: Cuts,
    pub work: Arc<CellWork>,
    /// Cells that are finished already.
    pub done: Vec<bool>,
}

impl Shuffle {
    /// Solves every cell that is not done, and returns what each comes to, by its number.
    pub fn run(self, resources: &Resources) -> Result<Vec<(usize, Sums)>> {
        let meter = self.work.meter.clone();
        let cells = self.done.iter().filter(|done| !**done).count();
        meter.begin("solving cells", cells as u64);
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
        let function = AggregateUDF::from(SwggCell::new(self.work.clone()));
        let buffers = resources.memory / 16 / partitions / (2 * self.cuts.cells());
        let block = buffers.clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        let queue = Arc::new(Queue::new([&self.tables[0], &self.tables[1]]));
        let shuffle = Arc::new(self);
        let sources = (0..partitions).map(|_| {
            let (shuffle, queue, schema) = (shuffle.clone(), queue.clone(), schema.clone());
            Arc::new(Source { shuffle, queue, schema, block }) as Arc<dyn PartitionStream>
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

fn schema() -> SchemaRef {
    let fields =
        vec![Field::new("cell", DataType::UInt32, false), Field::new("rows", DataType::Binary, false)];
    Arc::new(Schema::new(fields))
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

/// One of the partitions that read the tables.
#[derive(Debug)]
struct Source {
    shuffle: Arc<Shuffle>,
    queue: Arc<Queue>,
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
        let (shuffle, queue, schema, size) =
            (self.shuffle.clone(), self.queue.clone(), self.schema.clone(), self.block);
        // Files are read, and waited for, on a thread of their own.
        builder.spawn_blocking(move || {
            let mut send = |batch| match sender.blocking_send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                // Nobody is interested any more.
                Err(_) => ControlFlow::Break(()),
            };
            Dealer::new(&shuffle, schema, size).deal(&queue, &mut send)?;
            Ok(())
        });
        builder.build()
    }
}

/// Puts rows into blocks, one block per cell and side.
struct Dealer<'a> {
    shuffle: &'a Shuffle,
    schema: SchemaRef,
    size: usize,
    blocks: Vec<[Vec<u8>; 2]>,
    /// Full blocks that are on their way.
    full: Vec<(u32, Vec<u8>)>,
}

type Send<'a> = &'a mut dyn FnMut(RecordBatch) -> ControlFlow<()>;

impl<'a> Dealer<'a> {
    fn new(shuffle: &'a Shuffle, schema: SchemaRef, size: usize) -> Self {
        let blocks = vec![Default::default(); shuffle.cuts.cells()];
        Dealer { shuffle, schema, size, blocks, full: Vec::new() }
    }

    fn deal(&mut self, queue: &Queue, send: Send<'_>) -> Result<()> {
        let shuffle = self.shuffle;
        while let Some((side, piece)) = queue.next() {
            let flow = shuffle.tables[side as usize].read(piece, Want::Everything, |rows| {
                shuffle.work.meter.check()?;
                self.take(side, rows);
                self.send(BLOCKS_PER_BATCH, send)
            })?;
            if flow.is_break() {
                return Ok(());
            }
        }
        for cell in 0..self.blocks.len() {
            for side in Side::BOTH {
                self.close(cell, side);
            }
        }
        let _ = self.send(1, send)?;
        Ok(())
    }

    fn take(&mut self, side: Side, rows: &Rows) {
        let Shuffle { masses, cuts, work, done, .. } = self.shuffle;
        let (theta, layout) = (&work.line.theta, &work.line.layout);
        let (dim, width) = (layout.dim, layout.width(side));
        for (row, point) in rows.points.chunks_exact(dim).enumerate() {
            let units = masses[side as usize].of(rows.first + row as u64, rows.weights.get(row).copied());
            let id = rows.ids[row];
            cuts.place(side, Key::new(project(point, theta), id), units, |cell, units| {
                if done[cell] {
                    return;
                }
                let block = &mut self.blocks[cell][side as usize];
                if block.is_empty() {
                    block.reserve_exact(self.size);
                    Layout::begin(block, cell, side);
                }
                layout.push(block, side, id, units, point);
                if block.len() + width > self.size {
                    let full = std::mem::take(block);
                    self.full.push((cell as u32, full));
                }
            });
        }
    }

    fn close(&mut self, cell: usize, side: Side) {
        let block = std::mem::take(&mut self.blocks[cell][side as usize]);
        if block.len() > HEADER {
            self.full.push((cell as u32, block));
        }
    }

    /// Sends the full blocks once there are so many.
    fn send(&mut self, least: usize, send: Send<'_>) -> Result<ControlFlow<()>> {
        while self.full.len() >= least {
            let some = self.full.len().min(BLOCKS_PER_BATCH);
            let blocks = self.full.drain(..some).collect::<Vec<_>>();
            let cells = UInt32Array::from_iter_values(blocks.iter().map(|(cell, _)| *cell));
            let bytes = blocks.iter().map(|(_, rows)| rows.len()).sum();
            let mut rows = BinaryBuilder::with_capacity(blocks.len(), bytes);
            blocks.iter().for_each(|(_, block)| rows.append_value(block));
            let columns: Vec<arrow::array::ArrayRef> = vec![Arc::new(cells), Arc::new(rows.finish())];
            let batch = RecordBatch::try_new(self.schema.clone(), columns)
                .map_err(|error| Error::DataFusion(error.to_string()))?;
            if send(batch).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
