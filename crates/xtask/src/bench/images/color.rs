//! Colour transfer and colorization, beside numpy and POT.

use std::path::Path;

use serde_json::{Value, json};

use super::super::python;
use super::number;
use crate::shell::{Outcome, output, root};

/// What the project set out to reach.
const COLORIZE_SECONDS: f64 = 0.05;
const COLORIZE_RATIO: f64 = 10.0;
const TRANSFER_SECONDS: f64 = 2.0;
const TRANSFER_RATIO: f64 = 10.0;
const LARGE: (f64, f64) = (10.0, 2048.0);

/// Without `--data` the pictures are drawn by formulas, and fewer samples are enough to say how POT fares.
pub fn run(swgg: &Path, data: Option<&Path>) -> Outcome<Value> {
    let python = python::interpreter(&python::PACKAGE)?;
    python::wheel(&python, python::Profile::Release)?;
    let directory = root().join("target/bench/images");
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let swgg = swgg.display().to_string();
    let ask = |args: &[&str]| python::script(&python, "color.py", 2, args);
    let (source, reference, samples) = match data {
        Some(data) => {
            let picture = |name: &str| data.join("images/color_transfer").join(name).display().to_string();
            (picture("bridge.png"), picture("mountain.png"), "20000")
        }
        None => {
            let place = |name: &str| directory.join(name).display().to_string();
            let (source, reference) = (place("source.png"), place("reference.png"));
            ask(&["draw", &source, &reference])?;
            println!("No --data: two landscapes drawn by formulas, 1280 x 1024, and 3000 samples for POT.\n");
            (source, reference, "3000")
        }
    };

    println!("Colour, two threads, seconds to solve (pictures read and written apart).\n");
    println!("| what | seconds | goal | beside it | ratio | goal | cost | cost beside it |");
    println!("|---|---|---|---|---|---|---|---|");
    let gray = ask(&["colorize", &swgg, &source, &reference, "2"])?;
    // From Python, in turn with numpy. The same computation first; then one that does less: pixels of one gray as they come.
    let ours = number(&gray, "package_seconds")?;
    for (name, key) in [("numpy", "peer_seconds"), ("numpy, ties as they come", "plain_seconds")] {
        let peer = number(&gray, key)?;
        println!(
            "| swgg.colorize | {ours:.3} | {COLORIZE_SECONDS} | {name} {peer:.3} | {:.1} | {COLORIZE_RATIO} | {:.6} | |",
            peer / ours,
            number(&gray, "cost")?
        );
    }
    let times = |name: &str| number(&gray["swgg_seconds"], name);
    println!(
        "| swgg colorize; decode {:.3}, encode {:.3} | {:.3} | {COLORIZE_SECONDS} | | | | | |",
        times("read")?,
        times("write")?,
        times("solve")?
    );
    let colors = ask(&["transfer", &swgg, &source, &reference, "2", samples])?;
    let (peer, peer_cost) = (number(&colors, "peer_seconds")?, number(&colors, "peer_cost")?);
    for name in ["default", "cheapest"] {
        let found = &colors[name];
        let seconds = number(&found["seconds"], "solve")?;
        println!(
            "| color-transfer, {name} | {seconds:.2} | {TRANSFER_SECONDS} | POT, {samples} samples {peer:.1} | {:.0} | \
             {TRANSFER_RATIO} | {:.6} | {peer_cost:.6} |",
            peer / seconds,
            number(found, "cost")?
        );
        if found["same_histogram"] != true {
            return Err(format!("the colours of the result are not those of the reference ({name})"));
        }
    }
    println!("\nIn both the colours of the result are those of the reference, each as often.");

    let large = directory.join("large.png").display().to_string();
    ask(&["large", &large])?;
    let huge = ask(&["transfer", &swgg, &large, &reference, "2", "0"])?;
    let (seconds, megabytes) = (number(&huge["default"]["seconds"], "solve")?, number(&huge, "megabytes")?);
    println!("24 megapixels: {seconds:.1} s (goal {}), {megabytes:.0} MB (goal {}).", LARGE.0, LARGE.1);

    // The comparison of the paper, to look at.
    let (sheet, out) = (directory.join("methods.png"), directory.join("methods-auto.png"));
    let against = "exact,min-swgg-random,min-swgg,subspace-detour,gaussian";
    output(
        std::process::Command::new(&swgg)
            .args(["color-transfer", &source, &reference])
            .arg(&out)
            .args(["--samples", samples, "--against", against, "--quiet", "--compare"])
            .arg(&sheet),
    )?;
    println!(
        "The methods of the paper side by side: {}",
        sheet.strip_prefix(root()).unwrap_or(&sheet).display()
    );
    Ok(
        json!({ "colorize": gray, "transfer": colors, "large": huge, "samples": samples, "drawn": data.is_none() }),
    )
}
