//! Transport plans out.

use std::io;

use crate::error::{Error, ErrorKind, Result};
use crate::format::PlanFormat;
use crate::output::Output;

/// Writes a plan between `n` source points and `m` target points, ready to commit.
///
/// An entry is `(source, target, mass)`. The entries are iterated several times and held a block at a time, so that a
/// plan of any length costs a few megabytes here; every clone of the iterator must give the same entries.
///
/// - [`PlanFormat::Csv`]: a header `source,target,mass` and a line per entry.
/// - [`PlanFormat::Npz`]: `scipy.sparse.load_npz` opens it as an `n` x `m` matrix in coordinate form.
/// - [`PlanFormat::Parquet`]: columns `source` and `target` (unsigned 32-bit) and `mass` (64-bit float).
///
/// # Errors
///
/// [`ErrorKind::PlanEntry`] for an entry outside the matrix, and what the system refuses.
pub fn write_plan<I>(output: Output, format: PlanFormat, n: usize, m: usize, entries: I) -> Result<Output>
where
    I: Iterator<Item = (u32, u32, f64)> + Clone,
{
    let mut len = 0;
    for (source_index, target_index, _) in entries.clone() {
        if source_index as usize >= n || target_index as usize >= m {
            let outside = ErrorKind::PlanEntry { source_index, target_index, n, m };
            return Err(Error::at(output.path(), outside));
        }
        len += 1;
    }
    let blocks = |show: Show<'_>| {
        let mut entries = entries.clone();
        let mut block = Vec::with_capacity(ENTRIES_PER_BLOCK.min(len));
        loop {
            block.clear();
            block.extend(entries.by_ref().take(ENTRIES_PER_BLOCK));
            if block.is_empty() {
                return Ok(());
            }
            show(&block)?;
        }
    };
    output.write_with(|output| (format.spec().write)(output, &Plan { n, m, len, blocks: &blocks }))
}

/// Entries that are held at a time.
const ENTRIES_PER_BLOCK: usize = 1 << 18;

/// Source, target, mass.
pub(crate) type Entry = (u32, u32, f64);

/// Is shown entries, many at a time: a call for each would cost as much as some of them take to write.
type Show<'a> = &'a mut dyn FnMut(&[Entry]) -> io::Result<()>;

/// A plan to write.
pub(crate) struct Plan<'a> {
    /// Source points.
    pub(crate) n: usize,
    /// Target points.
    pub(crate) m: usize,
    /// Entries.
    pub(crate) len: usize,
    blocks: &'a dyn Fn(Show<'_>) -> io::Result<()>,
}

impl Plan<'_> {
    /// Shows all entries in order, in blocks of one length but for the last.
    pub(crate) fn each_block(&self, mut show: impl FnMut(&[Entry]) -> io::Result<()>) -> io::Result<()> {
        (self.blocks)(&mut show)
    }

    /// Shows all entries in order.
    pub(crate) fn each(&self, mut show: impl FnMut(Entry) -> io::Result<()>) -> io::Result<()> {
        self.each_block(|block| block.iter().copied().try_for_each(&mut show))
    }
}
