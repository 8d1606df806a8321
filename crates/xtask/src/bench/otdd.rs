//! `cargo xtask bench otdd`: the paper's tables of distances between data sets, beside its numbers.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use super::{build, machine, number, save};
use crate::shell::{Outcome, output};

/// The data sets of the paper in its order, and the file of their images below the folder of data. Its EMNIST are letters; those of a smaller
/// collection stand in for them, and the test images of KMNIST for all of it.
const SETS: [(&str, &str); 5] = [
    ("MNIST", "mnist/train-images-idx3-ubyte.gz"),
    ("EMNIST*", "emnist/az-letters-images-idx3-ubyte.gz"),
    ("Fashion", "fashion-mnist/train-images-idx3-ubyte.gz"),
    ("KMNIST*", "kmnist/t10k-images-idx3-ubyte.gz"),
    ("USPS", "usps/usps-train-images-idx3-ubyte.gz"),
];

/// Half of a mean of squares, in thousands: what the numbers of the paper are, which come from code that takes no root.
const HALF_IN_THOUSANDS: f64 = 0.5 / 1000.0;

/// A table of the paper: its title, the flags that ask for it, and its numbers.
struct Table {
    title: &'static str,
    samples: Option<usize>,
    flags: &'static str,
    published: [[f64; 5]; 5],
}

/// The paper's five tables of 2000 points (Fig. 20), then its two of 40 000 (Fig. 19).
const TABLES: [Table; 7] = [
    Table {
        title: "n = 2000, W2 between labels",
        samples: Some(2000),
        flags: "--label-distance exact",
        published: [
            [0.0, 0.4, 0.6, 0.5, 0.4],
            [0.4, 0.0, 0.5, 0.5, 0.4],
            [0.6, 0.5, 0.0, 0.6, 0.3],
            [0.5, 0.5, 0.6, 0.0, 0.4],
            [0.4, 0.5, 0.4, 0.4, 0.0],
        ],
    },
    Table {
        title: "n = 2000, Sinkhorn divergence between labels",
        samples: Some(2000),
        flags: "--label-distance sinkhorn",
        published: [
            [0.0, 0.9, 1.3, 1.2, 0.9],
            [0.9, 0.0, 1.2, 1.2, 1.0],
            [1.3, 1.2, 0.0, 1.3, 0.8],
            [1.2, 1.2, 1.3, 0.0, 1.0],
            [1.0, 1.0, 0.8, 1.0, 0.0],
        ],
    },
    Table {
        title: "n = 2000, Bures between labels",
        samples: Some(2000),
        flags: "--label-distance bures",
        published: [
            [0.0, 0.8, 1.1, 1.0, 0.8],
            [0.8, 0.0, 1.1, 1.0, 0.9],
            [1.2, 1.1, 0.0, 1.1, 0.7],
            [1.0, 1.0, 1.1, 0.0, 0.9],
            [0.9, 0.9, 0.7, 0.9, 0.0],
        ],
    },
    Table {
        title: "n = 2000, min-SWGG between labels, 1000 random lines",
        samples: Some(2000),
        flags: "--label-distance min-swgg --search random --directions 1000",
        published: [
            [0.0, 1.0, 1.3, 1.3, 1.1],
            [1.0, 0.0, 1.3, 1.3, 1.1],
            [1.3, 1.3, 0.0, 1.4, 0.8],
            [1.3, 1.3, 1.4, 0.0, 1.1],
            [1.0, 1.1, 0.9, 1.1, 0.0],
        ],
    },
    Table {
        title: "n = 2000, min-SWGG between labels, optimised",
        samples: Some(2000),
        flags: "--label-distance min-swgg --search gradient --iterations 50 --copies 20 --blur-epsilon 0.5 --learning-rate 0.5",
        published: [
            [0.0, 1.0, 1.3, 1.3, 1.0],
            [1.0, 0.0, 1.3, 1.3, 1.1],
            [1.3, 1.2, 0.0, 1.4, 0.8],
            [1.3, 1.3, 1.3, 0.0, 1.1],
            [1.0, 1.1, 0.8, 1.1, 0.0],
        ],
    },
    Table {
        title: "all there is up to 40 000, min-SWGG between labels",
        samples: Some(40_000),
        flags: "--label-distance min-swgg --search gradient --iterations 20",
        published: [
            [0.0, 1.0, 1.3, 1.2, 1.0],
            [1.0, 0.0, 1.2, 1.2, 1.0],
            [1.3, 1.2, 0.0, 1.3, 0.8],
            [1.2, 1.2, 1.3, 0.0, 1.0],
            [1.0, 1.0, 0.8, 1.1, 0.0],
        ],
    },
    Table {
        title: "all there is up to 40 000, Sinkhorn divergence between labels",
        samples: Some(40_000),
        flags: "--label-distance sinkhorn",
        published: [
            [0.0, 0.9, 1.2, 1.1, 0.9],
            [0.8, 0.0, 1.1, 1.1, 0.9],
            [1.2, 1.3, 0.0, 1.2, 0.8],
            [1.1, 1.0, 1.2, 0.0, 0.9],
            [0.9, 0.9, 0.7, 0.9, 0.0],
        ],
    },
];

