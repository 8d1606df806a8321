//! Points with labels: what a pair costs depends on both.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{Array2, ArrayView2};

use super::ground::{Embedded, Form, GroundCost};
use super::{Power, sq_distance, sum_of};
use crate::error::{ErrorKind, Result};
use crate::number::spectral::Eigen;

/// `(|x - y|^2 + D[label(x), label(y)])^(p / 2)`: distances between points that know to which class they belong. Paper: Section 5, the
/// cost of distances between data sets.
///
/// The label of a point is its last coordinate, a row and column of `D` counted from 0; [`labelled`] puts it there.
#[derive(Clone, Debug)]
pub struct Labelled {
    between_labels: Array2<f64>,
    power: Power,
    /// Places of the labels.
    places: Places,
    /// The least of each row of `D`.
    least: Vec<f64>,
}

/// What counts as zero among eigenvalues of `D`, against the largest one.
const ZERO_SHARE: f64 = 1e-9;
/// Coordinates from which products of matrices are quicker than differences.
const MIN_DIM_OF_PRODUCTS: usize = 16;
/// Squared distances below this share of the squared norms are computed from differences: products would leave few digits of them.
const MIN_SHARE_OF_NORMS: f64 = 1.0 / 32.0;

impl Labelled {
    /// From costs between labels: square, symmetric, finite and not negative; `p = 2` adds them to squared distances, `p = 1` takes the root of that.
    pub fn new(between_labels: ArrayView2<'_, f64>, power: Power) -> Result<Self> {
        check(between_labels)?;
        let places = Places::new(between_labels)?;
        let least =
            between_labels.rows().into_iter().map(|row| row.iter().copied().fold(f64::INFINITY, f64::min));
        let least = least.collect();
        Ok(Labelled { between_labels: between_labels.to_owned(), power, places, least })
    }

    /// A point and its label.
    fn parts<'a>(&self, x: &'a [f64]) -> (&'a [f64], usize) {
        match x.split_last() {
            Some((label, place)) => (place, *label as usize),
            None => (x, 0),
        }
    }
}

/// Rows with their labels as a last coordinate.
pub fn labelled(points: &[f64], dim: usize, labels: &[u32]) -> Result<Vec<f64>> {
    let (found, expected) = (labels.len(), points.len() / dim.max(1));
    if found != expected {
        return Err(ErrorKind::LabelCount { found, expected }.into());
    }
    let rows = points.chunks_exact(dim).zip(labels);
    Ok(rows.flat_map(|(row, label)| row.iter().copied().chain([f64::from(*label)])).collect())
}

impl GroundCost for Labelled {
    fn name(&self) -> String {
        "labelled".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        let ((x, from), (y, to)) = (self.parts(x), self.parts(y));
        self.power.of_square(sq_distance(x, y) + self.between_labels[(from, to)])
    }

    fn check(&self, points: [&[f64]; 2], dim: usize) -> Result<()> {
        let labels = self.between_labels.nrows();
        for (rows, cloud) in points.into_iter().zip(["source", "target"]) {
            for (row, point) in rows.chunks_exact(dim).enumerate() {
                let label = point[dim - 1];
                if !(label >= 0.0 && label < labels as f64 && label.fract() == 0.0) {
                    return Err(ErrorKind::BadLabel { cloud, row, label, labels }.into());
                }
            }
        }
        Ok(())
    }

    fn fill(&self, x: &[f64], columns: &[&[f64]], costs: &mut [f64]) {
        let ((x, from), Some((labels, columns))) = (self.parts(x), columns.split_last()) else { return };
        let row = self.between_labels.row(from);
        costs.iter_mut().zip(*labels).for_each(|(cost, label)| *cost = row[*label as usize]);
        for (x, column) in x.iter().zip(columns) {
            costs.iter_mut().zip(*column).for_each(|(cost, y)| *cost += (x - y) * (x - y));
        }
        if self.power != Power::SQUARED {
            costs.iter_mut().for_each(|cost| *cost = self.power.of_square(*cost));
        }
    }

    /// By `|x|^2 + |y|^2 - 2 <x, y>`.
    fn fill_block(&self, sources: &[f64], targets: &[f64], dim: usize, costs: &mut [f64]) -> bool {
        let (n, m, d) = (sources.len() / dim, targets.len() / dim, dim - 1);
        if d < MIN_DIM_OF_PRODUCTS || n == 0 || m == 0 {
            return false;
        }
        let norms = |rows: &[f64]| -> Vec<f64> {
            rows.chunks_exact(dim).map(|row| sum_of([&row[..d]], |[x]| x * x)).collect()
        };
        let (from, to) = (norms(sources), norms(targets));
        let left = MatRef::from_row_major_slice_with_stride(sources, n, dim, dim).subcols(0, d);
        let right = MatRef::from_row_major_slice_with_stride(targets, m, dim, dim).subcols(0, d);
        let products = MatMut::from_row_major_slice_mut(costs, n, m);
        matmul(products, Accum::Replace, left, right.transpose(), -2.0, Par::Seq);
        let rows = sources.chunks_exact(dim).zip(&from).zip(costs.chunks_exact_mut(m));
        for ((x, x_norm), costs) in rows {
            let (x, label) = self.parts(x);
            let between = self.between_labels.row(label);
            let others = targets.chunks_exact(dim).zip(&to);
            for (cost, (y, y_norm)) in costs.iter_mut().zip(others) {
                let (size, (y, label)) = (x_norm + y_norm, self.parts(y));
                let square = *cost + size;
                let square = if square < MIN_SHARE_OF_NORMS * size { sq_distance(x, y) } else { square };
                *cost = self.power.of_square(square + between[label]);
            }
        }
        true
    }

