//! Parts that are done, on disk: a run that was stopped goes on where it was.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::Outcome;

/// A directory of parts that were made under one set of conditions.
pub struct Shelf {
    /// None: nothing is kept.
    directory: Option<PathBuf>,
    /// What has to agree for a part to be used again.
    conditions: String,
    /// Whether parts that are there are made anew.
    again: bool,
    /// Who asks for parts.
    owner: RefCell<String>,
    /// Parts of this run: nobody makes them anew.
    made: RefCell<BTreeSet<String>>,
    found: Cell<FoundSeconds>,
}

/// Seconds that parts took which were found.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct FoundSeconds {
    /// Those of whoever asks, from a run before.
    pub own: f64,
    /// Those that another one made, and that were counted there.
    pub shared: f64,
}

/// A part as it lies there.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    conditions: String,
    /// Who made it.
    owner: String,
    seconds: f64,
    part: T,
}

impl Shelf {
    pub fn new(directory: PathBuf, conditions: String, again: bool) -> Outcome<Self> {
        std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        Ok(Self::with(Some(directory), conditions, again))
    }

    fn with(directory: Option<PathBuf>, conditions: String, again: bool) -> Self {
        let (owner, made, found) = Default::default();
        Shelf { directory, conditions, again, owner, made, found }
    }

    /// One that keeps nothing.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self::with(None, String::new(), true)
    }

    /// A part by its name: what lies there, if it was made under the same conditions, or what is made now.
    pub fn part<T: Serialize + for<'de> Deserialize<'de>>(
        &self,
        name: &str,
        make: impl FnOnce() -> Outcome<T>,
    ) -> Outcome<T> {
        let Some(path) = self.directory.as_ref().map(|directory| directory.join(format!("{name}.json")))
        else {
            return make();
        };
        if (!self.again || self.made.borrow().contains(name))
            && let Some(kept) = read::<Kept<T>>(&path)
            && kept.conditions == self.conditions
        {
            let mut found = self.found.get();
            let is_own = kept.owner == *self.owner.borrow();
            *(if is_own { &mut found.own } else { &mut found.shared }) += kept.seconds;
            self.found.set(found);
            return Ok(kept.part);
        }
        let clock = Instant::now();
        let part = make()?;
        let (conditions, owner) = (self.conditions.clone(), self.owner.borrow().clone());
        let kept = Kept { conditions, owner, seconds: clock.elapsed().as_secs_f64(), part };
        write(&path, &serde_json::to_string(&kept)?)?;
        self.made.borrow_mut().insert(name.to_string());
        Ok(kept.part)
    }

    /// Another one asks for parts from now on.
    pub fn begin(&self, owner: &str) {
        *self.owner.borrow_mut() = owner.to_string();
        self.found.set(FoundSeconds::default());
    }

    /// Seconds of the parts that were found since then.
    pub fn found_seconds(&self) -> FoundSeconds {
        self.found.get()
    }
}

/// What a file holds; `None` if it is not there or of another kind, which is as if it were not.
pub fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// Text into a file that appears whole or not at all.
pub fn write(path: &Path, text: &str) -> Outcome<()> {
    let mut output = swgg_io::Output::create(path)?;
    output.write_all(text.as_bytes())?;
    output.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(shelf: &Shelf, value: f64) -> (f64, bool) {
        let mut is_made = false;
        let make = || {
            is_made = true;
            Ok(value)
        };
        (shelf.part("part", make).unwrap(), is_made)
    }

    #[test]
    fn parts_are_used_again_under_the_same_conditions() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = |conditions: &str, again| {
            Shelf::new(directory.path().join("parts"), conditions.to_string(), again).unwrap()
        };
        assert_eq!(part(&shelf("a", false), 1.0), (1.0, true));
        assert_eq!(part(&shelf("a", false), 2.0), (1.0, false));
        assert_eq!(part(&shelf("b", false), 3.0), (3.0, true));
        assert_eq!(part(&shelf("b", true), 4.0), (4.0, true));
        assert_eq!(part(&Shelf::nowhere(), 5.0), (5.0, true));
    }

    #[test]
    fn a_run_makes_a_part_once_and_knows_whose_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(directory.path().to_path_buf(), String::new(), true).unwrap();
        shelf.begin("first");
        assert_eq!(part(&shelf, 1.0), (1.0, true));
        assert_eq!(shelf.found_seconds(), FoundSeconds::default());
        shelf.begin("second");
        assert_eq!(part(&shelf, 2.0), (1.0, false));
        let FoundSeconds { own, shared } = shelf.found_seconds();
        assert!(own == 0.0 && shared > 0.0, "{own} {shared}");
        let later = Shelf::new(directory.path().to_path_buf(), String::new(), false).unwrap();
        later.begin("first");
        assert_eq!(part(&later, 3.0), (1.0, false));
        assert!(later.found_seconds().own == shared && later.found_seconds().shared == 0.0);
    }

    #[test]
    fn broken_parts_and_failures_are_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(directory.path().to_path_buf(), String::new(), false).unwrap();
        std::fs::write(directory.path().join("part.json"), "{ \"conditions\": ").unwrap();
        assert_eq!(part(&shelf, 1.0), (1.0, true));
        assert!(shelf.part::<f64>("other", || Err("no".into())).is_err());
        assert!(!directory.path().join("other.json").exists());
    }
}
