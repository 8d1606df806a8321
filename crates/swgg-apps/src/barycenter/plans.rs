//! Who makes plans, with which effort, beginning where.

use swgg::cost::SqEuclidean;
use swgg::exact::{Start, from_start};
use swgg::question::Sizes;
use swgg::setting::Settings as OwnSettings;
use swgg::solver::settings::{EFFORT, OF_THE_QUESTION, POWER};
use swgg::solver::{Estimate, Method, PlanKind, build, merge_matchings};
use swgg::{Auto, CostIs, Coupling, Exact, Measure, Question, Run, Solver, Transport};

use super::error::{Error, Result};

/// The effort with which plans of large clouds end, unless told otherwise: each step adds what it finds to the plan of the steps before.
const USUAL_EFFORT: u8 = 2;

/// Pairs of points up to which exact plans begin with those of the step before. Measured: at 10 000 points a side a step takes a third of the
/// time of one from scratch.
const MAX_WARM_PAIRS: f64 = 4e8;

/// Who makes the plans from the points of the barycenter to the clouds.
pub enum PlanMaker<'a> {
    /// The default solver: exact for small clouds. For others it begins with the effort of 1 and tries harder when a step gains
    /// little, up to this effort; left out, up to 2.
    Auto {
        /// From 1 to 10.
        effort: Option<u8>,
    },
    /// Exact transport; each plan begins with that of the step before.
    Exact,
    /// Any other solver that has a plan.
    Other(Box<dyn Solver<f64> + 'a>),
}

impl Default for PlanMaker<'_> {
    fn default() -> Self {
        PlanMaker::Auto { effort: None }
    }
}

/// A plan from the points to a cloud, and its cost.
pub(super) struct Kept {
    pub coupling: Coupling,
    pub cost: f64,
    /// The last exact answer, with which the next one begins.
    last: Option<Transport>,
}

