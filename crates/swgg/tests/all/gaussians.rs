//! Clouds as Gaussians: maps, costs, bounds and detours in closed form.

use crate::common::*;
use proptest::collection::vec;
use proptest::prelude::*;
use swgg::ndarray::{Array2, array};
use swgg::{
    ErrorKind, Measure,
    exact::exact,
    gaussian::{Gaussian, GaussianMap, bures_sq, gaussian_cost, gaussian_transport},
    solver::GaussianDetour,
};
use swgg_testkit::gaussian_pair;

/// `F F^T` for a `d x rank` matrix `F`: a covariance of that rank.
fn covariances(d: usize, rank: usize) -> impl Strategy<Value = Array2<f64>> {
    vec(-2.0..2.0_f64, d * rank).prop_map(move |numbers| {
        let factor = Array2::from_shape_vec((d, rank), numbers).unwrap();
        factor.dot(&factor.t())
    })
}

/// Two covariances with no eigenvalue below 0.1, so that maps between them have all their digits.
fn round_pairs() -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
    let lift = |s: Array2<f64>| &s + &(0.1 * Array2::<f64>::eye(s.nrows()));
    (1..=6_usize).prop_flat_map(move |d| (covariances(d, d).prop_map(lift), covariances(d, d).prop_map(lift)))
}

#[track_caller]
fn same_matrix(a: &Array2<f64>, b: &Array2<f64>, tolerance: f64, what: &str) {
    assert!(largest(&(a - b)) <= tolerance, "{what}: {a} and {b}");
}

