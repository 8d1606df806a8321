//! Votes of pairs for motions.

use std::f64::consts::TAU;

use swgg::ndarray::{Array1, Array2};

use crate::registration::cloud::Cloud;
use crate::registration::motion::{Group, Motion};

use super::points::{OrientedPoint, OrientedPoints};
use super::table::{Table, View};

/// Steps of a whole turn.
const TURNS: usize = 30;
/// Pairs that look like more others than this are no news.
const MOST_ALIKE: usize = 3000;
/// Poses of a point of the source.
const POSES: usize = 4;
/// Poses whose images of the cloud are nearer than this share of its size are elected together.
const ELECTED_TOGETHER_SHARE: f64 = 0.2;

/// A pose and how many pairs are for it.
pub(super) struct Vote {
    pub pose: Motion,
    pub weight: f64,
}

/// The points of the source that vote, and the pairs of the target that they look up.
pub(super) struct Voting<'a> {
    pub source: &'a OrientedPoints,
    pub target: &'a OrientedPoints,
    pub table: &'a Table,
    pub group: Group,
}

impl Voting<'_> {
    /// Ways to lay a point's plane onto another: either side up, and in a mirror if that is allowed.
    fn ways(&self) -> usize {
        if self.group == Group::Orthogonal { 4 } else { 2 }
    }

    /// The poses that the pairs of a source point are for.
    ///
    /// A motion that brings the point onto a target point and normal onto normal is known but for a turn around that normal, and every
    /// pair that looks alike in the target is for one such turn. Pairs that many others look like count for less.
    pub fn ask(&self, number: usize) -> Vec<Vote> {
        let (ways, count) = (self.ways(), self.target.len());
        let mut ballots = vec![0.0_f32; count * ways * TURNS];
        let asking = &self.source.0[number];
        for (_, other) in self.source.0.iter().enumerate().filter(|(k, _)| *k != number) {
            let Some(view) = View::new(asking, other, self.table.reach) else { continue };
            let alike = self.table.cell(view.cell);
            if alike.len() > MOST_ALIKE {
                continue;
            }
            let weight = 1.0 / (alike.len() as f32 + 20.0).sqrt();
            let here = view.around as f32;
            for entry in alike {
                let is_over = entry.is_behind != view.is_behind;
                let turns = match is_over {
                    false => [entry.around - here, entry.around + here],
                    true => [entry.around + here, entry.around - here],
                };
                for (mirror, turn) in turns.iter().take(ways / 2).enumerate() {
                    let way = 2 * mirror + usize::from(is_over);
                    let place = (turn / TAU as f32).rem_euclid(1.0) * TURNS as f32;
                    let low = (place as usize).min(TURNS - 1);
                    let rest = place - low as f32;
                    let row = (entry.first as usize * ways + way) * TURNS;
                    ballots[row + low] += weight * (1.0 - rest);
                    ballots[row + (low + 1) % TURNS] += weight * rest;
                }
            }
        }
        self.counted(asking, &ballots)
    }

    /// The turns with most votes, one for each point and way.
    fn counted(&self, asking: &OrientedPoint, ballots: &[f32]) -> Vec<Vote> {
        let best = ballots.chunks_exact(TURNS).map(|turns| {
            let at = |k: usize| turns[k % TURNS];
            let sum = |k: usize| at(k) + at(k + 1);
            let most = (1..TURNS).fold(0, |most, k| if sum(k) > sum(most) { k } else { most });
            let place = most as f32 + at(most + 1) / sum(most).max(f32::MIN_POSITIVE);
            (sum(most), f64::from(place) / TURNS as f64 * TAU)
        });
        let mut best: Vec<(usize, (f32, f64))> = best.enumerate().collect();
        best.sort_by(|one, other| other.1.0.total_cmp(&one.1.0));
        let pose = |(row, (weight, turn)): (usize, (f32, f64))| {
            let (target, way) = (&self.target.0[row / self.ways()], row % self.ways());
            Vote { pose: motion(asking, target, way, turn), weight: f64::from(weight) }
        };
        best.into_iter().take(POSES).map(pose).collect()
    }
}

/// The motion that lays a point's frame onto another's, in one of the ways, turned around the normal.
fn motion(from: &OrientedPoint, to: &OrientedPoint, way: usize, turn: f64) -> Motion {
    let (sin, cos) = turn.sin_cos();
    // What becomes of the normal, of the direction across and of the one along, before the turn: over is half a turn around the one
    // across, in a mirror the one along is turned round as well.
    let signs = [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, 1.0]][way];
    let [normal, across, along] = to.axes;
    let images: [[f64; 3]; 3] = [
        normal,
        std::array::from_fn(|c| cos * across[c] + sin * along[c]),
        std::array::from_fn(|c| cos * along[c] - sin * across[c]),
    ];
    let rotation = Array2::from_shape_fn((3, 3), |(a, b)| {
        (0..3).map(|k| signs[k] * images[k][a] * from.axes[k][b]).sum::<f64>()
    });
    let place = |point: &OrientedPoint| Array1::from_vec(point.place.to_vec());
    let translation = place(to) - rotation.dot(&place(from));
    Motion { rotation, translation, scale: 1.0 }
}

/// The poses that have most votes together with those near them.
pub(super) fn elected(mut votes: Vec<Vote>, cloud: &Cloud, most: usize) -> Vec<Motion> {
    votes.sort_by(|one, other| other.weight.total_cmp(&one.weight));
    let mut together: Vec<f64> = vec![0.0; votes.len()];
    for (i, one) in votes.iter().enumerate() {
        let near = votes.iter().filter(|other| cloud.apart(&one.pose, &other.pose) <= ELECTED_TOGETHER_SHARE);
        together[i] = near.map(|other| other.weight).sum();
    }
    let mut order: Vec<usize> = (0..votes.len()).collect();
    order.sort_by(|&i, &j| together[j].total_cmp(&together[i]));
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        if kept.len() < most
            && kept
                .iter()
                .all(|&j| cloud.apart(&votes[i].pose, &votes[j].pose) > ELECTED_TOGETHER_SHARE / 2.0)
        {
            kept.push(i);
        }
    }
    kept.into_iter().map(|i| votes[i].pose.clone()).collect()
}
