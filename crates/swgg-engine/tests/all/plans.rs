//! The plan of the engine is the plan in memory, entry by entry.

use std::sync::Arc;

use swgg::line::Direction;
use swgg::{Measure, MinSwgg, Solver};
use swgg_engine::Request;

use crate::tables::{Cloud, entries, expected, request, run};

const THETA: [f64; 3] = [0.6, -0.3, 0.5];

/// Every combination of cells, partitions and memory gives the plan in memory.
fn check(source: &Cloud, target: &Cloud, theta: &[f64], tries: &[(Option<usize>, usize, usize)]) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let paths = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let (plan, cost) = expected(source, target, theta);
    for &(cells, threads, memory) in tries {
        let out = at(&format!("plan-{cells:?}-{threads}-{memory}"));
        let request =
            Request { cells, threads, memory, ..request(paths.clone(), [source, target], theta, &out) };
        let solved = run(&request).unwrap();
        assert!(entries(&out) == plan, "{cells:?} cells, {threads} threads, {memory} bytes");
        assert!((solved.cost - cost).abs() <= 1e-12 * cost, "{} instead of {cost}", solved.cost);
        assert!(solved.lower_bound() <= cost && solved.lower_bound() >= 0.0);
        assert_eq!(solved.entries as usize, plan.len());
    }
}

const SMALL: usize = 32 << 20;
const LARGE: usize = 2 << 30;

#[test]
fn as_many_points_on_both_sides() {
    let (mut source, mut target) = (Cloud::random(20_000, 3, 1), Cloud::random(20_000, 3, 2));
    check(&source, &target, &THETA, &[(None, 2, LARGE), (Some(1), 1, LARGE), (Some(13), 7, SMALL)]);
    source.single = true;
    check(&source, &target, &THETA, &[(Some(5), 2, SMALL)]);
    target.single = true;
    check(&source, &target, &THETA, &[(Some(64), 1, SMALL)]);
}

#[test]
fn more_points_on_one_side() {
    let (source, target) = (Cloud::random(9_001, 3, 3), Cloud::random(12_000, 3, 4));
    check(&source, &target, &THETA, &[(Some(1), 1, LARGE), (Some(9), 2, LARGE), (Some(31), 7, SMALL)]);
    let few = Cloud::random(3, 3, 5);
    check(&few, &target, &THETA, &[(Some(10), 2, LARGE)]);
    check(&target, &few, &THETA, &[(Some(10), 2, LARGE)]);
    check(&few, &few, &THETA, &[(Some(10), 2, LARGE)]);
}

#[test]
fn weights_are_cut_exactly() {
    let source = Cloud::random(7_000, 3, 6).weighted(7);
    let target = Cloud::random(5_000, 3, 8).weighted(9);
    let plain = Cloud::random(6_000, 3, 10);
    let tries = [(Some(1), 1, LARGE), (Some(8), 2, LARGE), (Some(40), 7, SMALL)];
    check(&source, &target, &THETA, &tries);
    check(&source, &plain, &THETA, &tries);
    check(&plain, &target, &THETA, &tries);
    // Equal weights are none.
    let equal = Cloud { weights: Some(vec![0.3; 6_000]), ..plain.clone() };
    check(&equal, &plain, &THETA, &tries[1..2]);
}

#[test]
fn equal_projections_are_ordered_by_id() {
    let mut source = Cloud::random(4_000, 2, 11);
    let target = Cloud::random(4_000, 2, 12);
    source.points.iter_mut().for_each(|x| *x = (3.0 * *x).round());
    let all = [1.0, 0.0];
    check(&source, &target, &all, &[(Some(1), 1, LARGE), (Some(16), 2, LARGE), (Some(100), 3, SMALL)]);
    let one = Cloud { points: vec![0.25; 8_000], ..source.clone() };
    check(&one, &target, &all, &[(Some(16), 2, LARGE)]);
    check(&one, &one, &all, &[(Some(16), 2, LARGE)]);
}

