//! `swgg register`: motions found, files written, and what is refused.

use serde_json::Value;
use swgg_io::{Format, ReadOptions, read_table};

use crate::Scene;
use crate::bytes::npy64;

/// A bent strip without symmetry, of points in three dimensions.
fn shape() -> Vec<[f64; 3]> {
    (0..150)
        .map(|i| {
            let (s, t) = (f64::from(i % 15) / 15.0, f64::from(i / 15) / 10.0);
            [4.0 * t + 0.3 * s * s, s + 0.5 * t * t * t, (2.0 * t).sin() * s + 0.2 * (5.0 * s).cos()]
        })
        .collect()
}

/// Turned by 120 degrees about the diagonal, and moved.
fn turned([x, y, z]: [f64; 3]) -> [f64; 3] {
    [z + 1.0, x - 2.0, y + 3.0]
}

fn csv(points: impl IntoIterator<Item = [f64; 3]>) -> String {
    let lines = points.into_iter().map(|[x, y, z]| format!("{x},{y},{z}\n"));
    format!("x,y,z\n{}", lines.collect::<String>())
}

/// The shape and the same turned.
fn scene() -> Scene {
    let turned: Vec<_> = shape().into_iter().map(turned).collect();
    Scene::clouds(&csv(shape()), &csv(turned))
}

#[track_caller]
fn check_matrix(found: &Value) {
    let expected = [[0., 0., 1., 1.], [1., 0., 0., -2.], [0., 1., 0., 3.], [0., 0., 0., 1.]];
    for (i, row) in expected.iter().enumerate() {
        for (j, expected) in row.iter().enumerate() {
            let found = found[i][j].as_f64().unwrap();
            assert!((found - expected).abs() < 1e-6, "row {i}, column {j}: {found}");
        }
    }
}

#[test]
fn a_turned_shape_is_found() {
    let record = scene().json("register source.csv target.csv --seed 3 --threads 1");
    check_matrix(&record["transform"]);
    let keys: Vec<&str> = record.as_object().unwrap().keys().map(String::as_str).collect();
    for key in [
        "transform",
        "rotation",
        "translation",
        "scale",
        "reflection",
        "overlap",
        "rms",
        "cost",
        "steps",
        "stop",
        "seconds",
        "seed",
        "dropped",
        "confidence",
        "left_out",
        "n",
        "m",
        "d",
        "threads",
        "matching",
    ] {
        assert!(keys.contains(&key), "no {key} in {keys:?}");
    }
    assert_eq!(record["seed"], 3);
    assert_eq!(record["stop"], "converged");
    assert_eq!((record["reflection"].as_bool(), record["scale"].as_f64()), (Some(false), Some(1.0)));
    assert_eq!(record["dropped"]["source"]["not_finite"], 0);
    assert!(record["rms"].as_f64().unwrap() < 1e-6, "{record}");
    assert!(record["confidence"]["sentence"].as_str().unwrap().starts_with("clear"), "{record}");
    for part in ["read", "start", "iterate"] {
        assert!(record["seconds"][part].as_f64().unwrap() >= 0.0, "{record}");
    }
}

#[test]
fn every_matching_finds_it() {
    let scene = scene();
    for arguments in [
        "--matching exact",
        "--matching nearest",
        "--matching min-swgg --directions 20",
        "--matching tree",
        "--matching sinkhorn",
        "--overlap auto",
        "--orthogonal",
    ] {
        check_matrix(&scene.json(&format!("register source.csv target.csv {arguments}"))["transform"]);
    }
    let larger: Vec<_> = shape().into_iter().map(|p| turned(p).map(|x| 2.0 * x)).collect();
    let scene = scene.with("larger.csv", csv(larger));
    let record = scene.json("register source.csv larger.csv --similarity");
    assert!((record["scale"].as_f64().unwrap() - 2.0).abs() < 1e-6, "{record}");
    let mirrored: Vec<_> = shape().into_iter().map(|[x, y, z]| [x, y, -z]).collect();
    let scene = scene.with("mirrored.csv", csv(mirrored));
    assert_eq!(scene.json("register source.csv mirrored.csv --orthogonal")["reflection"], true);
    assert_eq!(scene.json("register source.csv mirrored.csv")["reflection"], false);
}

