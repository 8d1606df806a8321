//! The list of searches: names, help and settings are read from here, by the command line and by Python alike.

use super::descent::Optimizer;
use super::scan::RandomSearch;
use super::{Scan, Search, SearchOutcome, recommended};
use crate::error::{ErrorKind, Result};
use crate::line::direction::DirectionSet;
use crate::paper::slices::Slices;
use crate::run::observe::Observe;
use crate::setting::{Kind, Setting, Settings, Value};

/// What a search is called, and what it may be told.
#[derive(Debug)]
pub struct SearchKind {
    /// Its name on the command line, in Python and in reports.
    pub name: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// The settings it has.
    pub settings: &'static [&'static Setting],
    /// The search with its settings, for a seed and a dimension.
    pub build: fn(&Settings, seed: u64, dim: usize) -> Result<Box<dyn Search>>,
}

/// Every search there is.
pub const SEARCHES: &[SearchKind] = &[
    RandomSearch::KIND,
    super::annealing::Annealing::KIND,
    super::gradient::Gradient::KIND,
    super::stein::Stein::KIND,
    super::sweep::Sweep::KIND,
];

/// Their names.
const NAMES: [&str; SEARCHES.len()] = {
    let mut names = [""; SEARCHES.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = SEARCHES[k].name;
        k += 1;
    }
    names
};

/// Most steps, restarts or starts that are not a slip of the finger: years of work.
const MAX_STEPS: usize = 1_000_000_000;
/// Most pairs of directions, which are held in memory at once.
const MAX_PAIRS: usize = 1_000_000;

/// How many random directions to try.
pub const DIRECTIONS: Setting = Setting::count("n_projections", 0, MAX_STEPS)
    .flag("directions")
    .help("L", "how many directions to try [default: 200]");
/// Directions to try, all of them and no others.
pub const LISTED: Setting = Setting::of("projections", Kind::Directions)
    .flag("directions-file")
    .help("FILE.npy", "try exactly these directions, one per row")
    .instead_of("n_projections");
/// A direction to start from.
pub const START: Setting =
    Setting::of("start", Kind::Vector).help("X,Y,...", "a direction to start from, as 0.6,0.8");
/// Steps to take.
pub const STEPS: Setting = Setting::count("steps", 0, MAX_STEPS)
    .flag("iterations")
    .help("K", "steps to take [default: 500, 100, 25]");
/// Walks of annealing beside the first.
pub const RESTARTS: Setting =
    Setting::count("restarts", 0, MAX_STEPS).help("R", "further walks beside the first [default: 0]");
/// Length of the first proposals of annealing.
pub const REACH: Setting = Setting::number("reach").help("R", "length of the first proposals [default: 0.5]");
/// How much worse a cost may be at first.
pub const TOLERANCE: Setting =
    Setting::number("tolerance").help("T", "share by which a cost may be worse at first [default: 0.01]");
/// Directions that a descent starts from.
pub const STARTS: Setting = Setting::count("starts", 0, MAX_STEPS).help("N", "how many starts [default: 2]");
/// Copies of each point in the smoothed cost.
pub const COPIES: Setting = Setting::count("copies", 0, usize::MAX)
    .help("S", "copies of each point, s [default: 10000 in all, at least 4]");
/// The epsilon of the paper's blur.
pub const BLUR: Setting = Setting::number("blur").flag("blur-epsilon").formerly("blur").help(
    "EPSILON",
    "the paper's epsilon; noise of deviation sqrt(epsilon)/2 [default: deviation 0.1 of the spread of the projections]",
);
/// Pairs of perturbed directions.
pub const PAIRS: Setting =
    Setting::count("pairs", 0, MAX_PAIRS).help("P", "pairs of perturbed directions per step [default: 8]");
/// How far they are perturbed at first.
pub const RADIUS: Setting =
    Setting::number("radius").help("R", "distance of the first perturbed directions [default: 0.2]");
