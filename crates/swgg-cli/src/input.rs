//! From files to two measures.

use std::path::{Path, PathBuf};

use swgg::line::DirectionSet;
use swgg::plan::Coo;
use swgg::{Coupling, ErrorKind, Measure, Scalar};
use swgg_io::{Cloud, Format, ReadOptions, read_cloud, read_plan, read_vector};

use crate::args::Clouds;
use crate::exit::{Failure, Outcome};
use crate::printer::{counted, grouped, warn};
use crate::progress::Spinner;

/// The files of a pair of clouds, read but not yet checked.
pub struct Files {
    paths: [PathBuf; 2],
    source: Cloud,
    target: Cloud,
    source_weights: Option<Vec<f64>>,
    target_weights: Option<Vec<f64>>,
}

/// Two measures of one precision: single when both files are, double otherwise.
pub enum Pair<'a> {
    Single(Measure<'a, f32>, Measure<'a, f32>),
    Double(Measure<'a, f64>, Measure<'a, f64>),
}

/// Does something with both measures, in either precision.
macro_rules! with_measures {
    ($files:expr, $clouds:expr, |$source:ident, $target:ident| $task:expr) => {
        match &$files.measures($clouds)? {
            $crate::input::Pair::Single($source, $target) => $task,
            $crate::input::Pair::Double($source, $target) => $task,
        }
    };
}
pub(crate) use with_measures;

impl Files {
    pub fn read(clouds: &Clouds, quiet: bool) -> Outcome<Self> {
        let is_standard_input = |path: &Path| path == Path::new("-");
        let piped = clouds.files().filter(|path| is_standard_input(path)).count();
        if piped > 1 {
            return Err(Failure::usage("standard input can be read once; name a file for one of the clouds"));
        }
        let mut options = clouds.tables.options(clouds.columns.as_ref());
        options.weights.clone_from(&clouds.weights_column);
        let cloud = |path: &Path| {
            let _spinner = Spinner::new(format!("reading {}", path.display()), quiet);
            // Beside standard input, which has no ending, the format is not for a file whose ending names one.
            let is_named = piped > 0 && !is_standard_input(path) && Format::from_path(path).is_ok();
            let format = options.format.filter(|_| !is_named);
            read_cloud(path, &ReadOptions { format, ..options.clone() })
        };
        let weights = |path: &Option<PathBuf>| path.as_deref().map(read_vector).transpose();
        let (source, target) = (cloud(&clouds.source)?, cloud(&clouds.target)?);
        if !quiet {
            tell_skipped(&source, &clouds.source);
            tell_skipped(&target, &clouds.target);
        }
        let in_column = |cloud: &Cloud| cloud.weights().map(<[f64]>::to_vec);
        if clouds.columns.is_none() {
            check_names(&source, &target, quiet)?;
            if !quiet {
                tell_more_than_space(&source, &clouds.source);
                tell_more_than_space(&target, &clouds.target);
            }
        }
        let source_weights = weights(&clouds.source_weights)?.or_else(|| in_column(&source));
        let target_weights = weights(&clouds.target_weights)?.or_else(|| in_column(&target));
        let paths = [clouds.source.clone(), clouds.target.clone()];
        Ok(Files { paths, source, target, source_weights, target_weights })
    }

    /// Checks everything once and borrows the coordinates.
    pub fn measures(&self, clouds: &Clouds) -> Outcome<Pair<'_>> {
        let source = Origin {
            role: "source",
            file: &clouds.source,
            weights: clouds.source_weights.as_deref(),
            cloud: &self.source,
        };
        let target = Origin {
            role: "target",
            file: &clouds.target,
            weights: clouds.target_weights.as_deref(),
            cloud: &self.target,
        };
        let (a, b) = (self.source_weights.as_deref(), self.target_weights.as_deref());
        if let (Some(x), Some(y)) = (self.source.as_f32(), self.target.as_f32()) {
            let mu = source.measure(Measure::from_slice(x, self.source.columns()), a)?;
            let nu = target.measure(Measure::from_slice(y, self.target.columns()), b)?;
            return Ok(Pair::Single(mu, nu));
        }
        let mu = source.measure(double(&self.source), a)?;
        let nu = target.measure(double(&self.target), b)?;
        Ok(Pair::Double(mu, nu))
    }

    /// Both measures in double precision, for commands that read further clouds.
    pub fn in_double(&self) -> Outcome<(Measure<'_, f64>, Measure<'_, f64>)> {
        let side = |role, k: usize, cloud, weights: &Option<Vec<f64>>| {
            let origin = Origin { role, file: &self.paths[k], weights: None, cloud };
            origin.measure(double(cloud), weights.as_deref())
        };
        let source = side("source", 0, &self.source, &self.source_weights)?;
        let target = side("target", 1, &self.target, &self.target_weights)?;
        if source.dim() != target.dim() {
            let (source_dim, target_dim) = (source.dim(), target.dim());
            return Err(swgg::Error::from(ErrorKind::DimensionMismatch { source_dim, target_dim }).into());
        }
        Ok((source, target))
    }

    /// The dimension of the source.
    pub fn dim(&self) -> usize {
        self.source.columns()
    }

    /// Column names to give to clouds written in the space of the source.
    pub fn names(&self) -> Option<&[String]> {
        self.source.names()
    }
}

