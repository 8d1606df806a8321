//! Help, summaries and descriptions, word for word. `SNAPSHOTS=overwrite cargo test` renews them.

use snapbox::{Data, assert_data_eq, file};

use crate::bytes::{npy64, ply};
use crate::scene::{Ran, Scene, root, swgg};

/// Compares with a snapshot, after checking that it fits a terminal of 80 columns.
#[track_caller]
fn check(text: &str, snapshot: Data) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "longer than 80 columns: {line:?}");
    }
    assert_data_eq!(without_times(text), snapshot.raw());
}

/// Everything of a summary but how long things took.
fn without_times(text: &str) -> String {
    let redact = |line: &str| {
        let Some((_, rest)) = line.strip_prefix("  time ").and_then(|rest| rest.split_once(" to ")) else {
            return format!("{line}\n");
        };
        match rest.split_once(", ") {
            Some((threads, _)) => format!("  time       [TIME] to {threads}, [TIME] to read\n"),
            None => format!("  time       [TIME] to {rest}\n"),
        }
    };
    text.lines().map(redact).collect()
}

#[track_caller]
fn check_help(line: &str, snapshot: Data) {
    let ran = Ran::of(swgg(&root(), line));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    check(&ran.stdout, snapshot);
}

#[test]
fn alone_it_helps_and_fails() {
    let ran = Ran::of(swgg(&root(), ""));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    check(&ran.stderr, file!["snapshots/help.txt"]);
}

#[test]
fn help() {
    check_help("--help", file!["snapshots/help.txt"]);
}

#[test]
fn help_of_solve() {
    check_help("solve --help", file!["snapshots/solve_help.txt"]);
    check_help("help solve", file!["snapshots/solve_help.txt"]);
}

#[test]
fn help_of_colours() {
    check_help("color-transfer --help", file!["snapshots/color_transfer_help.txt"]);
    check_help("colorize --help", file!["snapshots/colorize_help.txt"]);
}

#[test]
fn short_help_of_solve() {
    check_help("solve -h", file!["snapshots/solve_h.txt"]);
}

#[test]
fn help_of_interpolate() {
    check_help("interpolate --help", file!["snapshots/interpolate_help.txt"]);
}

#[test]
fn help_of_barycenter() {
    check_help("barycenter --help", file!["snapshots/barycenter_help.txt"]);
}

#[test]
fn a_barycenter() {
    let cloud = |x: f64, y: f64| npy64(2, &[x, y, x + 2.0, y, x, y + 1.0, x + 2.0, y + 1.0]);
    let scene = Scene::new()
        .with("a.npy", cloud(0.0, 0.0))
        .with("b.npy", cloud(6.0, 0.0))
        .with("c.npy", cloud(0.0, 9.0));
    let said = scene.works("barycenter a.npy b.npy c.npy --out out.csv --picture out.svg --threads 1");
    check(&said, file!["snapshots/barycenter.txt"]);
}

#[test]
fn help_of_flow() {
    check_help("flow --help", file!["snapshots/flow_help.txt"]);
}

#[test]
fn help_of_otdd() {
    check_help("otdd --help", file!["snapshots/otdd_help.txt"]);
}

#[test]
fn distances_between_data_sets() {
    let table = |shift: i32| -> String {
        let row = |k: i32| {
            format!("{},{},{}\n", k * k % 5 + shift, k % 3 + 6 * (k % 2), ["no", "yes"][k as usize % 2])
        };
        "x,y,label\n".to_string() + &(0..12).map(row).collect::<String>()
    };
    let scene = Scene::new().with("a.csv", table(0)).with("b.csv", table(3)).with("c.csv", table(9));
    check(&scene.works("otdd a.csv b.csv --threads 1"), file!["snapshots/otdd.txt"]);
    let said = scene.works("otdd a.csv b.csv c.csv --picture heat.svg --threads 1");
    check(&said, file!["snapshots/otdd_matrix.txt"]);
}

