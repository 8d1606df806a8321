//! Tables as people have them: columns by range and pattern, weights in a column, gaps, decimal commas, packed files, parts, pipes.

use std::io::Write;
use std::process::Stdio;

use crate::scene::{Ran, Scene, one_line};

/// The cost between the two clouds of the scene, to rounding.
#[track_caller]
fn is_25(cost: Option<f64>) {
    assert!(cost.is_some_and(|cost| (cost - 25.0).abs() < 1e-9), "{cost:?}");
}

/// Runs with these bytes on standard input.
fn piped(scene: &Scene, line: &str, bytes: &[u8]) -> Ran {
    let mut command = scene.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn columns_by_range_by_pattern_and_in_other_letters() {
    let text = |shift: f64| format!("id,PC1,PC2,Label\na,0,0,x\nb,1,{shift},y\nc,{shift},1,x\n");
    let scene = Scene::clouds(&text(2.0), &text(5.0));
    let cost = |columns: &str| scene.cost(&format!("--columns {columns}"));
    let expected = cost("PC1,PC2");
    for columns in ["pc1-pc2", "PC*", "pc?", "pc1,pc2", "1-2"] {
        assert_eq!(cost(columns), expected, "{columns}");
    }
    scene.refuses(
        "solve source.csv target.csv --columns px1-px3",
        "source.csv: there is no column \"px1-px3\"; the columns are id, PC1, PC2, Label",
    );
}

#[test]
fn weights_in_a_column_are_those_of_a_file() {
    let scene = Scene::clouds("x,mass,y\n0,3,0\n1,1,0.5\n2,2,-1\n", "x,mass,y\n3,1,4\n4,1,4.5\n")
        .with("a.csv", "x,y\n0,0\n1,0.5\n2,-1\n")
        .with("b.csv", "x,y\n3,4\n4,4.5\n")
        .with("wa.csv", "3\n1\n2\n")
        .with("wb.csv", "1\n1\n");
    let in_files = scene.json("solve a.csv b.csv --source-weights wa.csv --target-weights wb.csv");
    for columns in ["", " --columns x,y"] {
        let in_column = scene.json(&format!("solve source.csv target.csv --weights-column Mass{columns}"));
        assert_eq!((&in_column["cost"], &in_column["d"]), (&in_files["cost"], &in_files["d"]));
    }
    let both = scene.run("solve source.csv target.csv --weights-column mass --source-weights wa.csv");
    assert!(both.stderr.contains("cannot be used with"), "{both:?}");
}

#[test]
fn rows_with_gaps_are_dropped_if_asked_and_told_with_line_and_column() {
    let scene = Scene::clouds("x,y\n0,0\n,3\n1,0.5\n\nNA,1\n2,-1\n", "x,y\n3,4\n4,4.5\n5,3\n")
        .with("nan.csv", "# made by hand\nx,y\n0,0\n\n1,nan\n");
    scene.refuses(
        "solve source.csv target.csv",
        "source.csv: line 3, column \"x\" is empty; fill it, drop the row or leave the column out (--columns picks \
         the others, --skip-missing drops such rows)",
    );
    scene.refuses(
        "solve nan.csv target.csv",
        "source nan.csv: line 5, column \"y\" is NaN, not a finite number; drop the row or fill it in (--skip-missing \
         drops such rows)",
    );
    let ran = scene.run("solve source.csv target.csv --skip-missing --json");
    assert_eq!(ran.stderr, "warning: source.csv: 2 rows with missing values left out\n");
    let report = one_line(&ran.stdout);
    assert_eq!(report["n"], 3);
    is_25(report["cost"].as_f64());
}

#[test]
fn decimals_after_a_comma() {
    let scene = Scene::clouds("x;y\n0;0\n1;0,5\n2;-1\n", "x;y\n3;4\n4;4,5\n5;3\n");
    scene.refuses(
        "solve source.csv target.csv",
        "source.csv: line 3, column \"y\": \"0,5\" is not a number; correct it (with a decimal point, not a comma) or \
         leave the column out (--decimal-comma reads it)",
    );
    is_25(Some(scene.cost("--decimal-comma")));
}

#[test]
fn packed_files_folders_and_patterns() {
    let scene = Scene::new().with_directory("parts");
    scene.works("solve source.csv target.csv --map moved.csv.gz --plan plan.npz.zst");
    assert_eq!(scene.points("moved.csv.gz"), scene.points("target.csv"));
    let packed = std::fs::read(scene.path("moved.csv.gz")).unwrap();
    let scene = scene
        .with("parts/1.csv", "x,y\n0,0\n1,0.5\n")
        .with("parts/2.csv", "x,y\n2,-1\n")
        .with("misnamed.csv", packed);
    for source in ["parts", "parts/*.csv"] {
        for target in ["moved.csv.gz", "misnamed.csv"] {
            let report = scene.json(&format!("solve {source} {target}"));
            is_25(report["cost"].as_f64());
        }
    }
}

#[test]
fn standard_input_and_output() {
    let scene = Scene::new();
    let source = std::fs::read(scene.path("source.csv")).unwrap();
    let ran = piped(&scene, "solve - target.csv --json", &source);
    is_25(one_line(&ran.stdout)["cost"].as_f64());
    let ran = piped(&scene, "solve - target.csv --input-format xyz --json", b"0 0\n1 0.5\n2 -1\n");
    assert!(ran.code == Some(0), "{ran:?}");
    // It is not for the file beside, whose ending names its own.
    scene.works("solve source.csv target.csv --map target.npy");
    let ran = piped(&scene, "solve - target.npy --input-format csv --json", &source);
    assert!(ran.code == Some(0), "{ran:?}");
    // A format that is told by its first bytes needs no word.
    scene.works("solve source.csv target.csv --map moved.npy");
    let npy = std::fs::read(scene.path("moved.npy")).unwrap();
    let ran = piped(&scene, "info - --json", &npy);
    assert_eq!(one_line(&ran.stdout)["format"], "npy");
    let ran = scene.run("solve source.csv target.csv --plan -");
    assert!(ran.stdout.starts_with("source,target,mass\n") && ran.stdout.lines().count() == 4, "{ran:?}");
    assert!(ran.stderr.starts_with("Transport from 3 to 3 points"), "{ran:?}");
    let ran = scene.run("solve source.csv target.csv --map - --quiet");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("x,y\n3.0,4.0\n4.0,4.5\n5.0,3.0\n", ""));
    scene.refuses("solve - -", "standard input can be read once; name a file for one of the clouds");
    scene.refuses("solve source.csv target.csv --plan - --map -", "- is asked for twice; name two files");
    assert_eq!(piped(&scene, "solve - target.csv", b"").code, Some(2));
}

