//! min-SWGG: the plan of the best direction that a search finds.

use std::fmt;
use std::sync::Arc;

use super::compiled::{Compiled, run_compiled};
use super::ground::squared;
use super::{Builder, Estimate, Method, Solver};
use crate::answer::{CostIs, Fact, Remark, Transport, counted};
use crate::error::Result;
use crate::line::direction::DirectionSet;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::paper::search::registry::{KEEP_COSTS, OF_SEARCHES};
use crate::paper::search::{Search, SearchOutcome, SearchSpec};
use crate::paper::slices::{InMemory, Slices};
use crate::paper::spanned::Spanned;
use crate::plan::coupling::Coupling;
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::setting::Settings;

/// min-SWGG between two clouds with the default settings, with a lower bound beside it; see [`MinSwgg`].
///
/// ```
/// use swgg::Measure;
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let found = swgg::min_swgg(&source, &target)?;
/// assert_eq!(found.cost, 9.0);
/// assert_eq!(found.plan()?.target_of(0), Some(1));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn min_swgg<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
    MinSwgg::new().solve(source, target)
}

/// min-SWGG with settings: `min_theta SWGG_2^2(mu, nu, theta)`, and the plan of the best direction found.
///
/// An upper bound of `W_2^2` that comes with a plan. Unless told how to look, it takes the
/// [recommended](crate::paper::recommended) search for the dimension. Paper: Definition "SWGG and min-SWGG".
///
/// ```
/// use swgg::{Measure, MinSwgg, Question, Run, Solver, paper::Gradient};
/// # let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0], 2)?;
/// # let target = Measure::from_slice(&[0.0, 2.0, 1.0, 2.0], 2)?;
/// let question = Question::new(&source, &target)?;
/// let found = MinSwgg::new().directions(500).answer(&question, &mut Run::seeded(7))?;
/// assert_eq!(found.distance(), Some(2.0));
/// let found = MinSwgg::new().search(Gradient { steps: 20, ..Default::default() }).solve(&source, &target)?;
/// assert!(found.story.starts_with("gradient"));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MinSwgg {
    spec: SearchSpec,
    /// A search of the caller's own.
    given: Option<Arc<dyn Search + Send + Sync>>,
}

impl MinSwgg {
    /// The default settings: the recommended search.
    pub fn new() -> Self {
        Self::default()
    }

    /// Look at this many random directions.
    pub fn directions(self, directions: usize) -> Self {
        MinSwgg { spec: self.spec.random(directions), ..self }
    }

    /// Try exactly these directions; the seed then does not matter.
    pub fn listed(self, directions: DirectionSet) -> Self {
        MinSwgg { spec: self.spec.listed(directions), ..self }
    }

    /// Look in this way. Such a search has a seed and a `keep_costs` of its own.
    pub fn search(mut self, search: impl Search + Send + Sync + 'static) -> Self {
        self.given = Some(Arc::new(search));
        self
    }

    /// Look in the way of the list of searches.
    pub fn spec(mut self, spec: SearchSpec) -> Self {
        self.spec = spec;
        self
    }

    /// Also return the cost of every direction, as the fact `costs`.
    pub fn keep_costs(mut self, keep: bool) -> Self {
        self.spec = self.spec.keep_costs(keep);
        self
    }

    /// The name of the search, what it found, and the plan of that line.
    fn searched<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        run: &mut Run<'_>,
    ) -> Result<(&'static str, SearchOutcome, Coupling)> {
        // Directions that were given are tried where they are.
        let is_free = self.given.is_none() && !self.spec.has_directions();
        if let Some(spanned) = is_free.then(|| Spanned::of(source, target)).flatten() {
            let [x, y] = spanned.clouds();
            let slices = InMemory::on(x, y, run.workers()?)?.expecting(self.expected_directions());
            let (search, found) = self.look(&slices, run)?;
            let coupling = slices.coupling(&found.theta)?;
            let theta = spanned.lift(&found.theta)?;
            return Ok((search, SearchOutcome { theta, ..found }, coupling));
        }
        let slices = InMemory::with_parallelism(source, target, run.parallelism)?
            .expecting(self.expected_directions());
        let (search, found) = self.look(&slices, run)?;
        let coupling = slices.coupling(&found.theta)?;
        Ok((search, found, coupling))
    }

    /// About how many directions will be tried; a search of the caller's own may try any number.
    fn expected_directions(&self) -> usize {
        if self.given.is_some() { 0 } else { self.spec.directions() }
    }

    fn look(&self, slices: &dyn Slices, run: &mut Run<'_>) -> Result<(&'static str, SearchOutcome)> {
        match &self.given {
            Some(search) => Ok((search.name(), search.run(slices, run)?)),
            None => self.spec.run(slices, run.seed, run),
        }
    }
}

impl Builder for MinSwgg {
    const METHOD: Method = Method {
        settings: &{
            let mut all = [&KEEP_COSTS; OF_SEARCHES.len() + 1];
            all.split_at_mut(OF_SEARCHES.len()).0.copy_from_slice(&OF_SEARCHES);
            all
        },
        ..Method::new("min-swgg", "min-SWGG transport", "Best single line: min-SWGG")
    };

    fn build(settings: &Settings) -> Result<Self> {
        Ok(MinSwgg::new().spec(SearchSpec::new(settings.clone())?))
    }
}

impl<T: Scalar> Solver<T> for MinSwgg {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, _: Sizes) -> Result<()> {
        self.given.as_ref().map_or(Ok(()), |search| search.validate())
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        let (both, d) = ((sizes.n + sizes.m) as f64, sizes.d as f64);
        let directions = 1.2 * self.spec.directions() as f64 * both * (d + 2.0 * both.log2()) * 0.5e-9;
        let seconds = directions / run.parallelism.threads() as f64;
        Estimate { seconds, bytes: Estimate::slices_bytes(d) }
    }

    run_compiled!(MinSwgg);
}

impl Compiled for MinSwgg {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "min-swgg")?;
        let (search, found, coupling) = self.searched(source, target, run)?;
        let SearchOutcome { theta, cost, tried, stop, costs, .. } = found;
        let story = how(search, tried, run.seed);
        let mut facts = vec![("search", Fact::Text(search.into())), ("directions", Fact::Count(tried))];
        facts.extend(costs.map(|costs| ("costs", Fact::Series(costs))));
        Ok(Transport {
            coupling: Some(coupling),
            direction: Some(theta),
            remarks: vec![Remark::new("search", story.clone())],
            story,
            facts,
            steps: tried,
            stop,
            ..Transport::new("min-swgg", cost, CostIs::Upper)
        })
    }
}

/// A search in a few words.
pub fn how(search: &str, tried: usize, seed: u64) -> String {
    match search {
        "random" => format!("best of {}, seed {seed}", counted(tried, "random direction")),
        "listed" => format!("best of {}", counted(tried, "listed direction")),
        "sweep" => format!("sweep of the plane, {}", counted(tried, "direction")),
        search => format!("{search}, {} tried, seed {seed}", counted(tried, "direction")),
    }
}

impl fmt::Debug for MinSwgg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let search = self.given.as_ref().map(|search| search.name()).or(self.spec.name());
        f.debug_struct("MinSwgg").field("search", &search.unwrap_or("recommended")).finish()
    }
}
