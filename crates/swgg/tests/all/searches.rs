//! Searches for the line: what each promises, on clouds of every kind.

use std::ops::ControlFlow;

use crate::common::*;
use proptest::prelude::*;
use swgg::line::{Direction, DirectionSet};
use swgg::{
    Coupling, ErrorKind, Measure, MinSwgg, Parallelism, Progress, Result, Run, Stop, ndarray,
    paper::{
        Annealing, Arc, Blur, BlurWidth, Gradient, InMemory, Optimizer, RandomSearch, Search, SearchOutcome,
        Slices, Stein, Sweep, recommended, swgg_cost,
    },
};
use swgg_testkit::{Cloud, clouds, gaussian_pair};

/// Every search, with few steps.
fn all(seed: u64) -> Vec<Box<dyn Search>> {
    vec![
        Box::new(RandomSearch { directions: 40, seed, keep_costs: true }),
        Box::new(Annealing { steps: 20, restarts: 1, seed, keep_costs: true, ..Default::default() }),
        Box::new(Gradient { steps: 5, starts: 3, seed, keep_costs: true, ..Default::default() }),
        Box::new(Stein { steps: 4, pairs: 3, seed, keep_costs: true, ..Default::default() }),
        Box::new(Sweep { start: None, keep_costs: true }),
    ]
}

fn run(search: &dyn Search, mu: &Measure, nu: &Measure) -> SearchOutcome {
    search.run(&InMemory::new(mu, nu).unwrap(), &mut ()).unwrap()
}

