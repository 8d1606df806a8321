//! How much of two clouds agrees at a pose, whatever share of them was said to.

use swgg::ndarray::{Array2, ArrayView1, s};
use swgg::run::Workers;

use super::cloud::measure;
use super::error::Result;
use super::indexed_cloud::{IndexedCloud, IndexedPair};
use super::matcher::Normals;
use super::motion::Motion;

/// Neighbours this many squared spacings apart do not agree at all.
const REACH_SPACINGS: f64 = 9.0;
/// Nor do those whose planes are this many times farther from each other than those of neighbours in one cloud, squared.
const GAP_TIMES: f64 = 9.0;
/// Points that are asked, of each cloud.
const QUERIES: usize = 2500;

/// Two clouds and how near points of one surface are to each other.
///
/// A point `x` agrees with its nearest neighbour `y` in the other cloud by
///
/// ```text
/// (1 - |x - y|^2 / reach^2)+ (1 - ((x - y) . n_y)^2 / gap^2)+ (n_x . n_y)^2
/// ```
///
/// with the first factor alone where there are no planes. The mean over the points is little changed by those without a counterpart,
/// which agree with nobody wherever they are; so it tells poses apart where nobody knows how much of the clouds overlaps.
pub(super) struct Agreement<'a> {
    clouds: &'a IndexedPair,
    normals: Option<Normals>,
    reach_sq: f64,
    gap_sq: f64,
    /// How much a cloud agrees with itself, every point with its nearest other one: what a perfect pose comes near.
    own: f64,
}

impl<'a> Agreement<'a> {
    pub fn new(clouds: &'a IndexedPair, workers: &Workers) -> Result<Self> {
        let normals = Normals::new(clouds, workers)?;
        let reach_sq = REACH_SPACINGS * clouds.spacing_sq;
        let mut agreement = Agreement { clouds, normals, reach_sq, gap_sq: f64::INFINITY, own: 1.0 };
        // The coarser cloud tells what to expect.
        let coarser = match clouds.source.points.nrows() < clouds.target.points.nrows() {
            true => {
                Side { cloud: &clouds.source, normals: agreement.normals.as_ref().map(|n| n.of_both()[0]) }
            }
            false => {
                Side { cloud: &clouds.target, normals: agreement.normals.as_ref().map(|n| n.of_both()[1]) }
            }
        };
        let points = &coarser.cloud.points;
        let every = points.nrows().div_ceil(QUERIES).max(1);
        let asking = points.slice(s![..;every, ..]).to_owned();
        let near = workers.run(|parallelism| -> Result<_> {
            Ok(coarser.cloud.tree.nearest_in_order(&measure(&asking.view())?, 2, parallelism)?)
        })?;
        let pairs =
            || (0..asking.nrows()).map(|k| (k * every, near.indices[[k, 1]] as usize, near.squares[[k, 1]]));
        if let Some(normals) = coarser.normals {
            let gaps = pairs().filter_map(|(i, j, _)| gap_sq(points.row(i), points.row(j), normals.row(j)));
            let (count, sum) = gaps.fold((0.0, 0.0), |(count, sum), gap| (count + 1.0, sum + gap));
            agreement.gap_sq = if count > 0.0 { GAP_TIMES * sum / count } else { f64::INFINITY };
        }
        let gain = |(i, j, square)| match coarser.normals {
            Some(normals) => {
                let gap = gap_sq(points.row(i), points.row(j), normals.row(j));
                agreement.gain(square, gap.map(|gap| (gap, normals.row(i).dot(&normals.row(j)))))
            }
            None => agreement.gain(square, None),
        };
        let own = pairs().map(gain).sum::<f64>() / asking.nrows() as f64;
        Ok(Agreement { own, ..agreement })
    }

    /// Of two neighbours this far apart, with their planes' gap and the cosine between them if they have planes.
    fn gain(&self, square: f64, planes: Option<(f64, f64)>) -> f64 {
        // Where everything is in the same place only what is there too agrees.
        let left = |x: f64, most: f64| if x <= 0.0 { 1.0 } else { (1.0 - x / most).max(0.0) };
        let near = left(square, self.reach_sq);
        planes.map_or(near, |(gap, cosine)| near * left(gap, self.gap_sq) * cosine * cosine)
    }

    /// Share of the source, and of the target, that agrees with the other cloud at a pose: one for a cloud and another sample of it.
    pub fn shares(&self, pose: &Motion, workers: &Workers) -> Result<[f64; 2]> {
        let [one, other] = match &self.normals {
            Some(normals) => normals.of_both().map(Some),
            None => [None, None],
        };
        let source = Side { cloud: &self.clouds.source, normals: one };
        let target = Side { cloud: &self.clouds.target, normals: other };
        let there = self.share(&source, &target, pose, 1.0, workers)?;
        // Distances are those in the frame of the target.
        Ok([there, self.share(&target, &source, &pose.inverse(), pose.scale, workers)?])
    }

    /// The normals of both clouds, if they are surfaces.
    pub fn normals(&self) -> Option<&Normals> {
        self.normals.as_ref()
    }

    /// Both shares, added.
    pub fn of(&self, pose: &Motion, workers: &Workers) -> Result<f64> {
        Ok(self.shares(pose, workers)?.iter().sum())
    }

    fn share(&self, from: &Side, to: &Side, pose: &Motion, scale: f64, workers: &Workers) -> Result<f64> {
        let every = from.cloud.points.nrows().div_ceil(QUERIES).max(1);
        let moved = pose.apply(from.cloud.points.slice(s![..;every, ..]));
        let near = workers.run(|parallelism| -> Result<_> {
            Ok(to.cloud.tree.nearest_in_order(&measure(&moved.view())?, 1, parallelism)?)
        })?;
        let scale_sq = scale * scale;
        let gain = |k: usize| {
            let (j, square) = (near.indices[[k, 0]] as usize, near.squares[[k, 0]]);
            let planes = from.normals.zip(to.normals).and_then(|(own, other)| {
                let (own, other) = (own.row(k * every), other.row(j));
                let gap = gap_sq(moved.row(k), to.cloud.points.row(j), other)?;
                let turned = pose.rotation.dot(&own);
                // An edge has no plane: nothing is said about it.
                (turned.dot(&turned) > 0.0).then(|| (scale_sq * gap, turned.dot(&other)))
            });
            self.gain(scale_sq * square, planes)
        };
        let sum: f64 = (0..moved.nrows()).map(gain).sum();
        Ok(sum / moved.nrows() as f64 / self.own.max(f64::MIN_POSITIVE))
    }
}

/// A cloud with its normals, if there are any.
struct Side<'a> {
    cloud: &'a IndexedCloud,
    normals: Option<&'a Array2<f64>>,
}

/// How far a point is from the plane through another, squared; `None` where there is no plane.
fn gap_sq(x: ArrayView1<f64>, y: ArrayView1<f64>, normal: ArrayView1<f64>) -> Option<f64> {
    let gap: f64 = x.iter().zip(&y).zip(&normal).map(|((x, y), n)| n * (x - y)).sum();
    normal.iter().any(|x| *x != 0.0).then_some(gap * gap)
}
