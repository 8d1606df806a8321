//! From two tables to a plan: the passes in order.

use std::sync::Arc;
use std::time::Instant;

use crate::auto;
use crate::cell::{Sum, Sums};
use crate::error::{Error, Result};
use crate::folder::{self, Manifest, Part, Pass, PlanFolder, Progress, Recipe};
use crate::meter::Meter;
use crate::opened::{Opened, spill_folder};
use crate::part;
use crate::remote::{self, Batches, Cluster};
use crate::request::{Method, Request};
use crate::search::{self, ChosenDirection};
use crate::survey::{Survey, gelbrich};
use crate::table::{Reading, Table};

/// The version of DataFusion that this is built with.
pub const DATAFUSION: &str = "55.2";

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
    /// How the plan was found.
    pub method: Method,
    /// The direction and where it comes from, if the method has one.
    pub direction: Option<ChosenDirection>,
    /// What each pass of [`Method::Auto`] came to.
    pub passes: Vec<Pass>,
    /// Cost of the plan, never rooted.
    pub cost: f64,
    /// Transport along the line, or along one that was looked for: no plan costs less.
    pub along_line: f64,
    /// From means and covariances: no plan costs less.
    pub gelbrich: f64,
    /// Entries of the plan.
    pub entries: u64,
    /// Cells, of the last pass if there are several.
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

/// Finds a plan between two tables and writes it.
///
/// That of [`Method::MinSwgg`] is the one in memory, entry by entry, for any number of cells, threads and any memory. That of [`Method::Auto`] depends on
/// the number of cells and the seed, and on nothing else.
///
/// # Errors
///
/// What is wrong with the tables, the settings or the places, in finished sentences; [`Error::Interrupted`] if the meter's flag was raised.
pub fn solve(request: &Request, meter: &Arc<Meter>) -> Result<Solved> {
    let started = Instant::now();
    match request.method {
        Method::MinSwgg => along_a_line(request, None, meter, started),
        Method::Auto { effort, passes } => auto::solve(request, effort, passes, meter, started),
    }
}

/// The same with cells solved on a cluster: the same plan, entry by entry. The passes that find the borders of the cells are made here.
///
/// # Errors
///
/// As [`solve`]; [`Method::Auto`] is refused, and what is wrong with the cluster. A plan that was begun can be resumed, here or there.
pub fn solve_on(
    request: &Request,
    cluster: &dyn Cluster,
    batches: Batches,
    meter: &Arc<Meter>,
) -> Result<Solved> {
    if request.method != Method::MinSwgg {
        return Err(Error::Setting(
            "--method auto regroups pairs between its passes, which clusters do not do yet; take --engine datafusion, or \
             `swgg split --method auto`, whose cells any scheduler solves"
                .to_string(),
        ));
    }
    let started = Instant::now();
    cluster.greet(meter)?;
    along_a_line(request, Some((cluster, batches)), meter, started)
}

fn along_a_line(
    request: &Request,
    cluster: Option<(&dyn Cluster, Batches)>,
    meter: &Arc<Meter>,
    started: Instant,
) -> Result<Solved> {
    let opened = Opened::open(request, meter)?;
    let recipe = recipe(request, &opened);
    let mut place = request
        .plan
        .as_deref()
        .map(|plan| PlanFolder::create::<Progress>(plan, request.resume))
        .transpose()?;
    let progress = place.as_mut().and_then(|(_, progress)| progress.take());
    let mut place = place.map(|(folder, _)| folder);
    let (direction, bound, cuts) = match progress {
        Some(Progress { recipe: before, .. }) if before != recipe => return Err(other_run()),
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
        let (theta, open) = (&direction.theta[..], (parts, done));
        let shuffled = match cluster {
            Some((cluster, batches)) => {
                remote::solve(&opened, cluster, batches, (theta, &cuts), open, meter)?
            }
            None => opened.shuffle(request, (theta, 2.0), cuts, open, spill.path(), meter)?,
        };
        shuffled.into_iter().for_each(|(cell, of_cell)| sums[cell] = Some(of_cell));
    }
    drop(spill);
    let sums: Vec<Sums> = sums.into_iter().flatten().collect();
    let whole = total(&sums, opened.total)?;
    let found =
        Findings { direction: Some(direction), passes: Vec::new(), gelbrich: bound, along_line: whole.along };
    let solved = Solved {
        cells,
        resumed,
        seconds_to_cut,
        seconds_to_solve: started.elapsed().as_secs_f64() - seconds_to_cut,
        ..found.solved(request, &opened, &whole, meter)
    };
    if let Some(folder) = place {
        folder.commit(&manifest(request, &solved, &sums, opened.total))?;
    }
    Ok(solved)
}

/// What a method found out besides the plan.
pub(crate) struct Findings {
    pub direction: Option<ChosenDirection>,
    pub passes: Vec<Pass>,
    pub gelbrich: f64,
    pub along_line: f64,
}

impl Findings {
    /// With the sums of all cells; cells and times are filled in by the caller.
    pub fn solved(self, request: &Request, opened: &Opened, whole: &Sums, meter: &Meter) -> Solved {
        let [source, target] = opened.both();
        Solved {
            n: source.rows,
            m: target.rows,
            d: source.dim,
            method: request.method,
            direction: self.direction,
            passes: self.passes,
            cost: whole.cost,
            along_line: self.along_line,
            gelbrich: self.gelbrich,
            entries: whole.entries,
            cells: 0,
            resumed: 0,
            spilled: meter.reached().spilled,
            threads: request.threads(),
            seconds_to_cut: 0.0,
            seconds_to_solve: 0.0,
        }
    }
}

/// What was left behind is of a run with other tables or settings.
pub(crate) fn other_run() -> Error {
    Error::Setting(
        "--resume: the tables or the settings are not those of the run that was stopped; give the same, or remove what it \
         left behind"
            .to_string(),
    )
}

/// The first pass, and the direction: the one that was given, or the winner on the sample.
pub(crate) fn directed(
    request: &Request,
    opened: &Opened,
    meter: &Meter,
) -> Result<(Survey, ChosenDirection)> {
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

pub(crate) fn recipe(request: &Request, opened: &Opened) -> Recipe {
    let words = |reading: &Reading| {
        let columns = reading.columns.as_ref().map(ToString::to_string);
        format!("{columns:?} {:?} {:?}", reading.weights, reading.id)
    };
    Recipe {
        files: opened.both().map(Table::fingerprint),
        columns: request.readings.iter().map(words).collect(),
        method: format!("{:?}", request.method),
        direction: request.direction.as_ref().map(|theta| theta.iter().map(|x| x.to_bits()).collect()),
        directions: request.directions,
        seed: request.seed,
        cells: request.cells,
    }
}

pub(crate) fn manifest(request: &Request, solved: &Solved, sums: &[Sums], units: u64) -> Manifest {
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
        method: solved.method.name().to_string(),
        source: request.source.clone(),
        target: request.target.clone(),
        n: solved.n,
        m: solved.m,
        d: solved.d,
        ids: request.readings[0].id.clone().unwrap_or_else(|| "row".to_string()),
        seed: request.seed,
        direction: solved.direction.clone(),
        effort: match solved.method {
            Method::MinSwgg => None,
            Method::Auto { effort, .. } => Some(effort),
        },
        passes: solved.passes.clone(),
        cost: solved.cost,
        lower_bound: solved.lower_bound(),
        along_line: solved.along_line,
        entries: solved.entries,
        parts: sums.iter().enumerate().map(part).collect(),
    }
}
