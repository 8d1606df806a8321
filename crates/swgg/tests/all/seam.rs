//! What every method of the list promises, whoever wrote it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::common::{Draws, question};
use swgg::cost::{Cost, Power, SqEuclidean};
use swgg::exact::{Start, exact, from_start};
use swgg::line::DirectionSet;
use swgg::ndarray::Array2;
use swgg::setting::{Kind, Setting, Settings, Value};
use swgg::solver::{METHODS, Method, PlanKind, build, find, methods_with};
use swgg::{Auto, CostIs, ErrorKind, Measure, Observe, Parallelism, Progress, Question, Run, Scalar, Solver};
use swgg::{Stop, Transport};

/// Points a side, dimension, and whether they have weights.
type Case = (usize, usize, usize, bool);

const SMALL: [Case; 3] = [(60, 60, 2, false), (50, 37, 3, true), (40, 41, 1, true)];
/// Large enough for every solver to report before it is done.
const LARGER: [Case; 2] = [(400, 400, 3, false), (400, 300, 2, true)];

/// Two random clouds; the method of clouds on a line has its first on one.
fn clouds<T: Scalar>(
    method: &Method,
    (n, m, d, weighted): Case,
    narrow: fn(f64) -> T,
) -> [Measure<'static, T>; 2] {
    let mut draws = Draws((n * 31 + m) as u64);
    let mut cloud = |count: usize, on_line: bool| {
        let mut points = draws.several(count * d);
        if on_line {
            // Whole numbers, so that single precision keeps them on the line.
            points.chunks_mut(d).enumerate().for_each(|(k, x)| x.fill((k * 7 % count) as f64));
        }
        let measure = Measure::from_vec(points.into_iter().map(narrow).collect(), d).unwrap();
        let weights = draws.several(count);
        if weighted { measure.with_weights(&weights).unwrap() } else { measure }
    };
    [cloud(n, method.name == "line"), cloud(m, false)]
}

fn usual<T: Scalar>(method: &Method) -> Box<dyn Solver<T>> {
    build(find(method.name).unwrap(), &Settings::new()).unwrap()
}

/// The same but for the time it took.
fn timeless(found: Transport) -> Transport {
    let mut found = found;
    found.bound_seconds = 0.0;
    found
}

/// Bounds in order, the plan a plan, and everything else in its place.
#[track_caller]
fn check<T: Scalar>(method: &Method, found: &Transport, mu: &Measure<T>, nu: &Measure<T>) {
    let (name, best) = (method.name, exact(mu, nu).unwrap().cost);
    let reach = mu.points().iter().chain(nu.points()).fold(1.0_f64, |most, x| most.max(x.to_f64().abs()));
    let rounding = 1e-11 * mu.dim() as f64 * reach * reach;
    assert_eq!((found.method, found.exponent), (name, Some(2.0)));
    assert!(found.cost.is_finite() && found.cost >= 0.0 && !found.story.is_empty(), "{name}: {found:?}");
    assert_eq!(found.distance(), Some(found.cost.sqrt()));
    if let Some(bound) = found.lower_bound {
        assert!(bound <= best + rounding, "{name}: a bound of {bound}, the optimum is {best}");
    }
    match found.cost_is {
        CostIs::Optimal => assert!((found.cost - best).abs() <= 1e-8 * best + rounding, "{name}"),
        CostIs::Upper => assert!(best <= found.cost + rounding, "{name}: {} is below {best}", found.cost),
        CostIs::Lower => assert!(found.cost <= best + rounding, "{name}: {} is above {best}", found.cost),
        CostIs::Other => assert_eq!(found.gap(), None),
    }
    if method.plan == PlanKind::Plan {
        let plan = found.plan().unwrap();
        let paid = plan.cost(mu, nu, &SqEuclidean).unwrap();
        assert!(
            (paid - found.cost).abs() <= 1e-12 * (1.0 + paid) + rounding,
            "{name}: {paid} and {}",
            found.cost
        );
        assert!(plan.marginal_gap(mu, nu).unwrap() < 1e-12, "{name}");
        assert!(matches!(found.cost_is, CostIs::Optimal | CostIs::Upper), "{name}");
    } else {
        assert!(matches!(found.plan().unwrap_err().kind(), ErrorKind::NoPlan { .. }), "{name}");
    }
    let image = found.image.as_ref().map(Array2::dim);
    assert_eq!(image, (method.plan == PlanKind::Map).then_some((mu.len(), mu.dim())), "{name}");
}

