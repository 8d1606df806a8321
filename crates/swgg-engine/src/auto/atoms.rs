//! The points of a cell, each once, in the order of their ids.

use swgg::{Measure, Scalar};

use super::pairs::{self, Pair};
use super::whole::Entry;
use crate::cell::{Layout, sq_distance};
use crate::error::{Error, Result};
use crate::scan::Side;

/// The points of one side of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    pub ids: Vec<u64>,
    pub units: Vec<u64>,
    points: Vec<f64>,
    dim: usize,
}

impl Atoms {
    /// From rows in bytes, in any order.
    pub fn of_rows(layout: &Layout, side: Side, rows: &[u8], table: &str) -> Result<Self> {
        let width = layout.width(side);
        let mut order: Vec<&[u8]> = rows.chunks_exact(width).collect();
        order.sort_unstable_by_key(|row| crate::cell::word(row, 0));
        let mut atoms = Atoms { dim: layout.dim, ..Atoms::default() };
        let mut point = vec![0.0; layout.dim];
        for row in order {
            let (id, units) = layout.row(side, row, &mut point);
            if atoms.ids.last() == Some(&id) {
                return Err(Error::repeated(table, id));
            }
            atoms.push(id, units, &point);
        }
        Ok(atoms)
    }

    /// Both sides of a cell of pairs in any order, and the pairs between them.
    pub fn of_pairs(layout: &Layout, rows: &[u8]) -> ([Self; 2], Vec<Entry>) {
        let mut order: Vec<Pair<'_>> = rows.chunks_exact(pairs::width(layout)).map(Pair).collect();
        let mut points = [vec![0.0; layout.dim], vec![0.0; layout.dim]];
        let mut sides = [(); 2].map(|()| Atoms { dim: layout.dim, ..Atoms::default() });
        order.sort_unstable_by_key(|pair| (pair.target(), pair.source()));
        let mut places = Vec::with_capacity(order.len());
        for pair in &order {
            pair.points(layout, &mut points);
            places.push(sides[1].add(pair.target(), pair.units(), &points[1]));
        }
        let mut pairs: Vec<(Pair<'_>, u32)> = order.into_iter().zip(places).collect();
        pairs.sort_unstable_by_key(|(pair, place)| (pair.source(), *place));
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        for (pair, target) in pairs {
            pair.points(layout, &mut points);
            let source = sides[0].add(pair.source(), pair.units(), &points[0]);
            match entries.last_mut() {
                Some(last) if (last.0, last.1) == (source, target) => last.2 += pair.units(),
                _ => entries.push((source, target, pair.units())),
            }
        }
        (sides, entries)
    }

    fn push(&mut self, id: u64, units: u64, point: &[f64]) {
        self.ids.push(id);
        self.units.push(units);
        self.points.extend_from_slice(point);
    }

    /// Some units of a point that may be the last one; its place.
    fn add(&mut self, id: u64, units: u64, point: &[f64]) -> u32 {
        match (self.ids.last(), self.units.last_mut()) {
            (Some(&last), Some(sum)) if last == id => *sum += units,
            _ => self.push(id, units, point),
        }
        self.ids.len() as u32 - 1
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn point(&self, place: u32) -> &[f64] {
        &self.points[place as usize * self.dim..][..self.dim]
    }

    /// The same units for every point, if it is so.
    pub fn even(&self) -> Option<u64> {
        let first = *self.units.first()?;
        self.units.iter().all(|&units| units == first).then_some(first)
    }

    pub fn measure<T: Scalar>(&self) -> Result<Measure<'static, T>> {
        let measure = Measure::from_vec(self.points.iter().map(|&x| T::from_f64(x)).collect(), self.dim)?;
        if self.even().is_some() {
            return Ok(measure);
        }
        let weights: Vec<f64> = self.units.iter().map(|&units| units as f64).collect();
        Ok(measure.with_weights(&weights)?)
    }
}

/// Units times squared distances.
pub(crate) fn paid([source, target]: [&Atoms; 2], entries: &[Entry]) -> f64 {
    let mut sum = crate::cell::Sum::default();
    for &(i, j, units) in entries {
        sum.add(units as f64 * sq_distance(source.point(i), target.point(j)));
    }
    sum.value()
}
