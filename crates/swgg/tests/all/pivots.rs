//! Methods that pass through a pivot: what they promise, on clouds with ties, weights and flat shapes.

use std::ops::ControlFlow;

use crate::common::*;
use proptest::prelude::*;
use swgg::cost::SqEuclidean;
use swgg::ndarray::{Array2, array};
use swgg::{
    Coupling, ErrorKind, Measure, MinSwgg, Progress, Question, Run, Scalar, Solver, Stop,
    answer::Fact,
    exact::exact,
    gaussian::{Gaussian, gaussian_transport},
    plan::Glue,
    solver::{Ascent, Factored, GaussianDetour, Lift, LinearOt, Subspace, SubspaceDetour, SubspaceRobust},
};
use swgg_testkit::{Cloud, clouds, exact_cost, gaussian_pair, multimodal_pair, smooth_clouds, translated};

/// What subspace robust transport says, its facts among it.
#[derive(Debug)]
struct Robust {
    value: f64,
    upper: f64,
    omega: Array2<f64>,
    coupling: Coupling,
    cost: f64,
    iterations: usize,
    stop: Stop,
}

impl Robust {
    fn by<T: Scalar>(solver: SubspaceRobust, mu: &Measure<T>, nu: &Measure<T>, run: &mut Run<'_>) -> Self {
        let question = Question::new(mu, nu).unwrap();
        let found = solver.run(&question, run).unwrap();
        let Some(Fact::Matrix(omega)) = found.fact("omega") else { panic!("{found:?}") };
        Robust {
            value: found.number("robust_lower").unwrap(),
            upper: found.number("robust_upper").unwrap(),
            omega: omega.clone(),
            cost: found.cost,
            iterations: found.steps,
            stop: found.stop,
            coupling: found.into_plan().unwrap(),
        }
    }

    /// How far the value may be from the distance.
    fn gap(&self) -> f64 {
        self.upper - self.value
    }
}

