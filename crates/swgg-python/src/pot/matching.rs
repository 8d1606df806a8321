//! Bijections by trees, and several bijections made into one, for any power of the distance.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swgg::plan::Permutation;
use swgg::solver::merge_matchings;
use swgg::{Measure, Parallelism, Question, Run, Scalar, Trees};

use crate::clouds::{Clouds, with_measures};
use crate::errors::{Failure, Outcome, named};
use crate::run::{Task, run};

/// What a pair of points costs: `sum |x - y|^p`, or the largest `|x - y|`.
#[derive(Clone, Copy)]
enum Norm {
    Squares,
    Power(f64),
    Largest,
}

impl Norm {
    fn new(p: f64) -> Outcome<Self> {
        match p {
            2.0 => Ok(Norm::Squares),
            -1.0 => Ok(Norm::Largest),
            p if p.is_finite() && p > 0.0 => Ok(Norm::Power(p)),
            _ => Err(Failure::Said(format!(
                "p: found {p}, expected a finite power above 0, or -1 for the largest coordinate"
            ))),
        }
    }

    fn between<T: Scalar>(self, x: &[T], y: &[T]) -> f64 {
        let gaps = x.iter().zip(y).map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
        match self {
            Norm::Squares => gaps.map(|gap| gap * gap).sum(),
            Norm::Power(1.0) => gaps.sum(),
            Norm::Power(p) => gaps.map(|gap| gap.powf(p)).sum(),
            Norm::Largest => gaps.fold(0.0, f64::max),
        }
    }
}

/// Bijections between the same clouds, merged at any cost.
struct Merger<'a, T: Scalar> {
    mu: &'a Measure<'a, T>,
    nu: &'a Measure<'a, T>,
    norm: Norm,
    forks: bool,
}

impl<T: Scalar> Merger<'_, T> {
    fn pair(&self, i: usize, j: u32) -> f64 {
        self.norm.between(self.mu.point(i), self.nu.point(j as usize))
    }

    fn cost(&self, matching: &[u32]) -> f64 {
        matching.iter().enumerate().map(|(i, &j)| self.pair(i, j)).sum()
    }

    /// Half with half: the same merges whoever makes them.
    fn all(&self, matchings: &[Vec<u32>]) -> Vec<u32> {
        match matchings {
            [] => Vec::new(),
            [one] => one.clone(),
            _ => {
                let (low, high) = matchings.split_at(matchings.len() / 2);
                let (low, high) = if self.forks {
                    rayon::join(|| self.all(low), || self.all(high))
                } else {
                    (self.all(low), self.all(high))
                };
                self.two(low, &high)
            }
        }
    }

    /// Takes from the other one every cycle on which it is cheaper, then every exchange that pays. The cheapest of the
    /// three is kept: sums of rounded numbers promise nothing.
    fn two(&self, one: Vec<u32>, other: &[u32]) -> Vec<u32> {
        let n = one.len();
        let mut merged = one.clone();
        let mut source_of = vec![0_u32; n];
        let mut other_source = vec![0_u32; n];
        for (i, (&mine, &theirs)) in one.iter().zip(other).enumerate() {
            source_of[mine as usize] = i as u32;
            other_source[theirs as usize] = i as u32;
        }
        let mut seen = vec![false; n];
        let mut cycle = Vec::new();
        for start in 0..n {
            if seen[start] {
                continue;
            }
            cycle.clear();
            let (mut at, mut rise) = (start, 0.0);
            while !seen[at] {
                seen[at] = true;
                cycle.push(at);
                rise += self.pair(at, other[at]) - self.pair(at, one[at]);
                at = other_source[one[at] as usize] as usize;
            }
            if rise < 0.0 {
                for &i in &cycle {
                    merged[i] = other[i];
                    source_of[other[i] as usize] = i as u32;
                }
            }
        }
        for i in 0..n {
            let (mine, theirs) = (merged[i], other[i]);
            if mine == theirs {
                continue;
            }
            let k = source_of[theirs as usize] as usize;
            let before = self.pair(i, mine) + self.pair(k, theirs);
            if self.pair(i, theirs) + self.pair(k, mine) < before {
                (merged[i], merged[k]) = (theirs, mine);
                (source_of[theirs as usize], source_of[mine as usize]) = (i as u32, k as u32);
            }
        }
        let costs = [&merged[..], &one, other].map(|matching| self.cost(matching));
        match costs {
            [merged_cost, one_cost, other_cost] if merged_cost <= one_cost && merged_cost <= other_cost => {
                merged
            }
            [_, one_cost, other_cost] if one_cost <= other_cost => one,
            _ => other.to_vec(),
        }
    }
}

