//! Parts that are done, on disk: a run that was stopped goes on where it was.

use std::cell::Cell;
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
    /// Seconds that parts took which were found here.
    found_seconds: Cell<f64>,
}

/// A part as it lies there.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    conditions: String,
    seconds: f64,
    part: T,
}

impl Shelf {
    pub fn new(directory: PathBuf, conditions: String, again: bool) -> Outcome<Self> {
        std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        Ok(Shelf { directory: Some(directory), conditions, again, found_seconds: Cell::new(0.0) })
    }

    /// One that keeps nothing.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Shelf { directory: None, conditions: String::new(), again: true, found_seconds: Cell::new(0.0) }
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
        if !self.again
            && let Some(kept) = read::<Kept<T>>(&path)
            && kept.conditions == self.conditions
        {
            self.found_seconds.set(self.found_seconds.get() + kept.seconds);
            return Ok(kept.part);
        }
        let clock = Instant::now();
        let part = make()?;
        let kept = Kept { conditions: self.conditions.clone(), seconds: clock.elapsed().as_secs_f64(), part };
        write(&path, &serde_json::to_string(&kept)?)?;
        Ok(kept.part)
    }

    /// Seconds of the parts that were found, since the last call.
    pub fn take_found_seconds(&self) -> f64 {
        self.found_seconds.replace(0.0)
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
    fn broken_parts_and_failures_are_not_kept() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(directory.path().to_path_buf(), String::new(), false).unwrap();
        std::fs::write(directory.path().join("part.json"), "{ \"conditions\": ").unwrap();
        assert_eq!(part(&shelf, 1.0), (1.0, true));
        assert!(shelf.part::<f64>("other", || Err("no".into())).is_err());
        assert!(!directory.path().join("other.json").exists());
    }
}
