//! The sliced family: known values, brackets, gradients.

use crate::common::*;
use proptest::prelude::*;
use std::time::Duration;
use swgg::cost::Power;
use swgg::{
    Measure, MinSwgg, Run, Stop, line,
    line::{Direction, Orthogonal, Sampler, Sphere},
    paper::{InMemory, Optimizer, RandomSearch, Sweep},
    sliced::{MaxSliced, PointGradient, Sliced, Slicing, max_sliced, pwd, sliced_wasserstein},
};
use swgg_testkit::{
    Cloud, assignment_cost, exact_cost, exact_cost_weighted, gaussian_pair, low_dimensional_pair,
    multimodal_pair, plane_pair,
};

fn few(slicing: Slicing) -> Sliced {
    Sliced { directions: 7, ..Sliced::new(slicing) }
}

/// On one thread.
fn seeded(seed: u64) -> Run<'static> {
    Run { seed, ..Run::on_threads(1) }
}

fn climb() -> MaxSliced {
    MaxSliced { steps: 10, ..Default::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// SW_2^2 <= max-SW_2^2 <= W_2^2 <= min-SWGG_2^2 <= PWD_2^2, the last two over the same lines.
    #[test]
    fn bracket((x, y, _) in pairs(1..=7), seed in 0..9_u64) {
        let (mu, nu) = (measure(&x), measure(&y));
        let exact = exact_cost(&x.points, &y.points, x.dim);
        check_bracket(&mu, &nu, exact, seed, 1e-11 * scale(&[&x, &y]));
    }

    /// The same with weights and unequal sizes.
    #[test]
    fn bracket_with_weights(((x, a), (y, b), _) in small_weighted_pairs(), seed in 0..9_u64) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let exact = exact_cost_weighted(&x.points, &a, &y.points, &b, x.dim);
        check_bracket(&mu, &nu, exact, seed, 1e-11 * scale(&[&x, &y]));
    }

    /// SW_p^p is the mean of the transport costs along the same lines.
    #[test]
    fn a_mean_of_lines(((x, a), (y, b), _) in weighted_pairs(30), p in 1.0..4.0_f64, whole in any::<bool>()) {
        let p = if whole { p.floor() } else { p };
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let estimate = few(Slicing::Wasserstein { p }).estimate(&mu, &nu, &mut seeded(3)).unwrap();
        let thetas = Sphere::new(x.dim, 3).unwrap().batch(0..7);
        let along = |k: usize| {
            let theta = thetas.get(k);
            line::cost(&theta.push_forward(&mu).unwrap(), &theta.push_forward(&nu).unwrap(), p).unwrap()
        };
        let costs: Vec<f64> = (0..7).map(along).collect();
        let mean = costs.iter().sum::<f64>() / 7.0;
        close(estimate.cost, mean, 1e-11 * (1.0 + mean), "mean");
        let variance = costs.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / 6.0;
        close(estimate.standard_error, (variance / 7.0).sqrt(), 1e-9 * (1.0 + mean), "standard error");
        close(estimate.distance(), mean.powf(1.0 / p), 1e-9 * (1.0 + mean), "distance");
    }

    /// A list of the directions of a seed gives what the seed gives, and only as much of it as is asked for.
    #[test]
    fn listed_directions(((x, a), (y, b), _) in weighted_pairs(15), orthogonal in any::<bool>()) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        for slicing in [Slicing::Wasserstein { p: 1.5 }, Slicing::Projected] {
            let drawn = Sliced { orthogonal, ..few(slicing) };
            let batch = |count| match orthogonal {
                false => Sphere::new(x.dim, 3).unwrap().batch(0..count),
                true => Orthogonal::new(x.dim, 3).unwrap().batch(0..count),
            };
            let run = &mut seeded(3);
            for count in [7, 20] {
                let listed = drawn.estimate_over(&mu, &nu, &batch(count), run).unwrap();
                let whole = drawn.estimate(&mu, &nu, run).unwrap();
                prop_assert_eq!((listed.cost, listed.directions), (whole.cost, 7));
                let listed = drawn.gradient_over(&mu, &nu, &batch(count), run).unwrap();
                prop_assert_eq!(listed.1, drawn.gradient(&mu, &nu, run).unwrap().1);
            }
            let fewer = Sliced { directions: 3, ..drawn };
            let listed = drawn.estimate_over(&mu, &nu, &batch(3), run).unwrap();
            prop_assert_eq!(listed.cost, fewer.estimate(&mu, &nu, run).unwrap().cost);
            let elsewhere = Sphere::new(x.dim + 1, 0).unwrap().batch(0..2);
            prop_assert!(drawn.estimate_over(&mu, &nu, &elsewhere, run).is_err());
        }
    }

    /// The same bits for any number of threads, gradients included.
    #[test]
    fn threads_do_not_matter(((x, a), (y, b), _) in weighted_pairs(15)) {
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        let on = |threads| Run { seed: 3, ..Run::on_threads(threads) };
        for slicing in [Slicing::Wasserstein { p: 2.0 }, Slicing::Projected] {
            let serial = few(slicing).gradient(&mu, &nu, &mut on(1)).unwrap();
            for threads in [2, 5] {
                prop_assert_eq!(&few(slicing).gradient(&mu, &nu, &mut on(threads)).unwrap(), &serial);
            }
            let alone = few(slicing).estimate(&mu, &nu, &mut on(2)).unwrap();
            close(alone.cost, serial.0.cost, 1e-12 * scale(&[&x, &y]), "with and without");
        }
        let with = |threads| climb().maximum(&mu, &nu, &mut Run::on_threads(threads)).unwrap();
        prop_assert_eq!(with(2), with(1));
    }

    /// Gradients in the points are slopes: SW, max-SW and PWD, weights and sizes included.
    #[test]
    fn gradients_in_the_points(
        (x, y, a, b) in (2..=8_usize, 2..=8_usize, 1..=4_usize).prop_flat_map(|(n, m, d)| {
            (swgg_testkit::smooth_clouds(n, d), swgg_testkit::smooth_clouds(m, d),
             swgg_testkit::weights(n), swgg_testkit::weights(m))
        }),
        pick in any::<prop::sample::Index>(), of_source in any::<bool>(),
    ) {
        let moved = if of_source { &x } else { &y };
        let slot = pick.index(moved.points.len());
        let nudged = |by: f64| {
            let mut cloud = moved.clone();
            cloud.points[slot] += by;
            cloud
        };
        let slope = |cost: &dyn Fn(&Measure, &Measure) -> f64| {
            let at = |by: f64| {
                let cloud = nudged(by);
                let (x, y) = if of_source { (&cloud, &y) } else { (&x, &cloud) };
                cost(&weighted(x, &a), &weighted(y, &b))
            };
            let step = 1e-6;
            let (before, here, after) = (at(-step), at(0.0), at(step));
            // Where two projections change places PWD jumps; such a pair says nothing.
            ((before + after - 2.0 * here).abs() < 1e-8).then_some((after - before) / (2.0 * step))
        };
        let entry = |gradient: &PointGradient| {
            let rows = if of_source { &gradient.source } else { &gradient.target };
            rows[(slot / x.dim, slot % x.dim)]
        };
        let (mu, nu) = (weighted(&x, &a), weighted(&y, &b));
        for slicing in [1.5, 2.0, 3.0].map(|p| Slicing::Wasserstein { p }).into_iter().chain([Slicing::Projected]) {
            let settings = few(slicing);
            if let Some(slope) = slope(&|mu, nu| settings.estimate(mu, nu, &mut seeded(3)).unwrap().cost) {
                let (_, gradient) = settings.gradient(&mu, &nu, &mut seeded(3)).unwrap();
                close(entry(&gradient), slope, 1e-5 * (1.0 + slope.abs()), "gradient of a mean");
            }
        }
        let slice = climb().maximum(&mu, &nu, &mut seeded(0)).unwrap();
        let along = |mu: &Measure, nu: &Measure| {
            let (mu, nu) = (slice.theta.push_forward(mu).unwrap(), slice.theta.push_forward(nu).unwrap());
            line::cost(&mu, &nu, 2.0).unwrap()
        };
        if let Some(slope) = slope(&along) {
            close(entry(&slice.gradient(&mu, &nu).unwrap()), slope, 1e-5 * (1.0 + slope.abs()), "max-SW");
        }
    }
}

