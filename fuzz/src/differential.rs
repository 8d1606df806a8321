//! Solvers against oracles: small clouds made of the bytes, and everything tried.

use swgg::exact::{Start, exact, on_support};
use swgg::line::Direction;
use swgg::setting::Settings;
use swgg::solver::{METHODS, build};
use swgg::{CostIs, Exact, Measure, Question, Run, Solver as _};
use swgg_testkit::{SmallProblem, exact_cost};

/// Numbers out of bytes: small ones with many ties, since ties are where things go wrong, and now and then any float.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn coordinate(&mut self) -> Option<f64> {
        Some(match self.byte()? {
            0xff => {
                let bytes = self.0.first_chunk::<8>()?;
                self.0 = &self.0[8..];
                let x = f64::from_le_bytes(*bytes);
                if x.abs() <= 1e100 { x } else { 0.5 }
            }
            0xfe => 1e9 + f64::from(self.byte()?),
            byte => f64::from(byte as i8) / 8.0,
        })
    }

    fn points(&mut self, count: usize, dim: usize) -> Option<Vec<f64>> {
        (0..count * dim).map(|_| self.coordinate()).collect()
    }

    fn between(&mut self, least: usize, most: usize) -> Option<usize> {
        Some(least + usize::from(self.byte()?) % (most - least + 1))
    }
}

/// What rounding may do to a cost between such points.
fn rounding(points: [&[f64]; 2], dim: usize) -> f64 {
    let reach = points.iter().flat_map(|p| p.iter()).fold(0.0_f64, |most, x| most.max(x.abs()));
    1e-11 * dim as f64 * reach * reach
}

pub fn solve(data: &[u8]) {
    let _ = solved(&mut Numbers(data));
}

fn solved(numbers: &mut Numbers<'_>) -> Option<()> {
    let (n, m, dim) = (numbers.between(1, 5)?, numbers.between(1, 5)?, numbers.between(1, 4)?);
    let method = &METHODS[usize::from(numbers.byte()?) % METHODS.len()];
    let weighted = n != m || numbers.byte()?.is_multiple_of(2);
    let mut weights = |count: usize| -> Option<Vec<f64>> {
        (0..count).map(|_| Some(if weighted { f64::from(1 + numbers.byte()? % 7) } else { 1.0 })).collect()
    };
    let (a, b) = (weights(n)?, weights(m)?);
    let (x, y) = (numbers.points(n, dim)?, numbers.points(m, dim)?);
    let problem = SmallProblem { x, y, dim, a, b };
    let measure = |points: &[f64], weights: &[f64]| {
        Measure::from_vec(points.to_vec(), dim).ok()?.with_weights(weights).ok()
    };
    let (mu, nu) = (measure(&problem.x, &problem.a)?, measure(&problem.y, &problem.b)?);
    let solver = build::<f64>(method, &Settings::new()).ok()?;
    let answer = |threads: usize| {
        let question = Question::new(&mu, &nu).expect("two measures of one dimension");
        let mut found = solver.answer(&question, &mut Run { seed: 7, ..Run::on_threads(threads) }).ok()?;
        found.bound_seconds = 0.0;
        Some(found)
    };
    let found = answer(1)?;
    for threads in [2, 5] {
        assert!(answer(threads)? == found, "{}: {threads} threads find something else", method.name);
    }
    let truth = problem.truth();
    let slack = problem.rounding();
    if let Some(bound) = found.lower_bound {
        assert!(
            truth.is_at_least(bound - slack),
            "{}: {bound:e} is above the optimum of {problem:?}",
            method.name
        );
    }
    match found.cost_is {
        CostIs::Optimal | CostIs::Upper => {
            assert!(truth.is_at_most(1.0 - 1e-9, found.cost + slack), "{}: {:e}", method.name, found.cost);
            // Some methods have no plan but in the simplest cases, where their cost is the optimum.
            if let Ok(plan) = found.plan() {
                let gap = plan.marginal_gap(&mu, &nu).expect("a gap");
                assert!(gap < 1e-12, "{}: marginals are off by {gap:e}", method.name);
            }
        }
        CostIs::Lower => assert!(truth.is_at_least(found.cost * (1.0 - 1e-9) - slack), "{}", method.name),
        _ => {}
    }
    if found.cost_is == CostIs::Optimal {
        assert!(truth.is_at_least(found.cost * (1.0 - 1e-9) - slack), "{}: {:e}", method.name, found.cost);
    }
    Some(())
}

pub fn partial(data: &[u8]) {
    let _ = partly(&mut Numbers(data));
}

