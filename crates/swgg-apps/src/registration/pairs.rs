//! Nearest neighbours of two clouds, both ways, without those that have no counterpart.

use swgg::ndarray::{Array2, Axis, s};
use swgg::{Neighbors, Parallelism, PointTree};

use super::cloud::{Cloud, measure};
use super::crew::Crew;
use super::error::{Error, Result};
use super::follow::Followed;
use super::motion::{Group, Motion, fit_rows};
use super::settings::Overlap;

/// Points without a counterpart are at most this share.
const LEAST: f64 = 0.2;
/// Points that come near on behalf of all.
const SPARSE: usize = 3000;
/// Points that are asked how far apart points are.
const SPACED: usize = 2000;
/// How much more overlap is worth: the mean square may grow by this power of the share. Trimmed ICP (Chetverikov et al. 2002) takes 3.
const WORTH: i32 = 3;

/// Neighbours of a step before, both ways, with which the next one begins; none at first.
pub(super) type Known = [Vec<u32>; 2];

/// Nearest neighbours of some points, which are known afterwards.
fn near(
    tree: &PointTree,
    points: &Array2<f64>,
    known: &mut Vec<u32>,
    parallelism: Parallelism,
) -> Result<Neighbors> {
    let asking = points.view();
    let asking = measure(&asking)?;
    let found = match known.len() == asking.len() {
        true => tree.nearest_from(&asking, known, parallelism)?,
        false => tree.nearest_in_order(&asking, 1, parallelism)?,
    };
    known.clear();
    known.extend(&found.indices);
    Ok(found)
}

/// Two clouds that are asked for neighbours.
pub(super) struct Sides {
    pub source: Array2<f64>,
    pub target: Array2<f64>,
    pub source_tree: PointTree,
    pub target_tree: PointTree,
    /// Those points of each cloud that ask: every so many of them, in an order in which that is an even choice.
    asking: [Asking; 2],
    /// Squared distance between neighbours of the coarser cloud: nearer than this, points tell nothing about the overlap.
    pub grain: f64,
}

/// Points that ask for neighbours.
struct Asking {
    points: Array2<f64>,
    /// Index of the first is 0, of the next one this.
    step: usize,
}

impl Asking {
    /// One in so many of them.
    fn every(&self, many: usize) -> Asking {
        Asking { points: self.points.slice(s![..;many, ..]).to_owned(), step: self.step * many }
    }

    /// About so many of the points, in their order.
    fn new(points: &Array2<f64>, most: usize) -> Self {
        let step = points.nrows().div_ceil(most).max(1);
        Asking { points: points.slice(s![..;step, ..]).to_owned(), step }
    }
}

/// Points and their counterparts.
pub(super) struct Pairs {
    /// Index of the source point, index of the target point.
    pub pairs: Vec<(u32, u32)>,
    /// Mean square of their distances.
    pub cost: f64,
    /// Share of the source, and of the target, that takes part.
    pub share: [f64; 2],
    /// Mean squares over powers of shares, both ways: what is to be small.
    pub score: f64,
    /// Largest square of the source's.
    pub farthest: f64,
}

/// A cloud in an order in which neighbours are asked for soonest.
pub(super) struct Arranged {
    points: Array2<f64>,
    tree: PointTree,
    /// Squared distance between neighbours.
    spacing: f64,
}

impl Arranged {
    pub fn new(points: Array2<f64>, parallelism: Parallelism) -> Result<Self> {
        let (tree, order) = PointTree::new(&measure(&points.view())?, parallelism)?.in_order();
        let order: Vec<usize> = order.iter().map(|&i| i as usize).collect();
        let points = points.select(Axis(0), &order);
        let some = Asking::new(&points, SPACED).points;
        let near = tree.nearest_in_order(&measure(&some.view())?, 2.min(points.nrows()), parallelism)?;
        let mut squares = near.squares.column(1).to_vec();
        let middle = squares.len() / 2;
        let spacing = *squares.select_nth_unstable_by(middle, f64::total_cmp).1;
        Ok(Arranged { points, tree, spacing })
    }
}

