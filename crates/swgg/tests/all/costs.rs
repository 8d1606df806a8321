//! Other ground costs than squared distances.

use crate::common::Draws;
use swgg::cost::{Cosine, GroundCost, Labelled, Mahalanobis, Norm, Power, Scaled, labelled};
use swgg::exact::by_costs;
use swgg::ndarray::{Array2, array};
use swgg::setting::{Settings, Value};
use swgg::solver::settings::{COST, COST_MATRIX, COVARIANCE, LABEL_COSTS, ORDER, POWER, SCALES};
use swgg::solver::settings::{SOURCE_LABELS, TARGET_LABELS};
use swgg::solver::{AskedCost, COSTS, Epsilon, PosedCost, Sinkhorn, build, find};
use swgg::{CostIs, ErrorKind, Exact, Measure, Question, Run, Solver};

/// Going up costs more than going down.
#[derive(Debug)]
struct Uphill;

impl GroundCost for Uphill {
    fn name(&self) -> String {
        "uphill".into()
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        let climb = y[0] - x[0];
        if climb > 0.0 { 3.0 * climb } else { -climb }
    }
}

fn cloud(draws: &mut Draws, n: usize, dim: usize) -> Measure<'static, f64> {
    Measure::from_vec(draws.several(n * dim).iter().map(|x| x - 0.5).collect(), dim).unwrap()
}

/// Costs between four labels: squared distances of places, and others that no places have.
fn between_labels(is_euclidean: bool) -> Array2<f64> {
    let places = [0.0_f64, 0.3, 1.1, 2.0];
    let squares = Array2::from_shape_fn((4, 4), |(i, j)| (places[i] - places[j]).powi(2));
    let far = array![[0.1, 5.0, 0.2, 0.3], [5.0, 0.0, 0.1, 0.2], [0.2, 0.1, 0.0, 4.0], [0.3, 0.2, 4.0, 0.0]];
    if is_euclidean { squares } else { far }
}

/// Every cost there is, and one of our own; those that read labels find them in the last column.
fn all_costs(dim: usize) -> Vec<(Box<dyn GroundCost>, bool)> {
    let scales: Vec<f64> = (0..dim).map(|c| 0.5 + c as f64).collect();
    let covariance = Array2::from_shape_fn((dim, dim), |(i, j)| if i == j { 1.0 + i as f64 } else { 0.2 });
    let power = |p: f64| Power::new(p).unwrap();
    let mahalanobis = |p: f64| Mahalanobis::new(power(p), covariance.view()).unwrap();
    let labels = |is_euclidean, p| Labelled::new(between_labels(is_euclidean).view(), power(p)).unwrap();
    vec![
        (Box::new(Norm::cityblock()), false),
        (Box::new(Norm::chebyshev()), false),
        (Box::new(Norm::minkowski(3.0).unwrap()), false),
        (Box::new(Norm::cityblock().with_scales(&scales).unwrap()), false),
        (Box::new(Scaled::new(power(1.5), &scales).unwrap()), false),
        (Box::new(mahalanobis(1.0)), false),
        (Box::new(mahalanobis(2.0)), false),
        (Box::new(Cosine), false),
        (Box::new(labels(true, 2.0)), true),
        (Box::new(labels(true, 1.0)), true),
        (Box::new(labels(false, 2.0)), true),
        (Box::new(labels(false, 1.0)), true),
        (Box::new(Uphill), false),
    ]
}

