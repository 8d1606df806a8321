//! Distances by lines at full size: SW, max-SW and min-SWGG. No plan is written.

use std::sync::Arc;
use std::time::Instant;

use swgg::line::{Sampler, Sphere};
use swgg::sliced::MaxSliced;
use swgg::{Parallelism, Run};

use crate::cell::Sums;
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::opened::{Opened, spill_folder};
use crate::request::Request;
use crate::search::{self, Listener, measure};
use crate::solve::total;
use crate::survey::{Survey, gelbrich};

/// Which distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The mean over lines of the transport cost along them.
    Sliced,
    /// The largest transport cost along a line.
    MaxSliced,
    /// The smallest cost of the plan of a line.
    MinSwgg,
}

/// What a distance is asked for.
#[derive(Clone, Debug)]
pub struct DistanceRequest {
    /// Tables, memory, threads, seed; its plan is not looked at.
    pub tables: Request,
    /// Which distance.
    pub kind: Kind,
    /// The exponent of SW and max-SW, 1 or more.
    pub p: f64,
    /// Lines of SW. For min-SWGG: random directions to try, on the sample unless `full`; the recommended search if `None`.
    pub directions: Option<usize>,
    /// Evaluate every direction on all rows.
    pub full: bool,
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distance {
    /// Points of the source.
    pub n: u64,
    /// Points of the target.
    pub m: u64,
    /// Number of coordinates.
    pub d: usize,
    /// Never rooted.
    pub cost: f64,
    /// The exponent.
    pub p: f64,
    /// Of a mean over lines.
    pub standard_error: Option<f64>,
    /// What no plan costs less than, where `p` is 2.
    pub lower_bound: Option<f64>,
    /// The line of an extreme.
    pub theta: Option<Vec<f64>>,
    /// Points of each side that the line was looked for on; `None` if on all rows.
    pub sample: Option<[usize; 2]>,
    /// Lines that were evaluated on all rows.
    pub evaluated: usize,
    /// Bytes that were on disk at once, as far as was seen.
    pub spilled: u64,
    /// Threads that were used.
    pub threads: usize,
    /// Seconds of everything.
    pub seconds: f64,
}

/// Lines of SW unless told otherwise: each takes three passes and a sort.
pub const LINES: usize = 20;

/// Computes a distance between two tables of any size.
///
/// # Errors
///
/// As [`solve`](crate::solve()).
pub fn distance(request: &DistanceRequest, meter: &Arc<Meter>) -> Result<Distance> {
    let started = Instant::now();
    let DistanceRequest { tables, kind, p, .. } = request;
    if !p.is_finite() || *p < 1.0 {
        return Err(Error::Setting(format!("--p is {p}; |x - y|^p needs a finite p of 1 or more")));
    }
    if *kind == Kind::MinSwgg && *p != 2.0 {
        return Err(Error::Setting(
            "--p is not a setting of --kind min-swgg; leave it out, or use --kind sw|max-sw".to_string(),
        ));
    }
    if request.full && (*kind != Kind::MinSwgg || request.directions.is_none()) {
        return Err(Error::Setting(
            "--full evaluates a list of directions on all rows; give --kind min-swgg and --directions"
                .to_string(),
        ));
    }
    let opened = Opened::open(tables, meter)?;
    let dim = opened.tables[0].dim;
    let survey = opened.survey(tables, meter)?;
    let (lines, sample) = lines(request, &survey, dim, meter)?;
    let spill = spill_folder(tables, None)?;
    let mut sums: Vec<Sums> = Vec::with_capacity(lines.len());
    for theta in &lines {
        let cuts = opened.cut(tables, &survey, theta, meter)?;
        let done = vec![false; cuts.cells()];
        let cells = opened.shuffle(tables, (theta, *p), cuts, (None, done), spill.path(), meter)?;
        sums.push(total(&cells.into_iter().map(|(_, sums)| sums).collect::<Vec<_>>(), opened.total)?);
    }
    let along = |sums: &Sums| if *p == 2.0 { sums.along } else { sums.along_power };
    let costs: Vec<f64> =
        sums.iter().map(|sums| if *kind == Kind::MinSwgg { sums.cost } else { along(sums) }).collect();
    let highest = sums.iter().map(|sums| sums.along).fold(gelbrich(&survey.moments)?, f64::max);
    let (cost, standard_error, theta) = match kind {
        Kind::Sliced => {
            let (mean, error) = mean(&costs);
            (mean, error, None)
        }
        Kind::MaxSliced => (costs[0], None, Some(lines[0].clone())),
        Kind::MinSwgg => {
            let best = (0..costs.len()).min_by(|&k, &l| costs[k].total_cmp(&costs[l])).unwrap_or_default();
            (costs[best], None, Some(lines[best].clone()))
        }
    };
    Ok(Distance {
        n: opened.tables[0].rows,
        m: opened.tables[1].rows,
        d: dim,
        cost,
        p: *p,
        standard_error,
        lower_bound: (*p == 2.0).then_some(highest),
        theta,
        sample,
        evaluated: lines.len(),
        spilled: meter.reached().spilled,
        threads: tables.threads(),
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// The lines that are evaluated on all rows, and the sizes of the sample that they were found on.
#[allow(clippy::type_complexity)]
fn lines(
    request: &DistanceRequest,
    survey: &Survey,
    dim: usize,
    meter: &Meter,
) -> Result<(Vec<Vec<f64>>, Option<[usize; 2]>)> {
    let tables = &request.tables;
    let random = |count: usize| -> Result<Vec<Vec<f64>>> {
        let set = Sphere::new(dim, tables.seed)?.batch(0..count);
        Ok((0..count).map(|k| set.row(k).to_vec()).collect())
    };
    let sizes = survey.samples.each_ref().map(Vec::len);
    match request.kind {
        Kind::Sliced => Ok((random(request.directions.unwrap_or(LINES))?, None)),
        Kind::MinSwgg if request.full => Ok((random(request.directions.unwrap_or(LINES))?, None)),
        Kind::MinSwgg => {
            let threads = tables.threads();
            let found = search::on_sample(survey, dim, request.directions, tables.seed, threads, meter)?;
            Ok((vec![found.theta], Some(sizes)))
        }
        Kind::MaxSliced => {
            let theta = steepest(survey, dim, request.p, tables, meter)?;
            Ok((vec![theta], Some(sizes)))
        }
    }
}

/// The line with the largest transport cost along it, on the sample.
pub(crate) fn steepest(
    survey: &Survey,
    dim: usize,
    p: f64,
    request: &Request,
    meter: &Meter,
) -> Result<Vec<f64>> {
    meter.begin("looking for the line on a sample", 0);
    let [source, target] = &survey.samples;
    let (source, target) = (measure(source, dim)?, measure(target, dim)?);
    let mut listener = Listener::new(meter);
    let parallelism = Parallelism::from_count(request.threads());
    let run = Run { seed: request.seed, parallelism, ..Run::default() };
    let climb = MaxSliced { p, ..MaxSliced::default() };
    let slice = climb.maximum(&source, &target, &mut run.watched(&mut listener))?;
    meter.check()?;
    Ok(slice.theta.as_slice().to_vec())
}

/// The mean, and its standard error if there are two or more.
fn mean(costs: &[f64]) -> (f64, Option<f64>) {
    let count = costs.len() as f64;
    let mean = costs.iter().sum::<f64>() / count;
    let spread: f64 = costs.iter().map(|cost| (cost - mean).powi(2)).sum();
    (mean, (costs.len() > 1).then(|| (spread / (count - 1.0) / count).sqrt()))
}