impl Sides {
    /// Of points of the source and of the target: `points` takes some of a cloud, given its number, 0 or 1. At most so many of them ask
    /// for neighbours.
    pub fn new(
        [source, target]: [&Cloud; 2],
        points: impl Fn(&Cloud, u64) -> Array2<f64> + Sync + Send,
        most: usize,
        crew: &Crew,
    ) -> Result<Self> {
        let parallelism = crew.run(|parallelism| parallelism);
        let clouds = [(source, 0), (target, 1)];
        let both = crew.map(&clouds, |(cloud, side)| Arranged::new(points(cloud, *side), parallelism));
        let both: Vec<Arranged> = both.into_iter().collect::<Result<_>>()?;
        let Ok([source, target]) = <[Arranged; 2]>::try_from(both) else { return Err(Error::NoFit) };
        let asking = [&source, &target].map(|side| Asking::new(&side.points, most));
        Ok(Sides {
            grain: source.spacing.max(target.spacing),
            source: source.points,
            target: target.points,
            source_tree: source.tree,
            target_tree: target.tree,
            asking,
        })
    }

    /// Neighbours of the source in the target; with `back` also the other way. One in `every` points asks.
    pub fn pairs(
        &self,
        motion: &Motion,
        overlap: Overlap,
        asking: (bool, usize),
        parallelism: Parallelism,
    ) -> Result<Pairs> {
        self.pairs_after(&mut Known::default(), motion, overlap, asking, parallelism)
    }

    /// The same, after a step of which the neighbours are known.
    pub fn pairs_after(
        &self,
        known: &mut Known,
        motion: &Motion,
        overlap: Overlap,
        (back, every): (bool, usize),
        parallelism: Parallelism,
    ) -> Result<Pairs> {
        let [from, to] = [0, 1].map(|side| self.asking[side].every(every));
        let moved = motion.apply(from.points.view());
        let there = near(&self.target_tree, &moved, &mut known[0], parallelism)?;
        let there =
            Way::new(there.squares.column(0).to_vec(), there.indices.column(0).to_vec(), overlap, self.grain);
        let mut pairs: Vec<(u32, u32)> = there.members().map(|(i, j)| (i * from.step as u32, j)).collect();
        let (mut sum, mut score, mut share) = (there.sum, there.score, [there.share(), 1.0]);
        if back {
            let moved = motion.inverse().apply(to.points.view());
            let found = near(&self.source_tree, &moved, &mut known[1], parallelism)?;
            let scale = motion.scale * motion.scale;
            let squares = found.squares.column(0).iter().map(|square| scale * square).collect();
            let home = Way::new(squares, found.indices.column(0).to_vec(), overlap, self.grain);
            pairs.extend(home.members().map(|(j, i)| (i, j * to.step as u32)));
            sum += home.sum;
            score += home.score;
            share[1] = home.share();
        }
        let cost = sum / pairs.len() as f64;
        Ok(Pairs { pairs, cost, share, score, farthest: there.limit })
    }

    /// Neighbours of the source in the target that are nearer than this, squared. One in `every` points asks; if all do, those that
    /// have hardly moved since the last time are spared.
    pub fn within(
        &self,
        motion: &Motion,
        limit: f64,
        every: usize,
        (known, followed): (&mut Vec<u32>, &mut Followed),
        parallelism: Parallelism,
    ) -> Result<Pairs> {
        let moved = motion.apply(self.source.slice(s![..;every, ..]));
        let found;
        let (squares, indices) = if every == 1 {
            followed.follow((&self.target_tree, &self.target), &moved, parallelism)?;
            (&followed.squares[..], &followed.indices[..])
        } else {
            found = near(&self.target_tree, &moved, known, parallelism)?;
            (found.squares.as_slice().unwrap_or_default(), &known[..])
        };
        let near = squares.iter().zip(indices).enumerate().filter(|(_, (square, _))| **square <= limit);
        let (mut sum, mut pairs) = (0.0, Vec::with_capacity(moved.nrows()));
        for (i, (square, &j)) in near {
            sum += square;
            pairs.push(((i * every) as u32, j));
        }
        let count = pairs.len();
        let share = count as f64 / moved.nrows() as f64;
        Ok(Pairs {
            pairs,
            cost: sum / count.max(1) as f64,
            share: [share, 1.0],
            score: f64::NAN,
            farthest: limit,
        })
    }

