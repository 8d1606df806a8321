//! Generalized geodesics, pivots on a line, and the closed form.

use crate::common::*;
use proptest::prelude::*;
use swgg::cost::SqEuclidean;
use swgg::line::Direction;
use swgg::{
    Measure, line,
    paper::{Geodesic, PivotCoupling, line_transport, pivot_measure, swgg_cost, swgg_coupling},
};
use swgg_testkit::{Cloud, clouds, exact_cost, exact_cost_weighted};

/// Points `origin + t * along`.
fn on_line(times: &[f64], origin: &[f64], along: &[f64]) -> Cloud {
    let points = times.iter().flat_map(|t| origin.iter().zip(along).map(move |(o, a)| o + t * a)).collect();
    Cloud { points, dim: origin.len() }
}

/// A cloud, another one on a line that does not pass through the origin, and that line's direction.
fn with_line(most: usize) -> impl Strategy<Value = (Cloud, Cloud, Direction)> {
    (1..=most, 1..=5_usize).prop_flat_map(|(n, d)| {
        let numbers = |len| proptest::collection::vec(-5.0..5.0_f64, len);
        (clouds(n, d), numbers(n), numbers(d), thetas(d)).prop_map(|(cloud, times, origin, theta)| {
            let line = on_line(&times, &origin, theta.as_slice());
            (cloud, line, theta)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Lemma: exact when either measure lies on a line, and the two terms add up.
    #[test]
    fn closed_form((x, y, theta) in with_line(6)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let tolerance = 1e-10 * scale(&[&x, &y]);
        let exact = exact_cost(&x.points, &y.points, x.dim);
        close(line_transport(&mu, &nu).unwrap().cost, exact, tolerance, "line as target");
        close(line_transport(&nu, &mu).unwrap().cost, exact, tolerance, "line as source");
        // W2^2(mu, nu) = W2^2(mu, Q mu) + W2^2(Q mu, nu), with Q onto the line through a point of nu.
        let shifted = |cloud: &Cloud| cloud.map(|c, value| value - y.points[c]);
        let (x, y) = (shifted(&x), shifted(&y));
        let (mu, nu) = (measure(&x), measure(&y));
        let flat = theta.flatten(&mu).unwrap();
        let off: f64 = x.points.iter().zip(flat.points()).map(|(a, b)| (a - b).powi(2)).sum();
        let along = line::cost(&theta.push_forward(&mu).unwrap(), &theta.push_forward(&nu).unwrap(), 2.0);
        close(off / x.len() as f64 + along.unwrap(), exact, tolerance, "two terms");
    }

    /// The lemma with weights and unequal sizes.
    #[test]
    fn closed_form_with_weights(
        ((x, a), (y, b), theta) in small_weighted_pairs(), times in proptest::collection::vec(-4.0..4.0_f64, 5)
    ) {
        let origin = vec![1.5; y.dim];
        let y = on_line(&times[..y.len()], &origin, theta.as_slice());
        let exact = exact_cost_weighted(&x.points, &a, &y.points, &b, x.dim);
        let transport = line_transport(&weighted(&x, &a), &weighted(&y, &b)).unwrap();
        close(transport.cost, exact, 1e-10 * scale(&[&x, &y]), "weighted line");
    }

    /// Both ends of the curve are the measures, and masses do not change along it.
    #[test]
    fn end_points(((x, a), (y, b), theta) in weighted_pairs(20)) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let curve = Geodesic::along(&mu, &nu, &theta).unwrap();
        for (t, side) in [(0.0, &mu), (1.0, &nu)] {
            let end = curve.at(t).unwrap();
            for (atom, (i, j, mass)) in curve.coupling().entries().enumerate() {
                let index = if t == 0.0 { i } else { j };
                prop_assert_eq!(end.point(atom), side.point(index));
                close(end.weight(atom), mass, 1e-12, "mass");
            }
        }
        prop_assert!(curve.at(-0.1).is_err() && curve.at(f64::NAN).is_err());
    }

    /// The pivot does not matter: any distinct atoms on the line give the plan of the direction.
    #[test]
    fn pivot_irrelevance(
        (x, y, theta) in pairs(1..=12), steps in proptest::collection::vec(0.1..3.0_f64, 12), at in -5.0..5.0_f64
    ) {
        let (mu, nu) = (measure(&x), measure(&y));
        let mut times: Vec<f64> = steps[..x.len()].iter().scan(at, |t, s| { *t += s; Some(*t) }).collect();
        times.reverse();
        let pivot = on_line(&times, &vec![0.0; x.dim], theta.as_slice());
        let through = PivotCoupling::new(&measure(&pivot), &mu, &nu, &theta).unwrap();
        let cost = swgg_cost(&mu, &nu, &theta).unwrap();
        close(through.cost(&mu, &nu).unwrap(), cost, 1e-12 * scale(&[&x, &y]), "any pivot");
        prop_assert_eq!(through.source_to_target(), swgg_coupling(&mu, &nu, &theta).unwrap());
        let paper = pivot_measure(&mu, &nu, &theta).unwrap();
        let through = PivotCoupling::new(&paper, &mu, &nu, &theta).unwrap();
        // The pivot of the paper has coinciding atoms where projections tie; then any plan through it is a choice.
        if distinct(&paper, &theta) {
            close(through.cost(&mu, &nu).unwrap(), cost, 1e-12 * scale(&[&x, &y]), "the paper's pivot");
        }
    }

    /// W_nu^2 = 2 W2^2(mu, nu) + 2 W2^2(nu, mu') - 4 W2^2(mean, nu), for any pivot on a line, weighted or not.
    #[test]
    fn nu_based_distance(
        ((x, a), (y, b), theta) in weighted_pairs(10), times in proptest::collection::hash_set(-40..40_i32, 1..8)
    ) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let times: Vec<f64> = times.into_iter().map(|t| f64::from(t) / 7.0).collect();
        let cloud = on_line(&times, &vec![0.0; x.dim], theta.as_slice());
        let pivot = measure(&cloud);
        let glued = PivotCoupling::new(&pivot, &mu, &nu, &theta).unwrap();
        prop_assert!(glued.len() <= pivot.len() + mu.len() + nu.len() - 2);
        let to_source = glued.pivot_to_source().cost(&pivot, &mu, &SqEuclidean).unwrap();
        let to_target = glued.pivot_to_target().cost(&pivot, &nu, &SqEuclidean).unwrap();
        // Both legs are optimal: sorting along the pivot's line is the closed form.
        let tolerance = 1e-10 * scale(&[&x, &y, &cloud]);
        let leg = |side: &Measure| swgg_coupling(&pivot, side, &theta).unwrap().cost(&pivot, side, &SqEuclidean);
        close(to_source, leg(&mu).unwrap(), tolerance, "optimal leg to the source");
        close(to_target, leg(&nu).unwrap(), tolerance, "optimal leg to the target");
        let curve = Geodesic::new(&mu, &nu, glued.source_to_target()).unwrap();
        let mean = curve.midpoint().unwrap();
        let along = line::couple_sorted(
            &pivot, &theta.sort(&pivot).unwrap(), &mean, &theta.sort(&mean).unwrap()).unwrap();
        let to_mean = along.cost(&pivot, &mean, &SqEuclidean).unwrap();
        let expected = 2.0 * to_source + 2.0 * to_target - 4.0 * to_mean;
        close(glued.cost(&mu, &nu).unwrap(), expected, 10.0 * tolerance, "nu-based distance");
        for (i, mass) in glued.source_to_target().source_marginal().iter().enumerate() {
            close(*mass, mu.weight(i), 1e-12, "marginal");
        }
    }

    /// "SWGG based on generalized geodesics", term by term: every distance to the pivot of the paper by the closed form.
    #[test]
    fn swgg_through_the_paper_pivot((x, y, theta) in smooth_pairs(1..=12)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let pivot = pivot_measure(&mu, &nu, &theta).unwrap();
        let mean = Geodesic::along(&mu, &nu, &theta).unwrap().midpoint().unwrap();
        let to_pivot = |side: &Measure| line_transport(side, &pivot).unwrap().cost;
        let expected = 2.0 * to_pivot(&mu) + 2.0 * to_pivot(&nu) - 4.0 * to_pivot(&mean);
        let cost = swgg_cost(&mu, &nu, &theta).unwrap();
        close(cost, expected, 1e-10 * scale(&[&x, &y]), "three distances to the pivot");
    }

    /// Generalized geodesics have negative curvature, true ones positive.
    #[test]
    fn curvature((x, y, theta) in pairs(1..=6), t in 0.0..=1.0_f64, at in -3.0..3.0_f64) {
        let (mu, nu) = (measure(&x), measure(&y));
        let times: Vec<f64> = (0..x.len()).map(|k| at + k as f64).collect();
        let pivot = on_line(&times, &vec![0.0; x.dim], theta.as_slice());
        let w2 = |a: &[f64], b: &[f64]| exact_cost(a, b, x.dim);
        let tolerance = 1e-10 * scale(&[&x, &y, &pivot]);
        let curve = Geodesic::along(&mu, &nu, &theta).unwrap();
        let (to_x, to_y) = (w2(&x.points, &pivot.points), w2(&y.points, &pivot.points));
        let exact = w2(&x.points, &y.points);
        let at_t = w2(curve.at(t).unwrap().points(), &pivot.points);
        prop_assert!(at_t <= (1.0 - t) * to_x + t * to_y - t * (1.0 - t) * exact + tolerance);
        // Against the middle of the optimal plan the inequality turns round.
        let best = best_matching(&x, &y);
        let middle = Geodesic::new(&mu, &nu, best).unwrap().midpoint().unwrap();
        prop_assert!(exact >= 2.0 * to_x + 2.0 * to_y - 4.0 * w2(middle.points(), &pivot.points) - tolerance);
    }

    /// The pivot of the paper is the middle of the two flattened measures.
    #[test]
    fn pivot_is_the_mean((x, y, theta) in pairs(1..=12)) {
        let (mu, nu) = (measure(&x), measure(&y));
        let pivot = pivot_measure(&mu, &nu, &theta).unwrap();
        let along = |m: &Measure| theta.push_forward(m).unwrap();
        let cost = |a: &Measure, b: &Measure| line::cost(&along(a), &along(b), 2.0).unwrap();
        let sum = 2.0 * cost(&mu, &pivot) + 2.0 * cost(&pivot, &nu);
        close(sum, cost(&mu, &nu), 1e-10 * scale(&[&x, &y]), "middle");
    }
}

/// The optimal matching of a small pair, by trying all of them.
fn best_matching(x: &Cloud, y: &Cloud) -> swgg::Coupling {
    let (mu, nu) = (measure(x), measure(y));
    let mut best = (f64::INFINITY, Vec::new());
    permute(&mut (0..x.len() as u32).collect(), 0, &mut |map| {
        let plan = swgg::Coupling::from_map(map.to_vec()).unwrap();
        let cost = plan.cost(&mu, &nu, &SqEuclidean).unwrap();
        if cost < best.0 {
            best = (cost, map.to_vec());
        }
    });
    swgg::Coupling::from_map(best.1).unwrap()
}

fn permute(items: &mut Vec<u32>, from: usize, visit: &mut impl FnMut(&[u32])) {
    if from + 1 >= items.len() {
        return visit(items);
    }
    for k in from..items.len() {
        items.swap(from, k);
        permute(items, from + 1, visit);
        items.swap(from, k);
    }
}

#[test]
fn a_plan_of_other_measures_draws_no_curve() {
    let mu = Measure::from_vec(vec![0.0, 1.0], 1).unwrap();
    let half = swgg::plan::Coo { sources: vec![0], targets: vec![0], masses: vec![0.5] };
    let half = swgg::Coupling::sparse(2, 2, half).unwrap();
    assert_eq!(half.marginal_gap(&mu, &mu).unwrap(), 0.5);
    let refusal = Geodesic::new(&mu, &mu, half).unwrap_err().to_string();
    assert!(refusal.starts_with("the plan misses the weights of the measures by 5.0e-1"), "{refusal}");
}

#[test]
fn a_pivot_off_the_line_is_refused() {
    let plane = Measure::from_vec(vec![0.0, 0.0, 1.0, 0.5], 2).unwrap();
    let refusal = PivotCoupling::new(&plane, &plane, &plane, &Direction::axis(2, 0).unwrap()).unwrap_err();
    assert!(refusal.to_string().starts_with("the pivot strays 5.0e-1 from the line"), "{refusal}");
}
