//! Saved plans: applied to new points, checked, described.

use std::fmt::Write as _;

use crate::bytes::scattered;
use crate::scene::Scene;

#[test]
fn a_plan_moves_the_source_to_its_map_and_others_the_same_way() {
    let scene = Scene::new().with("new.csv", "x,label,y\n0,a,0\n10,b,10\n2.1,c,-1\n");
    for plan in ["plan.csv", "plan.npz", "plan.parquet"] {
        scene.works(&format!("solve source.csv target.csv --plan {plan}"));
        scene.works(&format!("apply {plan} source.csv target.csv source.csv --out moved.csv"));
        assert_eq!(scene.points("moved.csv"), scene.points("target.csv"), "{plan}");
    }
    let said = scene.works("apply plan.csv source.csv target.csv new.csv --columns x,y --out new_moved.csv");
    assert!(said.starts_with("3 points in dimension 2 moved by a plan from 3 to 3\n"), "{said}");
    // Every way is (3, 4), and what the points carry stays with them.
    assert_eq!(scene.text("new_moved.csv"), "x,label,y\n3.0,a,4.0\n13.0,b,14.0\n5.1,c,3.0\n");
    scene.works("apply plan.csv source.csv target.csv new.csv --columns x,y --out to.csv --to-image");
    assert_eq!(scene.text("to.csv"), "x,label,y\n3.0,a,4.0\n4.0,b,4.5\n5.0,c,3.0\n");
    scene.works("apply plan.csv source.csv target.csv new.csv --columns x,y --out mean.csv --neighbors 3");
    assert_eq!(scene.text("mean.csv").lines().next(), Some("x,label,y"));
    let ran = scene.run("apply plan.csv source.csv target.csv source.csv --out - -q");
    assert_eq!(ran.stdout, "x,y\n3.0,4.0\n4.0,4.5\n5.0,3.0\n");
}

#[test]
fn plans_of_other_clouds_are_refused() {
    let scene = Scene::new().with("two.csv", "x,y\n0,0\n1,1\n").with("three_d.csv", "x,y,z\n0,0,0\n");
    scene.works("solve source.csv target.csv --plan plan.npz");
    scene.refuses(
        "check plan.npz two.csv target.csv",
        "plan.npz: the plan is between 3 and 3 points, the clouds have 2 and 3; name the clouds it was made of",
    );
    scene.refuses(
        "apply plan.npz source.csv target.csv three_d.csv --out out.csv",
        "three_d.csv has points in dimension 3, the plan moves points in dimension 2; pick the same columns (--columns)",
    );
    let other = scene.run("check source.csv source.csv target.csv");
    assert!(other.stderr.contains("is not a plan: it has no column \"source\""), "{other:?}");
}

#[test]
fn a_check_finds_what_is_wrong() {
    let scene = Scene::new();
    scene.works("solve source.csv target.csv --plan plan.csv");
    let good = scene.json("check plan.csv source.csv target.csv");
    assert_eq!(good["is_plan"].as_bool(), Some(true));
    assert!((good["cost"].as_f64().unwrap() - 25.0).abs() < 1e-9, "{good}");
    assert!(good["gap"].as_f64().unwrap() < 1e-6, "{good}");
    assert!(scene.works("check plan.csv source.csv target.csv").contains("quality"));
    // The last piece is lost: a plan of a part of the mass, and one whose first source gives too much.
    let text = scene.text("plan.csv");
    let lines: Vec<&str> = text.lines().collect();
    let scene =
        scene.with("part.csv", lines[..3].join("\n")).with("twice.csv", format!("{text}{}\n", lines[1]));
    let part = scene.run("check part.csv source.csv target.csv");
    assert_eq!(part.code, Some(1));
    assert!(part.stdout.contains("a plan of a part of the mass from 3 to 3"), "{part:?}");
    let twice = scene.run("check twice.csv source.csv target.csv");
    assert_eq!(twice.code, Some(1));
    assert!(twice.stdout.contains("NOT a plan"), "{twice:?}");
    assert!(twice.stdout.contains("source point 0 gives 0.666"), "{twice:?}");
}

#[test]
fn a_bad_plan_is_within_its_gap() {
    let mut plan = String::from("source,target,mass\n");
    (0..60).for_each(|k| writeln!(plan, "{k},{},{}", (k * 7) % 60, 1.0 / 60.0).unwrap());
    let scene =
        Scene::new().with("a.npy", scattered(60, 1)).with("b.npy", scattered(60, 2)).with("plan.csv", plan);
    let bad = scene.json("check plan.csv a.npy b.npy");
    let best = scene.json("solve a.npy b.npy");
    assert!(bad["is_plan"].as_bool().unwrap());
    assert!(bad["cost"].as_f64() > best["cost"].as_f64());
    assert!(bad["lower_bound"].as_f64().unwrap() <= best["cost"].as_f64().unwrap() * (1.0 + 1e-9));
    assert!(scene.json("check plan.csv a.npy b.npy --no-bounds")["lower_bound"].is_null());
}

#[test]
fn info_knows_plans_and_pictures() {
    let scene = Scene::new();
    scene.works("solve source.csv target.csv --plan plan.npz --picture p.png");
    let plan = scene.works("info plan.npz");
    assert!(plan.starts_with("plan.npz: a plan, npz, from 3 to 3 points\n"), "{plan}");
    assert!(plan.contains("swgg check plan.npz SOURCE TARGET"), "{plan}");
    let picture = scene.json("info p.png");
    assert!(picture["width"].as_u64().unwrap() > 100 && picture["bits"] == 8, "{picture}");
}
