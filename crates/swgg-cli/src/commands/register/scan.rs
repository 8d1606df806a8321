//! A cloud and what its points carry, without the points that cannot be used.

use std::path::Path;

use swgg::Measure;
use swgg_io::{Attributes, Cloud, read_table};

use crate::args::Register;
use crate::exit::{Failure, Outcome};
use crate::input::check_names;
use crate::printer::{grouped, warn};
use crate::progress::Spinner;
use crate::report::Dropped;

/// The two clouds that are to be registered.
pub struct Scans {
    pub source: Scan,
    pub target: Scan,
}

/// One of them.
pub struct Scan {
    role: &'static str,
    file: String,
    /// Coordinates of the points that are left, row by row.
    pub points: Vec<f64>,
    pub dim: usize,
    /// Columns that are not coordinates, of the points that are left.
    pub attributes: Attributes,
    pub names: Option<Vec<String>>,
    pub dropped: Dropped,
}

impl Scans {
    pub fn read(args: &Register) -> Outcome<Self> {
        let options = args.tables.options(args.columns.as_ref());
        let read = |path: &Path| {
            let _spinner = Spinner::new(format!("reading {}", path.display()), args.print.quiet);
            read_table(path, &options)
        };
        let (source, target) = (read(&args.source)?, read(&args.target)?);
        if args.columns.is_none() {
            check_names(&source.0, &target.0, args.print.quiet)?;
        }
        Ok(Scans {
            source: Scan::new("source", &args.source, source, args.drop_origin),
            target: Scan::new("target", &args.target, target, args.drop_origin),
        })
    }
}

impl Scan {
    fn new(
        role: &'static str,
        path: &Path,
        (cloud, mut attributes): (Cloud, Attributes),
        drop_origin: bool,
    ) -> Self {
        let dim = cloud.columns();
        let mut dropped = Dropped::default();
        let values = cloud.to_f64();
        let mut is_good = |point: &[f64]| {
            let finite = point.iter().all(|x| x.is_finite());
            let origin = drop_origin && point.iter().all(|&x| x == 0.0);
            dropped.not_finite += usize::from(!finite);
            dropped.at_origin += usize::from(origin);
            finite && !origin
        };
        let keep: Vec<bool> = values.chunks_exact(dim).map(&mut is_good).collect();
        let points = if dropped == Dropped::default() {
            values.into_owned()
        } else {
            attributes.retain(&keep);
            let kept = values.chunks_exact(dim).zip(&keep).filter(|(_, keep)| **keep);
            kept.flat_map(|(point, _)| point).copied().collect()
        };
        let names = cloud.names().map(<[String]>::to_vec);
        Scan { role, file: path.display().to_string(), points, dim, attributes, names, dropped }
    }

    /// Number of points that are left.
    pub fn len(&self) -> usize {
        self.points.len() / self.dim
    }

    pub fn measure(&self) -> Outcome<Measure<'_, f64>> {
        let place = |error: String| Failure::new(format!("{} {}: {error}", self.role, self.file));
        if self.points.is_empty() {
            return Err(place("no point is left: all were dropped; look at them with swgg info".to_string()));
        }
        Measure::from_slice(&self.points, self.dim).map_err(|error| place(error.to_string()))
    }

    /// Says which points were dropped, and that they are missing in what is written.
    pub fn tell_dropped(&self, out: Option<&Path>) {
        let tell = |count: usize, reason: &str| {
            if count > 0 {
                let out = out.map_or(String::new(), |out| format!(" and are not in {}", out.display()));
                let (role, of) = (self.role, self.len() + self.dropped.not_finite + self.dropped.at_origin);
                warn(&format!(
                    "{} of {} points of the {role} {reason} were dropped{out}",
                    grouped(count),
                    grouped(of)
                ));
            }
        };
        tell(self.dropped.not_finite, "that are not finite");
        tell(self.dropped.at_origin, "at the origin");
    }
}
