//! Whether ids repeat, within the memory that there is.

use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::scan::scan;
use crate::survey::hashed;
use crate::table::Table;

/// Refuses a table whose column of ids holds one of them twice. Ids that are numbers of rows cannot.
///
/// Ids are sorted in memory, a share of their hashes at a time: so many passes as shares.
pub(crate) fn check(tables: [&Table; 2], threads: usize, memory: usize, meter: &Meter) -> Result<()> {
    if !tables.iter().any(|table| table.has_ids) {
        return Ok(());
    }
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    let shares = (rows * size_of::<u64>() as u64).div_ceil((memory as u64 / 4).max(1 << 20));
    for share in 0..shares {
        let begin = || [Vec::new(), Vec::new()];
        let stage = ("looking for ids that repeat", meter);
        let states = scan(tables, threads, stage, begin, |state: &mut [Vec<u64>; 2], side, _, rows| {
            let mine = rows.ids.iter().copied().filter(|id| hashed(*id) % shares == share);
            if tables[side as usize].has_ids {
                state[side as usize].extend(mine);
            }
            Ok(())
        })?;
        for (side, table) in tables.into_iter().enumerate() {
            let mut ids: Vec<u64> = states.iter().flat_map(|state| state[side].iter().copied()).collect();
            ids.sort_unstable();
            if let Some(pair) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::repeated(&table.path, pair[0]));
            }
        }
    }
    Ok(())
}