/// The cheapest `k` pairs of points of one mass, by trying all.
fn cheapest(x: &[f64], y: &[f64], dim: usize, k: usize, first: usize, taken: u32) -> f64 {
    if k == 0 {
        return 0.0;
    }
    let (n, m) = (x.len() / dim, y.len() / dim);
    let mut best = f64::INFINITY;
    for i in first..n {
        for j in (0..m).filter(|j| taken >> j & 1 == 0) {
            let cost: f64 =
                x[i * dim..][..dim].iter().zip(&y[j * dim..][..dim]).map(|(a, b)| (a - b) * (a - b)).sum();
            best = best.min(cost + cheapest(x, y, dim, k - 1, i + 1, taken | 1 << j));
        }
    }
    best
}

fn partly(numbers: &mut Numbers<'_>) -> Option<()> {
    let (n, dim) = (numbers.between(2, 5)?, numbers.between(1, 3)?);
    let k = numbers.between(1, n)?;
    let (x, y) = (numbers.points(n, dim)?, numbers.points(n, dim)?);
    let (mu, nu) = (Measure::from_vec(x.clone(), dim).ok()?, Measure::from_vec(y.clone(), dim).ok()?);
    let question = Question::new(&mu, &nu).ok()?.with_mass(k as f64 / n as f64).ok()?;
    let found = Exact.answer(&question, &mut Run::seeded(1)).ok()?;
    let moved = found.number("moved")?;
    assert!((moved - k as f64 / n as f64).abs() < 1e-12, "{moved} moved, not {k} of {n}");
    // Whole points: an optimal plan of a whole number of them splits none.
    let best = cheapest(&x, &y, dim, k, 0, 0) / n as f64;
    let slack = 1e-9 * best + rounding([&x, &y], dim);
    assert!((found.cost - best).abs() <= slack, "{} instead of {best}", found.cost);
    Some(())
}

pub fn sparse(data: &[u8]) {
    let _ = along_all(&mut Numbers(data));
}

/// Flow along all pairs as a sparse support is exact transport.
fn along_all(numbers: &mut Numbers<'_>) -> Option<()> {
    let (n, m, dim) = (numbers.between(1, 24)?, numbers.between(1, 24)?, numbers.between(1, 3)?);
    let (x, y) = (numbers.points(n, dim)?, numbers.points(m, dim)?);
    let (mu, nu) = (Measure::from_vec(x.clone(), dim).ok()?, Measure::from_vec(y.clone(), dim).ok()?);
    let question = Question::new(&mu, &nu).ok()?;
    let all: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (0..m as u32).map(move |j| (i, j))).collect();
    let sparse = on_support(&question, &all, Start::default(), &mut Run::default()).ok()?;
    let dense = exact(&mu, &nu).ok()?;
    let slack = 1e-9 * dense.cost + rounding([&x, &y], dim);
    assert!(
        (sparse.cost - dense.cost).abs() <= slack,
        "{} along all pairs, {} exactly",
        sparse.cost,
        dense.cost
    );
    if n == m && n <= 6 {
        let best = exact_cost(&x, &y, dim);
        assert!((dense.cost - best).abs() <= 1e-9 * best + slack, "{} instead of {best}", dense.cost);
    }
    Some(())
}

/// The sorter of projections against that of the standard library.
pub fn sort(data: &[u8]) {
    let Some((&how, bytes)) = data.split_first() else { return };
    // Small numbers with ties, or any floats; repeated, so that the radix sort is reached.
    let mut values: Vec<f64> = match how % 3 {
        0 => bytes.iter().map(|&byte| f64::from(byte as i8) / 4.0).collect(),
        1 => bytes.chunks_exact(2).map(|b| f64::from(i16::from_le_bytes([b[0], b[1]])) * 1e-3).collect(),
        _ => bytes
            .chunks_exact(8)
            .filter_map(|b| Some(f64::from_le_bytes(*b.first_chunk()?)))
            .filter(|x| x.abs() <= 1e150)
            .collect(),
    };
    if values.is_empty() {
        return;
    }
    let step = f64::from(how / 3) * 0.01;
    while values.len() < 3000 && how >= 128 {
        values.extend(values.clone().iter().map(|x| x + step));
    }
    let Ok(measure) = Measure::from_vec(values.clone(), 1) else { return };
    let theta = Direction::new(&[1.0]).expect("a direction");
    let order = theta.sort(&measure).expect("an order");
    let mut expected: Vec<usize> = (0..values.len()).collect();
    // Zero has one place, whatever its sign.
    expected.sort_by(|&i, &j| (values[i] + 0.0).total_cmp(&(values[j] + 0.0)).then(i.cmp(&j)));
    let found: Vec<usize> = (0..values.len()).map(|k| order.as_slice()[k] as usize).collect();
    assert_eq!(found, expected);
}
