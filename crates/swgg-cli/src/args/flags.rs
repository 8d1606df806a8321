//! Flags that the registry of methods and searches knows: their names, their help and whose they are.

use std::ops::Deref;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use swgg::paper::{SEARCHES, settings::SEARCH, settings::owners};
use swgg::setting::{Kind, Setting};
use swgg::solver::{METHODS, Method, PlanKind, find, methods_with};

use super::{Vector, seed_number, thread_count, whole_number};

/// Heading of the flags that belong to some methods only.
const METHOD_SETTINGS: &str = "Settings of methods";
/// Heading of the flags that belong to some searches only.
const SEARCH_SETTINGS: &str = "Settings of searches";
/// The same where there are no methods.
const SEARCHES_ONLY: &str = "";

/// Which methods the help shows.
type Shown = fn(&Method) -> bool;

/// The value of a flag, as it was typed: files are not read yet.
#[derive(Clone, Debug)]
pub enum Typed {
    Count(usize),
    Number(f64),
    Word(String),
    Vector(Vec<f64>),
    File(PathBuf),
}

/// Settings that were given, in the order of the registry.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub settings: Vec<(&'static Setting, Typed)>,
    /// Under a former name, which several settings may have had.
    former: Vec<(&'static str, Typed)>,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct OneGiven<'a> {
    pub setting: &'static Setting,
    /// The name that it was given under.
    pub flag: &'static str,
    pub typed: &'a Typed,
}

/// `--search`, its settings, the seed and the threads.
#[derive(Clone, Debug, Default)]
pub struct SearchFlags {
    pub given: Given,
    pub seed: u64,
    pub threads: usize,
}

/// `--method`, its settings and those of its searches, `--no-bounds`, the seed and the threads.
#[derive(Clone, Debug, Default)]
pub struct MethodFlags {
    pub method: Option<&'static Method>,
    pub given: Given,
    pub no_bounds: bool,
    pub seed: u64,
    pub threads: usize,
}

/// The same where a plan is needed: the others are not in the help, and refused with a sentence.
#[derive(Clone, Debug, Default)]
pub struct PlanFlags(MethodFlags);

impl Deref for PlanFlags {
    type Target = MethodFlags;

    fn deref(&self) -> &MethodFlags {
        &self.0
    }
}

/// Settings of searches, `--search` first.
fn of_searches() -> Vec<&'static Setting> {
    distinct(
        [&SEARCH as &'static Setting]
            .into_iter()
            .chain(SEARCHES.iter().flat_map(|kind| kind.settings).copied()),
    )
}

/// Settings of methods that are not those of searches.
fn of_methods() -> Vec<&'static Setting> {
    let searches = of_searches();
    let all = METHODS.iter().flat_map(|method| method.settings).copied();
    distinct(all.filter(|setting| !searches.iter().any(|other| other.flag == setting.flag)))
}

