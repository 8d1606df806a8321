//! The same plan as on one machine, and as in memory.

use swgg_engine::{Error, Method, Request};

use crate::ground::{Ground, assert_same};
use crate::tables::{Cloud, entries, expected, request, run};

#[test]
fn the_plan_is_that_of_one_machine_byte_by_byte() {
    let ground = Ground::of(2);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let clouds = [
        (Cloud::random(20_000, 3, 1), Cloud::random(20_000, 3, 2)),
        (Cloud { single: true, ..Cloud::random(9_000, 2, 3) }, Cloud::random(7_000, 2, 4)),
        (Cloud::random(8_000, 2, 5).weighted(6), Cloud::random(6_000, 2, 7).weighted(8)),
    ];
    for (case, (source, target)) in clouds.iter().enumerate() {
        let theta = [0.6, 0.8, 0.1][..source.dim].to_vec();
        let paths =
            [source.write_folder(&at(&format!("a{case}"))), target.write_folder(&at(&format!("b{case}")))];
        let here = Request {
            cells: Some(11),
            ..request(paths, [source, target], &theta, &at(&format!("here{case}")))
        };
        let there = Request { plan: Some(at(&format!("there{case}"))), ..here.clone() };
        let one = run(&here).unwrap();
        let two = ground.solve(&there, 3).unwrap();
        assert_same(&at(&format!("here{case}")), &at(&format!("there{case}")));
        assert_eq!((one.cost.to_bits(), one.entries), (two.cost.to_bits(), two.entries));
        let (plan, _) = expected(source, target, &theta);
        assert!(entries(&at(&format!("there{case}"))) == plan);
    }
    // Without a plan only the cost comes back, and a search on the sample is made here.
    let (source, target) = (&clouds[0].0, &clouds[0].1);
    let paths = [at("a0"), at("b0")].map(|path| path.display().to_string());
    let found = Request {
        direction: None,
        directions: Some(5),
        plan: None,
        ..request(paths, [source, target], &[], &at("x"))
    };
    assert_eq!(run(&found).unwrap().cost.to_bits(), ground.solve(&found, 1).unwrap().cost.to_bits());

    let auto =
        Request { method: Method::Auto { effort: 1, passes: 1 }, direction: None, directions: None, ..found };
    let refused = ground.solve(&auto, 1).unwrap_err();
    assert!(
        matches!(&refused, Error::Setting(words) if words.contains("--method auto regroups")),
        "{refused}"
    );
}
