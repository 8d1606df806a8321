//! `auto` beyond memory: cells that fit, each solved by the solver of that name, then regrouped and solved again.
//!
//! ```text
//! tables -> outer tree (grow) -> cells of points -> auto -> pairs -> cells of pairs by midpoints (regroup) -> auto -> ... -> parts
//! ```
//!
//! What comes out depends on the tables, the number of cells, the effort, the passes and the seed; not on threads, partitions or memory.

mod atoms;
mod grow;
mod pairs;
mod regroup;
mod slots;
mod solver;
mod whole;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use swgg::question::Sizes;
use swgg::{Auto, Run, Solver};

pub(crate) use grow::grow;
pub(crate) use slots::Slots;
pub(crate) use solver::{AutoSolver, Input, Output};

use crate::cell::{Layout, Sums};
use crate::dealer::Deal;
use crate::distance::steepest;
use crate::error::{Error, Result};
use crate::folder::{Pass, PlanFolder, Recipe};
use crate::meter::Meter;
use crate::opened::{Opened, require_room, spill_folder};
use crate::part;
use crate::place::Places;
use crate::request::Request;
use crate::shuffle::{Resources, Shuffle};
use crate::solve::{Findings, Solved, manifest, other_run, recipe, total};
use crate::survey::{Survey, gelbrich, hashed};
use crate::tree::Tree;

/// Points of a side that a cell has unless told otherwise. Larger ones have better plans and need more memory.
const POINTS_PER_CELL: u64 = 1 << 18;
/// Passes at most.
const MOST_PASSES: usize = 100;
/// How much larger than the mean a cell may be: those of pairs are cut by a sample.
const LARGEST_CELL: f64 = 1.3;

/// What a run that was stopped left behind besides finished cells.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    recipe: Recipe,
    gelbrich: f64,
    along_line: f64,
    /// Of every pass that has begun.
    trees: Vec<Tree>,
    /// What every finished pass came to.
    passes: Vec<Pass>,
}

/// Refuses an effort or passes that cannot be.
pub(crate) fn validate(effort: u8, passes: usize) -> Result<()> {
    if !(1..=10).contains(&effort) {
        return Err(Error::Setting(format!("--effort is {effort}, expected 1 to 10")));
    }
    if passes == 0 || passes > MOST_PASSES {
        return Err(Error::Setting(format!("--passes is {passes}, expected 1 to {MOST_PASSES}")));
    }
    Ok(())
}

/// How many cells tables are cut into: never by memory or threads, which must not change the plan.
pub(crate) fn cells(request: &Request, opened: &Opened) -> usize {
    let most = opened.tables.iter().map(|table| table.rows).max().unwrap_or(1);
    request.cells.unwrap_or(most.div_ceil(POINTS_PER_CELL) as usize).max(1)
}

/// How many cells are solved at a time, and by how many threads each, in half of the memory.
pub(crate) fn shared(request: &Request, opened: &Opened, effort: u8, cells: usize) -> Result<(usize, usize)> {
    let scale = if cells == 1 { 1.0 } else { LARGEST_CELL };
    let points = |side: usize| (scale * opened.tables[side].rows as f64 / cells as f64).ceil() as usize;
    let sizes = Sizes { n: points(0), m: points(1), d: opened.layout().dim };
    // With bounds it says what auctions hold, too.
    let solving = Solver::<f64>::estimate(&Auto { effort }, sizes, &Run::default()).bytes;
    // Points in either form, ids, units and entries.
    let held = (sizes.n + sizes.m) as f64 * (16 * sizes.d + 64) as f64;
    let (one, half) = (solving + held, request.memory as f64 / 2.0);
    if one > half {
        let enough = (cells as f64 * one / half).ceil();
        return Err(Error::Setting(format!(
            "a cell of {} points needs about {:.0} MB to be solved, and half of --memory is {:.0} MB; give --memory {:.0}MB, or cut \
             into --cells {enough} or more, which makes another plan",
            sizes.n + sizes.m,
            one / 1e6,
            half / 1e6,
            (2.0 * one / 1e6).ceil()
        )));
    }
    let threads = request.threads();
    let slots = ((half / one) as usize).clamp(1, threads);
    Ok((slots, threads / slots))
}

