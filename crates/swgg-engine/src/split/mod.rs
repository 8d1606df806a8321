//! Cells as files, for schedulers that are not ours: split, solve each cell wherever there is room, join.
//!
//! ```text
//! swgg split A B --cells N --out DIR      DIR/split.json, DIR/cell-00000-source.parquet, DIR/cell-00000-target.parquet, ...
//! swgg solve DIR --cell K                 DIR/part-00000.parquet: needs nothing but DIR
//! swgg join DIR --plan PLAN               PLAN/manifest.json, PLAN/part-00000.parquet, ...
//! ```

mod file;
mod join;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::aggregate::CellSolver;
use crate::auto::{self, AutoSolver, Input, Output, Slots};
use crate::cell::{Layout, Line, Sums};
use crate::error::{Error, Result};
use crate::folder::{PlanFolder, Recipe};
use crate::line::LineSolver;
use crate::meter::Meter;
use crate::opened::{Opened, spill_folder};
use crate::place::Places;
use crate::request::{Method, Request};
use crate::scan::Side;
use crate::search::ChosenDirection;
use crate::shuffle::Shuffle;
use crate::solve::{DATAFUSION, directed, recipe, total};
use crate::survey::{gelbrich, hashed};
use crate::tree::Bits;

pub use join::join;

/// What `split.json` calls itself.
const FORMAT: &str = "swgg-split";
/// Its version; readers refuse later ones.
const VERSION: u32 = 1;
const MANIFEST: &str = "split.json";

/// What is in a folder that holds cells: `split.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// `swgg-split`.
    pub format: String,
    /// Version of this layout.
    pub version: u32,
    /// Version of swgg that wrote it.
    pub swgg: String,
    /// Version of DataFusion that it ran on.
    pub datafusion: String,
    /// What parts must say they are of: a number made of the tables and the settings.
    pub key: String,
    /// The method that cells are solved by.
    pub method: String,
    /// Its effort, if it has one.
    pub effort: Option<u8>,
    /// The two tables as they were named.
    pub source: String,
    /// The target.
    pub target: String,
    /// Points of the source.
    pub n: u64,
    /// Points of the target.
    pub m: u64,
    /// Number of coordinates.
    pub d: usize,
    /// What ids are: `row`, or the column of `--id`.
    pub ids: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The direction and where it comes from, if the method has one.
    pub direction: Option<ChosenDirection>,
    /// Its bits: numbers in JSON are read to the last digit or the one before.
    theta: Option<Bits>,
    /// Units of mass of the whole.
    pub units: u64,
    /// What no plan costs less than, from means and covariances.
    pub gelbrich: f64,
    /// Transport along a line that was looked for; no plan costs less. `None` where the cells add it up.
    pub along_line: Option<f64>,
    /// Whether coordinates of source and target are stored in 32 bits.
    pub is_single: [bool; 2],
    /// The cells in order.
    pub cells: Vec<SplitCell>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SplitCell {
    /// The files of its sources and its targets: `id`, `units`, `x0`, `x1`, ...
    pub files: [String; 2],
    /// The file that its part of the plan goes to.
    pub part: String,
    /// Rows of both files.
    pub rows: u64,
    /// Units of mass of either side.
    pub units: u64,
}

/// Cuts two tables into cells, and writes each to files of its own.
///
/// A split with [`Method::Auto`] is solved in one pass: regrouping pairs is for runs that see all of them.
///
/// # Errors
///
/// As [`solve`](crate::solve()); the folder must be new or empty.
pub fn split(request: &Request, out: &Path, meter: &Arc<Meter>) -> Result<Split> {
    if let Method::Auto { effort, passes } = request.method {
        auto::validate(effort, passes)?;
    }
    let opened = Opened::open(request, meter)?;
    let recipe = recipe(request, &opened);
    let folder = PlanFolder::fresh(out)?;
    let spill = spill_folder(request, Some(folder.spill()))?;
    let (places, direction, bounds, effort) = match request.method {
        Method::MinSwgg => {
            let (survey, found) = directed(request, &opened, meter)?;
            let cuts = opened.cut(request, &survey, &found.theta, meter)?;
            let places = Places::Line { theta: found.theta.clone(), cuts };
            (places, Some(found), (gelbrich(&survey.moments)?, None), None)
        }
        Method::Auto { effort, .. } => {
            let survey = opened.survey(request, meter)?;
            let along = auto::line_bound(request, &opened, &survey, spill.path(), meter)?;
            let tree = auto::outer(request, &opened, &survey, meter)?;
            (Places::Tree(tree), None, (gelbrich(&survey.moments)?, Some(along)), Some(effort))
        }
    };
    let cells = places.cells();
    let writer = file::CellWriter { folder: folder.parts().to_path_buf(), layout: opened.layout() };
    let deal = opened.deal(places, vec![false; cells], meter);
    let resources = opened.resources(request, spill.path())?;
    let shuffle = Shuffle { deal, solver: Arc::new(writer), cells, meter: meter.clone() };
    let sums = shuffle.run("writing cells", &resources)?;
    drop(spill);
    let sums: Vec<Sums> = sums.into_iter().map(|(_, sums)| sums).collect();
    total(&sums, opened.total)?;
    let [source, target] = opened.both();
    let split = Split {
        format: FORMAT.to_string(),
        version: VERSION,
        swgg: env!("CARGO_PKG_VERSION").to_string(),
        datafusion: DATAFUSION.to_string(),
        key: key(&recipe, cells)?,
        method: request.method.name().to_string(),
        effort,
        source: request.source.clone(),
        target: request.target.clone(),
        n: source.rows,
        m: target.rows,
        d: source.dim,
        ids: request.readings[0].id.clone().unwrap_or_else(|| "row".to_string()),
        seed: request.seed,
        theta: direction.as_ref().map(|found| Bits(found.theta.clone())),
        direction,
        units: opened.total,
        gelbrich: bounds.0,
        along_line: bounds.1,
        is_single: opened.layout().is_single,
        cells: sums.iter().enumerate().map(cell).collect(),
    };
    folder.commit_as(MANIFEST, &split)?;
    Ok(split)
}