/// Says how many rows were left out.
pub fn tell_skipped(cloud: &Cloud, path: &Path) {
    if cloud.skipped() > 0 {
        let rows = counted(cloud.skipped(), "row");
        warn(&format!("{}: {rows} with missing values left out", path.display()));
    }
}

/// A saved plan between clouds of these sizes.
pub fn read_coupling(path: &Path, n: usize, m: usize) -> Outcome<Coupling> {
    let plan = read_plan(path)?;
    let (rows, columns) = plan.shape.unwrap_or_else(|| plan.extent());
    let fits = match plan.shape {
        Some(shape) => shape == (n, m),
        None => rows <= n && columns <= m,
    };
    if !fits {
        let at_least = if plan.shape.is_some() { "" } else { "at least " };
        return Err(Failure::input(format!(
            "{}: the plan is between {at_least}{} and {} points, the clouds have {} and {}; name the clouds it was made of",
            path.display(),
            grouped(rows),
            grouped(columns),
            grouped(n),
            grouped(m)
        )));
    }
    let (mut sources, mut targets, mut masses) = (Vec::new(), Vec::new(), Vec::new());
    for (i, j, mass) in plan.entries {
        sources.push(i);
        targets.push(j);
        masses.push(mass);
    }
    Ok(Coupling::sparse(n, m, Coo { sources, targets, masses })?)
}

/// Columns are matched by position. Names in another order show that this is not meant; other names that it may not be.
pub fn check_names(source: &Cloud, target: &Cloud, quiet: bool) -> Outcome<()> {
    let (Some(a), Some(b)) = (source.names(), target.names()) else { return Ok(()) };
    if a == b || a.len() != b.len() {
        return Ok(());
    }
    let (shown, other) = (a.join(","), b.join(","));
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if sorted(a) == sorted(b) {
        return Err(Failure::new(format!(
            "the columns of the source are {shown}, those of the target {other}; pass --columns {shown}"
        )));
    }
    if !quiet {
        warn(&format!("columns {shown} of the source are matched with {other} of the target, by position"));
    }
    Ok(())
}

/// Tables of scans have colours and normals beside `x`, `y` and `z`, which are hardly meant as coordinates.
fn tell_more_than_space(cloud: &Cloud, path: &Path) {
    let names = cloud.names().unwrap_or_default();
    let is_there = |axis: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(axis));
    if names.len() > 3 && ["x", "y", "z"].iter().all(is_there) {
        let (path, count) = (path.display(), names.len());
        warn(&format!("{path}: all {count} columns are taken as coordinates; --columns x,y,z takes three"));
    }
}

fn double(cloud: &Cloud) -> swgg::Result<Measure<'_, f64>> {
    match cloud.to_f64() {
        std::borrow::Cow::Borrowed(points) => Measure::from_slice(points, cloud.columns()),
        std::borrow::Cow::Owned(points) => Measure::from_vec(points, cloud.columns()),
    }
}

/// Where a measure came from, for messages.
struct Origin<'a> {
    role: &'a str,
    file: &'a Path,
    weights: Option<&'a Path>,
    cloud: &'a Cloud,
}

impl Origin<'_> {
    fn measure<'a, T: Scalar>(
        &self,
        points: swgg::Result<Measure<'a, T>>,
        weights: Option<&[f64]>,
    ) -> Outcome<Measure<'a, T>> {
        let place = |file: &Path, error: swgg::Error| {
            Failure::new(format!("{} {}: {error}", self.role, file.display()))
        };
        let points = points.map_err(|error| match not_finite(self.cloud, &error) {
            Some(message) => Failure::input(format!("{} {}: {message}", self.role, self.file.display())),
            None => place(self.file, error),
        })?;
        match weights {
            None => Ok(points),
            Some(weights) => {
                let file = self.weights.unwrap_or(self.file);
                points.with_weights(weights).map_err(|error| place(file, error))
            }
        }
    }
}

/// Where in a file of text a value is that is not finite, as other mistakes in such files are told.
pub fn not_finite(cloud: &Cloud, error: &swgg::Error) -> Option<String> {
    let ErrorKind::NotFinite { row, column, value } = error.kind() else { return None };
    let line = cloud.line(*row)?;
    let column = match cloud.names().and_then(|names| names.get(*column)) {
        Some(name) => format!("column {name:?}"),
        None => format!("column {column} (from 0)"),
    };
    Some(format!(
        "line {line}, {column} is {value}, not a finite number; drop the row or fill it in (--skip-missing drops such rows)"
    ))
}

/// Directions of a space of dimension `dim` from a file, one per row.
pub fn read_directions(path: &Path, dim: usize) -> Outcome<DirectionSet> {
    let cloud = read_cloud(path, &ReadOptions::default())?;
    let shape = (cloud.rows(), cloud.columns());
    let refuse = |error: String| Failure::new(format!("{}: {error}", path.display()));
    if cloud.columns() != dim {
        let other = ErrorKind::DirectionDimension { found: cloud.columns(), expected: dim };
        return Err(refuse(other.to_string()));
    }
    let rows = swgg::ndarray::ArrayView2::from_shape(shape, &cloud.to_f64())
        .map_err(|error| refuse(error.to_string()))?
        .to_owned();
    DirectionSet::from_rows(rows.view()).map_err(|error| refuse(error.to_string()))
}