fn centred(covariance: &Array2<f64>) -> Gaussian {
    Gaussian::new(vec![0.0; covariance.nrows()], covariance.clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The map carries one covariance to the other, is symmetric and undone by the map back; its cost is the closed form.
    #[test]
    fn gaussian_maps((first, second) in round_pairs()) {
        let (source, target) = (centred(&first), centred(&second));
        let map = GaussianMap::between(&source, &target).unwrap();
        let linear = map.linear();
        let tolerance = 1e-9 * (1.0 + largest(&first) + largest(&second)).powi(2);
        same_matrix(&linear.dot(&first).dot(linear), &second, tolerance, "image");
        same_matrix(linear, &linear.t().to_owned(), 0.0, "symmetry");
        let back = GaussianMap::between(&target, &source).unwrap();
        same_matrix(&back.linear().dot(linear), &Array2::eye(first.nrows()), tolerance, "there and back");
        let stay = Array2::eye(first.nrows()) - linear;
        let cost = gaussian_cost(&source, &target).unwrap();
        close(trace(&stay.dot(&first).dot(&stay)), cost, tolerance, "cost");
        close(bures_sq(&second, &first).unwrap(), cost, tolerance, "swapped");
        close(bures_sq(&first, &first).unwrap(), 0.0, tolerance, "itself");
    }

    /// Flat covariances: nothing is infinite, and the image is what the source can reach.
    #[test]
    fn flat_gaussian_maps(
        (first, second) in (2..=6_usize).prop_flat_map(|d| (1..d, 1..=d, Just(d)))
            .prop_flat_map(|(r, s, d)| (covariances(d, r), covariances(d, s))),
    ) {
        let map = GaussianMap::between(&centred(&first), &centred(&second)).unwrap();
        prop_assert!(map.linear().iter().all(|x| x.is_finite()));
        // Within the source's own directions the image has the covariance of the target.
        let image = map.linear().dot(&first).dot(map.linear());
        let (seen, wanted) = (first.dot(&image).dot(&first), first.dot(&second).dot(&first));
        same_matrix(&seen, &wanted, 1e-6 * (1.0 + trace(&first)).powi(2) * (1.0 + trace(&second)), "image");
        let cost = bures_sq(&first, &second).unwrap();
        prop_assert!(cost <= trace(&first) + trace(&second));
        // A linear image of the source is its own optimal target when the matrix is positive: the closed form knows its cost.
        let stretch = &second + &(0.1 * Array2::<f64>::eye(first.nrows()));
        let image = stretch.dot(&first).dot(&stretch);
        let stay = Array2::eye(first.nrows()) - &stretch;
        let expected = trace(&stay.dot(&first).dot(&stay.t()));
        let scale = 1.0 + trace(&first) + trace(&image);
        close(bures_sq(&first, &image).unwrap(), expected, 1e-6 * scale, "cost");
    }

    /// Gelbrich: never above exact transport, also for weights, ties, and clouds in one place.
    #[test]
    fn gelbrich_bound(((x, a), (y, b), _) in weighted_pairs(12)) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let found = gaussian_transport(&mu, &nu).unwrap();
        let least = exact(&mu, &nu).unwrap().cost;
        let scale = scale(&[&x, &y]);
        prop_assert!(found.lower_bound <= least * (1.0 + 1e-12) + 1e-12 * scale);
        prop_assert!(found.lower_bound <= found.cost + 1e-12 * scale && found.cost >= 0.0);
        let image = found.image(&mu).unwrap();
        prop_assert_eq!(image.len(), mu.len());
        image.mean().iter().zip(nu.mean()).for_each(|(m, n)| close(*m, n, 1e-9 * scale, "mean"));
    }

    /// The Monge-Knothe map carries A to B, keeps the subspace apart, and costs lie in order.
    #[test]
    fn gaussian_detours(
        (a, b, subspace) in round_pairs().prop_flat_map(|(a, b)| {
            let d = a.nrows();
            (Just(a), Just(b), subspaces(d))
        }),
    ) {
        let (source, target) = (centred(&a), centred(&b));
        let found = GaussianDetour::between(&source, &target, &subspace).unwrap();
        let map = found.knothe_map.linear();
        let tolerance = 1e-8 * (1.0 + largest(&a) + largest(&b)).powi(3);
        same_matrix(&map.dot(&a).dot(&map.t()), &b, tolerance, "image");
        // What ends on the subspace depends on what began there only.
        let leak = subspace.basis().dot(map).dot(&subspace.complement().unwrap().t());
        prop_assert!(leak.iter().all(|x| x.abs() < tolerance));
        let least = gaussian_cost(&source, &target).unwrap();
        prop_assert!(least <= found.knothe_cost + tolerance);
        prop_assert!(found.knothe_cost <= found.independent_cost + tolerance);
        close(found.knothe_cost, trace(&a) + trace(&b) - 2.0 * trace(&map.dot(&a)), tolerance, "cost");
        close(found.independent_cost, trace(&a) + trace(&b) - 2.0 * trace(&found.independent_cross), tolerance, "cost");
        // The independent plan joins the subspace as the optimal map there does: cross covariance A_E T_E.
        let (e, t) = (subspace.basis(), subspace.basis().dot(map).dot(&subspace.basis().t()));
        let joined = e.dot(&found.independent_cross).dot(&e.t());
        same_matrix(&joined, &e.dot(&a).dot(&e.t()).dot(&t.t()), tolerance, "along the subspace");
        if subspace.len() == a.nrows() {
            close(found.knothe_cost, least, tolerance, "the whole space");
        }
    }
}

/// A linear image of a cloud under a positive matrix is its best target: the fit finds the map and the cost, exactly.
#[test]
fn the_map_of_a_stretched_cloud() {
    let (x, _) = gaussian_pair(200, 3, 3, 4);
    let mu = measure(&x);
    let stretch = array![[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]];
    let moved: Vec<f64> =
        x.points.chunks(3).flat_map(|p| stretch.dot(&array![p[0], p[1], p[2]]) + 1.0).collect();
    let nu = Measure::from_slice(&moved, 3).unwrap();
    let found = gaussian_transport(&mu, &nu).unwrap();
    same_matrix(found.map.linear(), &stretch, 1e-9, "map");
    close(found.cost, exact(&mu, &nu).unwrap().cost, 1e-9, "cost");
    let image = found.image(&mu).unwrap();
    let worst = image.points().iter().zip(&moved).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(worst < 1e-9, "{worst}");
    assert!(found.lower_bound <= found.cost && found.lower_bound > 0.999 * found.cost);
}