#[test]
fn the_summary_says_it_all() {
    let text = scene().works("register source.csv target.csv --threads 1");
    for line in [
        "Registration of 150 onto 150 points in dimension 3\n",
        "            0            0            0      1.00000\n",
        "  moves      a turn by 120.000 degrees, a shift by 3.74166\n",
        "  rms        ",
        ", until nothing moved any more\n",
        "  confidence clear: ",
        " to register on 1 thread, ",
        "Next: add --out aligned.ply",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(scene().works("register source.csv target.csv --quiet"), "");
}

#[test]
fn files_go_where_they_were_asked_for() {
    let scene = scene();
    let text = scene.works(
        "register source.csv target.csv --out aligned.npy --transform T.txt --trace steps --picture look.png",
    );
    for line in [
        "Aligned cloud written to aligned.npy\n",
        "Matrix written to T.txt\n",
        "Picture written to look.png\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let (aligned, target) = (scene.points("aligned.npy"), scene.points("target.csv"));
    assert!(aligned.iter().flatten().zip(target.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-6));
    let steps = scene.names("steps");
    assert_eq!(
        steps.first().map(|name| name.trim_start_matches("step_").trim_start_matches('0')),
        Some(".npy")
    );
    assert_eq!(scene.points(&format!("steps/{}", steps[0])), scene.points("source.csv"));
    let last = scene.points(&format!("steps/{}", steps[steps.len() - 1]));
    assert!(last.iter().flatten().zip(target.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-3));
    assert!(std::fs::read(scene.path("look.png")).unwrap().starts_with(b"\x89PNG"));
    // The matrix is a start; from there nothing is left to do.
    let record = scene.json("register source.csv target.csv --start T.txt");
    check_matrix(&record["transform"]);
    assert_eq!(record["confidence"]["kind"], "local");
    let flat =
        scene.with("flat.csv", "x,y\n0,0\n3,0\n0,1\n1,1\n").with("moved.csv", "x,y\n5,0\n8,0\n5,1\n6,1\n");
    flat.works("register flat.csv moved.csv --picture flat.svg");
    let svg = flat.text("flat.svg");
    assert!(["before", "after", "source", "target"].iter().all(|word| svg.contains(word)), "{svg}");
}

/// The shape as a polygon file with colours, intensities and normals, and two points that cannot be used.
fn colored() -> String {
    let mut text =
        "ply\nformat ascii 1.0\nelement vertex 152\nproperty float x\nproperty float y\nproperty float z\n\
                    property uchar red\nproperty ushort intensity\nproperty float nx\nproperty float ny\n\
                    property float nz\nend_header\nnan 0 0 9 9 0 0 1\n0 0 0 9 9 0 0 1\n"
            .to_string();
    for (k, [x, y, z]) in shape().into_iter().enumerate() {
        text += &format!("{x} {y} {z} {} {} 1 0 0\n", k, 1000 + k);
    }
    text
}

#[test]
fn attributes_travel_along() {
    let scene = scene().with("colored.ply", colored());
    let line = "register colored.ply target.csv --drop-origin --out";
    for out in ["aligned.ply", "aligned.pcd"] {
        let ran = scene.run(&format!("{line} {out} --json"));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(
            ran.stderr,
            format!(
                "warning: 1 of 152 points of the source that are not finite were dropped and are not in {out}\n\
                 warning: 1 of 152 points of the source at the origin were dropped and are not in {out}\n"
            )
        );
        let record: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(record["dropped"]["source"], serde_json::json!({"not_finite": 1, "at_origin": 1}));
        assert_eq!((&record["n"], &record["left_out"]), (&150.into(), &serde_json::json!([])));
        check_matrix(&record["transform"]);
        let (cloud, attributes) = read_table(&scene.path(out), &ReadOptions::default()).unwrap();
        assert_eq!((cloud.rows(), cloud.dtype()), (150, "float32"));
        assert_eq!(attributes.type_name("red").as_deref(), Some("uint8"));
        assert_eq!(attributes.values("intensity").unwrap()[149], 1149.0);
        // Normals turn with the cloud: x becomes y.
        let y = if out.ends_with("pcd") { "normal_y" } else { "ny" };
        assert!(attributes.values(y).unwrap().iter().all(|y| (y - 1.0).abs() < 1e-6));
    }
    let ran = scene.run(&format!("{line} aligned.las --quiet"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let ran = scene.run(&format!("{line} aligned.las"));
    let lost = "warning: not in aligned.las: nx (no place for it in a LAS point), ny (no place for it";
    assert!(ran.stderr.contains(lost), "{ran:?}");
}

#[track_caller]
fn check_refusal(arguments: &str, message: &str) {
    scene()
        .with("flat.csv", "x,y\n0,0\n3,0\n0,1\n1,1\n")
        .with("few.csv", "x,y,z\n0,0,0\n1,0,0\n0,1,0\n")
        .with("same.csv", "x,y,z\n".to_string() + &"1,2,3\n".repeat(9))
        .with("lost.csv", "x,y,z\nnan,0,0\n0,nan,1\n")
        .with("singular.txt", "1 0 0 0\n0 1 0 0\n0 0 0 0\n0 0 0 1\n")
        .with("wide.txt", "1 0 0 0\n0 1 0 0\n")
        .with("words.txt", "one two\nthree four\n")
        .with("mirror.txt", "1 0 0 0\n0 1 0 0\n0 0 -1 0\n0 0 0 1\n")
        .with("plane.txt", "1 0 0\n0 1 0\n0 0 1\n")
        .with("line.npy", npy64(1, &[0.0, 1.0, 3.0]))
        .with("old.ply", "old")
        .refuses(&format!("register {arguments}"), message);
}

#[test]
fn clouds_that_cannot_be_registered() {
    check_refusal(
        "source.csv flat.csv --out old.ply",
        "the source has dimension 3 and the target 2; both clouds must have the same columns (--columns picks some)",
    );
    check_refusal("few.csv target.csv", "the source has 3 points in dimension 3; a motion needs at least 4");
    check_refusal(
        "source.csv same.csv",
        "all points of the target are in one place; any rotation is as good as any other, so there is none to find",
    );
    check_refusal(
        "lost.csv target.csv --quiet",
        "source lost.csv: no point is left: all were dropped; look at them with swgg info",
    );
    check_refusal("missing.csv target.csv", "missing.csv: no such file; check the path");
    check_refusal(
        "line.npy line.npy --picture new.png",
        "--picture needs points in 2 or more dimensions, these have 1; leave it out",
    );
}

#[test]
fn starts_that_are_no_motions() {
    let motion = "give a homogeneous matrix of a rotation, perhaps with a scale, and a translation";
    let start = |file: &str, reason: &str| {
        let message = format!("{file}: the matrix is no motion: {reason}; {motion}");
        check_refusal(&format!("source.csv target.csv --start {file}"), &message);
    };
    start(
        "singular.txt",
        "its columns are not at right angles and of one length, so it is no rotation and scale",
    );
    start("wide.txt", "it is 2 by 4, not square with a last row for t");
    check_refusal("source.csv target.csv --start missing.txt", "missing.txt: no such file; check the path");
    check_refusal(
        "source.csv target.csv --start words.txt",
        "words.txt: line 2, column \"one\": \"three\" is not a number; correct it (with a decimal point, not a comma) \
         or leave the column out",
    );
    check_refusal(
        "source.csv target.csv --start mirror.txt",
        "the start turns left into right; allow that with the orthogonal group, or begin elsewhere (--orthogonal)",
    );
    check_refusal(
        "source.csv target.csv --start plane.txt",
        "the start moves points of dimension 2 and the clouds have dimension 3; give a square matrix of 4 rows",
    );
}

#[test]
fn settings_that_make_no_sense() {
    for share in ["0", "-0.5", "1.5", "nan"] {
        let shown = if share == "nan" { "NaN" } else { share };
        check_refusal(
            &format!("source.csv target.csv --overlap {share}"),
            &format!("found an overlap of {shown}; give a share above 0 and at most 1, or auto (--overlap)"),
        );
    }
    check_refusal(
        "source.csv target.csv --overlap 1e-9",
        "an overlap of 0.000000001 leaves 0 of the 150 points that take part, and a motion needs at least 4; give a larger share (--overlap)",
    );
    check_refusal("source.csv target.csv --max-steps 0", "found 0 steps; give at least 1 (--max-steps)");
    check_refusal(
        "source.csv target.csv --directions 9",
        "--directions is not a setting of --matching auto; leave it out, or use --matching min-swgg",
    );
    check_refusal(
        "source.csv target.csv --matching exact --overlap auto",
        "--matching exact gives every point a counterpart, --overlap says that some have none; leave one out",
    );
    check_refusal(
        "source.csv target.csv --matching merged --overlap 0.5",
        "--matching merged gives every point a counterpart, --overlap says that some have none; leave one out",
    );
    check_refusal(
        "source.csv target.csv --matching min-swgg --directions 0",
        "--directions 0 leaves nothing to try; give at least 1",
    );
}

#[test]
fn outputs_that_cannot_be() {
    let known = format!("use one of {}", Format::EXTENSIONS.join(", "));
    check_refusal(
        "source.csv target.csv --out new.doc",
        &format!("new.doc: the extension \".doc\" is not a known format; {known}"),
    );
    check_refusal(
        "source.csv target.csv --transform T.ply",
        "--transform T.ply must end in .txt, .csv or .npy; rename it",
    );
    check_refusal(
        "source.csv target.csv --picture new.jpg",
        "--picture new.jpg must end in .png or .svg; rename it",
    );
    check_refusal(
        "source.csv target.csv --out target.csv",
        "target.csv is read and would be overwritten; name another file",
    );
    check_refusal(
        "source.csv target.csv --out new.txt --transform new.txt",
        "new.txt is asked for twice; name two files",
    );
    check_refusal("source.csv target.csv --trace .", ".: cannot be replaced; name a new directory");
    check_refusal(
        "flat.csv flat.csv --out new.laz",
        "new.laz: a .laz file has no place for points in dimension 2; write .csv, .npy or .parquet",
    );
}