/// The cloud as a cost reads it.
fn read(measure: &Measure<'static, f64>, has_labels: bool) -> Measure<'static, f64> {
    if !has_labels {
        return measure.clone();
    }
    let labels: Vec<u32> = (0..measure.len() as u32).map(|i| (i * 7 + 3) % 4).collect();
    let points = labelled(measure.points(), measure.dim(), &labels).unwrap();
    let joined = Measure::from_vec(points, measure.dim() + 1).unwrap();
    match measure.weights() {
        Some(weights) => joined.with_weights(weights).unwrap(),
        None => joined,
    }
}

/// All costs, one by one.
fn matrix(cost: &dyn GroundCost, mu: &Measure, nu: &Measure) -> Array2<f64> {
    Array2::from_shape_fn((mu.len(), nu.len()), |(i, j)| cost.between(mu.point(i), nu.point(j)))
}

#[test]
fn known_costs() {
    let (x, y) = ([1.0, 2.0, 3.0], [1.0, 5.0, 7.0]);
    assert_eq!(Norm::cityblock().between(&x, &y), 7.0);
    assert_eq!(Norm::chebyshev().between(&x, &y), 4.0);
    assert_eq!(Norm::minkowski(2.0).unwrap().between(&x, &y), 5.0);
    assert!((Norm::minkowski(3.0).unwrap().between(&x, &y) - 91.0_f64.powf(1.0 / 3.0)).abs() < 1e-12);
    assert_eq!(Norm::cityblock().with_scales(&[1.0, 2.0, 0.5]).unwrap().between(&x, &y), 8.0);
    assert!((Cosine.between(&[1.0, 0.0], &[5.0, 5.0]) - (1.0 - 0.5_f64.sqrt())).abs() < 1e-15);
    assert!((Cosine.between(&[1e-200, 0.0], &[0.0, 1e200]) - 1.0).abs() < 1e-15);
    let stretched = Mahalanobis::new(Power::PLAIN, array![[4.0, 0.0], [0.0, 1.0]].view()).unwrap();
    assert!((stretched.between(&[0.0, 0.0], &[6.0, 4.0]) - 5.0).abs() < 1e-12);
    let labels = Labelled::new(array![[0.0, 11.0], [11.0, 0.0]].view(), Power::PLAIN).unwrap();
    assert!((labels.between(&[0.0, 0.0, 0.0], &[3.0, 4.0, 1.0]) - 6.0).abs() < 1e-12);
}

#[test]
fn what_is_said_about_many_pairs_and_boxes_is_true() {
    let mut draws = Draws(5);
    for dim in [1, 2, 3, 9] {
        for (cost, has_labels) in all_costs(dim) {
            let [mu, nu] = [20, 30].map(|n| read(&cloud(&mut draws, n, dim), has_labels));
            let wide = mu.dim();
            let columns: Vec<Vec<f64>> =
                (0..wide).map(|c| (0..nu.len()).map(|j| nu.point(j)[c]).collect()).collect();
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let low: Vec<f64> =
                columns.iter().map(|c| c.iter().copied().fold(f64::INFINITY, f64::min)).collect();
            let high: Vec<f64> =
                columns.iter().map(|c| c.iter().copied().fold(-f64::INFINITY, f64::max)).collect();
            let embedded = cost.embedded([mu.points(), nu.points()], wide).unwrap();
            for i in 0..mu.len() {
                let mut filled = vec![0.0; nu.len()];
                cost.fill(mu.point(i), &columns, &mut filled);
                let least = cost.least(mu.point(i), &low, &high);
                for (j, filled) in filled.into_iter().enumerate() {
                    let paid = cost.between(mu.point(i), nu.point(j));
                    assert!(
                        (filled - paid).abs() <= 1e-12 * (1.0 + paid),
                        "{}: {filled} {paid}",
                        cost.name()
                    );
                    assert!(least <= paid + 1e-12, "{}: {least} {paid}", cost.name());
                    if let Some(form) = &embedded.is {
                        let row = |side: usize, k: usize| {
                            &embedded.points[side][k * embedded.dim..(k + 1) * embedded.dim]
                        };
                        let gaps = row(0, i).iter().zip(row(1, j)).map(|(x, y)| (x - y).powi(2));
                        let offset =
                            |side: usize, k: usize| form.offsets[side].get(k).copied().unwrap_or(0.0);
                        let distance = gaps.sum::<f64>().sqrt();
                        let there = form.factor * distance.powf(form.power.exponent());
                        let there = there + offset(0, i) + offset(1, j);
                        assert!(
                            (there - paid).abs() <= 1e-9 * (1.0 + paid),
                            "{}: {there} {paid}",
                            cost.name()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn exact_transport_is_that_of_the_matrix() {
    let mut draws = Draws(11);
    for (n, m, dim, weighted) in [(1, 1, 2, false), (30, 30, 2, false), (25, 40, 3, true), (40, 40, 9, true)]
    {
        for (cost, has_labels) in all_costs(dim) {
            let mut side = |count: usize| {
                let measure = cloud(&mut draws, count, dim);
                let mut weights = draws.several(count);
                // Some points carry nothing.
                weights.iter_mut().skip(1).step_by(7).for_each(|weight| *weight = 0.0);
                let measure = if weighted { measure.with_weights(&weights).unwrap() } else { measure };
                read(&measure, has_labels)
            };
            let (mu, nu) = (side(n), side(m));
            let costs = matrix(&*cost, &mu, &nu);
            let best = by_costs(costs.view(), mu.weights(), nu.weights(), &mut Run::default()).unwrap().cost;
            let question = Question::new(&mu, &nu).unwrap().with_cost(&*cost).unwrap();
            let found = Exact.answer(&question, &mut Run::default()).unwrap();
            assert!(
                (found.cost - best).abs() <= 1e-9 * (1.0 + best),
                "{}: {} {best}",
                cost.name(),
                found.cost
            );
            assert_eq!(found.cost_is, CostIs::Optimal);
            let plan = found.plan().unwrap();
            assert!(plan.marginal_gap(&mu, &nu).unwrap() < 1e-12);
            let paid: f64 = plan.entries().map(|(i, j, mass)| mass * costs[[i, j]]).sum();
            assert!((paid - found.cost).abs() <= 1e-12 * (1.0 + paid));
            let potentials = found.potentials.unwrap();
            for ((i, j), cost) in costs.indexed_iter() {
                let room = cost - potentials.source[i] - potentials.target[j];
                assert!(room >= -1e-9 * (1.0 + cost), "{room} at {i}, {j}");
            }
        }
    }
}

#[test]
fn lines_trees_and_entropy_take_every_cost() {
    let mut draws = Draws(17);
    for (n, m, dim, weighted) in [(60, 60, 2, false), (50, 45, 3, true)] {
        for (cost, has_labels) in all_costs(dim) {
            let mut side = |count: usize| {
                let measure = cloud(&mut draws, count, dim);
                let weights = draws.several(count);
                let measure = if weighted { measure.with_weights(&weights).unwrap() } else { measure };
                read(&measure, has_labels)
            };
            let (mu, nu) = (side(n), side(m));
            let question = Question::new(&mu, &nu).unwrap().with_cost(&*cost).unwrap();
            let best = Exact.answer(&question, &mut Run::default()).unwrap().cost;
            for name in ["auto", "tree", "merged", "sinkhorn"] {
                let solver = build::<f64>(find(name).unwrap(), &Settings::new()).unwrap();
                let found = solver.answer(&question, &mut Run::default()).unwrap();
                let (plan, what) = (found.plan().unwrap(), format!("{name}, {}", cost.name()));
                assert!(plan.marginal_gap(&mu, &nu).unwrap() < 1e-9, "{what}");
                let paid: f64 =
                    plan.entries().map(|(i, j, mass)| mass * cost.between(mu.point(i), nu.point(j))).sum();
                assert!((paid - found.cost).abs() <= 1e-9 * (1.0 + paid), "{what}: {paid} {}", found.cost);
                assert!(best <= found.cost * (1.0 + 1e-9), "{what}: {best} {}", found.cost);
                assert!(found.lower_bound.is_none_or(|bound| bound <= best * (1.0 + 1e-9) + 1e-12), "{what}");
                assert!(found.cost <= 2.0 * best + 0.1, "{what}: {best} {}", found.cost);
                if name == "auto" {
                    assert!(found.cost <= best * (1.0 + 1e-9), "{what}: {best} {}", found.cost);
                }
            }
        }
    }
}

#[test]
fn settings_make_the_cost() {
    let mut draws = Draws(23);
    let (mu, nu) = (cloud(&mut draws, 20, 2), cloud(&mut draws, 30, 2));
    let labels = |count: u32| Value::Labels((0..count).map(|i| i % 4).collect());
    let with = |given: Vec<(&'static swgg::setting::Setting, Value)>| {
        let mut settings = Settings::new();
        given.into_iter().for_each(|(setting, value)| settings.set(setting, value).unwrap());
        settings
    };
    let cost = |name: &str| (&COST, Value::Word(name.into()));
    let scales = (&SCALES, Value::Vector(vec![2.0, 0.5]));
    let asked = [
        (vec![cost("cityblock")], "cityblock"),
        (vec![cost("chebyshev")], "chebyshev"),
        (vec![cost("minkowski"), (&ORDER, Value::Number(3.0))], "minkowski"),
        (vec![cost("cosine")], "cosine"),
        (vec![cost("mahalanobis")], "mahalanobis"),
        (vec![cost("mahalanobis"), (&COVARIANCE, Value::Costs(Array2::eye(2)))], "mahalanobis"),
        (vec![scales.clone()], "sqeuclidean"),
        (vec![cost("euclidean"), scales.clone()], "euclidean"),
        (vec![cost("cityblock"), scales], "cityblock"),
        (
            vec![
                cost("labelled"),
                (&LABEL_COSTS, Value::Costs(between_labels(true))),
                (&SOURCE_LABELS, labels(20)),
                (&TARGET_LABELS, labels(30)),
                (&POWER, Value::Number(1.0)),
            ],
            "labelled",
        ),
    ];
    for (given, name) in asked {
        let settings = with(given);
        assert!(matches!(AskedCost::of(&settings).unwrap(), AskedCost::Other(_)), "{name}");
        let posed = PosedCost::new(&settings, &mu, &nu).unwrap();
        let found = Exact.answer(&posed.question().unwrap(), &mut Run::default()).unwrap();
        assert!(found.cost > 0.0 && found.cost_is == CostIs::Optimal, "{name}");
    }
    assert!(COSTS.contains(&"euclidean"));
    let plain = with(vec![cost("euclidean")]);
    assert!(matches!(AskedCost::of(&plain).unwrap(), AskedCost::Power(p) if p == Power::PLAIN));
    let cubed = with(vec![(&POWER, Value::Number(3.0))]);
    assert!(matches!(AskedCost::of(&cubed).unwrap(), AskedCost::Power(p) if p.exponent() == 3.0));
    // What does not go together.
    for given in [
        vec![(&ORDER, Value::Number(3.0))],
        vec![cost("cosine"), (&POWER, Value::Number(1.0))],
        vec![cost("sqeuclidean"), (&POWER, Value::Number(2.0))],
        vec![cost("cosine"), (&SCALES, Value::Vector(vec![1.0, 1.0]))],
        vec![(&COVARIANCE, Value::Costs(Array2::eye(2)))],
        vec![(&COST_MATRIX, Value::Costs(Array2::zeros((20, 30)))), (&POWER, Value::Number(2.0))],
    ] {
        let settings = with(given);
        assert!(AskedCost::of(&settings).is_err());
    }
    let missing = with(vec![cost("labelled")]);
    assert!(PosedCost::new(&missing, &mu, &nu).is_err());
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let mu = Measure::from_slice(&[1.0, 2.0, 0.0, 0.0], 2).unwrap();
    let nu = Measure::from_slice(&[1.0, 2.0, 3.0, 0.0], 2).unwrap();
    let kind = |cost: &dyn GroundCost| {
        let error = Question::new(&mu, &nu).unwrap().with_cost(cost).unwrap_err();
        (format!("{:?}", error.kind()), error.to_string())
    };
    let (zero, message) = kind(&Cosine);
    assert!(zero.starts_with("ZeroVector") && message.contains("row 1 of the source"), "{message}");
    assert!(kind(&Norm::cityblock().with_scales(&[1.0]).unwrap()).0.starts_with("ScaleCount"));
    assert!(
        kind(&Mahalanobis::new(Power::PLAIN, Array2::eye(3).view()).unwrap()).0.starts_with("BadCovariance")
    );
    let labels = Labelled::new(Array2::zeros((2, 2)).view(), Power::SQUARED).unwrap();
    let (bad, message) = kind(&labels);
    assert!(
        bad.starts_with("BadLabel") && message.contains("label 2") && message.contains("from 0 to 1"),
        "{message}"
    );
    assert!(matches!(
        labelled(&[0.0; 6], 2, &[1]).unwrap_err().kind(),
        ErrorKind::LabelCount { found: 1, expected: 3 }
    ));
    let bad_labels =
        |costs: Array2<f64>| Labelled::new(costs.view(), Power::SQUARED).unwrap_err().to_string();
    assert!(bad_labels(Array2::zeros((2, 3))).contains("2 x 3; give a square matrix"));
    assert!(bad_labels(array![[0.0, 1.0], [2.0, 0.0]]).contains("give a symmetric matrix"));
    assert!(bad_labels(array![[0.0, -1.0], [-1.0, 0.0]]).contains("not negative"));
    assert!(bad_labels(array![[0.0, f64::NAN], [0.0, 0.0]]).contains("finite"));
    let bad_covariance = |s: Array2<f64>| Mahalanobis::new(Power::PLAIN, s.view()).unwrap_err().to_string();
    assert!(bad_covariance(array![[1.0, 0.0]]).contains("square"));
    assert!(bad_covariance(array![[1.0, 0.5], [0.0, 1.0]]).contains("symmetric"));
    assert!(bad_covariance(array![[1.0, 2.0], [2.0, 1.0]]).contains("eigenvalue"));
    assert!(bad_covariance(Array2::zeros((2, 2))).contains("zero"));
    assert!(Norm::minkowski(0.5).is_err() && Norm::minkowski(f64::NAN).is_err());
    assert!(Norm::cityblock().with_scales(&[1.0, -1.0]).is_err());
}

#[test]
fn an_epsilon_is_in_the_units_of_any_cost() {
    let draws = &mut Draws(77);
    let (mu, nu) = (cloud(draws, 40, 3), cloud(draws, 31, 3));
    let costs = matrix(&Cosine, &mu, &nu);
    let question = || Question::new(&mu, &nu).unwrap();
    let sinkhorn = Sinkhorn { epsilon: Epsilon::Absolute(0.2), tolerance: 1e-10, ..Default::default() };
    let by_points = sinkhorn.answer(&question().with_cost(&Cosine).unwrap(), &mut Run::default()).unwrap();
    let by_matrix =
        sinkhorn.answer(&question().with_costs(costs.view()).unwrap(), &mut Run::default()).unwrap();
    for fact in ["value", "epsilon"] {
        let [here, there] = [&by_points, &by_matrix].map(|found| found.number(fact).unwrap());
        assert!((here - there).abs() < 1e-9, "{fact}: {here} and {there}");
    }
    assert!((by_points.cost - by_matrix.cost).abs() < 1e-8);
}

/// Costs of all pairs at once, for costs that have a quicker way; close points, equal ones and a far origin included.
#[test]
fn blocks_are_what_pairs_pay() {
    let mut draws = Draws(11);
    for (dim, offset) in [(3, 0.0), (20, 0.0), (20, 1e6), (64, -3.0)] {
        for p in [1.0, 2.0, 1.5] {
            let cost = Labelled::new(between_labels(false).view(), Power::new(p).unwrap()).unwrap();
            let mut points = draws.several(17 * dim);
            points.iter_mut().for_each(|x| *x += offset);
            // A copy of the first point, and one beside the second.
            points.copy_within(0..dim, 2 * dim);
            points.copy_within(dim..2 * dim, 3 * dim);
            points[3 * dim] += 1e-7;
            let labels: Vec<u32> = (0..17).map(|i| i % 4).collect();
            let rows = labelled(&points, dim, &labels).unwrap();
            let (sources, targets) = (&rows[..9 * (dim + 1)], &rows[2 * (dim + 1)..]);
            let mut costs = vec![f64::NAN; 9 * 15];
            let is_done = cost.fill_block(sources, targets, dim + 1, &mut costs);
            assert_eq!(is_done, dim >= 16);
            for (k, found) in costs.iter().enumerate().filter(|_| is_done) {
                let at = |rows: &'_ [f64], i: usize| rows[i * (dim + 1)..(i + 1) * (dim + 1)].to_vec();
                let paid = cost.between(&at(sources, k / 15), &at(targets, k % 15));
                assert!((found - paid).abs() <= 1e-11 * paid, "{dim} {offset} {p}: {found} {paid}");
            }
        }
    }
}

/// Clouds of different sizes in many dimensions: an auction with all pairs before it, and its proof.
#[test]
fn plans_that_split_points_in_many_dimensions() {
    let mut draws = Draws(3);
    let labels = |n: u32| -> Vec<u32> { (0..n).map(|i| i % 4).collect() };
    let mut side = |n: u32| {
        let points = draws.several(n as usize * 128);
        Measure::from_vec(labelled(&points, 128, &labels(n)).unwrap(), 129).unwrap()
    };
    let (mu, nu) = (side(2600), side(2510));
    let cost = Labelled::new(between_labels(false).view(), Power::PLAIN).unwrap();
    let question = Question::new(&mu, &nu).unwrap().with_cost(&cost).unwrap();
    let found = swgg::Auto::default().answer(&question, &mut Run::default()).unwrap();
    assert!(found.story.contains("an auction"), "{}", found.story);
    assert!(found.gap().unwrap() <= 5e-3, "{:?}", found.gap());
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12);
    let one = swgg::Auto::default().answer(&question, &mut Run::on_threads(1)).unwrap();
    assert_eq!((one.cost, one.lower_bound), (found.cost, found.lower_bound));
}
