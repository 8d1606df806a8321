//! Numbers at the edge: far from the origin, tiny, huge, weights over twenty orders of magnitude. Bounds stay bounds, against the
//! optimum in exact arithmetic, but for an allowance that is a part of the promise: rounding to nearest, of costs as large as the
//! squared extent of both clouds.

use swgg::setting::Settings;
use swgg::solver::{METHODS, build};
use swgg::{CostIs, Measure, Run, Transport};
use swgg_testkit::{SmallProblem, gaussian_pair};

use crate::common::question;

/// A family of clouds: what is done to their coordinates, and to the weights of the points.
struct Edge {
    name: &'static str,
    coordinate: fn(f64) -> f64,
    weight: fn(usize) -> f64,
}

fn even(_: usize) -> f64 {
    1.0
}

const EDGES: [Edge; 9] = [
    Edge { name: "as they are", coordinate: |x| x, weight: even },
    Edge { name: "1e9 from the origin", coordinate: |x| x + 1e9, weight: even },
    Edge { name: "1e9 from the origin, near each other", coordinate: |x| 1e9 + 1e-6 * x, weight: even },
    Edge { name: "scale 1e-100", coordinate: |x| 1e-100 * x, weight: even },
    Edge { name: "scale 1e-200", coordinate: |x| 1e-200 * x, weight: even },
    Edge { name: "scale 1e100", coordinate: |x| 1e100 * x, weight: even },
    Edge { name: "scale 1e140", coordinate: |x| 1e140 * x, weight: even },
    Edge { name: "denormal", coordinate: |x| 1e-310 * x, weight: even },
    Edge {
        name: "weights over twenty orders",
        coordinate: |x| x,
        weight: |i| 10.0_f64.powi(-5 * (i % 5) as i32),
    },
];

fn problem(edge: &Edge, (n, m, d): (usize, usize, usize), seed: u64) -> SmallProblem {
    let (x, y) = gaussian_pair(n.max(m), d, d, seed);
    let moved =
        |points: &[f64], count: usize| points[..count * d].iter().map(|&x| (edge.coordinate)(x)).collect();
    let weights = |count: usize| (0..count).map(edge.weight).collect();
    SmallProblem { x: moved(&x.points, n), y: moved(&y.points, m), dim: d, a: weights(n), b: weights(m) }
}

fn measures(problem: &SmallProblem) -> [Measure<'_, f64>; 2] {
    let measure = |points, weights: &[f64]| {
        let measure = Measure::from_slice(points, problem.dim).unwrap();
        if weights.iter().all(|w| *w == 1.0) { measure } else { measure.with_weights(weights).unwrap() }
    };
    [measure(&problem.x, &problem.a), measure(&problem.y, &problem.b)]
}

#[test]
fn bounds_are_bounds_in_exact_arithmetic() {
    let (mut held, mut wrong) = (0, Vec::new());
    for edge in &EDGES {
        for (shape, seed) in [((5, 5, 2), 1), ((4, 6, 2), 2), ((6, 6, 1), 3), ((3, 5, 4), 4)] {
            let problem = problem(edge, shape, seed);
            let (truth, allowed) = (problem.truth(), problem.rounding());
            let [mu, nu] = measures(&problem);
            for method in METHODS.iter().filter(|method| method.name != "line") {
                let solver = build::<f64>(method, &Settings::new()).unwrap();
                let mut run = Run { seed: 3, ..Run::on_threads(1) };
                let found: Transport = match solver.answer(&question(&mu, &nu), &mut run) {
                    Ok(found) => found,
                    // Refused with a reason is fine; wrong is not.
                    Err(_) => continue,
                };
                let what = format!("{}, {}, {shape:?}", method.name, edge.name);
                if let Some(bound) = found.lower_bound {
                    if !truth.is_at_least(bound - allowed) {
                        wrong.push(format!("{what}: a bound of {bound:e} is above the optimum"));
                    }
                    held += 1;
                }
                let is_plan = matches!(found.cost_is, CostIs::Optimal | CostIs::Upper);
                if is_plan && !truth.is_at_most(1.0, found.cost + allowed) {
                    wrong.push(format!("{what}: a cost of {:e} is below the optimum", found.cost));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // All but refusals, which are few.
    assert!(held >= 300, "only {held} bounds were held against the truth");
}