#[test]
fn maps_go_into_every_format_of_clouds() {
    let scene = Scene::new();
    for format in ["csv", "npy", "ply", "pcd", "parquet", "xyz", "tsv", "npy.gz"] {
        scene.works(&format!("solve source.csv target.csv --map moved.{format}"));
        assert_eq!(scene.points(&format!("moved.{format}")).len(), 3, "{format}");
    }
    scene.refuses(
        "solve source.csv target.csv --map moved.las",
        "--map moved.las: a .las file has no place for points in dimension 2; write .csv, .npy or .parquet",
    );
    let refused = scene.run("solve source.csv target.csv --map moved.obj");
    assert!(
        refused.stderr.starts_with("error: --map moved.obj must end in one of .npy, .csv, "),
        "{refused:?}"
    );
}

#[test]
fn info_says_what_columns_could_be_taken() {
    let scene = Scene::new()
        .with("mixed.csv", "name,x,y,note\nada,1,2,\nbob,3,,late\n")
        .with("words.csv", "name,town\nada,bonn\n");
    let said = scene.works("info mixed.csv");
    assert!(said.starts_with("mixed.csv: csv, 2 rows of 4 columns, some of them text\n"), "{said}");
    assert!(said.contains("name         text in 2 rows, such as \"ada\""), "{said}");
    assert!(said.contains("--columns could take x,y."), "{said}");
    assert!(scene.works("info words.csv").contains("No column holds numbers alone"));
    let report = scene.json("info mixed.csv");
    assert_eq!(report["could_take"], serde_json::json!(["x", "y"]));
    assert_eq!(report["columns"][2]["not_finite"], 1);
}

#[test]
fn a_nameless_column_of_coordinates_is_not_dropped_in_silence() {
    let scene = Scene::clouds(",y\n0.5,0\n1.5,0.5\n", "x,y\n3,4\n4,4.5\n");
    scene.refuses(
        "solve source.csv target.csv",
        "source.csv: line 2 has \"0.5\" in a first column without a name; name the column if it holds coordinates, pick \
         others if it does not (--columns picks the others)",
    );
}
