//! `swgg flow`: what it writes, what it says, what it refuses.

use crate::bytes::{npy64, scattered};
use crate::scene::Scene;

fn clouds() -> Scene {
    Scene::new().with("a.npy", scattered(30, 1)).with("b.npy", scattered(20, 2))
}

#[test]
fn clouds_and_story_are_written() {
    let scene = clouds();
    let found = scene
        .json("flow a.npy b.npy --loss sw --steps 10 --every 4 --exact-every 5 --out way --picture way.svg");
    let names = ["step_00.csv", "step_04.csv", "step_08.csv", "step_10.csv", "story.csv"];
    assert_eq!(scene.names("way"), names);
    let files: Vec<&str> =
        found["files"].as_array().unwrap().iter().filter_map(|file| file.as_str()).collect();
    assert_eq!(files, names.map(|name| format!("way/{name}")));
    // The first cloud is the source, and points only move by about the rate.
    let (before, after) = (scene.points("a.npy"), scene.points("way/step_10.csv"));
    assert_eq!(scene.points("way/step_00.csv"), before);
    let moves = before.iter().flatten().zip(after.iter().flatten()).map(|(x, y)| (x - y).abs());
    assert!(moves.clone().all(|by| by < 0.06) && moves.clone().any(|by| by > 0.01));
    let story = scene.text("way/story.csv");
    let rows: Vec<Vec<&str>> = story.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].join(",")), (12, "step,loss,distance".to_string()));
    let judged: Vec<&str> = rows[1..].iter().filter(|row| !row[2].is_empty()).map(|row| row[0]).collect();
    assert_eq!(judged, ["0", "5", "10"]);
    assert_eq!(rows[11][1].parse::<f64>().unwrap(), found["losses"][10].as_f64().unwrap());
    assert_eq!(found["cost"], found["losses"][10]);
    let picture = scene.text("way.svg");
    assert!(
        picture.starts_with("<svg") && picture.contains("30 particles towards 20 points"),
        "{picture:.200}"
    );
    // Particles are where they were, whatever the format.
    scene.works("flow a.npy b.npy --loss sw --steps 10 --out others --format npy -q");
    assert_eq!(scene.points("others/step_10.npy"), after);
}

#[test]
fn a_shift_is_followed_to_the_end() {
    let scene = Scene::new();
    for loss in ["min-swgg", "sw", "max-sw", "pwd", "auto", "sinkhorn"] {
        let found = scene.json(&format!("flow source.csv target.csv --loss {loss} --steps 1500 --rate 0.01"));
        let distance = |k: usize| found["distances"][k].as_f64().unwrap();
        assert!((distance(0) - 5.0).abs() < 1e-9 && distance(1500) < 0.5, "{loss}: {}", distance(1500));
        assert_eq!((found["loss"].as_str(), found["steps"].as_u64()), (Some(loss), Some(1500)));
    }
}

#[test]
fn pictures_of_every_dimension() {
    let scene = Scene::new();
    for d in [1, 2, 3] {
        let points: Vec<f64> = (0..10 * d).map(|k| f64::from(k * k % 17)).collect();
        let scene_of = Scene::new().with("x.npy", npy64(d as usize, &points));
        scene_of.works("flow x.npy x.npy --steps 3 --picture one.svg -q");
        scene_of.works("flow x.npy x.npy --steps 3 --loss sw --picture two.png -q");
        assert!(scene_of.text("one.svg").contains("10 particles"));
    }
    scene.works("flow source.csv target.csv --loss auto --steps 5 --picture end.png -q");
    assert!(std::fs::read(scene.path("end.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn flags_of_others_are_refused() {
    let scene = clouds();
    let refuses = |flags: &str, message: &str| scene.refuses(&format!("flow a.npy b.npy {flags}"), message);
    refuses("--steps 0", "found 0 steps; give at least 1 (--steps)");
    refuses("--rate 0", "found a rate of 0; give a finite number above 0 (--rate)");
    refuses("--rate -1", "found a rate of -1; give a finite number above 0 (--rate)");
    refuses("--rate nan", "found a rate of NaN; give a finite number above 0 (--rate)");
    refuses("--every 0 --out new", "found 0 steps between clouds; give at least 1 (--every)");
    refuses(
        "--loss sw --search random",
        "--search is not a setting of --loss sw; leave it out, or use --loss min-swgg",
    );
    refuses(
        "--loss pwd --iterations 5",
        "--iterations is not a setting of --loss pwd; leave it out, or use --loss min-swgg|max-sw",
    );
    refuses("--effort 3", "--effort is not a setting of --loss min-swgg; leave it out, or use --loss auto");
    refuses(
        "--loss sw --relative-epsilon 0.1",
        "--relative-epsilon is not a setting of --loss sw; leave it out, or use --loss sinkhorn",
    );
    refuses(
        "--loss auto --cold",
        "--cold is not a setting of --loss auto; leave it out, or use --loss min-swgg|max-sw",
    );
    refuses(
        "--search random --pairs 3",
        "--pairs is not a setting of --search random; leave it out, or use --search stein",
    );
    refuses("--picture new.txt", "--picture new.txt must end in .svg or .png; rename it");
    refuses("--picture a.npy", "--picture a.npy must end in .svg or .png; rename it");
    refuses(
        "--loss auto --optimizer sgd --rate 1e90 --out new",
        &format!(
            "the particles left all bounds at step 2 with a rate of {}; give a smaller one (--rate)",
            1e90
        ),
    );
    let ran = scene.run("flow a.npy b.npy --loss w1");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let names = "[possible values: min-swgg, sw, max-sw, pwd, auto, sinkhorn]";
    assert!(ran.stderr.contains(names), "{}", ran.stderr);
}
