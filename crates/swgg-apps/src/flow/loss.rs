//! What falls along a flow.

use swgg::paper::SearchSpec;
use swgg::paper::settings::{DIRECTIONS, LEARNING_RATE, OF_SEARCHES, START, STARTS, STEPS};
use swgg::setting::{Setting, Settings};
use swgg::sliced::MaxSliced;
use swgg::solver::Epsilon;
use swgg::solver::settings::{EFFORT, EPSILON, RELATIVE_EPSILON};

use super::error::{Error, Result};

/// A loss between particles and target, never rooted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Loss {
    /// `min-SWGG_2^2`: the plan of the best line that a search finds, anew at every step.
    MinSwgg {
        /// The search and its settings, as in [`SearchSpec`]. Without a name: 100 random directions if a number of them is given, else every
        /// direction of the plane for up to about a thousand points, and Stein's gradient from dimension 3 on.
        search: Settings,
        /// Whether a search begins with the direction of the step before.
        warm: bool,
    },
    /// `SW_2^2` over so many random directions, other ones at every step.
    Sliced {
        /// How many.
        directions: usize,
    },
    /// `max-SW_2^2`, climbed to anew at every step.
    MaxSliced {
        /// How to climb.
        climb: MaxSliced,
        /// Whether to climb from the direction of the step before, and from there alone.
        warm: bool,
    },
    /// `PWD_2^2` over so many random directions, other ones at every step.
    Projected {
        /// How many.
        directions: usize,
    },
    /// The cost of the default solver's plan: `W_2^2` itself for up to some thousand points.
    Auto {
        /// From 1 to 10, as for [`swgg::Auto`].
        effort: u8,
    },
    /// The Sinkhorn divergence, at the epsilon that the first step comes to.
    Sinkhorn {
        /// How much to smooth.
        epsilon: Epsilon,
    },
}

/// What a loss is called, and what it may be told.
#[derive(Debug)]
pub struct LossKind {
    /// Its name on the command line, in Python and in reports.
    pub name: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// The settings it has.
    pub settings: &'static [&'static Setting],
}

/// Every loss there is.
pub const LOSSES: &[LossKind] = &[
    LossKind {
        name: "min-swgg",
        about: "The plan of the best line: min-SWGG",
        // All but the last: a flow has an optimizer of its own.
        settings: OF_SEARCHES.split_at(OF_SEARCHES.len() - 1).0,
    },
    LossKind {
        name: "sw",
        about: "Mean over random lines of the transport cost along them",
        settings: &[&DIRECTIONS],
    },
    LossKind {
        name: "max-sw",
        about: "The largest transport cost along a line",
        settings: &[&START, &STEPS, &STARTS, &LEARNING_RATE],
    },
    LossKind {
        name: "pwd",
        about: "Mean over random lines of the cost of their plans",
        settings: &[&DIRECTIONS],
    },
    LossKind {
        name: "auto",
        about: "The plan of the default solver: the optimum for up to some thousand points",
        settings: &[&EFFORT],
    },
    LossKind {
        name: "sinkhorn",
        about: "The Sinkhorn divergence: entropic transport without its own blur",
        settings: &[&EPSILON, &RELATIVE_EPSILON],
    },
];

impl Default for Loss {
    fn default() -> Self {
        Loss::MinSwgg { search: Settings::new(), warm: true }
    }
}

impl Loss {
    /// Random directions unless told otherwise: the paper's.
    pub const DIRECTIONS: usize = 100;

    /// A loss by its name, with settings that belong to it. `warm`: whether directions of the step before are begun with.
    ///
    /// ```
    /// use swgg::paper::settings::DIRECTIONS;
    /// use swgg::setting::{Settings, Value};
    /// use swgg_apps::flow::Loss;
    /// let mut settings = Settings::new();
    /// settings.set(&DIRECTIONS, Value::Count(50))?;
    /// assert_eq!(Loss::build("pwd", &settings, true)?.name(), "pwd");
    /// let refusal = Loss::build("auto", &settings, true).unwrap_err().to_string();
    /// assert_eq!(refusal, "n_projections is not a setting of loss auto; leave it out, or use loss min-swgg|sw|pwd");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A name that nobody has, settings of other losses, and values that make no sense.
    pub fn build(name: &str, settings: &Settings, warm: bool) -> Result<Self> {
        let names = || LOSSES.iter().map(|kind| kind.name).collect();
        let unknown = || Error::UnknownLoss { found: name.to_string(), known: names() };
        let kind = LOSSES.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
        let has = |kind: &LossKind, setting: &Setting| kind.settings.iter().any(|own| own.is(setting));
        let owners = |setting: &Setting| {
            LOSSES.iter().filter(|kind| has(kind, setting)).map(|kind| kind.name).collect()
        };
        settings.check(("loss", kind.name), kind.settings, owners)?;
        let directions = settings.count(&DIRECTIONS).unwrap_or(Self::DIRECTIONS);
        Ok(match kind.name {
            "sw" => Loss::Sliced { directions },
            "pwd" => Loss::Projected { directions },
            "max-sw" => {
                let usual = MaxSliced::default();
                let climb = MaxSliced {
                    steps: settings.count(&STEPS).unwrap_or(usual.steps),
                    starts: settings.count(&STARTS).unwrap_or(usual.starts),
                    learning_rate: settings.number(&LEARNING_RATE).unwrap_or(usual.learning_rate),
                    start: match settings.value(&START) {
                        Some(swgg::setting::Value::Vector(vector)) => {
                            settings.direction(&START, vector.len())?
                        }
                        _ => None,
                    },
                    ..usual
                };
                Loss::MaxSliced { climb, warm }
            }
            "auto" => Loss::Auto { effort: settings.count(&EFFORT).map_or(5, |effort| effort as u8) },
            "sinkhorn" => {
                let relative = Epsilon::Relative(settings.number(&RELATIVE_EPSILON).unwrap_or(1e-2));
                Loss::Sinkhorn { epsilon: settings.number(&EPSILON).map_or(relative, Epsilon::Absolute) }
            }
            _ => {
                // Refused now rather than at the first step.
                SearchSpec::new(settings.clone())?;
                Loss::MinSwgg { search: settings.clone(), warm }
            }
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Loss::MinSwgg { .. } => "min-swgg",
            Loss::Sliced { .. } => "sw",
            Loss::MaxSliced { .. } => "max-sw",
            Loss::Projected { .. } => "pwd",
            Loss::Auto { .. } => "auto",
            Loss::Sinkhorn { .. } => "sinkhorn",
        }
    }
}
