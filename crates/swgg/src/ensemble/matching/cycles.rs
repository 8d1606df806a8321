//! Cycles of a permutation, and on which of them something sums up to less than nothing.

use std::ops::Range;

/// From a point to the next one of its cycle, and what the step adds; once it is done, the bits of the number of its stretch instead.
pub(super) struct Step {
    pub next: u32,
    pub rise: f32,
}

/// A step that was taken. No index is as large: there are at most `u32::MAX` points.
const DONE: u32 = u32::MAX;
/// Walks at the same time.
const WALKS: usize = 8;

/// What the steps of a cycle, or of part of one, add up to.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub rise: f64,
    /// Of rises without their signs.
    pub size: f64,
    pub steps: u32,
}

impl Sum {
    fn plus(self, other: Sum) -> Sum {
        Sum { rise: self.rise + other.rise, size: self.size + other.size, steps: self.steps + other.steps }
    }
}

/// Part of a cycle, and the part after it.
#[derive(Default)]
struct Stretch {
    next: usize,
    sum: Sum,
}

/// One who walks along cycles.
struct Walk {
    /// Where it may still begin.
    starts: Range<usize>,
    at: usize,
    stretch: usize,
    sum: Sum,
}

impl Walk {
    /// A new stretch with its first step, if there is a start left.
    fn begin(&mut self, steps: &mut [Step], stretches: &mut Vec<Stretch>) -> bool {
        let Some(start) = self.starts.find(|&start| steps[start].next != DONE) else { return false };
        (self.at, self.stretch, self.sum) = (start, stretches.len(), Sum::default());
        stretches.push(Stretch::default());
        self.step(steps);
        true
    }

    #[inline(always)]
    fn step(&mut self, steps: &mut [Step]) {
        let done = Step { next: DONE, rise: f32::from_bits(self.stretch as u32) };
        let Step { next, rise } = std::mem::replace(&mut steps[self.at], done);
        let rise = f64::from(rise);
        self.sum = self.sum.plus(Sum { rise, size: rise.abs(), steps: 1 });
        self.at = next as usize;
    }
}

/// The cycles of a permutation, some of them chosen.
pub(super) struct Cycles {
    steps: Vec<Step>,
    /// By stretch.
    chosen: Vec<bool>,
}

impl Cycles {
    /// Walks along all cycles. Those of one point are not chosen.
    ///
    /// A walk waits for memory at each step, so several go at the same time, from starts spread over the points. Each ends where some
    /// walk began, since a step has one predecessor; the stretches between are joined afterwards.
    pub fn new(mut steps: Vec<Step>, choose: impl Fn(Sum) -> bool) -> Self {
        let apart = steps.len().div_ceil(WALKS).max(1);
        let mut stretches = Vec::new();
        let parts = (0..steps.len()).step_by(apart).map(|from| from..steps.len().min(from + apart));
        let mut walks: Vec<Walk> =
            parts.map(|starts| Walk { starts, at: 0, stretch: 0, sum: Sum::default() }).collect();
        walks.retain_mut(|walk| walk.begin(&mut steps, &mut stretches));
        while !walks.is_empty() {
            walks.retain_mut(|walk| {
                let step = &steps[walk.at];
                if step.next != DONE {
                    walk.step(&mut steps);
                    return true;
                }
                stretches[walk.stretch] = Stretch { next: step.rise.to_bits() as usize, sum: walk.sum };
                walk.begin(&mut steps, &mut stretches)
            });
        }
        let mut chosen = vec![None; stretches.len()];
        for first in 0..stretches.len() {
            if chosen[first].is_none() {
                let next = |&at: &usize| Some(stretches[at].next).filter(|&next| next != first);
                let cycle = || std::iter::successors(Some(first), next);
                let sum = cycle().fold(Sum::default(), |sum, at| sum.plus(stretches[at].sum));
                let choice = sum.steps > 1 && choose(sum);
                cycle().for_each(|at| chosen[at] = Some(choice));
            }
        }
        Cycles { steps, chosen: chosen.into_iter().map(|choice| choice == Some(true)).collect() }
    }

    /// The points of the cycles chosen.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        // Most often there are none.
        let steps = if self.chosen.contains(&true) { self.steps.as_slice() } else { &[] };
        let points = steps.iter().enumerate();
        points.filter(|(_, step)| self.chosen[step.rise.to_bits() as usize]).map(|(a, _)| a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the walks, a cycle is summed once.
    #[test]
    fn sums_of_cycles() {
        for n in [1, 2, 7, 8, 9, 60, 1000] {
            for stride in [1, 3, 7] {
                // Points that differ by the stride, round and round: as many cycles as the stride has in common with n.
                let cycles = (1..=stride).rev().find(|k| n % k == 0 && stride % k == 0).unwrap_or(1);
                let steps = |sign: f32| -> Vec<Step> {
                    let rise = |a: usize| if a.is_multiple_of(cycles) { -sign } else { sign };
                    (0..n).map(|a| Step { next: ((a + stride) % n) as u32, rise: rise(a) }).collect()
                };
                let long = n > cycles;
                let each = (n / cycles) as f64;
                let lower = |sum: Sum| {
                    assert_eq!((f64::from(sum.steps), sum.size, sum.rise.abs()), (each, each, each));
                    sum.rise < 0.0
                };
                let chosen: Vec<usize> = Cycles::new(steps(1.0), lower).chosen().collect();
                let expected: Vec<usize> = (0..n).filter(|a| long && a % cycles == 0).collect();
                assert_eq!(chosen, expected, "{n} points by {stride}");
            }
        }
    }
}