fn check_bracket(mu: &Measure, nu: &Measure, exact: f64, seed: u64, tolerance: f64) {
    let run = &mut seeded(seed);
    let sw = few(Slicing::Wasserstein { p: 2.0 }).estimate(mu, nu, run).unwrap();
    let max = climb().maximum(mu, nu, run).unwrap();
    let min = plain(MinSwgg::new().directions(7), mu, nu, seeded(seed));
    for orthogonal in [false, true] {
        let pwd = Sliced { orthogonal, ..few(Slicing::Projected) }.estimate(mu, nu, run).unwrap();
        assert!(exact <= pwd.cost + tolerance);
        assert!(orthogonal || min.cost <= pwd.cost + tolerance);
    }
    // The lines of the mean are among those that the ascent looks at.
    let values = [sw.cost, max.cost, exact, min.cost];
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + tolerance), "{values:?}");
}

/// A shift by `v` is seen as `|v|^2 / d` on average, as `|v|^2` at most, and by every plan.
#[test]
fn shifted_clouds() {
    let (x, _) = gaussian_pair(60, 3, 3, 0);
    let y = x.map(|c, value| value + [2.0, -1.0, 2.0][c]);
    let (mu, nu) = (measure(&x), measure(&y));
    let sw = sliced_wasserstein(&mu, &nu).unwrap();
    assert!((sw.cost - 3.0).abs() < 4.0 * sw.standard_error && sw.standard_error < 0.5, "{sw:?}");
    close(pwd(&mu, &nu).unwrap().cost, 9.0, 1e-10, "pwd");
    let max = max_sliced(&mu, &nu).unwrap();
    close(max.cost, 9.0, 1e-9, "max-SW");
    close(max.distance(), 3.0, 1e-9, "max-SW, rooted");
}

