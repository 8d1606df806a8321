//! Many lines, one plan: the default solver and its parts.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::common::{Draws, plain, question};
use swgg::{
    Auto, ErrorKind, Measure, Merged, MinSwgg, Parallelism, Progress, Run, Solver, Stop, Transport, Trees,
};
use swgg::{answer::Fact, exact::exact, solve};

/// Two clouds of a family, drawn from a seed.
fn pair(family: &str, n: usize, dim: usize, seed: u64) -> [Vec<f64>; 2] {
    let mut draws = Draws(seed);
    let mut normal = || (0..12).map(|_| draws.next()).sum::<f64>() - 6.0;
    match family {
        "gauss" => {
            let [a, b]: [Vec<f64>; 2] = std::array::from_fn(|_| (0..dim * dim).map(|_| normal()).collect());
            let mut cloud = |matrix: &[f64]| {
                let mut rows = Vec::with_capacity(n * dim);
                for _ in 0..n {
                    let z: Vec<f64> = (0..dim).map(|_| normal()).collect();
                    let rotated = (0..dim).map(|c| (0..dim).map(|k| z[k] * matrix[k * dim + c]).sum::<f64>());
                    rows.extend(rotated.map(|x| x / (dim as f64).sqrt()));
                }
                rows
            };
            [cloud(&a), cloud(&b)]
        }
        "cube" => [0, 1].map(|_| draws.several(n * dim)),
        "ring" => {
            let disc = |draws: &mut Draws, low: f64, high: f64| -> Vec<f64> {
                let polar = (0..n).map(|_| (draws.next(), draws.next())).collect::<Vec<_>>();
                let radius = |u: f64| (low * low + u * (high * high - low * low)).sqrt();
                polar
                    .iter()
                    .flat_map(|&(u, v)| {
                        let (sine, cosine) = (std::f64::consts::TAU * v).sin_cos();
                        [radius(u) * cosine, radius(u) * sine]
                    })
                    .collect()
            };
            [disc(&mut draws, 0.0, 1.0), disc(&mut draws, 1.5, 2.0)]
        }
        _ => unreachable!(),
    }
}

fn measures([x, y]: &[Vec<f64>; 2], dim: usize) -> (Measure<'_>, Measure<'_>) {
    (Measure::from_slice(x, dim).unwrap(), Measure::from_slice(y, dim).unwrap())
}

