//! 2-opt: neighbours along a line exchange targets where that makes the plan cheaper.

use rayon::prelude::*;

use super::clouds::UniformClouds;
use super::cut::{self, index};
use crate::line::sampler::Gaussians;
use crate::number::scalar::Scalar;

/// Pairs that one task looks at; exchanges stay within them, so that tasks do not wait for each other.
const PAIRS_PER_TASK: usize = 4096;
/// How many of the following pairs each pair is compared with.
const PAIRS_COMPARED: usize = 8;

/// Orders pairs by their midpoints along a random line, and exchanges the targets of neighbours where that pays.
///
/// Exchanging the targets of `a` and `b` changes the sum of squares by `2 <x_a - x_b, T(x_a) - T(x_b)>`.
pub(super) fn exchange<T: Scalar>(
    clouds: &UniformClouds<'_, T>,
    target_of: &mut [u32],
    mut rng: Gaussians,
    forks: bool,
) {
    let mut eta = vec![0.0; clouds.dim()];
    rng.fill(&mut eta);
    eta.iter_mut().for_each(|e| *e *= clouds.unit);
    let mut words = cut::words(target_of.len());
    cut::assign_keys(&mut words, |i| clouds.x.along(i, &eta) + clouds.y.along(target_of[i] as usize, &eta));
    if forks {
        words.par_sort_unstable();
    } else {
        words.sort_unstable();
    }
    let mut targets: Vec<u32> = words.iter().map(|&word| target_of[index(word)]).collect();
    let along = |(words, targets): (&[u64], &mut [u32])| {
        for k in 0..words.len() {
            for l in k + 1..words.len().min(k + 1 + PAIRS_COMPARED) {
                let pairs = [k, l];
                if clouds.swap_rise(pairs.map(|k| index(words[k])), pairs.map(|k| targets[k] as usize)) < 0.0
                {
                    targets.swap(k, l);
                }
            }
        }
    };
    if forks {
        words.par_chunks(PAIRS_PER_TASK).zip(targets.par_chunks_mut(PAIRS_PER_TASK)).for_each(along);
    } else {
        words.chunks(PAIRS_PER_TASK).zip(targets.chunks_mut(PAIRS_PER_TASK)).for_each(along);
    }
    words.iter().zip(targets).for_each(|(&word, j)| target_of[index(word)] = j);
}
