//! The runs behind both tables and the figure: three clouds, four methods, many seeds.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use swgg::ndarray::{Array2, Axis};

use super::bench::{cases, shapes};
use crate::Outcome;
use crate::files;
use crate::record::{Record, slug};
use crate::scale::{Extent, Scale};

/// Methods in the order of the benchmark, and what they are called here.
pub const METHODS: [&str; 4] = ["nearest neighbours", "exact transport", "min-SWGG", "ours"];

/// One registration. What was not scored is not a number.
#[derive(Clone, Serialize, Deserialize)]
pub struct Run {
    pub divergence: Option<f64>,
    pub chamfer: f64,
    pub frobenius: f64,
    pub seconds: f64,
    pub steps: f64,
    pub recovered: bool,
}

/// One cloud: the paper's number of points, ours, and the runs of each method.
pub struct Case {
    pub paper_points: usize,
    pub points: usize,
    pub methods: Vec<Vec<Run>>,
}

impl Case {
    /// A number of every run of a method.
    pub fn numbers(&self, method: usize, number: impl Fn(&Run) -> Option<f64>) -> Vec<f64> {
        self.methods[method].iter().filter_map(number).collect()
    }
}

/// A cloud of the paper: its name here, its points, the most steps and the least change (Supp. E.5), and seeds of each method.
struct Plan {
    name: &'static str,
    paper_points: usize,
    stop: (usize, f64),
    seeds: [u64; 4],
}

fn plans(scale: &Scale) -> Vec<Plan> {
    let plan = |name, paper_points, stop, seeds| Plan { name, paper_points, stop, seeds };
    let letter = plan("letter", 500, (50, 1e-4), scale.pick([12; 4], [8; 4], [50; 4]));
    if scale.extent == Extent::Tiny {
        return vec![letter];
    }
    // Exact transport takes seconds a run, and is not asked for the largest cloud, as in the paper.
    vec![
        letter,
        plan("mumble", 3000, (100, 1e-2), scale.pick([0; 4], [2, 1, 2, 2], [50, 10, 50, 50])),
        plan("dragon", 150_000, (200, 1e-2), scale.pick([0; 4], [1, 0, 1, 1], [3, 0, 3, 50])),
    ]
}

/// All runs, and what is to be said of them.
pub fn runs(scale: &Scale, record: &mut Record) -> Outcome<Vec<Case>> {
    let plans = plans(scale);
    let mut cases = Vec::new();
    let mut drawn = Vec::new();
    for plan in &plans {
        let cloud = cloud(scale, plan.name)?;
        // A part for each method: exact transport of the middle cloud takes as long as all the others.
        let mut found = Vec::with_capacity(METHODS.len());
        for (k, method) in METHODS.iter().enumerate() {
            let mut seeds = [0; METHODS.len()];
            seeds[k] = plan.seeds[k];
            let runs: Vec<Run> = match seeds[k] {
                0 => Vec::new(),
                _ => scale.part(&format!("registration-{}-{}", plan.name, slug(method)), || {
                    Ok(read(&cases::paper(&cloud, plan.stop, seeds)?)?.swap_remove(k))
                })?,
            };
            found.push(runs);
        }
        record.set(
            &format!("cloud of {}", plan.paper_points),
            format!(
                "{} points, at most {} steps, change {:e}; seeds of each method: {:?}",
                cloud.nrows(),
                plan.stop.0,
                plan.stop.1,
                plan.seeds
            ),
        );
        if scale.data.is_none() || plan.name == "dragon" {
            drawn.push(plan.paper_points.to_string());
        }
        cases.push(Case { paper_points: plan.paper_points, points: cloud.nrows(), methods: found });
    }
    record.set("source", "a random element of O(d), a shift of length 5, noise of deviation 0.1");
    record.set("min-SWGG", "100 random lines in every step");
    record.set(
        "Sinkhorn divergence",
        "blur 0.05 of the size of the target, 3000 points at most, first five seeds of large clouds",
    );
    record.seed = "from 0 on, as many as the settings say".to_string();
    record.stand_in = (!drawn.is_empty()).then(|| match &scale.data {
        Some(_) => "the Stanford dragon, at the size of the cloud of 3000, in the place of the paper's cloud of 150 000 points".to_string(),
        None => format!("drawn shapes in the place of the paper's clouds of {} points", drawn.join(", ")),
    });
    Ok(cases)
}

/// A cloud by its name.
fn cloud(scale: &Scale, name: &str) -> Outcome<Array2<f64>> {
    match (&scale.data, name) {
        (Some(data), "letter") => files::dark_points(data, "icp/density_b.png", 500),
        (Some(data), "mumble") => files::cloud(data, "icp/mumble_sitting_3000.pts"),
        (Some(data), _) => {
            let (small, large) = (
                files::cloud(data, "icp/mumble_sitting_3000.pts")?,
                files::cloud(data, "icp/dragon_merged_150000.ply")?,
            );
            let every = scale.pick(50, 15, 1);
            let kept: Vec<usize> = (0..large.nrows()).step_by(every).collect();
            let factor = extent(&small) / extent(&large);
            Ok(large.select(Axis(0), &kept) * factor)
        }
        (None, "dragon") => {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            shapes::sample("tube", scale.pick(3000, 10_000, 150_000), 0, &mut rng)
        }
        // Every third point of the letter will do for a test.
        (None, name) if scale.extent == Extent::Tiny => {
            let cloud = shapes::draw(name)?;
            let kept: Vec<usize> = (0..cloud.nrows()).step_by(3).collect();
            Ok(cloud.select(Axis(0), &kept))
        }
        (None, name) => shapes::draw(name),
    }
}

/// The longest side of the box around a cloud.
fn extent(cloud: &Array2<f64>) -> f64 {
    let sides = cloud.columns().into_iter().map(|column| {
        let (low, high) =
            column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        high - low
    });
    sides.fold(0.0, f64::max)
}

/// The runs of a record of the benchmark, method by method.
fn read(record: &Value) -> Outcome<Vec<Vec<Run>>> {
    let methods = record["methods"].as_array().ok_or("a record without methods")?;
    let run = |value: &Value| -> Outcome<Run> {
        let number =
            |field: &str| value[field].as_f64().ok_or_else(|| format!("no number `{field}` in {value}"));
        Ok(Run {
            divergence: value["divergence"].as_f64(),
            chamfer: number("chamfer")?,
            frobenius: number("frobenius")?,
            seconds: number("seconds")?,
            steps: number("steps")?,
            recovered: value["recovered"].as_bool().unwrap_or(false),
        })
    };
    let runs = |method: &Value| method["runs"].as_array().into_iter().flatten().map(run).collect();
    methods.iter().map(runs).collect()
}