fn cell((number, sums): (usize, &Sums)) -> SplitCell {
    SplitCell {
        files: Side::BOTH.map(|side| file::name(number, side)),
        part: crate::part::file_name(number),
        rows: sums.entries,
        units: sums.units,
    }
}

/// A number that is another one for other tables and settings.
fn key(recipe: &Recipe, cells: usize) -> Result<String> {
    let text = serde_json::to_string(recipe).map_err(|error| Error::Setting(error.to_string()))?;
    let number = text.bytes().fold(cells as u64, |number, byte| hashed(number ^ u64::from(byte)));
    Ok(format!("{number:016x}"))
}

/// Reads the manifest of a split.
///
/// # Errors
///
/// A folder without one, or with one that cannot be read.
pub fn split_of(folder: &Path) -> Result<Split> {
    let path = folder.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(|_| {
        Error::place(folder, format!("holds no {MANIFEST}; expected a folder that `swgg split` wrote"))
    })?;
    let split: Split = serde_json::from_slice(&bytes)
        .map_err(|error| Error::place(&path, format!("is damaged ({error}); split again")))?;
    if split.format != FORMAT || split.version > VERSION {
        let (found, version) = (&split.format, split.version);
        let expected = format!("expected {FORMAT} of version {VERSION} at most; take a newer swgg-engine");
        return Err(Error::place(&path, format!("is {found} of version {version}, {expected}")));
    }
    Ok(split)
}

/// Solves one cell of a split and writes its part of the plan beside it. Needs nothing but the folder.
///
/// # Errors
///
/// A cell that is not there, or is not what the manifest says.
pub fn solve_cell(folder: &Path, number: usize, threads: usize, meter: &Arc<Meter>) -> Result<SplitCell> {
    let split = split_of(folder)?;
    let last = split.cells.len().saturating_sub(1);
    let cell = split.cells.get(number).ok_or_else(|| {
        Error::Setting(format!("--cell is {number}, and {} has cells 0 to {last}", folder.display()))
    })?;
    meter.begin("solving a cell", 1);
    let layout = Layout { dim: split.d, is_single: split.is_single };
    let rows = file::read(folder, &layout, cell)?;
    let tables = [folder.join(&cell.files[0]), folder.join(&cell.files[1])];
    let tables = tables.map(|path: PathBuf| path.display().to_string());
    let (total, key) = (split.units, Some(split.key.clone()));
    let solver: Box<dyn CellSolver> = match (&split.theta, split.effort) {
        (Some(theta), _) => Box::new(LineSolver {
            line: Line { layout, theta: theta.0.clone(), total, p: 2.0 },
            parts: Some(folder.to_path_buf()),
            split: key,
            tables,
            meter: meter.clone(),
        }),
        (None, Some(effort)) => Box::new(AutoSolver {
            layout,
            total,
            effort,
            seed: hashed(split.seed ^ hashed(0)),
            from: Input::Tables,
            to: Output::Part(folder.to_path_buf()),
            split: key,
            slots: Slots::new(1),
            threads: match threads {
                0 => std::thread::available_parallelism().map_or(1, usize::from),
                threads => threads,
            },
            tables,
            meter: meter.clone(),
        }),
        (None, None) => {
            return Err(Error::place(
                &folder.join(MANIFEST),
                "has neither a direction nor an effort; split again",
            ));
        }
    };
    let sums = solver.solve(number, rows)?;
    if sums.units != cell.units {
        let problem =
            format!("it holds {} units of mass, {MANIFEST} says {}; split again", sums.units, cell.units);
        return Err(Error::place(&folder.join(&cell.files[0]), problem));
    }
    meter.advance(1)?;
    Ok(cell.clone())
}
