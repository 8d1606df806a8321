//! Exit codes, and the failures behind the last of them.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use swgg_apps::registration;

/// Done as asked.
pub const DONE: u8 = 0;
/// Done, but not as required: the search was stopped early.
pub const SHORT: u8 = 1;
/// Failed: no output file was touched, unless the result itself could not be printed.
pub const FAILED: u8 = 2;

/// Why a command failed: what kind of failure it is, and one finished sentence.
#[derive(Debug)]
pub struct Failure {
    kind: FailureKind,
    message: String,
}

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The command line asks for something that cannot be.
    Usage,
    /// A file, or what is in it.
    Input,
    /// The computation refused.
    Refused,
    /// A mistake of ours.
    Bug,
}

/// What commands return.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// The computation refused, or something else went wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Refused, message: message.into() }
    }

    /// A mistake on the command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Usage, message: message.into() }
    }

    /// A mistake in a file.
    pub fn input(message: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Input, message: message.into() }
    }

    /// A flag that does not belong to what was asked, such as the method `exact`, with those that have it.
    pub fn foreign(flag: &str, (what, name): (&str, &str), owners: &[&str]) -> Self {
        let owners = owners.join("|");
        Failure::usage(format!(
            "{flag} is not a setting of --{what} {name}; leave it out, or use --{what} {owners}"
        ))
    }

    fn bug(message: impl Into<String>) -> Self {
        Failure { kind: FailureKind::Bug, message: message.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == FailureKind::Bug {
            f.write_str("this is a bug in swgg, please report it: ")?;
        }
        f.write_str(&self.message)
    }
}

impl From<swgg::Error> for Failure {
    fn from(error: swgg::Error) -> Self {
        use swgg::ErrorKind::{ForeignSetting, Setting, SettingWithoutSearch};
        // The engine speaks of settings by their names; here they are flags.
        match error.kind() {
            ForeignSetting { setting, what, name, owners } => {
                return Failure::foreign(&flag_of(setting), (what, name), owners);
            }
            SettingWithoutSearch { setting, owners } => {
                let (flag, owners) = (flag_of(setting), owners.join("|"));
                return Failure::usage(format!("{flag} needs a search it belongs to; add --search {owners}"));
            }
            Setting { setting, problem } => return Failure::usage(format!("{} {problem}", flag_of(setting))),
            _ => {}
        }
        let hint = match error.kind() {
            swgg::ErrorKind::DimensionMismatch { .. } => " (--columns picks some)",
            swgg::ErrorKind::NoDirections => " with --directions",
            swgg::ErrorKind::NoTrees => " with --trees",
            swgg::ErrorKind::SubspaceDimension { .. } => " (--dimension)",
            swgg::ErrorKind::NotOnALine { .. } => " (--method min-swgg), or leave --method line out",
            swgg::ErrorKind::NotThePlane { .. } | swgg::ErrorKind::SweepTooLarge { .. } => {
                " (leave --search sweep out)"
            }
            swgg::ErrorKind::NoSteps => " (--iterations)",
            _ => "",
        };
        Failure::new(format!("{error}{hint}"))
    }
}

/// A flag for the name that a setting has in the engine.
fn flag_of(name: &str) -> String {
    let of_searches = swgg::paper::SEARCHES.iter().flat_map(|kind| kind.settings);
    let mut all = swgg::solver::METHODS.iter().flat_map(|method| method.settings).chain(of_searches);
    let flag = all.find(|setting| setting.name == name).map_or(name, |setting| setting.flag);
    format!("--{flag}")
}

