//! Settings by name: what a method or a search may be told, the same for the command line, for Python and in messages.

use ndarray::{Array2, ArrayView2};

use crate::error::{ErrorKind, Result};
use crate::line::direction::{Direction, DirectionSet};
use crate::measure::Measure;

/// One setting: its names, what it holds, and a line of help.
#[derive(Debug)]
pub struct Setting {
    /// Its name in Python and in messages.
    pub name: &'static str,
    /// Its name on the command line, without dashes; empty if it is not to be had there.
    pub flag: &'static str,
    /// A former name on the command line, which is still understood.
    pub former_flag: Option<&'static str>,
    /// What it holds.
    pub kind: Kind,
    /// What stands for the value in the help.
    pub placeholder: &'static str,
    /// A line of help, with the default.
    pub about: &'static str,
    /// Another setting that says the same in another way; one of them is enough.
    pub instead_of: Option<&'static str>,
}

/// What a setting holds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// A whole number between two others.
    Count {
        /// The smallest one that makes sense.
        least: usize,
        /// The largest one that is not a slip of the finger.
        most: usize,
    },
    /// A number; its limits are the solver's to know.
    Number,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// As many numbers as the space has dimensions.
    Vector,
    /// Directions, one per row.
    Directions,
    /// Points of the same space, one per row.
    Points,
    /// A cost for every pair of points.
    Costs,
    /// A matrix.
    Matrix,
    /// A whole number for every point.
    Labels,
}

/// The value of a setting.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// For [`Kind::Count`].
    Count(usize),
    /// For [`Kind::Number`].
    Number(f64),
    /// For [`Kind::Word`].
    Word(String),
    /// For [`Kind::Flag`].
    Flag(bool),
    /// For [`Kind::Vector`].
    Vector(Vec<f64>),
    /// For [`Kind::Directions`].
    Directions(DirectionSet),
    /// For [`Kind::Points`]: a measure, and what to call it in a report.
    Points(Measure<'static, f64>, String),
    /// For [`Kind::Costs`] and [`Kind::Matrix`].
    Costs(Array2<f64>),
    /// For [`Kind::Labels`].
    Labels(Vec<u32>),
}

impl Setting {
    /// A whole number between two others.
    pub(crate) const fn count(name: &'static str, least: usize, most: usize) -> Self {
        Setting::of(name, Kind::Count { least, most })
    }

    /// A number.
    pub(crate) const fn number(name: &'static str) -> Self {
        Setting::of(name, Kind::Number)
    }

    /// Anything, with the name on the command line that it has elsewhere.
    pub(crate) const fn of(name: &'static str, kind: Kind) -> Self {
        Setting { name, flag: name, former_flag: None, kind, placeholder: "X", about: "", instead_of: None }
    }

    /// Whether two are the same setting: two methods may have different ones of one name.
    pub fn is(&self, other: &Setting) -> bool {
        self.name == other.name && self.flag == other.flag
    }

    /// With another name on the command line.
    pub(crate) const fn flag(self, flag: &'static str) -> Self {
        Setting { flag, ..self }
    }

    /// With a former name on the command line.
    pub(crate) const fn formerly(self, flag: &'static str) -> Self {
        Setting { former_flag: Some(flag), ..self }
    }

    /// With the words of the help.
    pub(crate) const fn help(self, placeholder: &'static str, about: &'static str) -> Self {
        Setting { placeholder, about, ..self }
    }

    /// Not together with another setting.
    pub(crate) const fn instead_of(self, other: &'static str) -> Self {
        Setting { instead_of: Some(other), ..self }
    }
}

/// Settings that were given; what was not is as usual.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    given: Vec<(&'static Setting, Value)>,
}

impl Settings {
    /// Nothing given.
    pub fn new() -> Self {
        Settings::default()
    }

