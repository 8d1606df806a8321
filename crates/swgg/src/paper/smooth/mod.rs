//! The smoothed surrogate of SWGG and its gradient in the direction.

mod buckets;
mod slope;

use buckets::{Buckets, Divisor};

use crate::error::{ErrorKind, Result};
use crate::line::direction::dot;
use crate::line::sampler::Gaussians;
use crate::line::{self, MassBuffers, Sorter};
use crate::measure::{Measure, pairable};
use crate::number::scalar::Scalar;

/// How much a cloud is blurred along the line before its copies are sorted.
///
/// Every projection is copied `s` times, Gaussian noise is added, the copies are sorted, and the `i`-th block of `s` of them is
/// averaged in the full space. The noise has deviation `sqrt(epsilon) / 2`: the reading of the paper's text and of the blurred
/// Wasserstein distance, not the variance `epsilon / 2` of its Algorithm 1. Both clouds get the same noise, rank by rank, as in
/// Algorithm 1, and it depends on the seed alone: the surrogate is a fixed function of the direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blur {
    /// Copies of each point, `s`. `None` derives it from the number of points: what counts is that `s n` is large, so
    /// [`COPIES`](Blur::COPIES) in all, at least [`MIN_COPIES_PER_POINT`](Blur::MIN_COPIES_PER_POINT) of each point.
    pub copies: Option<usize>,
    /// How wide the noise is.
    pub width: BlurWidth,
    /// Seed of the noise.
    pub seed: u64,
}

/// The width of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BlurWidth {
    /// The paper's `epsilon`, in squared units of the coordinates: deviation `sqrt(epsilon) / 2`.
    Epsilon(f64),
    /// A deviation in units of the spread of the projections (the root of the mean of their two variances), at every direction.
    Relative(f64),
}

impl Default for Blur {
    fn default() -> Self {
        Blur { copies: None, width: BlurWidth::Relative(Blur::WIDTH), seed: 0 }
    }
}

impl Blur {
    /// Copies of all points together that the default aims at.
    pub const COPIES: usize = 10_000;
    /// Copies of each point that the default does not go below.
    pub const MIN_COPIES_PER_POINT: usize = 4;
    /// Deviation of the default noise, in units of the spread of the projections.
    pub const WIDTH: f64 = 0.1;
    /// Most copies of all points together: about 3 GB of them.
    pub const MAX_COPIES: usize = 1 << 28;

    /// Refuses no copies, and a width that is negative or not finite.
    pub fn validate(&self) -> Result<()> {
        if self.copies == Some(0) {
            let (name, expected) = ("the number of copies", "give 1 or more");
            return Err(ErrorKind::BadSetting { name, value: 0.0, expected }.into());
        }
        let (BlurWidth::Epsilon(value) | BlurWidth::Relative(value)) = self.width;
        if !(value.is_finite() && value >= 0.0) {
            let expected = "give a finite number that is not negative";
            return Err(ErrorKind::BadSetting { name: "the blur", value, expected }.into());
        }
        Ok(())
    }

    /// Copies of each point, for clouds of at most `n` points; refused if they are more than [`MAX_COPIES`](Blur::MAX_COPIES) in all.
    pub fn copies_for(&self, n: usize) -> Result<usize> {
        let copies =
            self.copies.unwrap_or_else(|| Self::COPIES.div_ceil(n).clamp(Self::MIN_COPIES_PER_POINT, 64));
        match copies.checked_mul(n) {
            Some(all) if all <= Self::MAX_COPIES => Ok(copies),
            _ => Err(ErrorKind::TooManyCopies { copies, n, most: Self::MAX_COPIES }.into()),
        }
    }

    /// Deviation of the noise for projections of this spread.
    fn deviation(&self, spread: f64) -> f64 {
        match self.width {
            BlurWidth::Epsilon(epsilon) => 0.5 * epsilon.sqrt(),
            BlurWidth::Relative(width) => width * spread,
        }
    }
}

