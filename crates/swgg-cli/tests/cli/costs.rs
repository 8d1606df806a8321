//! `swgg solve --cost`.

use crate::Scene;

const SOURCE: &str = "x,y\n1,1\n4,1\n1,5\n";
const TARGET: &str = "x,y\n1,2\n5,2\n2,7\n";

fn cost(line: &str) -> f64 {
    let found = scene().json(&format!("solve source.csv target.csv {line}"));
    found["cost"].as_f64().unwrap()
}

/// Two clouds, labels of their points, and what labels cost.
fn scene() -> Scene {
    Scene::clouds(SOURCE, TARGET)
        .with("la.csv", "0\n1\n0\n")
        .with("lb.csv", "1\n1\n0\n")
        .with("d.csv", "0,100\n100,0\n")
        .with("s.csv", "4,0\n0,1\n")
        .with("c.csv", "1,9,9\n9,2,9\n9,9,3\n")
}

#[test]
fn every_cost_by_its_name() {
    let close = |line: &str, expected: f64| {
        let found = cost(line);
        assert!((found - expected).abs() < 1e-12, "{line}: {found}, expected {expected}");
    };
    for method in ["", "--method exact ", "--method tree ", "--method merged "] {
        let close = |line: &str, expected: f64| close(&format!("{method}{line}"), expected);
        close("--cost sqeuclidean", (1.0 + 2.0 + 5.0) / 3.0);
        close("--cost euclidean", (1.0 + 2.0_f64.sqrt() + 5.0_f64.sqrt()) / 3.0);
        close("--cost euclidean --p 2", (1.0 + 2.0 + 5.0) / 3.0);
        close("--p 4", (1.0 + 4.0 + 25.0) / 3.0);
        close("--cost cityblock", 6.0 / 3.0);
        close("--cost chebyshev", 4.0 / 3.0);
        close("--cost minkowski --order 1", 6.0 / 3.0);
        close("--cost minkowski --order inf", 4.0 / 3.0);
        close("--cost cityblock --scales 2,1", 8.0 / 3.0);
        close("--scales 2,1", (1.0 + 5.0 + 8.0) / 3.0);
        close("--cost mahalanobis --covariance s.csv --p 2", (1.0 + 1.25 + 4.25) / 3.0);
        close("--cost-matrix c.csv", 2.0);
    }
    let close = |line: &str, expected: f64| close(&format!("--method exact {line}"), expected);
    let labels = "--cost labelled --label-costs d.csv --source-labels la.csv --target-labels lb.csv";
    // One of the two points of label 0 has to go to one of label 1.
    close(labels, (1.0 + 2.0 + 5.0 + 100.0) / 3.0);
    close(&format!("{labels} --p 1"), (101.0_f64.sqrt() + 2.0_f64.sqrt() + 5.0_f64.sqrt()) / 3.0);
}

#[test]
fn reports_name_the_cost() {
    let scene = scene();
    let found = scene.json("solve source.csv target.csv --cost cityblock");
    assert_eq!((&found["ground"], &found["cost_is"]), (&"cityblock".into(), &"exact".into()), "{found}");
    assert!(scene.json("solve source.csv target.csv")["ground"].is_null());
    let said = scene.works("solve source.csv target.csv --cost chebyshev");
    assert!(said.contains("chebyshev, exact") && said.contains("optimal (certified)"), "{said}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let scene = scene()
        .with("zero.csv", "x,y\n1,1\n0,0\n2,2\n")
        .with("long.csv", "0\n1\n")
        .with("five.csv", "0\n5\n1\n")
        .with("less.csv", "0,-1\n-1,0\n")
        .with("crooked.csv", "0,1\n2,0\n");
    let refuses = |line: &str, message: &str| {
        let ran = scene.run(&format!("solve source.csv {line}"));
        assert!(
            ran.code == Some(2) && ran.stdout.is_empty() && ran.stderr.contains(message),
            "{line}: {ran:?}"
        );
    };
    refuses("target.csv --cost manhattan", "sqeuclidean, euclidean, cityblock");
    refuses("zero.csv --cost cosine", "row 1 of the target is zero");
    refuses("target.csv --cost minkowski --order 0.5", "the order of the norm is 0.5; give 1 or more");
    refuses("target.csv --cost cityblock --scales 1,2,3", "found 3 scales for points of dimension 2");
    refuses("target.csv --cost cosine --p 2", "leave it out, or ask for that cost");
    refuses("target.csv --cost labelled", "--label-costs is missing");
    let labels = "--cost labelled --source-labels la.csv --target-labels lb.csv";
    refuses(&format!("target.csv {labels} --label-costs source.csv"), "3 x 2; give a square matrix");
    let long = "--cost labelled --label-costs d.csv --source-labels long.csv --target-labels lb.csv";
    refuses(&format!("target.csv {long}"), "found 2 labels for 3 points");
    let five = "--cost labelled --label-costs d.csv --source-labels la.csv --target-labels five.csv";
    refuses(
        &format!("target.csv {five}"),
        "row 1 of the target has the label 5; give whole numbers from 0 to 1",
    );
    let negative = "row 0, column 1 is -1; give finite numbers that are not negative";
    refuses(&format!("target.csv {labels} --label-costs less.csv"), negative);
    let crooked = "row 0, column 1 is 1 and row 1, column 0 is 2; give a symmetric matrix";
    refuses(&format!("target.csv {labels} --label-costs crooked.csv"), crooked);
    let outside = "--cost labelled --label-costs d.csv --source-labels la.csv --target-labels source.csv";
    refuses(&format!("target.csv {outside}"), "give one label per point, in one column");
    refuses("target.csv --method min-swgg --cost cityblock", "--cost is not a setting of --method min-swgg");
    refuses("target.csv --cost mahalanobis --covariance c.csv", "the covariance does not fit");
}