fn detour(subspace: &Subspace, lift: Lift) -> SubspaceDetour {
    SubspaceDetour { subspace: Some(subspace.clone()), lift, ..Default::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Exact marginals, never below exact transport, never above twice the sum that is lowered.
    #[test]
    fn factored_plans(((x, a), (y, b), _) in weighted_pairs(12), points in 1..=15_usize, monotone in any::<bool>()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let glue = if monotone { Glue::Monotone } else { Glue::Independent };
        let found = Factored { points: Some(points), glue, ..Default::default() }.coupling(&question(&mu, &nu), &mut Run::default()).unwrap();
        prop_assert!(found.coupling.marginal_gap(&mu, &nu).unwrap() < 1e-12);
        prop_assert!(found.source_to_pivot.marginal_gap(&mu, &found.pivot).unwrap() < 1e-12);
        prop_assert!(found.pivot_to_target.marginal_gap(&found.pivot, &nu).unwrap() < 1e-12);
        let slack = 1e-10 * scale(&[&x, &y]);
        let least = exact(&mu, &nu).unwrap().cost;
        prop_assert!(least <= found.cost + slack);
        prop_assert!(found.cost <= 2.0 * found.factored + slack);
        let legs = exact(&mu, &found.pivot).unwrap().cost + exact(&found.pivot, &nu).unwrap().cost;
        close(found.factored, legs, slack, "sum");
        prop_assert_eq!((found.pivot.len(), found.glue), (points, glue));
    }

    /// Both bounds hold whatever the ascent does; in full dimension they meet.
    #[test]
    fn robust_brackets(((x, a), (y, b), _) in weighted_pairs(8), k in 1..=8_usize, projected in any::<bool>()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let d = x.dim;
        let k = k.min(d);
        let ascent = if projected { Ascent::Projected { step: 2.0 } } else { Ascent::FrankWolfe };
        let settings = SubspaceRobust { k: Some(k), ascent, max_iterations: 8, ..Default::default() };
        let found = Robust::by(settings, &mu, &nu, &mut Run::default());
        let least = exact(&mu, &nu).unwrap().cost;
        let slack = 1e-9 * scale(&[&x, &y]);
        prop_assert!(found.value <= least + slack && least <= found.cost + slack, "{:?} {}", found, least);
        // At the start every direction counts k/d.
        prop_assert!(found.value >= k as f64 / d as f64 * least - slack);
        prop_assert!(found.value <= found.upper);
        prop_assert!(found.coupling.marginal_gap(&mu, &nu).unwrap() < 1e-12);
        close(trace(&found.omega), k as f64, 1e-9, "trace");
        if k == d {
            close(found.value, least, slack, "full dimension");
            close(found.cost, least, slack, "full dimension");
            prop_assert_eq!(found.stop, Stop::Converged);
        }
    }

    /// Two pairs of points have one family of plans: S_k is the least over it.
    #[test]
    fn robust_of_two_points(((x, y), k) in (2..=4_usize).prop_flat_map(|d| ((smooth_clouds(2, d), smooth_clouds(2, d)), 1..d))) {
        let (mu, nu) = (measure(&x), measure(&y));
        let v = |i: usize, j: usize| {
            let gap: Vec<f64> = mu.point(i).iter().zip(nu.point(j)).map(|(x, y)| x - y).collect();
            let column = Array2::from_shape_vec((gap.len(), 1), gap).unwrap();
            0.5 * column.dot(&column.t())
        };
        let (straight, crossed) = (v(0, 0) + v(1, 1), v(0, 1) + v(1, 0));
        let top = |share: f64| top_sum(&(share * &straight + (1.0 - share) * &crossed), k);
        // Convex in the share: thirds close in on the least.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if top(a) < top(b) { high = b } else { low = a }
        }
        let expected = top(low).min(top(high));
        for ascent in [Ascent::FrankWolfe, Ascent::Projected { step: 2.0 }] {
            let settings = SubspaceRobust { k: Some(k), ascent, max_iterations: 300, tolerance: 1e-4 };
            let found = Robust::by(settings, &mu, &nu, &mut Run::default());
            prop_assert!(found.value <= expected * (1.0 + 1e-9), "{:?} {}", found, expected);
            prop_assert!(found.upper >= expected * (1.0 - 1e-9), "{:?} {}", found, expected);
            // So few plans make the sharpest edges, where steps shrink as slowly as the root of their number.
            prop_assert!(found.gap() <= 0.05 * found.upper, "{:?} {:?} {}", ascent, found, expected);
        }
    }

    /// Detours are couplings, optimal on the subspace, and Monge-Knothe is never the worse of the two.
    #[test]
    fn detours(
        ((x, a), (y, b), subspace) in (1..=10_usize, 1..=10_usize, 1..=4_usize).prop_flat_map(|(n, m, d)| {
            ((clouds(n, d), swgg_testkit::weights(n)), (clouds(m, d), swgg_testkit::weights(m)), subspaces(d))
        }),
        along_axes in any::<bool>(),
    ) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let (d, k) = (x.dim, subspace.len());
        // Along coordinate axes clouds on a grid have fibres of many points.
        let subspace = if along_axes { Subspace::span(Array2::eye(d).slice(swgg::ndarray::s![..k, ..])).unwrap() } else { subspace };
        let slack = 1e-9 * scale(&[&x, &y]);
        let least = exact(&mu, &nu).unwrap().cost;
        let on_subspace = exact(&subspace.project(&mu).unwrap(), &subspace.project(&nu).unwrap()).unwrap().cost;
        let [independent, knothe] = [Lift::MongeIndependent, Lift::MongeKnothe].map(|lift| {
            let found = detour(&subspace, lift).solve(&mu, &nu).unwrap();
            let (plan, subspace_cost) = (found.plan().unwrap(), found.number("subspace_cost").unwrap());
            assert!(plan.marginal_gap(&mu, &nu).unwrap() < 1e-12);
            assert!(least <= found.cost + slack);
            assert!(subspace_cost <= least + slack);
            close(subspace_cost, on_subspace, slack, "cost on the subspace");
            // What the plan pays along the subspace is what the best plan there pays.
            let (p, q) = (subspace.project(&mu).unwrap(), subspace.project(&nu).unwrap());
            close(plan.cost(&p, &q, &SqEuclidean).unwrap(), on_subspace, slack, "projected plan");
            found
        });
        prop_assert!(knothe.cost <= independent.cost + slack);
        if k == d {
            close(knothe.cost, least, slack, "the whole space");
            close(independent.cost, least, slack, "the whole space");
        }
    }

    /// With matchings: lengths are distances to the pivot, distances those of a coupling and never below exact transport.
    #[test]
    fn linear_transport((x, y, z, _) in triples(1..=6)) {
        let (mu, nu, pivot) = (measure(&x), measure(&y), measure(&z));
        let slack = 1e-10 * scale(&[&x, &y, &z]);
        let measures = [mu.clone(), nu.clone(), mu.clone(), pivot.clone()];
        let linear = LinearOt::exact(pivot.clone());
        let embedded = linear.embed_all(&measures).unwrap();
        let distances = embedded.sq_distances();
        for (measure, length) in measures.iter().zip(embedded.sq_lengths()) {
            close(length, exact(&pivot, measure).unwrap().cost, slack, "length");
        }
        let least = exact_cost(&x.points, &y.points, x.dim);
        prop_assert!(least <= distances[(0, 1)] + slack);
        prop_assert_eq!(&distances, &distances.t().to_owned());
        prop_assert_eq!((distances[(0, 2)], distances[(1, 1)]), (0.0, 0.0));
        close(distances[(0, 3)], exact(&pivot, &mu).unwrap().cost, slack, "to the pivot");
        // The same by min-SWGG: matchings too, and so a coupling, with longer vectors.
        let settings = MinSwgg::new().directions(20);
        let sliced = LinearOt::min_swgg(pivot.clone(), settings).embed_all(&measures).unwrap();
        prop_assert!(least <= sliced.sq_distances()[(0, 1)] + slack);
        prop_assert!(sliced.sq_lengths()[0] >= embedded.sq_lengths()[0] - slack);
    }

    /// When plans split points, vectors are at most as long as the distance to the pivot.
    #[test]
    fn linear_transport_with_weights(((x, a), (y, b), _) in weighted_pairs(8)) {
        let (pivot, mu) = (weighted(&x, &a), weighted(&y, &b));
        let embedded = LinearOt::exact(pivot.clone()).embed_all(std::slice::from_ref(&mu)).unwrap();
        let least = exact(&pivot, &mu).unwrap().cost;
        prop_assert!(embedded.sq_lengths()[0] <= least + 1e-10 * scale(&[&x, &y]));
    }
}

