//! The points that hold given shares of mass, in two passes over the rows.
//!
//! One pass adds up the mass between the points of a sample, one fetches the rows around each border. Many stretches of the tables, each
//! with directions of its own, are looked at in the same two passes.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::key::{Key, project};
use crate::masses::Masses;
use crate::meter::Meter;
use crate::scan::{Side, scan};
use crate::survey::Survey;
use crate::table::{Rows, Table};

/// Rows around the borders that are held at most.
const MOST_FETCHED: u64 = 1 << 25;

/// Some of the mass of both tables, in order along a direction of either side.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub directions: [Vec<f64>; 2],
    /// In units from its beginning, in increasing order.
    pub borders: Vec<u64>,
}

/// The point that holds a border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub key: Key,
    /// Units of its stretch before it.
    pub begin: u64,
}

/// What borders are looked for in.
pub(crate) struct Search<'a> {
    pub tables: [&'a Table; 2],
    pub masses: &'a [Masses; 2],
    pub survey: &'a Survey,
    pub threads: usize,
    pub meter: &'a Meter,
}

/// Shows the stretches that a point is in: side, point, id and units in; stretch and units out.
pub(crate) trait Route: Fn(Side, &[f64], u64, u64, &mut dyn FnMut(usize, u64)) + Sync {}

impl<F: Fn(Side, &[f64], u64, u64, &mut dyn FnMut(usize, u64)) + Sync> Route for F {}

/// Rows around a border: where each is on its line, and its units.
type Fetched = BTreeMap<(usize, usize), Vec<(Key, u64)>>;

