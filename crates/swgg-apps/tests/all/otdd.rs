//! Distances between data sets: brute force, closed forms, what does not change them, threads, stopping, refusals.

use std::ops::ControlFlow;

use swgg::gaussian::{Gaussian, gaussian_cost};
use swgg::ndarray::Array2;
use swgg::paper::settings::{DIRECTIONS, SEARCH};
use swgg::setting::{Settings as OwnSettings, Value};
use swgg::solver::{Epsilon, Sinkhorn};
use swgg::{Auto, CostIs, Exact, Measure, MinSwgg, Progress, Question, Run, Solver, Stop};
use swgg_apps::otdd::{
    DataSet, Error, LABEL_DISTANCES, LabelDistance, Settings, Size, linkage, otdd, otdd_matrix,
    outer_methods, outer_solver, resized, sample,
};

/// Numbers between 0 and 1, the same for the same seed.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| uniform()).collect()
}

/// Points of `classes` labels in turn, those of a class around a place of its own.
fn rows(n: usize, dim: usize, classes: u32, seed: u64) -> (Vec<f64>, Vec<u32>) {
    let labels: Vec<u32> = (0..n as u32).map(|i| i * 7 % classes).collect();
    let place = |label: u32, c: usize| f64::from(label) * if c.is_multiple_of(2) { 1.5 } else { -0.5 };
    let drawn = numbers(n * dim, seed);
    let points = (0..n * dim).map(|k| place(labels[k / dim], k % dim) + drawn[k] * (1.0 + seed as f64 % 2.0));
    (points.collect(), labels)
}

fn set(n: usize, dim: usize, classes: u32, seed: u64) -> DataSet {
    let (points, labels) = rows(n, dim, classes, seed);
    DataSet::new(points, dim, &labels).unwrap()
}

fn settings(label_distance: LabelDistance, power: f64) -> Settings {
    Settings { label_distance, power }
}

fn distance(a: &DataSet, b: &DataSet, settings: &Settings) -> f64 {
    otdd(a, b, settings, &Auto::default(), &mut Run::default()).unwrap().distance
}

/// Every distance between labels, by its name.
fn all_distances() -> Vec<LabelDistance> {
    let build = |name| LabelDistance::build(name, &OwnSettings::new()).unwrap();
    LABEL_DISTANCES.iter().map(|kind| build(kind.name)).collect()
}

fn sq(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// All orders of `count` things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let with = |order: &Vec<usize>, place: usize| {
        let mut order = order.clone();
        order.insert(place, count - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..count).map(move |place| with(order, place))).collect()
}

/// The cheapest of all matchings, by looking at every one.
fn brute_force(costs: &Array2<f64>) -> f64 {
    let n = costs.nrows();
    let paid = |order: &Vec<usize>| (0..n).map(|i| costs[(i, order[i])]).sum::<f64>() / n as f64;
    orders(n).iter().map(paid).fold(f64::INFINITY, f64::min)
}

#[test]
fn five_points_by_looking_at_every_matching() {
    for seed in 0..20 {
        // Classes of two and of three points on either side.
        let (dim, labels) = (1 + (seed as usize % 3), [0, 1, 0, 1, 1]);
        let [x, y] = [seed, seed + 100].map(|seed| numbers(5 * dim, seed));
        let of = |points: &[f64], label: u32| -> Vec<Vec<f64>> {
            let rows = points.chunks_exact(dim).zip(labels).filter(|(_, own)| *own == label);
            rows.map(|(row, _)| row.to_vec()).collect()
        };
        // Copies of points make classes of one size, which are matched one to one: three of each of two, two of each of three.
        let label_cost = |a: u32, b: u32| {
            let (p, q) = (of(&x, a), of(&y, b));
            let size = if p.len() == q.len() { p.len() } else { p.len() * q.len() };
            let copy = |k: usize, count: usize| k / (size / count);
            brute_force(&Array2::from_shape_fn((size, size), |(i, j)| {
                sq(&p[copy(i, p.len())], &q[copy(j, q.len())])
            }))
        };
        let between = Array2::from_shape_fn((2, 2), |(a, b)| label_cost(a as u32, b as u32));
        for power in [1.0, 2.0] {
            let cost = |(i, j): (usize, usize)| {
                let (p, q) = (&x[i * dim..(i + 1) * dim], &y[j * dim..(j + 1) * dim]);
                (sq(p, q) + between[(labels[i] as usize, labels[j] as usize)]).powf(power / 2.0)
            };
            let expected = brute_force(&Array2::from_shape_fn((5, 5), cost));
            let [a, b] = [&x, &y].map(|points| DataSet::new(points.clone(), dim, &labels).unwrap());
            for label_distance in [LabelDistance::Exact, LabelDistance::Auto] {
                let found =
                    otdd(&a, &b, &settings(label_distance, power), &Exact, &mut Run::default()).unwrap();
                assert!((found.cost - expected).abs() < 1e-9 * (1.0 + expected), "{} {expected}", found.cost);
                assert!((found.distance - expected.powf(1.0 / power)).abs() < 1e-9);
                assert!(found.cost_is == CostIs::Optimal && found.gap.unwrap() < 1e-12);
                let rooted = between.mapv(f64::sqrt);
                assert!((found.label_distances - rooted).iter().all(|off| off.abs() < 1e-9));
            }
        }
    }
}

