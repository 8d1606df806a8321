//! `auto` by cells and passes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use swgg::{Auto, Measure, Question, Run, Solver};
use swgg_engine::{Method, Request, Solved};

use crate::tables::{Cloud, entries, request, run};

const SMALL: usize = 64 << 20;
const LARGE: usize = 2 << 30;

/// A request for `auto` between two clouds that are written as tables.
fn asked(folder: &Path, clouds: [&Cloud; 2], effort: u8, passes: usize, cells: usize) -> Request {
    let paths = ["a", "b"].map(|name| folder.join(name));
    let paths = [clouds[0].write_folder(&paths[0]), clouds[1].write_folder(&paths[1])];
    Request {
        method: Method::Auto { effort, passes },
        direction: None,
        cells: Some(cells),
        ..request(paths, clouds, &[1.0], &folder.join("plan"))
    }
}

/// The same request under other conditions: everything but times and names is the same.
fn check_conditions(request: &Request, tries: &[(usize, usize)]) -> Solved {
    let plan = request.plan.clone().unwrap();
    let first = run(request).unwrap();
    let found = entries(&plan);
    for &(threads, memory) in tries {
        let other = plan.with_file_name(format!("plan-{threads}-{memory}"));
        let again = run(&Request { threads, memory, plan: Some(other.clone()), ..request.clone() }).unwrap();
        assert!(entries(&other) == found, "{threads} threads, {memory} bytes");
        assert_eq!((again.cost, &again.passes), (first.cost, &first.passes));
        assert_eq!(again.lower_bound(), first.lower_bound());
    }
    first
}

/// Every point gives and gets its weight.
fn check_marginals(plan: &Path, source: &Cloud, target: &Cloud) {
    let entries = entries(plan);
    type End = fn(&(u64, u64, u64)) -> u64;
    let sides: [(&Cloud, End); 2] = [(source, |e| e.0), (target, |e| e.1)];
    for (cloud, id) in sides {
        let mut sums = HashMap::new();
        for entry in &entries {
            *sums.entry(id(entry)).or_insert(0.0) += f64::from_bits(entry.2);
        }
        let measure: Measure<'_, f64> = cloud.measure();
        for row in 0..cloud.rows() {
            let found = sums.get(&(row as u64)).copied().unwrap_or(0.0);
            assert!(
                (found - measure.weight(row)).abs() <= 1e-13,
                "row {row}: {found} {}",
                measure.weight(row)
            );
        }
    }
}

fn in_memory(source: &Cloud, target: &Cloud, effort: u8) -> f64 {
    let (mu, nu) = (source.measure(), target.measure());
    let question = Question::new(&mu, &nu).unwrap();
    Auto { effort }.answer(&question, &mut Run::default().without_bounds()).unwrap().cost
}

#[test]
fn passes_come_close_to_memory_and_depend_on_nothing_else() {
    let (source, target) = (Cloud::random(12_000, 3, 1), Cloud::random(12_000, 3, 2));
    let folder = tempfile::tempdir().unwrap();
    let request = asked(folder.path(), [&source, &target], 2, 3, 4);
    let found = check_conditions(&request, &[(1, SMALL), (3, LARGE)]);
    let plan = folder.path().join("plan");
    check_marginals(&plan, &source, &target);
    assert_eq!(found.entries, 12_000);
    let cells: Vec<usize> = found.passes.iter().map(|pass| pass.cells).collect();
    assert_eq!(cells, [4, 5, 6]);
    assert!(found.passes.windows(2).all(|pair| pair[1].cost < pair[0].cost), "{:?}", found.passes);
    let memory = in_memory(&source, &target, 2);
    assert!(found.cost <= 1.05 * memory, "{} and {memory} in memory", found.cost);
    assert!(found.lower_bound() <= found.cost);
    let left: Vec<_> = fs::read_dir(&plan).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 7, "six parts and a manifest: {left:?}");
    swgg_engine::check(&plan, &swgg_engine::Meter::default()).unwrap();
}