/// The outer tree of two tables.
pub(crate) fn outer(request: &Request, opened: &Opened, survey: &Survey, meter: &Meter) -> Result<Tree> {
    let search = opened.search(request, survey, meter);
    grow(&search, opened.total, cells(request, opened), hashed(request.seed))
}

/// Finds a plan by cells and passes, and writes it.
pub(crate) fn solve(
    request: &Request,
    effort: u8,
    passes: usize,
    meter: &Arc<Meter>,
    started: Instant,
) -> Result<Solved> {
    validate(effort, passes)?;
    let opened = Opened::open(request, meter)?;
    let cells = cells(request, &opened);
    let shares = shared(request, &opened, effort, cells)?;
    let recipe = recipe(request, &opened);
    let (mut folder, mut progress) = match &request.plan {
        Some(plan) => {
            let (folder, progress) = PlanFolder::create::<Progress>(plan, request.resume)?;
            (Some(folder), progress)
        }
        None => (None, None),
    };
    if progress.as_ref().is_some_and(|progress| progress.recipe != recipe) {
        return Err(other_run());
    }
    let spill = spill_folder(request, folder.as_ref().map(PlanFolder::spill))?;
    let mut progress = match progress.take() {
        Some(progress) => progress,
        None => begun(request, &opened, recipe, spill.path(), meter)?,
    };
    if let Some(folder) = &mut folder {
        folder.remember(&progress)?;
    }
    let seconds_to_cut = started.elapsed().as_secs_f64();
    // One cell is the whole, and regrouping it changes nothing.
    let passes = if progress.trees[0].cells() == 1 { 1 } else { passes };
    let work = folder.as_ref().map_or(spill.path(), PlanFolder::parts).to_path_buf();
    if passes > 1 {
        let pairs = opened.tables.iter().map(|table| table.rows).sum::<u64>();
        let bytes = 2 * pairs * pairs::width(&opened.layout()) as u64;
        require_room(
            &work,
            bytes,
            "of pairs may be held between passes",
            "or name another place with --plan",
        )?;
    }
    let mut resumed = 0;
    let sums = loop {
        let pass = progress.trees.len() - 1;
        let is_last = pass + 1 == passes;
        let to = match &folder {
            Some(folder) if is_last => Output::Part(folder.parts().to_path_buf()),
            None if is_last => Output::Nothing,
            _ => Output::Pairs(work.clone(), pass),
        };
        let running =
            Running { request, opened: &opened, effort, shares, work: &work, spill: spill.path(), meter };
        let (sums, before) = running.pass(pass, &progress, to)?;
        resumed += before;
        let cost = total(&sums, opened.total)?.cost;
        progress.passes.truncate(pass);
        progress.passes.push(Pass { cells: sums.len(), cost });
        if is_last {
            break sums;
        }
        let files = files(&work, pass, &progress.trees[pass]);
        let seed = hashed(request.seed ^ hashed(pass as u64 + 1));
        let sample =
            regroup::PairFiles::new(opened.layout(), files, meter.clone()).sample(request.threads())?;
        progress.trees.push(regroup::tree(&sample, cells + pass + 1, opened.layout().dim, seed)?);
        if let Some(folder) = &mut folder {
            folder.remember(&progress)?;
        }
        if pass > 0 {
            forget(&work, pass - 1, &progress.trees[pass - 1]);
        }
    };
    for pass in 0..passes - 1 {
        forget(&work, pass, &progress.trees[pass]);
    }
    drop(spill);
    let whole = total(&sums, opened.total)?;
    let Progress { gelbrich, along_line, passes, .. } = progress;
    let solved = Solved {
        cells: sums.len(),
        resumed,
        seconds_to_cut,
        seconds_to_solve: started.elapsed().as_secs_f64() - seconds_to_cut,
        ..Findings { direction: None, passes, gelbrich, along_line }.solved(request, &opened, &whole, meter)
    };
    if let Some(folder) = folder {
        folder.commit(&manifest(request, &solved, &sums, opened.total))?;
    }
    Ok(solved)
}