/// The surrogate at one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// The smoothed value of `SWGG_2^2`.
    ///
    /// ```text
    /// 2 W_2^2(mu, pivot) + 2 W_2^2(pivot, nu) - 4 W_2^2(blurred mean, pivot)
    /// ```
    pub value: f64,
    /// Its gradient in the direction with the permutations held fixed, as a vector of `R^d`:
    ///
    /// ```text
    /// 8/n sum_i [ z_i (B~_i - B_i) + B_i <theta, B~_i - B_i> ],    z_i = <theta, B_i>
    /// ```
    ///
    /// with `B_i` the middle of the `i`-th pair and `B~_i` its blurred counterpart. Zero without blur. As the direction turns,
    /// copies also cross from block to block, which this leaves out: it points downhill, but is shorter than the slope of the
    /// value, the more so the narrower the blur.
    pub gradient: Vec<f64>,
}

/// Numbers of noise drawn at a time.
pub(crate) const NUMBERS_PER_NOISE_CHUNK: usize = 1 << 14;

/// The `k`-th chunk of `len` standard Gaussian numbers, which depend on the seed and their position alone.
pub(crate) fn noise(seed: u64, k: usize, len: usize) -> Vec<f32> {
    /// Streams from here on: the first ones belong to directions.
    const FIRST_NOISE_STREAM: usize = 1 << 40;
    let mut chunk = vec![0.0; NUMBERS_PER_NOISE_CHUNK.min(len - k * NUMBERS_PER_NOISE_CHUNK)];
    Gaussians::new(seed, FIRST_NOISE_STREAM + k).fill(&mut chunk);
    chunk.into_iter().map(|x| x as f32).collect()
}

#[derive(Default)]
struct SideScratch {
    sorter: Sorter,
    values: Vec<f64>,
    buckets: Buckets,
    order: Vec<u32>,
}

/// One cloud seen along a direction.
#[derive(Default)]
struct Side {
    /// Points by rank, centred, row by row.
    points: Vec<f64>,
    /// Projections by rank, not centred.
    along: Vec<f64>,
    /// Which point has which rank.
    order: Vec<u32>,
}

/// The surrogate of two measures as a function of the direction.
pub(crate) struct Surrogate<'a, T: Scalar> {
    pub source: &'a Measure<'a, T>,
    pub target: &'a Measure<'a, T>,
    pub blur: Blur,
    /// Copies of each point.
    pub copies: usize,
    /// Standard Gaussian numbers, at least one per copy.
    pub noise: &'a [f32],
    /// Near the clouds: their surrogate does not change when both move together, and here its terms are smallest.
    pub centre: &'a [f64],
}

impl<T: Scalar> Surrogate<'_, T> {
    /// Value and gradient at `theta`. `join` runs two tasks, at the same time if it can; the result does not depend on it.
    pub fn at(
        &self,
        theta: &[f64],
        scratch: &mut SmoothScratch,
        join: impl Fn(Task<'_>, Task<'_>),
    ) -> Smoothed {
        let Surrogate { source, target, blur, copies, noise, centre } = *self;
        let SmoothScratch { sides: [left, right], masses } = scratch;
        let (mut x, mut y) = (Side::default(), Side::default());
        {
            let (left, right, x, y) = (&mut *left, &mut *right, &mut x, &mut y);
            join(
                Box::new(move || *x = Side::new(source, theta, centre, left)),
                Box::new(move || *y = Side::new(target, theta, centre, right)),
            );
        }
        let spread = (0.5 * (variance(source, &x) + variance(target, &y))).sqrt();
        let deviation = blur.deviation(spread);
        let pieces =
            if pairable(source, target) { Vec::new() } else { pieces(source, &x, target, &y, masses) };
        let (mut blurred_x, mut blurred_y) = (Vec::new(), Vec::new());
        {
            let (x, y, blurred_x, blurred_y, pieces) = (&x, &y, &mut blurred_x, &mut blurred_y, &pieces);
            join(
                Box::new(move || *blurred_x = x.blurred(source, pieces, copies, deviation, noise, left)),
                Box::new(move || *blurred_y = y.blurred(target, pieces, copies, deviation, noise, right)),
            );
        }
        let (points, means) = ([&*x.points, &*y.points], [&*blurred_x, &*blurred_y]);
        if pieces.is_empty() {
            let n = source.len();
            return combine(theta, points, means, (0..n as u32).map(|k| (k, k, 1.0 / n as f64)));
        }
        combine(theta, points, means, pieces.into_iter())
    }
}

