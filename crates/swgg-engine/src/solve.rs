//! From two tables to a plan: the passes in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::aggregate::CellWork;
use crate::cell::{Layout, Line, Sum, Sums};
use crate::cuts::{Cuts, Cutting};
use crate::error::{Error, Result};
use crate::folder::{self, Manifest, Part, PlanFolder, Progress, Recipe};
use crate::masses::{self, Masses};
use crate::meter::Meter;
use crate::scan::Side;
use crate::search::{self, Found};
use crate::shuffle::{Resources, Shuffle};
use crate::survey::{Survey, gelbrich};
use crate::table::{Reading, Table};
use crate::{ids, part};

/// The version of DataFusion that this is built with.
pub const DATAFUSION: &str = "55.2";
/// Memory for cells that are solved at the same time is this share of all.
const CELLS_SHARE: usize = 16;
/// Fewer rows than this are not worth a cell.
const LEAST_ROWS: u64 = 10_000;
/// A part file for each: more would be a burden for file systems.
const MOST_CELLS: usize = 65_536;
/// Less does not hold what a handful of cells need.
const LEAST_MEMORY: usize = 32 << 20;

/// What a run is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// File, folder or pattern of the source.
    pub source: String,
    /// File, folder or pattern of the target.
    pub target: String,
    /// Columns of source and target.
    pub readings: [Reading; 2],
    /// The direction; searched for on a sample if there is none.
    pub direction: Option<Vec<f64>>,
    /// Random directions to try on the sample; the recommended search if `None`.
    pub directions: Option<usize>,
    /// Seed of the search.
    pub seed: u64,
    /// Cells; as many as memory asks for if `None`.
    pub cells: Option<usize>,
    /// Bytes of memory for everything that grows with the tables.
    pub memory: usize,
    /// Where sorts go when memory is full; beside the plan if `None`.
    pub spill: Option<PathBuf>,
    /// Threads and partitions, 0 for as many as there are processors.
    pub threads: usize,
    /// Folder of the plan; only the cost is computed if `None`.
    pub plan: Option<PathBuf>,
    /// Go on where a run to the same place was stopped.
    pub resume: bool,
}

