//! Dual ascent: prices that a plan suggests, and steps that raise the bound they prove.

use crate::error::Result;
use crate::exact::{Start, from_start};
use crate::measure::{Measure, exact_sum};
use crate::plan::coupling::Coupling;
use crate::pricing::{Ground, Metric, ground};
use crate::question::Question;
use crate::run::Run;
use crate::run::workers::{Parallelism, Workers};

/// An entry of a plan: source, target and mass, in the order of the ground.
pub(crate) type Pair = (u32, u32, f64);

/// A transport problem with a plan, between points that all carry mass.
pub(crate) struct Planned<'a> {
    pub ground: &'a dyn Ground,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub pairs: Vec<Pair>,
}

/// Feasible potentials: values that the prices leave room for, the targets where they are met, and what both prove.
#[derive(Clone)]
pub(crate) struct Priced {
    pub prices: Vec<f64>,
    pub values: Vec<f64>,
    pub choice: Vec<u32>,
    pub worth: f64,
}

/// Sampled pairs up to which the prices of the sample are found exactly.
const MAX_EXACT_SAMPLE_PAIRS: usize = 2000;
/// Fewer pairs than this all go into the sample.
const MIN_PAIRS_TO_SAMPLE: usize = 64;
/// The sample has at least one pair of so many.
const MAX_PAIRS_PER_SAMPLED_PAIR: usize = 8;
/// Rounds of ascent on a sample.
const SAMPLE_ASCENT_ROUNDS: usize = 6;
/// A round that closes less of the gap than this is the last.
const MIN_GAP_SHARE_PER_ROUND: f64 = 0.03;
/// Slack is cut to this many times the usual one: more than that shows that the plan is not optimal there, not that prices are off.
const FIRST_SLACK_FACTOR: f64 = 6.0;
/// A first step towards balance, as a share of the gap.
const FIRST_BALANCE_STEP: f64 = 0.1;
/// Below this many times the usual slack the plan no longer guides the ascent.
const MIN_SLACK_FACTOR: f64 = 1.0;
/// How much of what a source would save its two targets move, each; a half projects, a little more gets there sooner.
const SLACK_SHARE_PER_STEP: f64 = 0.7;

impl Planned<'_> {
    /// Potentials from the prices of the targets, and the lower bound they prove.
    pub fn priced(&self, prices: Vec<f64>, near: Option<&[u32]>, workers: &Workers) -> Priced {
        let (values, choice) = self.ground.values(&prices, near, workers);
        let worth = self.worth(&values, &prices);
        Priced { prices, values, choice, worth }
    }

    pub fn worth(&self, values: &[f64], prices: &[f64]) -> f64 {
        let side = |weights: &[f64], potentials: &[f64]| {
            exact_sum(weights.iter().zip(potentials).map(|(w, p)| w * p))
        };
        side(&self.a, values) + side(&self.b, prices)
    }

    /// Cost of the plan.
    pub fn cost(&self) -> f64 {
        self.pairs.iter().map(|&(i, j, mass)| mass * self.ground.cost(i as usize, j as usize)).sum()
    }

    /// A target that each source sends mass to.
    pub fn images(&self) -> Vec<u32> {
        let mut images = vec![0; self.a.len()];
        self.pairs.iter().for_each(|pair| images[pair.0 as usize] = pair.1);
        images
    }

    /// Raises what prices prove. Where a source would rather go elsewhere than where the plan sends it, the price of the one falls and
    /// that of the other rises, each by about half of what the source would save: a projection on the constraint that is violated most.
    ///
    /// At the prices of an optimal plan nothing is left to save. A plan that is not optimal has pairs that no prices can satisfy:
    /// what they ask for is cut to what is usual, and to less whenever a round has made things worse; in the end the plan is
    /// left aside.
    pub fn ascend(&self, from: Priced, rounds: usize, workers: &Workers) -> Priced {
        let mut best = from;
        let (cost, mut usual, mut step) = (self.cost(), FIRST_SLACK_FACTOR, FIRST_BALANCE_STEP);
        for _ in 0..rounds {
            let gap = cost - best.worth;
            if gap <= 1e-12 * cost {
                break;
            }
            let by_plan = usual >= MIN_SLACK_FACTOR;
            let moved = if by_plan { self.moved(&best, usual) } else { self.balanced(&best, step * gap) };
            let next = self.priced(moved, Some(&best.choice), workers);
            if workers.is_halted() {
                break;
            }
            let gain = next.worth - best.worth;
            if gain > 0.0 {
                best = next;
                if gain < MIN_GAP_SHARE_PER_ROUND * gap {
                    break;
                }
            } else if by_plan {
                usual *= 0.3;
            } else {
                step *= 0.4;
            }
        }
        best
    }

    fn moved(&self, at: &Priced, usual: f64) -> Vec<f64> {
        let slack = |&(i, j, _): &Pair| {
            let (i, j) = (i as usize, j as usize);
            (self.ground.cost(i, j) - at.values[i] - at.prices[j]).max(0.0)
        };
        let mut slacks: Vec<f64> = self.pairs.iter().map(slack).collect();
        let most = usual * usual_of(&mut slacks.clone());
        slacks.iter_mut().for_each(|slack| *slack = slack.min(most));
        let (mut rise, mut wish) = (vec![0.0; self.b.len()], vec![0.0; self.a.len()]);
        for (&(i, j, mass), slack) in self.pairs.iter().zip(&slacks) {
            rise[j as usize] += mass / self.b[j as usize] * SLACK_SHARE_PER_STEP * slack;
            wish[i as usize] += mass / self.a[i as usize] * SLACK_SHARE_PER_STEP * slack;
        }
        let mut fall = vec![0.0_f64; self.b.len()];
        for (&j, wish) in at.choice.iter().zip(wish) {
            fall[j as usize] = fall[j as usize].max(wish);
        }
        at.prices.iter().zip(rise).zip(fall).map(|((price, rise), fall)| price + rise - fall).collect()
    }

    /// Lowers the prices of targets that too many sources choose and raises those that no source chooses: the direction in which the bound
    /// rises, whatever the plan.
    fn balanced(&self, at: &Priced, step: f64) -> Vec<f64> {
        let mut asked = vec![0.0; self.b.len()];
        at.choice.iter().zip(&self.a).for_each(|(&j, mass)| asked[j as usize] += mass);
        let missing = asked.iter().zip(&self.b).map(|(asked, b)| (1.0 - asked / b).max(-2.0));
        at.prices.iter().zip(missing).map(|(price, missing)| price + step * missing).collect()
    }

    /// Prices learnt from a sample of the pairs: any pairs of an optimal plan are an optimal plan between themselves, so the
    /// prices of a sample are right where it is, and everywhere else follows from the values of its sources.
    pub fn learn(&self, dim: usize, seed: u64, workers: &Workers) -> Result<Vec<f64>> {
        let mut by_target: Vec<(u32, u32)> = self.pairs.iter().map(|&(i, j, _)| (j, i)).collect();
        by_target.sort_unstable();
        // One of each run of neighbours: even coverage.
        let least = if by_target.len() < MIN_PAIRS_TO_SAMPLE { 1 } else { 2 };
        let step = by_target.len().div_ceil(MAX_EXACT_SAMPLE_PAIRS).clamp(least, MAX_PAIRS_PER_SAMPLED_PAIR);
        let picked = by_target.iter().skip(step / 2).step_by(step);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for &(j, i) in picked {
            x.extend_from_slice(self.ground.source(i as usize));
            y.extend_from_slice(self.ground.target(j as usize));
        }
        let values = sample_values((&x, &y), dim, self.ground.metric(), seed, workers)?;
        let all: Vec<f64> = (0..self.b.len()).flat_map(|j| self.ground.target(j)).copied().collect();
        let mut prices = vec![0.0; self.b.len()];
        if let Some(ground) = ground(&x, &all, dim, self.ground.metric(), workers) {
            let [sources, targets] = ground.order();
            let values: Vec<f64> = sources.iter().map(|&i| values[i as usize]).collect();
            let (found, _) = ground.prices(&values, None, workers);
            targets.iter().zip(found).for_each(|(&j, price)| prices[j as usize] = price);
        }
        Ok(prices)
    }
}

