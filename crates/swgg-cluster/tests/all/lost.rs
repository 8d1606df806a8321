//! Executors and schedulers that go in the middle.

use std::time::Instant;

use swgg_engine::{Error, Request};

use crate::ground::{Ground, PATIENCE, assert_same, first_part, ready, scheduler, solve_at};
use crate::tables::{Cloud, request, run};

const BATCHES: usize = 12;

/// Two clouds that take a while, the plan of one machine, and a request for the same elsewhere.
fn work(folder: &std::path::Path) -> Request {
    let at = |name: &str| folder.join(name);
    let (source, target) = (Cloud::random(60_000, 2, 1), Cloud::random(60_000, 2, 2));
    let paths = [source.write_folder(&at("a")), target.write_folder(&at("b"))];
    let here = Request { cells: Some(48), ..request(paths, [&source, &target], &[0.6, 0.8], &at("here")) };
    run(&here).unwrap();
    Request { plan: Some(at("there")), ..here }
}

#[test]
fn an_executor_that_is_killed_costs_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let there = work(folder.path());
    let mut ground = Ground::of(2);
    let plan = there.plan.clone().unwrap();
    let started = Instant::now();
    let (address, asked) = (ground.address(), there.clone());
    let running = std::thread::spawn(move || solve_at(&address, &asked, BATCHES));
    assert!(first_part(&plan), "the run ended before it was disturbed");
    ground.executors[0].kill();
    let outcome = running.join().unwrap();
    eprintln!(
        "after a lost executor: {:?} in {:?}",
        outcome.as_ref().map(|solved| solved.cost),
        started.elapsed()
    );
    if let Err(error) = outcome {
        assert!(matches!(&error, Error::Cluster { .. }), "{error}");
        assert!(error.to_string().contains("--resume") && !plan.exists(), "{error}");
        let solved = ground.solve(&Request { resume: true, ..there }, BATCHES).unwrap();
        assert!(solved.resumed > 0);
    }
    assert!(started.elapsed() < PATIENCE);
    assert_same(&folder.path().join("here"), &plan);
}

#[test]
fn a_scheduler_that_is_killed_is_told_and_the_plan_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let there = work(folder.path());
    let mut ground = Ground::of(1);
    let plan = there.plan.clone().unwrap();
    let (address, asked) = (ground.address(), there.clone());
    let running = std::thread::spawn(move || solve_at(&address, &asked, BATCHES));
    assert!(first_part(&plan), "the run ended before it was disturbed");
    ground.scheduler.kill();
    let started = Instant::now();
    let error = running.join().unwrap().unwrap_err();
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    let said = error.to_string();
    assert!(said.contains("was lost 4 times") && said.contains("--resume"), "{said}");
    assert!(!plan.exists());

    // Another one at the same place: its executors find it, and the plan goes on.
    ground.scheduler = scheduler(ground.port, 1);
    ready(ground.port);
    let solved = ground.solve(&Request { resume: true, ..there }, BATCHES).unwrap();
    assert!(solved.resumed > 0);
    assert_same(&folder.path().join("here"), &plan);
}
