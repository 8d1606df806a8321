//! Partial transport on the line: the cheapest pairs of `k` points, for all `k` at once.
//!
//! The cheapest pairs of `k + 1` points are those of `k` with one more source and one more target (Chapel and Tavenard, 2025). Sort
//! all points together. Between two points that are free and next to each other among the free ones, all points are matched among
//! themselves; if one of the two is a source and the other a target, taking both shifts the matching between them by one rank. The
//! cheapest of these shifts is next.
//!
//! For `p = 1` what a shift costs is a matter of lengths: let `D` be the sources less the targets up to a place, and `v` its
//! value at the left end. The mass that crosses a gap between two neighbours is `|D - v|`, so a shift to the right pays for every gap
//! with `D >= v` and saves every one with `D < v`. Lengths with `D > v` and with `D = v` are kept for every free point, and both follow from
//! those before in constant time, as `v` changes by one and the gaps of one level lie in a row: `O(n log n)` in all. For other
//! powers the pairs of a shift are summed up: about as quick where clouds overlap, quadratic where they lie apart, so that whoever waits can stop it.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;

use super::{column, sort};
use crate::cost::Power;
use crate::error::Result;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::observe::{Observe, Progress};

/// The cheapest pairs of `k` points for every `k`: the first `k` of `sources` are matched with the first `k` of `targets`, by rank.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialPath {
    /// The source that comes in at each step.
    pub sources: Vec<u32>,
    /// The target that comes in at each step.
    pub targets: Vec<u32>,
    /// What each step adds to the sum of `|x - y|^p`; never less than the step before.
    pub marginal_costs: Vec<f64>,
}

/// The path of partial transport between the points of two measures of dimension 1, each of which counts as one unit of mass.
///
/// ```
/// use swgg::{Measure, line::partial_path};
/// let source = Measure::from_slice(&[5.0, -2.0, 4.0], 1)?;
/// let target = Measure::from_slice(&[-1.0, 1.0, 3.0], 1)?;
/// let path = partial_path(&source, &target, 1.0)?;
/// assert_eq!(path.marginal_costs, [1.0, 1.0, 4.0]);
/// assert_eq!(path.pairs(&source, &target, 2)?, [(1, 0), (2, 2)]);
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn partial_path<T: Scalar>(source: &Measure<T>, target: &Measure<T>, p: f64) -> Result<PartialPath> {
    partial_path_watched(source, target, p, &mut ())
}

/// The same, told how far it is from time to time; told to stop, the path ends where it is.
pub fn partial_path_watched<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    p: f64,
    watch: &mut dyn Observe,
) -> Result<PartialPath> {
    let steps = source.len().min(target.len());
    Ok(path_until(source, target, (p, steps), |_, _| false, watch)?.0)
}

/// The path up to where there are enough steps, by their number and by what the last one cost, and whether it was ended before that. About
/// so many steps are expected: for powers other than 1 late steps take long, as they look at all the pairs that move.
pub(crate) fn path_until<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    (p, expected): (f64, usize),
    is_enough: impl Fn(usize, f64) -> bool,
    watch: &mut dyn Observe,
) -> Result<(PartialPath, bool)> {
    let power = Power::new(p)?;
    let (x, y) = (column(source)?, column(target)?);
    Ok(Front::new([x, y], power).path(expected, is_enough, watch))
}

impl PartialPath {
    /// How many steps there are: the points of the smaller side.
    #[allow(clippy::len_without_is_empty)] // no measure is empty
    pub fn len(&self) -> usize {
        self.marginal_costs.len()
    }

    /// The pairs of the first `k` steps, by rank; all steps if there are fewer.
    pub fn pairs<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        k: usize,
    ) -> Result<Vec<(u32, u32)>> {
        let k = k.min(self.len());
        let (x, y) = (column(source)?, column(target)?);
        let ranked = |chosen: &[u32], values: &[f64]| {
            let mut chosen = chosen.to_vec();
            chosen
                .sort_unstable_by(|&i, &j| values[i as usize].total_cmp(&values[j as usize]).then(i.cmp(&j)));
            chosen
        };
        let (left, right) = (ranked(&self.sources[..k], &x), ranked(&self.targets[..k], &y));
        Ok(left.into_iter().zip(right).collect())
    }
}

/// No place.
const NONE: u32 = u32::MAX;

/// A shift between two free points.
struct Shift {
    cost: f64,
    left: u32,
    right: u32,
    /// What the points from one end to the other pay afterwards, for powers other than 1.
    paid: f64,
}

