//! What a comparison leaves behind.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::shell::{Outcome, root};

/// One job of one method: `auto:5`, `bsp:64`, `emd`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub job: String,
    /// What our solver chose to do.
    #[serde(default)]
    pub solver: String,
    pub cost: f64,
    pub seconds: f64,
    pub lower_bound: Option<f64>,
    /// Most memory its process held until then.
    pub megabytes: Option<f64>,
    /// Squared distance of the means, which every plan pays.
    pub shift: Option<f64>,
}

/// What costs are compared with.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Reference {
    pub cost: f64,
    pub lower_bound: f64,
    pub exact: bool,
}

/// All jobs on one pair of clouds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub what: String,
    pub n: usize,
    pub d: usize,
    pub shift: f64,
    pub rows: Vec<Row>,
    pub reference: Reference,
    /// Processors that were busy with other programs meanwhile.
    pub others: Option<f64>,
}

impl Measured {
    pub fn row(&self, job: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.job == job)
    }

    /// The jobs of a method in the order of their numbers, without those that also look for bounds.
    pub fn method<'a>(&'a self, name: &str) -> Vec<(u32, &'a Row)> {
        let number = |row: &'a Row| match row.job.split(':').collect::<Vec<_>>()[..] {
            [method, number] if method == name => Some((number.parse().ok()?, row)),
            [method] if method == name => Some((0, row)),
            _ => None,
        };
        let mut rows: Vec<_> = self.rows.iter().filter_map(number).collect();
        rows.sort_by_key(|(number, _)| *number);
        rows
    }

    /// The run that was given as much time as the peer took.
    pub fn limited(&self) -> Option<&Row> {
        self.rows.iter().find(|row| row.job.starts_with("limit:"))
    }

    /// Cost of the plan between the centred clouds.
    pub fn centred(&self, row: &Row) -> f64 {
        row.cost - self.shift
    }

    /// How far a plan is above the reference, as a share of the centred cost.
    pub fn excess(&self, row: &Row) -> f64 {
        ((row.cost - self.reference.cost) / (self.reference.cost - self.shift)).max(0.0)
    }

    /// How far a plan can be above the optimum by its own bound, as a share of the centred cost.
    pub fn centred_gap(&self, row: &Row) -> Option<f64> {
        let bound = row.lower_bound?;
        (bound > self.shift).then(|| ((row.cost - bound) / (bound - self.shift)).max(0.0))
    }

    /// The lowest effort whose plan costs at most as much.
    pub fn effort_below(&self, cost: f64) -> Option<(u32, &Row)> {
        self.method("auto").into_iter().find(|(_, row)| row.cost <= cost)
    }
}

fn directory() -> PathBuf {
    root().join("target/bench")
}

fn read<T: for<'a> Deserialize<'a>>(name: &str) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(directory().join(name)).ok()?).ok()
}

fn write(name: &str, value: &impl Serialize) -> Outcome<()> {
    let path = directory().join(name);
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    std::fs::write(&path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))
}

/// What was measured before; nothing if that was by another version of this.
pub fn load() -> Vec<Measured> {
    let Some(Value::Object(mut record)) = read("bsp.json") else { return Vec::new() };
    record.remove("cases").and_then(|cases| serde_json::from_value(cases).ok()).unwrap_or_default()
}

pub fn store(measured: &[Measured]) -> Outcome<()> {
    write("bsp.json", &serde_json::json!({ "cases": value(measured)? }))
}

pub fn value(measured: &[Measured]) -> Outcome<Value> {
    serde_json::to_value(measured).map_err(|error| error.to_string())
}

const REFERENCES: &str = "bsp-references.json";

/// References take minutes, so they are kept.
pub fn references() -> BTreeMap<String, Reference> {
    read(REFERENCES).unwrap_or_default()
}

pub fn keep_reference(name: &str, reference: Reference) -> Outcome<()> {
    let mut all = references();
    all.insert(name.to_string(), reference);
    write(REFERENCES, &all)
}
