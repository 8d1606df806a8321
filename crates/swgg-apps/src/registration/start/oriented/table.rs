//! All pairs of a cloud, by what does not change when it moves.

use std::f64::consts::{FRAC_PI_2, PI};

use super::points::{OrientedPoint, OrientedPoints, dot, minus};

/// Steps of the distance up to the reach, and of a right angle.
const DISTANCES: usize = 16;
const ANGLES: usize = 5;
/// Pairs nearer than this share of the reach tell little: everything is flat from near by.
const NEAREST_SHARE: f64 = 0.15;

/// A pair as the first of its points sees it.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// Which of the cells of the table.
    pub cell: usize,
    /// Whether the normal points away from the other point.
    pub is_behind: bool,
    /// Direction of the other point around the normal, in the first point's own axes.
    pub around: f64,
}

impl View {
    /// `None` if the points are too near to each other or too far apart.
    ///
    /// Normals have no inside: each is taken to point ahead along the line from the first point to the second.
    pub fn new(first: &OrientedPoint, second: &OrientedPoint, reach: f64) -> Option<Self> {
        let line = minus(second.place, first.place);
        let distance = dot(line, line).sqrt();
        if distance < NEAREST_SHARE * reach || distance >= reach {
            return None;
        }
        let [normal, across, along] = first.axes;
        let [one, other] = [dot(normal, line) / distance, dot(second.axes[0], line) / distance];
        let sign = if (one < 0.0) == (other < 0.0) { 1.0 } else { -1.0 };
        let between = sign * dot(normal, second.axes[0]);
        let angle = |cosine: f64| cosine.clamp(-1.0, 1.0).acos();
        let step = |x: f64, most: f64, steps: usize| ((x / most * steps as f64) as usize).min(steps - 1);
        let cell = step(distance, reach, DISTANCES);
        let cell = cell * ANGLES + step(angle(one.abs()), FRAC_PI_2, ANGLES);
        let cell = cell * ANGLES + step(angle(other.abs()), FRAC_PI_2, ANGLES);
        let cell = cell * 2 * ANGLES + step(angle(between), PI, 2 * ANGLES);
        let around = dot(along, line).atan2(dot(across, line));
        Some(View { cell, is_behind: one < 0.0, around })
    }
}

/// A pair in the table.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    /// The first of its points.
    pub first: u32,
    pub is_behind: bool,
    pub around: f32,
}

/// Pairs by cell.
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Where each cell begins, and the end of the last one.
    begins: Vec<usize>,
    pub reach: f64,
}

impl Table {
    pub fn new(points: &OrientedPoints, reach: f64) -> Self {
        let cells = DISTANCES * ANGLES * ANGLES * 2 * ANGLES;
        let mut seen = Vec::new();
        for (i, first) in points.0.iter().enumerate() {
            for (_, second) in points.0.iter().enumerate().filter(|(j, _)| *j != i) {
                seen.extend(View::new(first, second, reach).map(|view| (i as u32, view)));
            }
        }
        let mut begins = vec![0; cells + 1];
        seen.iter().for_each(|(_, view)| begins[view.cell + 1] += 1);
        (0..cells).for_each(|cell| begins[cell + 1] += begins[cell]);
        let (mut free, mut entries) = (begins.clone(), vec![Entry::default(); seen.len()]);
        for (first, view) in seen {
            entries[free[view.cell]] = Entry { first, is_behind: view.is_behind, around: view.around as f32 };
            free[view.cell] += 1;
        }
        Table { entries, begins, reach }
    }

    /// The pairs of a cell.
    pub fn cell(&self, cell: usize) -> &[Entry] {
        &self.entries[self.begins[cell]..self.begins[cell + 1]]
    }
}
