//! Matrices of costs.

use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use rayon::prelude::*;
use swgg::Parallelism;
use swgg::ndarray::Array2;

use crate::errors::{Failure, Outcome};
use crate::held::Held;
use crate::run::{Task, run};

/// Points of a panel: their sums stay in registers while coordinates pass.
const LANES: usize = 16;
/// Rows that see a panel while it is in the cache.
const ROWS_PER_TASK: usize = 32;
/// Whole exponents up to this are products.
const MOST_FACTORS: f64 = 16.0;

/// What a pair of coordinates adds, and what is made of the sum.
#[derive(Clone, Copy)]
enum Metric {
    SqEuclidean,
    Euclidean,
    Cityblock,
    Chebyshev,
    /// `(sum |x - y|^p)^(1/p)` for a whole `p`.
    Whole(i32),
    /// For any other.
    Minkowski(f64),
}

impl Metric {
    fn new(name: &str, p: f64) -> Outcome<Self> {
        Ok(match name {
            "sqeuclidean" => Metric::SqEuclidean,
            "euclidean" => Metric::Euclidean,
            "cityblock" => Metric::Cityblock,
            "chebyshev" => Metric::Chebyshev,
            "minkowski" if p == 1.0 => Metric::Cityblock,
            "minkowski" if p == 2.0 => Metric::Euclidean,
            "minkowski" if p.fract() == 0.0 && (1.0..=MOST_FACTORS).contains(&p) => Metric::Whole(p as i32),
            "minkowski" if p.is_finite() && p > 0.0 => Metric::Minkowski(p),
            "minkowski" => {
                return Err(Failure::Said(format!("p: found {p}, expected a finite number above 0")));
            }
            _ => return Err(Failure::Said(format!("metric: found {name:?}, which is not a metric"))),
        })
    }

    /// About how many multiplications a pair of coordinates takes.
    fn work(self) -> f64 {
        if matches!(self, Metric::Minkowski(_)) { 40.0 } else { 1.0 }
    }
}

/// Matrix of costs between rows of points; each coordinate counts as often as its weight says.
#[pyfunction]
pub fn pot_dist<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    y: PyReadonlyArray2<'py, f64>,
    metric: &str,
    p: f64,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    single: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (shape, dim) = ((x.shape()[0], y.shape()[0]), x.shape()[1]);
    let weights = weights.map(|weights| weights.as_array().to_vec());
    let metric = Metric::new(metric, p)?;
    let points = [Held::new(&x)?, Held::new(&y)?];
    let work = metric.work() * (shape.0 * shape.1 * dim) as f64;
    let task = Task { threads: None, callback: None, work };
    if single {
        let found = run(py, task, move |_, parallelism| {
            matrix(&points, dim, shape, metric, weights.as_deref(), parallelism, |sum| sum as f32)
        })?;
        Ok(found.into_pyarray(py).into_any())
    } else {
        let found = run(py, task, move |_, parallelism| {
            matrix(&points, dim, shape, metric, weights.as_deref(), parallelism, |sum| sum)
        })?;
        Ok(found.into_pyarray(py).into_any())
    }
}

fn matrix<T: Copy + Default + Send + Sync>(
    points: &[Held<f64>; 2],
    dim: usize,
    (n, m): (usize, usize),
    metric: Metric,
    weights: Option<&[f64]>,
    parallelism: Parallelism,
    rounded: impl Fn(f64) -> T + Copy + Sync,
) -> Outcome<Array2<T>> {
    let mut costs = vec![T::default(); n * m];
    if dim > 0 && !costs.is_empty() {
        let panels = panels(&points[1], dim);
        let block = |(k, out): (usize, &mut [T])| {
            let rows = &points[0][k * ROWS_PER_TASK * dim..];
            let rows = &rows[..rows.len().min(ROWS_PER_TASK * dim)];
            block(metric, weights, rows, &panels, dim, out, rounded);
        };
        match parallelism {
            Parallelism::Serial => costs.chunks_mut(ROWS_PER_TASK * m).enumerate().for_each(block),
            _ => costs.par_chunks_mut(ROWS_PER_TASK * m).enumerate().for_each(block),
        }
    }
    Array2::from_shape_vec((n, m), costs).map_err(|error| Failure::Panicked(error.to_string()))
}

