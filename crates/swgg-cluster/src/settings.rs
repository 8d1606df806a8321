//! Settings that travel with jobs.

use ballista_core::config::{
    BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, BALLISTA_SHUFFLE_SORT_BASED_BATCH_SIZE,
};
use ballista_core::serde::protobuf::KeyValuePair;

/// Blocks that are handled at a time: a block is large, and a message of Ballista holds 16 MB.
const BLOCKS_PER_BATCH: usize = 16;

/// What every job asks schedulers and executors for.
pub fn of_job() -> Vec<KeyValuePair> {
    let settings = [
        ("datafusion.execution.batch_size", BLOCKS_PER_BATCH),
        (BALLISTA_SHUFFLE_SORT_BASED_BATCH_SIZE, BLOCKS_PER_BATCH),
        // A task that is lost should cost little, and the share of memory is that of one task.
        (BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1),
    ];
    let pair =
        |(key, value): (&str, usize)| KeyValuePair { key: key.to_string(), value: Some(value.to_string()) };
    settings.map(pair).into()
}