/// Orthonormal batches see a shift exactly: the squares of its coordinates in any basis sum to its square.
#[test]
fn orthogonal_batches_have_less_noise() {
    let (x, _) = gaussian_pair(40, 4, 4, 0);
    let y = x.map(|c, value| value + c as f64);
    let (mu, nu) = (measure(&x), measure(&y));
    let sliced = Sliced { orthogonal: true, directions: 8, ..Sliced::new(Slicing::Wasserstein { p: 2.0 }) };
    let estimate = sliced.estimate(&mu, &nu, &mut Run::default()).unwrap();
    close(estimate.cost, 14.0 / 4.0, 1e-10, "mean over two bases");
    assert!(estimate.standard_error < 1e-10, "{estimate:?}");
    // One basis alone has no error to speak of.
    let one = Sliced { directions: 4, ..sliced }.estimate(&mu, &nu, &mut Run::default()).unwrap();
    assert!(one.standard_error.is_nan());
}

/// Supp. "Difference between max-SW and min-SWGG": the means differ along one axis, the shapes along the other.
#[test]
fn max_sw_and_min_swgg_pick_orthogonal_lines() {
    let deviations = [[1.0, 11.0_f64.sqrt()], [2.0_f64.sqrt(), 2.0_f64.sqrt()]];
    let (x, y) = plane_pair(500, [[-10.0, 0.0], [10.0, 0.0]], deviations, 0);
    let (mu, nu) = (measure(&x), measure(&y));
    let max = max_sliced(&mu, &nu).unwrap().theta;
    let min = plain(MinSwgg::new().search(Sweep::default()), &mu, &nu, Run::default()).direction.unwrap();
    assert!(max.as_slice()[0].abs() > 0.99, "{max:?}");
    assert!(min.as_slice()[1].abs() > 0.97, "{min:?}");
    assert!(max.dot(&min).unwrap().abs() < 0.25, "{max:?} {min:?}");
}

/// Supp. "Overestimation of WD by PWD": the mean over lines is far above, the best line is close.
#[test]
fn pwd_overestimates_and_min_swgg_does_not() {
    for (x, y) in [multimodal_pair(200, 0), low_dimensional_pair(200, 0)] {
        let (mu, nu) = (measure(&x), measure(&y));
        let exact = assignment_cost(&x.points, &y.points, x.dim);
        for orthogonal in [false, true] {
            let lines = Sliced { orthogonal, ..Sliced::new(Slicing::Projected) };
            let mean = lines.estimate(&mu, &nu, &mut Run::default()).unwrap();
            assert!(mean.cost > 1.7 * exact, "{} against {exact}", mean.cost);
        }
        let best = plain(MinSwgg::new(), &mu, &nu, Run::default());
        assert!((exact..1.12 * exact).contains(&best.cost), "{} against {exact}", best.cost);
    }
}