/// Each flag once; those that the command line does not have are left out.
fn distinct(all: impl Iterator<Item = &'static Setting>) -> Vec<&'static Setting> {
    let mut kept: Vec<&'static Setting> = Vec::new();
    for setting in all {
        if !setting.flag.is_empty() && !kept.iter().any(|other| other.flag == setting.flag) {
            kept.push(setting);
        }
    }
    kept
}

/// What is in front of the help: the methods or searches that have it.
fn whose(setting: &'static Setting, heading: &str, is_shown: Shown) -> String {
    let mut names = owners(setting);
    let of_searches = !names.is_empty();
    if heading == SEARCHES_ONLY {
        return names.join(", ");
    }
    // min-swgg has what its searches have.
    let is_meant = |name: &&str| !(of_searches && *name == "min-swgg");
    let has =
        |method: &&Method| is_shown(method) && method.settings.iter().any(|own| own.flag == setting.flag);
    let by_flag = METHODS.iter().filter(has);
    names.extend(by_flag.map(|method| method.name).filter(is_meant));
    names.join(", ")
}

fn parser(kind: Kind) -> ValueParser {
    match kind {
        Kind::Count { least, most } => {
            ValueParser::new(move |text: &str| whole_number(text, least, most).map(Typed::Count))
        }
        Kind::Number => ValueParser::new(|text: &str| text.parse::<f64>().map(Typed::Number)),
        Kind::Word(words) => PossibleValuesParser::new(words).map(Typed::Word).into(),
        Kind::Vector => {
            ValueParser::new(|text: &str| text.parse::<Vector>().map(|vector| Typed::Vector(vector.0)))
        }
        _ => PathBufValueParser::new().map(Typed::File).into(),
    }
}

fn argument(setting: &'static Setting, heading: &'static str, is_shown: Shown) -> Arg {
    let help = match setting.flag {
        "search" => setting.about.to_string(),
        _ => format!("{}: {}", whose(setting, heading, is_shown), setting.about),
    };
    let mut argument = Arg::new(setting.flag)
        .long(setting.flag)
        .value_name(setting.placeholder)
        .help(help)
        .allow_hyphen_values(matches!(setting.kind, Kind::Number | Kind::Vector) || setting.flag == "effort")
        .value_parser(parser(setting.kind));
    if setting.flag == SEARCH.flag {
        let values = SEARCHES.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
        argument = argument.value_parser(PossibleValuesParser::new(values).map(Typed::Word));
    } else {
        argument = argument.help_heading(if heading == SEARCHES_ONLY { SEARCH_SETTINGS } else { heading });
    }
    if let Some(other) = setting.instead_of {
        let of_name = |candidate: &&&'static Setting| candidate.name == other;
        let all = of_searches().into_iter().chain(of_methods()).collect::<Vec<_>>();
        if let Some(other) = all.iter().find(of_name) {
            argument = argument.conflicts_with(other.flag);
        }
    }
    argument
}

/// Adds flags, and hidden ones for their former names.
fn augmented(
    mut command: Command,
    settings: Vec<&'static Setting>,
    heading: &'static str,
    is_shown: Shown,
) -> Command {
    for setting in settings {
        command = command.arg(argument(setting, heading, is_shown));
        let Some(former) = setting.former_flag else { continue };
        if command.get_arguments().any(|argument| argument.get_id() == former) {
            command = command.mut_arg(former, |argument| argument.conflicts_with(setting.flag));
        } else {
            let hidden = Arg::new(former).long(former).hide(true).allow_hyphen_values(true);
            let hidden = hidden.conflicts_with(setting.flag).value_parser(parser(setting.kind));
            command = command.arg(hidden);
        }
    }
    command
}

fn seed_and_threads(command: Command) -> Command {
    let seed = Arg::new("seed").long("seed").value_name("S").default_value("0");
    let threads = Arg::new("threads").long("threads").value_name("T").default_value("0");
    command
        .arg(seed.help("Seed of everything random: same seed, same answer").value_parser(seed_number()))
        .arg(
            threads
                .help("Threads to use, 0 for all; the answer does not depend on it")
                .value_parser(thread_count()),
        )
}

impl Given {
    fn read(matches: &ArgMatches, settings: Vec<&'static Setting>) -> Self {
        let mut given = Given::default();
        for setting in settings {
            if let Some(value) = matches.get_one::<Typed>(setting.flag) {
                given.settings.push((setting, value.clone()));
            }
            if let Some(former) = setting.former_flag
                && let Some(value) = matches.get_one::<Typed>(former)
                && !given.former.iter().any(|(flag, _)| *flag == former)
            {
                given.former.push((former, value.clone()));
            }
        }
        given
    }

    /// All settings, with former names read as the method has them now.
    pub fn of(&self, method: Option<&Method>) -> Vec<OneGiven<'_>> {
        let had =
            |former: &'static str| move |setting: &&'static Setting| setting.former_flag == Some(former);
        let former = self.former.iter().filter_map(|(former, typed)| {
            let own = method.and_then(|method| method.settings.iter().copied().find(had(former)));
            let any = || METHODS.iter().flat_map(|method| method.settings).copied().find(had(former));
            Some(OneGiven { setting: own.or_else(any)?, flag: former, typed })
        });
        let now =
            self.settings.iter().map(|(setting, typed)| OneGiven { setting, flag: setting.flag, typed });
        now.chain(former).collect()
    }

    /// The number behind a setting.
    pub fn number(&self, setting: &Setting) -> Option<f64> {
        self.settings.iter().find_map(|(given, value)| match value {
            Typed::Number(number) if given.name == setting.name => Some(*number),
            _ => None,
        })
    }

    /// Files that are read.
    pub fn files(&self) -> impl Iterator<Item = &std::path::Path> {
        self.settings.iter().filter_map(|(_, value)| match value {
            Typed::File(path) => Some(path.as_path()),
            _ => None,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.former.is_empty()
    }
}

impl Args for SearchFlags {
    fn augment_args(command: Command) -> Command {
        seed_and_threads(augmented(command, of_searches(), SEARCHES_ONLY, |_| true))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SearchFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let number = |name: &str| matches.get_one::<usize>(name).copied().unwrap_or_default();
        Ok(SearchFlags {
            given: Given::read(matches, of_searches()),
            seed: matches.get_one::<u64>("seed").copied().unwrap_or_default(),
            threads: number("threads"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flags of methods; the help shows those of some.
fn with_methods(command: Command, is_shown: Shown) -> Command {
    let value = |method: &Method| PossibleValue::new(method.name).help(method.about).hide(!is_shown(method));
    let values = METHODS.iter().map(value);
    let command = seed_and_threads(augmented(command, of_searches(), SEARCH_SETTINGS, is_shown)).arg(
        Arg::new("method")
            .long("method")
            .value_name("METHOD")
            .help("How to transport [default: auto, or min-swgg with --search, --directions or --costs]")
            .value_parser(PossibleValuesParser::new(values)),
    );
    let mut command = augmented(command, of_methods(), METHOD_SETTINGS, is_shown).arg(
        Arg::new("no-bounds")
            .long("no-bounds")
            .action(ArgAction::SetTrue)
            .help("Do not look for a lower bound; one that a method has anyway is kept")
            .help_heading(METHOD_SETTINGS),
    );
    let has = |method: &Method, flag: &str| method.settings.iter().any(|own| own.flag == flag);
    for setting in of_methods() {
        if !METHODS.iter().any(|method| is_shown(method) && has(method, setting.flag)) {
            command = command.mut_arg(setting.flag, |argument| argument.hide(true));
        }
    }
    command
}

impl Args for MethodFlags {
    fn augment_args(command: Command) -> Command {
        with_methods(command, |_| true)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MethodFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let SearchFlags { mut given, seed, threads } = SearchFlags::from_arg_matches(matches)?;
        let of_methods = Given::read(matches, of_methods());
        given.settings.extend(of_methods.settings);
        given.former.extend(of_methods.former);
        let method = matches.get_one::<String>("method").and_then(|name| find(name).ok());
        Ok(MethodFlags { method, given, no_bounds: matches.get_flag("no-bounds"), seed, threads })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PlanFlags {
    fn augment_args(command: Command) -> Command {
        with_methods(command, |method| method.plan == PlanKind::Plan)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PlanFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        MethodFlags::from_arg_matches(matches).map(PlanFlags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Names of methods between commas, for comparisons.
pub fn method_names() -> impl TypedValueParser<Value = &'static Method> {
    let values = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.about));
    // Only names of the list get here.
    PossibleValuesParser::new(values).map(|name| find(&name).unwrap_or(&METHODS[0]))
}

/// The help of the methods that comparisons run.
pub fn compared() -> String {
    let usual = METHODS.iter().filter(|method| method.is_compared).map(|method| method.name);
    format!("Methods to run, between commas [default: {}]", usual.collect::<Vec<_>>().join(", "))
}

/// Whether a setting is one of searches.
pub fn is_of_searches(setting: &Setting) -> bool {
    setting.name == SEARCH.name || !owners(setting).is_empty() && methods_with(setting).contains(&"min-swgg")
}
