//! Inputs and settings that are refused: exit 2, one message, no file touched.

use swgg_io::Format;

use crate::Scene;
use crate::bytes::{npy, npy64, ply};

/// A scene with outputs of an earlier run in it, which a refusal must not touch.
fn scene() -> Scene {
    Scene::new().with("old.csv", "old plan").with("old.npy", "old map")
}

/// Solving and interpolating are refused alike, whichever side the file is on.
#[track_caller]
fn check_file(name: &str, content: impl AsRef<[u8]>, message: &str) {
    let scene = scene().with(name, content);
    for (role, clouds) in [("source", format!("{name} target.csv")), ("target", format!("source.csv {name}"))]
    {
        let message = message.replace("ROLE", role);
        scene.refuses(&format!("solve {clouds} --plan old.csv --map old.npy --costs new.npy"), &message);
        scene.refuses(&format!("interpolate {clouds} --out new"), &message);
    }
}

#[track_caller]
fn check_weights(content: impl AsRef<[u8]>, message: &str) {
    let scene = scene().with("w.csv", content);
    for role in ["source", "target"] {
        let message = message.replace("ROLE", role);
        let line = format!("source.csv target.csv --{role}-weights w.csv");
        scene.refuses(&format!("solve {line} --plan old.csv --map old.npy"), &message);
        scene.refuses(&format!("interpolate {line} --out new"), &message);
    }
}

#[track_caller]
fn check_directions(thetas: &[u8], message: &str) {
    let scene = scene().with("thetas.npy", thetas);
    let line = "source.csv target.csv --directions-file thetas.npy";
    scene.refuses(&format!("solve {line} --plan old.csv --map old.npy --costs new.npy"), message);
    scene.refuses(&format!("interpolate {line} --out new"), message);
}

/// Refused with these arguments after `solve source.csv target.csv`.
#[track_caller]
fn check_solve(arguments: &str, message: &str) {
    scene().refuses(&format!("solve source.csv target.csv {arguments}"), message);
}

#[track_caller]
fn check_interpolate(scene: &Scene, arguments: &str, message: &str) {
    scene.refuses(&format!("interpolate source.csv target.csv {arguments}"), message);
}

#[test]
fn empty_files() {
    for name in ["bad.csv", "bad.npy", "bad.ply", "bad.xyz", "bad.parquet"] {
        check_file(name, "", &format!("{name}: the file is empty; it should hold one point per row"));
    }
    check_file("bad.csv", "x,y\n", "bad.csv: holds no points: it has zero rows; add at least one");
    let none = npy("<f8", "(0, 2)", &[]);
    check_file("bad.npy", none, "bad.npy: holds no points: it has zero rows; add at least one");
}

#[test]
fn ragged_rows() {
    let advice = "where 2 were expected; complete the row or drop it";
    check_file("bad.csv", "x,y\n1,2\n3\n", &format!("bad.csv: line 3 has 1 field {advice}"));
    check_file("bad.xyz", "1 2\n\n3 4 5\n", &format!("bad.xyz: line 3 has 3 fields {advice}"));
}

#[test]
fn text_in_a_number() {
    let advice = "is not a number; correct it (with a decimal point, not a comma) or leave the column out \
                  (--columns picks the others)";
    check_file("bad.csv", "x,y\n1,2\n3,abc\n", &format!("bad.csv: line 3, column \"y\": \"abc\" {advice}"));
    check_file("bad.txt", "1 2\n3..0 4\n", &format!("bad.txt: line 2, column 0 (from 0): \"3..0\" {advice}"));
}

#[test]
fn values_that_are_not_finite() {
    let place = "ROLE bad.csv: line 3, column \"x\"";
    let advice = "not a finite number; drop the row or fill it in";
    check_file(
        "bad.csv",
        "x,y\n1,2\nnan,3\n",
        &format!("{place} is NaN, {advice} (--skip-missing drops such rows)"),
    );
    check_file(
        "bad.csv",
        "x,y\n1,2\n-inf,3\n",
        &format!("{place} is -inf, {advice} (--skip-missing drops such rows)"),
    );
    check_file(
        "bad.npy",
        npy64(2, &[0.0, f64::INFINITY]),
        &format!("ROLE bad.npy: row 0, column 1 (counted from 0) is inf, {advice}"),
    );
}

#[test]
fn different_dimensions() {
    let scene = scene().with("three.csv", "1,2,3\n4,5,6\n");
    let message = |source: usize, target: usize| {
        format!(
            "the source has dimension {source} and the target {target}; \
             both clouds must have the same columns (--columns picks some)"
        )
    };
    scene.refuses("solve source.csv three.csv --plan old.csv", &message(2, 3));
    scene.refuses("solve three.csv target.csv --plan new.csv", &message(3, 2));
    scene.refuses("interpolate three.csv target.csv --out new", &message(3, 2));
}

