//! Inputs that are odd but fine.

use std::process::Stdio;

use crate::Scene;
use crate::bytes::{npy, npy64, ply, scattered};

#[track_caller]
fn check_cost(source: &str, target: &str, expected: f64) {
    let cost = Scene::clouds(source, target).cost("");
    assert!((cost - expected).abs() <= 1e-12 * expected, "{cost} is not {expected}");
}

#[test]
fn one_point() {
    check_cost("0,0\n", "3,4\n", 25.0);
}

#[test]
fn all_points_equal() {
    check_cost("1,1\n1,1\n1,1\n", "1,1\n1,1\n1,1\n", 0.0);
    check_cost("1,1\n1,1\n1,1\n", "1,2\n1,2\n1,2\n", 1.0);
    check_cost("1,1\n1,1\n1,1\n", "1,2\n1,4\n", 5.0);
}

#[test]
fn duplicates() {
    check_cost("0,0\n0,0\n2,0\n2,0\n", "2,1\n2,1\n0,1\n0,1\n", 1.0);
}

#[test]
fn one_dimension() {
    check_cost("x\n2\n0\n1\n", "x\n6\n7\n5\n", 25.0);
}

#[test]
fn a_constant_column() {
    check_cost("0,7\n1,7\n2,7\n", "4,7\n2,7\n3,7\n", 4.0);
    check_cost("0,7\n1,7\n2,7\n", "0,9\n1,9\n2,9\n", 4.0);
}

#[test]
fn five_points_against_three() {
    // Sorted, fifteenths: 3 of each source against 5 of each target.
    check_cost("0\n1\n2\n3\n4\n", "0\n0\n3\n", (3.0 + 12.0 + 9.0 + 3.0) / 15.0);
}

#[test]
fn a_cloud_against_itself_costs_nothing() {
    let scene = Scene::new().with("cloud.npy", scattered(500, 3));
    assert_eq!(scene.json("solve cloud.npy cloud.npy")["cost"], 0.0);
}

#[test]
fn weights_as_text_and_as_an_array() {
    let scene =
        Scene::clouds("0\n10\n", "1\n").with("w.csv", "3\n1\n").with("w.npy", npy64(1, &[0.75, 0.25]));
    let expected = 0.75 * 1.0 + 0.25 * 81.0;
    assert_eq!(scene.cost("--source-weights w.csv"), expected);
    assert_eq!(scene.cost("--source-weights w.npy"), expected);
    // A row is as good as a column, and a name above the column is fine.
    let scene = scene.with("row.csv", "6,2\n").with("named.csv", "weight\n30\n10\n");
    assert_eq!(scene.cost("--source-weights row.csv"), expected);
    assert_eq!(scene.cost("--source-weights named.csv"), expected);
}

#[test]
fn weights_on_both_sides() {
    let scene = Scene::clouds("0\n1\n", "0\n1\n").with("a.csv", "1\n3\n").with("b.csv", "3\n1\n");
    assert_eq!(scene.cost("--source-weights a.csv --target-weights b.csv"), 0.5);
}