fn set(rows: &[&Direction]) -> DirectionSet {
    let d = rows[0].dim();
    let flat = rows.iter().flat_map(|theta| theta.as_slice().to_vec()).collect();
    let rows = ndarray::Array2::from_shape_vec((rows.len(), d), flat).unwrap();
    DirectionSet::from_rows(rows.view()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// The cost found is that of the direction found, and the lowest of all that were kept.
    #[test]
    fn found_is_the_best_ever_seen(((x, a), (y, b), _) in weighted_pairs(25), seed in 0..9_u64) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        for search in all(seed).iter().filter(|search| search.name() != "sweep") {
            let found = run(&**search, &mu, &nu);
            let costs = found.costs.clone().unwrap();
            prop_assert_eq!(costs.len(), found.tried, "{}", search.name());
            prop_assert_eq!(costs[found.index], found.cost);
            prop_assert!(costs.iter().all(|cost| *cost >= found.cost), "{}", search.name());
            prop_assert_eq!(swgg_cost(&mu, &nu, &found.theta).unwrap(), found.cost);
        }
    }

    /// In the plane a sweep is below every other search, on every pair, and its costs are those of its arcs.
    #[test]
    fn sweep_is_below_all(
        (x, y, a, b) in (1..=14_usize, 1..=14_usize).prop_flat_map(|(n, m)| {
            (clouds(n, 2), clouds(m, 2), swgg_testkit::weights(n), swgg_testkit::weights(m))
        }),
        uniform in any::<bool>(),
        seed in 0..9_u64,
    ) {
        let (mu, nu) = if uniform { (measure(&x), measure(&y)) } else { (weighted(&x, &a), weighted(&y, &b)) };
        let least = run(&Sweep::default(), &mu, &nu);
        prop_assert_eq!(swgg_cost(&mu, &nu, &least.theta).unwrap(), least.cost);
        for search in all(seed) {
            let found = run(&*search, &mu, &nu);
            let tolerance = 1e-12 * scale(&[&x, &y]);
            prop_assert!(least.cost <= found.cost + tolerance, "{}: {} < {}", search.name(), found.cost, least.cost);
        }
    }

    /// Arcs cover half a turn, and the cost of each is that of its middle.
    #[test]
    fn arcs_are_the_landscape(
        (x, y, a, b) in (1..=14_usize, 1..=14_usize).prop_flat_map(|(n, m)| {
            (clouds(n, 2), clouds(m, 2), swgg_testkit::weights(n), swgg_testkit::weights(m))
        }),
        uniform in any::<bool>(),
    ) {
        let (mu, nu) = if uniform { (measure(&x), measure(&y)) } else { (weighted(&x, &a), weighted(&y, &b)) };
        let mut arcs: Vec<Arc> = Vec::new();
        InMemory::new(&mu, &nu).unwrap().turn(&mut |arc| {
            arcs.push(arc);
            ControlFlow::Continue(())
        }).unwrap();
        prop_assert!(arcs[0].start <= 1e-12 && arcs[arcs.len() - 1].end == std::f64::consts::PI);
        prop_assert!(arcs.windows(2).all(|pair| pair[1].start - pair[0].end <= 1e-12));
        for arc in arcs.iter().filter(|arc| arc.end - arc.start > 1e-9) {
            let cost = swgg_cost(&mu, &nu, &Direction::at_angle(arc.middle()).unwrap()).unwrap();
            close(arc.cost, cost, 1e-11 * scale(&[&x, &y]), "arc");
        }
    }

    /// The same bits for any number of threads.
    #[test]
    fn threads_do_not_matter(((x, a), (y, b), _) in weighted_pairs(12), seed in 0..9_u64) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        for search in all(seed).iter().filter(|search| search.name() != "sweep" || x.dim == 2) {
            let serial = run(&**search, &mu, &nu);
            for threads in [2, 5] {
                let problem =
                    InMemory::with_parallelism(&mu, &nu, Parallelism::from_count(threads)).unwrap();
                prop_assert_eq!(&search.run(&problem, &mut ()).unwrap(), &serial, "{}", search.name());
            }
        }
    }

    /// A search that starts at a direction is never worse than it.
    #[test]
    fn warm_starts_are_kept((x, y, theta) in pairs(1..=20)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let cost = swgg_cost(&mu, &nu, &theta).unwrap();
        let start = Some(theta);
        let mut searches: Vec<Box<dyn Search>> = vec![
            Box::new(Annealing { steps: 3, start: start.clone(), ..Default::default() }),
            Box::new(Gradient { steps: 2, start: start.clone(), ..Default::default() }),
            Box::new(Stein { steps: 2, start: start.clone(), ..Default::default() }),
        ];
        if x.dim == 2 {
            searches.push(Box::new(Sweep { start, keep_costs: false }));
        }
        for search in searches {
            prop_assert!(run(&*search, &mu, &nu).cost <= cost, "{}", search.name());
        }
    }

    /// The gradient of the surrogate is its slope as long as no two copies change places.
    #[test]
    fn surrogate_gradient_is_its_slope(
        ((x, a), (y, b), theta) in weighted_pairs(10), other in -1.0..1.0_f64, uniform in any::<bool>(),
    ) {
        let n = x.len().min(y.len());
        let cut = |cloud: &Cloud| Cloud { points: cloud.points[..n * cloud.dim].to_vec(), dim: cloud.dim };
        let (cut_x, cut_y) = (cut(&x), cut(&y));
        let (mu, nu) = if uniform { (measure(&cut_x), measure(&cut_y)) } else { (weighted(&x, &a), weighted(&y, &b)) };
        let problem = InMemory::new(&mu, &nu).unwrap();
        let blur = Blur { copies: Some(3), width: BlurWidth::Epsilon(4.0), seed: 1 };
        let at = |theta: &Direction| problem.smoothed(&set(&[theta]), &blur).unwrap().remove(0);
        // Along the sphere, towards a vector that is not parallel.
        let towards: Vec<f64> = (0..x.dim).map(|c| other + (c as f64 - 1.5).sin()).collect();
        let step = 1e-5;
        let moved = |sign: f64| {
            let vector = theta.as_slice().iter().zip(&towards).map(|(t, v)| t + sign * step * v);
            Direction::new(&vector.collect::<Vec<_>>()).unwrap()
        };
        let (before, here, after) = (at(&moved(-1.0)), at(&theta), at(&moved(1.0)));
        let size = scale(&[&x, &y]);
        // Where copies change places the value jumps.
        prop_assume!((before.value + after.value - 2.0 * here.value).abs() < 1e-8 * size);
        let slope = (after.value - before.value) / (2.0 * step);
        let (ahead, behind) = (moved(1.0), moved(-1.0));
        let velocity = ahead.as_slice().iter().zip(behind.as_slice()).map(|(p, q)| (p - q) / (2.0 * step));
        let expected: f64 = here.gradient.iter().zip(velocity).map(|(g, v)| g * v).sum();
        close(slope, expected, 1e-5 * size, "slope");
    }

    /// Without blur the surrogate is SWGG itself, and its gradient is nothing.
    #[test]
    fn without_blur_the_surrogate_is_swgg(((x, a), (y, b), theta) in weighted_pairs(20), copies in 1..5_usize) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let problem = InMemory::new(&mu, &nu).unwrap();
        let blur = Blur { copies: Some(copies), width: BlurWidth::Epsilon(0.0), seed: 0 };
        let smoothed = problem.smoothed(&set(&[&theta]), &blur).unwrap().remove(0);
        let size = scale(&[&x, &y]);
        close(smoothed.value, problem.cost(&theta).unwrap(), 1e-11 * size, "value");
        prop_assert!(smoothed.gradient.iter().all(|g| g.abs() <= 1e-11 * size));
    }

    /// Moving both clouds together changes nothing; the relative width follows the scale.
    #[test]
    fn the_surrogate_moves_and_scales_with_the_clouds((x, y, theta) in smooth_pairs(2..=15), shift in -50.0..50.0_f64) {
        prop_assume!(distinct(&measure(&x), &theta) && distinct(&measure(&y), &theta));
        let value = |x: &Cloud, y: &Cloud| {
            let (mu, nu) = (measure(x), measure(y));
            let problem = InMemory::new(&mu, &nu).unwrap();
            problem.smoothed(&set(&[&theta]), &Blur { copies: Some(4), ..Default::default() }).unwrap()[0].value
        };
        let moved = |cloud: &Cloud| cloud.map(|_, v| v + shift);
        let doubled = |cloud: &Cloud| cloud.map(|_, v| 2.0 * v);
        let (plain, size) = (value(&x, &y), scale(&[&x, &y]));
        close(value(&doubled(&x), &doubled(&y)), 4.0 * plain, 1e-10 * size, "scaled");
        // Rounding moves copies by 1e-14 or so; only now and then do two of them change places for it.
        let there = value(&moved(&x), &moved(&y));
        prop_assert!((there - plain).abs() <= 1e-9 * size || (there - plain).abs() <= 0.2 * size);
    }
}