#[test]
fn no_directions() {
    let message = "no directions to try; ask for at least one with --directions";
    check_solve("--directions 0 --plan old.csv --map new.npy", message);
    check_interpolate(&scene(), "--directions 0 --out new", message);
}

#[test]
fn a_direction_of_no_length() {
    check_directions(
        &npy64(2, &[1.0, 0.0, 0.0, 0.0]),
        "thetas.npy: direction 1 has length 0; a direction needs a finite, positive length",
    );
    check_directions(
        &npy64(2, &[f64::NAN, 0.0]),
        "thetas.npy: direction 0 has length NaN; a direction needs a finite, positive length",
    );
}

#[test]
fn directions_of_another_space() {
    check_directions(
        &npy64(3, &[1.0, 0.0, 0.0]),
        "thetas.npy: the direction has 3 coordinates, the points have 2; they must agree",
    );
}

#[test]
fn bad_weights() {
    let rule = "weights are finite and not negative";
    check_weights("1\n-1\n1\n", &format!("ROLE w.csv: weight 1 (counted from 0) is -1; {rule}"));
    check_weights("1\n1\nnan\n", &format!("ROLE w.csv: weight 2 (counted from 0) is NaN; {rule}"));
    check_weights("inf\n1\n1\n", &format!("ROLE w.csv: weight 0 (counted from 0) is inf; {rule}"));
    check_weights("0\n0\n0\n", "ROLE w.csv: all 3 weights are zero; at least one must be positive");
    check_weights("1\n1\n", "ROLE w.csv: found 2 weights for 3 points; give one weight per point");
    check_weights(
        "1,1\n1,1\n1,1\n",
        "w.csv: holds 3 rows of 2 columns where a single column was expected; give one number per row",
    );
    check_weights("", "w.csv: the file is empty; it should hold one point per row");
}

#[test]
fn arrays_whose_header_lies() {
    let (short, long) = (
        "the file is cut short or its header is wrong: write it again",
        "the header is wrong or two files were joined: write it again",
    );
    let announces = |bytes: u64, advice: &str| {
        format!("bad.npy: the header announces {bytes} bytes of data but 40 follow it; {advice}")
    };
    check_file("bad.npy", npy("<f8", "(4, 2)", &[0; 40]), &announces(64, short));
    check_file("bad.npy", npy("<f8", "(2, 2)", &[0; 40]), &announces(32, long));
    let huge = npy("<f8", "(1000000000000000, 2)", &[0; 40]);
    check_file("bad.npy", huge, &announces(16_000_000_000_000_000, short));
}

#[test]
fn arrays_cut_inside_the_header() {
    let whole = npy64(2, &[0.0, 1.0]);
    check_file("bad.npy", &whole[..20], "bad.npy: is not a valid npy file: it ends inside its header");
    let text = "bad.npy: is not a valid npy file: it does not start with the mark of a NumPy array";
    check_file("bad.npy", "1,2\n3,4\n", text);
}

#[test]
fn polygon_files_whose_header_lies() {
    let binary = |vertices: u64, bytes: u64| {
        let message = format!(
            "bad.ply: the header announces {bytes} bytes of data but 20 follow it; \
             the file is cut short or its header is wrong: write it again"
        );
        check_file("bad.ply", ply("binary_little_endian", vertices, &[0; 20]), &message);
    };
    binary(3, 24);
    binary(1_000_000_000_000_000, 8_000_000_000_000_000);
    let ascii = |vertices: u64| {
        let message = format!(
            "bad.ply: the header announces {vertices} items of \"vertex\" but 2 are present; correct one of them"
        );
        check_file("bad.ply", ply("ascii", vertices, b"0 0\n1 1\n"), &message);
    };
    ascii(3);
    ascii(1_000_000_000_000_000);
    let endless = "bad.ply: is not a valid ply file: its header never ends: there is no line \"end_header\"";
    check_file("bad.ply", &ply("ascii", 3, b"")[..50], endless);
}

#[test]
fn unknown_extensions() {
    let known = format!("use one of {}", Format::EXTENSIONS.join(", "));
    check_file("bad.doc", "", &format!("bad.doc: the extension \".doc\" is not a known format; {known}"));
    check_file("bad", "0 0", &format!("bad: there is no extension to tell the format; {known}"));
    let plans = "use one of .csv, .npz, .parquet";
    check_solve("--plan new.txt", &format!("new.txt: the extension \".txt\" is not a known format; {plans}"));
    check_solve("--plan new", &format!("new: there is no extension to tell the format; {plans}"));
    check_solve(
        "--map new.doc --plan old.csv",
        "--map new.doc must end in one of .npy, .csv, .tsv, .txt, .xyz, .pts, .ply, .pcd, .las, .laz, .parquet; rename it",
    );
    check_solve("--costs new --plan old.csv", "--costs new must end in .npy; rename it");
}

