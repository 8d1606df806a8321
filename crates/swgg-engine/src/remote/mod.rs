//! Cells that are solved elsewhere, in batches: what a cluster is asked for, and what becomes of its answers.
//!
//! The driver finds the borders of the cells as ever. Then each batch of cells is a job: workers read the tables, bring the rows to their
//! cells and solve them ([`Work`]), and the entries come back and are written here, as parts of the plan. A job that gets lost costs a batch;
//! its cells are those that `--resume` would solve again, and that is what a retry does.

mod inbox;
mod work;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;

use crate::cell::Sums;
use crate::cuts::Cuts;
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::opened::Opened;

use inbox::Inbox;
pub use work::{CellWork, Piece, Work, solved_schema};

/// Jobs that the cells of a run are divided into, unless told otherwise.
pub const BATCHES: usize = 8;
/// Seconds after which a job counts as lost, unless told otherwise.
pub const DEADLINE: u64 = 900;
/// How often a batch is tried again.
const RETRIES: u32 = 3;

/// How a run on a cluster is cut into jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batches {
    /// Jobs; a lost one costs its share of the cells, and each reads the tables once.
    pub count: usize,
    /// When a job counts as lost.
    pub deadline: Duration,
}

impl Default for Batches {
    fn default() -> Self {
        Batches { count: BATCHES, deadline: Duration::from_secs(DEADLINE) }
    }
}

/// How a job ended that did not find a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of its answers arrived.
    Whole,
    /// It got lost; why, in words. It may be tried again.
    Lost(String),
}

/// Whoever runs jobs.
pub trait Cluster: Send + Sync {
    /// Its address, for messages.
    fn address(&self) -> String;

    /// Finds out whether it is there, and its workers understand what will be asked of them.
    ///
    /// # Errors
    ///
    /// What is missing there, and how to mend it.
    fn greet(&self, meter: &Meter) -> Result<()>;

    /// Runs one job: a batch of cells. Its answers go to `arrived`, in any order, each once.
    ///
    /// # Errors
    ///
    /// Mistakes that another try would meet again, what `arrived` says, and [`Error::Interrupted`].
    fn run(
        &self,
        work: &Work,
        deadline: Duration,
        arrived: &mut dyn FnMut(&RecordBatch) -> Result<()>,
        meter: &Meter,
    ) -> Result<Ended>;
}

/// The cells that are not done, in so many batches.
fn divided(done: &[bool], batches: usize) -> Vec<Range<usize>> {
    let open: Vec<usize> = (0..done.len()).filter(|&cell| !done[cell]).collect();
    let size = open.len().div_ceil(batches.max(1)).max(1);
    open.chunks(size).map(|cells| cells[0]..cells[cells.len() - 1] + 1).collect()
}

/// Solves the cells that are not done, batch by batch.
pub(crate) fn solve(
    opened: &Opened,
    cluster: &dyn Cluster,
    batches: Batches,
    (theta, cuts): (&[f64], &Cuts),
    (parts, mut done): (Option<&Path>, Vec<bool>),
    meter: &Arc<Meter>,
) -> Result<Vec<(usize, Sums)>> {
    meter.begin("solving cells on the cluster", done.iter().filter(|done| !**done).count() as u64);
    let divided = divided(&done, batches.count);
    let mut all = Vec::new();
    for (number, cells) in divided.iter().enumerate() {
        let mut lost = 0;
        loop {
            let work = Work::new(opened, theta, cuts, cells.clone(), &done)?;
            let mut inbox = Inbox::new(parts, &done, meter);
            let outcome = cluster.run(&work, batches.deadline, &mut |batch| inbox.take(batch), meter);
            // What arrived is kept, whatever became of the rest.
            for (cell, sums) in inbox.finish() {
                done[cell] = true;
                all.push((cell, sums));
            }
            let missing = cells.clone().filter(|&cell| !done[cell]).count();
            let reason = match outcome? {
                Ended::Whole if missing == 0 => break,
                Ended::Whole => format!("{missing} of its cells did not come back"),
                Ended::Lost(reason) => reason,
            };
            lost += 1;
            if lost > RETRIES {
                return Err(Error::Cluster {
                    address: cluster.address(),
                    problem: format!(
                        "batch {} of {} was lost {lost} times, the last time because {reason}; mend the cluster and go on with \
                         --resume, where finished cells are not solved again",
                        number + 1,
                        divided.len()
                    ),
                });
            }
            pause(Duration::from_secs(1) * lost, meter)?;
        }
    }
    Ok(all)
}

/// Waits, unless the run is to end.
fn pause(time: Duration, meter: &Meter) -> Result<()> {
    let step = Duration::from_millis(50);
    for _ in 0..time.as_millis() / step.as_millis() {
        meter.check()?;
        std::thread::sleep(step);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_in_batches() {
        let none = [false; 7];
        assert_eq!(divided(&none, 3), [0..3, 3..6, 6..7]);
        assert_eq!(divided(&none, 100).len(), 7);
        assert_eq!(divided(&[true, false, true, false, true], 1), vec![1..4; 1]);
        assert!(divided(&[true; 3], 2).is_empty());
    }
}
