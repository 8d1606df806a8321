//! Two tables that were opened, and the passes over them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::border::Search;
use crate::cell::{Layout, Line, Sums};
use crate::cuts::Cuts;
use crate::dealer::TableDeal;
use crate::error::{Error, Result};
use crate::ids;
use crate::line::LineSolver;
use crate::masses::{self, Masses};
use crate::meter::Meter;
use crate::place::Places;
use crate::request::Request;
use crate::scan::{Queue, Side};
use crate::shuffle::{Resources, Shuffle};
use crate::survey::Survey;
use crate::table::Table;

/// So many cells of each thread fit into memory.
const CELLS_PER_MEMORY: usize = 16;
/// Fewer rows than this are not worth a cell.
const MIN_ROWS_PER_CELL: u64 = 10_000;
/// A part file for each: more would be a burden for file systems.
const MAX_CELLS: usize = 65_536;
/// Less does not hold what a handful of cells need.
const MIN_MEMORY_BYTES: usize = 32 << 20;

/// Two tables and everything that does not depend on the direction.
pub(crate) struct Opened {
    pub tables: [Arc<Table>; 2],
    pub masses: [Masses; 2],
    pub total: u64,
}

impl Opened {
    pub fn open(request: &Request, meter: &Meter) -> Result<Self> {
        if request.memory < MIN_MEMORY_BYTES {
            return Err(Error::Setting(format!(
                "--memory is {} bytes, expected at least 32MB; sorts need some room",
                request.memory
            )));
        }
        if request.cells.is_some_and(|cells| cells == 0 || cells > MAX_CELLS) {
            let cells = request.cells.unwrap_or_default();
            return Err(Error::Setting(format!("--cells is {cells}, expected 1 to {MAX_CELLS}")));
        }
        let source = Table::open(&request.source, &request.readings[0])?;
        let target = Table::open(&request.target, &request.readings[1])?;
        if source.dim != target.dim {
            return Err(Error::table(
                &target.path,
                format!(
                    "its points have {} coordinates, those of {} have {}; --columns picks some",
                    target.dim, source.path, source.dim
                ),
            ));
        }
        let (masses, total) = masses::common([&source, &target], meter)?;
        Ok(Opened { tables: [Arc::new(source), Arc::new(target)], masses, total })
    }

    pub fn both(&self) -> [&Table; 2] {
        [&self.tables[0], &self.tables[1]]
    }

    pub fn layout(&self) -> Layout {
        Layout { dim: self.tables[0].dim, is_single: self.both().map(|table| table.is_single) }
    }

    /// Bytes that a pass moves to cells.
    fn bytes(&self) -> u64 {
        let layout = self.layout();
        Side::BOTH.iter().map(|&side| self.tables[side as usize].rows * layout.width(side) as u64).sum()
    }

    /// How many cells memory asks for.
    pub fn cells(&self, request: &Request) -> usize {
        if let Some(cells) = request.cells {
            return cells;
        }
        let threads = request.threads();
        let one = (request.memory / CELLS_PER_MEMORY / threads) as u64;
        let rows = self.tables.iter().map(|table| table.rows).sum::<u64>();
        let wanted = self.bytes().div_ceil(one).max(4 * threads as u64).min(rows / MIN_ROWS_PER_CELL);
        (wanted as usize).clamp(1, MAX_CELLS)
    }

    pub fn survey(&self, request: &Request, meter: &Meter) -> Result<Survey> {
        let survey = Survey::take(self.both(), &self.masses, self.total, request.threads(), meter)?;
        ids::check(self.both(), request.threads(), request.memory, meter)?;
        Ok(survey)
    }

    /// What borders of cells are looked for in.
    pub fn search<'a>(&'a self, request: &Request, survey: &'a Survey, meter: &'a Meter) -> Search<'a> {
        Search { tables: self.both(), masses: &self.masses, survey, threads: request.threads(), meter }
    }

    /// Cuts a line into as many cells as memory asks for.
    pub fn cut(&self, request: &Request, survey: &Survey, theta: &[f64], meter: &Meter) -> Result<Cuts> {
        Cuts::find(&self.search(request, survey, meter), theta, self.total, self.cells(request))
    }

    /// The rows of both tables on their way to cells, but those of cells that are done.
    pub fn deal(&self, places: Places, done: Vec<bool>, meter: &Arc<Meter>) -> Arc<TableDeal> {
        Arc::new(TableDeal {
            tables: self.tables.clone(),
            masses: self.masses.clone(),
            layout: self.layout(),
            places,
            done,
            queue: Queue::new(self.both()),
            meter: meter.clone(),
        })
    }

    /// The pass of DataFusion along a line.
    pub fn shuffle(
        &self,
        request: &Request,
        (theta, p): (&[f64], f64),
        cuts: Cuts,
        (parts, done): (Option<&Path>, Vec<bool>),
        spill: &Path,
        meter: &Arc<Meter>,
    ) -> Result<Vec<(usize, Sums)>> {
        let solver = LineSolver {
            line: Line { layout: self.layout(), theta: theta.to_vec(), total: self.total, p },
            parts: parts.map(Path::to_path_buf),
            split: None,
            tables: [request.source.clone(), request.target.clone()],
            meter: meter.clone(),
        };
        let cells = done.iter().filter(|done| !**done).count();
        let deal = self.deal(Places::Line { theta: theta.to_vec(), cuts }, done, meter);
        let resources = self.resources(request, spill)?;
        Shuffle { deal, solver: Arc::new(solver), cells, meter: meter.clone() }
            .run("solving cells", &resources)
    }

    /// What a pass of DataFusion is given, if the disk has room for it.
    pub fn resources(&self, request: &Request, spill: &Path) -> Result<Resources> {
        let resources =
            Resources { threads: request.threads(), memory: request.memory, spill: spill.to_path_buf() };
        self.check_room(&resources)?;
        Ok(resources)
    }

    /// Refuses a disk that is too full for what will not fit into memory.
    fn check_room(&self, resources: &Resources) -> Result<()> {
        let needed = self.bytes();
        if needed < resources.memory as u64 / 2 {
            return Ok(());
        }
        let advice = "name a folder on another disk with --spill, or give more --memory";
        require_room(&resources.spill, needed, "may spill", advice)
    }
}

/// Refuses a folder whose disk has no room for so many bytes.
pub(crate) fn require_room(folder: &Path, needed: u64, why: &str, advice: &str) -> Result<()> {
    match free_bytes(folder) {
        Some(free) if free < needed => {
            let problem = format!("{needed} bytes {why}, and {free} are free there; make room, {advice}");
            Err(Error::place(folder, problem))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    Some(about.f_bavail * about.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// A folder for what spills, removed on every way out.
pub(crate) fn spill_folder(request: &Request, beside: Option<PathBuf>) -> Result<tempfile::TempDir> {
    let parent = request.spill.clone().or(beside).unwrap_or_else(std::env::temp_dir);
    tempfile::Builder::new().prefix("swgg-spill-").tempdir_in(&parent).map_err(|error| {
        Error::place(&parent, format!("cannot be written to ({error}); --spill names a folder that exists"))
    })
}
