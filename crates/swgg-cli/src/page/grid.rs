//! Coordinates as sixteen bits between two corners.

use serde::Serialize;

use super::base64::encoded;
use super::crop::nearly_all;

/// A box, and the places in it that have a number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Grid {
    pub low: Vec<f64>,
    pub high: Vec<f64>,
}

/// The largest number of a place.
const LAST: f64 = 65_535.0;
/// Points further away than so many widths of the cloud are moved to the edge: they would take all of the numbers.
const REACH: f64 = 8.0;
/// The same for what a view shows at first.
const SHOWN: f64 = 1.5;

impl Grid {
    /// Around points of `dim` coordinates, row by row; strays are left out.
    pub fn around<'a>(dim: usize, clouds: impl Iterator<Item = &'a [f64]> + Clone) -> Self {
        Self::reaching(dim, clouds, REACH, 0.0)
    }

    /// What is to be seen of them at first, with some room.
    pub fn shown<'a>(dim: usize, clouds: impl Iterator<Item = &'a [f64]> + Clone) -> Self {
        Self::reaching(dim, clouds, SHOWN, 0.03)
    }

    fn reaching<'a>(
        dim: usize,
        clouds: impl Iterator<Item = &'a [f64]> + Clone,
        reach: f64,
        room: f64,
    ) -> Self {
        let mut grid = Grid { low: Vec::with_capacity(dim), high: Vec::with_capacity(dim) };
        for axis in 0..dim {
            let mut values: Vec<f64> =
                clouds.clone().flat_map(|points| points.iter().skip(axis).step_by(dim)).copied().collect();
            let (low, high) = nearly_all(&mut values, reach).unwrap_or((-1.0, 1.0));
            // A cloud without width is in the middle of a box that has some.
            let room = if high > low { room * (high / 2.0 - low / 2.0) } else { low.abs().max(1.0) / 2.0 };
            grid.low.push((low - room).max(f64::MIN));
            grid.high.push((high + room).min(f64::MAX));
        }
        grid
    }

    /// The number of a place along an axis; places outside have that of the edge.
    pub fn number(&self, axis: usize, x: f64) -> u16 {
        // Halves, as the width of the box may be beyond all numbers.
        let (low, high) = (self.low[axis] / 2.0, self.high[axis] / 2.0);
        (((x / 2.0 - low) / (high - low)) * LAST).round().clamp(0.0, LAST) as u16
    }

    /// The place of a number.
    #[cfg(test)]
    pub fn place(&self, axis: usize, number: u16) -> f64 {
        let share = f64::from(number) / LAST;
        self.low[axis] * (1.0 - share) + self.high[axis] * share
    }

    /// Whether a point is inside.
    pub fn holds(&self, point: &[f64]) -> bool {
        point.iter().enumerate().all(|(axis, x)| (self.low[axis]..=self.high[axis]).contains(x))
    }

    /// The numbers of points, little end first, as letters.
    pub fn encoded<'a>(&self, clouds: impl Iterator<Item = &'a [f64]>) -> String {
        let dim = self.low.len();
        let mut bytes = Vec::new();
        for points in clouds {
            for (k, &x) in points.iter().enumerate() {
                bytes.extend_from_slice(&self.number(k % dim, x).to_le_bytes());
            }
        }
        encoded(&bytes)
    }
}

/// Values from 0 to `most` as single bytes, as letters.
pub fn shares(values: &[f64], most: f64) -> String {
    let byte = |x: &f64| if most > 0.0 { (255.0 * (x / most).clamp(0.0, 1.0)).round() as u8 } else { 0 };
    encoded(&values.iter().map(byte).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_to_half_a_step() {
        let points: Vec<f64> =
            (0..400).map(|k| f64::from(k * k % 97) * if k % 2 == 0 { 1.0 } else { 1e-3 }).collect();
        let grid = Grid::around(2, [&points[..]].into_iter());
        for (k, x) in points.iter().enumerate() {
            let axis = k % 2;
            let back = grid.place(axis, grid.number(axis, *x));
            let step = (grid.high[axis] - grid.low[axis]) / LAST;
            assert!((back - x).abs() <= 0.501 * step, "{x} came back as {back}");
        }
    }

    #[test]
    fn strays_go_to_the_edge() {
        let mut points: Vec<f64> = (0..200).map(f64::from).collect();
        points.push(1e12);
        let grid = Grid::around(1, [&points[..]].into_iter());
        assert!(grid.high[0] < 5000.0 && !grid.holds(&[1e12]) && grid.holds(&[100.0]));
        assert_eq!(grid.number(0, 1e12), u16::MAX);
        // The others keep their places.
        assert!((grid.place(0, grid.number(0, 50.0)) - 50.0).abs() < 0.05);
    }

    #[test]
    fn every_cloud_has_a_box() {
        for points in [&[][..], &[3.0], &[0.0, 0.0], &[-1.7e308, 1.7e308], &[1e-310, 0.0]] {
            let grid = Grid::shown(1, [points].into_iter());
            assert!(grid.low[0] < grid.high[0] || points == [1e-310, 0.0], "{grid:?}");
            for x in points {
                let share = f64::from(grid.number(0, *x)) / LAST;
                assert!((0.0..=1.0).contains(&share));
            }
        }
    }

    #[test]
    fn numbers_are_little_end_first() {
        let grid = Grid { low: vec![0.0], high: vec![65_535.0] };
        assert_eq!(grid.encoded([&[1.0, 256.0][..]].into_iter()), encoded(&[1, 0, 0, 1]));
        assert_eq!(shares(&[0.0, 1.0, 2.0, 9.0], 2.0), encoded(&[0, 128, 255, 255]));
        assert_eq!(shares(&[0.0, 0.0], 0.0), encoded(&[0, 0]));
    }
}
