//! The cases: which clouds, which methods, how many runs.

use std::io::IsTerminal;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use swgg::ndarray::Array2;
use swgg::{Measure, Parallelism};
use swgg_apps::registration::{
    Group, Matching, Motion, Overlap, PoseError, Settings, Start, align, diameter, sinkhorn_divergence,
    square_chamfer, square_frobenius,
};

use super::Outcome;
use super::clouds::{Clouds, halve, move_away, random_motion};
use super::cuts::{CutPair, cut_both};

/// As many as the peers get.
const THREADS: Parallelism = Parallelism::Threads(NonZero::new(2).unwrap());
/// Points of each cloud that the Sinkhorn divergence looks at, and seeds for which it does: it takes longer than most runs.
const SAMPLE: usize = 3000;
const SCORED: u64 = 5;
/// Lines of the paper's min-SWGG.
const LINES: usize = 100;
/// Random poses the scans are brought back from, and runs of the LiDAR pair.
const POSES: u64 = 20;
const REPEATS: u64 = 5;
/// The first seed of clouds that are both cut, and seeds of a shape at most: seeds from 0 on were looked at while the search was made.
const FIRST_CUT: u64 = 100;
const CUTS: u64 = 20;

/// A case by its name: its clouds and its runs.
pub fn run(case: &str, seeds: u64, directory: Option<&Path>) -> Outcome<Value> {
    let clouds = Clouds(directory);
    let few = |most: u64| seeds.min(most);
    match case {
        "letter" => paper(&clouds.get("letter", 2)?, (50, 1e-4), [seeds, seeds, seeds, seeds]),
        // Exact transport takes seconds a run.
        "mumble" => paper(&clouds.get("mumble", 3)?, (100, 1e-2), [seeds, few(10), seeds, seeds]),
        "dragon" => paper(&clouds.get("dragon", 3)?, (200, 1e-2), [few(3), 0, few(3), seeds]),
        "cut" => partial(&clouds.get("whole", 3)?, |_| clouds.get("cut", 3), seeds),
        "half" => {
            let whole = clouds.get("whole", 3)?;
            partial(&whole, |seed| Ok(halve(whole.view(), seed)), seeds)
        }
        "both" => both(&clouds, seeds),
        "scans" => scans(&clouds),
        "lidar" => lidar(&clouds),
        _ => Err(format!("no case is called `{case}`").into()),
    }
}

/// The paper's table: every method from the same pairs. Stops are the paper's most steps and its least change.
pub fn paper(cloud: &Array2<f64>, (max_steps, change): (usize, f64), seeds: [u64; 4]) -> Outcome<Value> {
    let target = Measure::from_array(cloud.clone())?;
    // The paper ends at |Omega - I|_F + |t| <= change. A turn with |Omega - I|_F = change moves points by change / sqrt(d) of the size
    // of the cloud, root mean square, and that is what a tolerance of ours is a limit to.
    let tolerance = change / (cloud.ncols() as f64).sqrt();
    let theirs = |matching| Settings {
        start: Start::At(Motion::identity(cloud.ncols())),
        matching,
        max_steps,
        tolerance,
        ..Default::default()
    };
    let methods = [
        ("nearest neighbours", theirs(Matching::Nearest)),
        ("exact transport", theirs(Matching::Exact)),
        ("min-SWGG", theirs(Matching::MinSwgg(LINES))),
        ("swgg", Settings::default()),
    ];
    let mut rows = Vec::new();
    for ((name, settings), seeds) in methods.into_iter().zip(seeds) {
        let settings = Settings { group: Group::Orthogonal, parallelism: THREADS, ..settings };
        let mut runs = Vec::new();
        for seed in 0..seeds {
            let pair = move_away(cloud.view(), settings.group, seed)?;
            let settings = Settings { seed, ..settings.clone() };
            runs.push(measure(pair.source, &target, &pair.truth, &settings, true)?);
            tell(name, seed + 1, seeds);
        }
        rows.push(json!({ "method": name, "runs": runs }));
    }
    Ok(json!({ "points": cloud.nrows(), "diameter": diameter(&target), "methods": rows }))
}

/// The whole, moved away, onto a part of it; nobody says how much of it.
fn partial(whole: &Array2<f64>, part: impl Fn(u64) -> Outcome<Array2<f64>>, seeds: u64) -> Outcome<Value> {
    let settings = Settings {
        group: Group::Orthogonal,
        overlap: Overlap::Auto,
        parallelism: THREADS,
        ..Default::default()
    };
    let mut runs = Vec::new();
    for seed in 0..seeds {
        let pair = move_away(whole.view(), settings.group, seed)?;
        let target = Measure::from_array(part(seed)?)?;
        let settings = Settings { seed, ..settings.clone() };
        runs.push(measure(pair.source, &target, &pair.truth, &settings, false)?);
        tell("swgg", seed + 1, seeds);
    }
    Ok(json!({ "points": whole.nrows(), "methods": [{ "method": "swgg", "runs": runs }] }))
}

