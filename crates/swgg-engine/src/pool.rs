//! Memory of a run: one share for sorts, which can go to disk, one for cells that are being solved.
//!
//! DataFusion's own fair pool lets sorts take everything; a cell that is collected afterwards would then find nothing left.

use std::fmt;
use std::sync::Arc;

use datafusion_common::Result;
use datafusion_execution::memory_pool::{
    FairSpillPool, GreedyMemoryPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// What DataFusion calls the memory of an aggregate: here, of cells.
const CELLS: &str = "GroupedHashAggregateStream";

/// Two pools in one.
#[derive(Debug)]
pub(crate) struct Shared {
    spilling: FairSpillPool,
    held: GreedyMemoryPool,
    bytes: usize,
}

impl Shared {
    /// A half for sorts, three eighths for cells; the rest is for readers and writers, which nobody counts.
    pub fn of(bytes: usize) -> Arc<dyn MemoryPool> {
        let eighth = bytes / 8;
        Arc::new(Shared {
            spilling: FairSpillPool::new(4 * eighth),
            held: GreedyMemoryPool::new(3 * eighth),
            bytes,
        })
    }

    fn pool(&self, consumer: &MemoryConsumer) -> &dyn MemoryPool {
        if consumer.name().starts_with(CELLS) { &self.held } else { &self.spilling }
    }
}

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "swgg({} bytes)", self.bytes)
    }
}

impl MemoryPool for Shared {
    fn name(&self) -> &str {
        "swgg"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.pool(consumer).register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool(consumer).unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool(reservation.consumer()).grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool(reservation.consumer()).shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.pool(reservation.consumer()).try_grow(reservation, additional)
    }

    fn reserved(&self) -> usize {
        self.spilling.reserved() + self.held.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bytes)
    }
}
