//! Strategies for clouds: smooth ones, and the awkward ones that files contain.

use proptest::collection::vec;
use proptest::prelude::*;

/// Points as rows.
#[derive(Clone, Debug)]
pub struct Cloud {
    /// Coordinates, row by row.
    pub points: Vec<f64>,
    /// Coordinates per point.
    pub dim: usize,
}

impl Cloud {
    /// Number of points.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.points.len() / self.dim
    }

    /// The cloud with `change(column, value)` applied to each coordinate.
    pub fn map(&self, change: impl Fn(usize, f64) -> f64) -> Cloud {
        let points = self.points.iter().enumerate().map(|(k, x)| change(k % self.dim, *x)).collect();
        Cloud { points, dim: self.dim }
    }
}

/// `n` points in `R^dim`: smooth, on a grid (ties), with duplicates, on a line, flat, or all equal.
pub fn clouds(n: usize, dim: usize) -> impl Strategy<Value = Cloud> {
    let smooth = vec(-10.0..10.0_f64, n * dim);
    let grid = vec((-2..3_i32).prop_map(f64::from), n * dim);
    let duplicates = (vec(-10.0..10.0_f64, n * dim), vec(any::<prop::sample::Index>(), n)).prop_map(
        move |(points, picks)| {
            let few = n.div_ceil(2);
            picks.iter().flat_map(|pick| row(&points, pick.index(few), dim)).collect()
        },
    );
    let line = (vec(-1.0..1.0_f64, dim), vec(-1.0..1.0_f64, dim), vec(-5.0..5.0_f64, n)).prop_map(
        move |(origin, along, times)| {
            times
                .iter()
                .flat_map(|t| (0..dim).map(|c| origin[c] + t * along[c]).collect::<Vec<_>>())
                .collect()
        },
    );
    let flat = (vec(-10.0..10.0_f64, n * dim), 0..dim).prop_map(move |(mut points, column)| {
        points.iter_mut().skip(column).step_by(dim).for_each(|x| *x = 3.0);
        points
    });
    let one_place = vec(-10.0..10.0_f64, dim).prop_map(move |point| point.repeat(n));
    prop_oneof![4 => smooth, 3 => grid, 2 => duplicates, 1 => line, 1 => flat, 1 => one_place]
        .prop_map(move |points| Cloud { points, dim })
}

fn row(points: &[f64], i: usize, dim: usize) -> Vec<f64> {
    points[i * dim..(i + 1) * dim].to_vec()
}

/// `n` points in `R^dim` without ties, so that projections are distinct.
pub fn smooth_clouds(n: usize, dim: usize) -> impl Strategy<Value = Cloud> {
    vec(-10.0..10.0_f64, n * dim).prop_map(move |points| Cloud { points, dim })
}

/// A vector of `R^dim` that has a direction.
pub fn directions(dim: usize) -> impl Strategy<Value = Vec<f64>> {
    vec(-1.0..1.0_f64, dim).prop_filter("needs a length", |v| v.iter().any(|x| x.abs() > 1e-3))
}

/// `total` units of mass thrown on `n` points: whole weights that sum to `total`.
pub fn thrown_weights(n: usize, total: usize) -> impl Strategy<Value = Vec<u32>> {
    vec(0..n, total).prop_map(move |places| {
        let mut weights = vec![0; n];
        places.into_iter().for_each(|i| weights[i] += 1);
        weights
    })
}

/// `n` small whole weights, some of them zero, not all.
pub fn weights(n: usize) -> impl Strategy<Value = Vec<u32>> {
    vec(0..4_u32, n).prop_filter("needs mass", |w| w.iter().any(|x| *x > 0))
}