impl Request {
    /// Source and target with the default settings: all columns, two gigabytes, all processors, no plan.
    pub fn new(source: impl Into<String>, target: impl Into<String>) -> Self {
        Request {
            source: source.into(),
            target: target.into(),
            readings: Default::default(),
            direction: None,
            directions: None,
            seed: 0,
            cells: None,
            memory: 2 << 30,
            spill: None,
            threads: 0,
            plan: None,
            resume: false,
        }
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solved {
    /// Points of the source.
    pub n: u64,
    /// Points of the target.
    pub m: u64,
    /// Number of coordinates.
    pub d: usize,
    /// The direction and where it comes from.
    pub direction: Found,
    /// Cost of the plan, never rooted.
    pub cost: f64,
    /// Transport along the line: no plan costs less.
    pub along_line: f64,
    /// From means and covariances: no plan costs less.
    pub gelbrich: f64,
    /// Entries of the plan.
    pub entries: u64,
    /// Cells of the line.
    pub cells: usize,
    /// Cells that an earlier run had finished.
    pub resumed: usize,
    /// Bytes that were on disk at once because memory was full, as far as was seen.
    pub spilled: u64,
    /// Threads that were used.
    pub threads: usize,
    /// Seconds until the cuts were known.
    pub seconds_to_cut: f64,
    /// Seconds after that.
    pub seconds_to_solve: f64,
}

impl Solved {
    /// The best of the bounds: no plan costs less.
    pub fn lower_bound(&self) -> f64 {
        self.along_line.max(self.gelbrich).min(self.cost)
    }
}

/// Two tables and everything that does not depend on the direction.
pub(crate) struct Opened {
    pub tables: [Arc<Table>; 2],
    pub masses: [Masses; 2],
    pub total: u64,
}

impl Opened {
    pub fn open(request: &Request, meter: &Meter) -> Result<Self> {
        if request.memory < LEAST_MEMORY {
            return Err(Error::Setting(format!(
                "--memory is {} bytes, expected at least 32MB; sorts need some room",
                request.memory
            )));
        }
        if request.cells.is_some_and(|cells| cells == 0 || cells > MOST_CELLS) {
            let cells = request.cells.unwrap_or_default();
            return Err(Error::Setting(format!("--cells is {cells}, expected 1 to {MOST_CELLS}")));
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
        let one = (request.memory / CELLS_SHARE / threads) as u64;
        let rows = self.tables.iter().map(|table| table.rows).sum::<u64>();
        let wanted = self.bytes().div_ceil(one).max(4 * threads as u64).min(rows / LEAST_ROWS);
        (wanted as usize).clamp(1, MOST_CELLS)
    }

    pub fn survey(&self, request: &Request, meter: &Meter) -> Result<Survey> {
        let survey = Survey::take(self.both(), &self.masses, self.total, request.threads(), meter)?;
        ids::check(self.both(), request.threads(), request.memory, meter)?;
        Ok(survey)
    }

    pub fn cut(&self, request: &Request, survey: &Survey, theta: &[f64], meter: &Meter) -> Result<Cuts> {
        let cutting = Cutting {
            tables: self.both(),
            masses: &self.masses,
            total: self.total,
            theta,
            threads: request.threads(),
            meter,
        };
        cutting.cut(survey, self.cells(request))
    }

    /// The pass of DataFusion.
    pub fn shuffle(
        &self,
        request: &Request,
        (theta, p): (&[f64], f64),
        cuts: Cuts,
        (parts, done): (Option<&Path>, Vec<bool>),
        spill: &Path,
        meter: &Arc<Meter>,
    ) -> Result<Vec<(usize, Sums)>> {
        let line = Line { layout: self.layout(), theta: theta.to_vec(), total: self.total, p };
        let work = CellWork {
            line,
            parts: parts.map(Path::to_path_buf),
            tables: [request.source.clone(), request.target.clone()],
            meter: meter.clone(),
        };
        let resources =
            Resources { threads: request.threads(), memory: request.memory, spill: spill.to_path_buf() };
        self.check_room(&resources)?;
        let (tables, masses) = (self.tables.clone(), self.masses.clone());
        Shuffle { tables, masses, cuts, work: Arc::new(work), done }.run(&resources)
    }

    /// Refuses a disk that is too full for what will not fit into memory.
    fn check_room(&self, resources: &Resources) -> Result<()> {
        let needed = self.bytes();
        if needed < resources.memory as u64 / 2 {
            return Ok(());
        }
        match free_bytes(&resources.spill) {
            Some(free) if free < needed => Err(Error::place(
                &resources.spill,
                format!(
                    "{needed} bytes may spill, and {free} are free there; make room, name a folder on another disk with \
                     --spill, or give more --memory"
                ),
            )),
            _ => Ok(()),
        }
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

/// Finds the plan of min-SWGG between two tables and writes it.
///
/// The same plan as in memory, entry by entry, for any number of cells, threads and any memory.
///
/// # Errors
///
/// What is wrong with the tables, the settings or the places, in finished sentences; [`Error::Interrupted`] if the meter's flag was raised.
pub fn solve(request: &Request, meter: &Arc<Meter>) -> Result<Solved> {
    let started = Instant::now();
    let opened = Opened::open(request, meter)?;
    let recipe = recipe(request, &opened);
    let mut place =
        request.plan.as_deref().map(|plan| PlanFolder::create(plan, request.resume)).transpose()?;
    let progress = place.as_mut().and_then(|(_, progress)| progress.take());
    let mut place = place.map(|(folder, _)| folder);
    let (direction, bound, cuts) = match progress {
        Some(Progress { recipe: before, .. }) if before != recipe => {
            return Err(Error::Setting(
                "--resume: the tables or the settings are not those of the run that was stopped; give the same, or \
                 remove what it left behind"
                    .to_string(),
            ));
        }
        Some(Progress { theta, mut found, gelbrich, cuts, .. }) => {
            found.theta = theta.into_iter().map(f64::from_bits).collect();
            (found, gelbrich, cuts)
        }
        None => {
            let (survey, found) = directed(request, &opened, meter)?;
            let bound = gelbrich(&survey.moments)?;
            let cuts = opened.cut(request, &survey, &found.theta, meter)?;
            if let Some(folder) = &mut place {
                let theta = found.theta.iter().map(|x| x.to_bits()).collect();
                folder.remember(&Progress {
                    recipe,
                    theta,
                    found: found.clone(),
                    gelbrich: bound,
                    cuts: cuts.clone(),
                })?;
            }
            (found, bound, cuts)
        }
    };
    let seconds_to_cut = started.elapsed().as_secs_f64();
    let cells = cuts.cells();
    let mut sums = place.as_ref().map_or_else(|| vec![None; cells], |folder| folder.finished(cells));
    let done: Vec<bool> = sums.iter().map(Option::is_some).collect();
    let resumed = done.iter().filter(|done| **done).count();
    let spill = spill_folder(request, place.as_ref().map(PlanFolder::spill))?;
    let parts = place.as_ref().map(PlanFolder::parts);
    if resumed < cells {
        let shuffled =
            opened.shuffle(request, (&direction.theta, 2.0), cuts, (parts, done), spill.path(), meter)?;
        shuffled.into_iter().for_each(|(cell, of_cell)| sums[cell] = Some(of_cell));
    }
    drop(spill);
    let sums: Vec<Sums> = sums.into_iter().flatten().collect();
    let whole = total(&sums, opened.total)?;
    let [source, target] = opened.both();
    let solved = Solved {
        n: source.rows,
        m: target.rows,
        d: source.dim,
        direction,
        cost: whole.cost,
        along_line: whole.along,
        gelbrich: bound,
        entries: whole.entries,
        cells,
        resumed,
        spilled: meter.reached().spilled,
        threads: request.threads(),
        seconds_to_cut,
        seconds_to_solve: started.elapsed().as_secs_f64() - seconds_to_cut,
    };
    if let Some(folder) = place {
        folder.commit(&manifest(request, &solved, &sums, opened.total))?;
    }
    Ok(solved)
}

/// The first pass, and the direction: the one that was given, or the winner on the sample.
fn directed(request: &Request, opened: &Opened, meter: &Meter) -> Result<(Survey, Found)> {
    let dim = opened.tables[0].dim;
    // A direction that cannot be is refused before the first pass.
    let given = request.direction.as_ref().map(|vector| search::given(vector, dim)).transpose()?;
    let survey = opened.survey(request, meter)?;
    let found = match given {
        Some(found) => found,
        None => search::on_sample(&survey, dim, request.directions, request.seed, request.threads(), meter)?,
    };
    Ok((survey, found))
}

/// Sums of all cells, in the order of the cells.
pub(crate) fn total(cells: &[Sums], units: u64) -> Result<Sums> {
    let mut parts = [Sum::default(); 3];
    let mut whole = Sums::default();
    for cell in cells {
        whole.entries += cell.entries;
        whole.units += cell.units;
        parts.iter_mut().zip([cell.cost, cell.along, cell.along_power]).for_each(|(sum, part)| sum.add(part));
    }
    if whole.units != units {
        return Err(Error::DataFusion(format!("the cells hold {} units of mass of {units}", whole.units)));
    }
    [whole.cost, whole.along, whole.along_power] = parts.map(Sum::value);
    Ok(whole)
}

fn recipe(request: &Request, opened: &Opened) -> Recipe {
    let words = |reading: &Reading| {
        let columns = reading.columns.as_ref().map(ToString::to_string);
        format!("{columns:?} {:?} {:?}", reading.weights, reading.id)
    };
    Recipe {
        files: opened.both().map(Table::fingerprint),
        columns: request.readings.iter().map(words).collect(),
        direction: request.direction.as_ref().map(|theta| theta.iter().map(|x| x.to_bits()).collect()),
        directions: request.directions,
        seed: request.seed,
        cells: request.cells,
    }
}

fn manifest(request: &Request, solved: &Solved, sums: &[Sums], units: u64) -> Manifest {
    let part = |(cell, sums): (usize, &Sums)| Part {
        file: part::file_name(cell),
        entries: sums.entries,
        mass: sums.units as f64 / units as f64,
        cost: sums.cost,
    };
    Manifest {
        format: folder::FORMAT.to_string(),
        version: folder::VERSION,
        swgg: env!("CARGO_PKG_VERSION").to_string(),
        datafusion: DATAFUSION.to_string(),
        method: "min-swgg".to_string(),
        source: request.source.clone(),
        target: request.target.clone(),
        n: solved.n,
        m: solved.m,
        d: solved.d,
        ids: request.readings[0].id.clone().unwrap_or_else(|| "row".to_string()),
        seed: request.seed,
        direction: solved.direction.clone(),
        cost: solved.cost,
        lower_bound: solved.lower_bound(),
        along_line: solved.along_line,
        entries: solved.entries,
        parts: sums.iter().enumerate().map(part).collect(),
    }
}