/// Weights from 1 to 5.
fn uneven(measure: Measure<'_>) -> Measure<'_> {
    let weights: Vec<f64> = (0..measure.len()).map(|k| 1.0 + (k * 13 % 41) as f64 / 10.0).collect();
    measure.with_weights(&weights).unwrap()
}

/// Which part of the default solver found the plan.
fn part(found: &Transport) -> &str {
    match found.fact("solver") {
        Some(Fact::Text(part)) => part,
        other => panic!("{other:?}"),
    }
}

/// The same but for the time it took.
fn timeless(found: Transport) -> Transport {
    let mut found = found;
    found.bound_seconds = 0.0;
    found
}

#[test]
fn small_problems_are_solved_exactly() {
    for (family, n, dim) in [("gauss", 300, 3), ("cube", 500, 4), ("ring", 400, 2)] {
        let clouds = pair(family, n, dim, 1);
        let (mu, nu) = measures(&clouds, dim);
        for (mu, nu) in [(mu.clone(), nu.clone()), (uneven(mu), nu)] {
            let (found, best) = (solve(&mu, &nu).unwrap(), exact(&mu, &nu).unwrap());
            assert_eq!(
                (found.cost, found.plan().unwrap(), part(&found)),
                (best.cost, best.plan().unwrap(), "exact")
            );
            assert!(found.gap().unwrap() < 1e-9);
        }
    }
}

#[test]
fn clouds_on_a_line_are_sorted() {
    let clouds = [(0..9000).map(|k| f64::from(k * k % 7919)).collect(), pair("cube", 3000, 3, 2)[0].clone()];
    let on_line: Vec<f64> = clouds[0].iter().step_by(3).flat_map(|t| [*t, 2.0 * t, -t]).collect();
    let (mu, nu) = (Measure::from_slice(&on_line, 3).unwrap(), Measure::from_slice(&clouds[1], 3).unwrap());
    let found = solve(&mu, &nu).unwrap();
    assert_eq!((part(&found), found.gap()), ("line", Some(0.0)));
    assert_eq!(found.cost, swgg::paper::line_transport(&mu, &nu).unwrap().cost);
}

#[test]
fn more_effort_never_costs_more() {
    let clouds = pair("ring", 6000, 2, 3);
    let (mu, nu) = measures(&clouds, 2);
    let costs: Vec<f64> =
        (1..=7).map(|effort| plain(Auto { effort }, &mu, &nu, Run::default()).cost).collect();
    assert!(costs.windows(2).all(|pair| pair[1] <= pair[0]), "{costs:?}");
    assert!(costs[6] < costs[0], "{costs:?}");
    let mu = uneven(mu);
    let nu = Measure::from_slice(&clouds[1][..8000], 2).unwrap();
    let costs: Vec<f64> =
        (1..=4).map(|effort| plain(Auto { effort }, &mu, &nu, Run::default()).cost).collect();
    assert!(costs.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "{costs:?}");
}

#[test]
fn effort_is_worth_it() {
    let clouds = pair("gauss", 1500, 3, 4);
    let (mu, nu) = measures(&clouds, 3);
    let best = exact(&mu, &nu).unwrap().cost;
    let shift: f64 = mu.mean().iter().zip(nu.mean()).map(|(a, b)| (a - b).powi(2)).sum();
    for (effort, worst) in [(1, 0.02), (4, 0.004)] {
        let found = Auto { effort }.solve(&mu, &nu).unwrap();
        assert_eq!(part(&found), "refined");
        let excess = (found.cost - best) / (best - shift);
        assert!(excess <= worst, "effort {effort}: {excess}");
        assert!(found.lower_bound.unwrap() <= best && found.gap().unwrap() <= 0.03, "{:?}", found.gap());
    }
}

#[test]
fn merged_is_never_above_the_best_line() {
    for (family, n, dim) in [("gauss", 400, 3), ("cube", 300, 6), ("ring", 500, 2)] {
        let clouds = pair(family, n, dim, 5);
        let (mu, nu) = measures(&clouds, dim);
        let smaller = Measure::from_slice(&clouds[1][..n / 2 * dim], dim).unwrap();
        for (mu, nu) in [(mu.clone(), nu), (uneven(mu), smaller)] {
            for directions in [1, 2, 7, 40] {
                let best = plain(MinSwgg::new().directions(directions), &mu, &nu, Run::seeded(9)).cost;
                let merged = plain(Merged { directions }, &mu, &nu, Run::seeded(9));
                assert!(
                    merged.cost <= best * (1.0 + 1e-12),
                    "{family}, {directions}: {} {best}",
                    merged.cost
                );
                assert_eq!(merged.steps, directions);
                assert!(merged.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-15);
                if directions == 1 {
                    assert!((merged.cost / best - 1.0).abs() < 1e-12);
                }
            }
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let clouds = pair("gauss", 6000, 3, 6);
    let (mu, nu) = measures(&clouds, 3);
    let smaller = Measure::from_slice(&clouds[1][..12_000], 3).unwrap();
    // More lines than there are between two reports, and a few where each takes longer.
    for (mu, nu, directions) in [(mu.clone(), nu, 75), (uneven(mu), smaller, 9)] {
        let all = |threads: usize| -> [Transport; 3] {
            let run = || Run { seed: 1, ..Run::on_threads(threads) };
            let question = question(&mu, &nu);
            [
                timeless(Auto { effort: 3 }.answer(&question, &mut run()).unwrap()),
                timeless(Trees { trees: 5 }.answer(&question, &mut run()).unwrap()),
                plain(Merged { directions }, &mu, &nu, run()),
            ]
        };
        let one = all(1);
        assert!(all(2) == one && all(5) == one);
    }
}

#[test]
fn seeds_matter_and_repeat() {
    let clouds = pair("cube", 3000, 3, 7);
    let (mu, nu) = measures(&clouds, 3);
    let with = |seed| plain(Trees { trees: 2 }, &mu, &nu, Run::seeded(seed));
    assert_eq!(with(3), with(3));
    assert_ne!(with(3).coupling, with(4).coupling);
}

#[test]
fn single_and_double_precision_agree() {
    let clouds = pair("gauss", 2000, 3, 8);
    let single: [Vec<f32>; 2] = clouds.map(|cloud| cloud.iter().map(|x| *x as f32).collect());
    let double = [0, 1].map(|k| single[k].iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
    let auto = Auto { effort: 2 };
    let narrow = auto
        .solve(&Measure::from_slice(&single[0], 3).unwrap(), &Measure::from_slice(&single[1], 3).unwrap())
        .unwrap();
    let (mu, nu) = measures(&double, 3);
    let wide = auto.solve(&mu, &nu).unwrap();
    assert_eq!((narrow.cost, narrow.coupling), (wide.cost, wide.coupling));
}

#[test]
fn equal_weights_are_no_weights() {
    let clouds = pair("cube", 1200, 3, 9);
    let (mu, nu) = measures(&clouds, 3);
    let auto = Auto { effort: 1 };
    let plain = timeless(auto.solve(&mu, &nu).unwrap());
    let weighed = auto.solve(&mu.with_weights(&[0.3; 1200]).unwrap(), &nu).unwrap();
    assert_eq!(plain, timeless(weighed));
    assert!(plain.plan().unwrap().is_matching());
}

#[test]
fn time_limits_and_observers_end_it() {
    let clouds = pair("gauss", 6000, 3, 10);
    let (mu, nu) = measures(&clouds, 3);
    let found = plain(Auto::default(), &mu, &nu, Run::for_at_most(Duration::ZERO));
    assert_eq!(
        (found.stop, found.number("trees"), found.number("passes")),
        (Stop::TimeLimit, Some(1.0), Some(0.0))
    );
    assert!(found.plan().unwrap().is_matching());
    let mut steps = 0;
    let mut watch = |progress: &Progress| {
        steps += 1;
        assert!(progress.best.is_finite() && progress.tried <= progress.total);
        if steps == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = Auto::default().answer(&question(&mu, &nu), &mut Run::default().watched(&mut watch)).unwrap();
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.lower_bound.unwrap() <= found.cost);
    // Time enough: small problems end with the optimum.
    let small = Measure::from_slice(&clouds[0][..300], 3).unwrap();
    let other = Measure::from_slice(&clouds[1][..300], 3).unwrap();
    let within = |seconds| {
        let mut run = Run::for_at_most(Duration::from_secs(seconds));
        Auto::default().answer(&question(&small, &other), &mut run).unwrap()
    };
    let found = within(600);
    assert_eq!((part(&found), found.cost), ("exact", exact(&small, &other).unwrap().cost));
    let late = within(0);
    assert_eq!(late.stop, Stop::TimeLimit);
    assert!(late.lower_bound.unwrap() <= found.cost && found.cost <= late.cost);
}

#[test]
fn settings_off_the_scale_are_refused() {
    let mu = Measure::from_slice(&[0.0, 1.0, 2.0, 5.0], 2).unwrap();
    let plane = Measure::from_slice(&[0.0, 1.0, 2.0, 5.0, 1.0, 1.0], 3).unwrap();
    for effort in [0, 11] {
        let refused = Auto { effort }.solve(&mu, &mu).unwrap_err();
        assert_eq!(*refused.kind(), ErrorKind::BadEffort { effort });
    }
    assert!(Trees { trees: 0 }.solve(&mu, &mu).is_err());
    assert!(Merged { directions: 0 }.solve(&mu, &mu).is_err());
    assert!(solve(&mu, &plane).is_err());
}

#[test]
fn a_cloud_and_itself() {
    let clouds = pair("cube", 5000, 3, 11);
    let mu = Measure::from_slice(&clouds[0], 3).unwrap();
    let found = Auto { effort: 1 }.solve(&mu, &mu).unwrap();
    assert_eq!((found.cost, found.gap()), (0.0, Some(0.0)));
}

/// (family, n, d, seed, effort, cost): a change of a tenth of a per cent is a change of the method.
const COSTS: [(&str, usize, usize, u64, u8, f64); 6] = [
    ("gauss", 4000, 3, 21, 1, 0.97575508),
    ("gauss", 4000, 3, 21, 4, 0.97315291),
    ("cube", 4000, 3, 22, 2, 0.0033499036),
    ("cube", 2000, 12, 23, 3, 0.45260882),
    ("ring", 6000, 2, 24, 3, 1.1942072),
    ("gauss", 1500, 40, 25, 2, 45.836807),
];

#[test]
fn costs_stay_what_they_were() {
    for (family, n, dim, seed, effort, expected) in COSTS {
        let clouds = pair(family, n, dim, seed);
        let (mu, nu) = measures(&clouds, dim);
        let cost = plain(Auto { effort }, &mu, &nu, Run::default()).cost;
        assert!(
            (cost / expected - 1.0).abs() < 1e-3,
            "{family}, n {n}, d {dim}, effort {effort}: {cost} instead of {expected}"
        );
    }
}

#[test]
fn a_cloud_and_itself_in_another_order() {
    let clouds = pair("cube", 6000, 3, 12);
    let mu = Measure::from_slice(&clouds[0], 3).unwrap();
    let shuffled: Vec<f64> = (0..6000).flat_map(|k| clouds[0][3 * (k * 7 % 6000)..][..3].to_vec()).collect();
    let nu = Measure::from_slice(&shuffled, 3).unwrap();
    let found = Auto { effort: 1 }.solve(&mu, &nu).unwrap();
    assert_eq!((found.cost, found.lower_bound), (0.0, Some(0.0)));
    let weights: Vec<f64> = (0..6000).map(|k| 1.0 + f64::from(k % 3)).collect();
    let moved: Vec<f64> = (0..6000).map(|k| weights[k * 7 % 6000]).collect();
    let (mu, nu) = (mu.with_weights(&weights).unwrap(), nu.with_weights(&moved).unwrap());
    assert!(Auto { effort: 1 }.solve(&mu, &nu).unwrap().cost < 1e-12);
}

#[test]
fn nearly_flat_clouds_are_not_bounded_too_high() {
    let clouds = pair("gauss", 200, 2, 13);
    let squeeze = |points: &[f64], axis: usize| -> Vec<f64> {
        points.iter().enumerate().map(|(k, x)| if k % 2 == axis { 1e-8 * x } else { *x }).collect()
    };
    let (x, y) = (squeeze(&clouds[0], 0), squeeze(&clouds[1], 1));
    let (mu, nu) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let best = exact(&mu, &nu).unwrap().cost;
    let found = Trees::default().solve(&mu, &nu).unwrap();
    assert!(found.lower_bound.unwrap() <= best, "{:?} above {best}", found.lower_bound);
    let bounds = swgg::bound::lower_bounds(&mu, &nu, &[], Parallelism::Serial).unwrap();
    assert!(bounds.best() <= best && bounds.gaussian.unwrap() > 0.999_99 * bounds.means);
}
