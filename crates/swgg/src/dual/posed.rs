//! Two measures made ready for prices.

use super::DualBound;
use super::ascent::{Pair, Planned, Priced};
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, exact_sum};
use crate::number::mass::{Masses, common};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::pricing::{Ground, MAX_TREE_DIM, Metric, finds_candidates, ground, has_ground, turned};
use crate::question::{self, Question, Sizes};
use crate::run::workers::Workers;

/// Two measures with the points that carry mass in a ground; centred and turned for squared distances, as they are for other costs.
///
/// ```text
/// |x - y|^2 = |x' - y'|^2 + 2 <x' - y', s> + |s|^2,    s the difference of the centres
/// ```
///
/// for any centres, so what the middle term comes to is the same for every plan. At other costs centres and `s` are zero.
pub(crate) struct Posed<'a, T: Scalar> {
    measures: [&'a Measure<'a, T>; 2],
    centres: [Vec<f64>; 2],
    shift: Vec<f64>,
    /// All points, moved and turned, row by row.
    rows: [Vec<f64>; 2],
    /// Those that carry mass, in the order of the ground.
    pub carriers: [Vec<u32>; 2],
    weights: [Vec<f64>; 2],
    /// Their masses in whole units of one total.
    pub masses: [Vec<u64>; 2],
    pub ground: Box<dyn Ground + 'a>,
}

/// What a pair costs; `None` for costs that are given as a matrix.
pub(crate) fn metric<'a, T: Scalar>(question: &Question<'a, T>) -> Option<Metric<'a>> {
    match question.ground() {
        question::Ground::Distance(power) => Some(Metric::Distance(power)),
        question::Ground::Cost(cost) => Some(Metric::of(cost)),
        question::Ground::Matrix(_) => None,
    }
}

/// Whether prices prove anything in reasonable time: by trees, or among few enough points.
pub(crate) fn has_prices<T: Scalar>(question: &Question<'_, T>) -> bool {
    metric(question).is_some_and(|metric| has_ground(question.sizes(), knows_boxes(question, metric)))
}

fn knows_boxes<T: Scalar>(question: &Question<'_, T>, metric: Metric<'_>) -> bool {
    let Metric::Function { .. } = metric else { return true };
    // Nobody asks beyond the dimensions of trees, where copies of the points are large.
    if question.source().dim() > MAX_TREE_DIM {
        return false;
    }
    let rows = |measure: &Measure<T>| -> Vec<f64> { measure.points().iter().map(|x| x.to_f64()).collect() };
    let (source, target) = (question.source(), question.target());
    metric.knows_boxes([&rows(source), &rows(target)], source.dim())
}

/// Whether candidates are found quickly, so that auctions can be held: by trees, or among few enough points.
pub(crate) fn has_candidates<T: Scalar>(question: &Question<'_, T>) -> bool {
    let Some(metric) = metric(question) else { return false };
    let Sizes { n, m, d } = question.sizes();
    finds_candidates(n, m, d, knows_boxes(question, metric))
}