/// Memory of one evaluation, kept from call to call.
#[derive(Default)]
pub(crate) struct SmoothScratch {
    sides: [SideScratch; 2],
    masses: MassBuffers,
}

/// The pieces of the plan: rank in the source, rank in the target, mass.
fn pieces<T: Scalar>(
    source: &Measure<T>,
    x: &Side,
    target: &Measure<T>,
    y: &Side,
    masses: &mut MassBuffers,
) -> Vec<(u32, u32, f64)> {
    let ranks = |order: &[u32]| {
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, &i)| ranks[i as usize] = rank as u32);
        ranks
    };
    let (rank_x, rank_y) = (ranks(&x.order), ranks(&y.order));
    let mut pieces = Vec::with_capacity(source.len() + target.len());
    line::merge(source, &x.order, target, &y.order, masses, |i, j, mass| {
        if mass.units > 0 {
            pieces.push((rank_x[i], rank_y[j], mass.fraction()));
        }
    });
    pieces
}

/// A piece of work for one thread.
pub(crate) type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

impl Side {
    fn new<T: Scalar>(
        measure: &Measure<T>,
        theta: &[f64],
        centre: &[f64],
        scratch: &mut SideScratch,
    ) -> Side {
        let (n, d) = (measure.len(), measure.dim());
        let SideScratch { sorter, values, .. } = scratch;
        values.clear();
        values.extend(measure.points().chunks_exact(d).map(|x| dot(x, theta)));
        let mut order = Vec::new();
        sorter.sort(values.as_slice(), &mut order);
        let along = order.iter().map(|&i| values[i as usize]).collect();
        let mut points = Vec::with_capacity(n * d);
        for &i in &order {
            points.extend(measure.point(i as usize).iter().zip(centre).map(|(x, c)| x.to_f64() - c));
        }
        Side { points, along, order }
    }

    /// For every piece of the plan, the mean of the blurred copies that fill it. No pieces means one per rank.
    fn blurred<T: Scalar>(
        &self,
        measure: &Measure<T>,
        pieces: &[(u32, u32, f64)],
        copies: usize,
        deviation: f64,
        noise: &[f32],
        scratch: &mut SideScratch,
    ) -> Vec<f64> {
        let d = measure.dim();
        if pieces.is_empty() {
            let buckets = &mut scratch.buckets;
            buckets.fill(&self.along, copies, deviation, noise);
            let mut means = match d {
                2 => self.block_sums::<2>(buckets, copies),
                3 => self.block_sums::<3>(buckets, copies),
                _ => self.long_block_sums(buckets, copies, d),
            };
            means.iter_mut().for_each(|sum| *sum /= copies as f64);
            return means;
        }
        let mut out = vec![0.0; pieces.len() * d];
        self.shares(measure, pieces, (copies, deviation, noise), scratch, |piece, rank, share| {
            let point = &self.points[rank * d..(rank + 1) * d];
            out[piece * d..(piece + 1) * d].iter_mut().zip(point).for_each(|(sum, x)| *sum += share * x);
        });
        out
    }

