//! Runs that were stopped, and what they leave behind.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use swgg_engine::{Error, Meter, Request, solve};

use crate::tables::{Cloud, entries, expected, request, run};

const THETA: [f64; 2] = [0.8, 0.6];

#[test]
fn finished_cells_are_not_solved_again() {
    let (source, target) = (Cloud::random(4_000, 2, 1), Cloud::random(4_000, 2, 2));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let paths = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let request = Request {
        cells: Some(9),
        threads: 1,
        resume: true,
        ..request(paths, [&source, &target], &THETA, &at("plan"))
    };
    // Something stands where the sixth part should go.
    let obstacle = at(".plan.unfinished/part-00005.parquet");
    fs::create_dir_all(obstacle.join("something")).unwrap();
    let refused = run(&request).unwrap_err().to_string();
    assert!(refused.contains("part-00005.parquet: cannot be written"), "{refused}");
    assert!(!at("plan").exists());
    assert!(!at(".plan.unfinished/spill").exists());
    let again = run(&Request { resume: false, ..request.clone() }).unwrap_err().to_string();
    assert!(again.contains("add --resume to go on where it stopped"), "{again}");
    let other = run(&Request { seed: 9, ..request.clone() }).unwrap_err().to_string();
    assert!(other.contains("not those of the run that was stopped"), "{other}");

    fs::remove_dir_all(obstacle).unwrap();
    let solved = run(&request).unwrap();
    assert_eq!((solved.cells, solved.resumed), (9, 5));
    let (plan, cost) = expected(&source, &target, &THETA);
    assert!(entries(&at("plan")) == plan);
    assert!((solved.cost - cost).abs() <= 1e-12 * cost);
    assert!(!at(".plan.unfinished").exists());
}

#[test]
fn an_interrupt_leaves_nothing_under_the_name() {
    let (source, target) = (Cloud::random(4_000, 2, 3), Cloud::random(4_000, 2, 4));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let paths = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let request = request(paths, [&source, &target], &THETA, &at("plan"));
    let stop = Arc::new(AtomicBool::new(true));
    let outcome = solve(&request, &Arc::new(Meter::hearing(stop)));
    assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}