/// Clouds in one place, on a line, in one dimension; weights that vanish.
#[test]
fn flat_clouds_have_gaussians() {
    let dot = Measure::from_slice(&[0.1, 0.3, 0.1, 0.3, 0.1, 0.3], 2).unwrap();
    let line = Measure::from_slice(&[0.0, 0.0, 1.0, 1.0, 2.0, 2.0], 2).unwrap();
    let there = gaussian_transport(&dot, &line).unwrap();
    // Nothing to stretch: the cloud moves as it is, and the whole spread is paid for.
    close(there.cost, exact(&dot, &line).unwrap().cost, 1e-12, "one place");
    let image = there.image(&dot).unwrap();
    image.points().iter().for_each(|x| close(*x, 1.0, 1e-12, "image"));
    let back = gaussian_transport(&line, &dot).unwrap();
    close(back.cost, there.cost, 1e-12, "swapped");
    back.image(&line).unwrap().points().chunks(2).for_each(|p| {
        close(p[0], 0.1, 1e-7, "image");
        close(p[1], 0.3, 1e-7, "image");
    });
    // From one line to another: the part that the source cannot reach is missing from the image.
    let across = Measure::from_slice(&[0.0, 0.0, 0.0, 3.0, 0.0, 6.0], 2).unwrap();
    let turned = gaussian_transport(&line, &across).unwrap();
    // P S_2 P with P on the diagonal: half of the variance 6, in a direction where the source has 4/3.
    let expected = (3.0_f64 / (4.0 / 3.0)).sqrt() * 0.5;
    same_matrix(turned.map.linear(), &Array2::from_elem((2, 2), expected), 1e-9, "map");
    // Tiny masses and zero ones.
    let spike = line.clone().with_weights(&[1.0, 1e-300, 0.0]).unwrap();
    assert!(gaussian_transport(&spike, &line).unwrap().map.linear().iter().all(|x| x.is_finite()));
    // Coordinates whose squares are all but infinite.
    let huge = Measure::from_slice(&[0.0, 1e150, -1e150, 0.0], 2).unwrap();
    let found = gaussian_transport(&huge, &line).unwrap();
    assert!(found.cost.is_finite() && found.map.linear().iter().all(|x| x.is_finite()));
}

#[test]
fn covariances_are_checked() {
    let kind = |mean: Vec<f64>, s| Gaussian::new(mean, s).unwrap_err().kind().clone();
    assert!(matches!(
        kind(vec![0.0; 2], array![[1.0]]),
        ErrorKind::CovarianceShape { rows: 1, columns: 1, dim: 2 }
    ));
    assert!(matches!(
        kind(vec![0.0; 2], array![[1.0, 1.0], [0.0, 1.0]]),
        ErrorKind::NotACovariance { what: "symmetric", .. }
    ));
    let negative = kind(vec![0.0; 2], array![[1.0, 2.0], [2.0, 1.0]]);
    assert!(matches!(negative, ErrorKind::NotACovariance { what: "positive semi-definite", .. }));
    assert!(kind(vec![0.0], array![[f64::NAN]]).to_string().contains("not finite"));
    assert!(bures_sq(&array![[1.0]], &Array2::eye(2)).is_err());
    let (one, two) = (centred(&array![[1.0]]), centred(&Array2::eye(2)));
    assert!(gaussian_cost(&one, &two).is_err() && GaussianMap::between(&one, &two).is_err());
    assert!(GaussianMap::between(&one, &one).unwrap().apply(&[1.0, 2.0]).is_err());
}
