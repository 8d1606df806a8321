//! Rows on 80 columns, a line for each solver or one for a solver beside its peer.

use serde_json::Value;

use super::part::{Bars, Case};

/// A heading and its width.
type Column = (&'static str, usize);

const BESIDE: [Column; 10] = [
    ("label", 14),
    ("d", 2),
    ("n", 6),
    ("seed", 4),
    ("peer s", 6),
    ("ours s", 6),
    ("ratio", 5),
    ("gap", 8),
    ("differ", 6),
    ("bar", 3),
];
const SOLVERS: [Column; 10] = [
    ("label", 10),
    ("d", 2),
    ("n", 7),
    ("seed", 4),
    ("solver", 8),
    ("s", 6),
    ("cost", 9),
    ("gap", 8),
    ("MB", 4),
    ("bar", 3),
];

/// A peer's plan that is cheaper than our optimum by more than this share proves us wrong; less is its own rounding of costs and masses.
const AGREEMENT: f64 = 1e-6;

/// What became of a job.
struct JobResult<'a> {
    job: &'a str,
    value: &'a Value,
}

impl JobResult<'_> {
    fn number(&self, field: &str) -> Option<f64> {
        self.value[field].as_f64()
    }

    fn is_late(&self) -> bool {
        self.value["late"] == true
    }

    fn seconds(&self, limit: f64) -> String {
        match self.number("seconds") {
            Some(seconds) => short(seconds),
            None if self.is_late() => format!(">{}", short(limit)),
            None => "failed".into(),
        }
    }

    fn gap(&self) -> String {
        self.number("gap").map_or("-".into(), percent)
    }

    fn is_peer(&self) -> bool {
        ["emd", "bsp", "ortools"].contains(&self.job.split(':').next().unwrap_or_default())
    }
}

/// Whether a peer and ours share a line.
fn is_beside(case: &Case) -> bool {
    case.jobs.len() == 2 && is_peer_first(case)
}

fn is_peer_first(case: &Case) -> bool {
    case.jobs.first().is_some_and(|job| JobResult { job, value: &Value::Null }.is_peer())
}

pub fn print_header(case: &Case) {
    let columns = if is_beside(case) { BESIDE } else { SOLVERS };
    println!("{}", line(columns, columns.map(|column| column.0.to_string())));
}

/// Prints a case; returns how many lines met their bar and how many have one.
pub fn print(case: &Case, row: &Value, limit: f64) -> (usize, usize) {
    let found: Vec<JobResult> = case.jobs.iter().map(|job| JobResult { job, value: &row[*job] }).collect();
    let verdicts = if let ([peer, ours], true) = (&found[..], is_beside(case)) {
        vec![beside(case, peer, ours, limit)]
    } else {
        solvers(case, &found, limit)
    };
    for found in &found {
        if let Some(reason) = found.value["failed"].as_str() {
            println!("    {}: {reason}", found.job);
        }
    }
    let met = verdicts.iter().filter(|verdict| **verdict == Some(true)).count();
    (met, verdicts.iter().flatten().count())
}

fn beside(case: &Case, peer: &JobResult, ours: &JobResult, limit: f64) -> Option<bool> {
    // A peer that was ended is at least as slow as the limit.
    let theirs = peer.number("seconds").or(peer.is_late().then_some(limit));
    let ratio = theirs.zip(ours.number("seconds")).map(|(theirs, ours)| theirs / ours);
    let differ = peer.number("cost").zip(ours.number("cost")).map(|(theirs, ours)| theirs / ours - 1.0);
    let bound = if peer.is_late() { ">" } else { "" };
    let is_optimal = differ.is_none_or(|share| share > -AGREEMENT);
    let verdict = case.bars.ratio.and_then(|bar| match (ours.number("seconds"), ratio) {
        (None, _) => Some(false),
        // Without the peer's time there is nothing to compare with.
        (_, None) => None,
        (_, Some(ratio)) => Some(ratio >= bar && is_optimal),
    });
    let cells = [
        case.label.clone(),
        case.d.to_string(),
        case.size.clone(),
        case.seed.to_string(),
        peer.seconds(limit),
        ours.seconds(limit),
        ratio.map_or("-".into(), |ratio| format!("{bound}{}", times(ratio))),
        ours.gap(),
        differ.map_or("-".into(), |share| if share == 0.0 { "0".into() } else { format!("{share:.0e}") }),
        word(verdict),
    ];
    println!("{}", line(BESIDE, cells));
    verdict
}