impl Search<'_> {
    /// For each stretch and border: the source and the target that hold it.
    pub fn holders(&self, stretches: &[Stretch], route: impl Route) -> Result<Vec<Vec<[Holder; 2]>>> {
        let bins = self.bins(stretches, &route)?;
        let sides = self.fetch(stretches, &bins, &route)?;
        let pairs = |(source, target): (Vec<Holder>, Vec<Holder>)| {
            source.into_iter().zip(target).map(|(source, target)| [source, target]).collect()
        };
        let [sources, targets] = sides;
        Ok(sources.into_iter().zip(targets).map(pairs).collect())
    }

    fn each(
        &self,
        side: Side,
        rows: &Rows,
        route: &impl Route,
        mut show: impl FnMut(usize, &[f64], u64, u64),
    ) {
        for (row, point) in rows.points.chunks_exact(self.tables[0].dim).enumerate() {
            let weight = rows.weights.get(row).copied();
            let units = self.masses[side as usize].of(rows.first + row as u64, weight);
            if units > 0 {
                let id = rows.ids[row];
                route(side, point, id, units, &mut |stretch, units| show(stretch, point, id, units));
            }
        }
    }

    /// Mass and rows between the points of the sample.
    fn bins(&self, stretches: &[Stretch], route: &impl Route) -> Result<[Vec<Bins>; 2]> {
        let mut bins = Side::BOTH.map(|side| {
            let mut edges = vec![Vec::new(); stretches.len()];
            for sampled in &self.survey.samples[side as usize] {
                route(side, &sampled.point, sampled.id, sampled.units, &mut |stretch, _| {
                    edges[stretch].push(stretches[stretch].key(side, &sampled.point, sampled.id));
                });
            }
            edges.into_iter().map(Bins::new).collect::<Vec<_>>()
        });
        let begin =
            || bins.each_ref().map(|bins| bins.iter().map(|bins| bins.sums.clone()).collect::<Vec<_>>());
        let stage = ("adding up mass along lines", self.meter);
        let states = scan(self.tables, self.threads, stage, begin, |state, side, _, rows| {
            self.each(side, rows, route, |stretch, point, id, units| {
                let key = stretches[stretch].key(side, point, id);
                let sum = &mut state[side as usize][stretch][bins[side as usize][stretch].of(key)];
                *sum = (sum.0 + units, sum.1 + 1);
            });
            Ok(())
        })?;
        for state in states {
            let all = bins.iter_mut().flatten().flat_map(|bins| &mut bins.sums);
            for (sum, part) in all.zip(state.into_iter().flatten().flatten()) {
                *sum = (sum.0 + part.0, sum.1 + part.1);
            }
        }
        Ok(bins)
    }

    fn fetch(
        &self,
        stretches: &[Stretch],
        bins: &[Vec<Bins>; 2],
        route: &impl Route,
    ) -> Result<[Vec<Vec<Holder>>; 2]> {
        let wanted = bins.each_ref().map(|bins| {
            let held = bins.iter().zip(stretches).map(|(bins, stretch)| bins.holding(&stretch.borders));
            held.collect::<Vec<_>>()
        });
        let rows_of = |(bins, wanted): (&Bins, &BTreeMap<usize, _>)| -> u64 {
            wanted.keys().map(|&bin| bins.sums[bin].1).sum()
        };
        let count: u64 = bins.iter().flatten().zip(wanted.iter().flatten()).map(rows_of).sum();
        if count > MOST_FETCHED {
            return Err(Error::Setting(format!(
                "{} borders between cells would fetch {count} rows, more than {MOST_FETCHED}; take fewer --cells and more --memory",
                stretches.iter().map(|stretch| stretch.borders.len()).sum::<usize>()
            )));
        }
        let begin = || [Fetched::new(), Fetched::new()];
        let stage = ("finding the borders of cells", self.meter);
        let states = scan(self.tables, self.threads, stage, begin, |state, side, _, rows| {
            self.each(side, rows, route, |stretch, point, id, units| {
                let key = stretches[stretch].key(side, point, id);
                let bin = bins[side as usize][stretch].of(key);
                if wanted[side as usize][stretch].contains_key(&bin) {
                    state[side as usize].entry((stretch, bin)).or_default().push((key, units));
                }
            });
            Ok(())
        })?;
        let mut fetched = begin();
        for state in states {
            for (all, part) in fetched.iter_mut().zip(state) {
                for (place, mut rows) in part {
                    all.entry(place).or_default().append(&mut rows);
                }
            }
        }
        let mut found = [vec![Vec::new(); stretches.len()], vec![Vec::new(); stretches.len()]];
        for (side, (wanted, fetched)) in wanted.into_iter().zip(&mut fetched).enumerate() {
            for (stretch, wanted) in wanted.into_iter().enumerate() {
                for (bin, (begin, borders)) in wanted {
                    let rows = fetched.entry((stretch, bin)).or_default();
                    self.walk(side, rows, begin, borders, &mut found[side][stretch])?;
                }
                if found[side][stretch].len() != stretches[stretch].borders.len() {
                    return Err(Error::changed(&self.tables[side].path));
                }
            }
        }
        Ok(found)
    }

    /// Goes through the rows of a bin in order, and finds who holds its borders.
    fn walk(
        &self,
        side: usize,
        rows: &mut [(Key, u64)],
        mut begin: u64,
        borders: Vec<u64>,
        found: &mut Vec<Holder>,
    ) -> Result<()> {
        rows.sort_unstable();
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::repeated(&self.tables[side].path, pair[0].0.id));
        }
        let mut borders = borders.into_iter().peekable();
        for &(key, units) in rows.iter() {
            while borders.next_if(|&border| border < begin + units).is_some() {
                found.push(Holder { key, begin });
            }
            begin += units;
        }
        match borders.next() {
            Some(_) => Err(Error::changed(&self.tables[side].path)),
            None => Ok(()),
        }
    }
}

impl Stretch {
    #[inline]
    fn key(&self, side: Side, point: &[f64], id: u64) -> Key {
        Key::new(project(point, &self.directions[side as usize]), id)
    }
}

/// Mass and rows between keys of a sample.
struct Bins {
    edges: Vec<Key>,
    sums: Vec<(u64, u64)>,
}

impl Bins {
    fn new(mut edges: Vec<Key>) -> Self {
        edges.sort_unstable();
        edges.dedup();
        Bins { sums: vec![(0, 0); edges.len() + 1], edges }
    }

    #[inline]
    fn of(&self, key: Key) -> usize {
        self.edges.partition_point(|edge| *edge <= key)
    }

    /// The bins that hold a border: the mass before each, and its borders.
    fn holding(&self, borders: &[u64]) -> BTreeMap<usize, (u64, Vec<u64>)> {
        let mut held = BTreeMap::new();
        let mut borders = borders.iter().copied().peekable();
        let mut begin = 0;
        for (bin, (mass, _)) in self.sums.iter().enumerate() {
            while let Some(border) = borders.next_if(|&border| border < begin + mass) {
                held.entry(bin).or_insert_with(|| (begin, Vec::new())).1.push(border);
            }
            begin += mass;
        }
        held
    }
}