impl<'a, T: Scalar> Posed<'a, T> {
    /// `None` where comparing the points takes too long, and for costs that are given as a matrix.
    pub fn new(question: &Question<'a, T>, workers: &Workers) -> Result<Option<Self>> {
        let Some(metric) = metric(question) else { return Ok(None) };
        let (source, target) = (question.source(), question.target());
        let dim = source.dim();
        let measures = [source, target];
        let centres =
            measures.map(|measure| if metric.is_squared() { measure.mean() } else { vec![0.0; dim] });
        let shift = centres[0].iter().zip(&centres[1]).map(|(m, n)| m - n).collect();
        let (a, b, total) = common(source.units(), target.units());
        let carriers = [carriers(source.len(), &a), carriers(target.len(), &b)];
        let mut rows = [moved(source, &centres[0]), moved(target, &centres[1])];
        if metric.is_squared() {
            turned(&mut rows, dim);
        }
        let pick = |side: usize| -> Vec<f64> {
            carriers[side]
                .iter()
                .flat_map(|&i| &rows[side][i as usize * dim..(i as usize + 1) * dim])
                .copied()
                .collect()
        };
        let Some(ground) = ground(&pick(0), &pick(1), dim, metric, workers) else { return Ok(None) };
        let ordered = [0, 1].map(|side| {
            ground.order()[side].iter().map(|&k| carriers[side][k as usize]).collect::<Vec<u32>>()
        });
        let weigh = |side: usize, masses: &Masses<'_>| -> Vec<u64> {
            ordered[side].iter().map(|&i| masses.of(i as usize)).collect()
        };
        let masses = [weigh(0, &a), weigh(1, &b)];
        let share = |masses: &Vec<u64>| masses.iter().map(|&mass| mass as f64 / total as f64).collect();
        let weights = [share(&masses[0]), share(&masses[1])];
        Ok(Some(Posed { measures, centres, shift, rows, carriers: ordered, weights, masses, ground }))
    }

    /// [`new`](Posed::new) where candidates are found quickly, `None` elsewhere.
    pub fn with_candidates(question: &Question<'a, T>, workers: &Workers) -> Result<Option<Self>> {
        if has_candidates(question) { Posed::new(question, workers) } else { Ok(None) }
    }

    /// What every plan costs beyond what the points that were moved pay.
    pub fn constant(&self) -> f64 {
        self.shift.iter().map(|s| s * s).sum()
    }

    pub fn planned(&self, plan: Option<&Coupling>) -> Result<Planned<'_>> {
        let mut pairs = Vec::new();
        let [n, m] = self.measures.map(Measure::len);
        if let Some(plan) = plan {
            let (coupling_source, coupling_target) = (plan.source_len(), plan.target_len());
            if (coupling_source, coupling_target) != (n, m) {
                return Err(ErrorKind::CouplingSize { coupling_source, coupling_target, n, m }.into());
            }
            let at = [self.places(0), self.places(1)];
            let pair = |(i, j, mass): (usize, usize, f64)| (at[0][i], at[1][j], mass);
            let carries = |&(i, j, mass): &Pair| i != NONE && j != NONE && mass > 0.0;
            pairs.extend(plan.entries().map(pair).filter(carries));
            pairs.sort_unstable_by_key(|pair| (pair.0, pair.1));
        }
        let [a, b] = self.weights.clone();
        Ok(Planned { ground: &*self.ground, a, b, pairs })
    }

    /// A plan in whole units, in the order of the ground, between the points as they are given.
    pub fn coupling(&self, arcs: &[(u32, u32, u64)]) -> Coupling {
        let [from, to] = &self.carriers;
        let mut arcs: Vec<(u32, u32, u64)> =
            arcs.iter().map(|&(i, j, mass)| (from[i as usize], to[j as usize], mass)).collect();
        arcs.sort_unstable();
        let per_unit = 1.0 / self.masses[0].iter().sum::<u64>() as f64;
        let [n, m] = self.measures.map(Measure::len);
        let (rows, columns) = arcs.iter().map(|arc| (arc.0, arc.1)).unzip();
        Coupling::from_merge(n, m, rows, columns, arcs.iter().map(|arc| arc.2 as f64 * per_unit).collect())
    }

    fn places(&self, side: usize) -> Vec<u32> {
        let mut places = vec![NONE; self.measures[side].len()];
        self.carriers[side].iter().zip(0..).for_each(|(&i, place)| places[i as usize] = place);
        places
    }

    /// Prices as they are given, as those of the ground.
    pub fn given(&self, prices: &[f64]) -> Result<Vec<f64>> {
        let (found, expected) = (prices.len(), self.measures[1].len());
        if found != expected {
            return Err(ErrorKind::PotentialCount { found, expected }.into());
        }
        if let Some(row) = prices.iter().position(|v| !v.is_finite()) {
            return Err(ErrorKind::NotFinite { row, column: 0, value: prices[row] }.into());
        }
        let price = |&j: &u32| prices[j as usize] + self.along(1, j as usize);
        let mut prices: Vec<f64> = self.carriers[1].iter().map(price).collect();
        // Small numbers lose less: a constant moves from the prices to the values.
        let level = exact_sum(prices.iter().zip(&self.weights[1]).map(|(v, b)| v * b));
        prices.iter_mut().for_each(|price| *price -= level);
        Ok(prices)
    }

    /// How many targets there are, those without mass included.
    pub fn target_count(&self) -> usize {
        self.measures[1].len()
    }

    /// What the price of a target in the ground has beyond its price as it is given.
    pub fn along_target(&self, j: usize) -> f64 {
        self.along(1, j)
    }

    /// `2 <x', s>`.
    fn along(&self, side: usize, i: usize) -> f64 {
        let point = self.measures[side].point(i).iter().zip(&self.centres[side]);
        point.zip(&self.shift).map(|((x, m), s)| 2.0 * (x.to_f64() - m) * s).sum()
    }

    /// What the potentials prove once the prices are as high as the values allow, or as they are where there is no time for that.
    pub fn bound(&self, planned: &Planned<'_>, best: Priced, workers: &Workers) -> DualBound {
        let mut near = vec![0; best.prices.len()];
        best.choice.iter().zip(0..).for_each(|(&j, i)| near[j as usize] = i);
        let (mut prices, _) = self.ground.prices(&best.values, Some(&near), workers);
        if workers.is_halted() {
            prices = best.prices;
        }
        let value = self.value(planned, &best.values, &prices);
        DualBound { value, potentials: self.potentials(&best.values, &prices, workers) }
    }

    /// The bound, lowered by what rounding may have added.
    fn value(&self, planned: &Planned<'_>, values: &[f64], prices: &[f64]) -> f64 {
        let dim = self.shift.len();
        let mean = |side: usize, of: &dyn Fn(usize) -> f64| {
            let (carriers, weights) = (&self.carriers[side], &self.weights[side]);
            exact_sum(carriers.iter().zip(weights).map(|(&i, weight)| weight * of(i as usize)))
        };
        let sq_shift: f64 = self.shift.iter().map(|s| s * s).sum();
        let middle = mean(0, &|i| self.along(0, i)) - mean(1, &|j| self.along(1, j));
        let sq_norm = |side: usize| {
            mean(side, &|i| self.rows[side][i * dim..(i + 1) * dim].iter().map(|x| x * x).sum::<f64>())
        };
        let size = |weights: &[f64], potentials: &[f64]| -> f64 {
            weights.iter().zip(potentials).map(|(w, p)| w * p.abs()).sum()
        };
        let metric = self.ground.metric();
        let mut scale = size(&self.weights[0], values) + size(&self.weights[1], prices);
        if metric.is_squared() {
            let moments = sq_norm(0) + sq_norm(1);
            scale += sq_shift + (sq_shift * moments).sqrt() + moments;
        } else {
            // Points stay where they are: what a pair costs is off by some units in its own last place. Over the best plan these come to
            // units of the optimum, which is no more than what is proved here and those units.
            scale *= metric.roundings();
        }
        // Every step above (moving, turning, squares and their sums, a minimum over rounded numbers, means) is off by some `d`
        // units in the last place of |x'|^2 + |y'|^2 + |u| + |v| at most. Over any plan these come to the means of both sides.
        let margin = 32.0 * (dim + 8) as f64 * f64::EPSILON * scale;
        let value = planned.worth(values, prices) + middle + sq_shift - margin;
        // Costs are not negative: zero is always proven, also where numbers overflow.
        if value.is_finite() { value.max(0.0) } else { 0.0 }
    }

    /// Potentials of all points between the clouds as they are given. Those of points without mass are what the others allow.
    fn potentials(&self, values: &[f64], prices: &[f64], workers: &Workers) -> Potentials {
        let dim = self.shift.len();
        let mut all = [0, 1].map(|side| vec![f64::NAN; self.measures[side].len()]);
        for (side, potentials) in [values, prices].into_iter().enumerate() {
            self.carriers[side].iter().zip(potentials).for_each(|(&i, p)| all[side][i as usize] = *p);
        }
        for side in [0, 1] {
            let known = |potentials: &[f64], wanted: bool| -> Vec<u32> {
                (0..).zip(potentials).filter(|(_, p)| p.is_nan() != wanted).map(|(i, _)| i).collect()
            };
            let (idle, others) = (known(&all[side], false), known(&all[1 - side], true));
            if idle.is_empty() {
                continue;
            }
            let metric = self.ground.metric();
            let metric = if side == 0 { metric } else { metric.flipped() };
            let rows = |side: usize, chosen: &[u32]| -> Vec<f64> {
                let row = |&i: &u32| &self.rows[side][i as usize * dim..(i as usize + 1) * dim];
                chosen.iter().flat_map(row).copied().collect()
            };
            if let Some(ground) = ground(&rows(side, &idle), &rows(1 - side, &others), dim, metric, workers) {
                let [asking, asked] = ground.order();
                let offers: Vec<f64> =
                    asked.iter().map(|&k| all[1 - side][others[k as usize] as usize]).collect();
                let (found, _) = ground.values(&offers, None, workers);
                asking.iter().zip(found).for_each(|(&k, p)| all[side][idle[k as usize] as usize] = p);
            }
        }
        let half = 0.5 * self.shift.iter().map(|s| s * s).sum::<f64>();
        let [mut source, mut target] = all;
        source.iter_mut().enumerate().for_each(|(i, u)| *u += half + self.along(0, i));
        target.iter_mut().enumerate().for_each(|(j, v)| *v += half - self.along(1, j));
        Potentials { source, target }
    }
}

const NONE: u32 = u32::MAX;

fn carriers(count: usize, masses: &Masses<'_>) -> Vec<u32> {
    (0..count as u32).filter(|&i| masses.of(i as usize) > 0).collect()
}

fn moved<T: Scalar>(measure: &Measure<T>, centre: &[f64]) -> Vec<f64> {
    measure
        .points()
        .chunks_exact(measure.dim())
        .flat_map(|x| x.iter().zip(centre).map(|(x, c)| x.to_f64() - c))
        .collect()
}
