//! The flags of methods: to whom they belong, and the files behind them.

use std::path::{Path, PathBuf};

use swgg::Measure;
use swgg_io::{Cloud, ReadOptions, read_cloud};

use super::budget::Sizes;
use super::name;
use crate::args::{Method, MethodSettings};
use crate::exit::{Failure, Outcome};
use crate::progress::Spinner;

/// Points of the pivot of a factored coupling, if the clouds have as many.
const PIVOT_POINTS: usize = 100;
/// Dimension of a subspace, if the space has as many.
const DIMENSION: usize = 2;

impl MethodSettings {
    /// Files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.cost_matrix, &self.pivot].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Flags that were given, and the methods they belong to.
    fn given(&self) -> impl Iterator<Item = (&'static str, &'static [Method])> {
        use Method::{Exact, Factored, LinearOt, Sinkhorn, SubspaceDetour, SubspaceRobust};
        let flags: [(_, _, &'static [Method]); 7] = [
            ("--p", self.p.is_some(), &[Exact]),
            ("--cost-matrix", self.cost_matrix.is_some(), &[Exact]),
            ("--k", self.k.is_some(), &[Factored, SubspaceRobust, SubspaceDetour]),
            ("--detour", self.detour.is_some(), &[SubspaceDetour]),
            ("--epsilon", self.epsilon.is_some(), &[Sinkhorn]),
            ("--relative-epsilon", self.relative_epsilon.is_some(), &[Sinkhorn]),
            ("--pivot", self.pivot.is_some(), &[LinearOt]),
        ];
        flags.into_iter().filter(|(_, given, _)| *given).map(|(flag, _, of)| (flag, of))
    }

    /// Refuses flags that the method has no use for.
    pub fn check(&self, method: Method) -> Outcome<()> {
        if let Some((flag, of)) = self.given().find(|(_, of)| !of.contains(&method)) {
            let names: Vec<&str> = of.iter().copied().map(name).collect();
            return Err(Failure::new(format!(
                "{flag} is not a setting of --method {}; leave it out, or use --method {}",
                name(method),
                names.join("|")
            )));
        }
        if self.k == Some(0) {
            return Err(Failure::new("--k is 0; give 1 or more"));
        }
        Ok(())
    }

    /// Points of the pivot of a factored coupling.
    pub fn pivot_points(&self, n: usize, m: usize) -> usize {
        self.k.unwrap_or(PIVOT_POINTS.min(n).min(m))
    }

    /// Dimension of the subspace.
    pub fn dimension(&self, d: usize) -> Outcome<usize> {
        match self.k {
            None => Ok(DIMENSION.min(d)),
            Some(k) if k <= d => Ok(k),
            Some(k) => Err(Failure::new(format!("--k is {k}, the points have dimension {d}; give 1 to {d}"))),
        }
    }
}

/// What some methods read besides the clouds.
#[derive(Default)]
pub struct Extras {
    pub costs: Option<(PathBuf, Cloud)>,
    pub pivot: Option<(PathBuf, Measure<'static, f64>)>,
}

impl Extras {
    /// Reads and checks the files for clouds of these sizes.
    pub fn read(settings: &MethodSettings, sizes: Sizes, quiet: bool) -> Outcome<Self> {
        let Sizes { n, m, d } = sizes;
        let read = |path: &Path| {
            let _spinner = Spinner::new(format!("reading {}", path.display()), quiet);
            read_cloud(path, &ReadOptions::default())
        };
        let mut extras = Extras::default();
        if let Some(path) = &settings.cost_matrix {
            let costs = read(path)?;
            let (rows, columns) = (costs.rows(), costs.columns());
            if (rows, columns) != (n, m) {
                return Err(Failure::new(format!(
                    "{}: {rows} x {columns} costs for {n} source and {m} target points; give a row per source \
                     point and a column per target point",
                    path.display()
                )));
            }
            extras.costs = Some((path.clone(), costs));
        }
        if let Some(path) = &settings.pivot {
            let cloud = read(path)?;
            let refuse = |why: String| Failure::new(format!("pivot {}: {why}", path.display()));
            if cloud.columns() != d {
                return Err(refuse(format!(
                    "its points have dimension {}, those of the clouds {d}; they must agree",
                    cloud.columns()
                )));
            }
            let pivot = Measure::from_vec(cloud.to_f64().into_owned(), d);
            extras.pivot = Some((path.clone(), pivot.map_err(|error| refuse(error.to_string()))?));
        }
        Ok(extras)
    }
}
