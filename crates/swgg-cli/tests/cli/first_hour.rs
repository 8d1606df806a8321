//! What a new user stumbled over, each mended once and kept.

use std::fs;

use crate::bytes::{npy, npy64};
use crate::scene::{Ran, Scene};

#[track_caller]
fn says(ran: &Ran, code: i32, words: &[&str]) {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word) || ran.stdout.contains(word), "{word:?} is missing: {ran:?}");
    }
    assert!(!ran.stderr.contains("panicked") && !ran.stderr.contains("bug in swgg"), "{ran:?}");
}

/// Points that look random, rows of `d`.
fn points(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Sums of twelve are Gaussian enough.
    (0..n * d).map(|_| (0..12).map(|_| uniform()).sum::<f64>() - 6.0).collect()
}

#[test]
fn long_points_are_refused_or_solved_never_an_abort() {
    // Two points of 200 000 coordinates: anything of d x d would be 320 GB.
    const D: usize = 200_000;
    let data: Vec<u8> = (0..2 * D).flat_map(|k| (k as f32 * 0.5).sin().to_le_bytes()).collect();
    let wide = npy("<f4", &format!("(2, {D})"), &data);
    let scene = Scene::new().with("a.npy", &wide).with("b.npy", &wide);
    for line in [
        "register a.npy b.npy",
        "register a.npy b.npy --start identity",
        "solve a.npy b.npy --cost mahalanobis",
        "solve a.npy b.npy --method subspace-detour --dimension 100000",
    ] {
        let ran = scene.run(line);
        says(&ran, 2, &["error: "]);
    }
    for line in ["solve a.npy b.npy --method gaussian", "solve a.npy b.npy", "distance a.npy b.npy --kind sw"]
    {
        says(&scene.run(line), 0, &[]);
    }
}

#[test]
fn more_columns_than_info_lists_are_refused() {
    let data = vec![0_u8; 4 * 1_000_001];
    let scene = Scene::new().with("a.npy", npy("<f4", "(1, 1000001)", &data));
    says(&scene.run("info a.npy"), 2, &["a.npy: 1 rows of 1 000 001 columns", "--columns 0-11"]);
    says(&scene.run("info a.npy --columns 0-11"), 0, &["dimension 12"]);
}

#[test]
fn memory_that_runs_out_is_a_sentence_with_exit_2() {
    let mut command = std::process::Command::new("sh");
    let scene = Scene::new()
        .with("a.npy", npy64(3, &points(4000, 3, 1)))
        .with("b.npy", npy64(3, &points(4000, 3, 2)));
    let program = scene.command("solve a.npy b.npy --method sinkhorn --threads 1 --plan out.npz");
    command.arg("-c").arg("ulimit -v 90000 && exec \"$0\" \"$@\"").arg(program.get_program());
    command.args(program.get_args()).current_dir(scene.path(""));
    let ran = Ran::of(command);
    says(&ran, 2, &["error: "]);
    assert!(
        scene.names("").iter().all(|name| !name.contains("tmp") && name != "out.npz"),
        "{:?}",
        scene.names("")
    );
}

#[test]
fn clouds_in_place_stay_there_however_round_they_are() {
    let (source, noise) = (points(2000, 3, 1), points(2000, 3, 2));
    let moved: Vec<f64> = source.iter().zip(&noise).map(|(x, e)| x + 1e-4 * e).collect();
    let scene = Scene::new().with("a.npy", npy64(3, &source)).with("b.npy", npy64(3, &moved));
    let record = scene.json("register a.npy b.npy");
    assert!(record["rms"].as_f64().unwrap() < 3e-4, "{record}");
    for (i, row) in record["rotation"].as_array().unwrap().iter().enumerate() {
        for (j, value) in row.as_array().unwrap().iter().enumerate() {
            let expected = f64::from(u8::from(i == j));
            assert!((value.as_f64().unwrap() - expected).abs() < 1e-4, "{record}");
        }
    }
}