/// The paper's comparison (Fig. 3) in small: on average the gradient loses at most 1 % to 500 random directions, and wins
/// where few of many dimensions matter.
#[test]
fn gradient_keeps_up_with_random_search() {
    for (d, rank) in [(2, 2), (20, 20), (60, 4)] {
        let (mut by_gradient, mut at_random) = (0.0, 0.0);
        for seed in 0..6 {
            let (x, y) = gaussian_pair(300, d, rank, seed);
            let (mu, nu) = (measure(&x), measure(&y));
            by_gradient += run(&Gradient { seed, ..Default::default() }, &mu, &nu).cost;
            at_random += run(&RandomSearch { directions: 500, seed, keep_costs: false }, &mu, &nu).cost;
        }
        let allowed = if rank < d { 1.0 } else { 1.01 };
        assert!(by_gradient <= allowed * at_random, "d {d}: {by_gradient} against {at_random}");
    }
}

#[test]
fn annealing_and_stein_beat_random_search_in_high_dimension() {
    let (mut annealed, mut stein, mut at_random) = (0.0, 0.0, 0.0);
    for seed in 0..6 {
        let (x, y) = gaussian_pair(300, 50, 5, seed);
        let (mu, nu) = (measure(&x), measure(&y));
        annealed += run(&Annealing { seed, ..Default::default() }, &mu, &nu).cost;
        stein += run(&Stein { seed, ..Default::default() }, &mu, &nu).cost;
        at_random += run(&RandomSearch { directions: 532, seed, keep_costs: false }, &mu, &nu).cost;
    }
    assert!(annealed < at_random && stein < at_random, "{annealed}, {stein}, {at_random}");
}