/// Two clouds that are both cut: about half of each lies in the other one. The share is given, or nobody says it.
fn both(clouds: &Clouds, seeds: u64) -> Outcome<Value> {
    let files: &[&str] = if clouds.0.is_some() { &["whole", "dragon"] } else { &[] };
    let (first, count) = (FIRST_CUT, seeds.min(CUTS));
    let mut rows = Vec::new();
    for shape in ["tube", "helix", "blob", "land"].iter().chain(files) {
        for (word, overlap) in [("0.5", Overlap::Share(0.5)), ("auto", Overlap::Auto)] {
            let settings = Settings { overlap, parallelism: THREADS, ..Default::default() };
            let mut runs = Vec::new();
            for seed in first..first + count {
                let CutPair { source, target, truth } = cut_both(clouds, shape, seed)?;
                let settings = Settings { seed, ..settings.clone() };
                let target = Measure::from_array(target)?;
                runs.push(measure(source, &target, &truth, &settings, false)?);
                tell(shape, seed + 1 - first, count);
            }
            rows.push(json!({ "method": shape, "overlap": word, "runs": runs }));
        }
    }
    Ok(json!({ "methods": rows }))
}

/// Two real views of one thing: from where the scanner left them, and from anywhere.
fn scans(clouds: &Clouds) -> Outcome<Value> {
    let (source, target) = (clouds.get("scan_24", 3)?, Measure::from_array(clouds.get("scan_0", 3)?)?);
    let truth = clouds.truth("scans_truth")?;
    let settings = Settings { overlap: Overlap::Auto, parallelism: THREADS, ..Default::default() };
    let here = Settings { start: Start::At(Motion::identity(3)), ..settings.clone() };
    let identity = measure(source.clone(), &target, &truth, &here, false)?;
    let mut runs = Vec::new();
    for seed in 0..POSES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let away = random_motion(3, Group::Rigid, diameter(&target), &mut rng)?;
        let truth = away.inverse().then(&truth);
        let settings = Settings { seed, ..settings.clone() };
        runs.push(measure(away.apply(source.view()), &target, &truth, &settings, false)?);
        tell("anywhere", seed + 1, POSES);
    }
    let methods =
        json!([{ "method": "identity", "runs": [identity] }, { "method": "anywhere", "runs": runs }]);
    Ok(json!({ "points": source.nrows(), "methods": methods }))
}

/// The LiDAR pair from where it is, some times over.
fn lidar(clouds: &Clouds) -> Outcome<Value> {
    let (source, target) =
        (clouds.get("lidar_source", 3)?, Measure::from_array(clouds.get("lidar_target", 3)?)?);
    let truth = clouds.truth("lidar_truth")?;
    let settings = Settings {
        start: Start::At(Motion::identity(3)),
        overlap: Overlap::Auto,
        parallelism: THREADS,
        ..Default::default()
    };
    let again = |_| measure(source.clone(), &target, &truth, &settings, false);
    let runs: Vec<Value> = (0..REPEATS).map(again).collect::<Outcome<_>>()?;
    Ok(json!({ "points": source.nrows(), "methods": [{ "method": "swgg", "runs": runs }] }))
}

/// How far it is, for people who wait.
fn tell(what: &str, done: u64, all: u64) {
    if std::io::stderr().is_terminal() {
        eprint!("\r{what}: {done} of {all} {}", if done == all { "\n" } else { "" });
    }
}

/// One run and what came out, with the scores of the paper if asked for.
fn measure(
    points: Array2<f64>,
    target: &Measure<f64>,
    truth: &Motion,
    settings: &Settings,
    is_scored: bool,
) -> Outcome<Value> {
    let source = Measure::from_view(points.view())?;
    let clock = Instant::now();
    let found = align(&source, target, settings)?;
    let seconds = clock.elapsed().as_secs_f64();
    let error = PoseError::between(&found.motion, truth);
    let mut run = json!({
        "seed": settings.seed, "seconds": seconds, "steps": found.steps.len(), "stop": found.stop.name(),
        "confidence": found.confidence.name(), "overlap": found.overlap,
        "degrees": error.degrees, "shift": error.shift, "recovered": error.is_recovered(diameter(&source)),
        "frobenius": square_frobenius(&found.motion, truth),
    });
    if is_scored {
        let moved = Measure::from_array(found.motion.apply(points.view()))?;
        run["chamfer"] = square_chamfer(&moved, target, THREADS)?.mean.into();
        if settings.seed < SCORED || source.len() <= 1000 {
            run["divergence"] = sinkhorn_divergence(&moved, target, SAMPLE, THREADS)?.into();
        }
    }
    Ok(run)
}
