//! Distances by lines beside those in memory.

use std::sync::Arc;

use swgg::sliced::{MaxSliced, Sliced, Slicing};
use swgg::{MinSwgg, Run, Solver};
use swgg_engine::{Distance, DistanceRequest, Kind, Meter, Request, distance};

use crate::tables::Cloud;

struct Pair {
    source: Cloud,
    target: Cloud,
    folder: tempfile::TempDir,
}

impl Pair {
    fn new() -> Self {
        let source = Cloud::random(2_000, 3, 1);
        let target = Cloud::random(3_000, 3, 2).weighted(3);
        Pair { source, target, folder: tempfile::tempdir().unwrap() }
    }

    fn ask(&self, change: impl FnOnce(&mut DistanceRequest)) -> swgg_engine::Result<Distance> {
        let [a, b] = ["a", "b"].map(|name| self.folder.path().join(name));
        let paths = [self.source.write_folder(&a), self.target.write_folder(&b)];
        let tables = Request {
            readings: [self.source.reading(), self.target.reading()],
            threads: 2,
            cells: Some(5),
            seed: 7,
            ..Request::new(&paths[0], &paths[1])
        };
        let mut request =
            DistanceRequest { tables, kind: Kind::Sliced, p: 2.0, directions: Some(6), full: false };
        change(&mut request);
        distance(&request, &Arc::new(Meter::default()))
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected, "{found} instead of {expected}");
}

#[test]
fn sliced_is_the_mean_over_the_same_lines() {
    let pair = Pair::new();
    for p in [2.0, 1.5] {
        let found = pair.ask(|request| request.p = p).unwrap();
        let sliced = Sliced { directions: 6, ..Sliced::new(Slicing::Wasserstein { p }) };
        let expected =
            sliced.estimate(&pair.source.measure(), &pair.target.measure(), &mut Run::seeded(7)).unwrap();
        near(found.cost, expected.cost);
        assert!((found.standard_error.unwrap() / expected.standard_error - 1.0).abs() < 1e-9);
        assert_eq!((found.evaluated, found.lower_bound.is_some()), (6, p == 2.0));
    }
}

#[test]
fn extremes_are_those_of_a_sample_of_everything() {
    let mut pair = Pair::new();
    // A sample of everything is the cloud itself, but for points without mass.
    pair.target.weights = None;
    let (mu, nu) = (pair.source.measure(), pair.target.measure());
    let found = pair.ask(|request| request.kind = Kind::MaxSliced).unwrap();
    let slice = MaxSliced::default().maximum(&mu, &nu, &mut Run::seeded(7)).unwrap();
    near(found.cost, slice.cost);
    assert_eq!(found.sample, Some([2_000, 3_000]));

    let found = pair.ask(|request| request.kind = Kind::MinSwgg).unwrap();
    let question = swgg::Question::new(&mu, &nu).unwrap();
    let best = MinSwgg::new().directions(6).answer(&question, &mut Run::seeded(7)).unwrap();
    near(found.cost, best.cost);
    assert!(found.lower_bound.unwrap() <= found.cost);
    let full = pair
        .ask(|request| {
            request.kind = Kind::MinSwgg;
            request.full = true;
        })
        .unwrap();
    near(full.cost, best.cost);
    assert_eq!((full.evaluated, full.sample), (6, None));
}

#[test]
fn settings_that_do_not_fit() {
    let pair = Pair::new();
    let refused = |change: fn(&mut DistanceRequest), words: &str| {
        let found = pair.ask(change).unwrap_err().to_string();
        assert!(found.contains(words), "{found}");
    };
    refused(|request| request.p = 0.5, "--p is 0.5; |x - y|^p needs a finite p of 1 or more");
    refused(
        |request| {
            request.kind = Kind::MinSwgg;
            request.p = 1.0;
        },
        "--p is not a setting of --kind min-swgg; leave it out, or use --kind sw|max-sw",
    );
    refused(|request| request.full = true, "--full evaluates a list of directions on all rows");
}