impl From<swgg_apps::color::Error> for Failure {
    fn from(error: swgg_apps::color::Error) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<swgg_apps::barycenter::Error> for Failure {
    fn from(error: swgg_apps::barycenter::Error) -> Self {
        use swgg_apps::barycenter::Error::{
            BadTolerance, BadWeight, FewClouds, NoPoints, NoSteps, NoWeight, OtherCost, Transport,
            WeightCount,
        };
        let hint = match error {
            Transport(error) => return error.into(),
            OtherCost { setting } => {
                let flag = flag_of(setting);
                return Failure::usage(format!(
                    "{flag} changes what is asked, and barycenters are those of squared distances and of all the mass; leave it out"
                ));
            }
            BadTolerance { .. } => " (--gain)",
            BadWeight { .. } | NoWeight { .. } | WeightCount { .. } => " (--weights)",
            FewClouds { .. } => "; name more files",
            NoPoints => " (--points)",
            NoSteps => " (--max-steps)",
            _ => "",
        };
        Failure::new(format!("{error}{hint}"))
    }
}

impl From<swgg_io::Error> for Failure {
    fn from(error: swgg_io::Error) -> Self {
        use swgg_io::ErrorKind::{EmptyCell, HalfHeader, Inexact, NamelessColumn, NotANumber, Null};
        let hint = match error.kind() {
            NotANumber { text, .. } if has_decimal_comma(text) => " (--decimal-comma reads it)",
            EmptyCell { .. } | Null { .. } => " (--columns picks the others, --skip-missing drops such rows)",
            HalfHeader { .. } | Inexact { .. } | NamelessColumn { .. } | NotANumber { .. } => {
                " (--columns picks the others)"
            }
            _ => "",
        };
        Failure::input(format!("{error}{hint}"))
    }
}

/// Whether a field is a number but for a comma where the point should be.
fn has_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok()
}

impl From<registration::Error> for Failure {
    fn from(error: registration::Error) -> Self {
        use registration::Error::{BadOverlap, BadTolerance, FewLeft, NoSteps, Reflected, Scaled, Transport};
        let hint = match error {
            Transport(error) => return error.into(),
            BadOverlap { .. } | FewLeft { .. } => " (--overlap)",
            BadTolerance { .. } => " (--tolerance)",
            NoSteps => " (--max-steps)",
            Reflected => " (--orthogonal)",
            Scaled { .. } => " (--similarity)",
            _ => "",
        };
        Failure::new(format!("{error}{hint}"))
    }
}

impl From<swgg_apps::flow::Error> for Failure {
    fn from(error: swgg_apps::flow::Error) -> Self {
        use swgg_apps::flow::Error::{BadRate, Diverged, NeverKept, NoSteps, TooManySteps, Transport};
        let hint = match error {
            Transport(error) => return error.into(),
            BadRate { .. } | Diverged { .. } => " (--rate)",
            NoSteps | TooManySteps { .. } => " (--steps)",
            NeverKept => " (--every)",
            _ => "",
        };
        Failure::new(format!("{error}{hint}"))
    }
}

impl From<swgg_apps::otdd::Error> for Failure {
    fn from(error: swgg_apps::otdd::Error) -> Self {
        use swgg_apps::otdd::Error::{
            BadEpsilon, BadSize, Dimensions, FewSets, LabelCount, NoSamples, NotImages, Transport,
        };
        let hint = match error {
            Transport(error) => return error.into(),
            BadEpsilon { .. } => " (--epsilon, --relative-epsilon)",
            BadSize { .. } | NotImages { .. } => " (--resize)",
            Dimensions { .. } => " (--resize, --columns)",
            FewSets { .. } => "; name more files",
            LabelCount { .. } => " (--labels)",
            NoSamples => " (--samples)",
            _ => "",
        };
        Failure::new(format!("{error}{hint}"))
    }
}

/// Runs a command so that a panic, which would be a bug of ours, ends as a failure like any other.
///
/// Panics that a reader catches itself (some libraries panic on damaged files) stay silent.
pub fn without_panics<T>(command: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    static LAST: Mutex<String> = Mutex::new(String::new());
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    panic::set_hook(Box::new(|info| {
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(command));
    let _ = panic::take_hook();
    outcome.unwrap_or_else(|_| Err(Failure::bug(last().replace('\n', " "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure() {
        let failure = without_panics(|| -> Outcome<()> { panic!("seven") }).unwrap_err().to_string();
        assert!(failure.starts_with("this is a bug in swgg, please report it: "), "{failure}");
        assert!(failure.contains("seven"), "{failure}");
        assert_eq!(without_panics(|| Ok(3)).unwrap(), 3);
    }
}
