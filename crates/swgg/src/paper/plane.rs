//! Turning through the plane: SWGG at every direction at once.
//!
//! In the plane the order of two points along a direction changes only where the direction is orthogonal to their difference.
//! Between two such angles both orders stand still, and so do the plan and its cost. Half a turn meets every plan: opposite
//! directions reverse both orders.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use crate::cost::sq_distance;
use crate::error::{ErrorKind, Result};
use crate::line::direction::Direction;
use crate::measure::{Measure, pairable};
use crate::number::mass::{Masses, common};
use crate::number::scalar::Scalar;

/// An arc of directions that share one plan, between two angles in radians, from 0 to pi.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// `SWGG_2^2` of every direction inside.
    pub cost: f64,
}

impl Arc {
    /// The angle in the middle.
    pub fn middle(&self) -> f64 {
        0.5 * (self.start + self.end)
    }
}

impl Direction {
    /// The direction of the plane at an angle in radians from the first axis.
    pub fn at_angle(angle_rad: f64) -> Result<Self> {
        Direction::new(&[angle_rad.cos(), angle_rad.sin()])
    }
}

/// Most changes of order that a turn through the plane may meet: two clouds of about 2000 points.
pub const MOST_TURNS: u64 = 4_000_000;

/// Angles closer than this are one: rounding no longer tells them apart.
const SAME_ANGLE_RADIANS: f64 = 1e-13;
/// Steps after which the cost is summed afresh, so that the rounding of its changes does not pile up.
const STEPS_PER_FRESH_SUM: usize = 4096;

/// An angle where two points of one cloud change places.
#[derive(Clone, Copy, Default)]
struct Event {
    angle: f64,
    side: u32,
    pair: [u32; 2],
}

/// Events by angle, those of one angle by their cloud and points. As many equal parts of the half turn as there are events hold about one
/// each: events are dealt out to them, and each part is sorted on its own.
fn in_order(events: Vec<Event>) -> Vec<Event> {
    let parts = events.len();
    let part = |event: &Event| ((event.angle * (parts as f64 / PI)) as usize).min(parts - 1);
    let mut ends = vec![0_u32; parts + 1];
    events.iter().for_each(|event| ends[part(event) + 1] += 1);
    let mut before = 0;
    for end in &mut ends {
        before += *end;
        *end = before;
    }
    // Where the next event of a part goes: in the end the place where the part ends.
    let mut dealt = vec![Event::default(); parts];
    for event in &events {
        let place = &mut ends[part(event)];
        dealt[*place as usize] = *event;
        *place += 1;
    }
    let mut start = 0;
    for end in ends.into_iter().map(|end| end as usize) {
        if end > start + 1 {
            dealt[start..end].sort_unstable_by(|a, b| {
                a.angle.total_cmp(&b.angle).then(a.side.cmp(&b.side)).then(a.pair.cmp(&b.pair))
            });
        }
        start = end;
    }
    dealt
}

/// Changes of order in half a turn, if that is the plane and they are not too many.
pub(crate) fn turns<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<usize> {
    let (n, m) = (source.len(), target.len());
    if source.dim() != 2 {
        return Err(ErrorKind::NotThePlane { dim: source.dim() }.into());
    }
    let pairs = |n: usize| n as u64 * (n as u64 - 1) / 2;
    let turns = pairs(n) + pairs(m);
    if turns > MOST_TURNS {
        return Err(ErrorKind::SweepTooLarge { n, m, turns, limit: MOST_TURNS }.into());
    }
    Ok(turns as usize)
}

