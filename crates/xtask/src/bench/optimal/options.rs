//! What was asked for on the command line.

use std::path::PathBuf;
use std::str::FromStr;

use super::part::{self, Part};
use crate::shell::Outcome;

/// Names of `python/bench/families.py`; the flag says that a family lives in the plane only.
pub const FAMILIES: [(&str, bool); 11] = [
    ("gauss", false),
    ("same", false),
    ("shape", false),
    ("mix", false),
    ("moons", true),
    ("curve", false),
    ("lattice", false),
    ("lowrank", false),
    ("halfnormal", false),
    ("outliers", false),
    ("split", true),
];
pub const WEIGHTS: [&str; 4] = ["uniform", "random", "pareto", "some"];

const FLAGS: &str = "\
--part P,..        exact, scale, default, weighted, known, assignment [all]
--families F,..    which families [all]
--dimensions D,..  dimensions of the families [2,3]
--sizes N,..       points, in place of those of each part
--weights W,..     uniform, random, pareto, some [all]
--grids S,..       sides of the pictures of `weighted`, 0 for none [128,256]
--seeds S,..       a pair of each family for each seed [0]
--limit SECONDS    time for a single run [120]
--json FILE        the rows as JSON lines, as they arrive";

pub struct Options {
    pub parts: Vec<&'static Part>,
    pub families: Vec<(&'static str, bool)>,
    pub dimensions: Vec<usize>,
    /// Empty: those of each part.
    pub sizes: Vec<usize>,
    pub weights: Vec<&'static str>,
    pub grids: Vec<usize>,
    pub seeds: Vec<u64>,
    pub limit: f64,
    pub json: Option<PathBuf>,
}

impl Options {
    pub fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options = Options {
            parts: part::ALL.iter().collect(),
            families: FAMILIES.to_vec(),
            dimensions: vec![2, 3],
            sizes: Vec::new(),
            weights: WEIGHTS.to_vec(),
            grids: vec![128, 256],
            seeds: vec![0],
            limit: 120.0,
            json: None,
        };
        let mut words = words.iter();
        while let Some(&flag) = words.next() {
            let mut value = || words.next().copied().ok_or(format!("`{flag}` needs a value"));
            match flag {
                "--part" => options.parts = chosen(flag, value()?, part::ALL.iter(), |part| part.name)?,
                "--families" => {
                    options.families = chosen(flag, value()?, FAMILIES.into_iter(), |family| family.0)?;
                }
                "--weights" => options.weights = chosen(flag, value()?, WEIGHTS.into_iter(), |name| name)?,
                "--dimensions" => options.dimensions = positive(flag, value()?)?,
                "--sizes" => options.sizes = positive(flag, value()?)?,
                "--grids" => {
                    options.grids = numbers(flag, value()?)?;
                    options.grids.retain(|&side| side > 0);
                }
                "--seeds" => options.seeds = numbers(flag, value()?)?,
                "--limit" => {
                    let found = value()?;
                    let seconds: Option<f64> = found.parse().ok().filter(|&limit| limit > 0.0 && limit < 1e6);
                    options.limit = seconds.ok_or(format!("found `--limit {found}`, expected seconds"))?;
                }
                "--json" => options.json = Some(PathBuf::from(value()?)),
                _ => return Err(format!("unknown option `{flag}`; there are\n{FLAGS}")),
            }
        }
        Ok(options)
    }

    /// The families in each of the dimensions they can have.
    pub fn families(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.families.iter().flat_map(|&(name, is_planar)| {
            self.dimensions.iter().filter(move |&&d| d == 2 || !is_planar).map(move |&d| (name, d))
        })
    }
}

/// Those of a list that were named, in the order of the list.
fn chosen<T: Copy>(
    flag: &str,
    value: &str,
    all: impl Iterator<Item = T> + Clone,
    name: fn(T) -> &'static str,
) -> Outcome<Vec<T>> {
    let words: Vec<&str> = value.split(',').collect();
    if let Some(word) = words.iter().find(|word| all.clone().all(|item| name(item) != **word)) {
        let names: Vec<&str> = all.map(name).collect();
        return Err(format!("found `{word}` in `{flag}`; there are {}", names.join(", ")));
    }
    Ok(all.filter(|&item| words.contains(&name(item))).collect())
}

fn numbers<T: FromStr>(flag: &str, value: &str) -> Outcome<Vec<T>> {
    let number = |word: &str| {
        word.parse().map_err(|_| format!("found `{word}` in `{flag}`, expected whole numbers as in 1,2"))
    };
    value.split(',').map(number).collect()
}

fn positive(flag: &str, value: &str) -> Outcome<Vec<usize>> {
    let found = numbers(flag, value)?;
    if found.contains(&0) { Err(format!("`{flag}` begins with 1")) } else { Ok(found) }
}
