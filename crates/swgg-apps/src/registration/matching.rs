//! The ways to match the points of the source with those of the target, by name.

use crate::methods::{self, Own};

/// How the points of the source are matched with those of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Matching {
    /// Transport by many lines while the cloud moves much, nearest neighbours and planes for the last bit.
    #[default]
    Auto,
    /// The best of so many random lines, new ones in every step: the paper's, which takes 100.
    MinSwgg(usize),
    /// Exact transport.
    Exact,
    /// The nearest target point, whoever else has it.
    Nearest,
    /// Any other method of the engine that has a plan, by its name, with its usual settings.
    Registered(&'static str),
}

impl Matching {
    /// Lines of the paper's random search.
    pub const PAPER_DIRECTIONS: usize = 100;

    /// Those with words of their own here: their names, and a line of help.
    const OWN: [Own<Matching>; 4] = [
        (Matching::Auto, "auto", "Transport by many lines at first, nearest neighbours and planes at last"),
        (
            Matching::MinSwgg(Self::PAPER_DIRECTIONS),
            "min-swgg",
            "Transport by the best of some random lines, new ones in every step",
        ),
        (
            Matching::Exact,
            "exact",
            "The optimal transport (with --overlap F, of that share): for some thousand points",
        ),
        (Matching::Nearest, "nearest", "The nearest target point, whoever else has it"),
    ];

    /// Every matching: its name, and a line of help. The methods of the engine that have a plan are all here.
    pub fn all() -> Vec<(&'static str, String)> {
        methods::all(&Self::OWN)
    }

    /// A matching by its name, with its usual settings.
    pub fn from_name(name: &str) -> Option<Self> {
        methods::find(&Self::OWN, name, Matching::Registered)
    }

    /// Its name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Matching::Auto => "auto",
            Matching::MinSwgg(_) => "min-swgg",
            Matching::Exact => "exact",
            Matching::Nearest => "nearest",
            Matching::Registered(name) => name,
        }
    }

    /// The same with so many lines, if it is the one that tries lines.
    pub fn with_directions(self, directions: usize) -> Option<Self> {
        matches!(self, Matching::MinSwgg(_)).then_some(Matching::MinSwgg(directions))
    }

    /// Whether every point gets a counterpart in every step, as in a transport plan.
    pub fn is_whole(self) -> bool {
        !matches!(self, Matching::Auto | Matching::Nearest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        for (name, about) in Matching::all() {
            let matching = Matching::from_name(name).unwrap();
            assert_eq!(matching.name(), name);
            assert!(!about.is_empty(), "{name}");
        }
        assert_eq!(Matching::from_name("tree"), Some(Matching::Registered("tree")));
        // No plan, or only for clouds on a line.
        for name in ["gaussian", "linear-ot", "line", "nope"] {
            assert_eq!(Matching::from_name(name), None);
        }
        assert_eq!(Matching::Exact.with_directions(7), None);
        assert_eq!(Matching::MinSwgg(100).with_directions(7), Some(Matching::MinSwgg(7)));
    }
}
