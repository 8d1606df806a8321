//! Pan-sharpening: time of the whole command but the start of the process, and scores beside textbook methods.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{number, root, tiff};
use crate::shell::{Outcome, output};

/// Pairs of the paper that have both images.
const PAIRS: [&str; 3] = ["Mexi_nat", "Mexi_urb", "Trend"];
const SIDE: usize = 512;
const RATIO: usize = 4;
const BANDS: usize = 4;
/// Seconds for a pair.
const GOAL: f64 = 0.3;
/// Runs, of which the fastest counts.
const RUNS: usize = 5;

struct Pair {
    name: String,
    pan: PathBuf,
    ms: PathBuf,
}

pub fn run(swgg: &Path, data: Option<&Path>) -> Outcome<Value> {
    let pairs = match data {
        Some(directory) => {
            println!(
                "Satellite pairs of the paper, {SIDE} x {SIDE} x {BANDS}, 16 bit; best of {RUNS} runs.\n"
            );
            let place = |name: &str, kind: &str| {
                directory.join("images/pansharpening").join(format!("{name}_{kind}.tif"))
            };
            let pair =
                |name: &str| Pair { name: name.into(), pan: place(name, "PAN"), ms: place(name, "MS") };
            PAIRS.map(pair).into_iter().collect()
        }
        None => {
            println!("Scenes drawn here (--data DIR measures those of the paper), best of {RUNS} runs.\n");
            [1, 2, 3].into_iter().map(draw).collect::<Outcome<Vec<_>>>()?
        }
    };
    let mut rows = Vec::new();
    println!("| pair | method | ERGAS | SAM deg | UIQI | seconds | goal |");
    println!("|---|---|---|---|---|---|---|");
    for pair in &pairs {
        rows.extend(measure(swgg, pair)?);
    }
    println!();
    for pair in &pairs {
        let ergas = |method: &str| {
            let row = rows.iter().find(|row| row["pair"] == pair.name.as_str() && row["method"] == method);
            row.ok_or_else(|| format!("{method} was not measured")).and_then(|row| number(row, "ergas"))
        };
        let (ours, plain) = (ergas("transport")?, ergas("upsample")?);
        let verdict = if ours < plain { "better than" } else { "NOT better than" };
        println!("{}: ERGAS {ours:.3}, {verdict} plain upsampling ({plain:.3})", pair.name);
    }
    Ok(json!({ "drawn": data.is_none(), "rows": rows }))
}

/// One row per method.
fn measure(swgg: &Path, pair: &Pair) -> Outcome<Vec<Value>> {
    let scored = sharpen(swgg, pair, "transport", true)?;
    let Value::Array(scores) = &scored["scores"] else {
        return Err(format!("no scores in {scored}"));
    };
    let mut rows = Vec::new();
    for score in scores {
        let method = score["method"].as_str().ok_or("a score without method")?;
        let mut seconds = f64::INFINITY;
        for _ in 0..RUNS {
            let report = sharpen(swgg, pair, method, false)?;
            let parts = ["read", "fuse", "write"].map(|part| number(&report["seconds"], part));
            seconds = seconds.min(parts.into_iter().sum::<Outcome<f64>>()?);
        }
        let (ergas, sam, uiqi) =
            (number(score, "ergas")?, number(score, "sam_degrees")?, number(score, "uiqi")?);
        let goal = if method == "transport" { GOAL.to_string() } else { String::new() };
        println!("| {} | {method} | {ergas:.3} | {sam:.3} | {uiqi:.4} | {seconds:.3} | {goal} |", pair.name);
        rows.push(json!({
            "pair": pair.name, "method": method, "ergas": ergas, "sam_degrees": sam, "uiqi": uiqi, "seconds": seconds,
        }));
    }
    Ok(rows)
}

fn sharpen(swgg: &Path, pair: &Pair, method: &str, score: bool) -> Outcome<Value> {
    let mut command = Command::new(swgg);
    command.arg("pansharpen").args([&pair.pan, &pair.ms]).arg(scenes()?.join("fused.tif"));
    command.args(["--method", method, "--json"]);
    if score {
        command.arg("--score");
    }
    serde_json::from_str(&output(&mut command)?).map_err(|error| error.to_string())
}

fn scenes() -> Outcome<PathBuf> {
    let directory = root().join("target/bench/scenes");
    std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}

/// Fields and roofs: rectangles of random colors with texture, seen sharp in gray and coarse in four bands.
fn draw(seed: u64) -> Outcome<Pair> {
    let mut state = seed;
    let mut random = || {
        // SplitMix64 (G. Steele, D. Lea and C. Flood, 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    };
    let mut truth = vec![[300.0; BANDS]; SIDE * SIDE];
    for _ in 0..1500 {
        let size = 4.0 + 60.0 * random().powi(3);
        let (top, left) = ((random() * SIDE as f64) as usize, (random() * SIDE as f64) as usize);
        let (high, wide) = ((size * (0.5 + random())) as usize, (size * (0.5 + random())) as usize);
        let light = 150.0 + 700.0 * random();
        let color: [f64; BANDS] = std::array::from_fn(|_| light * (0.7 + 0.6 * random()));
        for i in top..(top + high).min(SIDE) {
            for j in left..(left + wide).min(SIDE) {
                truth[i * SIDE + j] = color;
            }
        }
    }
    for pixel in &mut truth {
        let texture = 0.95 + 0.1 * random();
        pixel.iter_mut().for_each(|x| *x *= texture);
    }
    let pan: Vec<u16> =
        truth.iter().map(|x| (0.1 * x[0] + 0.35 * x[1] + 0.35 * x[2] + 0.2 * x[3]) as u16).collect();
    let coarse = SIDE / RATIO;
    let mut ms = Vec::with_capacity(coarse * coarse * BANDS);
    for block in 0..coarse * coarse {
        let (top, left) = (block / coarse * RATIO, block % coarse * RATIO);
        for band in 0..BANDS {
            let fine = (0..RATIO * RATIO).map(|k| truth[(top + k / RATIO) * SIDE + left + k % RATIO][band]);
            ms.push((fine.sum::<f64>() / (RATIO * RATIO) as f64) as u16);
        }
    }
    let place = |kind: &str| Ok::<_, String>(scenes()?.join(format!("drawn_{seed}_{kind}.tif")));
    let pair = Pair { name: format!("drawn {seed}"), pan: place("PAN")?, ms: place("MS")? };
    tiff::write(&pair.pan, 1, SIDE, SIDE, &pan)?;
    tiff::write(&pair.ms, BANDS, coarse, coarse, &ms)?;
    Ok(pair)
}