fn solvers(case: &Case, found: &[JobResult], limit: f64) -> Vec<Option<bool>> {
    let peer = found.iter().find(|found| found.is_peer()).and_then(|peer| peer.number("seconds"));
    let mut place = 0;
    let mut verdicts = Vec::new();
    for found in found {
        let verdict = if found.is_peer() {
            None
        } else {
            place += 1;
            judged(&case.bars, place - 1, found, peer)
        };
        let (name, setting) = found.job.split_once(':').unwrap_or((found.job, ""));
        let solver = match name {
            "bsp" => format!("BSP {setting}"),
            "auto" => "default".into(),
            "gap" => format!("to {} %", 100.0 * setting.parse().unwrap_or(f64::NAN)),
            _ => format!("{name} {setting}").trim_end().into(),
        };
        let megabytes = found.number("megabytes").map_or("-".into(), |megabytes| format!("{megabytes:.0}"));
        let cells = [
            case.label.clone(),
            case.d.to_string(),
            case.size.clone(),
            case.seed.to_string(),
            solver,
            found.seconds(limit),
            found.number("cost").map_or("-".into(), cost),
            found.gap(),
            megabytes,
            word(verdict),
        ];
        println!("{}", line(SOLVERS, cells));
        verdicts.push(verdict);
    }
    verdicts
}

/// Whether all bars of a solver are met, the `place`-th of ours; nothing if there are none.
fn judged(bars: &Bars, place: usize, found: &JobResult, peer: Option<f64>) -> Option<bool> {
    let within_peers = bars.peers.filter(|_| place == 0).zip(peer).map(|(times, seconds)| times * seconds);
    let all = [
        ("seconds", bars.seconds),
        ("seconds", within_peers),
        ("megabytes", bars.megabytes),
        ("gap", bars.gaps.get(place).copied()),
        ("cost", bars.cost),
    ];
    let meets = |field, bar| found.number(field).is_some_and(|found| found <= bar);
    let verdicts: Vec<bool> = all.into_iter().filter_map(|(field, bar)| Some(meets(field, bar?))).collect();
    (!verdicts.is_empty()).then(|| verdicts.into_iter().all(|is_met| is_met))
}

/// The label and the solver to the left, numbers to the right.
fn line(columns: [Column; 10], cells: [String; 10]) -> String {
    let cell = |((name, width), cell): (Column, String)| match name {
        "label" | "solver" => format!("{cell:<width$}"),
        _ => format!("{cell:>width$}"),
    };
    columns.into_iter().zip(cells).map(cell).collect::<Vec<_>>().join("  ")
}

fn word(verdict: Option<bool>) -> String {
    verdict.map_or("-", |is_met| if is_met { "yes" } else { "NO" }).into()
}

/// Three digits or so.
fn short(number: f64) -> String {
    match number {
        _ if number >= 99.95 => format!("{number:.0}"),
        _ if number >= 9.995 => format!("{number:.1}"),
        _ if number >= 0.9995 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

fn times(ratio: f64) -> String {
    if ratio >= 9.95 { format!("{ratio:.0}") } else { format!("{ratio:.2}") }
}

/// Five digits, as far as nine letters hold them.
fn cost(number: f64) -> String {
    let before = number.abs().max(1e-9).log10().floor();
    if !(-4.0..7.0).contains(&before) {
        return format!("{number:.2e}");
    }
    let decimals = (4.0 - before).clamp(0.0, 7.0) as usize;
    format!("{number:.decimals$}")
}

/// A share in per cent, two digits; rounding of the last bits is no gap.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if percent < 1e-9 => "0".into(),
        _ if percent < 1e-3 => format!("{percent:.0e} %"),
        _ if percent < 0.1 => format!("{percent:.4} %"),
        _ if percent < 10.0 => format!("{percent:.2} %"),
        _ => format!("{percent:.0} %"),
    }
}