    /// One in so many points is enough to come near.
    pub fn sparse(&self) -> usize {
        (self.source.nrows().min(self.target.nrows()) / SPARSE).max(1)
    }

    /// Share of the source within so many grains, squared, of the target.
    pub fn close(&self, motion: &Motion, grains: f64, crew: &Crew) -> Result<f64> {
        let moved = motion.apply(self.source.slice(s![..;self.sparse(), ..]));
        let near = crew.run(|parallelism| -> Result<_> {
            Ok(self.target_tree.nearest_in_order(&measure(&moved.view())?, 1, parallelism)?)
        })?;
        let limit = grains * self.grain;
        let count = near.squares.iter().filter(|square| **square <= limit).count();
        Ok(count as f64 / moved.nrows() as f64)
    }

    /// The motion that fits pairs best.
    pub fn fit(&self, pairs: &Pairs, group: Group) -> Result<Motion> {
        let d = self.source.ncols();
        let (Some(x), Some(y)) = (self.source.as_slice(), self.target.as_slice()) else {
            return Err(Error::NoFit);
        };
        let row = |i: u32| i as usize * d..(i as usize + 1) * d;
        fit_rows(d, pairs.pairs.iter().map(|&(i, j)| (&x[row(i)], &y[row(j)], 1.0)), group)
    }
}

/// Neighbours one way, and how many of them count.
struct Way {
    squares: Vec<f64>,
    neighbors: Vec<u32>,
    /// The largest square that counts.
    limit: f64,
    count: usize,
    sum: f64,
    score: f64,
}

impl Way {
    fn new(squares: Vec<f64>, neighbors: Vec<u32>, overlap: Overlap, grain: f64) -> Self {
        let n = squares.len();
        let mut sorted = squares.clone();
        let count = match overlap {
            Overlap::Share(1.0) => n,
            Overlap::Share(share) => {
                let count = ((share * n as f64).round() as usize).clamp(1, n);
                sorted.select_nth_unstable_by(count - 1, f64::total_cmp);
                count
            }
            Overlap::Auto => {
                sorted.sort_unstable_by(f64::total_cmp);
                best_count(&sorted, grain)
            }
        };
        let sum: f64 = sorted[..count].iter().sum();
        let limit = sorted[..count].iter().copied().fold(0.0, f64::max);
        let share = count as f64 / n as f64;
        let score = (sum / count as f64 + grain / 4.0) / share.powi(WORTH);
        Way { squares, neighbors, limit, count, sum, score }
    }

    fn share(&self) -> f64 {
        self.count as f64 / self.squares.len() as f64
    }

    fn members(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let near = self.squares.iter().zip(&self.neighbors).enumerate();
        near.filter(|(_, (square, _))| **square <= self.limit).map(|(i, (_, &j))| (i as u32, j))
    }
}

/// How many of the smallest squares to take: the mean, over a power of the share, is least.
///
/// A quarter of the grain is added to the mean: points of two samples of one surface are about that far from each other.
fn best_count(sorted: &[f64], grain: f64) -> usize {
    let n = sorted.len();
    let least = ((LEAST * n as f64).ceil() as usize).clamp(1, n);
    let mut sum: f64 = sorted[..least - 1].iter().sum();
    let mut best = (f64::INFINITY, n);
    for (k, square) in sorted.iter().enumerate().skip(least - 1) {
        sum += square;
        let share = (k + 1) as f64 / n as f64;
        let score = (sum / (k + 1) as f64 + grain / 4.0) / share.powi(WORTH);
        if score <= best.0 {
            best = (score, k + 1);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overlap_ends_where_the_distances_grow() {
        let near = (0..700).map(|k| 0.01 + 1e-6 * f64::from(k));
        let far = (0..300).map(|k| 25.0 + f64::from(k));
        let mut sorted: Vec<f64> = near.chain(far).collect();
        assert_eq!(best_count(&sorted, 0.01), 700);
        // Nothing is far: all of them.
        sorted.truncate(700);
        assert_eq!(best_count(&sorted, 0.01), 700);
        // The same points: what is not apart at all tells nothing.
        assert_eq!(best_count(&[0.0; 50], 0.0), 50);
    }
}