#[test]
fn gaussians_have_the_closed_form() {
    // Fewer and more points than coordinates, one class each: the distance between labels is that of two Gaussians.
    for (n, m, dim) in [(6, 9, 12), (40, 9, 12), (60, 50, 7), (1, 30, 4)] {
        let (x, y) =
            (numbers(n * dim, 5), numbers(m * dim, 6).iter().map(|x| 3.0 * x - 1.0).collect::<Vec<_>>());
        let fit = |points: &[f64]| Gaussian::fit(&Measure::from_slice(points, dim).unwrap()).unwrap();
        let expected = gaussian_cost(&fit(&x), &fit(&y)).unwrap();
        let (a, b) = (DataSet::new(x, dim, &vec![3; n]).unwrap(), DataSet::new(y, dim, &vec![9; m]).unwrap());
        let found = otdd(&a, &b, &settings(LabelDistance::Bures, 2.0), &Exact, &mut Run::default()).unwrap();
        let square = found.label_distances[(0, 0)].powi(2);
        assert!((square - expected).abs() < 1e-6 * (1.0 + expected), "{n} {m} {dim}: {square} {expected}");
    }
    // Diagonal covariances (points at the ends of the axes): means 5 apart, deviations 1 and 2 along each of two axes.
    let cross = |reach: f64, shift: f64| -> Vec<f64> {
        let r = reach * 2.0_f64.sqrt();
        vec![r + shift, 0.0, -r + shift, 0.0, shift, r, shift, -r]
    };
    let (a, b) = (cross(1.0, 0.0), cross(2.0, 5.0));
    let [a, b] = [a, b].map(|points| DataSet::new(points, 2, &[0; 4]).unwrap());
    let found = otdd(&a, &b, &settings(LabelDistance::Bures, 2.0), &Exact, &mut Run::default()).unwrap();
    assert!((found.label_distances[(0, 0)] - 27.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_data_set_is_no_distance_from_itself() {
    // Low dimensions, and those in which products of coordinates are taken; in another order too.
    for (n, dim) in [(60, 2), (90, 40)] {
        let (points, labels) = rows(n, dim, 3, 4);
        let a = DataSet::new(points.clone(), dim, &labels).unwrap();
        let backwards: Vec<f64> = points.chunks_exact(dim).rev().flatten().copied().collect();
        let turned: Vec<u32> = labels.iter().rev().copied().collect();
        let b = DataSet::new(backwards, dim, &turned).unwrap();
        for label_distance in all_distances() {
            let name = label_distance.name();
            for power in [1.0, 2.0] {
                let settings = settings(label_distance.clone(), power);
                for other in [&a, &b] {
                    let found = distance(&a, other, &settings);
                    // The divergence is zero to the tolerance of its iterations; all others are.
                    let most = if name == "sinkhorn" { 1e-3 } else { 1e-7 };
                    assert!(found <= most, "{name}, power {power}, {n} points: {found}");
                }
            }
        }
    }
}

#[test]
fn symmetric_and_blind_to_names_shifts_and_turns() {
    let (n, m, dim) = (50, 35, 3);
    let ((x, x_labels), (y, y_labels)) = (rows(n, dim, 3, 1), rows(m, dim, 2, 2));
    let of = |points: &[f64], labels: &[u32]| DataSet::new(points.to_vec(), dim, labels).unwrap();
    let (a, b) = (of(&x, &x_labels), of(&y, &y_labels));
    // A turn about the third axis, then a step.
    let moved = |points: &[f64]| -> Vec<f64> {
        points
            .chunks_exact(3)
            .flat_map(|p| [0.6 * p[0] - 0.8 * p[1] + 7.0, 0.8 * p[0] + 0.6 * p[1] - 2.0, p[2] + 900.0])
            .collect()
    };
    let renamed: Vec<u32> = x_labels.iter().map(|label| 90 - 7 * label).collect();
    for label_distance in all_distances() {
        let name = label_distance.name();
        for power in [1.0, 2.0] {
            let settings = settings(label_distance.clone(), power);
            let usual = distance(&a, &b, &settings);
            let near = |other: f64, what: &str| {
                assert!((other - usual).abs() <= 1e-6 * usual, "{name} {power} {what}: {other} {usual}");
            };
            near(distance(&of(&x, &renamed), &b, &settings), "renamed");
            // Random lines see other projections once points are turned, or change places.
            if name != "min-swgg" {
                near(distance(&b, &a, &settings), "symmetric");
                near(distance(&of(&moved(&x), &x_labels), &of(&moved(&y), &y_labels), &settings), "moved");
            }
        }
    }
}

#[test]
fn labels_matter_and_powers_do() {
    // The same points: swapped labels of the same clouds are the same data set, other clouds are not.
    let points = vec![0.0, 1.0, 10.0, 11.0];
    let of = |labels: &[u32]| DataSet::new(points.clone(), 1, labels).unwrap();
    let (apart, swapped, mixed) = (of(&[0, 0, 1, 1]), of(&[1, 1, 0, 0]), of(&[0, 1, 0, 1]));
    let usual = Settings::default();
    assert_eq!(distance(&apart, &swapped, &usual), 0.0);
    // {0, 1} and {10, 11} are 40.5 from the nearer of {0, 10} and {1, 11} in squares, and 50.5 from the other; points stay where they are.
    let found = otdd(&apart, &mixed, &usual, &Auto::default(), &mut Run::default()).unwrap();
    let expected = 0.5 * (40.5_f64.sqrt() + 50.5_f64.sqrt());
    assert!((found.distance - expected).abs() < 1e-12, "{} {expected}", found.distance);
    let squared = distance(&apart, &mixed, &settings(LabelDistance::Auto, 2.0));
    assert!(squared >= found.distance - 1e-12, "the mean of roots is not above the root of the mean");
    // One class on either side is fine.
    assert!(distance(&of(&[5; 4]), &apart, &usual) > 0.0);
}

#[test]
fn min_swgg_is_above_exact_and_more_lines_are_closer() {
    let (a, b) = (set(80, 5, 3, 1), set(80, 5, 3, 2));
    let with = |directions: usize| {
        let mut own = OwnSettings::new();
        own.set(&SEARCH, Value::Word("random".into())).unwrap();
        own.set(&DIRECTIONS, Value::Count(directions)).unwrap();
        let settings = settings(LabelDistance::build("min-swgg", &own).unwrap(), 1.0);
        otdd(&a, &b, &settings, &Exact, &mut Run::seeded(3)).unwrap()
    };
    let exact = otdd(&a, &b, &settings(LabelDistance::Exact, 1.0), &Exact, &mut Run::default()).unwrap();
    let (few, many) = (with(5), with(500));
    assert!(many.label_distances.iter().zip(&few.label_distances).all(|(many, few)| many <= few));
    assert!(exact.label_distances.iter().zip(&many.label_distances).all(|(exact, many)| exact <= many));
    assert!(exact.distance <= many.distance && many.distance <= few.distance);
}

#[test]
fn what_is_shared_between_classes_changes_nothing() {
    // Classes of different sizes, low and high dimensions: random lines and Sinkhorn beside one question for each pair of classes.
    for (n, m, dim) in [(50, 41, 3), (30, 44, 80)] {
        let ((x, of_x), (y, of_y)) = (rows(n, dim, 3, 1), rows(m, dim, 2, 2));
        let (a, b) =
            (DataSet::new(x.clone(), dim, &of_x).unwrap(), DataSet::new(y.clone(), dim, &of_y).unwrap());
        let class = |points: &[f64], labels: &[u32], label: usize| -> Vec<f64> {
            let own = points.chunks_exact(dim).zip(labels).filter(|(_, own)| **own as usize == label);
            own.flat_map(|(row, _)| row.to_vec()).collect()
        };
        let mut lines = OwnSettings::new();
        lines.set(&SEARCH, Value::Word("random".into())).unwrap();
        lines.set(&DIRECTIONS, Value::Count(70)).unwrap();
        let sinkhorn = Sinkhorn { epsilon: Epsilon::Absolute(0.3), ..Sinkhorn::default() };
        let found = |label_distance: LabelDistance| {
            let settings = settings(label_distance, 2.0);
            otdd(&a, &b, &settings, &Exact, &mut Run::seeded(5)).unwrap().label_distances
        };
        let by_lines = found(LabelDistance::build("min-swgg", &lines).unwrap());
        let by_sinkhorn = found(LabelDistance::Sinkhorn { epsilon: sinkhorn.epsilon });
        for (k, l) in (0..3).flat_map(|k| (0..2).map(move |l| (k, l))) {
            let (p, q) = (class(&x, &of_x, k), class(&y, &of_y, l));
            let (mu, nu) = (Measure::from_slice(&p, dim).unwrap(), Measure::from_slice(&q, dim).unwrap());
            let question = Question::new(&mu, &nu).unwrap();
            let line = MinSwgg::new().directions(70).answer(&question, &mut Run::seeded(5)).unwrap();
            assert!((by_lines[(k, l)] - line.cost.sqrt()).abs() < 1e-11 * line.cost.sqrt(), "{k} {l} {dim}");
            let divergence = sinkhorn.divergence(&question, &mut Run::default()).unwrap();
            assert_eq!(by_sinkhorn[(k, l)], divergence.value.sqrt(), "{k} {l} {dim}");
        }
    }
    let mut none = OwnSettings::new();
    none.set(&DIRECTIONS, Value::Count(0)).unwrap();
    assert!(matches!(LabelDistance::build("min-swgg", &none), Err(Error::Transport(_))));
    let settings = settings(LabelDistance::MinSwgg { search: none }, 1.0);
    let (a, b) = (set(20, 2, 2, 1), set(20, 2, 2, 2));
    assert!(matches!(otdd(&a, &b, &settings, &Exact, &mut Run::default()), Err(Error::Transport(_))));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let sets = [set(300, 30, 4, 1), set(240, 30, 3, 2), set(300, 30, 2, 3)];
    for label_distance in all_distances() {
        for power in [1.0, 2.0] {
            let settings = settings(label_distance.clone(), power);
            let on = |threads: usize| {
                let mut run = Run { seed: 5, ..Run::on_threads(threads) };
                otdd_matrix(&sets, &settings, &Auto::default(), &mut run).unwrap()
            };
            let one = on(1);
            for threads in [2, 5] {
                let found = on(threads);
                assert_eq!(found.matrix, one.matrix, "{} on {threads}", label_distance.name());
                assert!(
                    found.pairs.iter().zip(&one.pairs).all(|(a, b)| a.label_distances == b.label_distances)
                );
            }
            assert_eq!(one.matrix, one.matrix.t());
            assert_eq!((one.pairs.len(), one.matrix[(1, 1)], one.stop), (3, 0.0, Stop::Converged));
        }
    }
}

#[test]
fn every_method_of_costs_is_taken() {
    let (a, b) = (set(40, 3, 2, 1), set(40, 3, 2, 2));
    let exact = distance(&a, &b, &Settings::default());
    assert!(outer_methods().contains(&"auto") && !outer_methods().contains(&"min-swgg"));
    for name in outer_methods() {
        let solver = outer_solver(name, &OwnSettings::new()).unwrap();
        let found = otdd(&a, &b, &Settings::default(), &*solver, &mut Run::default()).unwrap();
        assert!(found.distance >= exact - 1e-9 && found.distance < 2.0 * exact, "{name}: {}", found.distance);
    }
    let refusal = outer_solver("gaussian", &OwnSettings::new()).err().unwrap().to_string();
    assert!(
        refusal.starts_with("method \"gaussian\" takes no costs between labelled points; use one of auto"),
        "{refusal}"
    );
}

#[test]
fn stopping_keeps_the_pairs_that_are_done() {
    let sets = [set(60, 2, 2, 1), set(60, 2, 2, 2), set(60, 2, 2, 3)];
    // Five problems a pair: told at each of them, it ends within the second pair.
    let mut told = 0;
    let mut watch = |progress: &Progress| {
        told += 1;
        assert!(progress.tried <= progress.total && progress.total == 15);
        if progress.tried >= 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut run = Run::on_threads(1).watched(&mut watch);
    let found = otdd_matrix(&sets, &Settings::default(), &Auto::default(), &mut run).unwrap();
    assert_eq!((found.stop, found.pairs.len()), (Stop::Interrupted, 1));
    assert!(found.matrix[(0, 1)].is_finite() && found.matrix[(0, 2)].is_nan() && found.matrix[(2, 2)] == 0.0);
    assert_eq!(linkage(&found.matrix), None);
    assert!(told > 0);
    let mut never = |_: &Progress| ControlFlow::Break(());
    let mut run = Run::default().watched(&mut never);
    let nothing = otdd(&sets[0], &sets[1], &Settings::default(), &Auto::default(), &mut run);
    assert!(matches!(nothing, Err(Error::Stopped)));
}

#[test]
fn samples_are_drawn_once_each() {
    let rows = sample(1000, 200, 1).unwrap();
    assert!(rows.windows(2).all(|pair| pair[0] < pair[1]) && rows[199] < 1000);
    assert_ne!(rows, sample(1000, 200, 2).unwrap());
    // All are equally likely: the mean of the rows is that of all.
    let mean = |seed| sample(1000, 200, seed).unwrap().iter().sum::<usize>() as f64 / 200.0;
    let all = (0..50).map(mean).sum::<f64>() / 50.0;
    assert!((all - 499.5).abs() < 12.0, "{all}");
    assert!(matches!(sample(10, 0, 0), Err(Error::NoSamples)));
}

#[test]
fn images_of_another_size() {
    let size = |height, width| Size { height, width };
    // A constant stays one, a ramp stays a ramp inside, and halves are means of what they cover.
    let flat = resized(&[7.0; 16 * 16], size(16, 16), size(28, 28)).unwrap();
    assert!(flat.len() == 784 && flat.iter().all(|x| (x - 7.0).abs() < 1e-12));
    let ramp: Vec<f64> = (0..20).map(f64::from).collect();
    let wide = resized(&ramp, size(1, 20), size(1, 40)).unwrap();
    assert!((1..39).all(|k| (wide[k] - (k as f64 / 2.0 - 0.25)).abs() < 1e-12), "{wide:?}");
    // Reducing by two: weights 1, 3, 3, 1 of eighths, and at the border what is left of them.
    let half = resized(&[0.0, 8.0, 0.0, 0.0, 0.0, 0.0], size(1, 6), size(1, 3)).unwrap();
    let expected = [24.0 / 7.0, 1.0, 0.0];
    assert!(half.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{half:?}");
    // Rows and columns are told apart, and images do not touch each other.
    let two = resized(&[1.0, 2.0, 10.0, 20.0], size(1, 2), size(2, 1)).unwrap();
    assert_eq!(two, [1.5, 1.5, 15.0, 15.0]);
    assert!(matches!(resized(&[1.0], size(0, 1), size(1, 1)), Err(Error::BadSize { .. })));
    assert!(matches!(resized(&[1.0; 5], size(2, 2), size(1, 1)), Err(Error::NotImages { .. })));
}

#[test]
fn refusals() {
    let a = set(20, 2, 2, 1);
    let says = |found: Result<f64, Error>, words: &str| {
        let found = found.unwrap_err().to_string();
        assert!(found.contains(words), "{found}");
    };
    let with =
        |settings: Settings| otdd(&a, &a, &settings, &Exact, &mut Run::default()).map(|found| found.distance);
    says(with(settings(LabelDistance::Auto, 3.0)), "found a power of 3; give 1");
    let epsilon = Epsilon::Absolute(0.0);
    says(with(settings(LabelDistance::Sinkhorn { epsilon }, 1.0)), "an epsilon of 0");
    let other = set(20, 3, 2, 1);
    let found =
        otdd(&a, &other, &Settings::default(), &Exact, &mut Run::default()).map(|found| found.distance);
    says(found, "data set 1 (counted from 0) has points of dimension 3, data set 0 of 2");
    let one = otdd_matrix(std::slice::from_ref(&a), &Settings::default(), &Exact, &mut Run::default());
    says(one.map(|_| 0.0), "found 1 data set; a distance is between at least 2");
    says(DataSet::new(vec![1.0, 2.0], 1, &[0]).map(|_| 0.0), "found 1 labels for 2 points");
    assert!(DataSet::new(vec![1.0, f64::NAN], 1, &[0, 0]).is_err());
    assert!(DataSet::new(Vec::new(), 1, &[]).is_err());
    let unknown = LabelDistance::build("cosine", &OwnSettings::new()).map(|_| 0.0);
    says(
        unknown,
        "there is no distance between labels \"cosine\"; give one of auto, exact, sinkhorn, bures, min-swgg",
    );
    // A solver of squared distances refuses the cost.
    let lines = otdd(&a, &a, &Settings::default(), &MinSwgg::new(), &mut Run::default());
    assert!(matches!(lines, Err(Error::Transport(_))));
}