fn answers_and_threads<T: Scalar>(narrow: fn(f64) -> T) {
    for (method, case) in METHODS.iter().flat_map(|method| SMALL.map(|case| (method, case))) {
        let [mu, nu] = clouds(method, case, narrow);
        let (solver, question) = (usual::<T>(method), question(&mu, &nu));
        solver.validate(question.sizes()).unwrap();
        let with = |threads| {
            let mut run = Run { seed: 3, ..Run::on_threads(threads) };
            timeless(solver.answer(&question, &mut run).unwrap())
        };
        let found = with(1);
        check(method, &found, &mu, &nu);
        assert!(found.lower_bound.is_some(), "{}: no bound", method.name);
        assert_eq!(found.stop == Stop::ClosedForm, method.is_closed_form, "{}", method.name);
        for threads in [2, 5] {
            assert!(with(threads) == found, "{}: {threads} threads, {case:?}", method.name);
        }
        // Without bounds the plan is the same.
        let plain = solver.answer(&question, &mut Run::seeded(3).without_bounds()).unwrap();
        assert_eq!((plain.cost, &plain.coupling, plain.stop), (found.cost, &found.coupling, found.stop));
        assert_eq!(plain.bound_seconds, 0.0);
    }
}

#[test]
fn answers_are_in_order_and_threads_do_not_matter() {
    answers_and_threads(|x| x);
}

#[test]
fn answers_are_in_order_in_single_precision() {
    answers_and_threads(|x| x as f32);
}

/// An answer, whoever stops and why; formulas are done before that.
#[track_caller]
fn stopped(method: &Method, case: Case, mut run: Run<'_>, expected: Stop) {
    let [mu, nu] = clouds(method, case, |x| x);
    let found = usual::<f64>(method).answer(&question(&mu, &nu), &mut run).unwrap();
    let expected = if method.is_closed_form { Stop::ClosedForm } else { expected };
    assert_eq!(found.stop, expected, "{}, {case:?}: {}", method.name, found.story);
    check(method, &found, &mu, &nu);
}

#[test]
fn whoever_stops_at_once_gets_an_answer() {
    for (method, case) in METHODS.iter().flat_map(|method| LARGER.map(|case| (method, case))) {
        let mut stop = |_: &Progress| ControlFlow::Break(());
        stopped(method, case, Run::default().watched(&mut stop), Stop::Interrupted);
    }
}

/// Goes on whenever it is asked, with a flag that says otherwise.
struct Raised {
    flag: Arc<AtomicBool>,
    calls: usize,
}

impl Raised {
    fn new() -> Self {
        Raised { flag: Arc::new(AtomicBool::new(true)), calls: 0 }
    }
}

impl Observe for Raised {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        self.calls += 1;
        ControlFlow::Continue(())
    }

    fn flag(&self) -> Option<Arc<AtomicBool>> {
        Some(self.flag.clone())
    }
}

#[test]
fn a_raised_flag_is_heard() {
    for (method, case) in METHODS.iter().flat_map(|method| LARGER.map(|case| (method, case))) {
        stopped(method, case, Run::default().watched(&mut Raised::new()), Stop::Interrupted);
    }
}

#[test]
fn exact_transport_hears_a_flag_within_a_few_steps() {
    let cloud = |n: usize, seed: f64| -> Vec<f64> { (0..3 * n).map(|k| (k as f64 * seed).sin()).collect() };
    for (n, m, p) in [(1500, 1500, 1.0), (1500, 1500, 2.0), (1500, 700, 2.0)] {
        let (x, y) = (cloud(n, 1.3), cloud(m, 0.7));
        let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
        let question = Question::new(&mu, &nu).unwrap().with_power(p).unwrap();
        let mut watch = Raised::new();
        let mut run = Run::default().watched(&mut watch);
        let found = from_start(&question, Start::default(), &mut run).unwrap();
        assert_eq!(found.stop, Stop::Interrupted);
        assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12);
        let potentials = found.potentials.as_ref().unwrap();
        // What the potentials prove holds, however little it is.
        for (i, j) in (0..n).step_by(97).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let cost = Power::new(p).unwrap().between(mu.point(i), nu.point(j));
            assert!(potentials.source[i] + potentials.target[j] <= cost + 1e-9);
        }
        assert!(found.lower_bound.unwrap() <= found.cost && watch.calls < 5, "{} calls", watch.calls);
    }
}

#[test]
fn deadlines_are_called_what_they_are() {
    for (method, case) in METHODS.iter().flat_map(|method| LARGER.map(|case| (method, case))) {
        stopped(method, case, Run::for_at_most(Duration::ZERO), Stop::TimeLimit);
        // Somebody who watches and goes on changes nothing about that; who stops as well has stopped.
        let mut watch = |_: &Progress| ControlFlow::Continue(());
        stopped(method, case, Run::for_at_most(Duration::ZERO).watched(&mut watch), Stop::TimeLimit);
    }
}