/// Sum of the `k` largest eigenvalues, by turning pairs of axes (Jacobi).
fn top_sum(matrix: &Array2<f64>, k: usize) -> f64 {
    let (mut m, d) = (matrix.clone(), matrix.nrows());
    for _ in 0..12 {
        for p in 0..d {
            for q in p + 1..d {
                if m[(p, q)].abs() <= 1e-300 {
                    continue;
                }
                let angle = 0.5 * (2.0 * m[(p, q)]).atan2(m[(p, p)] - m[(q, q)]);
                let mut turn = Array2::<f64>::eye(d);
                (turn[(p, p)], turn[(q, q)]) = (angle.cos(), angle.cos());
                (turn[(p, q)], turn[(q, p)]) = (-angle.sin(), angle.sin());
                m = turn.t().dot(&m).dot(&turn);
            }
        }
    }
    let mut values = m.diag().to_vec();
    values.sort_by(|a, b| b.total_cmp(a));
    values[..k].iter().sum()
}

/// One point: everything is mixed. As many points as there are: the pivot may be the midpoint, and the plan a matching.
#[test]
fn factored_extremes() {
    let (x, y) = gaussian_pair(30, 3, 3, 7);
    let (mu, nu) = (measure(&x), measure(&y));
    let one = Factored { points: Some(1), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default())
        .unwrap();
    let spread = |m: &Measure| trace(Gaussian::fit(m).unwrap().covariance());
    let shift: f64 = mu.mean().iter().zip(nu.mean()).map(|(m, n)| (m - n) * (m - n)).sum();
    close(one.cost, shift + spread(&mu) + spread(&nu), 1e-9, "independent plan");
    one.pivot.points().iter().zip(mu.mean()).zip(nu.mean()).for_each(|((z, m), n)| {
        close(*z, 0.5 * (m + n), 1e-12, "pivot");
    });
    assert_eq!((one.coupling.len(), one.stop), (900, Stop::Converged));
    // The monotone choice has few entries and, for these clouds, a lower cost.
    let ordered = Factored { points: Some(1), glue: Glue::Monotone, ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default())
        .unwrap();
    assert!(ordered.coupling.len() < 60 && ordered.cost < one.cost);
    let all = Factored { points: Some(30), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default())
        .unwrap();
    assert!(all.coupling.is_matching());
    let least = exact(&mu, &nu).unwrap().cost;
    assert!(least <= all.cost && all.cost < one.cost);
    // More points than both clouds together.
    let many = Factored { points: Some(70), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default())
        .unwrap();
    assert!(many.coupling.marginal_gap(&mu, &nu).unwrap() < 1e-12 && many.cost >= least - 1e-12);
}