impl PartialEq for Shift {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Shift {}

impl Ord for Shift {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.left.cmp(&other.left))
    }
}

impl PartialOrd for Shift {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What lies between a free point and the next one.
#[derive(Clone, Copy, Default)]
struct Between {
    /// Lengths of the gaps with more sources than up to here, and with as many.
    above: f64,
    level: f64,
    /// What the pairs there pay, for powers other than 1.
    paid: f64,
}

/// All points in order, and those that are free.
struct Front {
    power: Power,
    /// Coordinates in order; of all points, of the sources, of the targets.
    all: Vec<f64>,
    sides: [Vec<f64>; 2],
    /// The index of each point among those of its side, and whether it is a source.
    index: Vec<u32>,
    is_source: Vec<bool>,
    /// Sources up to and with each place.
    sources_to: Vec<u32>,
    /// Where each place stands among those of its level, which lie in a row; that before the first place comes first.
    rank: Vec<u32>,
    /// Lengths of the gaps after the places in that order, added up.
    lengths: Vec<f64>,
    next: Vec<u32>,
    previous: Vec<u32>,
    is_free: Vec<bool>,
    between: Vec<Between>,
    /// Pairs summed up, and shifts looked at, since the observer was asked.
    work: usize,
}

/// Pairs and shifts between two looks at the observer: some milliseconds.
const WORK_BETWEEN_LOOKS: usize = 1 << 22;

impl Front {
    fn new([x, y]: [Vec<f64>; 2], power: Power) -> Self {
        let (sigma, tau) = (sort(&x), sort(&y));
        let (sigma, tau) = (sigma.as_slice(), tau.as_slice());
        let (n, m) = (x.len(), y.len());
        let count = n + m;
        let mut all = Vec::with_capacity(count);
        let mut index = Vec::with_capacity(count);
        let mut is_source = Vec::with_capacity(count);
        let mut sources_to = Vec::with_capacity(count);
        let (mut i, mut j) = (0, 0);
        while i < n || j < m {
            let takes_source = j == m || (i < n && x[sigma[i] as usize] <= y[tau[j] as usize]);
            let (point, value) = if takes_source {
                i += 1;
                (sigma[i - 1], x[sigma[i - 1] as usize])
            } else {
                j += 1;
                (tau[j - 1], y[tau[j - 1] as usize])
            };
            all.push(value);
            index.push(point);
            is_source.push(takes_source);
            sources_to.push(i as u32);
        }
        let sorted = |order: &[u32], values: &[f64]| order.iter().map(|&i| values[i as usize]).collect();
        let gap = |k: usize| if k + 1 < count { all[k + 1] - all[k] } else { 0.0 };
        let between = (0..count).map(|k| Between { level: gap(k), ..Between::default() }).collect();
        let mut front = Front {
            power,
            sides: [sorted(sigma, &x), sorted(tau, &y)],
            index,
            is_source,
            sources_to,
            rank: Vec::new(),
            lengths: Vec::new(),
            next: (1..=count as u32).map(|k| if k == count as u32 { NONE } else { k }).collect(),
            previous: (0..count as u32).map(|k| k.wrapping_sub(1)).collect(),
            is_free: vec![true; count],
            between,
            work: 0,
            all,
        };
        if front.is_plain() {
            front.order_levels(m);
        }
        front
    }

    fn is_plain(&self) -> bool {
        self.power.exponent() == 1.0
    }

    /// Sources less targets up to and with a place, from 0 on; place 0 stands before the first point, the others are one further on.
    fn level(&self, place: usize, targets: usize) -> usize {
        if place == 0 {
            return targets;
        }
        // Sources less targets, of which there are `place` in all.
        2 * self.sources_to[place - 1] as usize + targets - place
    }

    /// Places sorted by level, then by place.
    fn order_levels(&mut self, targets: usize) {
        let count = self.all.len();
        let mut starts = vec![0_u32; count + 2];
        (0..=count).for_each(|place| starts[self.level(place, targets) + 1] += 1);
        for level in 1..starts.len() {
            starts[level] += starts[level - 1];
        }
        self.rank = vec![0; count + 1];
        let mut gaps = vec![0.0; count + 1];
        for place in 0..=count {
            let at = &mut starts[self.level(place, targets)];
            self.rank[place] = *at;
            if place > 0 && place < count {
                gaps[*at as usize] = self.all[place] - self.all[place - 1];
            }
            *at += 1;
        }
        // Lengths of one level are differences of these: small numbers first would gain nothing.
        let mut sum = 0.0;
        self.lengths = std::iter::once(0.0)
            .chain(gaps.into_iter().map(|gap| {
                sum += gap;
                sum
            }))
            .collect();
    }

