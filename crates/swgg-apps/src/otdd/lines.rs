//! min-SWGG between classes by random lines that are the same for all of them.
//!
//! A line orders the points of every class once, whatever they are compared with. With the squared distances of two classes in a table, what the plan of a line
//! costs is then a sum of as many numbers as there are points: no coordinate is looked at again.

use swgg::Measure;
use swgg::cost::squared_distances;
use swgg::line::{Sampler, Sphere};
use swgg::paper::settings::LISTED;
use swgg::paper::{SearchSpec, orders};
use swgg::run::Workers;
use swgg::setting::Settings;

use super::data_set::DataSet;
use super::error::{Error, Result};

/// Places in orders of a data set, at most: 128 MB.
const MAX_PLACES: usize = 1 << 25;
/// Squared distances in the table of two classes, at most: 32 MB for each thread.
const MAX_PAIRS: usize = 1 << 22;
/// Dimension from which few points are better off in the subspace that they span, which the search itself looks for.
const MAX_DIM: usize = 4095;

/// The points of every class of a data set in their order along each of some lines.
pub(super) struct Lines {
    /// Of the first class along all lines, then of the second.
    orders: Vec<Vec<Vec<u32>>>,
}

/// How many random lines a search of this kind tries; `None` where it is another search, or lines are listed.
pub(super) fn count(search: &Settings) -> Result<Option<usize>> {
    let spec = SearchSpec::new(search.clone())?;
    let is_random = spec.name() == Some("random") && !search.has(&LISTED);
    Ok(is_random.then(|| spec.directions()))
}

/// Whether orders and tables of these data sets are worth their memory.
pub(super) fn are_worth_it(sets: [&DataSet; 2], lines: usize) -> bool {
    let largest = |set: &DataSet| set.class_sizes().into_iter().max().unwrap_or(0);
    let places = sets.map(|set| set.len().saturating_mul(lines));
    let pairs = largest(sets[0]).saturating_mul(largest(sets[1]));
    // A table takes as long as about a tenth as many lines as there are points, by their coordinates.
    let is_used = lines.saturating_mul(10) >= sets.map(largest)[0].min(sets.map(largest)[1]);
    places.into_iter().all(|places| places <= MAX_PLACES)
        && pairs <= MAX_PAIRS
        && sets[0].dim() <= MAX_DIM
        && is_used
}

impl Lines {
    /// Along the first lines of a seed, which are those of a [`RandomSearch`](swgg::paper::RandomSearch); there is at least one line.
    pub fn new(set: &DataSet, lines: usize, seed: u64, workers: &Workers) -> Result<Self> {
        let directions = Sphere::new(set.dim(), seed)?.batch(0..lines);
        let mut all = Vec::with_capacity(set.classes());
        for class in 0..set.classes() {
            if workers.is_halted() {
                return Err(Error::Stopped);
            }
            let cloud = Measure::from_slice(set.class(class), set.dim())?;
            all.push(orders(&cloud, &directions, workers)?);
        }
        Ok(Lines { orders: all })
    }

    /// The least mean squared distance of the plans of all lines, between a class of one data set and one of the other.
    pub fn least(&self, other: &Lines, sets: [&DataSet; 2], [a, b]: [usize; 2]) -> f64 {
        let [x, y] = [sets[0].class(a), sets[1].class(b)];
        let dim = sets[0].dim();
        let (n, m) = (x.len() / dim, y.len() / dim);
        let table = squared_distances(x, y, dim);
        let cost = |(sigma, tau): (&Vec<u32>, &Vec<u32>)| {
            if n == m {
                let paid = |(&i, &j): (&u32, &u32)| table[i as usize * m + j as usize];
                return sigma.iter().zip(tau).map(paid).sum::<f64>() / n as f64;
            }
            // Every source has m units of mass and every target n.
            let (mut i, mut j, mut left, mut free, mut sum) = (0, 0, m, n, 0.0);
            while i < n && j < m {
                let units = left.min(free);
                sum += units as f64 * table[sigma[i] as usize * m + tau[j] as usize];
                left -= units;
                free -= units;
                if left == 0 {
                    (i, left) = (i + 1, m);
                }
                if free == 0 {
                    (j, free) = (j + 1, n);
                }
            }
            sum / (n as f64 * m as f64)
        };
        self.orders[a].iter().zip(&other.orders[b]).map(cost).fold(f64::INFINITY, f64::min)
    }
}
