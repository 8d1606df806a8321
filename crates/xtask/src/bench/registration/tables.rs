//! Tables of what was measured, with the paper's figures and our goals beside them.

use serde_json::Value;

use super::super::number;
use crate::shell::Outcome;

/// What the paper reports for a method: Sinkhorn divergence, seconds, square Chamfer, square Frobenius.
type Reported = (&'static str, [&'static str; 4]);

/// A table of the paper and what we want of it.
struct Table {
    title: &'static str,
    reported: &'static [Reported],
    goal: &'static str,
}

const NN: &str = "nearest neighbours";
const OT: &str = "exact transport";
const SWGG: &str = "min-SWGG";

fn table(case: &str) -> Option<Table> {
    Some(match case {
        "letter" => Table {
            title: "letter, 2-D, n = 500",
            reported: &[
                (NN, ["3.54", "0.02", "11.65", "526"]),
                (OT, ["0.32", "0.18", "0.03", "3.8"]),
                (SWGG, ["0.05", "0.04", "0.08", "2"]),
            ],
            goal: "all recovered, median 0.02 s or less",
        },
        "mumble" => Table {
            title: "mumble, 3-D, n = 3000",
            reported: &[
                (NN, ["96.9", "0.30", "0.20", "30.04"]),
                (OT, ["48.4", "58.46", "0.16", "6.5"]),
                (SWGG, ["37.6", "0.90", "0.13", "4.5"]),
            ],
            goal: "all recovered, median 0.15 s or less",
        },
        "dragon" => Table {
            title: "dragon (the paper: another cloud), 3-D, n = 150 000",
            reported: &[(NN, ["23.3", "59.37", "6.90", "21.7"]), (SWGG, ["6.7", "105.75", "8e-4", "6.01"])],
            goal: "all recovered, median 8 s or less",
        },
        _ => return None,
    })
}

/// What holds for all tables.
pub fn introduce(has_files: bool, seeds: usize) {
    println!(
        "Registration, two threads, only the library call is timed; {seeds} seeds where not said otherwise."
    );
    println!("A pose is recovered within 2 degrees and 2 % of the diameter. Cells: mean (10 / 50 / 90 %).");
    if !has_files {
        println!("\nNo data files (--data DIR): the clouds are shapes we generate in place of the paper's.");
    }
}

pub fn print(case: &str, found: &Value) -> Outcome<()> {
    match (case, table(case)) {
        (_, Some(table)) => paper(&table, found),
        ("scans", _) => scans(found),
        ("both", _) => both(found),
        ("lidar", _) => lidar(found),
        _ => partial(case, found),
    }
}

/// Random element of O(d), shift of 5, noise of 0.1: every method of the paper, and ours.
fn paper(table: &Table, found: &Value) -> Outcome<()> {
    println!("\n**{}**; ours: goal {}\n", table.title, table.goal);
    println!(
        "| method | recovered | Sinkhorn divergence | square Chamfer | square Frobenius | seconds | steps | paper: divergence (s), Chamfer, Frobenius |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for method in methods(found)? {
        let name = method["method"].as_str().unwrap_or_default();
        let reported = table.reported.iter().find(|(of, _)| *of == name);
        let reported = reported.map_or("-".to_string(), |(_, [divergence, seconds, chamfer, frobenius])| {
            format!("{divergence} ({seconds}), {chamfer}, {frobenius}")
        });
        let cells =
            ["divergence", "chamfer", "frobenius", "seconds", "steps"].map(|field| cell(method, field));
        if runs(method).is_empty() {
            println!("| {name} | - | - | - | - | - | - | {reported} |");
        } else {
            println!("| {name} | {} | {} | {reported} |", recovered(method), cells.join(" | "));
        }
    }
    Ok(())
}

/// A cloud onto a part of it.
fn partial(case: &str, found: &Value) -> Outcome<()> {
    let (title, goal) = match case {
        "cut" => ("a cloud of 80 000 onto the same with a part cut away", "45 of 50 recovered"),
        _ => ("a cloud of 80 000 onto a half of it, cut by a random plane", "45 of 50 recovered"),
    };
    println!("\n**{title}**, overlap not given; goal {goal}\n");
    println!("| recovered | overlap found | degrees off | translation off | seconds | steps |");
    println!("|---|---|---|---|---|---|");
    for method in methods(found)? {
        let cells = ["overlap", "degrees", "shift", "seconds", "steps"].map(|field| cell(method, field));
        println!("| {} | {} |", recovered(method), cells.join(" | "));
    }
    Ok(())
}