/// Length of the first steps of a descent.
pub const LEARNING_RATE: Setting = Setting::number("learning_rate")
    .flag("learning-rate")
    .help("ETA", "length of the first steps [default: 0.05]");
/// How a gradient becomes a step.
pub const OPTIMIZER: Setting = Setting::of("optimizer", Kind::Word(&["adam", "sgd"]))
    .help("OPTIMIZER", "how a gradient becomes a step [default: adam]");
/// Whether to keep the cost of every direction.
pub const KEEP_COSTS: Setting = Setting::of("keep_costs", Kind::Flag).flag("");

/// Everything that searches may be told, in the order of the help.
pub const OF_SEARCHES: [&Setting; 15] = [
    &SEARCH,
    &DIRECTIONS,
    &LISTED,
    &START,
    &STEPS,
    &RESTARTS,
    &REACH,
    &TOLERANCE,
    &STARTS,
    &COPIES,
    &BLUR,
    &PAIRS,
    &RADIUS,
    &LEARNING_RATE,
    &OPTIMIZER,
];
/// The search itself, by its name.
pub const SEARCH: Setting = Setting::of("search", Kind::Word(&NAMES))
    .help(
        "SEARCH",
        "How to look for the direction [default: sweep in the plane for up to about 1000 points, stein from dimension 3 \
         on, random otherwise and with --directions]",
    );

/// A search that was named, or that its settings imply, or that suits the points, checked and ready to be built.
///
/// ```
/// use swgg::paper::SearchSpec;
/// use swgg::setting::{Settings, Value};
/// use swgg::paper::settings::{SEARCH, STEPS};
/// let mut settings = Settings::new();
/// settings.set(&SEARCH, Value::Word("stein".into()))?;
/// settings.set(&STEPS, Value::Count(5))?;
/// assert_eq!(SearchSpec::new(settings)?.name(), Some("stein"));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchSpec {
    kind: Option<&'static SearchKind>,
    settings: Settings,
}

impl SearchSpec {
    /// The search that the settings name or imply, with those that belong to it; refuses others, and values that no points could make
    /// sense of.
    pub fn new(mut settings: Settings) -> Result<Self> {
        let is_listed = settings.has(&DIRECTIONS) || settings.has(&LISTED);
        let name = settings.word(&SEARCH).or(is_listed.then_some("random"));
        let kind = name.map(find).transpose()?;
        settings.forget(&SEARCH);
        match kind {
            Some(kind) => {
                let own: Vec<&Setting> = kind.settings.iter().copied().chain([&KEEP_COSTS]).collect();
                settings.check(("search", kind.name), &own, owners)?;
                // Values are refused now, not first where there are points. Directions that are listed replace what would be drawn.
                if !settings.has(&LISTED) {
                    let dim = match settings.value(&START) {
                        Some(Value::Vector(start)) => start.len(),
                        _ => 1,
                    };
                    (kind.build)(&settings, 0, dim)?.validate()?;
                }
            }
            None => {
                if let Some(setting) = settings.given().find(|setting| setting.name != KEEP_COSTS.name) {
                    let owners = owners(setting);
                    return Err(ErrorKind::SettingWithoutSearch { setting: setting.name, owners }.into());
                }
            }
        }
        Ok(SearchSpec { kind, settings })
    }

    /// This many random directions instead.
    pub fn random(self, directions: usize) -> Self {
        self.with(&DIRECTIONS, Value::Count(directions))
    }

    /// Exactly these directions instead.
    pub fn listed(self, directions: DirectionSet) -> Self {
        self.with(&LISTED, Value::Directions(directions))
    }

    /// The search of random directions with one setting.
    fn with(self, setting: &'static Setting, value: Value) -> Self {
        let keep_costs = self.settings.flag(&KEEP_COSTS);
        let mut settings = Settings::new();
        // Both kinds of values are of the setting's kind.
        let _ = settings.set(setting, value);
        SearchSpec { kind: Some(&SEARCHES[0]), settings }.keep_costs(keep_costs)
    }

