//! The propositions of the paper, each as a property of generated clouds.

use crate::common::*;
use proptest::prelude::*;
use swgg::cost::SqEuclidean;
use swgg::{
    Measure, MinSwgg, Run,
    answer::Fact,
    line::{Sampler, Sphere},
    paper::{
        InMemory, Search, Slices, projected_cost, swgg_by_pairs, swgg_by_pivot, swgg_by_quantiles, swgg_cost,
        swgg_coupling, swgg_distance,
    },
};
use swgg_testkit::{Cloud, clouds, exact_cost, exact_cost_weighted, scaled, translated};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// "Distance and upper bound": W2^2 <= SWGG, and any 1-D W2^2 is below.
    #[test]
    fn upper_bound((x, y, theta) in pairs(1..=7)) {
        let exact = exact_cost(&x.points, &y.points, x.dim);
        let (mu, nu) = (measure(&x), measure(&y));
        let tolerance = 1e-12 * scale(&[&x, &y]);
        prop_assert!(swgg_cost(&mu, &nu, &theta).unwrap() >= exact - tolerance);
        prop_assert!(projected_cost(&mu, &nu, &theta).unwrap() <= exact + tolerance);
    }

    /// The same with weights and unequal sizes.
    #[test]
    fn upper_bound_with_weights(((x, a), (y, b), theta) in small_weighted_pairs()) {
        let exact = exact_cost_weighted(&x.points, &a, &y.points, &b, x.dim);
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let tolerance = 1e-12 * scale(&[&x, &y]);
        prop_assert!(swgg_cost(&mu, &nu, &theta).unwrap() >= exact - tolerance);
        prop_assert!(projected_cost(&mu, &nu, &theta).unwrap() <= exact + tolerance);
    }

    /// "Distance": symmetric, zero on the diagonal, triangle inequality, at a fixed direction.
    ///
    /// Points that share a projection may be paired in several ways; the distance axioms hold for the order by index, which
    /// the three measures share.
    #[test]
    fn distance((x, y, z, theta) in triples(1..=30)) {
        let (mu, nu, xi) = (measure(&x), measure(&y), measure(&z));
        let d = |a: &Measure, b: &Measure| swgg_distance(a, b, &theta).unwrap();
        prop_assert_eq!(d(&mu, &mu), 0.0);
        let tolerance = 1e-12 * scale(&[&x, &y, &z]);
        close(d(&mu, &nu), d(&nu, &mu), tolerance, "symmetry");
        prop_assert!(d(&mu, &nu) <= d(&mu, &xi) + d(&xi, &nu) + tolerance);
    }

    /// With weights the axioms hold as well: a measure in between, on other points, does not make a shortcut.
    #[test]
    fn distance_with_weights(((x, a), (y, b), theta) in weighted_pairs(20), by in -3.0..3.0_f64) {
        let z = y.map(|c, value| by * value - c as f64);
        let (mu, nu, xi) = (weighted(&x, &a), weighted(&y, &b), measure(&z));
        let d = |a: &Measure, b: &Measure| swgg_distance(a, b, &theta).unwrap();
        prop_assert_eq!(d(&mu, &mu), 0.0);
        let tolerance = 1e-9 * scale(&[&x, &y, &z]);
        close(d(&mu, &nu), d(&nu, &mu), tolerance, "symmetry");
        prop_assert!(d(&mu, &nu) <= d(&mu, &xi) + d(&xi, &nu) + tolerance);
    }

    /// "SWGG based on generalized geodesics": pairs, pivot and quantiles give one number.
    #[test]
    fn three_forms((x, y, theta) in pairs(1..=60)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let pairs = swgg_by_pairs(&mu, &nu, &theta).unwrap();
        close(pairs, swgg_by_pivot(&mu, &nu, &theta).unwrap().cost(), 1e-10 * pairs, "pivot form");
        close(pairs, swgg_by_quantiles(&mu, &nu, &theta).unwrap(), 1e-12 * pairs, "quantile form");
        close(pairs, swgg_cost(&mu, &nu, &theta).unwrap(), 1e-12 * pairs, "hot loop");
    }

    /// The same for clouds that all but coincide, far from the origin: a cost of 1e-14 of the spread keeps its digits.
    #[test]
    fn three_forms_of_a_tiny_cost((x, y, theta) in pairs(1..=30)) {
        let mut near = x.clone();
        near.points.iter_mut().zip(&y.points).for_each(|(x, y)| *x += 1e-7 * y);
        let (mu, nu) = (measure(&x), measure(&near));
        let pairs = swgg_by_pairs(&mu, &nu, &theta).unwrap();
        close(pairs, swgg_by_pivot(&mu, &nu, &theta).unwrap().cost(), 1e-10 * pairs, "pivot form");
        close(pairs, swgg_by_quantiles(&mu, &nu, &theta).unwrap(), 1e-12 * pairs, "quantile form");
    }

    /// "Quantile version": pivot and quantiles agree for weights and unequal sizes, and with the plan itself.
    #[test]
    fn two_forms_with_weights(((x, a), (y, b), theta) in weighted_pairs(40)) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let quantiles = swgg_by_quantiles(&mu, &nu, &theta).unwrap();
        close(quantiles, swgg_by_pivot(&mu, &nu, &theta).unwrap().cost(), 1e-10 * quantiles, "pivot form");
        close(quantiles, swgg_cost(&mu, &nu, &theta).unwrap(), 1e-12 * quantiles, "hot loop");
        let plan = swgg_coupling(&mu, &nu, &theta).unwrap();
        close(quantiles, plan.cost(&mu, &nu, &SqEuclidean).unwrap(), 1e-12 * quantiles, "plan");
    }

    /// Plans are plans: marginals to 1e-12, at most n + m - 1 entries, nothing for points without mass.
    #[test]
    fn marginals(((x, a), (y, b), theta) in weighted_pairs(40)) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let plan = swgg_coupling(&mu, &nu, &theta).unwrap();
        prop_assert!(plan.len() < mu.len() + nu.len());
        for (side, marginal) in [(&mu, plan.source_marginal()), (&nu, plan.target_marginal())] {
            for (i, mass) in marginal.iter().enumerate() {
                close(*mass, side.weight(i), 1e-12, "marginal");
                prop_assert!(side.weight(i) > 0.0 || *mass == 0.0);
            }
        }
    }

    /// "Translation": shifts factor out of SWGG at every direction, hence of the minimum.
    #[test]
    fn translation((x, y, theta) in smooth_pairs(1..=30), u in -5.0..5.0_f64, v in -5.0..5.0_f64) {
        // Ties may be broken differently once rounding has moved the points.
        prop_assume!(distinct(&measure(&x), &theta) && distinct(&measure(&y), &theta));
        let shift = |cloud: &Cloud, by: f64| cloud.map(|c, value| value - by * (1.0 + c as f64));
        let (moved_x, moved_y) = (shift(&x, u), shift(&y, v));
        let (mu, nu) = (measure(&x), measure(&y));
        let before = swgg_cost(&mu, &nu, &theta).unwrap();
        let after = swgg_cost(&measure(&moved_x), &measure(&moved_y), &theta).unwrap();
        let means = mu.mean().into_iter().zip(nu.mean()).map(|(a, b)| a - b);
        let expected: f64 = before + means.enumerate().map(|(c, gap)| {
            let by = (u - v) * (1.0 + c as f64);
            by * by - 2.0 * by * gap
        }).sum::<f64>();
        close(after, expected, 1e-10 * scale(&[&moved_x, &moved_y, &x, &y]), "translation");
    }

    /// "Equality": a shifted and scaled cloud is transported exactly, whatever the direction.
    #[test]
    fn shift_and_scale((x, _, theta) in smooth_pairs(1..=30), factor in 0.1..3.0_f64, by in -5.0..5.0_f64) {
        prop_assume!(distinct(&measure(&x), &theta));
        let y = x.map(|c, value| factor * value + by * c as f64);
        let straight: f64 = x.points.iter().zip(&y.points).map(|(a, b)| (a - b).powi(2)).sum();
        let cost = swgg_cost(&measure(&x), &measure(&y), &theta).unwrap();
        close(cost, straight / x.len() as f64, 1e-10 * scale(&[&x, &y]), "shift and scale");
    }

    /// In dimension one SWGG is W2^2.
    #[test]
    fn dimension_one((x, y) in (1..=7_usize).prop_flat_map(|n| (clouds(n, 1), clouds(n, 1)))) {
        let exact = exact_cost(&x.points, &y.points, 1);
        let solution = plain(MinSwgg::new().directions(3), &measure(&x), &measure(&y), Run::default());
        close(solution.cost, exact, 1e-12 * scale(&[&x, &y]), "one dimension");
    }

    /// "Weak convergence", one way: a small perturbation costs little. The other way is the upper bound: a small cost means a
    /// small W2.
    #[test]
    fn weak_convergence((x, noise, theta) in smooth_pairs(2..=20), k in 1..12_i32) {
        prop_assume!(distinct(&measure(&x), &theta));
        let mut along = theta.project(&measure(&x)).unwrap();
        along.sort_by(f64::total_cmp);
        let gap = along.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
        // Moves of less than half the smallest gap cannot change the order.
        let size = (0.25 * gap / scale(&[&noise]).sqrt() / (x.dim as f64)).min(0.5_f64.powi(k));
        let mut y = x.clone();
        y.points.iter_mut().zip(&noise.points).for_each(|(value, e)| *value += size * e);
        let bound = size * size * scale(&[&noise]) * x.dim as f64;
        prop_assert!(swgg_cost(&measure(&x), &measure(&y), &theta).unwrap() <= bound * (1.0 + 1e-9));
    }

    /// min-SWGG is the least of its directions, hence below their mean (PWD), and its plan has its cost.
    #[test]
    fn least_of_its_directions((x, y, _) in pairs(1..=30), seed in any::<u64>()) {
        let (mu, nu) = (measure(&x), measure(&y));
        let solution = plain(MinSwgg::new().directions(20).keep_costs(true), &mu, &nu, Run::seeded(seed));
        let Some(Fact::Series(costs)) = solution.fact("costs") else { panic!("no costs") };
        prop_assert_eq!(costs.len(), 20);
        prop_assert_eq!(solution.cost, costs.iter().copied().fold(f64::INFINITY, f64::min));
        prop_assert!(solution.cost <= costs.iter().sum::<f64>() / 20.0 * (1.0 + 1e-12));
        let again = solution.plan().unwrap().cost(&mu, &nu, &SqEuclidean).unwrap();
        close(solution.cost, again, 1e-12 * scale(&[&x, &y]), "plan");
    }

    /// Same seed, same bits, whatever the number of threads.
    #[test]
    fn threads_do_not_matter((x, y, _) in pairs(1..=300), seed in any::<u64>()) {
        let (mu, nu) = (measure(&x), measure(&y));
        let solve = |threads| {
            let run = Run { seed, ..Run::on_threads(threads) };
            plain(MinSwgg::new().directions(11).keep_costs(true), &mu, &nu, run)
        };
        let serial = solve(1);
        prop_assert_eq!(&serial, &solve(2));
        prop_assert_eq!(&serial, &solve(5));
    }

    /// The same with weights and unequal sizes.
    #[test]
    fn threads_do_not_matter_with_weights(((x, a), (y, b), _) in weighted_pairs(200), seed in any::<u64>()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let solve = |threads| {
            plain(MinSwgg::new().directions(11), &mu, &nu, Run { seed, ..Run::on_threads(threads) })
        };
        let serial = solve(1);
        prop_assert_eq!(&serial, &solve(2));
        prop_assert_eq!(&serial, &solve(5));
    }

    /// Points stored in single precision give the cost of the same points in double precision.
    #[test]
    fn single_precision((x, y, theta) in pairs(1..=50)) {
        let narrow = |cloud: &Cloud| cloud.points.iter().map(|v| *v as f32).collect::<Vec<f32>>();
        let (x32, y32) = (narrow(&x), narrow(&y));
        let single = |points: &[f32]| points.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
        let (x64, y64) = (single(&x32), single(&y32));
        let cost32 = swgg_cost(
            &Measure::from_slice(&x32, x.dim).unwrap(), &Measure::from_slice(&y32, x.dim).unwrap(), &theta);
        let cost64 = swgg_cost(
            &Measure::from_slice(&x64, x.dim).unwrap(), &Measure::from_slice(&y64, x.dim).unwrap(), &theta);
        prop_assert_eq!(cost32.unwrap(), cost64.unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// "Equality when d >= 2n": in general position every matching is within reach of some direction.
    #[test]
    fn high_dimension_reaches_the_optimum(
        points in proptest::collection::vec(-1.0..1.0_f64, 2 * 3 * 7), seed in any::<u64>()
    ) {
        let (x, y) = points.split_at(3 * 7);
        let (mu, nu) = (Measure::from_slice(x, 7).unwrap(), Measure::from_slice(y, 7).unwrap());
        let found = plain(MinSwgg::new().directions(4000), &mu, &nu, Run::seeded(seed));
        close(found.cost, exact_cost(x, y, 7), 1e-12, "d >= 2n");
    }
}

#[test]
fn known_answers() {
    for pair in [translated(50, [1.0, 2.0, 2.0]), scaled(40, 2.5, [1.0, -1.0]), translated(1, [3.0; 5])] {
        let source = Measure::from_slice(&pair.source, pair.dim).unwrap();
        let target = Measure::from_slice(&pair.target, pair.dim).unwrap();
        let solution = swgg::min_swgg(&source, &target).unwrap();
        close(solution.cost, pair.cost, 1e-12 * (1.0 + pair.cost), "known answer");
        let plan = solution.plan().unwrap();
        let reversed = (0..source.len()).all(|i| plan.target_of(i) == Some(source.len() - 1 - i));
        assert!(reversed, "each point goes to its image");
    }
}

#[test]
fn five_against_three_and_other_small_sizes() {
    let mu = Measure::from_vec((0..10).map(f64::from).collect(), 2).unwrap();
    let nu = Measure::from_vec((0..6).map(f64::from).collect(), 2).unwrap();
    let solution = swgg::min_swgg(&mu, &nu).unwrap();
    let plan = solution.plan().unwrap();
    assert!(!plan.is_matching());
    assert!(plan.len() <= 7);
    let one = Measure::from_vec(vec![1.0, 2.0], 2).unwrap();
    assert_eq!(swgg::min_swgg(&one, &one).unwrap().cost, 0.0);
}

/// The seam: a search sees any `Slices`, here one that has no points at all.
#[test]
fn searches_do_not_know_where_points_live() {
    struct Bowl;
    impl Slices for Bowl {
        fn dim(&self) -> usize {
            2
        }
        fn costs(&self, thetas: &swgg::line::DirectionSet) -> swgg::Result<Vec<f64>> {
            Ok((0..thetas.len()).map(|k| 1.0 - thetas.row(k)[0].abs()).collect())
        }
        fn coupling(&self, _: &swgg::line::Direction) -> swgg::Result<swgg::Coupling> {
            swgg::Coupling::from_map(vec![0])
        }
    }
    let search = swgg::paper::RandomSearch { directions: 500, seed: 1, keep_costs: false };
    let found = search.run(&Bowl, &mut ()).unwrap();
    assert!(found.theta.as_slice()[0].abs() > 0.99);
}

#[test]
fn large_clouds_sort_like_small_ones() {
    // Beyond the sizes of the properties, where the radix passes are at work.
    let thetas = Sphere::new(3, 5).unwrap().batch(0..2);
    let pair = translated(20_000, [0.5, 0.25, 0.0]);
    let source = Measure::from_slice(&pair.source, 3).unwrap();
    let target = Measure::from_slice(&pair.target, 3).unwrap();
    for cost in InMemory::new(&source, &target).unwrap().costs(&thetas).unwrap() {
        close(cost, pair.cost, 1e-12, "translated");
    }
}

/// Coordinates at the limit of what is accepted still give finite costs, weighted or not.
#[test]
fn large_coordinates_do_not_overflow() {
    let (x, y) = ([1e149, -1e149, 3.0], [-1e149, 1e149, 1e149]);
    let theta = swgg::line::Direction::axis(1, 0).unwrap();
    let mu = Measure::from_slice(&x, 1).unwrap().with_weights(&[1.0, 2.0, 3.0]).unwrap();
    let nu = Measure::from_slice(&y, 1).unwrap();
    for cost in
        [swgg_cost(&mu, &nu, &theta), swgg_by_quantiles(&mu, &nu, &theta), swgg::line::cost(&mu, &nu, 2.0)]
    {
        assert!(cost.unwrap().is_finite());
    }
}
