//! `cargo xtask bench flows`: the paper's gradient flows (Figure 4), those of DGSWP, and their times; a large step beside PyTorch.

mod curves;
mod tables;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{machine, number, program, python, save, seed_count};
use crate::shell::{Outcome, output, root};

/// Targets, and what they are called.
const TARGETS: [(&str, &str); 4] = [
    ("gaussian-2", "Gaussian, d = 2"),
    ("gaussian-500", "Gaussian, d = 500"),
    ("8gaussians", "8 Gaussians"),
    ("moons", "two moons"),
];
/// Losses, and what they are called.
const LOSSES: [(&str, &str); 6] = [
    ("sw", "SW"),
    ("max-sw", "max-SW"),
    ("pwd", "PWD"),
    ("min-swgg-random", "min-SWGG, random"),
    ("min-swgg-optimised", "min-SWGG, optimised"),
    ("auto", "auto (ours)"),
];
/// Whose settings, and what is said of them.
const PROTOCOLS: [(&str, &str); 2] = [
    ("paper", "Figure 4 of the paper: n = 100, rate 5e-3, 100 directions"),
    ("dgswp", "DGSWP: n = 50, rate 0.01, 20 directions"),
];
/// Steps between two distances of a curve, as the bench program has them.
const EXACT_EVERY: usize = 20;
/// Seconds that six losses of the plane may take on two cores.
const GOAL_SECONDS: f64 = 5.0;
/// Points and lines of the large step, and how many times faster than PyTorch it is meant to be.
const LARGE: (&str, &str) = ("100000", "100");
const GOAL_RATIO: f64 = 20.0;

/// What was asked for.
struct Options {
    steps: usize,
    seeds: usize,
    targets: Vec<&'static str>,
    is_quick: bool,
    /// Times only.
    is_speed: bool,
}

impl Options {
    fn parse(words: &[&str]) -> Outcome<Self> {
        let mut options =
            Options { steps: 2000, seeds: 10, targets: Vec::new(), is_quick: false, is_speed: false };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            match word {
                "--quick" => options = Options { steps: 500, seeds: 2, is_quick: true, ..options },
                "--speed" => options.is_speed = true,
                "--seeds" => options.seeds = seed_count(words.next().ok_or("`--seeds` needs a value")?)?,
                _ => match TARGETS.iter().find(|(name, _)| *name == word) {
                    Some((name, _)) => options.targets.push(name),
                    None => {
                        let names = TARGETS.map(|(name, _)| name).join(", ");
                        return Err(format!(
                            "no target is called `{word}`; there are {names}, and --seeds N, --quick and --speed"
                        ));
                    }
                },
            }
        }
        if options.targets.is_empty() {
            options.targets = TARGETS.map(|(name, _)| name).to_vec();
        }
        Ok(options)
    }
}

/// One flow.
struct Run {
    target: String,
    loss: String,
    /// Exact distances, rooted, at every [`EXACT_EVERY`] steps.
    curve: Vec<f64>,
    last: f64,
    seconds: f64,
}

impl Run {
    fn read(line: &str) -> Outcome<Self> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let text = |field: &str| value[field].as_str().unwrap_or_default().to_string();
        let curve = value["w2"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        let (target, loss) = (text("target"), text("loss"));
        Ok(Run { target, loss, curve, last: number(&value, "last")?, seconds: number(&value, "seconds")? })
    }
}

pub fn run(words: &[&str]) -> Outcome<()> {
    let options = Options::parse(words)?;
    let bench = program("swgg-apps", "flows")?;
    if options.is_speed {
        let record = json!({ "machine": machine(), "speed": speed(&bench, options.steps)? });
        return save("flows-speed", &record);
    }
    let (steps, seeds) = (options.steps.to_string(), options.seeds.to_string());
    println!("Particles along the gradient of a loss, {steps} steps of Adam, {seeds} seeds.");
    println!(
        "log10 of the exact W2 (rooted) at the end: mean and deviation over the seeds; seconds of one flow on one core."
    );
    let mut record = serde_json::Map::new();
    for (protocol, about) in PROTOCOLS {
        let targets = options.targets.join(",");
        let mut command = Command::new(&bench);
        let text = output(command.args(["flows", protocol, &steps, &seeds, &targets]))?;
        let runs = text.lines().map(Run::read).collect::<Outcome<Vec<_>>>()?;
        println!("\n{about}\n");
        record.insert(protocol.to_string(), tables::print(&runs, &options.targets));
        // A picture of fewer seeds or targets is not that of the page.
        let is_whole = !options.is_quick && options.targets.len() == TARGETS.len();
        let place = if is_whole && protocol == "paper" {
            root().join("docs/flows.svg")
        } else {
            root().join("target/bench").join(format!("flows-{protocol}.svg"))
        };
        let svg = curves::draw(&runs, &options.targets, options.steps, about);
        std::fs::create_dir_all(root().join("target/bench")).map_err(|error| error.to_string())?;
        std::fs::write(&place, svg).map_err(|error| format!("{}: {error}", place.display()))?;
        println!("\ndrawn as {}", place.strip_prefix(root()).unwrap_or(&place).display());
    }
    record.insert("speed".to_string(), speed(&bench, options.steps)?);
    save(
        "flows",
        &json!({ "machine": machine(), "steps": options.steps, "seeds": options.seeds, "flows": record }),
    )
}

/// Six losses on one target of the plane, and a large step beside PyTorch on the same threads.
fn speed(bench: &Path, steps: usize) -> Outcome<Value> {
    let told = |words: &[&str]| -> Outcome<Value> {
        let text = output(Command::new(bench).args(words))?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    };
    let mut found = told(&["speed", &steps.to_string()])?;
    tables::print_speed(&found)?;
    let (n, lines) = LARGE;
    println!("\nOne step of min-SWGG, {lines} lines, n = {n}, d = 3, f64, best of several:\n");
    println!("| threads | PyTorch s | swgg s | ratio | goal |\n|---|---|---|---|---|");
    let interpreter = python::interpreter(&python::TORCH)?;
    let mut rows = Vec::new();
    for threads in [1, 2] {
        let count = threads.to_string();
        let ours = told(&["large", n, &count])?;
        let peer = python::script(&interpreter, "flows.py", threads, &[n, lines, &count])?;
        let (own, other) = (number(&ours, "step_seconds")?, number(&peer, "step_seconds")?);
        let ratio = other / own;
        println!("| {threads} | {other:.3} | {own:.4} | {ratio:.1} | {GOAL_RATIO} |");
        rows.push(json!({ "ours": ours, "peer": peer, "ratio": ratio, "goal": GOAL_RATIO }));
    }
    found["large"] = rows.into();
    Ok(found)
}