#[test]
fn without_time_for_a_tree_there_is_a_line() {
    let cloud = |seed: f64| -> Vec<f64> { (0..240_000).map(|k| (f64::from(k) * seed).sin()).collect() };
    let (x, y) = (cloud(1.3), cloud(0.7));
    let (mu, nu) = (Measure::from_slice(&x, 3).unwrap(), Measure::from_slice(&y, 3).unwrap());
    let mut run = Run { parallelism: Parallelism::Serial, ..Run::for_at_most(Duration::ZERO) };
    let found = Auto::default().answer(&question(&mu, &nu), &mut run).unwrap();
    assert_eq!(
        (found.stop, &*found.story),
        (Stop::TimeLimit, "the plan of one line: there was no time for a tree")
    );
    assert!(found.plan().unwrap().marginal_gap(&mu, &nu).unwrap() < 1e-12);
}

#[test]
fn estimates_are_finite() {
    for method in METHODS {
        let solver = usual::<f32>(method);
        for (n, m, d) in [(1, 1, 1), (1000, 900, 3), (50, 70, 500), (10_000_000, 10_000_000, 3)] {
            for run in [Run::default(), Run::on_threads(7).without_bounds(), Run::for_at_most(Duration::MAX)]
            {
                let sizes = swgg::question::Sizes { n, m, d };
                let estimate = solver.estimate(sizes, &run);
                let are_finite =
                    [estimate.seconds, estimate.bytes].iter().all(|x| x.is_finite() && *x >= 0.0);
                assert!(are_finite, "{}, {sizes:?}: {estimate:?}", method.name);
                assert!(!solver.unit(sizes, &run).is_empty());
            }
        }
    }
}

/// Some value that a setting takes.
fn some_value(setting: &Setting) -> Value {
    match setting.kind {
        Kind::Count { least, .. } => Value::Count(least),
        Kind::Number => Value::Number(1.0),
        Kind::Word(words) => Value::Word(words[0].into()),
        Kind::Flag => Value::Flag(true),
        Kind::Vector => Value::Vector(vec![1.0]),
        Kind::Directions => Value::Directions(DirectionSet::from_rows(Array2::eye(1).view()).unwrap()),
        Kind::Points => Value::Points(Measure::from_vec(vec![0.0], 1).unwrap(), "a point".into()),
        Kind::Costs | Kind::Matrix => Value::Costs(Array2::zeros((1, 1))),
        Kind::Labels => Value::Labels(vec![0]),
        other => panic!("a value for {other:?}"),
    }
}

#[test]
fn settings_of_other_methods_are_refused() {
    let all = METHODS.iter().flat_map(|method| method.settings);
    for (method, setting) in METHODS.iter().flat_map(|method| all.clone().map(move |one| (method, *one))) {
        let mut settings = Settings::new();
        settings.set(setting, some_value(setting)).unwrap();
        let built = build::<f64>(method, &settings);
        if method.settings.iter().any(|own| own.is(setting)) {
            // Its own: it may still need a search beside it.
            let is_foreign = |kind: &ErrorKind| matches!(kind, ErrorKind::ForeignSetting { .. });
            assert!(!built.is_err_and(|error| is_foreign(error.kind())), "{} {}", method.name, setting.name);
            continue;
        }
        let (name, owners) = (method.name, methods_with(setting).join("|"));
        let sentence = format!(
            "{} is not a setting of method {name}; leave it out, or use method {owners}",
            setting.name
        );
        assert_eq!(built.err().unwrap().to_string(), sentence);
    }
}

#[test]
fn other_costs_are_for_methods_that_pay_them() {
    for method in METHODS {
        let [mu, nu] = clouds(method, (5, 4, 2, true), |x| x);
        let costs = Array2::from_shape_fn((5, 4), |(i, j)| ((3 * i + 5 * j) % 7) as f64);
        let plain = Question::new(&mu, &nu).unwrap();
        for asked in [plain.with_power(1.0).unwrap(), plain.with_costs(costs.view()).unwrap()] {
            let found = usual::<f64>(method).answer(&asked, &mut Run::default());
            match (method.takes_costs(), found) {
                (true, found) => {
                    let found = found.unwrap();
                    assert_eq!(found.exponent, asked.exponent());
                    assert_eq!(found.distance(), asked.exponent().map(|_| found.cost));
                    let is_exact = ["auto", "exact"].contains(&method.name);
                    assert!(found.cost_is == CostIs::Optimal || !is_exact && found.cost_is == CostIs::Upper);
                }
                (false, found) => {
                    let error = found.unwrap_err();
                    assert!(matches!(error.kind(), ErrorKind::UnsupportedCost { .. }), "{error}");
                    let error = error.to_string();
                    assert!(error.starts_with(&format!("method {} does not take", method.name)), "{error}");
                    assert!(error.ends_with("; use method auto|tree|merged|exact|sinkhorn"), "{error}");
                }
            }
        }
        let refused = plain.with_costs(costs.t()).unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::CostMatrixSize { rows: 4, columns: 5, n: 5, m: 4 }));
    }
}