#[test]
fn help_of_distance() {
    check_help("distance --help", file!["snapshots/distance_help.txt"]);
}

#[test]
fn help_of_compare() {
    check_help("compare --help", file!["snapshots/compare_help.txt"]);
}

#[test]
fn help_of_landscape() {
    check_help("landscape --help", file!["snapshots/landscape_help.txt"]);
}

#[test]
fn help_of_pansharpen() {
    check_help("pansharpen --help", file!["snapshots/pansharpen_help.txt"]);
}

#[test]
fn help_of_register() {
    check_help("register --help", file!["snapshots/register_help.txt"]);
}

#[test]
fn help_of_info() {
    check_help("info --help", file!["snapshots/info_help.txt"]);
}

#[test]
fn help_of_saved_plans() {
    check_help("apply --help", file!["snapshots/apply_help.txt"]);
    check_help("check --help", file!["snapshots/check_help.txt"]);
}

#[test]
fn help_of_topics() {
    check_help("help formats", file!["snapshots/formats.txt"]);
    check_help("help columns", file!["snapshots/columns.txt"]);
}

#[test]
fn summaries_of_saved_plans() {
    let scene = Scene::new();
    scene.works("solve source.csv target.csv --plan plan.csv");
    let said = scene.works("apply plan.csv source.csv target.csv source.csv --out moved.csv --threads 1");
    check(&said, file!["snapshots/apply.txt"]);
    check(&scene.works("check plan.csv source.csv target.csv --threads 1"), file!["snapshots/check.txt"]);
    check(&scene.works("info plan.csv"), file!["snapshots/info_plan.txt"]);
}