/// What was asked for.
struct Options {
    data: PathBuf,
    is_quick: bool,
    /// Points of each data set, instead of those of the paper.
    samples: Option<usize>,
    /// One table only, counted from 1.
    table: Option<usize>,
}

impl Options {
    fn parse(words: &[&str]) -> Outcome<Self> {
        let usual = std::env::var_os("SWGG_DATA").map(PathBuf::from);
        let (mut data, mut is_quick, mut samples, mut table) = (usual, false, None, None);
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().ok_or(format!("`{word}` needs a value"));
            match word {
                "--data" => data = Some(PathBuf::from(value()?)),
                "--samples" => {
                    samples = Some(value()?.parse().map_err(|_| "`--samples` needs a whole number")?);
                }
                "--table" => {
                    let found: usize = value()?.parse().map_err(|_| "`--table` needs a whole number")?;
                    if !(1..=TABLES.len()).contains(&found) {
                        return Err(format!("there are tables 1 to {}, found {found}", TABLES.len()));
                    }
                    table = Some(found);
                }
                "--quick" => is_quick = true,
                _ => {
                    return Err(format!(
                        "unknown word `{word}`; there are --data DIR, --samples N, --table K and --quick"
                    ));
                }
            }
        }
        let data = data.ok_or("name the folder of the data sets by --data DIR or SWGG_DATA")?;
        Ok(Options { data, is_quick, samples, table })
    }
}

pub fn run(words: &[&str]) -> Outcome<()> {
    let options = Options::parse(words)?;
    let present: Vec<usize> = (0..SETS.len()).filter(|&k| options.data.join(SETS[k].1).is_file()).collect();
    if present.len() < 2 {
        let files = SETS.map(|(_, file)| file).join(", ");
        return Err(format!("{} has fewer than two of {files}", options.data.display()));
    }
    let swgg = build()?;
    println!(
        "Half of the mean squares between data sets in thousands, the paper's (in both orders of the pair) and ours. * stands for a smaller collection."
    );
    let is_asked = |k: usize| options.table.is_none_or(|table| table == k + 1);
    let is_kept = |table: &Table| !options.is_quick || table.samples == Some(2000);
    let tables = TABLES.iter().enumerate().filter(|(k, table)| is_asked(*k) && is_kept(table));
    let mut records = Vec::new();
    for (_, table) in tables {
        records.push(measure(&swgg, &options, table, &present)?);
    }
    save("otdd", &json!({ "machine": machine(), "tables": records }))
}

/// Runs one table and prints it.
fn measure(swgg: &Path, options: &Options, table: &Table, present: &[usize]) -> Outcome<Value> {
    let files: Vec<PathBuf> = present.iter().map(|&k| options.data.join(SETS[k].1)).collect();
    let names: Vec<&str> = present.iter().map(|&k| SETS[k].0).collect();
    let mut command = Command::new(swgg);
    command.arg("otdd").args(&files).args(["--json", "--quiet", "--power", "2", "--names", &names.join(",")]);
    command.args(table.flags.split(' '));
    if let Some(samples) = options.samples.or(table.samples) {
        command.args(["--samples", &samples.to_string()]);
    }
    let started = Instant::now();
    let found: Value = serde_json::from_str(&output(&mut command)?).map_err(|error| error.to_string())?;
    let seconds = started.elapsed().as_secs_f64();
    println!("\n{}: {seconds:.1} s for all pairs\n", table.title);
    println!("| pair | paper | ours | plan within | labels (s) | plan (s) |\n|---|---|---|---|---|---|");
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for pair in found["pairs"].as_array().into_iter().flatten() {
        let [i, j] = ["source", "target"].map(|side| pair[side].as_u64().unwrap_or(0) as usize);
        let [a, b] = [present[i], present[j]];
        let (there, back) = (table.published[a][b], table.published[b][a]);
        let half = HALF_IN_THOUSANDS * number(pair, "cost")?;
        let gap = pair["gap"].as_f64().map_or("-".into(), |gap| format!("{:.2} %", 100.0 * gap));
        let of = |part: &str| number(&pair["seconds"], part);
        println!(
            "| {}, {} | {there}, {back} | {:.2} | {gap} | {:.2} | {:.2} |",
            SETS[a].0,
            SETS[b].0,
            half,
            of("labels")?,
            of("plan")?
        );
        theirs.push(0.5 * (there + back));
        ours.push(half);
    }
    let ratio = ours.iter().sum::<f64>() / theirs.iter().sum::<f64>();
    let order = order_agreement(&theirs, &ours);
    println!(
        "\nours / paper {ratio:.2} in the mean; of pairs of pairs that the paper tells apart {:.0} % are in its order",
        100.0 * order
    );
    Ok(
        json!({ "title": table.title, "flags": table.flags, "seconds": seconds, "ratio": ratio, "order": order, "found": found }),
    )
}

/// Of all pairs of numbers that differ on one side, the share that the other side has in the same order.
fn order_agreement(theirs: &[f64], ours: &[f64]) -> f64 {
    let (mut agreeing, mut all) = (0.0, 0.0);
    for i in 0..theirs.len() {
        for j in 0..i {
            if theirs[i] != theirs[j] {
                all += 1.0;
                agreeing += f64::from(u8::from((theirs[i] < theirs[j]) == (ours[i] < ours[j])));
            }
        }
    }
    if all > 0.0 { agreeing / all } else { 1.0 }
}
