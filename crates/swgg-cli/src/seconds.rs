//! Where the time went: a name and seconds for every part of the work.

use std::ops::{Index, IndexMut};
use std::time::Instant;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use swgg::answer::counted;

use crate::printer::duration;

/// Seconds by part, in the order in which the parts were named.
#[derive(Clone, Debug, Default)]
pub struct Seconds(Vec<(&'static str, f64)>);

impl Seconds {
    pub fn new<const PARTS: usize>(parts: [(&'static str, f64); PARTS]) -> Self {
        Seconds(parts.to_vec())
    }

    /// The time until now, for reading.
    pub fn read_since(started: Instant) -> Self {
        Seconds::new([("read", started.elapsed().as_secs_f64()), ("solve", 0.0), ("write", 0.0)])
    }

    /// Does a part of the work, and remembers how long it took.
    pub fn time<R>(&mut self, part: &'static str, task: impl FnOnce() -> R) -> R {
        let started = Instant::now();
        let result = task();
        self[part] = started.elapsed().as_secs_f64();
        result
    }

    /// A line of a summary.
    pub fn told(&self, threads: usize) -> String {
        let (read, solve) = (duration(self["read"]), duration(self["solve"]));
        // What took no time was not done.
        let bound = match self["bound"] {
            0.0 => String::new(),
            seconds => format!(", {} to bound", duration(seconds)),
        };
        format!("{solve} to solve on {}{bound}, {read} to read", counted(threads, "thread"))
    }

    /// A line of a summary, where writing takes as long as reading.
    pub fn told_with_files(&self, threads: usize) -> String {
        let (solve, files) = (duration(self["solve"]), duration(self["read"] + self["write"]));
        format!("{solve} to solve on {}, {files} to read and write", counted(threads, "thread"))
    }
}

impl Index<&'static str> for Seconds {
    type Output = f64;

    fn index(&self, part: &'static str) -> &f64 {
        self.0.iter().find(|(name, _)| *name == part).map_or(&0.0, |(_, seconds)| seconds)
    }
}

impl IndexMut<&'static str> for Seconds {
    fn index_mut(&mut self, part: &'static str) -> &mut f64 {
        let place = self.0.iter().position(|(name, _)| *name == part).unwrap_or_else(|| {
            self.0.push((part, 0.0));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (part, seconds) in &self.0 {
            map.serialize_entry(part, seconds)?;
        }
        map.end()
    }
}