/// Gradient ascent finds what many random directions do not.
#[test]
fn ascent_beats_random_directions() {
    let (x, y) = gaussian_pair(200, 30, 3, 1);
    let (mu, nu) = (measure(&x), measure(&y));
    let problem = InMemory::new(&mu, &nu).unwrap();
    let thetas = Sphere::new(30, 9).unwrap().batch(0..2000);
    let best = problem.line_costs(&thetas, 2.0).unwrap().into_iter().fold(0.0, f64::max);
    for optimizer in [Optimizer::Adam, Optimizer::Sgd] {
        let climb = MaxSliced { optimizer, ..Default::default() };
        let max = climb.maximum(&mu, &nu, &mut Run::default()).unwrap();
        assert!(max.cost > 1.2 * best, "{optimizer:?}: {} against {best}", max.cost);
        assert!(max.cost <= assignment_cost(&x.points, &y.points, 30));
    }
}

#[test]
fn stopping_a_mean_keeps_what_there_is() {
    let (x, y) = gaussian_pair(30, 2, 2, 1);
    let (mu, nu) = (measure(&x), measure(&y));
    let mut stop = |_: &swgg::Progress| std::ops::ControlFlow::Break(());
    let many = Sliced { directions: 100_000, ..Sliced::new(Slicing::Projected) };
    let check = |run: &mut Run<'_>, reason: Stop| {
        let estimate = many.estimate(&mu, &nu, run).unwrap();
        assert!(estimate.stop == reason && estimate.directions < 100_000);
        assert_eq!(many.gradient(&mu, &nu, run).unwrap().0.stop, reason);
        assert_eq!(many.weight_gradient(&mu, &nu, run).unwrap().0.stop, reason);
        let max = MaxSliced::default().maximum(&mu, &nu, run).unwrap();
        assert!(max.stop == reason && max.cost > 0.0);
    };
    check(&mut Run::default().watched(&mut stop), Stop::Interrupted);
    check(&mut Run::for_at_most(Duration::ZERO), Stop::TimeLimit);
}

#[test]
fn bad_settings_are_refused() {
    let mu = Measure::from_slice(&[0.0, 1.0], 1).unwrap();
    let refusal = |result: swgg::Result<swgg::sliced::Estimate>| result.unwrap_err().to_string();
    let run = &mut Run::default();
    let sliced = |p| Sliced::new(Slicing::Wasserstein { p });
    assert_eq!(refusal(sliced(0.5).estimate(&mu, &mu, run)), Power::new(0.5).unwrap_err().to_string());
    let none = Sliced { directions: 0, ..sliced(2.0) };
    assert_eq!(refusal(none.estimate(&mu, &mu, run)), "no directions to try; ask for at least one");
    let start = Some(Direction::axis(3, 0).unwrap());
    let refused = [
        MaxSliced { steps: 0, ..Default::default() },
        MaxSliced { starts: 0, ..Default::default() },
        MaxSliced { learning_rate: f64::NAN, ..Default::default() },
        MaxSliced { p: 0.0, ..Default::default() },
        MaxSliced { start, ..Default::default() },
    ];
    assert!(refused.iter().all(|settings| settings.maximum(&mu, &mu, run).is_err()));
    let plane = Measure::from_slice(&[0.0, 1.0], 2).unwrap();
    assert!(sliced_wasserstein(&mu, &plane).is_err());
}

/// One random direction is both the best and the mean.
#[test]
fn one_direction_is_its_own_mean() {
    let (x, y): (Cloud, Cloud) = gaussian_pair(25, 3, 3, 5);
    let (mu, nu) = (measure(&x), measure(&y));
    let sliced = Sliced { directions: 1, ..Sliced::new(Slicing::Projected) };
    let one = sliced.estimate(&mu, &nu, &mut Run::seeded(4)).unwrap();
    let search = RandomSearch { directions: 1, seed: 4, keep_costs: false };
    assert_eq!(plain(MinSwgg::new().search(search), &mu, &nu, Run::default()).cost, one.cost);
    assert!(one.standard_error.is_nan());
}
