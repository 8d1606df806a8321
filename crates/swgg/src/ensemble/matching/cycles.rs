//! Cycles of a permutation, and which of them have a negative sum.

use std::ops::Range;

/// From a point to the next one of its cycle, and what the step adds; once it is done, the bits of the number of its segment instead.
pub(super) struct Step {
    pub next: u32,
    pub rise: f32,
}

/// A step that was taken. No index is as large: there are at most `u32::MAX` points.
const DONE: u32 = u32::MAX;
/// Walks that go on at the same time.
const WALKS_AT_ONCE: usize = 8;

/// What the steps of a cycle, or of part of one, add up to.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub rise: f64,
    /// The sum of the absolute values of the rises.
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
struct Segment {
    next: usize,
    sum: Sum,
}

/// A walk along cycles.
struct Walk {
    /// Points from which this walk may still begin a segment.
    starts: Range<usize>,
    at: usize,
    segment: usize,
    sum: Sum,
}

impl Walk {
    /// A new segment with its first step, if there is a start left.
    fn begin(&mut self, steps: &mut [Step], segments: &mut Vec<Segment>) -> bool {
        let Some(start) = self.starts.find(|&start| steps[start].next != DONE) else { return false };
        (self.at, self.segment, self.sum) = (start, segments.len(), Sum::default());
        segments.push(Segment::default());
        self.step(steps);
        true
    }

    #[inline(always)]
    fn step(&mut self, steps: &mut [Step]) {
        let done = Step { next: DONE, rise: f32::from_bits(self.segment as u32) };
        let Step { next, rise } = std::mem::replace(&mut steps[self.at], done);
        let rise = f64::from(rise);
        self.sum = self.sum.plus(Sum { rise, size: rise.abs(), steps: 1 });
        self.at = next as usize;
    }
}

/// The cycles of a permutation, some of them chosen.
pub(super) struct Cycles {
    steps: Vec<Step>,
    /// Whether the cycle of each segment is chosen.
    chosen: Vec<bool>,
}

impl Cycles {
    /// Walks along all cycles. Those of one point are not chosen.
    ///
    /// A walk waits for memory at each step, so several go at the same time, from starts spread over the points. Each ends where some
    /// walk began, since a step has one predecessor; the segments between are joined afterwards.
    pub fn new(mut steps: Vec<Step>, choose: impl Fn(Sum) -> bool) -> Self {
        let apart = steps.len().div_ceil(WALKS_AT_ONCE).max(1);
        let mut segments = Vec::new();
        let parts = (0..steps.len()).step_by(apart).map(|from| from..steps.len().min(from + apart));
        let mut walks: Vec<Walk> =
            parts.map(|starts| Walk { starts, at: 0, segment: 0, sum: Sum::default() }).collect();
        walks.retain_mut(|walk| walk.begin(&mut steps, &mut segments));
        while !walks.is_empty() {
            walks.retain_mut(|walk| {
                let step = &steps[walk.at];
                if step.next != DONE {
                    walk.step(&mut steps);
                    return true;
                }
                segments[walk.segment] = Segment { next: step.rise.to_bits() as usize, sum: walk.sum };
                walk.begin(&mut steps, &mut segments)
            });
        }
        let mut chosen = vec![None; segments.len()];
        for first in 0..segments.len() {
            if chosen[first].is_none() {
                let next = |&at: &usize| Some(segments[at].next).filter(|&next| next != first);
                let cycle = || std::iter::successors(Some(first), next);
                let sum = cycle().fold(Sum::default(), |sum, at| sum.plus(segments[at].sum));
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