/// The values of the sources of pairs `x_k`, `y_k`.
fn sample_values(
    (x, y): (&[f64], &[f64]),
    dim: usize,
    metric: Metric<'_>,
    seed: u64,
    workers: &Workers,
) -> Result<Vec<f64>> {
    let count = x.len() / dim;
    if count <= MAX_EXACT_SAMPLE_PAIRS {
        let (source, target) = (Measure::from_slice(x, dim)?, Measure::from_slice(y, dim)?);
        let plan = Coupling::from_targets((0..count as u32).collect());
        let question = Question::new(&source, &target)?;
        let question = match metric {
            Metric::Distance(power) => question.with_power(power.exponent())?,
            Metric::Function { cost, .. } => question.with_cost(cost)?,
        };
        let solve = |parallelism| {
            let start = Start { plan: Some(&plan), potentials: None };
            from_start(
                &question,
                start,
                &mut Run { seed, parallelism, halt: workers.halt(), ..Run::default() },
            )
        };
        let found = match workers.count() {
            1 => solve(Parallelism::Serial),
            _ => workers.join(|| solve(Parallelism::Auto), || ()).0,
        };
        return Ok(found?.potentials.unwrap_or_default().source);
    }
    let Some(ground) = ground(x, y, dim, metric, workers) else { return Ok(vec![0.0; count]) };
    let [sources, targets] = ground.order();
    let (source_at, target_at) = (places(sources), places(targets));
    let mass = 1.0 / count as f64;
    let pairs = (0..count).map(|k| (source_at[k], target_at[k], mass)).collect();
    let planned = Planned { ground: &*ground, a: vec![mass; count], b: vec![mass; count], pairs };
    let prices = planned.learn(dim, seed, workers)?;
    let first = planned.priced(prices, Some(&planned.images()), workers);
    let best = planned.ascend(first, SAMPLE_ASCENT_ROUNDS, workers);
    let mut values = vec![0.0; count];
    sources.iter().zip(&best.values).for_each(|(&i, value)| values[i as usize] = *value);
    Ok(values)
}

/// Where each index is in an order.
pub(super) fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    order.iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
    places
}

/// The mean of what is not among the largest tenth.
fn usual_of(slacks: &mut [f64]) -> f64 {
    let most = (slacks.len() * 9 / 10).min(slacks.len() - 1);
    slacks.select_nth_unstable_by(most, f64::total_cmp);
    slacks[..=most].iter().sum::<f64>() / (most + 1) as f64
}