#[test]
fn inputs_that_are_not_files() {
    let scene = scene().with_directory("dir").with_directory("dir.csv");
    let known = Format::EXTENSIONS.join(", ");
    let message =
        |name: &str| format!("{name}: no files there that can be read as clouds; they end in {known}");
    for name in ["dir", "dir.csv"] {
        scene.refuses(&format!("solve {name} target.csv --plan old.csv"), &message(name));
        scene.refuses(&format!("info {name}"), &message(name));
    }
    let missing = "missing.csv: no such file; check the path";
    scene.refuses("solve missing.csv target.csv --plan old.csv", missing);
    scene.refuses("solve source.csv missing.csv --plan old.csv", missing);
    scene.refuses("solve source.csv target.csv --source-weights missing.csv", missing);
    scene.refuses("solve source.csv target.csv --directions-file missing.csv", missing);
    scene.refuses("info missing.csv", missing);
}

#[test]
fn unknown_columns() {
    check_solve("--columns x,w", "source.csv: there is no column \"w\"; the columns are x, y");
    check_solve("--columns 2", "source.csv: there is no column \"2\"; the columns are x, y");
    check_solve(
        "--columns x,x",
        "source.csv: cannot pick columns by \"x\": it picks a column that is already picked",
    );
}

#[test]
fn clouds_that_are_not_on_a_line() {
    let ran = scene().run("solve source.csv target.csv --method line --plan old.csv");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        ran.stderr.starts_with("error: neither cloud lies on a line: the straighter one strays "),
        "{ran:?}"
    );
    let advice = "is allowed; use min-SWGG instead (--method min-swgg), or leave --method line out\n";
    assert!(ran.stderr.ends_with(advice), "{ran:?}");
    for flag in ["--costs old.npy", "--restarts 5", "--search stein", "--blur 1"] {
        let (name, _) = flag.split_once(' ').unwrap();
        let message =
            format!("{name} is not a setting of --method line; leave it out, or use --method min-swgg");
        check_solve(&format!("--method line {flag}"), &message);
    }
}

#[test]
fn columns_named_in_another_order() {
    Scene::clouds("x,y\n1,2\n", "y,x\n2,1\n").refuses(
        "solve source.csv target.csv",
        "the columns of the source are x,y, those of the target y,x; pass --columns x,y",
    );
}

#[test]
fn too_few_steps() {
    let message = |steps: usize| format!("--steps {steps} is too few; both ends need 2");
    check_interpolate(&scene(), "--steps 1 --out new", &message(1));
    check_interpolate(&scene(), "--steps 0 --out new", &message(0));
}

#[test]
fn settings_that_exclude_each_other() {
    let usage = |before: &str| {
        format!(
            "{before}\n\nUsage: swgg solve --directions <L> <SOURCE> <TARGET>\n\nFor more information, try '--help'."
        )
    };
    check_solve(
        "--directions 3 --directions-file old.npy",
        &usage("the argument '--directions <L>' cannot be used with '--directions-file <FILE.npy>'"),
    );
}

#[test]
fn settings_that_do_not_exist() {
    let more = "For more information, try '--help'.";
    check_solve(
        "--method best",
        &format!(
            "invalid value 'best' for '--method <METHOD>'\n  [possible values: {}]\n\n{more}",
            swgg::solver::METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ")
        ),
    );
    check_solve(
        "--directions many",
        &format!("invalid value 'many' for '--directions <L>': invalid digit found in string\n\n{more}"),
    );
    check_solve(
        "--threads 1025",
        &format!(
            "invalid value '1025' for '--threads <T>': 1025 is not in 0..=1024; 0 stands for all threads there are\n\n{more}"
        ),
    );
}

/// A negative number is a value that does not fit, not a flag that nobody knows.
#[test]
fn negative_counts() {
    for (line, flag, range) in [
        ("solve source.csv target.csv --method tree --trees -1", "--trees <N>", "0..="),
        ("solve source.csv target.csv --threads -1", "--threads <T>", "0..=1024"),
        ("compare source.csv target.csv --threads -1", "--threads <T>", "0..=1024"),
        ("register source.csv target.csv --max-steps -1", "--max-steps <K>", "0..="),
    ] {
        let ran = scene().run(line);
        let message = format!("error: invalid value '-1' for '{flag}': -1 is not in {range}");
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.starts_with(&message), "{ran:?}");
    }
}

#[test]
fn methods_without_a_plan_have_no_way_to_go() {
    for method in ["gaussian", "linear-ot"] {
        let message = format!(
            "--method {method} has no plan between the points to follow; leave it out, or use --method auto"
        );
        check_interpolate(&scene(), &format!("--method {method} --out new"), &message);
    }
}
