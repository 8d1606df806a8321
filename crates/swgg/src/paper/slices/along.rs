//! One line at a time: costs along it, and how they change with the points and with the line.

use crate::cost::{Cost, Power, SqEuclidean};
use crate::error::Result;
use crate::line::direction::{DirectionSet, Projected};
use crate::line::{self, MassBuffers, Sorter, Values};
use crate::measure::{Measure, pairable};
use crate::number::scalar::Scalar;
use crate::paper::slices::Slices;
use crate::paper::slices::in_memory::{InMemory, Scratch};
use crate::paper::slices::project::project_together;
use crate::paper::slices::sweep::MIN_LONG_DIM;

/// What is paid for a pair of points on a line.
#[derive(Clone, Copy)]
pub(crate) enum Price {
    /// A power of the distance along the line.
    Along(Power),
    /// The squared distance in the full space.
    Across,
}

/// Memory of one thread.
#[derive(Default)]
pub(crate) struct SliceScratch {
    sorter: Sorter,
    values: [Vec<f64>; 2],
    orders: [Vec<u32>; 2],
    masses: MassBuffers,
}

impl SliceScratch {
    /// Projects and sorts both clouds.
    fn sort<T: Scalar>(&mut self, measures: [&Measure<T>; 2], theta: &[f64]) {
        for (side, measure) in measures.into_iter().enumerate() {
            let values = &mut self.values[side];
            if theta.len() >= MIN_LONG_DIM {
                project_together(measure, &[theta], values);
            } else {
                values.resize(measure.len(), 0.0);
                Projected { points: measure.points(), theta }.fill(0, values);
            }
        }
        self.sort_values();
    }

    /// Sorts both clouds along a line on which they are known.
    fn sort_known(&mut self, projections: [&[f64]; 2]) {
        for (values, known) in self.values.iter_mut().zip(projections) {
            values.clear();
            values.extend_from_slice(known);
        }
        self.sort_values();
    }

    fn sort_values(&mut self) {
        for (values, order) in self.values.iter().zip(&mut self.orders) {
            self.sorter.sort(values.as_slice(), order);
        }
    }

    /// Calls `pair(i, j, mass)` for every piece of the plan of the last sort.
    #[inline(always)]
    fn pairs<T: Scalar>(
        &mut self,
        [source, target]: [&Measure<T>; 2],
        mut pair: impl FnMut(usize, usize, f64),
    ) {
        let [sigma, tau] = &self.orders;
        if pairable(source, target) {
            let mass = 1.0 / source.len() as f64;
            return sigma.iter().zip(tau).for_each(|(&i, &j)| pair(i as usize, j as usize, mass));
        }
        line::merge(source, sigma, target, tau, &mut self.masses, |i, j, mass| pair(i, j, mass.fraction()));
    }

    /// Adds numbers with `u_i + v_j = cost(i, j)` along the plan of the last sort, and returns what the plan costs.
    ///
    /// The pairs of the plan go up a staircase in ranks. Where both ranks rise at once, masses agree and the numbers
    /// have a choice: the walk turns the corner, which is right for every convex cost along the line.
    fn add_potentials<T: Scalar>(
        &mut self,
        measures: [&Measure<T>; 2],
        price: Price,
        [of_source, of_target]: &mut Sums,
    ) -> f64 {
        let values = std::mem::take(&mut self.values);
        let pay = |i: usize, j: usize| match price {
            Price::Along(power) => power.of_distance((values[0][i] - values[1][j]).abs()),
            Price::Across => SqEuclidean.between(measures[0].point(i), measures[1].point(j)),
        };
        let start = [0, 1].map(|side: usize| self.orders[side][0] as usize);
        let (mut at, mut ranks) = (start, [0, 0]);
        let (mut u, mut v, mut cost) = (0.0, pay(at[0], at[1]), 0.0);
        of_target[at[1]] += v;
        let mut walk = |i: usize, j: usize, mass: f64| {
            if i != at[0] {
                u = pay(i, at[1]) - v;
                of_source[i] += u;
                ranks[0] += 1;
            }
            if j != at[1] {
                v = pay(i, j) - u;
                of_target[j] += v;
                ranks[1] += 1;
            }
            at = [i, j];
            cost += mass * pay(i, j);
            ranks
        };
        let mut reached = [0, 0];
        self.pairs(measures, |i, j, mass| reached = walk(i, j, mass));
        // The last points may have no mass.
        let [sigma, tau] = &self.orders;
        let (sources, targets) = (&sigma[reached[0]..], &tau[reached[1]..]);
        sources.iter().for_each(|&i| _ = walk(i as usize, targets[0] as usize, 0.0));
        targets.iter().for_each(|&j| _ = walk(sources[sources.len() - 1] as usize, j as usize, 0.0));
        self.values = values;
        cost
    }

