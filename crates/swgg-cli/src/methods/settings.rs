//! The flags of methods: to whom they belong, and the files behind them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use swgg::{Auto, Measure};
use swgg_io::{Cloud, ReadOptions, read_cloud};

use super::budget::Sizes;
use super::name;
use crate::args::{Method, MethodSettings, Solve};
use crate::exit::{Failure, Outcome};
use crate::printer;
use crate::progress::Spinner;

/// Points of the pivot of a factored coupling, if the clouds have as many.
const PIVOT_POINTS: usize = 100;
/// Dimension of a subspace, if the space has as many.
const DIMENSION: usize = 2;
/// Seconds in a year: a limit above it is a slip of the finger.
const YEAR: f64 = 31_536_000.0;

/// The method to use.
#[derive(Clone, Copy)]
pub struct Chosen {
    pub method: Method,
    /// A flag that only this method has, if that is all that speaks for it.
    pub implied_by: Option<&'static str>,
}

impl Chosen {
    /// The method that was named, the one that the flags of a search imply, or the default.
    pub fn new(args: &Solve) -> Self {
        let implied_by = flags_of_searches(args).next().filter(|_| args.method.is_none());
        let usual = if implied_by.is_some() { Method::MinSwgg } else { Method::Auto };
        Chosen { method: args.method.unwrap_or(usual), implied_by }
    }

    /// Refuses a search for a method that does not search.
    pub fn check_search(&self, args: &Solve) -> Outcome<()> {
        let merges = self.method == Method::Merged;
        let stranger = |flag: &&str| !(merges && *flag == "--directions");
        match flags_of_searches(args).find(stranger) {
            Some(flag) if self.method != Method::MinSwgg => {
                let (method, why) =
                    (name(self.method), if merges { "does not search" } else { "tries no directions" });
                let others = if flag == "--directions" { "min-swgg|merged" } else { "min-swgg" };
                Err(Failure::new(format!(
                    "--method {method} {why}; leave {flag} out, or use --method {others}"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Flags that were given and that speak of directions.
fn flags_of_searches(args: &Solve) -> impl Iterator<Item = &'static str> {
    let costs = args.costs.is_some().then_some("--costs");
    let search = args.search.search.is_some().then_some("--search");
    costs.into_iter().chain(search).chain(crate::search::given(&args.search).map(|(flag, _)| flag))
}

impl MethodSettings {
    /// Files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.cost_matrix, &self.pivot].into_iter().flatten().map(PathBuf::as_path)
    }

    /// Flags that were given, and the methods they belong to.
    fn given(&self) -> impl Iterator<Item = (&'static str, &'static [Method])> {
        use Method::{Auto, Exact, Factored, LinearOt, Sinkhorn, SubspaceDetour, SubspaceRobust, Tree};
        let flags: [(_, _, &'static [Method]); 10] = [
            ("--effort", self.effort.is_some(), &[Auto]),
            ("--time-limit", self.time_limit.is_some(), &[Auto]),
            ("--trees", self.trees.is_some(), &[Tree]),
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
    pub fn check(&self, chosen: &Chosen) -> Outcome<()> {
        let method = chosen.method;
        if let Some((flag, of)) = self.given().find(|(_, of)| !of.contains(&method)) {
            let names: Vec<&str> = of.iter().copied().map(name).collect();
            let (method, names) = (name(method), names.join("|"));
            return Err(Failure::new(match chosen.implied_by {
                None => {
                    format!(
                        "{flag} is not a setting of --method {method}; leave it out, or use --method {names}"
                    )
                }
                Some(implying) => format!(
                    "{implying} implies --method {method}, {flag} belongs to --method {names}; leave one of them out"
                ),
            }));
        }
        if let Some(seconds) = self.time_limit.filter(|seconds| !(*seconds > 0.0 && *seconds <= YEAR)) {
            let rule = if seconds > YEAR { "at most 31536000 seconds, a year" } else { "seconds above 0" };
            return Err(Failure::new(format!("--time-limit is {}; give {rule}", printer::plain(seconds))));
        }
        if self.k == Some(0) {
            return Err(Failure::new("--k is 0; give 1 or more"));
        }
        Ok(())
    }

    /// The default solver with these settings.
    pub fn auto(&self) -> Auto {
        let usual = Auto::default();
        Auto {
            effort: self.effort.unwrap_or(usual.effort),
            time_limit: self.time_limit.map(Duration::from_secs_f64),
            bounds: !self.no_bounds,
            ..usual
        }
    }

    /// Whether the default solver will be an exact one.
    pub fn is_exact(&self, sizes: Sizes) -> bool {
        self.time_limit.is_none() && self.auto().is_exact((sizes.n, sizes.m, sizes.d))
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