/// Calls `visit` for every arc of half a turn, in increasing angle, until it breaks.
///
/// `O((n^2 + m^2) log(n + m))` time and `O(n^2 + m^2)` memory. Angles closer than 1e-13 are taken as one.
pub(crate) fn turn<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    visit: &mut dyn FnMut(Arc) -> ControlFlow<()>,
) -> Result<()> {
    turns(source, target)?;
    let mut sides = Sides::new(source, target);
    let events = in_order(sides.events());
    let mut next = 0;
    let mut start = 0.0;
    let mut first = true;
    let mut since = 0;
    loop {
        // Events of one angle, and the middle of the arc behind them. What happens at angle zero lies behind us.
        let begin = next;
        while next < events.len()
            && (next == begin || events[next].angle - events[next - 1].angle <= SAME_ANGLE_RADIANS)
        {
            if first && events[begin].angle > SAME_ANGLE_RADIANS {
                break;
            }
            next += 1;
        }
        if next > begin {
            start = events[next - 1].angle;
        }
        let end = events.get(next).map_or(PI, |event| event.angle);
        let (sin, cos) = (0.5 * (start + end)).sin_cos();
        if first || since >= STEPS_PER_FRESH_SUM {
            sides.sort_all([cos, sin]);
            since = 0;
        } else {
            sides.change(&events[begin..next], [cos, sin]);
            since += 1;
        }
        first = false;
        let cost = sides.cost.max(0.0);
        if visit(Arc { start, end, cost }).is_break() || next == events.len() {
            return Ok(());
        }
    }
}

/// Both clouds, the order of each, and the cost of their plan.
struct Sides<'a> {
    sides: [Side<'a>; 2],
    per_unit: f64,
    matched: bool,
    cost: f64,
}

/// One cloud in its order.
struct Side<'a> {
    points: Vec<[f64; 2]>,
    masses: Masses<'a>,
    order: Vec<u32>,
    rank: Vec<u32>,
    /// Units of mass before each rank, and all of it.
    before: Vec<u64>,
}

impl<'a> Sides<'a> {
    fn new<T: Scalar>(source: &'a Measure<T>, target: &'a Measure<T>) -> Self {
        let (a, b, total) = common(source.units(), target.units());
        // About their middle, the angles and projections of far-away clouds keep their digits.
        let (mean, other) = (source.mean(), target.mean());
        let centre = [0.5 * (mean[0] + other[0]), 0.5 * (mean[1] + other[1])];
        let sides = [Side::new(source, centre, a), Side::new(target, centre, b)];
        Sides { sides, per_unit: 1.0 / total as f64, matched: pairable(source, target), cost: 0.0 }
    }

    fn events(&self) -> Vec<Event> {
        let pairs = self.sides.iter().map(|cloud| cloud.points.len() * (cloud.points.len() - 1) / 2);
        let mut events = Vec::with_capacity(pairs.sum());
        for (side, cloud) in self.sides.iter().enumerate() {
            for (j, q) in cloud.points.iter().enumerate() {
                for (i, p) in cloud.points[..j].iter().enumerate() {
                    let (x, y) = (q[0] - p[0], q[1] - p[1]);
                    // Points that coincide never change places: their indices order them for good.
                    if x != 0.0 || y != 0.0 {
                        let angle = (-x).atan2(y);
                        let angle = if angle < 0.0 { angle + PI } else { angle };
                        let angle = if angle >= PI { 0.0 } else { angle };
                        events.push(Event { angle, side: side as u32, pair: [i as u32, j as u32] });
                    }
                }
            }
        }
        events
    }

    /// Both orders along `theta`, and the cost, from nothing.
    fn sort_all(&mut self, theta: [f64; 2]) {
        for side in &mut self.sides {
            let all = 0..side.order.len();
            side.sort(all, theta);
        }
        self.cost = self.cost_between(0, u64::MAX);
    }

    /// Orders and cost along `theta`, which lies just behind `events`.
    fn change(&mut self, events: &[Event], theta: [f64; 2]) {
        if let [Event { side, pair: [i, j], .. }] = *events {
            let cloud = &self.sides[side as usize];
            let (k, l) = (cloud.rank[i as usize] as usize, cloud.rank[j as usize] as usize);
            return self.sort_ranks(side as usize, k.min(l)..k.max(l) + 1, theta);
        }
        for side in 0..2 {
            let cloud = &self.sides[side];
            let ranks = events.iter().filter(|event| event.side as usize == side).map(|event| {
                let [i, j] = event.pair.map(|i| cloud.rank[i as usize] as usize);
                (i.min(j), i.max(j) + 1)
            });
            let mut ranges: Vec<(usize, usize)> = ranks.collect();
            ranges.sort_unstable();
            let mut joined: Vec<(usize, usize)> = Vec::new();
            for (start, end) in ranges {
                match joined.last_mut() {
                    Some(last) if start < last.1 => last.1 = last.1.max(end),
                    _ => joined.push((start, end)),
                }
            }
            joined.into_iter().for_each(|(start, end)| self.sort_ranks(side, start..end, theta));
        }
    }