/// Clusters: as many points as clusters find them, whatever lies between, and the sum never rises on the way.
#[test]
fn factored_finds_clusters() {
    let (x, y) = multimodal_pair(100, 3);
    let (mu, nu) = (measure(&x), measure(&y));
    let least = exact(&mu, &nu).unwrap().cost;
    let mut sums: Vec<(usize, f64)> = Vec::new();
    let mut watch = |p: &Progress| {
        sums.push((p.tried, p.best));
        ControlFlow::Continue(())
    };
    let found = Factored { points: Some(10), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default().watched(&mut watch))
        .unwrap();
    sums.dedup();
    let sums: Vec<f64> = sums.into_iter().filter(|s| s.0 > 0).map(|s| s.1).collect();
    assert_eq!(sums.len(), found.iterations);
    assert!(sums.len() > 1 && sums.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-12)), "{sums:?}");
    assert!(found.cost < 1.5 * least, "{} {least}", found.cost);
    // Independent crossings at the settled pivot: the cost is the sum plus half the distance between the two sides.
    let arriving = found.source_to_pivot.inverse().barycentric_map(&found.pivot, &mu).unwrap();
    let leaving = found.pivot_to_target.barycentric_map(&found.pivot, &nu).unwrap();
    let apart = (&arriving - &leaving).mapv(|g| g * g).sum() / 10.0;
    close(found.cost, found.factored + 0.5 * apart, 1e-5 * found.cost, "identity");
    // Same seed, same bits.
    let again = Factored { points: Some(10), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default())
        .unwrap();
    assert_eq!((again.coupling, again.pivot.points()), (found.coupling, found.pivot.points()));
}

