//! The second stage: blocks, sorted by cell, become entries and sums.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::UInt32Type;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::col;
use datafusion::physical_expr::{
    Distribution, LexOrdering, OrderingRequirements, PhysicalExpr, PhysicalSortExpr,
};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{ExecutionPlan, InputDistributionRequirements, Partitioning, PlanProperties};
use futures::StreamExt;
use swgg_engine::Error;
use swgg_engine::remote::{CellWork, Work, solved_schema};
use tokio::sync::mpsc::Sender;

use crate::failed::refused;
use crate::read::{broken, printed_by_name, properties};

/// Solves cells.
pub struct SolveCells {
    /// [`CellWork`] in bytes; schedulers only pass it on.
    message: Arc<[u8]>,
    input: Arc<dyn ExecutionPlan>,
    cell: Arc<dyn PhysicalExpr>,
    properties: Arc<PlanProperties>,
}

impl SolveCells {
    pub fn new(message: Arc<[u8]>, input: Arc<dyn ExecutionPlan>) -> Result<Self> {
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = Arc::new(properties(Partitioning::UnknownPartitioning(partitions)));
        Ok(SolveCells { message, input, cell: cell()?, properties })
    }

    pub fn message(&self) -> &[u8] {
        &self.message
    }
}

/// The column that says which cell a block is of.
pub fn cell() -> Result<Arc<dyn PhysicalExpr>> {
    col("cell", &Work::schema())
}

/// Blocks in the order of their cells.
pub fn by_cell() -> Result<LexOrdering> {
    LexOrdering::new([PhysicalSortExpr::new_default(cell()?)])
        .ok_or_else(|| DataFusionError::Internal("cells have no order".to_string()))
}

printed_by_name!(SolveCells);

impl ExecutionPlan for SolveCells {
    fn name(&self) -> &'static str {
        "SolveCells"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::KeyPartitioned(vec![self.cell.clone()])])
    }

    // Without this the sort below would be taken away as useless.
    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![by_cell().ok().map(OrderingRequirements::from)]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        f(&self.cell)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SolveCells::new(self.message.clone(), children.remove(0))?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let room = Room::of(&context, self.properties.partitioning.partition_count());
        let mut input = self.input.execute(partition, context)?;
        let message = self.message.clone();
        let mut builder = RecordBatchReceiverStream::builder(solved_schema(), 2);
        let sender = builder.tx();
        builder.spawn(async move {
            // A greeting has nothing to solve, and no message.
            let parsed = || CellWork::from_bytes(&message).map_err(|error| refused(&error));
            let mut work = None;
            let (mut number, mut blocks, mut bytes) = (0, Vec::<Vec<u8>>::new(), 0);
            while let Some(batch) = input.next().await {
                let batch = batch?;
                let cells = batch.column(0).as_primitive::<UInt32Type>().values();
                if work.is_none() && !cells.is_empty() {
                    work = Some(Arc::new(parsed()?));
                }
                for (&cell, block) in cells.iter().zip(batch.column(1).as_binary::<i32>()) {
                    if cell != number && !blocks.is_empty() {
                        solve(work.as_ref(), number, std::mem::take(&mut blocks), &sender).await?;
                        bytes = 0;
                    }
                    number = cell;
                    let block = block.unwrap_or_default();
                    bytes += block.len();
                    room.hold(CellWork::bytes(bytes))?;
                    blocks.push(block.to_vec());
                }
            }
            if blocks.is_empty() { Ok(()) } else { solve(work.as_ref(), number, blocks, &sender).await }
        });
        Ok(builder.build())
    }
}

/// Solves a cell on a thread where it keeps nobody waiting.
async fn solve(
    work: Option<&Arc<CellWork>>,
    cell: u32,
    blocks: Vec<Vec<u8>>,
    sender: &Sender<Result<RecordBatch>>,
) -> Result<()> {
    let Some(work) = work.cloned() else { return Ok(()) };
    let sender = sender.clone();
    let solving = tokio::task::spawn_blocking(move || {
        work.solve(cell, &blocks, &mut |batch| {
            sender.blocking_send(Ok(batch)).map_err(|_| Error::Interrupted)
        })
    });
    match solving.await.map_err(broken)? {
        // Nobody is interested any more, which is no mistake in a table.
        Err(Error::Interrupted) => Err(DataFusionError::Execution("the task was given up".to_string())),
        outcome => outcome.map_err(|error| refused(&error)),
    }
}

/// Memory for cells that are being collected and solved.
///
/// A part of the pool is taken before the sort below begins, which would otherwise take all of it.
struct Room {
    held: MemoryReservation,
}

impl Room {
    fn of(context: &TaskContext, partitions: usize) -> Room {
        let pool = context.memory_pool();
        let held = MemoryConsumer::new("swgg cells").register(pool);
        if let MemoryLimit::Finite(bytes) = pool.memory_limit() {
            // What is missing is asked for again when it is needed, and refused there.
            let _ = held.try_grow(bytes / 8 * 3 / partitions.max(1));
        }
        Room { held }
    }

    fn hold(&self, bytes: usize) -> Result<()> {
        let missing = bytes.saturating_sub(self.held.size());
        if missing == 0 {
            return Ok(());
        }
        self.held.try_grow(missing).map_err(|_| {
            refused(&Error::Setting(format!(
                "the memory of an executor is too small for a cell, which needs {bytes} bytes of a task's share; give executors more \
                 --memory or fewer --vcores, or cut into more --cells"
            )))
        })
    }
}