    /// Gives a setting, or changes it. Refuses a value that the setting cannot hold.
    pub fn set(&mut self, setting: &'static Setting, value: Value) -> Result<()> {
        let refuse = |problem: String| Err(ErrorKind::Setting { setting: setting.name, problem }.into());
        match (setting.kind, &value) {
            (Kind::Count { least, most }, Value::Count(count)) if !(least..=most).contains(count) => {
                return refuse(format!("is {count}; give {least} to {most}"));
            }
            (Kind::Word(words), Value::Word(word)) if !words.contains(&word.as_str()) => {
                return refuse(format!("is {word:?}; give one of {}", words.join(", ")));
            }
            (Kind::Count { .. }, Value::Count(_))
            | (Kind::Number, Value::Number(_))
            | (Kind::Word(_), Value::Word(_))
            | (Kind::Flag, Value::Flag(_))
            | (Kind::Vector, Value::Vector(_))
            | (Kind::Directions, Value::Directions(_))
            | (Kind::Points, Value::Points(..))
            | (Kind::Costs | Kind::Matrix, Value::Costs(_))
            | (Kind::Labels, Value::Labels(_)) => {}
            _ => return refuse("holds something else".to_string()),
        }
        self.forget(setting);
        self.given.push((setting, value));
        Ok(())
    }

    /// Takes a setting back.
    pub fn forget(&mut self, setting: &Setting) {
        self.given.retain(|(given, _)| !given.is(setting));
    }

    /// What was given.
    pub fn given(&self) -> impl Iterator<Item = &'static Setting> {
        self.given.iter().map(|(setting, _)| *setting)
    }

    /// Whether a setting was given.
    pub fn has(&self, setting: &Setting) -> bool {
        self.value(setting).is_some()
    }

    /// The value of a setting, if it was given.
    pub fn value(&self, setting: &Setting) -> Option<&Value> {
        self.given.iter().find(|(given, _)| given.is(setting)).map(|(_, value)| value)
    }

    /// A count, if it was given.
    pub fn count(&self, setting: &Setting) -> Option<usize> {
        match self.value(setting) {
            Some(Value::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// A number, if it was given.
    pub fn number(&self, setting: &Setting) -> Option<f64> {
        match self.value(setting) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// A word, if it was given.
    pub fn word(&self, setting: &Setting) -> Option<&str> {
        match self.value(setting) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// A flag; `false` if it was not given.
    pub fn flag(&self, setting: &Setting) -> bool {
        matches!(self.value(setting), Some(Value::Flag(true)))
    }

    /// A list of directions, if it was given.
    pub fn directions(&self, setting: &Setting) -> Option<&DirectionSet> {
        match self.value(setting) {
            Some(Value::Directions(set)) => Some(set),
            _ => None,
        }
    }

    /// Points and their name, if they were given.
    pub fn points(&self, setting: &Setting) -> Option<(&Measure<'static, f64>, &str)> {
        match self.value(setting) {
            Some(Value::Points(points, name)) => Some((points, name)),
            _ => None,
        }
    }

    /// Labels, if they were given.
    pub fn labels(&self, setting: &Setting) -> Option<&[u32]> {
        match self.value(setting) {
            Some(Value::Labels(labels)) => Some(labels),
            _ => None,
        }
    }

    /// A matrix of costs, or any other, if it was given.
    pub fn costs(&self, setting: &Setting) -> Option<ArrayView2<'_, f64>> {
        match self.value(setting) {
            Some(Value::Costs(costs)) => Some(costs.view()),
            _ => None,
        }
    }

    /// A direction in a space of `dim` dimensions, if it was given.
    pub fn direction(&self, setting: &Setting, dim: usize) -> Result<Option<Direction>> {
        let Some(Value::Vector(vector)) = self.value(setting) else { return Ok(None) };
        let refuse = |problem| ErrorKind::Setting { setting: setting.name, problem };
        if vector.len() != dim {
            let found = if vector.len() == 1 {
                "1 coordinate".into()
            } else {
                format!("{} coordinates", vector.len())
            };
            return Err(refuse(format!("has {found}, the points have {dim}; they must agree")).into());
        }
        let no_length = || refuse("has no length; give at least one coordinate that is not 0".into());
        Direction::new(vector).map(Some).map_err(|_| no_length().into())
    }

    /// Refuses settings that do not belong to what was asked, such as the `what` "method" of the `name` "exact", which has these
    /// `settings`; `owners` names those who have a setting.
    pub fn check(
        &self,
        (what, name): (&'static str, &'static str),
        settings: &[&Setting],
        owners: impl Fn(&Setting) -> Vec<&'static str>,
    ) -> Result<()> {
        let is_foreign = |setting: &&&'static Setting| !settings.iter().any(|own| own.is(setting));
        match self.given.iter().map(|(setting, _)| setting).find(is_foreign) {
            None => Ok(()),
            Some(setting) => {
                let owners = owners(setting);
                Err(ErrorKind::ForeignSetting { setting: setting.name, what, name, owners }.into())
            }
        }
    }
}
