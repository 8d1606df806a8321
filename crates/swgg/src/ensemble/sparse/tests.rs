use proptest::prelude::*;

use super::*;
use crate::Parallelism;
use crate::cost::SqEuclidean;
use crate::exact::exact;
use crate::line::sampler::Gaussians;
use crate::measure::Measure;
use crate::number::scalar::Scalar;
use crate::run::workers::Workers;

/// Two Gaussians with random covariances, weights from 0.2 to 1.
fn gauss(n: usize, m: usize, d: usize, seed: u64) -> [Measure<'static, f64>; 2] {
    [(n, 1), (m, 2)].map(|(count, stream)| {
        let mut numbers = Gaussians::new(seed, stream);
        let mut map = vec![0.0; d * d];
        numbers.fill(&mut map);
        let mut raw = vec![0.0; count * d];
        numbers.fill(&mut raw);
        let image = |z: &[f64]| -> Vec<f64> {
            map.chunks(d).map(|row| dot(z, row) / (d as f64).sqrt() + stream as f64).collect()
        };
        let weights: Vec<f64> = (0..count).map(|_| 0.2 + 0.8 * numbers.uniform()).collect();
        Measure::from_vec(raw.chunks(d).flat_map(image).collect(), d).unwrap().with_weights(&weights).unwrap()
    })
}

/// The units that leave every source and reach every target, against those of the measures.
fn check_marginals(clouds: &WeightedClouds<'_>, plan: &Plan) {
    let mut left = [clouds.sources.units.clone(), clouds.targets.units.clone()];
    for e in &plan.entries {
        assert!(e.units > 0);
        left[0][e.source as usize] -= e.units;
        left[1][e.target as usize] -= e.units;
    }
    assert!(left.iter().flatten().all(|&units| units == 0));
    let mut pairs: Vec<_> = plan.entries.iter().map(|e| (e.source, e.target)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), plan.len());
    assert!(plan.len() <= clouds.most_entries());
}

/// Trees, combined, refined; checked at every step. The cost of the plan.
fn check<T: Scalar>(source: &Measure<T>, target: &Measure<T>, threads: usize) -> (Plan, f64) {
    let workers = Workers::new(Parallelism::from_count(threads)).unwrap();
    let clouds = WeightedClouds::new(source, target, &workers).unwrap();
    let trees: Vec<Plan> = (0..3).map(|k| clouds.tree(7, k)).collect();
    trees.iter().for_each(|plan| check_marginals(&clouds, plan));
    let lowest = trees.iter().map(|plan| clouds.cost(plan)).fold(f64::INFINITY, f64::min);
    let mut plan = clouds.merge(&trees).unwrap();
    check_marginals(&clouds, &plan);
    let mut cost = clouds.cost(&plan);
    let slack = 1e-12 * (clouds.shift + clouds.scale);
    assert!(cost <= lowest + slack, "combined {cost}, best tree {lowest}");
    for pass in 0..6 {
        let gained = clouds.refine(&mut plan, 7, pass);
        check_marginals(&clouds, &plan);
        let next = clouds.cost(&plan);
        assert!(gained >= 0.0 && (cost - gained - next).abs() <= slack, "{cost} - {gained} is not {next}");
        cost = next;
    }
    let coupling = clouds.coupling(&plan);
    assert!(coupling.marginal_gap(source, target).unwrap() < 1e-12);
    let paid = coupling.cost(source, target, &SqEuclidean).unwrap();
    assert!((paid - cost).abs() <= 10.0 * slack, "{paid} and {cost}");
    (plan, cost)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Grids make ties and duplicates, weights of zero are thrown in.
    #[test]
    fn any_two_clouds(
        (d, x, y) in (1..=9_usize).prop_flat_map(|d| {
            let atom = || (proptest::collection::vec(-3..=3_i32, d), 0..4_u32);
            let side = || proptest::collection::vec(atom(), 1..40);
            (Just(d), side(), side())
        })
    ) {
        let measure = |atoms: &[(Vec<i32>, u32)]| {
            let points = atoms.iter().flat_map(|a| &a.0).map(|&c| f64::from(c)).collect();
            let mut weights: Vec<f64> = atoms.iter().map(|a| f64::from(a.1)).collect();
            weights[0] += 1.0;
            Measure::from_vec(points, d).unwrap().with_weights(&weights).unwrap()
        };
        let (mu, nu) = (measure(&x), measure(&y));
        let (_, cost) = check(&mu, &nu, 1);
        let best = exact(&mu, &nu).unwrap().cost;
        // Up to 79 entries are one block.
        prop_assert!((cost - best).abs() <= 1e-9 * (1.0 + best), "{} and {}", cost, best);
    }
}