    /// `sum mass cost(|x_i - y_j|)` along the line of the last sort.
    #[inline(always)]
    fn cost<T: Scalar>(&mut self, measures: [&Measure<T>; 2], cost: impl Fn(f64) -> f64) -> f64 {
        let values = std::mem::take(&mut self.values);
        let [x, y] = &values;
        // Sums of blocks lose less than one long sum.
        let (mut sum, mut block, mut count) = (0.0, 0.0, 0_u32);
        self.pairs(measures, |i, j, mass| {
            block += mass * cost(x[i] - y[j]);
            count += 1;
            if count.is_multiple_of(1024) {
                sum += std::mem::take(&mut block);
            }
        });
        self.values = values;
        sum + block
    }
}

/// `|u|^p`, with the usual exponents spelled out.
fn cost_along<T: Scalar>(scratch: &mut SliceScratch, measures: [&Measure<T>; 2], power: Power) -> f64 {
    match power.exponent() {
        1.0 => scratch.cost(measures, f64::abs),
        2.0 => scratch.cost(measures, |u| u * u),
        _ => scratch.cost(measures, |u| power.of_distance(u.abs())),
    }
}

/// Derivative of `|u|^p`, with the usual exponents spelled out: zero at zero, also where `p = 1` has a kink.
fn slope_along(power: Power, u: f64) -> f64 {
    match power.exponent() {
        _ if u == 0.0 => 0.0,
        1.0 => u.signum(),
        2.0 => 2.0 * u,
        p => p * u.abs().powf(p - 1.0) * u.signum(),
    }
}

/// Gradients in the points that are being summed: one row per point of the source, and of the target.
pub(crate) type Sums = [Vec<f64>; 2];

/// Accumulators for gradients. Direction `k` goes to the one of number `k % GRADIENT_GROUPS`, in order, so that the sum does
/// not depend on how many threads there are.
pub(crate) const GRADIENT_GROUPS: usize = 4;

