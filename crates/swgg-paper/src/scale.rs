//! How much is computed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::progress::Progress;
use crate::shelf::Shelf;

/// How much of an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// Seconds for all of them, without optimisation: what the tests run.
    Tiny,
    /// Minutes for all of them.
    Quick,
    /// The settings of the paper.
    Full,
}

impl Extent {
    pub fn name(self) -> &'static str {
        match self {
            Extent::Tiny => "tiny",
            Extent::Quick => "quick",
            Extent::Full => "full",
        }
    }
}

/// What an experiment is told: how much to do, where real data are, where parts are kept, and who wants to know how far it is.
pub struct Scale<'a> {
    pub extent: Extent,
    /// The directory of real data, if there is one.
    pub data: Option<PathBuf>,
    pub shelf: &'a Shelf,
    pub progress: &'a Progress,
}

impl Scale<'_> {
    /// One of three, by the extent.
    pub fn pick<T>(&self, tiny: T, quick: T, full: T) -> T {
        match self.extent {
            Extent::Tiny => tiny,
            Extent::Quick => quick,
            Extent::Full => full,
        }
    }

    /// A part that takes long: taken from the shelf if it is there, otherwise made and put there.
    pub fn part<T: Serialize + for<'de> Deserialize<'de>>(
        &self,
        name: &str,
        make: impl FnOnce() -> Outcome<T>,
    ) -> Outcome<T> {
        self.progress.tell(name);
        self.shelf.part(name, make)
    }
}
