//! Few points in many dimensions: nothing of size `d x d`, and the same answers as in the space that the points span.

use crate::common::{Draws, close, question};
use swgg::answer::Fact;
use swgg::bound::lower_bounds;
use swgg::cost::SqEuclidean;
use swgg::gaussian::{Gaussian, gaussian_transport};
use swgg::line::principal_axes;
use swgg::paper::swgg_coupling;
use swgg::setting::Settings;
use swgg::sliced::{Sliced, Slicing};
use swgg::solver::{GaussianFit, METHODS, Subspace, SubspaceRobust, build};
use swgg::{CostIs, ErrorKind, Measure, MinSwgg, Parallelism, Run, Solver, exact::exact};

/// A matrix of as many rows and columns takes 3.2 GB.
const WIDE: usize = 20_000;

fn cloud(n: usize, d: usize, seed: u64) -> Measure<'static, f64> {
    Measure::from_vec(Draws(seed).several(n * d), d).unwrap()
}

/// The same cloud with coordinates that are all zero, up to so many.
fn padded(measure: &Measure, d: usize) -> Measure<'static, f64> {
    let mut points = vec![0.0; measure.len() * d];
    for (i, row) in points.chunks_exact_mut(d).enumerate() {
        row[7..7 + measure.dim()].copy_from_slice(measure.point(i));
    }
    let padded = Measure::from_vec(points, d).unwrap();
    match measure.weights() {
        Some(weights) => padded.with_weights(weights).unwrap(),
        None => padded,
    }
}

#[test]
fn every_method_works_in_twenty_thousand_dimensions() {
    let (mu, nu) = (cloud(4, WIDE, 1), cloud(5, WIDE, 2));
    let best = exact(&mu, &nu).unwrap().cost;
    for method in METHODS.iter().filter(|method| method.name != "line") {
        let solver = build(method, &Settings::new()).unwrap();
        let found = solver.answer(&question(&mu, &nu), &mut Run::default()).unwrap();
        assert!(found.lower_bound.is_none_or(|bound| bound <= best * (1.0 + 1e-12)), "{}", method.name);
        if found.cost_is == CostIs::Upper {
            assert!(found.cost >= best * (1.0 - 1e-12), "{}", method.name);
        }
    }
}

#[test]
fn bounds_and_axes_are_those_of_the_span() {
    let (mu, nu) =
        (cloud(9, 5, 3), cloud(7, 5, 4).with_weights(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap());
    for d in [300, WIDE] {
        let (wide_mu, wide_nu) = (padded(&mu, d), padded(&nu, d));
        let best = exact(&mu, &nu).unwrap().cost;
        let [small, wide] = [(&mu, &nu), (&wide_mu, &wide_nu)]
            .map(|(mu, nu)| lower_bounds(mu, nu, &[], Parallelism::Serial).unwrap());
        assert!(wide.best() <= best);
        close(wide.gaussian.unwrap(), small.gaussian.unwrap(), 1e-4 * best, "Gelbrich");
        close(wide.line, small.line, 1e-9 * best, "lines");
        let (axes, expected) =
            (principal_axes(&wide_mu, &wide_nu).unwrap(), principal_axes(&mu, &nu).unwrap());
        assert_eq!((axes.len(), expected.len()), (5, 5));
        for k in 0..5 {
            for c in 0..5 {
                close(axes.row(k)[7 + c], expected.row(k)[c], 1e-9, "axis");
            }
        }
    }
}

#[test]
fn gaussians_move_points_as_their_matrices_do() {
    let (mu, nu) = (cloud(12, 300, 5), cloud(15, 300, 6));
    let found = GaussianFit.answer(&question(&mu, &nu), &mut Run::default()).unwrap();
    let direct = gaussian_transport(&mu, &nu).unwrap();
    close(found.cost, direct.cost, 1e-7 * direct.cost, "cost");
    let image = direct.image(&mu).unwrap();
    for (a, b) in found.image.unwrap().iter().zip(image.points()) {
        close(*a, *b, 1e-6, "image");
    }
    let error = Gaussian::fit(&cloud(2, WIDE, 7)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::MatrixTooLarge { rows: WIDE, columns: WIDE, .. }));
    assert!(error.to_string().contains("3200000000 bytes"), "{error}");
}

#[test]
fn the_worst_subspace_is_in_the_span() {
    let (mu, nu) = (cloud(14, 6, 8), cloud(14, 6, 9));
    for k in [1, 3, 20] {
        let of = |mu: &Measure, nu: &Measure, k: usize| {
            let robust = SubspaceRobust { k: Some(k), ..Default::default() };
            robust.solve(mu, nu).unwrap()
        };
        let small = of(&mu, &nu, k.min(6));
        for d in [300, WIDE] {
            let wide = of(&padded(&mu, d), &padded(&nu, d), k);
            // Each knows the value to its gap.
            let [[low, high], [wide_low, wide_high]] = [&small, &wide]
                .map(|found| ["robust_lower", "robust_upper"].map(|name| found.number(name).unwrap()));
            assert!(wide_low <= high * (1.0 + 1e-9) && low <= wide_high * (1.0 + 1e-9));
            let paid = wide.plan().unwrap().cost(&mu, &nu, &SqEuclidean).unwrap();
            close(wide.cost, paid, 1e-9 * wide.cost, "cost");
            match wide.fact("omega") {
                Some(Fact::Matrix(omega)) if d == 300 => close(omega.diag().sum(), k as f64, 1e-6, "trace"),
                omega => assert!(omega.is_none() && d == WIDE, "{omega:?}"),
            }
        }
    }
}

#[test]
fn subspaces_of_more_dimensions_than_points() {
    let (mu, nu) = (cloud(2, WIDE, 10), cloud(1, WIDE, 11));
    let subspace = Subspace::principal(&mu, &nu, 5).unwrap();
    let gram = subspace.basis().dot(&subspace.basis().t());
    assert!(gram.indexed_iter().all(|((i, j), x)| (x - f64::from(u8::from(i == j))).abs() < 1e-12));
    for error in [subspace.complement().unwrap_err(), Subspace::principal(&mu, &nu, 10_000).unwrap_err()] {
        assert!(matches!(error.kind(), ErrorKind::MatrixTooLarge { .. }), "{error}");
    }
}

#[test]
fn lines_of_very_large_spaces() {
    let (mu, nu) = (cloud(4, 5000, 1), cloud(4, 5000, 2));
    // Orthonormal directions have the same mean as others.
    let usual = Sliced { directions: 400, ..Sliced::new(Slicing::Wasserstein { p: 2.0 }) };
    let [one, other] = [true, false]
        .map(|orthogonal| Sliced { orthogonal, ..usual }.estimate(&mu, &nu, &mut Run::default()).unwrap());
    assert!((0.75..1.33).contains(&(one.cost / other.cost)), "{one:?} {other:?}");
    assert!(one.directions == 400 && one.standard_error.is_nan());
    // A direction of the span is told as one of the space, with the plan that it has there.
    let found = MinSwgg::new().solve(&mu, &nu).unwrap();
    let (theta, plan) = (found.direction.as_ref().unwrap(), found.plan().unwrap());
    assert_eq!((theta.dim(), &swgg_coupling(&mu, &nu, theta).unwrap()), (5000, plan));
    let cost = plan.cost(&mu, &nu, &SqEuclidean).unwrap();
    assert!((cost - found.cost).abs() <= 1e-9 * cost && found.lower_bound.unwrap() <= cost);
}
