//! Masses in whole units, row by row, without holding one per row.
//!
//! The units are those of the in-memory plan to the last one: equal weights share the least common multiple of both sizes, other weights
//! share 2^62 units, rounded down and topped up in the order of the rows. What a row gets then depends on its number and its weight alone.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::table::{Table, Want};

/// Units in a whole measure when at least one side is weighted.
const TOTAL_UNITS: u64 = 1 << 62;

/// The masses of the rows of one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Masses {
    /// Every row has `base` units; the first `extra` rows one more.
    Even { base: u64, extra: u64 },
    /// By weight.
    Weighted(Weighing),
}

/// How a weight becomes units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Weighing {
    #[serde(with = "crate::bits")]
    largest: f64,
    /// Sum of the weights in units of the largest.
    #[serde(with = "crate::bits")]
    total: f64,
    /// What every row with mass gets on top.
    share: u64,
    /// Rows with mass before this one get one unit more.
    topped_up_before: u64,
    /// A row that gives units back.
    giver: Option<(u64, u64)>,
}

impl Masses {
    /// Units of a row.
    #[inline]
    pub fn of(&self, row: u64, weight: Option<f64>) -> u64 {
        match self {
            Masses::Even { base, extra } => base + u64::from(row < *extra),
            Masses::Weighted(weighing) => weighing.units(row, weight.unwrap_or(0.0)),
        }
    }
}

impl Weighing {
    fn floor(&self, weight: f64) -> u64 {
        (weight / self.largest / self.total * TOTAL_UNITS as f64) as u64
    }

    fn units(&self, row: u64, weight: f64) -> u64 {
        let floor = self.floor(weight);
        if floor == 0 {
            return 0;
        }
        let given = self.giver.filter(|(giver, _)| *giver == row).map_or(0, |(_, units)| units);
        floor + self.share + u64::from(row < self.topped_up_before) - given
    }
}

/// Masses of two tables over a common whole: `([source, target], total)`.
pub(crate) fn common(tables: [&Table; 2], meter: &Meter) -> Result<([Masses; 2], u64)> {
    let mut weighed = [None, None];
    for (weighing, table) in weighed.iter_mut().zip(tables) {
        if table.is_weighted {
            *weighing = weigh(table, meter)?;
        }
    }
    let [n, m] = tables.map(|table| table.rows);
    if let [None, None] = weighed {
        let total = (n / gcd(n, m)).checked_mul(m).filter(|&total| total <= 1 << 63).ok_or_else(|| {
            Error::Setting(format!(
                "{n} and {m} points have no common multiple below 2^63, so equal masses cannot be cut exactly; leave out a few \
                 points of one table, or give weights"
            ))
        })?;
        return Ok(([n, m].map(|count| Masses::Even { base: total / count, extra: 0 }), total));
    }
    let mut sides = weighed.into_iter().zip([n, m]).map(|(weighing, count)| match weighing {
        Some(weighing) => Masses::Weighted(weighing),
        None => Masses::Even { base: TOTAL_UNITS / count, extra: TOTAL_UNITS % count },
    });
    let both = [sides.next(), sides.next()].map(|side| side.unwrap_or(Masses::Even { base: 0, extra: 0 }));
    Ok((both, TOTAL_UNITS))
}

/// Shows the weights of a table in the order of its rows.
fn each(table: &Table, meter: &Meter, mut show: impl FnMut(u64, &[f64]) -> ControlFlow<()>) -> Result<()> {
    meter.begin("reading weights", table.rows);
    for piece in 0..table.pieces() {
        let flow = table.read(piece, Want::Weights, |rows| {
            meter.advance(rows.len as u64)?;
            Ok(show(rows.first, &rows.weights))
        })?;
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// How the weights of a table become units; `None` if they are all the same.
fn weigh(table: &Table, meter: &Meter) -> Result<Option<Weighing>> {
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    each(table, meter, |_, weights| {
        for &weight in weights {
            smallest = smallest.min(weight);
            largest = largest.max(weight);
        }
        ControlFlow::Continue(())
    })?;
    if largest == 0.0 {
        return Err(Error::table(&table.path, "all weights are 0; at least one point needs mass"));
    }
    if smallest == largest {
        return Ok(None);
    }
    // A sum that carries its rounding error along, in the order of the rows: the one that the in-memory core has.
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    each(table, meter, |_, weights| {
        for term in weights.iter().map(|weight| weight / largest) {
            let next = sum + term;
            lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
            sum = next;
        }
        ControlFlow::Continue(())
    })?;
    let mut weighing = Weighing { largest, total: sum + lost, share: 0, topped_up_before: 0, giver: None };
    let (mut units, mut carriers, mut heaviest) = (0_i128, 0_i128, (0, 0));
    each(table, meter, |first, weights| {
        for (row, &weight) in (first..).zip(weights) {
            let floor = weighing.floor(weight);
            units += i128::from(floor);
            carriers += i128::from(floor > 0);
            if floor >= heaviest.0 {
                heaviest = (floor, row);
            }
        }
        ControlFlow::Continue(())
    })?;
    let missing = i128::from(TOTAL_UNITS) - units;
    if missing < 0 {
        weighing.giver = Some((heaviest.1, (-missing) as u64));
        return Ok(Some(weighing));
    }
    weighing.share = (missing / carriers) as u64;
    let mut rest = missing % carriers;
    if rest > 0 {
        let mut before = 0;
        each(table, meter, |first, weights| {
            for (row, &weight) in (first..).zip(weights) {
                rest -= i128::from(weighing.floor(weight) > 0);
                if rest == 0 {
                    before = row + 1;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        weighing.topped_up_before = before;
    }
    Ok(Some(weighing))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
