//! How the steps of ours travel: a codec around Ballista's own.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use swgg_engine::Error;

use crate::VERSION;
use crate::failed::refused;
use crate::read::ReadPieces;
use crate::solve::SolveCells;

/// What a step of ours begins with; no message of Ballista begins so.
const MAGIC: &[u8] = b"swgg\0";
const READ: u8 = 1;
const SOLVE: u8 = 2;

/// Writes and reads the steps of ours, and leaves all others to Ballista.
///
/// Every step says which version of swgg wrote it; one of another version is refused by name.
#[derive(Debug)]
pub struct SwggCodec {
    others: BallistaPhysicalExtensionCodec,
    version: &'static str,
}

impl Default for SwggCodec {
    fn default() -> Self {
        SwggCodec::of_version(VERSION)
    }
}

impl SwggCodec {
    /// A codec that takes itself for another version, for tests.
    #[doc(hidden)]
    pub fn of_version(version: &'static str) -> Self {
        SwggCodec { others: BallistaPhysicalExtensionCodec::default(), version }
    }

    fn decoded(&self, message: &[u8], inputs: &[Arc<dyn ExecutionPlan>]) -> Result<Arc<dyn ExecutionPlan>> {
        let broken =
            || DataFusionError::Execution("a step of swgg came without its input or its message".to_string());
        let (&length, rest) = message.split_first().ok_or_else(broken)?;
        let (version, rest) = rest.split_at_checked(usize::from(length)).ok_or_else(broken)?;
        if version != self.version.as_bytes() {
            return Err(refused(&Error::Setting(format!(
                "the driver is swgg {}, a scheduler or an executor is swgg {}; build all programs of a cluster from the same sources",
                String::from_utf8_lossy(version),
                self.version
            ))));
        }
        let (&kind, payload) = rest.split_first().ok_or_else(broken)?;
        let input = inputs.first().ok_or_else(broken)?.clone();
        match kind {
            READ => Ok(Arc::new(ReadPieces::new(payload.into(), input))),
            SOLVE => Ok(Arc::new(SolveCells::new(payload.into(), input)?)),
            _ => Err(broken()),
        }
    }
}

impl PhysicalExtensionCodec for SwggCodec {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match buf.strip_prefix(MAGIC) {
            Some(message) => self.decoded(message, inputs),
            None => self.others.try_decode(buf, inputs, ctx, converter),
        }
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let (kind, payload) = if let Some(step) = node.downcast_ref::<ReadPieces>() {
            (READ, step.message())
        } else if let Some(step) = node.downcast_ref::<SolveCells>() {
            (SOLVE, step.message())
        } else {
            return self.others.try_encode(node, buf, converter);
        };
        buf.extend_from_slice(MAGIC);
        buf.push(self.version.len() as u8);
        buf.extend_from_slice(self.version.as_bytes());
        buf.push(kind);
        buf.extend_from_slice(payload);
        Ok(())
    }
}
