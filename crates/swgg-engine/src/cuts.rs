//! Where the line is cut into cells, exactly.
//!
//! Borders lie at equal shares of the mass, moved back to the next place where the in-memory plan has a border between two entries anyway:
//! a cut never splits an entry. A border is a point and how much of it lies before.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::border::{Search, Stretch};
use crate::error::Result;
use crate::key::Key;
use crate::scan::Side;

/// A border on one side: the point that holds it, and how many of its units lie before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Splitter {
    key: Key,
    before: u64,
}

impl Splitter {
    pub fn new(key: Key, before: u64) -> Self {
        Splitter { key, before }
    }

    /// How many units of a point lie before the border.
    #[inline]
    pub fn below(&self, key: Key, units: u64) -> u64 {
        match key.cmp(&self.key) {
            std::cmp::Ordering::Less => units,
            std::cmp::Ordering::Equal => self.before.min(units),
            std::cmp::Ordering::Greater => 0,
        }
    }
}

/// All borders, in increasing order: cells are between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cuts {
    sides: [Vec<Splitter>; 2],
}

impl Cuts {
    /// Cuts the line into about so many cells of equal mass.
    pub fn find(search: &Search<'_>, theta: &[f64], total: u64, cells: usize) -> Result<Cuts> {
        let mut borders: Vec<u64> = (1..cells as u128)
            .map(|k| (u128::from(total) * k / cells as u128) as u64)
            .filter(|&border| border > 0)
            .collect();
        borders.dedup();
        if borders.is_empty() {
            return Ok(Cuts::default());
        }
        let line = Stretch { directions: [theta.to_vec(), theta.to_vec()], borders: borders.clone() };
        let found = search.holders(&[line], |_, _, _, units, show| show(0, units))?;
        let mut cuts = Cuts::default();
        let mut last = 0;
        for (holders, border) in found.into_iter().flatten().zip(borders) {
            let [source, target] = holders;
            // Both points hold the border; the one that begins later begins between two entries.
            let begin = source.begin.max(target.begin);
            debug_assert!(begin <= border);
            if begin > last {
                cuts.sides[0].push(Splitter { key: source.key, before: begin - source.begin });
                cuts.sides[1].push(Splitter { key: target.key, before: begin - target.begin });
                last = begin;
            }
        }
        Ok(cuts)
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.sides[0].len() + 1
    }

    /// The borders that some cells need: the number of the first cell that is left, and the borders. Points before and behind them are in the
    /// first and in the last cell.
    pub fn around(&self, cells: &Range<usize>) -> (usize, Cuts) {
        let first = cells.start.saturating_sub(1);
        let last = cells.end.min(self.sides[0].len());
        (first, Cuts { sides: self.sides.each_ref().map(|side| side[first..last].to_vec()) })
    }

    /// Shows each cell that a point is in, and how many of its units.
    #[inline]
    pub fn place(&self, side: Side, key: Key, units: u64, show: &mut impl FnMut(usize, u64)) {
        let splitters = &self.sides[side as usize];
        let mut cell = splitters.partition_point(|splitter| splitter.key < key);
        let mut placed = 0;
        while let Some(splitter) = splitters.get(cell).filter(|splitter| splitter.key == key) {
            if splitter.before > placed {
                show(cell, splitter.before - placed);
                placed = splitter.before;
            }
            cell += 1;
        }
        if units > placed {
            show(cell, units - placed);
        }
    }
}