#[test]
fn points_without_weight_do_not_count() {
    let scene = Scene::clouds("0,0\n99,99\n1,0\n", "0,1\n1,1\n").with("w.csv", "1\n0\n1\n");
    assert_eq!(scene.cost("--source-weights w.csv --plan plan.csv --map map.npy"), 1.0);
    assert!(scene.plan("plan.csv").iter().all(|&(i, _, mass)| i != 1 && mass > 0.0));
    assert!(scene.points("map.npy").iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn single_precision() {
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let scene = Scene::new()
        .with("a.npy", npy("<f4", "(2, 2)", &bytes(&[0.5, 0.0, 1.5, 0.0])))
        .with("b.npy", npy("<f4", "(2, 2)", &bytes(&[0.5, 2.0, 1.5, 2.0])));
    assert_eq!(scene.json("solve a.npy b.npy")["cost"], 4.0);
    assert!(scene.works("info a.npy").contains("float32"));
    // Mixed precision is double precision.
    assert_eq!(scene.json("solve a.npy target.csv")["d"], 2);
}

/// The points of `source.csv` in another format must cost the same.
#[track_caller]
fn check_format(name: &str, content: impl AsRef<[u8]>) {
    let scene = Scene::new().with(name, content);
    assert_eq!(scene.points(name), scene.points("source.csv"));
    let json = scene.json(&format!("solve {name} target.csv"));
    assert_eq!(json["cost"], scene.cost(""));
}

#[test]
fn every_text_format() {
    check_format("a.csv", "0,0\n1,0.5\n2,-1\n");
    check_format("a.CSV", "\u{feff}\"x\";\"y\"\r\n0;0\r\n1;0.5\r\n2;-1\r\n");
    check_format("a.tsv", "x\ty\n0\t0\n1\t0.5\n2\t-1\n");
    check_format("a.txt", "# points\n0 0\n 1  0.5\n2 -1");
    check_format("a.xyz", "3\n0 0\n1 0.5\n2 -1\n");
    check_format("a.pts", "v 0 0\nv 1 0.5\nv 2 -1\n");
}

#[test]
fn every_binary_format() {
    check_format("a.npy", npy64(2, &[0.0, 0.0, 1.0, 0.5, 2.0, -1.0]));
    let single = [0.0, 0.0, 1.0, 0.5, 2.0, -1.0].map(f32::to_le_bytes).concat();
    check_format("b.npy", npy("<f4", "(3, 2)", &single));
    check_format("a.ply", ply("ascii", 3, b"0 0\n1 0.5\n2 -1\n"));
    let body = |bytes: fn(f32) -> [u8; 4]| [0.0, 0.0, 1.0, 0.5, 2.0, -1.0].map(bytes).concat();
    check_format("b.ply", ply("binary_little_endian", 3, &body(f32::to_le_bytes)));
    check_format("c.ply", ply("binary_big_endian", 3, &body(f32::to_be_bytes)));
}

#[test]
fn what_interpolate_writes_can_be_read() {
    for format in ["csv", "npy", "xyz", "ply", "parquet"] {
        let scene = Scene::new();
        scene.works(&format!("interpolate source.csv target.csv --steps 2 --out steps --format {format}"));
        let (first, last) = (format!("steps/step_0.{format}"), format!("steps/step_1.{format}"));
        assert_eq!(scene.points(&first), scene.points("source.csv"));
        let json = scene.json(&format!("solve {first} {last}"));
        assert!((json["cost"].as_f64().unwrap() - 25.0).abs() < 1e-12, "{format}");
    }
}

#[test]
fn columns_by_name_and_by_number() {
    let scene = Scene::new().with("labelled.csv", "id,x,y,name\n7,0,0,a\n8,1,0.5,b\n9,2,-1,c\n");
    let cost = scene.cost("");
    let pick = |columns: &str, file: &str| {
        scene.json(&format!("solve {file} {file} --columns {columns}"))["d"].clone()
    };
    assert_eq!(pick("x,y", "labelled.csv"), 2);
    assert_eq!(pick("0-2", "labelled.csv"), 3);
    assert_eq!(pick("1", "source.csv"), 1);
    assert_eq!(scene.json("solve labelled.csv target.csv --columns x,y")["cost"], cost);
}

#[test]
fn quiet_prints_nothing() {
    let scene = Scene::new();
    assert_eq!(scene.works("solve source.csv target.csv --quiet --plan plan.csv"), "");
    assert_eq!(scene.works("interpolate source.csv target.csv -q --out steps"), "");
    assert_eq!(scene.plan("plan.csv").len(), 3);
    assert_eq!(scene.names("steps").len(), 11);
}

#[test]
fn nobody_listens() {
    for line in
        ["solve source.csv target.csv", "solve source.csv target.csv --json", "info source.csv", "--help"]
    {
        let scene = Scene::new();
        let mut command = scene.command(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "swgg {line}");
    }
}

#[test]
fn nobody_listens_to_complaints() {
    let scene = Scene::new();
    let mut command = scene.command("solve missing.csv target.csv");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output_is_a_failure() {
    let scene = Scene::new();
    let mut command = scene.command("solve source.csv target.csv");
    command.stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let ran = crate::Ran::of(command);
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: could not write to standard output: No space left on device (os error 28)\n"
    );
}

#[test]
fn colours_taken_as_coordinates_are_told() {
    let scene = Scene::clouds("X,Y,Z,red\n1,2,3,9\n", "X,Y,Z,red\n3,2,1,8\n");
    let ran = scene.run("solve source.csv target.csv --json");
    let warning = |name: &str| {
        format!("warning: {name}.csv: all 4 columns are taken as coordinates; --columns x,y,z takes three\n")
    };
    assert_eq!((ran.code, ran.stderr), (Some(0), warning("source") + &warning("target")));
    for flags in ["--columns X,Y,Z", "--quiet"] {
        assert_eq!(scene.run(&format!("solve source.csv target.csv {flags}")).stderr, "", "{flags}");
    }
}

#[test]
fn columns_with_other_names_are_matched_with_a_warning() {
    let scene = Scene::clouds("x,y\n1,2\n", "lon,lat\n2,1\n");
    let ran = scene.run("solve source.csv target.csv --json");
    let warning = "warning: columns x,y of the source are matched with lon,lat of the target, by position\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), warning));
    // Picked by name or told to be quiet, there is nothing to warn about.
    scene.works("solve source.csv target.csv --columns 0-1");
    scene.works("solve source.csv target.csv --quiet");
    Scene::clouds("x,y\n1,2\n", "y,x\n2,1\n").works("solve source.csv target.csv --columns x,y");
}