#[test]
fn stopped_early_there_are_plans() {
    let (x, y) = gaussian_pair(60, 4, 4, 1);
    let (mu, nu) = (measure(&x), measure(&y));
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let least = exact(&mu, &nu).unwrap().cost;
    let found = Factored { points: Some(7), ..Default::default() }
        .coupling(&question(&mu, &nu), &mut Run::default().watched(&mut stop))
        .unwrap();
    assert_eq!((found.stop, found.iterations), (Stop::Interrupted, 1));
    assert!(found.coupling.marginal_gap(&mu, &nu).unwrap() < 1e-12 && found.cost >= least);
    let found = Robust::by(SubspaceRobust::default(), &mu, &nu, &mut Run::default().watched(&mut stop));
    assert_eq!((found.stop, found.iterations), (Stop::Interrupted, 1));
    assert!(found.value <= least && least <= found.cost && found.value <= found.upper);
    let mut third =
        |p: &Progress| if p.tried < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let settings = SubspaceRobust { tolerance: 0.0, ..Default::default() };
    assert_eq!(Robust::by(settings, &mu, &nu, &mut Run::default().watched(&mut third)).iterations, 3);
    let axis = Subspace::principal(&mu, &nu, 2).unwrap();
    let found = detour(&axis, Lift::MongeKnothe)
        .answer(&question(&mu, &nu), &mut Run::default().watched(&mut stop))
        .unwrap();
    assert_eq!(found.stop, Stop::Interrupted);
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12 && found.cost >= least);
}

/// The fragmented hypercube of Paty & Cuturi: a cube in `R^10` that is torn apart along two coordinates.
fn fragmented(n: usize) -> (Cloud, Cloud) {
    let d = 10;
    // Two columns of one generator: points that look random and are the same everywhere.
    let known = translated::<10>(2 * n, [0.0; 10]).source;
    let (x, rest) = known.split_at(n * d);
    let tear = |k: usize, v: f64| if k % d < 2 { v + 2.0 * v.signum() } else { v };
    let y = rest.iter().enumerate().map(|(k, v)| tear(k, *v)).collect();
    (Cloud { points: x.to_vec(), dim: d }, Cloud { points: y, dim: d })
}

#[test]
fn fragmented_hypercube() {
    let (x, y) = fragmented(150);
    let (mu, nu) = (measure(&x), measure(&y));
    let least = exact(&mu, &nu).unwrap().cost;
    let both = |k: usize| {
        [Ascent::FrankWolfe, Ascent::Projected { step: 2.0 }].map(|ascent| {
            let settings = SubspaceRobust { k: Some(k), ascent, max_iterations: 25, tolerance: 2e-3 };
            Robust::by(settings, &mu, &nu, &mut Run::default())
        })
    };
    let found: Vec<[Robust; 2]> = [1, 2, 3, 4, 10].map(both).into();
    for [first, second] in &found {
        // Both intervals hold S_k, so they overlap; and they are narrow.
        assert!(first.value <= second.upper && second.value <= first.upper);
        close(first.value, second.value, 0.01 * first.upper, "two ascents");
        for one in [first, second] {
            assert!(one.gap() <= 0.02 * one.upper, "{} {}", one.gap(), one.upper);
            assert!(one.value <= least * (1.0 + 1e-9) && least <= one.cost * (1.0 + 1e-9));
        }
    }
    let value: Vec<f64> = found.iter().map(|both| both[0].value.max(both[1].value)).collect();
    let upper: Vec<f64> = found.iter().map(|both| both[0].upper.min(both[1].upper)).collect();
    assert!((0..4).all(|k| value[k] <= upper[k + 1]), "grows with k");
    close(value[4], least, 1e-9 * least, "k = d");
    // The second dimension adds as much as the first, the third next to nothing.
    let (second, third) = (value[1] - upper[0], upper[2] - value[1]);
    assert!(second > 0.3 * least && third < 0.1 * least, "{value:?} {upper:?} {least}");
    assert!(upper[3] - value[2] < 0.1 * least);
    // With k = 2 the subspace is that of the first two coordinates.
    for one in &found[1] {
        let inside = one.omega[(0, 0)] + one.omega[(1, 1)];
        assert!(inside > 1.95, "{inside} of 2");
    }
}