#[test]
fn tiny_and_huge_clouds_are_registered_as_others_are() {
    let source = points(300, 3, 5);
    for scale in [1e-300, 1e-200, 1e130] {
        // A quarter turn and a shift, in units of the cloud.
        let turned = |row: &[f64]| [2.0 - row[1], row[0] + 1.0, row[2]].map(|x| scale * x);
        let target: Vec<f64> = source.chunks(3).flat_map(turned).collect();
        let small: Vec<f64> = source.iter().map(|x| scale * x).collect();
        let scene = Scene::new().with("a.npy", npy64(3, &small)).with("b.npy", npy64(3, &target));
        let record = scene.json("register a.npy b.npy");
        let at = |name: &str, i: usize| record[name][i].as_f64().unwrap();
        assert!((at("translation", 0) / scale - 2.0).abs() < 1e-6, "{scale:e}: {record}");
        assert!((record["rotation"][0][1].as_f64().unwrap() + 1.0).abs() < 1e-6, "{scale:e}: {record}");
    }
}

#[test]
fn register_names_what_its_files_may_be() {
    let scene = Scene::new();
    says(
        &scene.run("register source.csv target.csv --transform T.json"),
        2,
        &["must end in .txt, .csv or .npy"],
    );
    says(
        &scene.run("register source.csv target.csv --start nope"),
        2,
        &["neither global nor identity", ".txt, .csv or .npy"],
    );
}

#[test]
fn a_part_that_is_taken_for_the_whole_is_told_of_overlap() {
    // Half of a helix-like curve against all of it.
    let whole: Vec<f64> = (0..600)
        .flat_map(|k| {
            let t = f64::from(k) / 40.0;
            [t.cos() * (1.0 + t / 5.0), t.sin() * (1.0 + t / 9.0), t * t / 20.0]
        })
        .collect();
    let other: Vec<f64> = points(150, 3, 9).iter().map(|x| 3.0 * x).collect();
    let scene = Scene::new().with("a.npy", npy64(3, &other)).with("b.npy", npy64(3, &whole));
    says(&scene.run("register a.npy b.npy"), 0, &["--overlap auto"]);
    let quiet = scene.run("register b.npy b.npy");
    assert!(!quiet.stdout.contains("--overlap auto"), "{}", quiet.stdout);
}

#[test]
fn slips_of_the_finger_get_a_hint() {
    let scene = Scene::new();
    says(&scene.run("solve source.csv target.csv --seed -1"), 2, &["a seed is a whole number from 0 to"]);
    says(&scene.run("register source.csv target.csv --seed x"), 2, &["a seed is a whole number from 0 to"]);
    says(&scene.run("solve source.csv target.csv --threads -1"), 2, &["0 stands for all threads"]);
    let ran = scene.run("solve source.csv target.csv --p 1e308");
    says(&ran, 2, &["to the power 1e308 overflow"]);
    assert!(ran.stderr.len() < 300, "{}", ran.stderr);
}

#[test]
fn exit_codes_are_in_the_help() {
    let scene = Scene::new();
    assert!(scene.works("--help").contains("Exit codes: 0 done, 1 stopped early, 2 failed, 130"));
    assert!(scene.works("help exit-codes").contains("130"));
}

#[test]
fn a_picture_of_many_points_stays_small() {
    let scene = Scene::new().with("a.npy", npy64(3, &points(20_000, 3, 1)));
    scene.works("register a.npy a.npy --picture out.svg");
    let size = fs::metadata(scene.path("out.svg")).unwrap().len();
    assert!(size < 2_500_000, "{size} bytes");
}

#[test]
fn a_time_limit_of_compare_holds() {
    let scene = Scene::new()
        .with("a.npy", npy64(6, &points(20_000, 6, 1)))
        .with("b.npy", npy64(6, &points(20_000, 6, 2)));
    // Estimates are for release builds: here methods begin that cannot end in time.
    let record = scene.run("compare a.npy b.npy --methods tree,merged,min-swgg --time-limit 2 --json");
    assert_eq!(record.code, Some(0), "{record:?}");
    let record = crate::scene::one_line(&record.stdout);
    for row in record["methods"].as_array().unwrap() {
        let seconds = row["seconds"].as_f64().unwrap();
        assert!(seconds < 2.0 + 3.0, "{}: {seconds} s of 2", row["method"]);
    }
}