#[test]
fn weights_and_other_sizes() {
    let source = Cloud::random(4_000, 2, 3).weighted(4);
    let target = Cloud::random(3_000, 2, 5).weighted(6);
    let plain = Cloud::random(2_500, 2, 7);
    for (source, target) in [(&source, &target), (&source, &plain), (&plain, &Cloud::random(4_001, 2, 8))] {
        let folder = tempfile::tempdir().unwrap();
        let request = asked(folder.path(), [source, target], 1, 2, 3);
        let found = check_conditions(&request, &[(1, SMALL)]);
        check_marginals(&folder.path().join("plan"), source, target);
        assert!(found.passes[1].cost <= found.passes[0].cost, "{:?}", found.passes);
        let memory = in_memory(source, target, 1);
        assert!(found.cost <= 1.15 * memory, "{} and {memory} in memory", found.cost);
    }
}

#[test]
fn one_cell_is_the_plan_in_memory_up_to_the_seed() {
    let (source, target) = (Cloud::random(600, 3, 9), Cloud::random(600, 3, 10));
    let folder = tempfile::tempdir().unwrap();
    let found = run(&asked(folder.path(), [&source, &target], 5, 3, 1)).unwrap();
    assert_eq!(found.passes.len(), 1);
    // So few points are solved exactly.
    let memory = in_memory(&source, &target, 5);
    assert!((found.cost - memory).abs() <= 1e-12 * memory, "{} {memory}", found.cost);
    // Without a plan only the cost is found, and it is the same.
    let request = Request { plan: None, ..asked(folder.path(), [&source, &target], 5, 2, 3) };
    let costs = run(&request).unwrap();
    let written = run(&Request { plan: Some(folder.path().join("other")), ..request }).unwrap();
    assert_eq!(costs.cost, written.cost);
}

#[test]
fn clouds_without_extent() {
    let folder = tempfile::tempdir().unwrap();
    let one = Cloud { points: vec![0.25; 400], ..Cloud::random(200, 2, 11) };
    let line = Cloud { points: (0..400).map(|k| f64::from(k / 2 % 7)).collect(), ..one.clone() };
    for (k, (source, target)) in
        [(&one, &one), (&one, &line), (&line, &one), (&line, &line)].into_iter().enumerate()
    {
        let folder = folder.path().join(k.to_string());
        fs::create_dir(&folder).unwrap();
        let found = run(&asked(&folder, [source, target], 2, 2, 3)).unwrap();
        check_marginals(&folder.join("plan"), source, target);
        if k % 3 == 0 {
            assert!(found.cost < 1e-12, "{}", found.cost);
        }
    }
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let (source, target) = (Cloud::random(3_000, 2, 12), Cloud::random(3_000, 2, 13));
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let request = Request { threads: 1, resume: true, ..asked(folder.path(), [&source, &target], 1, 3, 4) };
    let whole = run(&Request { plan: Some(at("whole")), ..request.clone() }).unwrap();
    // Something stands where a file of the second pass should go.
    let obstacle = at(".plan.unfinished/pairs-1-00003.parquet");
    fs::create_dir_all(obstacle.join("something")).unwrap();
    let refused = run(&request).unwrap_err().to_string();
    assert!(refused.contains("pairs-1-00003.parquet: cannot be written"), "{refused}");
    assert!(!at("plan").exists());
    let other = Request { method: Method::Auto { effort: 2, passes: 3 }, ..request.clone() };
    let refused = run(&other).unwrap_err().to_string();
    assert!(refused.contains("not those of the run that was stopped"), "{refused}");
    fs::remove_dir_all(obstacle).unwrap();
    let found = run(&request).unwrap();
    assert!(found.resumed > 0, "cells of the second pass were there");
    assert!(entries(&at("plan")) == entries(&at("whole")));
    assert_eq!((found.cost, found.passes), (whole.cost, whole.passes));
}

#[test]
fn settings_that_cannot_be() {
    let (source, target) = (Cloud::random(50_000, 2, 14), Cloud::random(50_000, 2, 15));
    let folder = tempfile::tempdir().unwrap();
    let request = asked(folder.path(), [&source, &target], 2, 2, 1);
    let refuse = |method, memory, words: &str| {
        let said = run(&Request { method, memory, ..request.clone() }).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    };
    refuse(Method::Auto { effort: 0, passes: 1 }, LARGE, "--effort is 0, expected 1 to 10");
    refuse(Method::Auto { effort: 1, passes: 0 }, LARGE, "--passes is 0");
    refuse(
        Method::Auto { effort: 1, passes: 1 },
        32 << 20,
        "MB to be solved, and half of --memory is 17 MB; give --memory",
    );
}
