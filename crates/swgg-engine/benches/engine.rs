//! `cargo xtask bench engine`: plans of tables beside plans in memory, and growth with the number of points.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "engine/auto.rs"]
mod auto;
#[path = "../tests/all/entries.rs"]
mod entries;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use arrow::array::{ArrayRef, Float32Array, Float64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use swgg::Measure;
use swgg::line::Direction;
use swgg::paper::{swgg_cost, swgg_coupling};
use swgg_engine::{Meter, Reading, Request, solve};

use self::entries::entries;

const THETA: [f64; 3] = [0.5, -0.7, 0.3];
/// Rows of a row group.
const GROUP: usize = 1 << 20;

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let folder = PathBuf::from(words.next().unwrap());
    let words: Vec<String> = words.collect();
    fs::create_dir_all(&folder).unwrap();
    let asked = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if asked("equal") {
        equal(&folder);
    }
    if words.iter().any(|word| word == "auto") {
        auto::run(&folder, &words);
    }
    if asked("scale") {
        let sizes: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
        scale(&folder, if sizes.is_empty() { &[1_000_000, 4_000_000, 16_000_000] } else { &sizes });
    }
}

/// Numbers that look random, each by its place alone.
fn draw(seed: u64, place: u64) -> f32 {
    let mut x = (place ^ seed << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x >> 40) as f64 / (1_u64 << 24) as f64) as f32
}

fn weight(seed: u64, row: u64) -> f64 {
    f64::from(draw(seed + 50, row)) * f64::from(draw(seed + 60, row))
}

/// A table of points in the cube.
fn write(folder: &Path, n: usize, seed: u64, weighted: bool) -> String {
    write_points(folder, n, |place| draw(seed, place), weighted.then_some(seed))
}

/// A table of points whose coordinates are known by their places, a file per 16 row groups.
fn write_points(folder: &Path, n: usize, at: impl Fn(u64) -> f32, weighted: Option<u64>) -> String {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    let mut writer: Option<ArrowWriter<File>> = None;
    for (group, first) in (0..n).step_by(GROUP).enumerate() {
        let rows = first as u64..(first + GROUP).min(n) as u64;
        let mut columns: Vec<(String, ArrayRef)> = (0..3_u64)
            .map(|axis| {
                let values = rows.clone().map(|row| at(3 * row + axis));
                (format!("x{axis}"), Arc::new(Float32Array::from_iter_values(values)) as ArrayRef)
            })
            .collect();
        if let Some(seed) = weighted {
            let weights = Float64Array::from_iter_values(rows.map(|row| weight(seed, row)));
            columns.push(("w".to_string(), Arc::new(weights)));
        }
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        if group % 16 == 0 {
            if let Some(writer) = writer.take() {
                writer.close().unwrap();
            }
            let file = File::create(folder.join(format!("{:03}.parquet", group / 16))).unwrap();
            writer = Some(ArrowWriter::try_new(file, batch.schema(), None).unwrap());
        }
        writer.as_mut().unwrap().write(&batch).unwrap();
    }
    writer.unwrap().close().unwrap();
    folder.display().to_string()
}

fn measure(n: usize, seed: u64, weighted: bool) -> Measure<'static, f32> {
    let measure = Measure::from_vec((0..3 * n as u64).map(|place| draw(seed, place)).collect(), 3).unwrap();
    if !weighted {
        return measure;
    }
    measure.with_weights(&(0..n as u64).map(|row| weight(seed, row)).collect::<Vec<_>>()).unwrap()
}

fn equal(folder: &Path) {
    println!("Plans of 2 000 000 points (d = 3, f32) beside the plan in memory at the same direction.\n");
    println!("| tables | partitions | memory MB | entries | plan | cost differs by | spilled MB | s |");
    println!("|---|---|---|---|---|---|---|---|");
    let n = 2_000_000;
    for (name, m, weighted) in [
        ("uniform, n = m", n, false),
        ("uniform, n != m", 1_500_000, false),
        ("weighted, n != m", 1_500_000, true),
    ] {
        let paths = [write(&folder.join("a"), n, 1, weighted), write(&folder.join("b"), m, 2, weighted)];
        let (mu, nu) = (measure(n, 1, weighted), measure(m, 2, weighted));
        let theta = Direction::new(&THETA).unwrap();
        let coupling = swgg_coupling(&mu, &nu, &theta).unwrap();
        let mut plan: Vec<_> =
            coupling.entries().map(|(i, j, mass)| (i as u64, j as u64, mass.to_bits())).collect();
        plan.sort_unstable();
        let cost = swgg_cost(&mu, &nu, &theta).unwrap();
        for (threads, megabytes) in [(1, 200), (2, 200), (7, 200), (1, 4000), (2, 4000), (7, 4000)] {
            let out = folder.join("plan");
            let _ = fs::remove_dir_all(&out);
            let reading = Reading { weights: weighted.then(|| "w".to_string()), ..Reading::default() };
            let request = Request {
                readings: [reading.clone(), reading],
                direction: Some(THETA.to_vec()),
                threads,
                memory: megabytes * 1_000_000,
                plan: Some(out.clone()),
                ..Request::new(&paths[0], &paths[1])
            };
            let started = Instant::now();
            let solved = solve(&request, &Arc::new(Meter::default())).unwrap();
            let seconds = started.elapsed().as_secs_f64();
            let same = if entries(&out) == plan { "equal" } else { "DIFFERENT" };
            println!(
                "| {name} | {threads} | {megabytes} | {} | {same} | {:.1e} | {:.0} | {seconds:.2} |",
                solved.entries,
                (solved.cost - cost).abs() / cost,
                solved.spilled as f64 / 1e6
            );
        }
    }
    println!();
}

fn scale(folder: &Path, sizes: &[usize]) {
    println!("A given direction, d = 3, f32, --memory 2GB, two partitions, plan written.\n");
    println!("| n | s to cut | s to solve | spilled GB | peak MB | ns per point and log2 n |");
    println!("|---|---|---|---|---|---|");
    for &n in sizes {
        let paths = [write(&folder.join("a"), n, 1, false), write(&folder.join("b"), n, 2, false)];
        let out = folder.join("plan");
        let _ = fs::remove_dir_all(&out);
        let request = Request {
            direction: Some(THETA.to_vec()),
            threads: 2,
            memory: 2_000_000_000,
            plan: Some(out),
            ..Request::new(&paths[0], &paths[1])
        };
        // Forgets the highest memory so far, where the system can.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let solved = solve(&request, &Arc::new(Meter::default())).unwrap();
        let work = n as f64 * (n as f64).log2();
        println!(
            "| {n} | {:.1} | {:.1} | {:.2} | {} | {:.2} |",
            solved.seconds_to_cut,
            solved.seconds_to_solve,
            solved.spilled as f64 / 1e9,
            peak().map_or_else(|| "?".to_string(), |megabytes| megabytes.to_string()),
            1e9 * (solved.seconds_to_cut + solved.seconds_to_solve) / work
        );
        for part in ["a", "b", "plan"] {
            let _ = fs::remove_dir_all(folder.join(part));
        }
    }
}

/// The most megabytes that this process has held since they were forgotten.
fn peak() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024 / 1_000_000)
}