impl<T: Scalar> InMemory<'_, T> {
    /// `W_p^p(P^theta_# mu, P^theta_# nu)` along each line, not rooted: for `p = 2` a lower bound of `W_2^2`.
    pub fn line_costs(&self, thetas: &DirectionSet, p: f64) -> Result<Vec<f64>> {
        if !thetas.is_empty() {
            thetas.get(0).check(self.dim())?;
        }
        Ok(self.slice_costs(thetas, Power::new(p)?))
    }

    pub(crate) fn slice_costs(&self, thetas: &DirectionSet, power: Power) -> Vec<f64> {
        // Short points are quicker to project again than to look their projections up.
        if self.dim() < MIN_LONG_DIM {
            return self.sweep_along(thetas, power);
        }
        let measures = self.measures();
        self.sweeps(thetas, |rows, scratch| {
            let Scratch { slices, projections, .. } = scratch;
            for (measure, projections) in measures.into_iter().zip(projections.iter_mut()) {
                project_together(measure, rows, projections);
            }
            let along = |k: usize| {
                let of = |side: usize| {
                    let n = measures[side].len();
                    &projections[side][k * n..(k + 1) * n]
                };
                slices.sort_known([of(0), of(1)]);
                cost_along(slices, measures, power)
            };
            (0..rows.len()).map(along).collect()
        })
    }

    /// `W_p^p` along each line and its gradient in the direction, the plan held fixed.
    pub(crate) fn line_slopes(&self, thetas: &DirectionSet, power: Power) -> Vec<(f64, Vec<f64>)> {
        let measures = self.measures();
        let [source, target] = measures;
        self.workers().map(thetas.len(), |k| {
            self.with_slices(|scratch| {
                scratch.sort(measures, thetas.row(k));
                let cost = cost_along(scratch, measures, power);
                let values = std::mem::take(&mut scratch.values);
                let mut gradient = vec![0.0; source.dim()];
                scratch.pairs(measures, |i, j, mass| {
                    let slope = mass * slope_along(power, values[0][i] - values[1][j]);
                    for ((g, x), y) in gradient.iter_mut().zip(source.point(i)).zip(target.point(j)) {
                        *g += slope * (x.to_f64() - y.to_f64());
                    }
                });
                scratch.values = values;
                (cost, gradient)
            })
        })
    }

    /// Costs of the directions, numbered from `first`, whose gradients in the points are added to `groups`.
    pub(crate) fn add_point_gradients(
        &self,
        thetas: &DirectionSet,
        first: usize,
        price: Price,
        groups: &mut [Sums],
    ) -> Vec<f64> {
        self.add_in_groups(thetas, first, groups, |theta, sums| self.add_gradient(theta, price, sums))
    }

    /// The same for gradients in the weights: one number per point.
    pub(crate) fn add_weight_gradients(
        &self,
        thetas: &DirectionSet,
        first: usize,
        price: Price,
        groups: &mut [Sums],
    ) -> Vec<f64> {
        let measures = self.measures();
        self.add_in_groups(thetas, first, groups, |theta, sums| {
            self.with_slices(|scratch| {
                scratch.sort(measures, theta);
                scratch.add_potentials(measures, price, sums)
            })
        })
    }

    /// `add(direction, sums)` for each direction, to the group of its number.
    fn add_in_groups(
        &self,
        thetas: &DirectionSet,
        first: usize,
        groups: &mut [Sums],
        add: impl Fn(&[f64], &mut Sums) -> f64 + Sync + Send,
    ) -> Vec<f64> {
        let count = thetas.len();
        let tasks: Vec<std::sync::Mutex<&mut Sums>> = groups.iter_mut().map(std::sync::Mutex::new).collect();
        let costs = self.workers().map(tasks.len(), |group| {
            let mut sums = tasks[group].lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let mine = (0..count).filter(|k| (first + k) % GRADIENT_GROUPS == group);
            mine.map(|k| add(thetas.row(k), &mut sums)).collect::<Vec<f64>>()
        });
        let mut queues: Vec<_> = costs.into_iter().map(Vec::into_iter).collect();
        (0..count).filter_map(|k| queues[(first + k) % GRADIENT_GROUPS].next()).collect()
    }

    /// Adds the gradient of one direction and returns its cost.
    fn add_gradient(&self, theta: &[f64], price: Price, [of_source, of_target]: &mut Sums) -> f64 {
        let measures = self.measures();
        let ([source, target], d) = (measures, theta.len());
        self.with_slices(|scratch| {
            scratch.sort(measures, theta);
            let values = std::mem::take(&mut scratch.values);
            let mut cost = 0.0;
            scratch.pairs(measures, |i, j, mass| {
                let rows = of_source[i * d..].iter_mut().zip(&mut of_target[j * d..]);
                match price {
                    Price::Along(power) => {
                        let u = values[0][i] - values[1][j];
                        cost += mass * power.of_distance(u.abs());
                        let slope = mass * slope_along(power, u);
                        rows.zip(theta).for_each(|((x, y), t)| {
                            *x += slope * t;
                            *y -= slope * t;
                        });
                    }
                    Price::Across => {
                        let gaps = source.point(i).iter().zip(target.point(j));
                        rows.zip(gaps).for_each(|((x, y), (p, q))| {
                            let gap = p.to_f64() - q.to_f64();
                            cost += mass * gap * gap;
                            *x += 2.0 * mass * gap;
                            *y -= 2.0 * mass * gap;
                        });
                    }
                }
            });
            scratch.values = values;
            cost
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::line::DirectionSet;
    use crate::sliced::{Sliced, Slicing};
    use crate::{Measure, Run};
    use ndarray::array;

    /// Clouds of the plane with weights, one of them nothing.
    const X: [f64; 8] = [0.1, 0.9, 1.3, -0.4, 0.5, 2.2, -1.7, 0.3];
    const Y: [f64; 10] = [0.7, 1.1, -0.6, 0.2, 2.4, -1.3, 0.8, 0.05, 1.9, 3.1];
    const B: [f64; 5] = [0.11, 0.27, 0.33, 0.08, 0.21];

    fn check(slicing: Slicing, a: [f64; 4]) {
        let thetas = DirectionSet::from_rows(array![[1.0, 0.2], [0.3, -1.0], [-0.5, 0.6]].view()).unwrap();
        let sliced = Sliced { directions: 3, ..Sliced::new(slicing) };
        let nu = Measure::from_slice(&Y, 2).unwrap().with_weights(&B).unwrap();
        let mu = |a: [f64; 4]| Measure::from_slice(&X, 2).unwrap().with_weights(&a).unwrap();
        let run = &mut Run::default();
        let (estimate, potentials) = sliced.weight_gradient_over(&mu(a), &nu, &thetas, run).unwrap();
        let cost =
            |a: [f64; 4]| sliced.estimate_over(&mu(a), &nu, &thetas, &mut Run::default()).unwrap().cost;
        assert!((estimate.cost - cost(a)).abs() < 1e-12);
        assert!((potentials.value(&mu(a), &nu) - estimate.cost).abs() < 1e-12);
        let mean: f64 = (0..4).map(|i| mu(a).weight(i) * potentials.source[i]).sum();
        let total: f64 = a.iter().sum();
        for i in 0..4 {
            let moved = |by: f64| {
                let mut a = a;
                a[i] += by;
                cost(a)
            };
            // From one side only, where there is no mass to take away.
            let step = 1e-7;
            let slope = if a[i] > step {
                (moved(step) - moved(-step)) / (2.0 * step)
            } else {
                (moved(step) - cost(a)) / step
            };
            let expected = (potentials.source[i] - mean) / total;
            assert!(
                (slope - expected).abs() < 1e-5 * (1.0 + slope.abs()),
                "{slicing:?} {i}: {slope} {expected}"
            );
        }
    }

    #[test]
    fn weight_gradients_are_finite_differences() {
        for slicing in [1.0, 2.0, 3.0].map(|p| Slicing::Wasserstein { p }) {
            check(slicing, [0.3, 0.17, 0.41, 0.23]);
        }
        check(Slicing::Projected, [0.3, 0.17, 0.41, 0.23]);
    }

    #[test]
    fn points_without_mass_have_potentials_too() {
        let thetas = DirectionSet::from_rows(array![[1.0, 0.2]].view()).unwrap();
        let sliced = Sliced::new(Slicing::Wasserstein { p: 2.0 });
        let nu = Measure::from_slice(&Y, 2).unwrap().with_weights(&B).unwrap();
        for empty in 0..4 {
            let mut a = [0.3, 0.17, 0.41, 0.23];
            a[empty] = 0.0;
            let mu = Measure::from_slice(&X, 2).unwrap().with_weights(&a).unwrap();
            let (_, potentials) =
                sliced.weight_gradient_over(&mu, &nu, &thetas, &mut Run::default()).unwrap();
            // Feasible, and worth the cost: optimal.
            let at = |points: &[f64], k: usize| (points[2 * k] + 0.2 * points[2 * k + 1]) / 1.04_f64.sqrt();
            for i in 0..4 {
                for j in 0..5 {
                    let gap = at(&X, i) - at(&Y, j);
                    assert!(potentials.source[i] + potentials.target[j] <= gap * gap + 1e-12);
                }
            }
        }
    }
}