/// The first look at the tables: bounds and the outer tree.
fn begun(
    request: &Request,
    opened: &Opened,
    recipe: Recipe,
    spill: &Path,
    meter: &Arc<Meter>,
) -> Result<Progress> {
    let survey = opened.survey(request, meter)?;
    let gelbrich = gelbrich(&survey.moments)?;
    let along_line = line_bound(request, opened, &survey, spill, meter)?;
    let tree = outer(request, opened, &survey, meter)?;
    Ok(Progress { recipe, gelbrich, along_line, trees: vec![tree], passes: Vec::new() })
}

/// Transport along the line that says most about the sample, on all rows: no plan costs less.
pub(crate) fn line_bound(
    request: &Request,
    opened: &Opened,
    survey: &Survey,
    spill: &Path,
    meter: &Arc<Meter>,
) -> Result<f64> {
    let theta = steepest(survey, opened.layout().dim, 2.0, request, meter)?;
    let by_memory = Request { cells: None, ..request.clone() };
    let cuts = opened.cut(&by_memory, survey, &theta, meter)?;
    let done = vec![false; cuts.cells()];
    let cells = opened.shuffle(&by_memory, (&theta, 2.0), cuts, (None, done), spill, meter)?;
    Ok(total(&cells.into_iter().map(|(_, sums)| sums).collect::<Vec<_>>(), opened.total)?.along)
}

/// The pairs that a pass left for the next one.
fn files(work: &Path, pass: usize, tree: &Tree) -> Vec<PathBuf> {
    (0..tree.cells()).map(|cell| pairs::file(work, pass, cell)).collect()
}

fn forget(work: &Path, pass: usize, tree: &Tree) {
    // One that is not there is as good as removed.
    files(work, pass, tree).iter().for_each(|file| drop(fs::remove_file(file)));
}

/// What every pass needs.
struct Running<'a> {
    request: &'a Request,
    opened: &'a Opened,
    effort: u8,
    /// Cells at a time, and threads of each.
    shares: (usize, usize),
    /// Where pairs go.
    work: &'a Path,
    spill: &'a Path,
    meter: &'a Arc<Meter>,
}

impl Running<'_> {
    /// Solves the cells of a pass: what each comes to, and how many were there before.
    fn pass(&self, pass: usize, progress: &Progress, to: Output) -> Result<(Vec<Sums>, usize)> {
        let Running { request, opened, meter, .. } = *self;
        let tree = progress.trees[pass].clone();
        let path = |cell: usize| match &to {
            Output::Part(folder) => Some(folder.join(part::file_name(cell))),
            Output::Pairs(folder, pass) => Some(pairs::file(folder, *pass, cell)),
            Output::Nothing => None,
        };
        let mut sums: Vec<Option<Sums>> =
            (0..tree.cells()).map(|cell| path(cell).and_then(|path| part::finished(&path))).collect();
        let done: Vec<bool> = sums.iter().map(Option::is_some).collect();
        let missing = done.iter().filter(|done| !**done).count();
        let resumed = sums.len() - missing;
        if missing == 0 {
            return Ok((sums.into_iter().flatten().collect(), resumed));
        }
        let layout: Layout = opened.layout();
        let (from, deal): (Input, Arc<dyn Deal>) = if pass == 0 {
            (Input::Tables, opened.deal(Places::Tree(tree), done, meter))
        } else {
            let files = files(self.work, pass - 1, &progress.trees[pass - 1]);
            let files = regroup::PairFiles::new(layout.clone(), files, meter.clone());
            (Input::Pairs, Arc::new(regroup::PairDeal { files, tree, done }))
        };
        let solver = AutoSolver {
            layout,
            total: opened.total,
            effort: self.effort,
            seed: hashed(request.seed ^ hashed(pass as u64)),
            from,
            to,
            split: None,
            slots: Slots::new(self.shares.0),
            threads: self.shares.1,
            tables: [request.source.clone(), request.target.clone()],
            meter: meter.clone(),
        };
        // The other half of the memory is for cells that are being solved.
        let resources = opened.resources(request, self.spill)?;
        let resources = Resources { memory: resources.memory / 2, ..resources };
        let shuffle = Shuffle { deal, solver: Arc::new(solver), cells: missing, meter: meter.clone() };
        for (cell, of_cell) in shuffle.run("solving cells", &resources)? {
            sums[cell] = Some(of_cell);
        }
        Ok((sums.into_iter().flatten().collect(), resumed))
    }
}