    /// Tells, for every piece of the plan, which ranks fill it and with which share of it. No pieces means one per rank.
    fn shares<T: Scalar>(
        &self,
        measure: &Measure<T>,
        pieces: &[(u32, u32, f64)],
        (copies, deviation, noise): (usize, f64, &[f32]),
        scratch: &mut SideScratch,
        mut tell: impl FnMut(usize, usize, f64),
    ) {
        let SideScratch { buckets, order: copy_order, .. } = scratch;
        buckets.fill(&self.along, copies, deviation, noise);
        if pieces.is_empty() {
            let (of, share) = (Divisor::new(copies), 1.0 / copies as f64);
            for (copy, position) in buckets.positions() {
                tell(of.divide(position), of.divide(copy), share);
            }
            return;
        }
        copy_order.resize(buckets.len(), 0);
        buckets.positions().for_each(|(copy, position)| copy_order[position] = copy as u32);
        let rank_of = |copy: u32| copy as usize / copies;
        let mut copy = 0;
        let mass_of =
            |copy: usize| measure.weight(self.order[rank_of(copy_order[copy])] as usize) / copies as f64;
        let mut left = mass_of(0);
        for (piece, &(_, _, mass)) in pieces.iter().enumerate() {
            let mut missing = mass;
            // The last copy takes what rounding has left over.
            while missing > 0.0 {
                let last = copy + 1 == copy_order.len();
                let used = if last || left > missing { missing } else { left };
                tell(piece, rank_of(copy_order[copy]), used / mass);
                missing -= used;
                left -= used;
                if left <= 0.0 && !last {
                    copy += 1;
                    left = mass_of(copy);
                }
            }
        }
    }

    /// Sums of the points of the copies in each block of `copies`.
    ///
    /// Copies come rank by rank, so points are read in order and blocks written nearby: nothing has to be sorted.
    fn block_sums<const D: usize>(&self, buckets: &mut Buckets, copies: usize) -> Vec<f64> {
        let mut sums = vec![[0.0; D]; self.order.len()];
        let share = Divisor::new(copies);
        let mut positions = buckets.positions();
        for point in self.points.as_chunks::<D>().0 {
            for (_, position) in positions.by_ref().take(copies) {
                let sum = &mut sums[share.divide(position)];
                for c in 0..D {
                    sum[c] += point[c];
                }
            }
        }
        sums.into_flattened()
    }

    fn long_block_sums(&self, buckets: &mut Buckets, copies: usize, d: usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.points.len()];
        let mut positions = buckets.positions();
        for point in self.points.chunks_exact(d) {
            for (_, position) in positions.by_ref().take(copies) {
                let block = position / copies;
                sums[block * d..(block + 1) * d].iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
            }
        }
        sums
    }
}

/// Variance of the projections about their own mean.
fn variance<T: Scalar>(measure: &Measure<T>, side: &Side) -> f64 {
    let weigh = || side.order.iter().zip(&side.along).map(|(&i, z)| (measure.weight(i as usize), z));
    // About the first value: projections may be large beside their spread.
    let origin = side.along[0];
    let mean: f64 = weigh().map(|(a, z)| a * (z - origin)).sum();
    weigh().map(|(a, z)| a * (z - origin - mean).powi(2)).sum()
}

/// Value and gradient from points by rank and their blurred means, piece by piece of the plan.
fn combine(
    theta: &[f64],
    [x, y]: [&[f64]; 2],
    [blurred_x, blurred_y]: [&[f64]; 2],
    pieces: impl Iterator<Item = (u32, u32, f64)>,
) -> Smoothed {
    let d = theta.len();
    let mut value = 0.0;
    let mut gradient = vec![0.0; d];
    let mut middle = vec![0.0; d];
    let mut moved = vec![0.0; d];
    for (piece, (i, j, mass)) in pieces.enumerate() {
        let row = |k: usize| k * d..(k + 1) * d;
        let (x, y) = (&x[row(i as usize)], &y[row(j as usize)]);
        let (bx, by) = (&blurred_x[row(piece)], &blurred_y[row(piece)]);
        let (mut along, mut shift, mut norms) = (0.0, 0.0, 0.0);
        for c in 0..d {
            let blurred = 0.5 * (bx[c] + by[c]);
            middle[c] = 0.5 * (x[c] + y[c]);
            moved[c] = blurred - middle[c];
            along += theta[c] * middle[c];
            shift += theta[c] * moved[c];
            norms += x[c] * x[c] + y[c] * y[c] - 2.0 * blurred * blurred;
        }
        value += mass * (2.0 * norms + 8.0 * along * shift);
        for c in 0..d {
            gradient[c] += 8.0 * mass * (along * moved[c] + middle[c] * shift);
        }
    }
    Smoothed { value, gradient }
}