fn merged<T: Scalar>(
    mu: &Measure<'_, T>,
    nu: &Measure<'_, T>,
    matchings: &[Vec<u32>],
    norm: Norm,
    parallelism: Parallelism,
) -> Outcome<Vec<u32>> {
    if let Norm::Squares = norm {
        let plan = merge_matchings(mu, nu, matchings, parallelism)?;
        return Ok(plan.targets().unwrap_or_default().to_vec());
    }
    let merger = Merger { mu, nu, norm, forks: !matches!(parallelism, Parallelism::Serial) };
    Ok(merger.all(matchings))
}

/// Rows of indices, each a permutation of as many points as there are.
fn matchings(rows: &[i64], n: usize, name: &str) -> Outcome<Vec<Vec<u32>>> {
    let mut all = Vec::with_capacity(rows.len() / n.max(1));
    for (number, row) in rows.chunks_exact(n.max(1)).enumerate() {
        let indices: Result<Vec<u32>, _> = row.iter().map(|&j| u32::try_from(j)).collect();
        let refused =
            |reason: String| Failure::Said(format!("{name}: row {number} is not a permutation: {reason}"));
        let indices = indices.map_err(|_| refused("it has an index below 0 or far too large".into()))?;
        let checked = Permutation::new(indices).map_err(|error| refused(error.to_string()))?;
        all.push(checked.as_slice().to_vec());
    }
    Ok(all)
}

fn to_i32(matching: &[u32]) -> impl Iterator<Item = i32> + '_ {
    matching.iter().map(|&j| j as i32)
}

/// A bijection from trees, merged, and the bijection of each tree.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "one bijection and several")]
pub fn pot_trees<'py>(
    py: Python<'py>,
    clouds: Clouds,
    trees: usize,
    p: f64,
    initial: Option<PyReadonlyArray1<'py, i64>>,
    seed: u64,
) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray2<i32>>)> {
    let norm = Norm::new(p)?;
    let n = clouds.sizes[0];
    let initial = match &initial {
        Some(initial) => matchings(initial.as_slice()?, n, "initial_perm")?,
        None => Vec::new(),
    };
    let work = clouds.work(32).max(1e6);
    let (best, parts) = run(py, Task { threads: None, callback: None, work }, move |watch, parallelism| {
        with_measures!(clouds, |mu, nu| {
            let mut run = Run { seed, parallelism, observer: Some(watch), ..Run::default() };
            let grown = Trees { trees }.run_with_trees(&Question::new(&mu, &nu)?, &mut run);
            let (plan, parts) = named("n_plans", grown)?;
            let parts: Vec<Vec<u32>> =
                parts.iter().filter_map(|part| part.targets()).map(<[u32]>::to_vec).collect();
            let best = plan.plan()?.targets().unwrap_or_default().to_vec();
            let mut others = initial;
            others.push(best);
            // The trees were merged for squares already; at another cost they are merged again.
            if !matches!(norm, Norm::Squares) {
                others.extend(parts.iter().cloned());
            }
            let best = if let [best] = &others[..] {
                best.clone()
            } else {
                merged(&mu, &nu, &others, norm, parallelism)?
            };
            Ok((best, parts))
        })
    })?;
    let all = parts.iter().flat_map(|part| to_i32(part)).collect();
    let all = Array2::from_shape_vec((parts.len(), n), all)
        .map_err(|error| Failure::Panicked(error.to_string()))?;
    Ok((PyArray1::from_iter(py, to_i32(&best)), all.into_pyarray(py)))
}

/// One bijection made of several.
#[pyfunction]
pub fn pot_merge<'py>(
    py: Python<'py>,
    clouds: Clouds,
    perms: PyReadonlyArray2<'py, i64>,
    p: f64,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let norm = Norm::new(p)?;
    let perms = matchings(perms.as_slice()?, perms.shape()[1], "perms")?;
    let work = clouds.work(perms.len());
    let best = run(py, Task { threads: None, callback: None, work }, move |_, parallelism| {
        with_measures!(clouds, |mu, nu| merged(&mu, &nu, &perms, norm, parallelism))
    })?;
    Ok(PyArray1::from_iter(py, to_i32(&best)))
}