#[test]
fn settings_are_checked() {
    let (x, y) = gaussian_pair(5, 3, 3, 0);
    let (mu, nu) = (measure(&x), measure(&y));
    let robust = |settings: SubspaceRobust| settings.solve(&mu, &nu).unwrap_err();
    for k in [0, 4, 5] {
        let message = robust(SubspaceRobust { k: Some(k), ..Default::default() }).to_string();
        assert_eq!(message, format!("the dimension of the subspace is {k}; give 1 to 3"));
        let error = Subspace::principal(&mu, &nu, k).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::SubspaceDimension { found: k, dim: 3 });
    }
    let bad = |error: swgg::Error| matches!(error.kind(), ErrorKind::BadSetting { .. });
    assert!(bad(robust(SubspaceRobust { max_iterations: 0, ..Default::default() })));
    assert!(bad(robust(SubspaceRobust { tolerance: f64::NAN, ..Default::default() })));
    for step in [0.0, -1.0, f64::INFINITY] {
        assert!(bad(robust(SubspaceRobust { ascent: Ascent::Projected { step }, ..Default::default() })));
    }
    let factored =
        |settings: Factored| settings.coupling(&question(&mu, &nu), &mut Run::default()).unwrap_err();
    assert!(bad(factored(Factored { points: Some(0), ..Default::default() })));
    assert!(bad(factored(Factored { points: Some(1_000_000_000), ..Default::default() })));
    assert!(bad(factored(Factored { max_iterations: 0, ..Default::default() })));
    assert!(bad(factored(Factored { tolerance: -1.0, ..Default::default() })));
    // Other spaces.
    let flat = Measure::from_slice(&[0.0, 1.0], 1).unwrap();
    assert!(Question::new(&mu, &flat).is_err());
    assert!(Factored::default().solve(&mu, &flat).is_err());
    assert!(SubspaceRobust::default().solve(&mu, &flat).is_err());
    assert!(gaussian_transport(&mu, &flat).is_err());
    let plane = Subspace::span(Array2::eye(2).view()).unwrap();
    assert!(plane.project(&mu).is_err());
    assert!(detour(&plane, Lift::MongeKnothe).solve(&mu, &nu).is_err());
    assert!(LinearOt::exact(flat).embed(&mu).is_err());
    // A solver whose plans are none.
    let wrong = LinearOt::with(mu.clone(), |_, _| Coupling::from_map(vec![0, 1]));
    assert!(wrong.embed(&nu).is_err());
}

/// One point, equal clouds, all ties, dimension one.
#[test]
fn degenerate_clouds() {
    let shapes: [(Vec<f64>, usize); 5] = [
        (vec![1.5], 1),
        (vec![0.1, 0.2, 0.3], 3),
        (vec![0.7; 12], 2),
        ((0..12).map(|k| f64::from(k % 3)).collect(), 2),
        (vec![3.0, -1.0, 2.0, 2.0], 1),
    ];
    for (points, d) in &shapes {
        let mu = Measure::from_slice(points, *d).unwrap();
        let gaussian = gaussian_transport(&mu, &mu).unwrap();
        close(gaussian.cost, 0.0, 1e-14, "gaussian");
        let settings = SubspaceRobust { k: Some(1), ..Default::default() };
        let robust = Robust::by(settings, &mu, &mu, &mut Run::default());
        assert_eq!((robust.value, robust.upper, robust.stop), (0.0, 0.0, Stop::Converged));
        let factored = Factored { points: Some(mu.len()), ..Default::default() }
            .coupling(&question(&mu, &mu), &mut Run::default())
            .unwrap();
        assert!(factored.cost.is_finite() && factored.coupling.marginal_gap(&mu, &mu).unwrap() < 1e-12);
        let axis = Subspace::principal(&mu, &mu, 1).unwrap();
        let detoured = detour(&axis, Lift::MongeKnothe).solve(&mu, &mu).unwrap();
        close(detoured.cost, 0.0, 1e-12, "detour");
        let fitted = Gaussian::fit(&mu).unwrap();
        let through = GaussianDetour::between(&fitted, &fitted, &axis).unwrap();
        close(through.knothe_cost, 0.0, 1e-9, "detour between Gaussians");
        assert!(through.knothe_map.linear().iter().all(|x| x.is_finite()));
        let embedded = LinearOt::exact(mu.clone()).embed_all(&[mu.clone(), mu.clone()]).unwrap();
        assert_eq!(embedded.sq_lengths(), [0.0, 0.0]);
    }
    // No measures at all.
    let mu = Measure::from_slice(&[1.0], 1).unwrap();
    assert_eq!(LinearOt::exact(mu).embed_all(&[]).unwrap().sq_distances().dim(), (0, 0));
}

