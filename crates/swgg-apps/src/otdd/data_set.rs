//! Points with labels.

use std::collections::BTreeMap;
use std::ops::Range;

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;
use swgg::Measure;

use super::error::{Error, Result};

/// Points with labels, checked once. Inside they are in the order of their labels, so that a class is one piece.
///
/// ```
/// use swgg_apps::otdd::DataSet;
/// let set = DataSet::new(vec![0.0, 0.0, 5.0, 5.0, 1.0, 0.0], 2, &[7, 3, 7])?;
/// assert_eq!((set.len(), set.dim(), set.labels()), (3, 2, &[3, 7][..]));
/// assert_eq!(set.class_sizes(), [1, 2]);
/// # Ok::<(), swgg_apps::otdd::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DataSet {
    points: Vec<f64>,
    dim: usize,
    /// The labels that there are, in their order.
    labels: Vec<u32>,
    /// Where the points of each begin, and where the last ones end.
    begins: Vec<usize>,
}

impl DataSet {
    /// From rows of `dim` coordinates and a label for each. Labels are any whole numbers; those that nobody bears do not count.
    ///
    /// # Errors
    ///
    /// No points, coordinates that are not finite, and labels of another number.
    pub fn new(points: Vec<f64>, dim: usize, labels: &[u32]) -> Result<Self> {
        let rows = Measure::from_slice(&points, dim)?.len();
        if labels.len() != rows {
            return Err(Error::LabelCount { found: labels.len(), expected: rows });
        }
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        labels.iter().enumerate().for_each(|(row, label)| classes.entry(*label).or_default().push(row));
        let mut begins = vec![0];
        let mut order = Vec::with_capacity(rows);
        for rows in classes.values() {
            order.extend(rows);
            begins.push(order.len());
        }
        let is_ordered = order.iter().enumerate().all(|(place, row)| place == *row);
        let points = if is_ordered { points } else { picked(&points, dim, &order) };
        Ok(DataSet { points, dim, labels: classes.into_keys().collect(), begins })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.dim
    }

    /// Never: it has at least one point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Dimension of the space.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The labels that there are, in their order.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// How many points bear each of them.
    pub fn class_sizes(&self) -> Vec<usize> {
        self.begins.windows(2).map(|ends| ends[1] - ends[0]).collect()
    }

    /// All points, class by class, row by row.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.labels.len()
    }

    /// Rows of a class.
    pub(super) fn rows_of(&self, class: usize) -> Range<usize> {
        self.begins[class]..self.begins[class + 1]
    }

    /// The points of a class, row by row.
    pub(super) fn class(&self, class: usize) -> &[f64] {
        let rows = self.rows_of(class);
        &self.points[rows.start * self.dim..rows.end * self.dim]
    }
}

/// Which of `rows` points a sample takes, in their order: so many, drawn without replacement, all equally likely whatever their labels, as the
/// code of the paper's experiments does it; all of them where there are no more. The draw depends on the seed and on the number of points only.
///
/// ```
/// use swgg_apps::otdd::sample;
/// let rows = sample(60_000, 2000, 7)?;
/// assert_eq!((rows.len(), &rows), (2000, &sample(60_000, 2000, 7)?));
/// assert!(rows.is_sorted() && rows[1999] < 60_000);
/// assert_eq!(sample(3, 2000, 7)?, [0, 1, 2]);
/// # Ok::<(), swgg_apps::otdd::Error>(())
/// ```
///
/// # Errors
///
/// A sample of nothing.
pub fn sample(rows: usize, count: usize, seed: u64) -> Result<Vec<usize>> {
    if count == 0 {
        return Err(Error::NoSamples);
    }
    if count >= rows {
        return Ok((0..rows).collect());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x6f74_6464);
    let mut drawn = index::sample(&mut rng, rows, count).into_vec();
    drawn.sort_unstable();
    Ok(drawn)
}

fn picked(points: &[f64], dim: usize, rows: &[usize]) -> Vec<f64> {
    rows.iter().flat_map(|row| &points[row * dim..(row + 1) * dim]).copied().collect()
}
