//! The first stage: pieces of tables become blocks of rows by cell.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{ExecutionPlan, Partitioning, PlanProperties};
use futures::StreamExt;
use swgg_engine::remote::{Piece, Work};

use crate::failed::refused;

/// What lists of pieces look like.
fn pieces_schema() -> SchemaRef {
    let field = |name| Field::new(name, DataType::UInt32, false);
    Arc::new(Schema::new(vec![field("side"), field("piece")]))
}

/// Lists of pieces, one per task. It is a table in memory because schedulers know how to give each task its part of one.
pub fn listed(pieces: &[Piece], tasks: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let tasks = tasks.clamp(1, pieces.len().max(1));
    let list = |task: usize| {
        let own = || pieces.iter().skip(task).step_by(tasks);
        let sides = UInt32Array::from_iter_values(own().map(|piece| piece.0));
        let numbers = UInt32Array::from_iter_values(own().map(|piece| piece.1));
        Ok(vec![RecordBatch::try_new(pieces_schema(), vec![Arc::new(sides), Arc::new(numbers)])?])
    };
    let lists = (0..tasks).map(list).collect::<Result<Vec<_>>>()?;
    Ok(MemorySourceConfig::try_new_exec(&lists, pieces_schema(), None)?)
}

/// Reads pieces and sends their rows on in blocks.
pub struct ReadPieces {
    /// [`Work`] in bytes; schedulers only pass it on.
    message: Arc<[u8]>,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl ReadPieces {
    pub fn new(message: Arc<[u8]>, input: Arc<dyn ExecutionPlan>) -> Self {
        let partitions = input.properties().output_partitioning().partition_count();
        let properties = Arc::new(properties(Partitioning::UnknownPartitioning(partitions)));
        ReadPieces { message, input, properties }
    }

    pub fn message(&self) -> &[u8] {
        &self.message
    }
}

/// Of a step that makes blocks or answers.
pub fn properties(partitioning: Partitioning) -> PlanProperties {
    let schema = EquivalenceProperties::new(Work::schema());
    PlanProperties::new(schema, partitioning, EmissionType::Incremental, Boundedness::Bounded)
}

/// How a step of a plan of execution is printed: by its name.
macro_rules! printed_by_name {
    ($step:ident) => {
        impl std::fmt::Debug for $step {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($step))
            }
        }

        impl datafusion::physical_plan::DisplayAs for $step {
            fn fmt_as(
                &self,
                _: datafusion::physical_plan::DisplayFormatType,
                f: &mut std::fmt::Formatter<'_>,
            ) -> std::fmt::Result {
                std::fmt::Debug::fmt(self, f)
            }
        }
    };
}
pub(crate) use printed_by_name;

printed_by_name!(ReadPieces);

impl ExecutionPlan for ReadPieces {
    fn name(&self) -> &'static str {
        "ReadPieces"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        // The lists are dealt out already.
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(ReadPieces::new(self.message.clone(), children.remove(0))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let mut input = self.input.execute(partition, context)?;
        let message = self.message.clone();
        let mut builder = RecordBatchReceiverStream::builder(Work::schema(), 2);
        let sender = builder.tx();
        builder.spawn(async move {
            let mut pieces = Vec::<Piece>::new();
            while let Some(batch) = input.next().await {
                let batch = batch?;
                let column = |index: usize| batch.column(index).as_primitive::<UInt32Type>().values().clone();
                pieces.extend(column(0).iter().copied().zip(column(1).iter().copied()));
            }
            // Files are read, and waited for, on a thread of their own.
            let reading = tokio::task::spawn_blocking(move || {
                Work::from_bytes(&message)?.deal(&pieces, &mut |batch| {
                    match sender.blocking_send(Ok(batch)) {
                        Ok(()) => ControlFlow::Continue(()),
                        // Nobody is interested any more.
                        Err(_) => ControlFlow::Break(()),
                    }
                })
            });
            reading.await.map_err(broken)?.map_err(|error| refused(&error))
        });
        Ok(builder.build())
    }
}

/// A thread that ended early.
pub fn broken(error: tokio::task::JoinError) -> datafusion::error::DataFusionError {
    datafusion::error::DataFusionError::Execution(format!("a thread of a task ended early ({error})"))
}
