//! Which distance between labels.

use swgg::paper::SearchSpec;
use swgg::paper::settings::OF_SEARCHES;
use swgg::setting::{Setting, Settings};
use swgg::solver::Epsilon;
use swgg::solver::settings::{EPSILON, RELATIVE_EPSILON};

use super::error::{Error, Result};

/// The distance between two labels: between the clouds of the points that bear them.
#[derive(Clone, Debug, Default)]
pub enum LabelDistance {
    /// The plan of the default solver: the optimum for classes of up to 2500 points, close to it beyond.
    #[default]
    Auto,
    /// `W_2^2` itself.
    Exact,
    /// The Sinkhorn divergence.
    Sinkhorn {
        /// Weight of the entropy.
        epsilon: Epsilon,
    },
    /// `W_2^2` between fitted Gaussians.
    Bures,
    /// The plan of one line.
    MinSwgg {
        /// How the line is looked for.
        search: Settings,
    },
}

/// What a distance between labels is called, and what it may be told.
#[derive(Debug)]
pub struct LabelDistanceKind {
    /// Its name on the command line, in Python and in reports.
    pub name: &'static str,
    /// A line of help.
    pub about: &'static str,
    /// The settings it has.
    pub settings: &'static [&'static Setting],
}

/// Every distance between labels there is.
pub const LABEL_DISTANCES: &[LabelDistanceKind] = &[
    LabelDistanceKind {
        name: "auto",
        about: "The plan of the default solver: exact for classes of up to 2500 points",
        settings: &[],
    },
    LabelDistanceKind { name: "exact", about: "W2 between the points of the classes", settings: &[] },
    LabelDistanceKind {
        name: "sinkhorn",
        about: "The Sinkhorn divergence between the points of the classes",
        settings: &[&EPSILON, &RELATIVE_EPSILON],
    },
    LabelDistanceKind { name: "bures", about: "W2 between Gaussians fitted to the classes", settings: &[] },
    LabelDistanceKind {
        name: "min-swgg",
        about: "The plan of the best line: min-SWGG",
        settings: &OF_SEARCHES,
    },
];

/// Share of the mean cost that the entropy weighs unless told otherwise.
const RELATIVE: f64 = 0.01;

impl LabelDistance {
    /// By its name, with settings that belong to it.
    ///
    /// ```
    /// use swgg::paper::settings::DIRECTIONS;
    /// use swgg::setting::{Settings, Value};
    /// use swgg_apps::otdd::LabelDistance;
    /// let mut settings = Settings::new();
    /// settings.set(&DIRECTIONS, Value::Count(1000))?;
    /// assert_eq!(LabelDistance::build("min-swgg", &settings)?.name(), "min-swgg");
    /// let refusal = LabelDistance::build("bures", &settings).unwrap_err().to_string();
    /// assert_eq!(refusal, "n_projections is not a setting of label-distance bures; leave it out, or use label-distance min-swgg");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A name that nobody has, settings of others, and values that make no sense.
    pub fn build(name: &str, settings: &Settings) -> Result<Self> {
        let names = || LABEL_DISTANCES.iter().map(|kind| kind.name).collect();
        let unknown = || Error::UnknownLabelDistance { found: name.to_string(), known: names() };
        let kind = LABEL_DISTANCES.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
        let has =
            |kind: &LabelDistanceKind, setting: &Setting| kind.settings.iter().any(|own| own.is(setting));
        let owners = |setting: &Setting| {
            LABEL_DISTANCES.iter().filter(|kind| has(kind, setting)).map(|kind| kind.name).collect()
        };
        settings.check(("label-distance", kind.name), kind.settings, owners)?;
        let built = match kind.name {
            "exact" => LabelDistance::Exact,
            "bures" => LabelDistance::Bures,
            "sinkhorn" => {
                let relative = Epsilon::Relative(settings.number(&RELATIVE_EPSILON).unwrap_or(RELATIVE));
                LabelDistance::Sinkhorn {
                    epsilon: settings.number(&EPSILON).map_or(relative, Epsilon::Absolute),
                }
            }
            "min-swgg" => LabelDistance::MinSwgg { search: settings.clone() },
            _ => LabelDistance::Auto,
        };
        built.validate()?;
        Ok(built)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            LabelDistance::Auto => "auto",
            LabelDistance::Exact => "exact",
            LabelDistance::Sinkhorn { .. } => "sinkhorn",
            LabelDistance::Bures => "bures",
            LabelDistance::MinSwgg { .. } => "min-swgg",
        }
    }

    /// Refuses what makes no sense whatever the points.
    pub(super) fn validate(&self) -> Result<()> {
        match self {
            LabelDistance::Sinkhorn { epsilon: Epsilon::Relative(found) | Epsilon::Absolute(found) }
                if !(found.is_finite() && *found > 0.0) =>
            {
                Err(Error::BadEpsilon { found: *found })
            }
            LabelDistance::MinSwgg { search } => {
                SearchSpec::new(search.clone())?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// In words, for a story.
    pub(super) fn words(&self) -> &'static str {
        match self {
            LabelDistance::Auto => "the default solver",
            LabelDistance::Exact => "exact transport",
            LabelDistance::Sinkhorn { .. } => "the Sinkhorn divergence",
            LabelDistance::Bures => "fitted Gaussians",
            LabelDistance::MinSwgg { .. } => "min-SWGG",
        }
    }
}