/// Restarts only add walks: the first one stays as it is.
#[test]
fn restarts_never_hurt() {
    let (x, y) = gaussian_pair(80, 6, 6, 3);
    let (mu, nu) = (measure(&x), measure(&y));
    let costs: Vec<f64> = [0, 1, 4]
        .map(|restarts| run(&Annealing { steps: 60, restarts, ..Default::default() }, &mu, &nu).cost)
        .to_vec();
    assert!(costs[1] <= costs[0] && costs[2] <= costs[1], "{costs:?}");
}

#[test]
fn every_search_can_be_stopped_and_keeps_the_best() {
    let (x, y) = gaussian_pair(200, 2, 2, 1);
    let (mu, nu) = (measure(&x), measure(&y));
    let problem = InMemory::new(&mu, &nu).unwrap();
    let many = 1_000_000;
    let searches: [Box<dyn Search>; 5] = [
        Box::new(RandomSearch { directions: many, ..Default::default() }),
        Box::new(Annealing { steps: many, ..Default::default() }),
        Box::new(Gradient { steps: many, ..Default::default() }),
        Box::new(Stein { steps: many, ..Default::default() }),
        Box::new(Sweep::default()),
    ];
    for search in searches {
        let mut lowest = f64::INFINITY;
        let mut calls = 0;
        let mut stop_soon = |progress: &Progress| {
            calls += 1;
            lowest = progress.best;
            assert!(progress.tried <= progress.total);
            if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = search.run(&problem, &mut stop_soon).unwrap();
        assert_eq!(found.stop, Stop::Interrupted, "{}", search.name());
        assert!(found.cost <= lowest * (1.0 + 1e-12), "{}: {} after {lowest}", search.name(), found.cost);
    }
}

#[test]
fn there_is_one_line_in_dimension_one() {
    let mu = Measure::from_slice(&[0.0, 3.0, 1.0], 1).unwrap();
    let nu = Measure::from_slice(&[1.0, 2.0, 5.0, 6.0], 1).unwrap();
    let exact = swgg_cost(&mu, &nu, &Direction::axis(1, 0).unwrap()).unwrap();
    for search in all(0).iter().filter(|search| search.name() != "sweep") {
        let found = run(&**search, &mu, &nu);
        assert!((found.cost - exact).abs() < 1e-12, "{}", search.name());
    }
    let found = run(&Gradient::default(), &mu, &nu);
    assert_eq!(found.stop, Stop::Converged);
    let found = run(&Stein::default(), &mu, &nu);
    assert_eq!(found.stop, Stop::Converged);
    assert_eq!(plain(MinSwgg::new(), &mu, &nu, Run::default()).steps, 1);
}

#[test]
fn the_dimension_decides_unless_told() {
    let name = |n: usize, d: usize| {
        let (x, y) = gaussian_pair(n, d, d, 0);
        let (mu, nu) = (measure(&x), measure(&y));
        recommended(&InMemory::new(&mu, &nu).unwrap(), 0, false).name()
    };
    assert_eq!(
        [name(50, 1), name(50, 2), name(1200, 2), name(50, 3)],
        ["random", "sweep", "random", "stein"]
    );
}

/// A problem that only knows costs, as one over tables might.
struct CostsOnly<'a>(InMemory<'a, f64>);

impl Slices for CostsOnly<'_> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn costs(&self, thetas: &DirectionSet) -> Result<Vec<f64>> {
        self.0.costs(thetas)
    }
    fn coupling(&self, theta: &Direction) -> Result<Coupling> {
        self.0.coupling(theta)
    }
}

#[test]
fn a_problem_may_know_costs_only() {
    let (x, y) = gaussian_pair(20, 2, 2, 0);
    let (mu, nu) = (measure(&x), measure(&y));
    let problem = CostsOnly(InMemory::new(&mu, &nu).unwrap());
    for search in all(0) {
        match search.run(&problem, &mut ()) {
            Ok(found) => assert!(found.cost > 0.0),
            Err(error) => {
                assert!(["gradient", "sweep"].contains(&search.name()), "{error}");
                assert!(error.to_string().ends_with("search at random instead"), "{error}");
            }
        }
    }
    assert_eq!(recommended(&problem, 0, false).name(), "random");
}