    /// The length of the gaps of the level beside that of `left`, from `left` to `right`: the place before `left` and `right` itself
    /// are on it, and those between stand between them.
    fn beside(&self, left: usize, right: usize) -> f64 {
        // Places are one further on here.
        let (first, last) = (self.rank[left] as usize + 1, self.rank[right + 1] as usize);
        self.lengths[last] - self.lengths[first]
    }

    fn shift(&mut self, left: u32) -> Option<Reverse<Shift>> {
        self.work += 1;
        let (l, right) = (left as usize, self.next[left as usize]);
        if right == NONE || self.is_source[l] == self.is_source[right as usize] {
            return None;
        }
        let r = right as usize;
        let Between { above, level, paid } = self.between[l];
        if self.is_plain() {
            let length = self.all[r] - self.all[l];
            let crossed = if self.is_source[l] { above + level } else { length - above };
            // Below zero for rounding only: no step of the path pays less than nothing.
            let cost = (2.0 * crossed - length).max(0.0);
            return Some(Reverse(Shift { cost, left, right, paid: 0.0 }));
        }
        let before = if l == 0 { 0 } else { self.sources_to[l - 1] as usize };
        let (first_source, first_target) = (before, l - before);
        let pairs = (r - l).div_ceil(2);
        self.work += pairs;
        let x = &self.sides[0][first_source..first_source + pairs];
        let y = &self.sides[1][first_target..first_target + pairs];
        let shifted: f64 = x.iter().zip(y).map(|(x, y)| self.power.of_distance((x - y).abs())).sum();
        Some(Reverse(Shift { cost: (shifted - paid).max(0.0), left, right, paid: shifted }))
    }

    /// Whether the observer, asked from time to time, has had enough.
    fn is_stopped(&mut self, tried: usize, total: usize, watch: &mut dyn Observe) -> bool {
        if self.work < WORK_BETWEEN_LOOKS {
            return false;
        }
        self.work = 0;
        let progress = Progress { tried, total: total.max(tried), best: f64::INFINITY };
        watch.progress(&progress).is_break() || watch.flag().is_some_and(|flag| flag.load(Relaxed))
    }

    fn path(
        mut self,
        expected: usize,
        is_enough: impl Fn(usize, f64) -> bool,
        watch: &mut dyn Observe,
    ) -> (PartialPath, bool) {
        let steps = self.sides[0].len().min(self.sides[1].len());
        let mut path = PartialPath {
            sources: Vec::with_capacity(steps),
            targets: Vec::with_capacity(steps),
            marginal_costs: Vec::with_capacity(steps),
        };
        let first: Vec<Reverse<Shift>> = (0..self.all.len() as u32).filter_map(|k| self.shift(k)).collect();
        let mut heap = BinaryHeap::from(first);
        let mut last = 0.0;
        let mut is_stopped = false;
        while let Some(Reverse(Shift { cost, left, right, paid })) = heap.pop() {
            let (l, r) = (left as usize, right as usize);
            if !(self.is_free[l] && self.is_free[r]) {
                continue;
            }
            let (source, target) = if self.is_source[l] { (l, r) } else { (r, l) };
            path.sources.push(self.index[source]);
            path.targets.push(self.index[target]);
            // Steps do not fall, but for rounding.
            last = if cost > last { cost } else { last };
            path.marginal_costs.push(last);
            let count = path.marginal_costs.len();
            if is_enough(count, last) {
                break;
            }
            if self.is_stopped(count, expected, watch) {
                is_stopped = true;
                break;
            }
            self.take(l, r, paid);
            let before = self.previous[l];
            if before != NONE
                && let Some(shift) = self.shift(before)
            {
                heap.push(shift);
            }
        }
        (path, is_stopped)
    }

