//! Tables and settings that cannot be: which file, what is wrong, what to do.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use swgg_engine::{Reading, Request};

use crate::tables::{Cloud, run, write_parquet};

fn refusal(request: &Request) -> String {
    run(request).unwrap_err().to_string()
}

fn table(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    write_parquet(path, &RecordBatch::try_from_iter(columns).unwrap());
}

fn doubles(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

#[test]
fn tables() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let path = |name: &str| at(name).display().to_string();
    let good = Cloud::random(10, 2, 1).write_folder(&at("good"));
    let with = |bad: &str| Request { threads: 1, ..Request::new(path(bad), good.clone()) };
    let refused = |bad: &str, words: &str| {
        let found = refusal(&with(bad));
        assert!(found.contains(words), "{bad}: {found}");
    };

    refused("nowhere", "nowhere: there is no such file, folder or pattern");
    refused("*.nothing", "no file has such a name");
    let stored = refusal(&Request::new("s3://bucket/points", good.clone()));
    assert!(
        stored.contains("s3://bucket/points: tables are read from disks, not by s3://; copy the files"),
        "{stored}"
    );
    std::fs::create_dir(at("empty")).unwrap();
    refused("empty", "the folder holds no table; expected files that end with .parquet");
    std::fs::write(at("notes.doc"), "x").unwrap();
    refused("notes.doc", "notes.doc: is no table");
    std::fs::write(at("torn.parquet"), "PAR1").unwrap();
    refused("torn.parquet", "torn.parquet: cannot be read");
    std::fs::write(at("none.csv"), "").unwrap();
    refused("none.csv", "holds no rows");

    Cloud::random(10, 3, 1).write_folder(&at("three"));
    let found = refusal(&Request::new(good.clone(), path("three")));
    assert!(found.contains("three: its points have 3 coordinates, those of"), "{found}");

    // The second of two files lacks a column, or holds another type.
    std::fs::create_dir(at("mixed")).unwrap();
    table(&at("mixed/1.parquet"), vec![("x", doubles(&[1.0])), ("y", doubles(&[1.0]))]);
    table(&at("mixed/2.parquet"), vec![("x", doubles(&[1.0]))]);
    refused(
        "mixed",
        "2.parquet: its coordinates are column \"x\", those of the first file column \"x\", column \"y\"",
    );
    let chosen = Reading { columns: Some("x,y".parse().unwrap()), ..Reading::default() };
    let found = refusal(&Request { readings: [chosen.clone(), Reading::default()], ..with("mixed") });
    assert!(found.contains("2.parquet: there is no column \"y\"; the columns are x"), "{found}");
    let words: ArrayRef = Arc::new(StringArray::from(vec!["red"]));
    table(&at("mixed/2.parquet"), vec![("x", doubles(&[1.0])), ("y", words)]);
    let found = refusal(&Request { readings: [chosen, Reading::default()], ..with("mixed") });
    assert!(found.contains("2.parquet: column \"y\" holds Utf8, expected numbers"), "{found}");

    let mut values = vec![0.0; 7_000];
    values[6_500] = f64::NAN;
    table(&at("nan.parquet"), vec![("x", doubles(&values)), ("y", doubles(&[0.0; 7_000]))]);
    refused(
        "nan.parquet",
        "nan.parquet: row group 2, row 6500 (from 0), column \"x\" is NaN, not a finite number",
    );
    let gaps: ArrayRef = Arc::new(Float64Array::from(vec![Some(1.0), None]));
    table(&at("gaps.parquet"), vec![("x", doubles(&[1.0, 2.0])), ("y", gaps)]);
    refused("gaps.parquet", "gaps.parquet: row group 0, row 1 (from 0), column \"y\" is missing");
    table(&at("huge.parquet"), vec![("x", doubles(&[1e300])), ("y", doubles(&[0.0]))]);
    refused("huge.parquet", "too large to square");
    std::fs::write(at("words.csv"), "x,y\n1,2\n3,four\n").unwrap();
    refused("words.csv", "words.csv: cannot be read: Parser error");
}

#[test]
fn weights_and_ids() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let good = Cloud::random(6, 2, 1);
    let target = good.write_folder(&at("good"));
    let mut index = 0;
    let mut refused = |cloud: Cloud, words: &str| {
        index += 1;
        let source = cloud.write_folder(&at(&format!("bad{index}")));
        let request = Request {
            readings: [cloud.reading(), Reading::default()],
            threads: 1,
            ..Request::new(source, target.clone())
        };
        let found = refusal(&request);
        assert!(found.contains(words), "{found}");
    };
    refused(Cloud { weights: Some(vec![0.0; 6]), ..good.clone() }, "all weights are 0");
    let negative = vec![1.0, 1.0, 1.0, 1.0, -2.0, 1.0];
    refused(
        Cloud { weights: Some(negative), ..good.clone() },
        "b.parquet: row group 0, row 1 (from 0), column \"w\" is the weight -2",
    );
    let request = Request {
        readings: [Reading { weights: Some("mass".into()), ..Reading::default() }, Reading::default()],
        ..Request::new(target.clone(), target.clone())
    };
    let found = refusal(&request);
    assert!(
        found.contains("there is no column \"mass\"; the columns are x0, x1 (the column of weights)"),
        "{found}"
    );

    let mut both = |ids: Vec<i64>, words: &str| {
        index += 1;
        let cloud = Cloud { ids: Some(ids), ..good.clone() };
        let source = cloud.write_folder(&at(&format!("ids{index}")));
        let request = Request {
            readings: [cloud.reading(), cloud.reading()],
            threads: 1,
            ..Request::new(source.clone(), source)
        };
        let found = refusal(&request);
        assert!(found.contains(words), "{found}");
    };
    both(vec![1, 2, 3, 4, 2, 6], "the id 2 is there more than once");
    both(vec![1, 2, -3, 4, 5, 6], "is the id -3; ids are whole numbers from 0 on");
}

#[test]
fn settings_and_places() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let good = Cloud::random(10, 2, 1).write_folder(&at("good"));
    let request = || Request { threads: 1, ..Request::new(good.clone(), good.clone()) };
    let refused = |request: Request, words: &str| {
        let found = refusal(&request);
        assert!(found.contains(words), "{found}");
    };
    refused(
        Request { direction: Some(vec![1.0]), ..request() },
        "--direction has 1 coordinates, the points have 2",
    );
    refused(Request { direction: Some(vec![0.0, 0.0]), ..request() }, "length");
    refused(Request { memory: 1000, ..request() }, "--memory is 1000 bytes, expected at least 32MB");
    refused(Request { cells: Some(0), ..request() }, "--cells is 0, expected 1 to 65536");
    refused(Request { plan: Some(at("no/where")), ..request() }, "does not exist; create it first");
    refused(Request { plan: Some(at("good")), ..request() }, "the folder is not empty");
    std::fs::write(at("file"), "").unwrap();
    refused(
        Request { plan: Some(at("file")), ..request() },
        "is a file; a folder of Parquet files is made here",
    );
    refused(Request { spill: Some(at("nowhere")), ..request() }, "--spill names a folder that exists");
    let missing = swgg_engine::manifest(&at("good")).unwrap_err().to_string();
    assert!(missing.contains("holds no manifest.json"), "{missing}");
}