/// Costs of some rows, by the formula of the metric, so that the innermost loop has no choice to make.
fn block<T: Copy>(
    metric: Metric,
    weights: Option<&[f64]>,
    rows: &[f64],
    panels: &[f64],
    dim: usize,
    out: &mut [T],
    rounded: impl Fn(f64) -> T,
) {
    macro_rules! fill {
        ($add:expr, $end:expr) => {
            match weights {
                None => {
                    fill(rows, panels, dim, out, |_, gap, sum| $add(1.0, gap, sum), |sum| rounded($end(sum)))
                }
                Some(w) => {
                    fill(rows, panels, dim, out, |c, gap, sum| $add(w[c], gap, sum), |sum| rounded($end(sum)))
                }
            }
        };
    }
    match metric {
        Metric::SqEuclidean => fill!(|w: f64, gap: f64, sum: f64| sum + w * (gap * gap), |sum: f64| sum),
        Metric::Euclidean => fill!(|w: f64, gap: f64, sum: f64| sum + w * (gap * gap), f64::sqrt),
        Metric::Cityblock => fill!(|w: f64, gap: f64, sum: f64| sum + w * gap.abs(), |sum: f64| sum),
        Metric::Chebyshev => fill!(
            |w: f64, gap: f64, sum: f64| {
                let gap = w * gap.abs();
                // A gap that is no number stays one.
                if gap > sum || gap.is_nan() { gap } else { sum }
            },
            |sum: f64| sum
        ),
        // What others ask for, in instructions that vectors have.
        Metric::Whole(3) => fill!(|w: f64, gap: f64, sum: f64| sum + w * (gap * gap * gap.abs()), f64::cbrt),
        Metric::Whole(p) => {
            fill!(|w: f64, gap: f64, sum: f64| sum + w * gap.abs().powi(p), |sum: f64| sum
                .powf(1.0 / f64::from(p)));
        }
        Metric::Minkowski(p) => {
            fill!(|w: f64, gap: f64, sum: f64| sum + w * gap.abs().powf(p), |sum: f64| sum.powf(1.0 / p));
        }
    }
}

#[inline(always)]
fn fill<T: Copy>(
    rows: &[f64],
    panels: &[f64],
    dim: usize,
    out: &mut [T],
    add: impl Fn(usize, f64, f64) -> f64,
    end: impl Fn(f64) -> T,
) {
    let m = out.len() / (rows.len() / dim);
    for (k, panel) in panels.chunks_exact(LANES * dim).enumerate() {
        let columns = k * LANES..m.min((k + 1) * LANES);
        for (x, out) in rows.chunks_exact(dim).zip(out.chunks_exact_mut(m)) {
            let mut sums = [0.0; LANES];
            for (c, (x, y)) in x.iter().zip(panel.as_chunks::<LANES>().0).enumerate() {
                for lane in 0..LANES {
                    sums[lane] = add(c, x - y[lane], sums[lane]);
                }
            }
            out[columns.clone()].iter_mut().zip(sums).for_each(|(out, sum)| *out = end(sum));
        }
    }
}

/// Points in panels of [`LANES`], each panel column by column; the last one is filled up with zeros.
fn panels(rows: &[f64], dim: usize) -> Vec<f64> {
    let count = rows.len() / dim;
    let mut panels = vec![0.0; count.next_multiple_of(LANES) * dim];
    for (i, row) in rows.chunks_exact(dim).enumerate() {
        let panel = i / LANES * LANES * dim;
        row.iter().enumerate().for_each(|(c, x)| panels[panel + c * LANES + i % LANES] = *x);
    }
    panels
}