#[test]
fn near_the_optimum() {
    for (n, m, d, within) in
        [(60, 60, 2, 1e-9), (200, 150, 3, 0.01), (500, 700, 3, 0.01), (600, 600, 12, 0.06)]
    {
        for seed in 0..3 {
            let [mu, nu] = gauss(n, m, d, seed);
            let (_, cost) = check(&mu, &nu, 1);
            let best = exact(&mu, &nu).unwrap().cost;
            let excess = cost / best - 1.0;
            assert!((-1e-12..within).contains(&excess), "n {n}, m {m}, d {d}: {excess} above");
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let [mu, nu] = gauss(9000, 7000, 3, 1);
    let (plan, cost) = check(&mu, &nu, 1);
    for threads in [2, 5] {
        assert_eq!(check(&mu, &nu, threads), (plan.clone(), cost));
    }
}

#[test]
fn equal_weights_pair_points() {
    let [mu, nu] = gauss(300, 300, 3, 5).map(|cloud| Measure::from_vec(cloud.points().to_vec(), 3).unwrap());
    let (plan, cost) = check(&mu, &nu, 1);
    assert_eq!(plan.len(), 300);
    assert!(cost <= 1.01 * exact(&mu, &nu).unwrap().cost);
}

#[test]
fn extremes() {
    let weights = |n: usize| (0..n).map(|k| 0.5_f64.powi(k as i32)).collect::<Vec<_>>();
    let steep = |points: Vec<f64>, d: usize| {
        let measure = Measure::from_vec(points, d).unwrap();
        let weights = weights(measure.len());
        measure.with_weights(&weights).unwrap()
    };
    let line =
        |n: usize, d: usize, by: f64| (0..n * d).map(|k| (k as f64 * 0.7).sin() * by).collect::<Vec<_>>();
    check(&steep(line(1, 3, 1.0), 3), &steep(line(50, 3, 2.0), 3), 1);
    check(&steep(line(50, 3, 1.0), 3), &steep(line(1, 3, 2.0), 3), 1);
    check(&steep(line(70, 2, 1.0), 2), &steep(line(90, 2, 2.0), 2), 1);
    check(&steep(line(7, 20, 1.0), 20), &steep(line(9, 20, 2.0), 20), 1);
    check(&steep(vec![4.0; 300], 3), &steep(vec![4.0; 210], 3), 1);
    for by in [1e-160, 1e-20, 1e20, 1e149] {
        check(&steep(line(200, 2, by), 2), &steep(line(300, 2, 0.3 * by), 2), 1);
    }
    let short = |n: usize| Measure::from_vec((0..n * 2).map(|k| (k as f32).cos()).collect(), 2).unwrap();
    check::<f32>(&short(500), &short(300), 1);
}

/// In dimension one there is one monotone plan, and every cut along the line finds it.
#[test]
fn lines_are_exact() {
    let [mu, nu] = gauss(500, 400, 1, 3);
    let workers = Workers::new(Parallelism::Serial).unwrap();
    let clouds = WeightedClouds::new(&mu, &nu, &workers).unwrap();
    let cost = crate::line::cost(&mu, &nu, 2.0).unwrap();
    assert!((clouds.cost(&clouds.tree(0, 0)) - cost).abs() < 1e-6 * cost);
}
