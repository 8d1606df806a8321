//! One cell of the line: its rows in bytes, and its part of the plan.

use crate::key::{Key, project};
use crate::scan::Side;

/// How rows are laid out in blocks: the number of the cell, the side, then a row after the other.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub dim: usize,
    /// Whether the coordinates of both sides are stored in 32 bits.
    pub is_single: [bool; 2],
}

/// Bytes before the rows of a block: cell and side.
pub(crate) const HEADER: usize = 5;

impl Layout {
    /// Bytes of a row: id, units, coordinates.
    pub fn width(&self, side: Side) -> usize {
        16 + self.point_width(side)
    }

    /// Begins a block.
    pub fn begin(block: &mut Vec<u8>, cell: usize, side: Side) {
        block.clear();
        block.extend_from_slice(&(cell as u32).to_le_bytes());
        block.push(side as u8);
    }

    /// Adds a row to a block.
    #[inline]
    pub fn push(&self, block: &mut Vec<u8>, side: Side, id: u64, units: u64, point: &[f64]) {
        block.extend_from_slice(&id.to_le_bytes());
        block.extend_from_slice(&units.to_le_bytes());
        self.push_point(block, side, point);
    }

    /// Bytes of a point.
    pub fn point_width(&self, side: Side) -> usize {
        self.dim * if self.is_single[side as usize] { 4 } else { 8 }
    }

    /// Adds coordinates to a block.
    #[inline]
    pub fn push_point(&self, block: &mut Vec<u8>, side: Side, point: &[f64]) {
        if self.is_single[side as usize] {
            // They were 32 bits wide in the file, so nothing is lost.
            point.iter().for_each(|x| block.extend_from_slice(&(*x as f32).to_le_bytes()));
        } else {
            point.iter().for_each(|x| block.extend_from_slice(&x.to_le_bytes()));
        }
    }

    /// The cell and the side of a block.
    pub fn header(block: &[u8]) -> Option<(u32, Side)> {
        let (cell, rest) = block.split_first_chunk::<4>()?;
        let side = *Side::BOTH.get(usize::from(*rest.first()?))?;
        Some((u32::from_le_bytes(*cell), side))
    }

    /// The id, the units and the coordinates of a row.
    pub fn row(&self, side: Side, row: &[u8], into: &mut [f64]) -> (u64, u64) {
        self.point(side, &row[16..], into);
        (word(row, 0), word(row, 8))
    }

    /// The coordinates in some bytes.
    pub fn point(&self, side: Side, bytes: &[u8], into: &mut [f64]) {
        if self.is_single[side as usize] {
            for (slot, bytes) in into.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *slot = f64::from(f32::from_le_bytes(*bytes));
            }
        } else {
            for (slot, bytes) in into.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *slot = f64::from_le_bytes(*bytes);
            }
        }
    }
}

/// An entry of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub source: u64,
    pub target: u64,
    pub mass: f64,
    /// Squared distance of the two points.
    pub cost: f64,
}

/// What a cell comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub entries: u64,
    pub units: u64,
    /// Mass times squared distance, summed over the entries.
    pub cost: f64,
    /// The same along the line.
    pub along: f64,
    /// Mass times distance along the line to another power than 2.
    pub along_power: f64,
}

/// What cells are solved with.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub layout: Layout,
    pub theta: Vec<f64>,
    /// Units of the whole.
    pub total: u64,
    /// The exponent along the line.
    pub p: f64,
}

/// A point of a cell in the order along the line.
struct Ranked {
    key: Key,
    /// Which row of the cell it is.
    row: u32,
}

/// The rows of one side of a cell.
#[derive(Default)]
struct Ordered {
    ranked: Vec<Ranked>,
}