    /// Two free points next to each other are free no more.
    fn take(&mut self, l: usize, r: usize, paid: f64) {
        let (before, after) = (self.previous[l], self.next[r]);
        self.is_free[l] = false;
        self.is_free[r] = false;
        if after != NONE {
            self.previous[after as usize] = before;
        }
        if before == NONE {
            return;
        }
        self.next[before as usize] = after;
        let (inner, right) = (self.between[l], self.between[r]);
        // Seen from the free point before, the level is that before `l`.
        let (above, level) = if self.is_plain() {
            let level = self.beside(l, r);
            let above = if self.is_source[l] { inner.above + inner.level } else { inner.above - level };
            (above, level)
        } else {
            (0.0, 0.0)
        };
        let left = &mut self.between[before as usize];
        left.above += above + right.above;
        left.level += level + right.level;
        left.paid += paid + right.paid;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cheapest pairs of `k` points for every `k`, by trying all sets of sources and of targets.
    fn brute(x: &[f64], y: &[f64], p: f64) -> Vec<f64> {
        let steps = x.len().min(y.len());
        let subsets = |values: &[f64]| {
            let mut by_size = vec![Vec::new(); values.len() + 1];
            for bits in 0..1_u32 << values.len() {
                let mut chosen: Vec<f64> =
                    (0..values.len()).filter(|i| bits >> i & 1 == 1).map(|i| values[i]).collect();
                chosen.sort_by(f64::total_cmp);
                by_size[chosen.len()].push(chosen);
            }
            by_size
        };
        let (left, right) = (subsets(x), subsets(y));
        let paid = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs().powf(p)).sum::<f64>();
        (1..=steps)
            .map(|k| {
                let all = left[k].iter().flat_map(|a| right[k].iter().map(|b| paid(a, b)));
                all.fold(f64::INFINITY, f64::min)
            })
            .collect()
    }

    #[test]
    fn every_step_is_the_cheapest() {
        let mut state = 12_345_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for case in 0..150 {
            let (n, m) = (1 + random(6) as usize, 1 + random(6) as usize);
            // Every other case has many points in one place.
            let wide = if case % 2 == 0 { 1 << 20 } else { 6 };
            let mut points = |count: usize| -> Vec<f64> { (0..count).map(|_| random(wide) as f64).collect() };
            let (x, y) = (points(n), points(m));
            let measures = [&x, &y].map(|x| Measure::from_slice(x, 1).unwrap());
            for p in [1.0, 1.5, 2.0, 3.0] {
                let path = partial_path(&measures[0], &measures[1], p).unwrap();
                let best = brute(&x, &y, p);
                assert_eq!(path.len(), best.len());
                let mut sum = 0.0;
                for (k, (step, best)) in path.marginal_costs.iter().zip(&best).enumerate() {
                    sum += step;
                    let pairs = path.pairs(&measures[0], &measures[1], k + 1).unwrap();
                    let paid: f64 =
                        pairs.iter().map(|&(i, j)| (x[i as usize] - y[j as usize]).abs().powf(p)).sum();
                    let tolerance = 1e-9 * (1.0 + best);
                    assert!((sum - best).abs() <= tolerance, "{x:?} {y:?} p {p} k {k}: {sum} {best}");
                    assert!((paid - best).abs() <= tolerance, "{x:?} {y:?} p {p} k {k}: pairs {paid} {best}");
                }
            }
        }
    }

    #[test]
    fn told_to_stop_the_path_ends_where_it_is() {
        // Clouds apart at a power that sums up all pairs of every step: some looks at the observer before the end.
        let cloud = |from: f64| -> Vec<f64> { (0..6000).map(|k| from + f64::from(k)).collect() };
        let (x, y) = (cloud(0.0), cloud(1e5));
        let [mu, nu] = [&x, &y].map(|x| Measure::from_slice(x, 1).unwrap());
        let whole = partial_path(&mu, &nu, 2.0).unwrap();
        let mut looks = 0;
        let mut watch = |progress: &Progress| {
            looks += 1;
            assert!(progress.tried <= progress.total && progress.total == 6000);
            if looks == 2 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
        };
        let part = partial_path_watched(&mu, &nu, 2.0, &mut watch).unwrap();
        assert!(part.len() > 1000 && part.len() < 6000, "{}", part.len());
        assert_eq!(part.marginal_costs, whole.marginal_costs[..part.len()]);
    }

    #[test]
    fn clouds_apart_shift_all_pairs() {
        let x: Vec<f64> = (0..500).map(f64::from).collect();
        let y: Vec<f64> = (0..400).map(|k| 1000.0 + f64::from(k)).collect();
        let [mu, nu] = [&x, &y].map(|x| Measure::from_slice(x, 1).unwrap());
        let path = partial_path(&mu, &nu, 1.0).unwrap();
        let expected: Vec<f64> = (0..400).map(|k| 501.0 + 2.0 * f64::from(k)).collect();
        assert_eq!(path.marginal_costs, expected);
    }
}
