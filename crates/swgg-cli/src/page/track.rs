//! Points on their way: where each of them is at several moments.

use serde::Serialize;

use super::grid::{Grid, shares};

/// Points of one kind.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// What they are, and what they are when they have arrived.
    pub name: String,
    pub end: Option<String>,
    /// Numbers of colours, at the beginning and at the end.
    pub colors: [usize; 2],
    /// Where they are at each moment, point by point; one moment for points that stay.
    pub frames: Vec<Vec<f64>>,
    /// What they weigh, unless all weigh the same.
    pub masses: Option<Vec<f64>>,
    /// What they pay on their way.
    pub costs: Option<Vec<f64>>,
    /// How they turn, where they move as one.
    pub spin: Option<Spin>,
    /// How many there are, of which these are some.
    pub of: usize,
}

/// A motion of space, from nothing at 0 to all of it at 1: a turn about a point that moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spin {
    /// The point.
    pub center: Vec<f64>,
    /// How far it moves.
    pub shift: Vec<f64>,
    /// The axis, of length one; in the plane there is but one.
    pub axis: Vec<f64>,
    /// Radians.
    pub angle: f64,
    /// How much things grow.
    pub scale: f64,
}

/// A track as a script reads it.
#[derive(Serialize)]
pub struct TrackData {
    name: String,
    end: Option<String>,
    colors: [usize; 2],
    count: usize,
    frames: usize,
    /// Sixteen bits per coordinate, frame by frame.
    points: String,
    /// A byte per point, of the largest.
    masses: Option<String>,
    /// A byte per point, of the top of the scale.
    costs: Option<String>,
    spin: Option<Spin>,
}

impl Track {
    /// Points that stay where they are.
    pub fn still(name: &str, color: usize, points: Vec<f64>, of: usize) -> Self {
        Track { name: name.to_string(), colors: [color; 2], frames: vec![points], of, ..Track::default() }
    }

    /// Number of points of `dim` coordinates.
    pub fn len(&self, dim: usize) -> usize {
        self.frames.first().map_or(0, |points| points.len() / dim)
    }

    /// Whether they go anywhere.
    pub fn moves(&self) -> bool {
        self.frames.len() > 1 || self.spin.is_some()
    }

    /// For the script.
    pub fn data(&self, grid: &Grid, top_cost: f64) -> TrackData {
        let most = |values: &Vec<f64>| values.iter().copied().fold(0.0, f64::max);
        TrackData {
            name: self.name.clone(),
            end: self.end.clone(),
            colors: self.colors,
            count: self.len(grid.low.len()),
            frames: self.frames.len(),
            points: grid.encoded(self.frames.iter().map(Vec::as_slice)),
            masses: self.masses.as_ref().map(|masses| shares(masses, most(masses))),
            costs: self.costs.as_ref().map(|costs| shares(costs, top_cost)),
            spin: self.spin.clone(),
        }
    }
}

/// Numbers from 0 to `count`, `most` of them at most: one of every stretch, not always the same one, so that rows of a scan do not make
/// stripes.
pub fn some(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let place = |k: usize| {
        // Steps of the golden ratio: even, and in no step with anything.
        let jitter = (k as f64 * 0.618_033_988_749_895).fract();
        let start = |k: usize| (k as u128 * count as u128 / most as u128) as usize;
        let (first, next) = (start(k), start(k + 1));
        first + (jitter * (next - first) as f64) as usize
    };
    (0..most).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_many_are_spread_and_different() {
        assert_eq!(some(3, 5), [0, 1, 2]);
        for (count, most) in [(110_000, 100_000), (100_001, 100_000), (1_000_003, 1000), (7, 3)] {
            let few = some(count, most);
            assert!(few.windows(2).all(|pair| pair[0] < pair[1]) && few[most - 1] < count, "{count} {most}");
        }
        let few = some(1_000_003, 1000);
        assert_eq!(few.len(), 1000);
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]), "twice the same");
        assert!(few[0] < 1001 && few[999] > 999_000);
        // Not all in one column of a picture.
        let columns: std::collections::BTreeSet<usize> =
            some(1_000_000, 1000).iter().map(|k| k % 100).collect();
        assert!(columns.len() > 50);
    }
}
