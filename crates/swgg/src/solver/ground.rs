//! Settings of the ground cost, the same for every method that takes them, and the question they make.

use ndarray::ArrayView2;

use super::registry::METHODS;
use crate::cost::{Cosine, GroundCost, Labelled, Mahalanobis, Norm, Power, Scaled, labelled};
use crate::error::{Error, ErrorKind, Result};
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::question::Question;
use crate::setting::{Kind, Setting, Settings, Value};

/// Names of ground costs, as scipy and POT call them.
pub const COSTS: &[&str] =
    &["sqeuclidean", "euclidean", "cityblock", "chebyshev", "minkowski", "cosine", "mahalanobis", "labelled"];

/// What moving mass costs.
pub const COST: Setting = Setting::of("cost", Kind::Word(COSTS))
    .help("NAME", "what moving mass from one point to another costs [default: sqeuclidean]");
/// The exponent of the distance.
pub const POWER: Setting = Setting::number("p")
    .help("P", "the exponent of the distance, 1 or more [default: that of the cost, 2 for sqeuclidean]");
/// The order of a norm.
pub const ORDER: Setting =
    Setting::number("order").help("Q", "the order of --cost minkowski, 1 or more [default: 2]");
/// A scale per column.
pub const SCALES: Setting = Setting::of("scales", Kind::Vector)
    .help("S1,S2,...", "what differences of each column are multiplied by before costs are paid");
/// The covariance of Mahalanobis distances.
pub const COVARIANCE: Setting = Setting::of("covariance", Kind::Matrix).help(
    "S.npy",
    "the covariance of --cost mahalanobis, as many rows and columns as the points have [default: that of both clouds together]",
);
/// Costs between labels.
pub const LABEL_COSTS: Setting = Setting::of("label_costs", Kind::Matrix)
    .flag("label-costs")
    .help("D.npy", "what --cost labelled adds to squared distances, a row and a column for each label");
/// Labels of the source.
pub const SOURCE_LABELS: Setting = Setting::of("source_labels", Kind::Labels)
    .flag("source-labels")
    .help("L.npy", "a label for each source point of --cost labelled, counted from 0");
/// Labels of the target.
pub const TARGET_LABELS: Setting = Setting::of("target_labels", Kind::Labels)
    .flag("target-labels")
    .help("L.npy", "a label for each target point of --cost labelled, counted from 0");
/// Costs instead of distances.
pub const COST_MATRIX: Setting = Setting::of("cost_matrix", Kind::Costs)
    .flag("cost-matrix")
    .help(
        "C.npy",
        "what it costs to go from each source point (row) to each target point (column), instead of distances",
    )
    .instead_of("cost");

/// All of them.
pub(crate) const GROUND_SETTINGS: [&Setting; 9] =
    [&COST, &POWER, &ORDER, &SCALES, &COVARIANCE, &LABEL_COSTS, &SOURCE_LABELS, &TARGET_LABELS, &COST_MATRIX];

