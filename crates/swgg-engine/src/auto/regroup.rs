//! Pairs regrouped by their midpoints: into cells whose borders lie elsewhere than those before.
//!
//! A cell of pairs holds the same mass of both sides whatever its borders, so these come from a sample of the pairs alone.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::grow::{along, random};
use super::pairs::{self, Pair};
use crate::cell::Layout;
use crate::cuts::Splitter;
use crate::dealer::{Blocks, Deal};
use crate::error::{Error, Result};
use crate::key::{Key, project};
use crate::meter::Meter;
use crate::scan::Side;
use crate::survey::{Draw, Sampled, hashed};
use crate::tree::{Bits, Tree};

/// Files of pairs, handed out to whoever is free.
#[derive(Debug)]
pub(super) struct PairFiles {
    pub layout: Layout,
    pub files: Vec<PathBuf>,
    pub meter: Arc<Meter>,
    next: AtomicUsize,
}

impl PairFiles {
    pub fn new(layout: Layout, files: Vec<PathBuf>, meter: Arc<Meter>) -> Self {
        PairFiles { layout, files, meter, next: AtomicUsize::new(0) }
    }

    /// Shows the pairs of the next files, with their midpoints; after each block asks whether to go on.
    fn each<S>(
        &self,
        state: &mut S,
        mut show: impl FnMut(&mut S, Pair<'_>, &[f64]),
        mut goes_on: impl FnMut(&mut S) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let dim = self.layout.dim;
        let (mut points, mut midpoint) = ([vec![0.0; dim], vec![0.0; dim]], vec![0.0; dim]);
        while let Some(file) = self.files.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let flow = pairs::read(file, &self.layout, |block| {
                self.meter.check()?;
                for pair in block {
                    pair.midpoint(&self.layout, &mut points, &mut midpoint);
                    show(state, pair, &midpoint);
                }
                goes_on(state)
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Midpoints of a sample of the pairs, drawn by their ids.
    pub fn sample(&self, threads: usize) -> Result<Vec<Sampled>> {
        self.meter.begin("looking at the pairs", self.files.len() as u64);
        let work = || {
            let mut draw = Draw::default();
            let offer = |draw: &mut Draw, pair: Pair<'_>, midpoint: &[f64]| {
                draw.offer(pair.number(), pair.units(), midpoint);
            };
            self.each(&mut draw, offer, |_| Ok(ControlFlow::Continue(()))).map(|()| draw)
        };
        let draws: Vec<Result<Draw>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let broken = || Err(Error::DataFusion("a thread of a pass ended early".to_string()));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| broken())).collect()
        });
        let mut all = Draw::default();
        for draw in draws {
            all.join(draw?);
        }
        Ok(all.sample())
    }
}

/// Deals pairs to the cells that hold their midpoints.
#[derive(Debug)]
pub(super) struct PairDeal {
    pub files: PairFiles,
    pub tree: Tree,
    /// Cells that are finished already.
    pub done: Vec<bool>,
}

impl Deal for PairDeal {
    fn cells(&self) -> usize {
        self.tree.cells()
    }

    fn deal(&self, blocks: &mut Blocks<'_>) -> Result<()> {
        let width = pairs::width(&self.files.layout);
        self.files.each(
            blocks,
            |blocks, pair, midpoint| {
                self.tree.place(Side::Source, midpoint, pair.number(), pair.units(), &mut |cell, _| {
                    if !self.done[cell] {
                        blocks.put(cell, Side::Source, width, |block| block.extend_from_slice(pair.0));
                    }
                });
            },
            Blocks::pass_on,
        )
    }
}

/// A tree of so many cells of about equal mass over midpoints.
///
/// Cells are not halved but cut at a random share, and across random directions: borders of one pass are inside cells of the next.
pub(super) fn tree(sample: &[Sampled], cells: usize, dim: usize, seed: u64) -> Result<Tree> {
    let mut tree = Tree::default();
    let mut open = vec![(0, cells, (0..sample.len()).collect::<Vec<_>>())];
    while let Some((cell, parts, members)) = open.pop() {
        if parts < 2 || members.len() < 2 {
            continue;
        }
        let number = tree.cells();
        let share = 0.3 + 0.4 * (hashed(seed ^ hashed(number as u64)) >> 11) as f64 / (1_u64 << 53) as f64;
        let left = ((share * parts as f64).round() as usize).clamp(1, parts - 1);
        let points = members.iter().flat_map(|&member| sample[member].point.iter().copied()).collect();
        let masses: Vec<f64> = members.iter().map(|&member| sample[member].units as f64).collect();
        let whole: f64 = masses.iter().sum();
        let direction = along(&(points, masses), dim, &random(dim, seed, number)?);
        let key = |member: usize| Key::new(project(&sample[member].point, &direction), sample[member].id);
        let mut ranked: Vec<(Key, usize)> = members.iter().map(|&member| (key(member), member)).collect();
        ranked.sort_unstable();
        let mut before = 0.0;
        let rank = ranked.iter().position(|&(_, member)| {
            let is_there = before >= whole * left as f64 / parts as f64;
            before += sample[member].units as f64;
            is_there
        });
        let rank = rank.unwrap_or(ranked.len() - 1).max(1);
        // The border belongs to what is above it, whole.
        let splitter = Splitter::new(ranked[rank].0, 0);
        let side = (Bits(direction), splitter);
        let upper = tree.cut(cell, [side.clone(), side]);
        let members = |some: &[(Key, usize)]| some.iter().map(|(_, member)| *member).collect();
        open.push((upper, parts - left, members(&ranked[rank..])));
        open.push((cell, left, members(&ranked[..rank])));
    }
    Ok(tree)
}