    /// Whether to keep the cost of every direction.
    pub fn keep_costs(mut self, keep: bool) -> Self {
        let _ = self.settings.set(&KEEP_COSTS, Value::Flag(keep));
        self
    }

    /// The name of the search; `None` if the points decide.
    pub fn name(&self) -> Option<&'static str> {
        self.kind.map(|kind| kind.name)
    }

    /// Whether it names directions of the space, to be tried as they are.
    pub(crate) fn has_directions(&self) -> bool {
        self.settings.has(&LISTED) || self.settings.has(&START)
    }

    /// About how many directions will be tried.
    pub fn directions(&self) -> usize {
        match (self.settings.directions(&LISTED), self.name()) {
            (Some(listed), _) => listed.len(),
            (None, Some("random")) => self.settings.count(&DIRECTIONS).unwrap_or(RandomSearch::DIRECTIONS),
            _ => 500,
        }
    }

    /// Runs it; the name of what was run, too.
    pub fn run(
        &self,
        slices: &dyn Slices,
        seed: u64,
        watch: &mut dyn Observe,
    ) -> Result<(&'static str, SearchOutcome)> {
        let keep_costs = self.settings.flag(&KEEP_COSTS);
        if let Some(sampler) = self.settings.directions(&LISTED) {
            let scan = Scan { sampler, directions: sampler.len(), keep_costs };
            return Ok((scan.name(), scan.run(slices, watch)?));
        }
        let search = match self.kind {
            Some(kind) => (kind.build)(&self.settings, seed, slices.dim())?,
            None => recommended(slices, seed, keep_costs),
        };
        Ok((search.name(), search.run(slices, watch)?))
    }
}

/// A search by its name.
fn find(name: &str) -> Result<&'static SearchKind> {
    let known = || SEARCHES.iter().map(|kind| kind.name).collect();
    let unknown = || ErrorKind::UnknownName { what: "search", name: name.to_string(), known: known() };
    SEARCHES.iter().find(|kind| kind.name == name).ok_or_else(|| unknown().into())
}

/// The searches that have a setting.
pub fn owners(setting: &Setting) -> Vec<&'static str> {
    let has = |kind: &&SearchKind| kind.settings.iter().any(|own| own.is(setting));
    SEARCHES.iter().filter(has).map(|kind| kind.name).collect()
}

/// The optimizer that was named.
pub(super) fn optimizer(settings: &Settings) -> Optimizer {
    match settings.word(&OPTIMIZER) {
        Some("sgd") => Optimizer::Sgd,
        _ => Optimizer::Adam,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_imply_searches_or_are_refused() {
        let spec = |given: &[(&'static Setting, Value)]| {
            let mut settings = Settings::new();
            given.iter().for_each(|(setting, value)| settings.set(setting, value.clone()).unwrap());
            SearchSpec::new(settings)
        };
        assert_eq!(spec(&[]).unwrap().name(), None);
        assert_eq!(spec(&[(&DIRECTIONS, Value::Count(5))]).unwrap().name(), Some("random"));
        let message = |given: &[(&'static Setting, Value)]| spec(given).unwrap_err().to_string();
        assert_eq!(
            message(&[(&SEARCH, Value::Word("stein".into())), (&RADIUS, Value::Number(-1.0))]),
            "the radius is -1; give a finite number above 0"
        );
        assert!(message(&[(&DIRECTIONS, Value::Count(0))]).starts_with("no directions to try"));
        assert_eq!(
            message(&[(&PAIRS, Value::Count(3))]),
            "pairs needs a search it belongs to; add search stein"
        );
        assert_eq!(
            message(&[(&SEARCH, Value::Word("sweep".into())), (&REACH, Value::Number(1.0))]),
            "reach is not a setting of search sweep; leave it out, or use search annealing"
        );
    }
}
