//! Cells as files: split, solved one by one, joined.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use swgg_engine::{Error, Meter, Method, Request, join, solve_cell, split, split_of};

use crate::tables::{Cloud, entries, expected, request, run};

const THETA: [f64; 2] = [0.8, -0.6];

fn meter() -> Arc<Meter> {
    Arc::new(Meter::default())
}

fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>, words: &str) {
    let said = outcome.unwrap_err().to_string();
    assert!(said.contains(words), "{said}");
}

/// The two clouds as tables, and a request for their plan.
fn asked(folder: &Path, source: &Cloud, target: &Cloud) -> Request {
    let paths = ["a", "b"].map(|name| folder.join(name));
    let paths = [source.write_folder(&paths[0]), target.write_folder(&paths[1])];
    request(paths, [source, target], &THETA, &folder.join("plan"))
}

#[test]
fn the_joined_plan_is_that_of_one_run() {
    let clouds = [
        (Cloud::random(5_000, 2, 1), Cloud::random(5_000, 2, 2)),
        (Cloud { single: true, ..Cloud::random(4_000, 2, 3) }, Cloud::random(3_001, 2, 4).weighted(5)),
    ];
    for (source, target) in clouds {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let asked = asked(folder.path(), &source, &target);
        let request = Request { cells: Some(7), ..asked };
        let written = split(&request, &at("cells"), &meter()).unwrap();
        assert_eq!(written.cells, split_of(&at("cells")).unwrap().cells);
        assert_eq!(written.cells.len(), 7);
        refusal(split(&request, &at("cells"), &meter()), "the folder is not empty");
        // In any order, by anybody.
        for cell in [3, 0, 6, 5, 1, 2] {
            solve_cell(&at("cells"), cell, 1, &meter()).unwrap();
        }
        refusal(
            join(&at("cells"), &at("joined"), &meter()),
            "1 of 7 cells are not solved: 4; run `swgg solve DIR --cell K`",
        );
        assert!(!at("joined").exists());
        solve_cell(&at("cells"), 4, 2, &meter()).unwrap();
        let joined = join(&at("cells"), &at("joined"), &meter()).unwrap();
        let (plan, cost) = expected(&source, &target, &THETA);
        assert!(entries(&at("joined")) == plan);
        assert!((joined.cost - cost).abs() <= 1e-12 * cost);
        let whole = run(&request).unwrap();
        assert_eq!((joined.cost, joined.entries), (whole.cost, whole.entries));
        // The bound was written as text in between.
        assert!((joined.lower_bound - whole.lower_bound()).abs() <= 1e-14 * whole.cost);
        swgg_engine::check(&at("joined"), &meter()).unwrap();
        refusal(join(&at("cells"), &at("joined"), &meter()), "the folder is not empty");
    }
}

#[test]
fn auto_has_cells_as_files_too() {
    let (source, target) = (Cloud::random(6_000, 2, 6), Cloud::random(6_000, 2, 7));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let request = Request {
        method: Method::Auto { effort: 2, passes: 1 },
        direction: None,
        cells: Some(3),
        ..asked(folder.path(), &source, &target)
    };
    let written = split(&request, &at("cells"), &meter()).unwrap();
    for cell in 0..written.cells.len() {
        solve_cell(&at("cells"), cell, 2, &meter()).unwrap();
    }
    let joined = join(&at("cells"), &at("joined"), &meter()).unwrap();
    // One pass of a run makes the same cells and solves them with the same seeds.
    let whole = run(&request).unwrap();
    assert!(entries(&at("joined")) == entries(&at("plan")));
    assert_eq!(joined.cost, whole.cost);
    assert!((joined.lower_bound - whole.lower_bound()).abs() <= 1e-14 * whole.cost);
    assert_eq!(joined.effort, Some(2));
}

#[test]
fn what_is_not_of_the_split_is_refused() {
    let (source, target) = (Cloud::random(901, 2, 8), Cloud::random(901, 2, 9));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let request = Request { cells: Some(2), ..asked(folder.path(), &source, &target) };
    split(&request, &at("cells"), &meter()).unwrap();
    split(&Request { seed: 1, ..request }, &at("others"), &meter()).unwrap();
    refusal(solve_cell(&at("cells"), 2, 1, &meter()), "has cells 0 to 1");
    refusal(
        solve_cell(&at("a"), 0, 1, &meter()),
        "holds no split.json; expected a folder that `swgg split` wrote",
    );
    for cell in 0..2 {
        solve_cell(&at("cells"), cell, 1, &meter()).unwrap();
        solve_cell(&at("others"), cell, 1, &meter()).unwrap();
    }
    fs::copy(at("others/part-00001.parquet"), at("cells/part-00001.parquet")).unwrap();
    refusal(join(&at("cells"), &at("joined"), &meter()), "part-00001.parquet: is of another split");
    solve_cell(&at("cells"), 1, 1, &meter()).unwrap();
    let part = at("cells/part-00000.parquet");
    let bytes = fs::read(&part).unwrap();
    fs::write(&part, &bytes[..bytes.len() / 2]).unwrap();
    refusal(join(&at("cells"), &at("joined"), &meter()), "1 of 2 cells are not solved: 0");
    // A cell with rows of another one: 450 instead of 451.
    fs::copy(at("cells/cell-00000-source.parquet"), at("cells/cell-00001-source.parquet")).unwrap();
    refusal(solve_cell(&at("cells"), 1, 1, &meter()), "its units come to 450, split.json says 451");
    fs::remove_file(at("cells/cell-00001-target.parquet")).unwrap();
    fs::copy(at("others/cell-00001-source.parquet"), at("cells/cell-00001-source.parquet")).unwrap();
    refusal(solve_cell(&at("cells"), 1, 1, &meter()), "cell-00001-target.parquet: cannot be opened");
    fs::write(at("cells/split.json"), "{}").unwrap();
    refusal(solve_cell(&at("cells"), 1, 1, &meter()), "is damaged");
    assert!(!at("joined").exists());
}

/// The recipe for a shell, as it is in the repository, with the program under the name that it has there.
#[cfg(unix)]
#[test]
fn the_recipe_for_a_shell() {
    let (source, target) = (Cloud::random(3_000, 2, 10), Cloud::random(3_000, 2, 11));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let [a, b] = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let bin = at("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_swgg-engine"), bin.join("swgg")).unwrap();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cells.sh");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let out = Command::new("sh")
        .arg(recipe)
        .args([&a, &b, &at("plan").display().to_string(), "4", "2", "--direction", "0.8,-0.6"])
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(entries(&at("plan")) == expected(&source, &target, &THETA).0);
    assert!(!at("plan.cells").exists(), "cells are removed once they are joined");
}