/// Fibres of equal size are matched one to one; in rotated coordinates they are still found.
#[test]
fn fibres() {
    let grid: Vec<f64> = (0..24).flat_map(|k| [f64::from(k % 4), f64::from(k / 4)]).collect();
    let moved: Vec<f64> = grid.chunks(2).flat_map(|p| [p[0] + 3.0, 2.0 * p[1]]).rev().collect();
    // Turned by an angle whose sine and cosine are not whole.
    let (sine, cosine) = 0.7_f64.sin_cos();
    let turned = |points: &[f64]| -> Vec<f64> {
        points.chunks(2).flat_map(|p| [cosine * p[0] - sine * p[1], sine * p[0] + cosine * p[1]]).collect()
    };
    let (x, y) = (turned(&grid), turned(&moved.chunks(2).flat_map(|p| [p[1], p[0]]).collect::<Vec<_>>()));
    let (mu, nu) = (Measure::from_slice(&x, 2).unwrap(), Measure::from_slice(&y, 2).unwrap());
    let axis = Subspace::span(array![[cosine, sine]].view()).unwrap();
    let knothe = detour(&axis, Lift::MongeKnothe).solve(&mu, &nu).unwrap();
    assert_eq!(knothe.fact("fibres"), Some(&Fact::Counts([4, 4])));
    assert!(knothe.plan().unwrap().is_matching());
    close(knothe.cost, exact(&mu, &nu).unwrap().cost, 1e-9, "columns keep their order");
    let independent = detour(&axis, Lift::MongeIndependent).solve(&mu, &nu).unwrap();
    assert_eq!(independent.plan().unwrap().len(), 4 * 6 * 6);
    assert!(independent.cost > knothe.cost + 1.0);
}

/// Single precision is taken as it is.
#[test]
fn single_precision() {
    let (x, y) = gaussian_pair(20, 3, 3, 5);
    let narrow = |cloud: &Cloud| cloud.points.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let (x, y) = (narrow(&x), narrow(&y));
    let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
    let least = exact(&mu, &nu).unwrap().cost;
    assert!(gaussian_transport(&mu, &nu).unwrap().lower_bound <= least);
    assert!(
        Factored { points: Some(5), ..Default::default() }
            .coupling(&question(&mu, &nu), &mut Run::default())
            .unwrap()
            .cost
            >= least
    );
    let settings = SubspaceRobust { k: Some(3), ..Default::default() };
    let full = Robust::by(settings, &mu, &nu, &mut Run::default());
    close(full.value, least, 1e-9 * least, "k = d");
    let plane = Subspace::principal(&mu, &nu, 2).unwrap();
    assert!(detour(&plane, Lift::MongeKnothe).solve(&mu, &nu).unwrap().cost >= least);
}

/// POT's factored coupling ends at the same sum from the same pivot; `cargo xtask golden` writes the file.
#[test]
fn factored_as_pot() {
    let all = golden(include_str!("../golden/factored.csv"));
    assert!(all.len() > 100);
    for Golden { seed, source, target, cost } in all {
        let first = source.points()[..source.dim() * source.len().min(3)].to_vec();
        let pivot = Measure::from_vec(first, source.dim()).unwrap();
        let settings = Factored { max_iterations: 200, tolerance: 0.0, ..Default::default() };
        let found =
            settings.coupling_from(&question(&source, &target), pivot, &mut Run::default()).unwrap().factored;
        assert!((found - cost).abs() <= 1e-9 * cost, "seed {seed}: {found}, POT {cost}");
    }
}