#[test]
fn version() {
    let version = concat!("swgg ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(Ran::of(swgg(&root(), "--version")).stdout, version);
}

#[test]
fn a_wide_terminal_does_not_widen_help() {
    let at = |columns: &str| {
        let mut command = swgg(&root(), "solve --help");
        command.env("COLUMNS", columns);
        Ran::of(command).stdout
    };
    assert_eq!(at("200"), at("80"));
}

#[test]
fn summary_of_the_examples() {
    let line = "solve examples/source.csv examples/target.csv --threads 1";
    let ran = Ran::of(swgg(&root(), line));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    check(&ran.stdout, file!["snapshots/examples.txt"]);
}

#[test]
fn summary_of_weighted_clouds_of_two_sizes() {
    let scene = Scene::clouds("0,0\n1,0\n2,1\n", "5,0\n6,2\n").with("weights.csv", "3\n0\n1\n");
    let line = "solve source.csv target.csv --source-weights weights.csv --plan plan.csv --map map.npy --costs \
                costs.npy --directions 1234 --seed 7 --threads 2";
    check(&scene.works(line), file!["snapshots/weighted.txt"]);
}

#[test]
fn summary_of_listed_directions() {
    let scene = Scene::new().with("thetas.npy", npy64(2, &[1.0, 0.0, 0.0, 1.0]));
    check(
        &scene.works("solve source.csv target.csv --directions-file thetas.npy --threads 1"),
        file!["snapshots/listed.txt"],
    );
}

#[test]
fn summary_of_the_closed_form() {
    let scene = Scene::clouds("0,0\n1,1\n2,2\n", "5,0\n6,2\n1,1\n");
    check(&scene.works("solve source.csv target.csv --method line --threads 1"), file!["snapshots/line.txt"]);
}

#[test]
fn summary_of_the_optimum() {
    let line = "solve examples/source.csv examples/target.csv --method exact --threads 1";
    check(&Ran::of(swgg(&root(), line)).stdout, file!["snapshots/exact.txt"]);
}

#[test]
fn summaries_of_other_methods() {
    let check_method = |method: &str, snapshot: Data| {
        let line = format!("solve examples/source.csv examples/target.csv --threads 1 --method {method}");
        check(&Ran::of(swgg(&root(), &line)).stdout, snapshot);
    };
    check_method("gaussian", file!["snapshots/gaussian.txt"]);
    check_method("factored --k 5", file!["snapshots/factored.txt"]);
    check_method("subspace-robust --k 1", file!["snapshots/subspace_robust.txt"]);
    check_method("subspace-detour --k 1", file!["snapshots/subspace_detour.txt"]);
    check_method("linear-ot", file!["snapshots/linear_ot.txt"]);
}

#[test]
fn summary_in_many_dimensions() {
    let row = vec!["0.125"; 30].join(",") + "\n";
    check(
        &Scene::clouds(&row, &row).works("solve source.csv target.csv --search random --threads 1"),
        file!["snapshots/wide.txt"],
    );
}

#[test]
fn a_long_path_does_not_break_the_lines() {
    let name = format!("{}.csv", "cloud".repeat(12));
    let scene = Scene::new().with(&name, "0,0\n1,1\n");
    check(&scene.works(&format!("solve {name} {name} --threads 1")), file!["snapshots/long_path.txt"]);
}

#[test]
fn summary_of_interpolate() {
    check(
        &Scene::new().works("interpolate source.csv target.csv --steps 3 --out steps --threads 1"),
        file!["snapshots/interpolate.txt"],
    );
}

#[test]
fn summary_of_a_flow() {
    let line = "flow source.csv target.csv --steps 20 --out way --picture way.svg --threads 1";
    check(&Scene::new().works(line), file!["snapshots/flow.txt"]);
}

#[test]
fn summary_of_a_descent() {
    let scene = Scene::clouds("0,0,0\n1,0,0\n", "0,2,0\n1,2,0\n");
    let line = "solve source.csv target.csv --search stein --iterations 3 --threads 1";
    check(&scene.works(line), file!["snapshots/stein.txt"]);
}

#[test]
fn summary_of_a_mean_over_lines() {
    let line = "distance source.csv target.csv --kind sw --p 1.5 --orthogonal --directions 1000 --threads 1";
    check(&Scene::new().works(line), file!["snapshots/sliced.txt"]);
}

#[test]
fn summary_of_a_mean_of_plans() {
    let line = "distance source.csv target.csv --kind pwd --directions 1 --threads 1";
    check(&Scene::new().works(line), file!["snapshots/projected.txt"]);
}

#[test]
fn summary_of_the_largest_line() {
    let line = "distance source.csv target.csv --kind max-sw --threads 1";
    check(&Scene::new().works(line), file!["snapshots/max_sliced.txt"]);
}

#[test]
fn summary_of_the_smallest_plan() {
    let line = "distance source.csv target.csv --kind min-swgg --threads 1";
    check(&Scene::new().works(line), file!["snapshots/min_swgg.txt"]);
}

#[test]
fn summary_of_a_landscape() {
    check(
        &Scene::new().works("landscape source.csv target.csv --angles 36 --out landscape.svg"),
        file!["snapshots/landscape.txt"],
    );
}

#[test]
fn info_of_csv() {
    let scene = Scene::new().with("cloud.csv", "height,b\n1,-2\n1e-7,nan\n-3,123456789012\n");
    check(&scene.works("info cloud.csv"), file!["snapshots/info_csv.txt"]);
}

#[test]
fn info_of_npy() {
    let scene = Scene::new().with("cloud.npy", npy64(15, &[0.5; 45]));
    check(&scene.works("info cloud.npy"), file!["snapshots/info_npy.txt"]);
}

#[test]
fn info_of_ply() {
    let text = String::from_utf8(ply("ascii", 2, b"0 1 9\n2 3 9\n")).unwrap();
    let text = text.replace("end_header", "property uchar red\nend_header");
    check(&Scene::new().with("cloud.ply", text).works("info cloud.ply"), file!["snapshots/info_ply.txt"]);
}

#[test]
fn info_of_picked_columns() {
    check(&Scene::new().works("info source.csv --columns y"), file!["snapshots/info_picked.txt"]);
}