#[test]
fn ids_of_a_column() {
    let ids = |step: i64| Some((0..3_000).map(|row| 5 + step * row).collect());
    let source = Cloud { ids: ids(3), ..Cloud::random(3_000, 3, 13) };
    let target = Cloud { ids: ids(1_000_000_007), ..Cloud::random(3_000, 3, 14) };
    check(&source, &target, &THETA, &[(Some(6), 2, LARGE)]);
}

#[test]
fn what_does_not_fit_spills() {
    let (source, target) = (Cloud::random(250_000, 3, 15), Cloud::random(250_000, 3, 16));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let paths = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let out = at("plan");
    let request =
        Request { memory: SMALL, cells: Some(40), ..request(paths, [&source, &target], &THETA, &out) };
    let solved = run(&request).unwrap();
    assert!(solved.spilled > 0, "20 MB in half of 32");
    assert!(entries(&out) == expected(&source, &target, &THETA).0);
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_sample_of_everything_finds_what_memory_finds() {
    let (source, target) = (Cloud::random(2_000, 3, 17), Cloud::random(2_000, 3, 18));
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let [a, b] = [source.write_folder(&paths[0]), target.write_folder(&paths[1])];
    let solved = run(&Request { threads: 2, ..Request::new(a, b) }).unwrap();
    let (mu, nu): (Measure<'_, f64>, _) = (source.measure(), target.measure());
    let found = MinSwgg::new().solve(&mu, &nu).unwrap();
    assert_eq!(
        solved.direction.as_ref().unwrap().theta,
        found.direction.as_ref().map(Direction::as_slice).unwrap()
    );
    assert!((solved.cost - found.cost).abs() <= 1e-12 * found.cost);
    let sample = solved.direction.unwrap().sample.unwrap();
    assert_eq!(sample.points, [2_000, 2_000]);
    assert!(sample.standard_error > 0.0);
}

#[test]
fn every_format_reads_alike() {
    let (source, target) = (Cloud::random(500, 2, 19), Cloud::random(700, 2, 20));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let b = target.write_folder(&at("b"));
    let theta = [0.8, 0.6];
    let plan = expected(&source, &target, &theta).0;
    let batch = source.columns(0..500);
    let mut text = String::from("# made by a test\nx0,x1\n");
    for point in source.points.chunks(2) {
        text += &format!("{},{}\n", point[0], point[1]);
    }
    std::fs::write(at("a.csv"), &text).unwrap();
    std::fs::write(at("bare.csv"), text.lines().skip(2).collect::<Vec<_>>().join("\n").replace(',', ";"))
        .unwrap();
    let file = std::fs::File::create(at("a.arrow")).unwrap();
    let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    source.write_folder(&at("a"));
    for (index, name) in ["a.csv", "bare.csv", "a.arrow", "a", "a/*.parquet"].into_iter().enumerate() {
        let out = at(&format!("plan{index}"));
        let paths = [at(name).display().to_string(), b.clone()];
        let request = Request { cells: Some(3), ..request(paths, [&source, &target], &theta, &out) };
        run(&request).unwrap();
        assert!(entries(&out) == plan, "{name}");
    }
}

#[test]
fn parts_follow_the_line() {
    let (source, target) = (Cloud::random(3_000, 1, 21), Cloud::random(3_000, 1, 22));
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let paths = [source.write_folder(&paths[0]), target.write_folder(&paths[1])];
    let out = folder.path().join("plan");
    let request = Request { cells: Some(4), ..request(paths, [&source, &target], &[1.0], &out) };
    let solved = run(&request).unwrap();
    let manifest = swgg_engine::manifest(&out).unwrap();
    assert_eq!((manifest.n, manifest.m, manifest.d, manifest.parts.len()), (3_000, 3_000, 1, 4));
    assert!((manifest.parts.iter().map(|part| part.mass).sum::<f64>() - 1.0).abs() < 1e-12);
    // On the line the plan is optimal, and its own lower bound.
    assert_eq!(solved.cost, solved.along_line);
    let meter = Arc::new(swgg_engine::Meter::default());
    assert_eq!(meter.reached().done, 0);
}