    fn least(&self, x: &[f64], low: &[f64], high: &[f64]) -> f64 {
        let (x, from) = self.parts(x);
        let ((low, first), (high, last)) = (self.parts(low), self.parts(high));
        let gaps =
            x.iter().zip(low.iter().zip(high)).map(|(x, (low, high))| (low - x).max(x - high).max(0.0));
        // A box of one label knows what that costs.
        let label = if first == last { self.between_labels[(from, first)] } else { self.least[from] };
        self.power.of_square(gaps.map(|gap| gap * gap).sum::<f64>() + label)
    }

    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<Embedded> {
        let places = &self.places;
        let is_separable = self.power == Power::SQUARED && places.are_worth_it(dim - 1);
        let (of_labels, is) = match (places.are_exact, is_separable) {
            (true, _) => ([&places.seen, &places.seen], Some(Form::new(self.power, 1.0))),
            (false, true) => {
                let offsets = points.map(|rows| {
                    let labels = rows.chunks_exact(dim).map(|row| self.parts(row).1);
                    labels.map(|label| places.offsets[label]).collect()
                });
                ([&places.from, &places.to], Some(Form { offsets, ..Form::new(Power::SQUARED, 1.0) }))
            }
            (false, false) => ([&places.seen, &places.seen], None),
        };
        let rows = |rows: &[f64], of_labels: &Array2<f64>| -> Vec<f64> {
            let rows = rows.chunks_exact(dim).map(|row| self.parts(row));
            rows.flat_map(|(place, label)| place.iter().copied().chain(of_labels.row(label).to_vec()))
                .collect()
        };
        let wide = dim - 1 + of_labels[0].ncols();
        Ok(Embedded { points: [rows(points[0], of_labels[0]), rows(points[1], of_labels[1])], dim: wide, is })
    }
}

/// Refuses costs between labels that are none.
fn check(costs: ArrayView2<'_, f64>) -> Result<()> {
    let (rows, columns) = costs.dim();
    let refuse = |problem: String| Err(ErrorKind::BadLabelCosts { problem }.into());
    if rows != columns || rows == 0 {
        return refuse(format!(
            "they are {rows} x {columns}; give a square matrix, a row and a column per label"
        ));
    }
    for ((i, j), &value) in costs.indexed_iter() {
        if !(value.is_finite() && value >= 0.0) {
            return refuse(format!(
                "row {i}, column {j} is {value}; give finite numbers that are not negative"
            ));
        }
        let other = costs[(j, i)];
        if (value - other).abs() > 1e-9 * value.max(other) {
            return refuse(format!(
                "row {i}, column {j} is {value} and row {j}, column {i} is {other}; give a symmetric matrix"
            ));
        }
    }
    Ok(())
}

/// A place for every label, one per row.
///
/// With `J` the projection that takes means away, `B = -J D J / 2` has eigenvectors `q_k` and eigenvalues `l_k`. Where none is negative, labels at
/// `sqrt(l_k) q_k` have squared distances `D` (classical scaling). In any case `B = U V^T` with `U = sqrt(|l_k|) q_k` and `V` the
/// same with the signs of the eigenvalues, so that
///
/// ```text
/// D[i, j] = |u_i - v_j|^2 + s_i + s_j,    s_i = mean of row i - half of the mean of all - |u_i|^2
/// ```
#[derive(Clone, Debug)]
struct Places {
    /// Where squared distances resemble `D`, or are `D`.
    seen: Array2<f64>,
    are_exact: bool,
    /// `U`, `V` and `s`.
    from: Array2<f64>,
    to: Array2<f64>,
    offsets: Vec<f64>,
}

/// Dimensions in which trees find candidates quickly; beyond it more dimensions hardly matter.
const MAX_TREE_DIM: usize = 8;

impl Places {
    fn new(costs: ArrayView2<'_, f64>) -> Result<Self> {
        let count = costs.nrows();
        let means: Vec<f64> = (0..count).map(|i| costs.row(i).sum() / count as f64).collect();
        let all = means.iter().sum::<f64>() / count as f64;
        let products = Array2::from_shape_fn((count, count), |(i, j)| {
            -0.5 * (costs[(i, j)] - means[i] - means[j] + all)
        });
        let eigen = Eigen::of(&products)?;
        let most = eigen.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let kept = |is_kept: &dyn Fn(f64) -> bool| -> Vec<usize> {
            (0..count).filter(|&k| is_kept(eigen.values[k])).collect()
        };
        let scaled = |kept: &[usize], scale: &dyn Fn(f64) -> f64| {
            Array2::from_shape_fn((count, kept.len()), |(i, k)| {
                eigen.vectors[(i, kept[k])] * scale(eigen.values[kept[k]])
            })
        };
        // A label costs something to itself, or distances break the triangle: no places are that far apart.
        let are_exact = eigen.values.iter().all(|value| *value >= -ZERO_SHARE * most)
            && (0..count).all(|i| costs[(i, i)] <= ZERO_SHARE * most);
        let seen = scaled(&kept(&|value| value > ZERO_SHARE * most), &|value| value.sqrt());
        let all_kept = kept(&|value| value != 0.0);
        let from = scaled(&all_kept, &|value| value.abs().sqrt());
        let to = scaled(&all_kept, &|value| value.signum() * value.abs().sqrt());
        let square = |i: usize| from.row(i).iter().map(|u| u * u).sum::<f64>();
        let offsets = (0..count).map(|i| means[i] - 0.5 * all - square(i)).collect();
        Ok(Places { seen, are_exact, from, to, offsets })
    }

    /// Whether places of all labels beside points of so many dimensions still are quick to search.
    fn are_worth_it(&self, dim: usize) -> bool {
        dim > MAX_TREE_DIM || dim + self.from.ncols() <= MAX_TREE_DIM
    }
}