impl PlanMaker<'_> {
    /// A method of the engine with its settings; refuses those that change the cost.
    ///
    /// ```
    /// use swgg_apps::barycenter::PlanMaker;
    /// let settings = swgg::setting::Settings::new();
    /// let maker = PlanMaker::named(swgg::solver::find("tree")?, &settings).unwrap();
    /// assert_eq!(maker.method().name, "tree");
    /// assert!(PlanMaker::named(swgg::solver::find("gaussian")?, &settings).is_err());
    /// # Ok::<(), swgg::Error>(())
    /// ```
    pub fn named(method: &'static Method, settings: &OwnSettings) -> Result<Self> {
        if let Some(other) = OF_THE_QUESTION.into_iter().find(|setting| settings.has(setting)) {
            // The usual exponent is no other cost.
            if !(other.is(&POWER) && settings.number(&POWER) == Some(2.0)) {
                return Err(Error::OtherCost { setting: other.name });
            }
        }
        let solver = build::<f64>(method, settings)?;
        let maker = match method.name {
            "auto" => {
                let effort = settings.count(&EFFORT).and_then(|effort| u8::try_from(effort).ok());
                PlanMaker::Auto { effort }
            }
            "exact" => PlanMaker::Exact,
            _ => PlanMaker::Other(solver),
        };
        maker.check()?;
        Ok(maker)
    }

    /// The method behind it.
    pub fn method(&self) -> &'static Method {
        self.with_solver(|solver| solver.method())
    }

    /// Does something with the solver, which has all the effort that is asked for.
    fn with_solver<R>(&self, task: impl FnOnce(&dyn Solver<f64>) -> R) -> R {
        match self {
            PlanMaker::Auto { effort } => task(&Auto { effort: effort.unwrap_or(Auto::default().effort) }),
            PlanMaker::Exact => task(&Exact),
            PlanMaker::Other(solver) => task(solver.as_ref()),
        }
    }

    /// Refuses a solver without plans.
    pub(super) fn check(&self) -> Result<()> {
        let method = self.method();
        if method.plan == PlanKind::Plan { Ok(()) } else { Err(Error::NoPlan { method: method.name }) }
    }

    /// Refuses settings that make no sense for clouds of these sizes.
    pub(super) fn validate(&self, sizes: Sizes) -> Result<()> {
        Ok(self.with_solver(|solver| solver.validate(sizes))?)
    }

    /// What one plan will take, roughly, with all the effort.
    pub fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        match self {
            PlanMaker::Auto { .. } => {
                Solver::<f64>::estimate(&Auto { effort: self.last_effort(sizes) }, sizes, run)
            }
            _ => self.with_solver(|solver| solver.estimate(sizes, run)),
        }
    }

    /// The plan between two clouds, with all the effort.
    pub(super) fn between(&self, question: &Question<'_, f64>, run: &mut Run<'_>) -> Result<Transport> {
        Ok(self.with_solver(|solver| solver.answer(question, run))?)
    }

    /// Whether plans between clouds of these sizes are the cheapest.
    pub(super) fn is_exact(&self, sizes: Sizes) -> bool {
        match self {
            PlanMaker::Auto { effort } => {
                Auto { effort: effort.unwrap_or(Auto::default().effort) }.is_exact(sizes, false)
            }
            PlanMaker::Exact => true,
            PlanMaker::Other(_) => false,
        }
    }

    /// The effort of the first steps and of the last ones; `None` where there is nothing to choose.
    pub(super) fn efforts(&self, sizes: &[Sizes]) -> Option<(u8, u8)> {
        let large = sizes.iter().copied().find(|sizes| !self.is_exact(*sizes))?;
        match self {
            PlanMaker::Auto { .. } => Some((1, self.last_effort(large))),
            _ => None,
        }
    }

    fn last_effort(&self, sizes: Sizes) -> u8 {
        match self {
            PlanMaker::Auto { effort: Some(effort) } => *effort,
            _ if self.is_exact(sizes) => Auto::default().effort,
            _ => USUAL_EFFORT,
        }
    }

    /// A plan from the points to a cloud that costs no more than the one kept.
    pub(super) fn plan(
        &self,
        [points, cloud]: [&Measure<'_, f64>; 2],
        kept: Option<&Kept>,
        effort: Option<u8>,
        run: &mut Run<'_>,
    ) -> Result<Kept> {
        let question = Question::new(points, cloud)?;
        let is_exact = self.is_exact(question.sizes());
        // A start helps a solver that looks at all pairs; beyond some of them candidates are quicker from scratch.
        let is_warm = is_exact && points.len() as f64 * cloud.len() as f64 <= MAX_WARM_PAIRS;
        let last = kept.and_then(|kept| kept.last.as_ref());
        let found = match (self, effort) {
            _ if is_warm && last.is_some() => from_start(&question, Start::after(last), run)?,
            (PlanMaker::Auto { .. }, Some(effort)) if !is_exact => Auto { effort }.answer(&question, run)?,
            _ => self.between(&question, run)?,
        };
        let is_best = is_exact || found.cost_is == CostIs::Optimal;
        let last = is_warm.then(|| found.clone());
        let coupling = found.into_plan()?;
        // Some methods report another cost than that of their plan.
        let cost = coupling.cost(points, cloud, &SqEuclidean)?;
        let Some(kept) = kept else { return Ok(Kept { coupling, cost, last }) };
        let best = match (kept.coupling.targets(), coupling.targets()) {
            (Some(old), Some(new)) if !is_best => {
                // Each is better somewhere.
                let both = [old.to_vec(), new.to_vec()];
                let merged = merge_matchings(points, cloud, &both, run.parallelism)?;
                let cost = merged.cost(points, cloud, &SqEuclidean)?;
                (merged, cost)
            }
            _ => (coupling, cost),
        };
        // Equals stay: points that sit well are not to be moved back and forth.
        let (coupling, cost) = if best.1 < kept.cost { best } else { (kept.coupling.clone(), kept.cost) };
        Ok(Kept { coupling, cost, last })
    }
}

impl Kept {
    /// The same plan from points that have moved.
    pub fn after_move(&self, points: &Measure<'_, f64>, cloud: &Measure<'_, f64>) -> Result<f64> {
        Ok(self.coupling.cost(points, cloud, &SqEuclidean)?)
    }
}
