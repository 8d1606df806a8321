//! Tables of where flows end and what they take.

use serde_json::{Value, json};

use super::{GOAL_SECONDS, LOSSES, Run, TARGETS, number};
use crate::shell::Outcome;

/// Mean and deviation of some numbers.
pub fn spread(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

/// The logarithm of a distance; nothing is nearer than rounding.
pub fn logarithm(distance: f64) -> f64 {
    distance.max(1e-16).log10()
}

/// What a target is called.
pub fn title(target: &str) -> &'static str {
    TARGETS.iter().find(|(name, _)| *name == target).map_or("", |(_, title)| title)
}

/// Prints a row for every loss, and returns the same for the record.
pub fn print(runs: &[Run], targets: &[&str]) -> Value {
    let titles: Vec<&str> = targets.iter().map(|target| title(target)).collect();
    println!("| loss | {} |", titles.join(" | "));
    println!("|---|{}", "---|".repeat(targets.len()));
    let mut record = Vec::new();
    for (loss, name) in LOSSES {
        let mut cells = Vec::new();
        for target in targets {
            let own = || runs.iter().filter(|run| run.loss == loss && run.target == *target);
            let ends: Vec<f64> = own().map(|run| logarithm(run.last)).collect();
            let seconds: Vec<f64> = own().map(|run| run.seconds).collect();
            let ((mean, deviation), (seconds, _)) = (spread(&ends), spread(&seconds));
            cells.push(format!("{mean:.2} ± {deviation:.2} ({seconds:.2} s)"));
            record.push(json!({
                "loss": loss, "target": target, "log10_w2": mean, "deviation": deviation, "seconds": seconds, "ends": ends,
            }));
        }
        println!("| {name} | {} |", cells.join(" | "));
    }
    Value::from(record)
}

pub fn print_speed(speed: &Value) -> Outcome<()> {
    let (steps, threads) = (number(speed, "steps")?, number(speed, "threads")?);
    let together = number(speed, "together_seconds")?;
    println!(
        "\nSix losses on the 8 Gaussians, {steps} steps each with the exact distance beside every one, on {threads} threads: {together:.2} s (goal {GOAL_SECONDS} s)."
    );
    for (name, seconds) in speed["seconds"].as_object().into_iter().flatten() {
        println!("  {name}: {:.2} s", seconds.as_f64().unwrap_or(f64::NAN));
    }
    Ok(())
}