    /// Sorts a range of ranks of one side along `theta` and brings the cost up to date.
    fn sort_ranks(&mut self, side: usize, ranks: std::ops::Range<usize>, theta: [f64; 2]) {
        if self.matched && ranks.len() == 2 {
            let (k, cloud, other) = (ranks.start, &self.sides[side], &self.sides[1 - side]);
            let (a, b) = (cloud.order[k], cloud.order[k + 1]);
            if cloud.is_before(a, b, theta) {
                return;
            }
            // Swapping the partners of a and b changes the sum by twice this product.
            let between = |[p, q]: [[f64; 2]; 2]| [p[0] - q[0], p[1] - q[1]];
            let gap = between([a, b].map(|i| cloud.points[i as usize]));
            let across = between([k, k + 1].map(|k| other.points[other.order[k] as usize]));
            self.cost += 2.0 * self.per_unit * other.each() * (gap[0] * across[0] + gap[1] * across[1]);
            let cloud = &mut self.sides[side];
            cloud.order.swap(k, k + 1);
            (cloud.rank[a as usize], cloud.rank[b as usize]) = (k as u32 + 1, k as u32);
            return;
        }
        let cloud = &self.sides[side];
        let (start, end) = (cloud.before[ranks.start], cloud.before[ranks.end]);
        let old = self.cost_between(start, end);
        self.sides[side].sort(ranks, theta);
        self.cost += self.cost_between(start, end) - old;
    }

    /// Cost of the plan between two amounts of mass, by rank.
    fn cost_between(&self, start: u64, end: u64) -> f64 {
        let [x, y] = &self.sides;
        let rank_at = |side: &Side| side.before.partition_point(|&before| before <= start) - 1;
        let (mut k, mut l, mut done) = (rank_at(x), rank_at(y), start);
        let mut sum = 0.0;
        while done < end && k < x.order.len() && l < y.order.len() {
            let until = x.before[k + 1].min(y.before[l + 1]).min(end);
            let gap = sq_distance(&x.points[x.order[k] as usize], &y.points[y.order[l] as usize]);
            sum += (until - done) as f64 * self.per_unit * gap;
            done = until;
            k += usize::from(x.before[k + 1] <= done);
            l += usize::from(y.before[l + 1] <= done);
        }
        sum
    }
}

impl<'a> Side<'a> {
    fn new<T: Scalar>(measure: &'a Measure<T>, centre: [f64; 2], masses: Masses<'a>) -> Self {
        let n = measure.len();
        let point = |x: &[T]| [x[0].to_f64() - centre[0], x[1].to_f64() - centre[1]];
        Side {
            points: measure.points().chunks_exact(2).map(point).collect(),
            masses,
            order: (0..n as u32).collect(),
            rank: (0..n as u32).collect(),
            before: vec![0; n + 1],
        }
    }

    /// Units of a single point of a uniform cloud.
    fn each(&self) -> f64 {
        self.masses.of(0) as f64
    }

    fn along(&self, i: u32, theta: [f64; 2]) -> f64 {
        let [x, y] = self.points[i as usize];
        x * theta[0] + y * theta[1]
    }

    fn is_before(&self, i: u32, j: u32, theta: [f64; 2]) -> bool {
        (self.along(i, theta), i) < (self.along(j, theta), j)
    }

    /// Sorts a range of ranks along `theta`.
    fn sort(&mut self, ranks: std::ops::Range<usize>, theta: [f64; 2]) {
        let mut part: Vec<u32> = self.order[ranks.clone()].to_vec();
        part.sort_unstable_by(|&i, &j| self.along(i, theta).total_cmp(&self.along(j, theta)).then(i.cmp(&j)));
        for (k, i) in ranks.zip(part) {
            self.order[k] = i;
            self.rank[i as usize] = k as u32;
            self.before[k + 1] = self.before[k] + self.masses.of(i as usize);
        }
    }
}