impl Line {
    /// Pairs the points of a cell along the line, and shows each entry. An error is an id that is there twice, and its side.
    pub fn solve<E>(
        &self,
        rows: [&[u8]; 2],
        mut show: impl FnMut(Entry) -> Result<(), E>,
    ) -> Result<Sums, CellError<E>> {
        let [source, target] = Side::BOTH.map(|side| self.ordered(side, rows[side as usize]));
        for (side, ordered) in Side::BOTH.into_iter().zip([&source, &target]) {
            if let Some(pair) = ordered.ranked.windows(2).find(|pair| pair[0].key == pair[1].key) {
                return Err(CellError::Repeated(side, pair[0].key.id));
            }
        }
        let per_unit = 1.0 / self.total as f64;
        let dim = self.layout.dim;
        let mut points = [vec![0.0; dim], vec![0.0; dim]];
        let (mut sums, mut parts) = (Sums::default(), [Sum::default(); 3]);
        let (mut rank, mut other) = (0, 0);
        let (mut left, mut right) = (0, 0);
        let (mut along_source, mut along_target) = (0.0, 0.0);
        loop {
            if left == 0 {
                let Some(next) = source.ranked.get(rank) else { break };
                left = self.load(Side::Source, rows[0], next, &mut points[0]);
                along_source = project(&points[0], &self.theta);
                rank += 1;
            }
            if right == 0 {
                let Some(next) = target.ranked.get(other) else { break };
                right = self.load(Side::Target, rows[1], next, &mut points[1]);
                along_target = project(&points[1], &self.theta);
                other += 1;
            }
            let units = left.min(right);
            left -= units;
            right -= units;
            let mass = units as i64 as f64 * per_unit;
            let cost = sq_distance(&points[0], &points[1]);
            let step = (along_source - along_target).abs();
            parts[0].add(mass * cost);
            parts[1].add(mass * (step * step));
            if self.p != 2.0 {
                parts[2].add(mass * step.powf(self.p));
            }
            sums.entries += 1;
            sums.units += units;
            let (source, target) = (source.ranked[rank - 1].key.id, target.ranked[other - 1].key.id);
            show(Entry { source, target, mass, cost }).map_err(CellError::Show)?;
        }
        // Both sides of a cell hold the same mass; what is left over would be lost.
        if left != 0 || right != 0 || rank < source.ranked.len() || other < target.ranked.len() {
            return Err(CellError::Uneven);
        }
        [sums.cost, sums.along, sums.along_power] = parts.map(Sum::value);
        Ok(sums)
    }

    fn ordered(&self, side: Side, rows: &[u8]) -> Ordered {
        let mut point = vec![0.0; self.layout.dim];
        let ranked = rows.chunks_exact(self.layout.width(side)).enumerate().map(|(index, row)| {
            let (id, _) = self.layout.row(side, row, &mut point);
            Ranked { key: Key::new(project(&point, &self.theta), id), row: index as u32 }
        });
        let mut ranked: Vec<Ranked> = ranked.collect();
        ranked.sort_unstable_by_key(|ranked| ranked.key);
        Ordered { ranked }
    }

    fn load(&self, side: Side, rows: &[u8], next: &Ranked, point: &mut [f64]) -> u64 {
        let width = self.layout.width(side);
        let row = &rows[next.row as usize * width..][..width];
        self.layout.row(side, row, point).1
    }
}

/// Why a cell has no plan.
#[derive(Debug)]
pub(crate) enum CellError<E> {
    /// An id that is there twice.
    Repeated(Side, u64),
    /// Masses of the two sides differ: rows were lost or changed.
    Uneven,
    /// Whoever was shown entries refused.
    Show(E),
}

/// The whole number that begins at a byte.
pub(crate) fn word(row: &[u8], at: usize) -> u64 {
    row[at..].first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// `|x - y|^2`.
pub(crate) fn sq_distance(x: &[f64], y: &[f64]) -> f64 {
    swgg::cost::Cost::between(&swgg::cost::SqEuclidean, x, y)
}

/// A sum that carries its rounding error along.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub fn add(&mut self, term: f64) {
        let next = self.sum + term;
        self.lost +=
            if self.sum.abs() >= term.abs() { (self.sum - next) + term } else { (term - next) + self.sum };
        self.sum = next;
    }

    pub fn value(self) -> f64 {
        self.sum + self.lost
    }
}
