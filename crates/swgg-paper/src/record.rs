//! What an experiment leaves behind.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Numbers, claims that were checked, tables and pictures of one experiment.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Our numbers, for scripts.
    pub ours: Map<String, Value>,
    /// The paper's numbers, as its LaTeX source has them; empty where it gives none.
    pub paper: Map<String, Value>,
    /// What the paper says of them, checked on ours.
    pub claims: Vec<Claim>,
    pub tables: Vec<Table>,
    pub pictures: Vec<Picture>,
    /// Names and values.
    pub settings: Vec<(String, String)>,
    /// The seeds that were used, in words.
    pub seed: String,
    /// What stands in for data of the paper that may not be shipped or were not given.
    pub stand_in: Option<String>,
    /// What a reader should know besides.
    pub remarks: Vec<String>,
}

/// A sentence of the paper, checked on our numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    pub holds: bool,
    /// What was found, with the numbers that decide.
    pub found: String,
    /// Whether the clock decides: then it depends on the machine and on who else uses it.
    pub is_timed: bool,
}

impl Claim {
    /// A claim and what was found, whichever way it went.
    pub fn new(holds: bool, found: impl Into<String>) -> Self {
        Claim { holds, found: found.into(), is_timed: false }
    }

    /// The same where the clock decides.
    pub fn timed(holds: bool, found: impl Into<String>) -> Self {
        Claim { is_timed: true, ..Claim::new(holds, found) }
    }
}

/// The verdict in words: whether all claims hold, some, or none, with what was found.
pub fn verdict(claims: &[Claim]) -> String {
    let found = |holds: bool| -> Vec<&str> {
        claims.iter().filter(|claim| claim.holds == holds).map(|claim| claim.found.as_str()).collect()
    };
    match (found(true), found(false)) {
        (yes, no) if yes.is_empty() && no.is_empty() => "nothing was checked".to_string(),
        (yes, no) if no.is_empty() => format!("agrees: {}", yes.join("; ")),
        (yes, no) if yes.is_empty() => format!("disagrees: {}", no.join("; ")),
        (yes, no) => format!("agrees in part: {}; but {}", yes.join("; "), no.join("; ")),
    }
}

/// A name as part of the name of a file: letters and digits in lower case, joined by hyphens.
pub fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Rows of text under a heading.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<'a>(title: impl Into<String>, head: impl IntoIterator<Item = &'a str>) -> Self {
        let head = head.into_iter().map(String::from).collect();
        Table { title: title.into(), head, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

/// A picture that goes into a file of its own.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What distinguishes it from the others of its experiment; empty for the only one.
    pub name: String,
    pub caption: String,
    pub contents: Contents,
}

#[derive(Clone, Debug)]
pub enum Contents {
    Svg(String),
    /// RGB pixels, row by row.
    Photo {
        width: usize,
        pixels: Vec<[u8; 3]>,
    },
}

impl Record {
    /// A setting.
    pub fn set(&mut self, name: &str, value: impl std::fmt::Display) {
        self.settings.push((name.to_string(), value.to_string()));
    }

    /// A number of ours.
    pub fn ours(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.ours.insert(name.into(), value.into());
    }

    /// A number of the paper.
    pub fn theirs(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.paper.insert(name.into(), value.into());
    }

    pub fn svg(&mut self, name: &str, caption: impl Into<String>, svg: String) {
        let contents = Contents::Svg(svg);
        self.pictures.push(Picture { name: name.to_string(), caption: caption.into(), contents });
    }

    pub fn photo(&mut self, name: &str, caption: impl Into<String>, width: usize, pixels: Vec<[u8; 3]>) {
        let contents = Contents::Photo { width, pixels };
        self.pictures.push(Picture { name: name.to_string(), caption: caption.into(), contents });
    }

    pub fn claim(&mut self, holds: bool, found: impl Into<String>) {
        self.claims.push(Claim::new(holds, found));
    }

    pub fn timed_claim(&mut self, holds: bool, found: impl Into<String>) {
        self.claims.push(Claim::timed(holds, found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        assert_eq!(slug("min-SWGG, random (100)"), "min-swgg-random-100");
    }

    #[test]
    fn verdicts_follow_the_claims() {
        let (yes, no) = (Claim::new(true, "1 is below 2"), Claim::new(false, "3 is not below 2"));
        assert_eq!(verdict(&[]), "nothing was checked");
        assert_eq!(verdict(&[yes.clone(), yes.clone()]), "agrees: 1 is below 2; 1 is below 2");
        assert_eq!(verdict(std::slice::from_ref(&no)), "disagrees: 3 is not below 2");
        assert_eq!(verdict(&[no, yes]), "agrees in part: 1 is below 2; but 3 is not below 2");
    }
}
