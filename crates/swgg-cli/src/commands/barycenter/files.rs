//! The clouds, from files to measures.

use std::path::Path;

use swgg::Measure;
use swgg_io::{Cloud, read_cloud, read_vector};

use crate::args::Barycenter;
use crate::exit::{Failure, Outcome};
use crate::printer::warn;
use crate::progress::Spinner;

/// What was read, of one dimension.
pub struct Files<'a> {
    args: &'a Barycenter,
    clouds: Vec<Cloud>,
    weights: Vec<Option<Vec<f64>>>,
    begin: Option<Cloud>,
}

impl<'a> Files<'a> {
    pub fn read(args: &'a Barycenter) -> Outcome<Self> {
        let count = args.clouds.len();
        if count < 2 {
            return Err(Failure::usage(format!(
                "found 1 cloud, {}; a barycenter is between at least 2: name more files",
                args.clouds.first().map(|file| file.display().to_string()).unwrap_or_default()
            )));
        }
        if let Some(files) = args.point_weights.as_ref().filter(|files| files.len() != count) {
            return Err(Failure::usage(format!(
                "--point-weights names {} files for {count} clouds; give one for each, or the word equal",
                files.len()
            )));
        }
        let options = args.tables.options(args.columns.as_ref());
        let read = |path: &Path| -> Outcome<Cloud> {
            let _spinner = Spinner::new(format!("reading {}", path.display()), args.print.quiet);
            Ok(read_cloud(path, &options)?)
        };
        let clouds = args.clouds.iter().map(|path| read(path)).collect::<Outcome<Vec<_>>>()?;
        let begin = args.begin.as_deref().map(read).transpose()?;
        let others = args.clouds.iter().zip(&clouds).skip(1).chain(args.begin.iter().zip(&begin));
        for (path, cloud) in others {
            same_columns((&args.clouds[0], &clouds[0]), (path, cloud), args)?;
        }
        let weights = (0..count).map(|k| args.weights_of(k).map(read_vector).transpose());
        let weights = weights.collect::<Result<Vec<_>, _>>()?;
        Ok(Files { args, clouds, weights, begin })
    }

    /// Columns of every cloud.
    pub fn dim(&self) -> usize {
        self.clouds.first().map_or(0, Cloud::columns)
    }

    /// Names of the columns of the first cloud.
    pub fn names(&self) -> Option<&[String]> {
        self.clouds.first().and_then(Cloud::names)
    }

    /// The clouds, checked.
    pub fn clouds(&self) -> Outcome<Vec<Measure<'_, f64>>> {
        let clouds = self.args.clouds.iter().zip(&self.clouds).zip(&self.weights).enumerate();
        clouds
            .map(|(k, ((path, cloud), weights))| {
                let points = measure(path, cloud)?;
                let Some(weights) = weights else { return Ok(points) };
                let file = self.args.weights_of(k).unwrap_or(path);
                points.with_weights(weights).map_err(|error| refusal(file, &error))
            })
            .collect()
    }

    /// The points to begin with, if there are any.
    pub fn begin(&self) -> Outcome<Option<Measure<'static, f64>>> {
        let (Some(path), Some(cloud)) = (&self.args.begin, &self.begin) else { return Ok(None) };
        let points = Measure::from_vec(cloud.to_f64().into_owned(), cloud.columns());
        points.map(Some).map_err(|error| refusal(path, &error))
    }
}

fn refusal(path: &Path, error: &swgg::Error) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}

fn measure<'a>(path: &Path, cloud: &'a Cloud) -> Outcome<Measure<'a, f64>> {
    let points = match cloud.to_f64() {
        std::borrow::Cow::Borrowed(points) => Measure::from_slice(points, cloud.columns()),
        std::borrow::Cow::Owned(points) => Measure::from_vec(points, cloud.columns()),
    };
    points.map_err(|error| refusal(path, &error))
}

/// Columns are matched by position: as many as in the first cloud, and names in another order show that this is not meant.
fn same_columns(
    (first_path, first): (&Path, &Cloud),
    (path, cloud): (&Path, &Cloud),
    args: &Barycenter,
) -> Outcome<()> {
    let (one, other) = (first_path.display(), path.display());
    if first.columns() != cloud.columns() {
        return Err(Failure::input(format!(
            "{one} has points of dimension {}, {other} of dimension {}; all clouds must have the same (--columns picks some)",
            first.columns(),
            cloud.columns()
        )));
    }
    let (Some(a), Some(b)) = (first.names(), cloud.names()) else { return Ok(()) };
    if a == b || args.columns.is_some() {
        return Ok(());
    }
    let (shown, found) = (a.join(","), b.join(","));
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names
    };
    if sorted(a) == sorted(b) {
        return Err(Failure::input(format!(
            "the columns of {one} are {shown}, those of {other} {found}; pass --columns {shown}"
        )));
    }
    if !args.print.quiet {
        warn(&format!("columns {shown} of {one} are matched with {found} of {other}, by position"));
    }
    Ok(())
}
