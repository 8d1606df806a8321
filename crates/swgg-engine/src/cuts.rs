//! Where the line is cut into cells, exactly.
//!
//! Borders lie at equal shares of the mass, moved back to the next place where the in-memory plan has a border between two entries anyway:
//! a cut never splits an entry. One pass adds up the mass between the points of a sample, one fetches the rows around each border, and
//! then a border is a point and how much of it lies before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::key::{Key, project};
use crate::masses::Masses;
use crate::meter::Meter;
use crate::scan::{Side, scan};
use crate::survey::Survey;
use crate::table::{Rows, Table};

/// Rows around the borders that are held at most.
const MOST_FETCHED: u64 = 1 << 25;

/// A border on one side: the point that holds it, and how many of its units lie before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Splitter {
    key: Key,
    before: u64,
}

/// All borders, in increasing order: cells are between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cuts {
    sides: [Vec<Splitter>; 2],
}

impl Cuts {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.sides[0].len() + 1
    }

    /// Shows each cell that a point is in, and how many of its units.
    #[inline]
    pub fn place(&self, side: Side, key: Key, units: u64, mut show: impl FnMut(usize, u64)) {
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

/// What cuts are made for.
pub(crate) struct Cutting<'a> {
    pub tables: [&'a Table; 2],
    pub masses: &'a [Masses; 2],
    pub total: u64,
    pub theta: &'a [f64],
    pub threads: usize,
    pub meter: &'a Meter,
}

impl Cutting<'_> {
    /// Cuts the line into about so many cells of equal mass.
    pub fn cut(&self, survey: &Survey, cells: usize) -> Result<Cuts> {
        let mut borders: Vec<u64> = (1..cells as u128)
            .map(|k| (u128::from(self.total) * k / cells as u128) as u64)
            .filter(|&border| border > 0)
            .collect();
        borders.dedup();
        if borders.is_empty() {
            return Ok(Cuts::default());
        }
        let bins = self.bins(survey)?;
        let [source, target] = self.fetch(&bins, &borders)?;
        let mut cuts = Cuts::default();
        let mut last = 0;
        for (index, &border) in borders.iter().enumerate() {
            let (source, target) = (source[index], target[index]);
            // Both points hold the border; the one that begins later begins between two entries.
            let begin = source.1.max(target.1);
            debug_assert!(begin <= border);
            if begin > last {
                cuts.sides[0].push(Splitter { key: source.0, before: begin - source.1 });
                cuts.sides[1].push(Splitter { key: target.0, before: begin - target.1 });
                last = begin;
            }
        }
        Ok(cuts)
    }

    fn key(&self, rows: &Rows, row: usize) -> Key {
        let dim = self.theta.len();
        Key::new(project(&rows.points[row * dim..(row + 1) * dim], self.theta), rows.ids[row])
    }

    /// Mass and rows between the points of the sample.
    fn bins(&self, survey: &Survey) -> Result<[Bins; 2]> {
        let edges = survey.samples.each_ref().map(|sample| {
            let key = |point: &crate::survey::Sampled| Key::new(project(&point.point, self.theta), point.id);
            let mut edges: Vec<Key> = sample.iter().map(key).collect();
            edges.sort_unstable();
            edges.dedup();
            edges
        });
        let begin = || edges.each_ref().map(|edges| vec![(0_u64, 0_u64); edges.len() + 1]);
        let stage = ("adding up mass along the line", self.meter);
        let states = scan(self.tables, self.threads, stage, begin, |state, side, _, rows| {
            let (edges, state) = (&edges[side as usize], &mut state[side as usize]);
            for row in 0..rows.len {
                let units = self.units(side, rows, row);
                let bin = edges.partition_point(|edge| *edge <= self.key(rows, row));
                state[bin].0 += units;
                state[bin].1 += 1;
            }
            Ok(())
        })?;
        let [source, target] = edges;
        let mut bins = [source, target].map(|edges| Bins { sums: vec![(0, 0); edges.len() + 1], edges });
        for state in states {
            for (bins, state) in bins.iter_mut().zip(state) {
                for (sum, part) in bins.sums.iter_mut().zip(state) {
                    *sum = (sum.0 + part.0, sum.1 + part.1);
                }
            }
        }
        Ok(bins)
    }

    fn units(&self, side: Side, rows: &Rows, row: usize) -> u64 {
        self.masses[side as usize].of(rows.first + row as u64, rows.weights.get(row).copied())
    }

    /// For each border and side: the point that holds it, and the mass before that point.
    fn fetch(&self, bins: &[Bins; 2], borders: &[u64]) -> Result<[Vec<(Key, u64)>; 2]> {
        let wanted = bins.each_ref().map(|bins| bins.holding(borders));
        let count: u64 =
            wanted.iter().zip(bins).flat_map(|(bins, of)| bins.keys().map(|&bin| of.sums[bin].1)).sum();
        if count > MOST_FETCHED {
            return Err(Error::Setting(format!(
                "{} borders between cells would fetch {count} rows, more than {MOST_FETCHED}; take fewer --cells and more --memory",
                borders.len()
            )));
        }
        let begin = || [BTreeMap::<usize, Vec<(Key, u64)>>::new(), BTreeMap::new()];
        let stage = ("finding the borders of cells", self.meter);
        let states = scan(self.tables, self.threads, stage, begin, |state, side, _, rows| {
            let (bins, wanted) = (&bins[side as usize], &wanted[side as usize]);
            for row in 0..rows.len {
                let key = self.key(rows, row);
                let bin = bins.edges.partition_point(|edge| *edge <= key);
                if wanted.contains_key(&bin) {
                    let units = self.units(side, rows, row);
                    if units > 0 {
                        state[side as usize].entry(bin).or_default().push((key, units));
                    }
                }
            }
            Ok(())
        })?;
        let mut fetched = [BTreeMap::<usize, Vec<(Key, u64)>>::new(), BTreeMap::new()];
        for state in states {
            for (all, part) in fetched.iter_mut().zip(state) {
                for (bin, mut rows) in part {
                    all.entry(bin).or_default().append(&mut rows);
                }
            }
        }
        let mut found = [Vec::new(), Vec::new()];
        for (side, (wanted, fetched)) in wanted.into_iter().zip(&mut fetched).enumerate() {
            for (bin, (mut begin, borders)) in wanted {
                let rows = fetched.entry(bin).or_default();
                rows.sort_unstable();
                if let Some(pair) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    return Err(Error::repeated(&self.tables[side].path, pair[0].0.id));
                }
                let mut borders = borders.into_iter().peekable();
                for &(key, units) in rows.iter() {
                    while borders.next_if(|&border| border < begin + units).is_some() {
                        found[side].push((key, begin));
                    }
                    begin += units;
                }
                if borders.next().is_some() {
                    return Err(Error::changed(&self.tables[side].path));
                }
            }
        }
        Ok(found)
    }
}

/// Mass and rows between keys of a sample.
struct Bins {
    edges: Vec<Key>,
    sums: Vec<(u64, u64)>,
}

impl Bins {
    /// The bins that hold a border: the mass before each, and its borders.
    fn holding(&self, borders: &[u64]) -> BTreeMap<usize, (u64, Vec<u64>)> {
        let mut held = BTreeMap::new();
        let mut borders = borders.iter().copied().peekable();
        let mut begin = 0;
        for (bin, (mass, _)) in self.sums.iter().enumerate() {
            while let Some(border) = borders.next_if(|&border| border < begin + mass) {
                held.entry(bin).or_insert_with(|| (begin, Vec::new())).1.push(border);
            }
            begin += mass;
        }
        held
    }
}
