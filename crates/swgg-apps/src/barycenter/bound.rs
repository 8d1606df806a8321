//! What no cloud can be below.

use swgg::bound::lower_bounds;
use swgg::exact::{Start, from_start};
use swgg::run::Workers;
use swgg::{Measure, Parallelism, Question, Run};

use super::error::Result;
use super::inputs::Inputs;

/// Pairs of points, over all pairs of clouds, up to which distances between clouds are exact.
const MAX_EXACT_PAIRS: f64 = 3e7;

/// A lower bound of the objective of any cloud: clouds that meet in the middle have to come that far.
///
/// ```text
/// min_nu sum_i w_i W_2^2(nu, mu_i) >= sum_{i<j} w_i w_j W_2^2(mu_i, mu_j)
/// ```
///
/// since over a common coupling the left side is `sum_{i<j} w_i w_j` times mean squared distances, each at least `W_2^2`. Equal for two clouds.
/// Distances of large clouds are bounded themselves, by means, lines and covariances. `None` if there was no time.
pub(super) fn pairs(inputs: &Inputs<'_>, workers: &Workers) -> Result<Option<f64>> {
    let (clouds, weights) = (&inputs.clouds, &inputs.weights);
    let all: Vec<(usize, usize)> =
        (0..clouds.len()).flat_map(|i| (i + 1..clouds.len()).map(move |j| (i, j))).collect();
    let work: f64 = all.iter().map(|&(i, j)| clouds[i].len() as f64 * clouds[j].len() as f64).sum();
    let is_exact = work <= MAX_EXACT_PAIRS;
    let of_pair = |parallelism: Parallelism, (i, j): (usize, usize)| -> Result<f64> {
        let least = match is_exact {
            true => exact(clouds[i], clouds[j], parallelism, workers)?,
            false if workers.is_halted() => 0.0,
            false => lower_bounds(clouds[i], clouds[j], &[], parallelism)?.best(),
        };
        Ok(weights[i] * weights[j] * least)
    };
    let found = workers.map_items(&all, |pair| of_pair(Parallelism::Serial, *pair));
    let sum = found.into_iter().sum::<Result<f64>>()?;
    Ok((!workers.is_halted()).then_some(sum))
}

/// What potentials prove, which is the cost of the cheapest plan to rounding.
fn exact(
    source: &Measure<'_, f64>,
    target: &Measure<'_, f64>,
    parallelism: Parallelism,
    workers: &Workers,
) -> Result<f64> {
    let mut run = Run { parallelism, halt: workers.halt(), ..Run::default().without_bounds() };
    let found = from_start(&Question::new(source, target)?, Start::default(), &mut run)?;
    Ok(found.lower_bound.unwrap_or(0.0))
}