/// The settings of a method, `own` and those of ground costs: `ALL` of them.
pub(crate) const fn with_ground<const OWN: usize, const ALL: usize>(
    own: [&'static Setting; OWN],
) -> [&'static Setting; ALL] {
    assert!(ALL == OWN + GROUND_SETTINGS.len());
    let mut all: [&'static Setting; ALL] = [&COST; ALL];
    let mut k = 0;
    while k < ALL {
        all[k] = if k < OWN { own[k] } else { GROUND_SETTINGS[k - OWN] };
        k += 1;
    }
    all
}

/// The power of the distance, for a method that takes no other costs.
pub(crate) fn distance_power<T: Scalar>(question: &Question<'_, T>, method: &'static str) -> Result<Power> {
    question.power().map_err(|cost| unsupported(method, cost))
}

/// The refusal of a cost other than a power of the distance, where no method would do.
pub(crate) fn needs_power(method: &'static str, cost: String) -> Error {
    ErrorKind::UnsupportedCost { method, cost, takers: Vec::new() }.into()
}

/// Both measures, for a method that takes squared distances only.
pub(crate) fn squared<'a, T: Scalar>(
    question: &Question<'a, T>,
    method: &'static str,
) -> Result<[&'a Measure<'a, T>; 2]> {
    match distance_power(question, method)?.exponent() {
        2.0 => Ok([question.source(), question.target()]),
        power => Err(unsupported(method, format!("the power {power} of the distance"))),
    }
}

/// The refusal of a cost, with the methods that take it.
pub(crate) fn unsupported(method: &'static str, cost: String) -> Error {
    let takers = METHODS.iter().filter(|method| method.takes_costs()).map(|method| method.name);
    ErrorKind::UnsupportedCost { method, cost, takers: takers.collect() }.into()
}

/// What settings say about the ground cost.
#[derive(Clone, Copy, Debug)]
pub enum AskedCost<'s> {
    /// A power of Euclidean distances.
    Power(Power),
    /// Costs for every pair.
    Matrix(ArrayView2<'s, f64>),
    /// Something else, for points in double precision; see [`PosedCost`].
    Other(&'s Settings),
}

impl<'s> AskedCost<'s> {
    /// Reads the settings; refuses those that do not go together.
    pub fn of(settings: &'s Settings) -> Result<Self> {
        let name = settings.word(&COST);
        if let Some(costs) = settings.costs(&COST_MATRIX) {
            let other =
                GROUND_SETTINGS.iter().find(|setting| !setting.is(&COST_MATRIX) && settings.has(setting));
            if let Some(other) = other {
                return Err(refusal(
                    other,
                    "says nothing where costs are given as a matrix; leave one of them out",
                ));
            }
            return Ok(AskedCost::Matrix(costs));
        }
        let is_euclidean = matches!(name, None | Some("sqeuclidean" | "euclidean"));
        let belongs: [(&Setting, bool, &str); 6] = [
            (&ORDER, name == Some("minkowski"), "belongs to the cost minkowski"),
            (&COVARIANCE, name == Some("mahalanobis"), "belongs to the cost mahalanobis"),
            (&LABEL_COSTS, name == Some("labelled"), "belongs to the cost labelled"),
            (&SOURCE_LABELS, name == Some("labelled"), "belongs to the cost labelled"),
            (&TARGET_LABELS, name == Some("labelled"), "belongs to the cost labelled"),
            (
                &POWER,
                !matches!(name, Some("sqeuclidean" | "cityblock" | "chebyshev" | "minkowski" | "cosine")),
                "belongs to the costs euclidean, mahalanobis and labelled",
            ),
        ];
        for (setting, does_belong, whose) in belongs {
            if settings.has(setting) && !does_belong {
                return Err(refusal(setting, &format!("{whose}; leave it out, or ask for that cost")));
            }
        }
        if settings.has(&SCALES)
            && !is_euclidean
            && !matches!(name, Some("cityblock" | "chebyshev" | "minkowski"))
        {
            return Err(refusal(&SCALES, "belongs to Euclidean distances and norms; leave it out"));
        }
        if is_euclidean && !settings.has(&SCALES) {
            return Ok(AskedCost::Power(power(settings, euclidean_default(name))?));
        }
        Ok(AskedCost::Other(settings))
    }
}

fn euclidean_default(name: Option<&str>) -> Power {
    if name == Some("euclidean") { Power::PLAIN } else { Power::SQUARED }
}

fn power(settings: &Settings, usual: Power) -> Result<Power> {
    settings.number(&POWER).map_or(Ok(usual), Power::new)
}

fn refusal(setting: &Setting, problem: &str) -> Error {
    ErrorKind::Setting { setting: setting.name, problem: problem.to_string() }.into()
}

/// A ground cost with the points it is paid between, in double precision.
pub struct PosedCost<'a> {
    cost: Box<dyn GroundCost>,
    /// With labels, where there are some.
    labelled: Option<[Measure<'static, f64>; 2]>,
    measures: [&'a Measure<'a, f64>; 2],
}

impl<'a> PosedCost<'a> {
    /// The cost that the settings ask for.
    pub fn new(
        settings: &Settings,
        source: &'a Measure<'a, f64>,
        target: &'a Measure<'a, f64>,
    ) -> Result<Self> {
        let (measures, dim, name) = ([source, target], source.dim(), settings.word(&COST));
        let scales: &[f64] = match settings.value(&SCALES) {
            Some(Value::Vector(scales)) => scales,
            _ => &[],
        };
        let norm = |norm: Norm| -> Result<Box<dyn GroundCost>> { Ok(Box::new(norm.with_scales(scales)?)) };
        let mut with_labels = None;
        let cost = match name {
            Some("cityblock") => norm(Norm::cityblock())?,
            Some("chebyshev") => norm(Norm::chebyshev())?,
            Some("minkowski") => norm(Norm::minkowski(settings.number(&ORDER).unwrap_or(2.0))?)?,
            Some("cosine") => Box::new(Cosine),
            Some("mahalanobis") => {
                let power = power(settings, Power::PLAIN)?;
                Box::new(match settings.costs(&COVARIANCE) {
                    Some(covariance) => Mahalanobis::new(power, covariance)?,
                    None => Mahalanobis::pooled(power, [source.points(), target.points()], dim)?,
                })
            }
            Some("labelled") => {
                let needs = |setting: &Setting| refusal(setting, "is missing; the cost labelled needs it");
                let costs = settings.costs(&LABEL_COSTS).ok_or_else(|| needs(&LABEL_COSTS))?;
                let cost = Labelled::new(costs, power(settings, Power::SQUARED)?)?;
                let joined =
                    |measure: &Measure<'_, f64>, setting: &Setting| -> Result<Measure<'static, f64>> {
                        let labels = settings.labels(setting).ok_or_else(|| needs(setting))?;
                        measure.at(labelled(measure.points(), dim, labels)?, dim + 1)
                    };
                with_labels = Some([joined(source, &SOURCE_LABELS)?, joined(target, &TARGET_LABELS)?]);
                Box::new(cost)
            }
            // Euclidean distances, with scales.
            _ => Box::new(Scaled::new(power(settings, euclidean_default(name))?, scales)?),
        };
        Ok(PosedCost { cost, labelled: with_labels, measures })
    }

    /// The question between the measures at this cost.
    pub fn question(&self) -> Result<Question<'_, f64>> {
        let question = match &self.labelled {
            Some([source, target]) => Question::new(source, target)?,
            None => Question::new(self.measures[0], self.measures[1])?,
        };
        question.with_cost(&*self.cost)
    }
}

/// The same points and weights in double precision.
pub fn in_double_precision<T: Scalar>(measure: &Measure<'_, T>) -> Result<Measure<'static, f64>> {
    measure.in_doubles()
}

/// Labels that are whole numbers, as an array holds them.
pub fn read_labels(numbers: &[f64]) -> std::result::Result<Vec<u32>, (usize, f64)> {
    let label = |(row, &number): (usize, &f64)| {
        let is_label = number >= 0.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0;
        if is_label { Ok(number as u32) } else { Err((row, number)) }
    };
    numbers.iter().enumerate().map(label).collect()
}
