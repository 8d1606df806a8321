//! `swgg solve --mass` and its kin.

use crate::Scene;

/// Two clouds of the plane, the last point of the first one far off.
const NEAR: &str = "x,y\n0,0\n1,0\n2,0\n90,90\n";
const MOVED: &str = "x,y\n0,1\n1,1\n2,1\n3,1\n";

#[test]
fn outliers_stay() {
    let scene = Scene::clouds(NEAR, MOVED);
    for method in ["auto", "exact"] {
        let found =
            scene.json(&format!("solve source.csv target.csv --method {method} --mass 0.75 --plan plan.csv"));
        assert_eq!(found["cost"].as_f64(), Some(0.75), "{found}");
        assert_eq!((&found["cost_is"], found["moved"].as_f64()), (&"exact".into(), Some(0.75)), "{found}");
        assert_eq!(found["unmatched_source"], serde_json::json!([{ "index": 3, "mass": 0.25 }]), "{found}");
        assert_eq!(found["unmatched_target"], serde_json::json!([{ "index": 3, "mass": 0.25 }]), "{found}");
        assert_eq!(scene.plan("plan.csv"), [(0, 0, 0.25), (1, 1, 0.25), (2, 2, 0.25)]);
    }
    let summary = scene.works("solve source.csv target.csv --mass 0.75");
    let said = "75 % of the mass; mass stayed at 1 point of the source and 1 point of the target";
    assert!(summary.contains(said), "{summary}");
    // At a cost: those that are one away.
    let found = scene.json("solve source.csv target.csv --discard-cost 1.5");
    assert_eq!((found["moved_share"].as_f64(), found["multiplier"].as_f64()), (Some(0.75), Some(1.5)));
    let all = scene.json("solve source.csv target.csv --mass 1");
    assert_eq!(all["cost"], scene.json("solve source.csv target.csv")["cost"]);
    assert_eq!(all["unmatched_source"], serde_json::json!([]));
}

#[test]
fn totals_may_differ() {
    let scene = Scene::clouds("0\n1\n", "0\n1\n9\n").with("a.csv", "1\n1\n").with("b.csv", "1\n1\n1\n");
    let line = "solve source.csv target.csv --method exact --source-weights a.csv --target-weights b.csv";
    let found = scene.json(&format!("{line} --mass-source 1"));
    assert_eq!((found["cost"].as_f64(), found["moved"].as_f64()), (Some(0.0), Some(2.0)), "{found}");
    assert_eq!(found["unmatched_source"], serde_json::json!([]));
    scene.refuses(
        &format!("{line} --mass-target 1"),
        "--mass-target is 1, which is a mass of 3, and the other side has 2; give at most 0.6666666666666666",
    );
}

#[test]
fn refusals() {
    let scene = Scene::clouds(NEAR, MOVED);
    let refuses =
        |flags: &str, message: &str| scene.refuses(&format!("solve source.csv target.csv {flags}"), message);
    for share in ["0", "-0.5", "1.5", "NaN"] {
        refuses(
            &format!("--mass {share}"),
            &format!("mass is {share}; give a share of the smaller total, above 0 and at most 1"),
        );
    }
    refuses(
        "--discard-cost -1",
        "discard_cost is -1; give a cost of 0 or more: what moving a unit of mass is worth",
    );
    refuses(
        "--discard-cost NaN",
        "discard_cost is NaN; give a cost of 0 or more: what moving a unit of mass is worth",
    );
    refuses(
        "--method tree --mass 0.5",
        "--mass is not a setting of --method tree; leave it out, or use --method auto|exact",
    );
    refuses(
        "--mass-source 0.5 --mass-target 0.5",
        "--mass-source says how much moves, and so does mass_target; give one of them",
    );
    refuses(
        "--method sinkhorn --tau-a 0",
        "tau_a is 0; give a number above 0 and at most 1, which meets the weights exactly",
    );
}
