//! Points of few coordinates in rows of 16 bytes.

use super::clouds::{Clouds, Rows};
use crate::scalar::Scalar;

/// Both clouds in single precision, near the origin and near one in size, a row never across two lines of the cache.
///
/// Merging jumps from point to point and waits for memory. Rows of half the size settle nearly all questions; what they leave in doubt
/// is asked again in full.
pub(super) struct Short {
    x: Vec<[f32; 4]>,
    y: Vec<[f32; 4]>,
}

/// Coordinates that fit, and one place that is zero.
const MOST: usize = 3;
/// More than what a difference of coordinates of at most one loses in single precision.
const ROUNDING: f32 = 3e-7;

/// From one target to another one: `y_mine - y_theirs`.
#[derive(Clone, Copy, Default)]
pub(super) struct Leap([f32; 4]);

#[inline(always)]
fn dot(a: [f32; 4], b: [f32; 4]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn minus(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

#[inline(always)]
fn sizes(a: [f32; 4], b: [f32; 4]) -> f32 {
    let size = |i: usize| a[i].abs() + b[i].abs();
    size(0) + size(1) + size(2)
}

impl Short {
    /// None where rows are too long, or have coordinates beyond single precision.
    pub fn new<T: Scalar>(clouds: &Clouds<'_, T>) -> Option<Self> {
        if clouds.dim() > MOST {
            return None;
        }
        let unit = clouds.unit;
        let rows = |rows: Rows<'_, T>| -> Option<Vec<[f32; 4]>> {
            let origin = rows.row(0);
            let short = |i| {
                let mut row = [0.0; 4];
                for (short, (&x, &o)) in row.iter_mut().zip(rows.row(i).iter().zip(origin)) {
                    *short = (unit * (x.to_f64() - o.to_f64())) as f32;
                }
                row.iter().all(|x| x.abs() <= 1.0).then_some(row)
            };
            (0..rows.len()).map(short).collect()
        };
        Some(Short { x: rows(clouds.x)?, y: rows(clouds.y)? })
    }

    #[inline(always)]
    pub fn leap(&self, mine: u32, theirs: u32) -> Leap {
        Leap(minus(self.y[mine as usize], self.y[theirs as usize]))
    }

    /// `<x_a - x_b, leap>`, below zero if the two had better exchange their targets; none if it cannot be said.
    #[inline(always)]
    pub fn accord(&self, [a, b]: [usize; 2], leap: Leap) -> Option<f32> {
        let apart = minus(self.x[a], self.x[b]);
        let accord = dot(apart, leap.0);
        (accord.abs() > ROUNDING * sizes(apart, leap.0)).then_some(accord)
    }

    /// `sum <x_i, y_T(i)>`.
    pub fn agreement(&self, target_of: &[u32]) -> f64 {
        self.x.iter().zip(target_of).map(|(&x, &j)| f64::from(dot(x, self.y[j as usize]))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What short rows say is what full ones say; what is too close for them they leave open.
    #[test]
    fn no_wrong_answers() {
        let mut numbers = crate::sampler::Gaussians::new(5, 0);
        let mut points = |apart: f64| {
            let mut rows = vec![0.0; 60 * 3];
            numbers.fill(&mut rows);
            // Tight groups far from each other, and far from the origin.
            rows.iter_mut().enumerate().for_each(|(k, x)| *x = 1e3 + apart * *x + ((k / 3) % 4) as f64 * 7.0);
            rows
        };
        for apart in [1.0, 1e-3, 1e-6] {
            let (x, y) = (points(apart), points(apart));
            let clouds = Clouds::new(&x, &y, 3);
            let short = Short::new(&clouds).expect("three coordinates");
            let mut told = 0;
            for k in 0..60_u32 * 60 {
                let (a, b) = ((k / 60) as usize, (k % 60) as usize);
                let (i, j) = (k * 7 % 60, k * 13 % 60);
                let accord = clouds.accord([a, b], [i as usize, j as usize]);
                if let Some(short) = short.accord([a, b], short.leap(i, j)) {
                    assert_eq!(short < 0.0, accord < 0.0, "{accord}");
                    told += 1;
                }
            }
            assert!(told > 1000, "{told} told at {apart}");
        }
        assert!(Short::new(&Clouds::new(&[0.0; 8], &[0.0; 8], 4)).is_none());
    }
}
