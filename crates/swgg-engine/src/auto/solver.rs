//! A cell of `auto`: solved in memory, by the solver of that name.

use std::path::PathBuf;
use std::sync::Arc;

use swgg::solver::merge_matchings;
use swgg::{Auto, Parallelism, Question, Run, Scalar, Solver, Stop};

use super::atoms::{Atoms, paid};
use super::pairs::{self, PairsWriter};
use super::slots::Slots;
use super::whole::{Entry, whole};
use crate::aggregate::CellSolver;
use crate::cell::{self, Layout, Sum, Sums, sq_distance};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::part::PartWriter;
use crate::scan::Side;
use crate::search::Listener;
use crate::survey::hashed;

/// What the rows of a cell are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Points of both tables.
    Tables,
    /// Pairs of the pass before.
    Pairs,
}

/// What becomes of the plan of a cell.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// A part of the plan, in this folder.
    Part(PathBuf),
    /// Pairs for the next pass, in this folder.
    Pairs(PathBuf, usize),
    /// Only its cost is wanted.
    Nothing,
}

/// Solves cells by `auto`.
#[derive(Debug)]
pub(crate) struct AutoSolver {
    pub layout: Layout,
    /// Units of the whole.
    pub total: u64,
    pub effort: u8,
    /// Of the pass.
    pub seed: u64,
    pub from: Input,
    pub to: Output,
    /// Which split the cells are of, if they are files.
    pub split: Option<String>,
    pub slots: Slots,
    /// For one cell; the plan does not depend on it.
    pub threads: usize,
    /// The two tables, for messages.
    pub tables: [String; 2],
    pub meter: Arc<Meter>,
}

impl CellSolver for AutoSolver {
    fn solve(&self, cell: usize, rows: [Vec<u8>; 2]) -> Result<Sums> {
        let _slot = self.slots.take();
        self.meter.check()?;
        let (atoms, before) = match self.from {
            Input::Tables => {
                let side = |side: Side| {
                    Atoms::of_rows(&self.layout, side, &rows[side as usize], &self.tables[side as usize])
                };
                ([side(Side::Source)?, side(Side::Target)?], None)
            }
            Input::Pairs => {
                let (atoms, pairs) = Atoms::of_pairs(&self.layout, &rows[0]);
                (atoms, Some(pairs))
            }
        };
        drop(rows);
        let [given, taken] =
            atoms.each_ref().map(|side| side.units.iter().map(|&u| u128::from(u)).sum::<u128>());
        if given != taken {
            return Err(Error::changed(&self.tables[0]));
        }
        let atoms = [&atoms[0], &atoms[1]];
        let entries = if self.layout.is_single == [true; 2] {
            self.plan::<f32>(cell, atoms, before)?
        } else {
            self.plan::<f64>(cell, atoms, before)?
        };
        self.write(cell, atoms, &entries)
    }
}

impl AutoSolver {
    /// The plan of a cell, never dearer than the one before.
    fn plan<T: Scalar>(
        &self,
        cell: usize,
        atoms: [&Atoms; 2],
        before: Option<Vec<Entry>>,
    ) -> Result<Vec<Entry>> {
        let [source, target] = atoms;
        let (mu, nu) = (source.measure::<T>()?, target.measure::<T>()?);
        let question = Question::new(&mu, &nu)?;
        let mut listener = Listener::new(&self.meter);
        let parallelism = Parallelism::from_count(self.threads.max(1));
        let seed = hashed(self.seed ^ hashed(cell as u64));
        let mut run = Run { seed, parallelism, ..Run::default() }.without_bounds().watched(&mut listener);
        let found = Auto { effort: self.effort }.answer(&question, &mut run)?;
        if found.stop == Stop::Interrupted {
            return Err(Error::Interrupted);
        }
        let plan = found.plan()?;
        let even = source.even().filter(|even| target.even() == Some(*even));
        if let (Some(units), Some(targets)) = (even, plan.targets()) {
            let is_matching = |before: &Vec<Entry>| before.len() == source.len();
            let matched = |targets: &[u32]| (0..).zip(targets).map(|(i, &j)| (i, j, units)).collect();
            return match before.filter(is_matching) {
                Some(before) => {
                    let before: Vec<u32> = before.iter().map(|(_, target, _)| *target).collect();
                    let both = [before, targets.to_vec()];
                    let merged = merge_matchings(&mu, &nu, &both, parallelism)?;
                    Ok(matched(merged.targets().unwrap_or(targets)))
                }
                None => Ok(matched(targets)),
            };
        }
        let shares: Vec<(u32, u32, f64)> =
            plan.entries().map(|(i, j, mass)| (i as u32, j as u32, mass)).collect();
        let entries = whole(&shares, &source.units, &target.units);
        Ok(match before {
            Some(before) if paid(atoms, &before) <= paid(atoms, &entries) => before,
            _ => entries,
        })
    }

    fn write(&self, cell: usize, [source, target]: [&Atoms; 2], entries: &[Entry]) -> Result<Sums> {
        let mut part = match &self.to {
            Output::Part(folder) => Some(PartWriter::create(folder, cell)?),
            _ => None,
        };
        let mut pairs = match &self.to {
            Output::Pairs(folder, pass) => Some(PairsWriter::create(pairs::file(folder, *pass, cell))?),
            _ => None,
        };
        let per_unit = 1.0 / self.total as f64;
        let (mut sums, mut whole) = (Sums::default(), Sum::default());
        for &(i, j, units) in entries {
            let (x, y) = (source.point(i), target.point(j));
            let ids = [source.ids[i as usize], target.ids[j as usize]];
            let (mass, cost) = (units as i64 as f64 * per_unit, sq_distance(x, y));
            sums.entries += 1;
            sums.units += units;
            whole.add(mass * cost);
            if let Some(part) = &mut part {
                part.push(cell::Entry { source: ids[0], target: ids[1], mass, cost })?;
            }
            if let Some(pairs) = &mut pairs {
                pairs.push(&self.layout, ids, units, [x, y])?;
            }
        }
        sums.cost = whole.value();
        part.map_or(Ok(()), |part| part.finish(&sums, self.split.as_deref()))?;
        pairs.map_or(Ok(()), |pairs| pairs.finish(&sums))?;
        Ok(sums)
    }
}
