//! `auto`: cells and passes beside the whole clouds in memory, at the same effort.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use swgg::{Auto, Measure, Question, Run, Solver};
use swgg_engine::{Meter, Method, Request, solve};

use super::{draw, peak, write_points};

const KINDS: [&str; 4] = ["gauss", "same", "shape", "mix"];
/// Parts of a mixture.
const PARTS: u64 = 10;

/// A standard normal number, by its place (Box and Muller).
fn normal(seed: u64, place: u64) -> f64 {
    let (u, v) = (f64::from(draw(seed, 2 * place)), f64::from(draw(seed, 2 * place + 1)));
    (-2.0 * (u + 1e-8).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Points of one side, three coordinates each: two Gaussians, two samples of the cube, a sphere and a cube, two mixtures.
fn points(kind: &str, side: u64, n: usize) -> Vec<f32> {
    let seed = 10 * (side + 1);
    let row = |row: u64| -> [f64; 3] {
        let noise = [0, 1, 2].map(|axis| normal(seed, 3 * row + axis));
        let cube = || [0, 1, 2].map(|axis| f64::from(draw(seed, 3 * row + axis)));
        match kind {
            "gauss" => [0, 1, 2].map(|i: usize| {
                let mix = |j: usize| normal(seed + 1, (3 * i + j) as u64) + if i == j { 1.0 } else { 0.0 };
                2.0 * side as f64 + (0..3).map(|j| mix(j) * noise[j]).sum::<f64>()
            }),
            "shape" if side == 0 => {
                let length = noise.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-12);
                noise.map(|x| x / length)
            }
            "shape" => cube().map(|x| 2.0 * x - 1.0),
            "mix" => {
                let part = (f64::from(draw(seed + 2, row)) * PARTS as f64) as u64;
                [0, 1, 2].map(|axis: usize| 4.0 * normal(seed + 3, 3 * part + axis as u64) + noise[axis])
            }
            _ => cube(),
        }
    };
    (0..n as u64).flat_map(row).map(|x| x as f32).collect()
}

fn number(words: &[String], name: &str) -> Option<usize> {
    words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

pub fn run(folder: &Path, words: &[String]) {
    let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![400_000, 2_000_000] } else { sizes };
    let effort = number(words, "effort").unwrap_or(3) as u8;
    let passes = number(words, "passes").unwrap_or(Method::PASSES);
    let megabytes = number(words, "memory").unwrap_or(2_000);
    let cells = number(words, "cells");
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| words.iter().any(|word| word == kind)).collect();
    let kinds = if kinds.is_empty() { KINDS.to_vec() } else { kinds };
    println!(
        "auto at effort {effort}, d = 3, f32, --memory {megabytes}MB, two threads, against the whole clouds in memory.\n"
    );
    println!(
        "| clouds | n | cells | cost in memory | after each pass | bound | s in memory | s to cut | s to solve | peak MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for &n in &sizes {
        for kind in &kinds {
            let table = |side: u64| {
                let points = points(kind, side, n);
                write_points(&folder.join(format!("side{side}")), n, |place| points[place as usize], None)
            };
            let paths = [table(0), table(1)];
            let out = folder.join("plan");
            let _ = fs::remove_dir_all(&out);
            let request = Request {
                method: Method::Auto { effort, passes },
                threads: 2,
                memory: megabytes * 1_000_000,
                cells,
                plan: Some(out),
                ..Request::new(&paths[0], &paths[1])
            };
            // Forgets the highest memory so far, where the system can.
            let _ = fs::write("/proc/self/clear_refs", "5");
            let solved = solve(&request, &Arc::new(Meter::default())).unwrap();
            let highest = peak().map_or_else(|| "?".to_string(), |megabytes| megabytes.to_string());
            let [mu, nu] = [0, 1].map(|side| Measure::from_vec(points(kind, side, n), 3).unwrap());
            let question = Question::new(&mu, &nu).unwrap();
            let started = Instant::now();
            let mut run = Run::on_threads(2).without_bounds();
            let memory = Auto { effort }.answer(&question, &mut run).unwrap().cost;
            let seconds = started.elapsed().as_secs_f64();
            let passes: Vec<String> = solved
                .passes
                .iter()
                .map(|pass| format!("{:+.3} %", 100.0 * (pass.cost / memory - 1.0)))
                .collect();
            println!(
                "| {kind} | {n} | {} | {memory:.6} | {} | {:.6} | {seconds:.1} | {:.1} | {:.1} | {highest} |",
                solved.passes[0].cells,
                passes.join(", "),
                solved.lower_bound(),
                solved.seconds_to_cut,
                solved.seconds_to_solve,
            );
            for part in ["side0", "side1", "plan"] {
                let _ = fs::remove_dir_all(folder.join(part));
            }
        }
    }
    println!();
}