#[test]
fn bad_settings_are_refused_with_their_names() {
    let (x, y) = gaussian_pair(20, 3, 3, 0);
    let (mu, nu) = (measure(&x), measure(&y));
    let problem = InMemory::new(&mu, &nu).unwrap();
    let blur = |copies, width| Blur { copies, width, seed: 0 };
    let far = Some(Direction::axis(2, 0).unwrap());
    let refused: Vec<(Box<dyn Search>, &str)> = vec![
        (Box::new(Annealing { steps: 0, ..Default::default() }), "the number of steps is 0; give 1 or more"),
        (Box::new(Gradient { steps: 0, ..Default::default() }), "the number of steps is 0; give 1 or more"),
        (Box::new(Gradient { starts: 0, ..Default::default() }), "the number of starts is 0; give 1 or more"),
        (
            Box::new(Gradient { blur: blur(Some(0), BlurWidth::Epsilon(1.0)), ..Default::default() }),
            "the number of copies is 0; give 1 or more",
        ),
        (
            Box::new(Gradient {
                blur: blur(Some(100_000_000), BlurWidth::Epsilon(1.0)),
                ..Default::default()
            }),
            "100000000 copies of 20 points are more than 268435456 in all; ask for fewer copies",
        ),
        (
            Box::new(Gradient { blur: blur(None, BlurWidth::Epsilon(-1.0)), ..Default::default() }),
            "the blur is -1; give a finite number that is not negative",
        ),
        (
            Box::new(Gradient { blur: blur(None, BlurWidth::Relative(f64::NAN)), ..Default::default() }),
            "the blur is NaN; give a finite number that is not negative",
        ),
        (
            Box::new(Gradient { learning_rate: -0.1, ..Default::default() }),
            "the learning rate is -0.1; give a finite number above 0",
        ),
        (Box::new(Stein { pairs: 0, ..Default::default() }), "the number of pairs is 0; give 1 or more"),
        (
            Box::new(Stein { pairs: usize::MAX, ..Default::default() }),
            "the number of pairs is 18446744073709552000; give at most 100000",
        ),
        (
            Box::new(Annealing { restarts: 200_000, ..Default::default() }),
            "the number of walks is 200001; give at most 100000",
        ),
        (
            Box::new(Stein { radius: 0.0, ..Default::default() }),
            "the radius is 0; give a finite number above 0",
        ),
        (
            Box::new(Stein { start: far.clone(), ..Default::default() }),
            "the direction has 2 coordinates, the points have 3; they must agree",
        ),
        (
            Box::new(Annealing { start: far.clone(), ..Default::default() }),
            "the direction has 2 coordinates, the points have 3; they must agree",
        ),
        (
            Box::new(Gradient { start: far, ..Default::default() }),
            "the direction has 2 coordinates, the points have 3; they must agree",
        ),
        (
            Box::new(Sweep::default()),
            "a sweep turns through the plane, the points have dimension 3; search by stein, gradient or at random instead",
        ),
    ];
    for (search, message) in refused {
        assert_eq!(search.run(&problem, &mut ()).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_sweep_of_too_many_points_is_refused() {
    let (x, y) = gaussian_pair(2200, 2, 2, 0);
    let (mu, nu) = (measure(&x), measure(&y));
    let refusal = Sweep::default().run(&InMemory::new(&mu, &nu).unwrap(), &mut ()).unwrap_err();
    assert!(matches!(refusal.kind(), ErrorKind::SweepTooLarge { n: 2200, m: 2200, .. }), "{refusal}");
}

#[test]
fn plain_descent_works_too() {
    let (x, y) = gaussian_pair(200, 5, 2, 4);
    let (mu, nu) = (measure(&x), measure(&y));
    let start = Direction::new(&[1.0, -1.0, 1.0, -1.0, 1.0]).unwrap();
    let before = swgg_cost(&mu, &nu, &start).unwrap();
    let stein = Stein { optimizer: Optimizer::Sgd, start: Some(start), steps: 50, ..Default::default() };
    let found = run(&stein, &mu, &nu);
    assert!(found.cost < before && found.stop == Stop::MaxIterations, "{} from {before}", found.cost);
}
