//! One pass over the rows of both tables by several threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::table::{Rows, Table, Want};

/// Source or target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Source,
    Target,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Source, Side::Target];
}

/// Pieces of both tables, handed out one by one to whoever is free.
#[derive(Debug)]
pub(crate) struct Queue {
    next: AtomicUsize,
    pieces: Vec<(Side, usize)>,
}

impl Queue {
    /// All of them.
    pub fn new(tables: [&Table; 2]) -> Self {
        let of = |side: Side| (0..tables[side as usize].pieces()).map(move |piece| (side, piece));
        Queue::of(Side::BOTH.into_iter().flat_map(of).collect())
    }

    /// Some of them.
    pub fn of(pieces: Vec<(Side, usize)>) -> Self {
        Queue { next: AtomicUsize::new(0), pieces }
    }

    /// The next piece: its table and its number there.
    pub fn next(&self) -> Option<(Side, usize)> {
        self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

/// Shows every row of both tables to one of several states, and returns the states. Which thread sees which piece is chance: what is made
/// of the states must not depend on it.
pub(crate) fn scan<S: Send>(
    tables: [&Table; 2],
    threads: usize,
    (stage, meter): (&'static str, &Meter),
    begin: impl Fn() -> S + Sync,
    show: impl Fn(&mut S, Side, usize, &Rows) -> Result<()> + Sync,
) -> Result<Vec<S>> {
    meter.begin(stage, tables.iter().map(|table| table.rows).sum());
    let queue = Queue::new(tables);
    let failed = AtomicUsize::new(0);
    let work = || -> Result<S> {
        let mut state = begin();
        while failed.load(Ordering::Relaxed) == 0 {
            let Some((side, piece)) = queue.next() else { break };
            let shown = tables[side as usize].read(piece, Want::Everything, |rows| {
                meter.advance(rows.len as u64)?;
                show(&mut state, side, piece, rows)?;
                Ok(ControlFlow::Continue(()))
            });
            if let Err(error) = shown {
                failed.store(1, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(state)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<S>>| {
            let broken = |_| Err(Error::DataFusion("a thread of a pass ended early".to_string()));
            thread.join().unwrap_or_else(broken)
        };
        threads.into_iter().map(join).collect()
    })
}