/// Two clouds that are both cut.
fn both(found: &Value) -> Outcome<()> {
    println!(
        "\n**two clouds of 5000 points that are both cut, 54 % of each in the other one**; goal 18 of 20 where the overlap is given\n"
    );
    println!(
        "| shape | overlap given | recovered | wrong, and called so | overlap found | degrees off | translation off | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for method in methods(found)? {
        let name = match method["method"].as_str() {
            Some("whole") => "mumble",
            name => name.unwrap_or_default(),
        };
        let wrong = runs(method).iter().filter(|run| run["recovered"] != true);
        let told = wrong.clone().filter(|run| run["confidence"] != "clear").count();
        let cells = ["overlap", "degrees", "shift", "seconds"].map(|field| cell(method, field));
        println!(
            "| {name} | {} | {} | {told} of {} | {} |",
            method["overlap"].as_str().unwrap_or_default(),
            recovered(method),
            wrong.count(),
            cells.join(" | ")
        );
    }
    Ok(())
}

/// Two views of a dragon.
fn scans(found: &Value) -> Outcome<()> {
    println!("\n**two range scans of the dragon, 24 degrees apart**, overlap not given; goal 1 degree\n");
    println!("| start | within 1 degree | degrees off | translation off | seconds | steps |");
    println!("|---|---|---|---|---|---|");
    for method in methods(found)? {
        let name = match method["method"].as_str() {
            Some("identity") => "as scanned",
            _ => "anywhere",
        };
        let near = values(method, "degrees").iter().filter(|&&degrees| degrees <= 1.0).count();
        let cells = ["degrees", "shift", "seconds", "steps"].map(|field| cell(method, field));
        println!("| {name} | {near} of {} | {} |", runs(method).len(), cells.join(" | "));
    }
    Ok(())
}

/// The pair of a peer, and the peer.
fn lidar(found: &Value) -> Outcome<()> {
    println!(
        "\n**LiDAR pair of small_gicp from the identity**, points at the origin left out; goal: as close\n"
    );
    println!("| method | degrees off | translation off, m | seconds: least (median) of five | steps |");
    println!("|---|---|---|---|---|");
    for method in methods(found)? {
        let name = match (method["method"].as_str(), method["version"].as_str()) {
            (Some(name), Some(version)) => format!("{name} {version}"),
            (name, _) => name.unwrap_or_default().to_string(),
        };
        let seconds = values(method, "seconds");
        let first = runs(method).first().ok_or("a method without runs")?;
        println!(
            "| {name} | {:.4} | {:.5} | {:.3} ({:.3}) | {} |",
            number(first, "degrees")?,
            number(first, "shift")?,
            quantile(&seconds, 0.0),
            quantile(&seconds, 0.5),
            number(first, "steps")?
        );
    }
    Ok(())
}

fn methods(found: &Value) -> Outcome<&Vec<Value>> {
    found["methods"].as_array().ok_or_else(|| "a record without methods".into())
}

fn runs(method: &Value) -> &[Value] {
    method["runs"].as_array().map_or(&[], Vec::as_slice)
}

fn recovered(method: &Value) -> String {
    let runs = runs(method);
    let count = runs.iter().filter(|run| run["recovered"] == true).count();
    format!("{count} of {}", runs.len())
}

/// The values of all runs that have one, least first.
fn values(method: &Value, field: &str) -> Vec<f64> {
    let mut values: Vec<f64> = runs(method).iter().filter_map(|run| run[field].as_f64()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Between the two nearest of sorted values, in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// Mean and quantiles; how many there are if they are fewer than the runs.
fn cell(method: &Value, field: &str) -> String {
    let values = values(method, field);
    if values.is_empty() {
        return "-".into();
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| short(quantile(&values, share)));
    let mark =
        if values.len() < runs(method).len() { format!(", {} seeds", values.len()) } else { String::new() };
    if values.len() == 1 {
        return short(mean);
    }
    format!("{} ({low} / {middle} / {high}){mark}", short(mean))
}

/// Three digits that matter.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.001 => {
            let digits = (2.0 - size.log10().floor()) as usize;
            format!("{value:.digits$}")
        }
        0.0 => "0".into(),
        _ => format!("{value:.1e}"),
    }
}
