//! Matchings from anywhere, merged.

use crate::ensemble::matching;
use crate::error::{ErrorKind, Result};
use crate::measure::{Measure, check_pairable, same_space};
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::permutation::Permutation;
use crate::run::workers::{Parallelism, Workers};

/// One matching made of several, for squared distances: it costs no more than any of them, and usually much less.
///
/// Each must send source `i` to target `matching[i]`, one to one. Two are merged cycle by cycle and then by exchanges,
/// as in [`Trees`](crate::Trees) and [`Merged`](crate::Merged); several half with half. `O(k n d)` time, `O(n)` memory
/// per matching.
///
/// ```
/// use swgg::{Measure, Parallelism, solver::merge_matchings};
/// let points = Measure::from_slice(&[0.0, 1.0, 5.0, 6.0], 1)?;
/// // Each is right about one half.
/// let plan = merge_matchings(&points, &points, &[vec![0, 1, 3, 2], vec![1, 0, 2, 3]], Parallelism::Auto)?;
/// assert_eq!(plan.targets(), Some(&[0, 1, 2, 3][..]));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn merge_matchings<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    matchings: &[Vec<u32>],
    parallelism: Parallelism,
) -> Result<Coupling> {
    same_space(source, target)?;
    check_pairable(source, target)?;
    if matchings.is_empty() {
        return Err(ErrorKind::NoMatchings.into());
    }
    let n = source.len();
    for matching in matchings {
        let count = Permutation::new(matching.clone())?.len();
        if count != n {
            let (coupling_source, coupling_target) = (count, count);
            return Err(ErrorKind::CouplingSize { coupling_source, coupling_target, n, m: n }.into());
        }
    }
    let workers = Workers::new(parallelism)?;
    Ok(Coupling::from_targets(matching::merged(source, target, matchings, &workers)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::SqEuclidean;
    use crate::line::sampler::Gaussians;
    use crate::question::Question;
    use crate::run::Run;
    use crate::solver::{Solver, Trees};

    fn cloud(n: usize, dim: usize, seed: u64) -> Measure<'static, f64> {
        let mut rows = vec![0.0; n * dim];
        Gaussians::new(seed, 0).fill(&mut rows);
        Measure::from_vec(rows, dim).unwrap()
    }

    #[test]
    fn never_dearer_than_any() {
        for (n, dim, count) in [(1, 2, 1), (2, 1, 3), (300, 2, 7), (300, 5, 8)] {
            let (mu, nu) = (cloud(n, dim, 1), cloud(n, dim, 2));
            let steps = [1, 7, 11, 13, 17, 19, 23, 29];
            let shuffled = |step: &usize| (0..n).map(|i| ((i * step + 5) % n) as u32).collect::<Vec<u32>>();
            let matchings: Vec<_> = steps[..count].iter().map(shuffled).collect();
            let cost = |plan: &Coupling| plan.cost(&mu, &nu, &SqEuclidean).unwrap();
            let plan = merge_matchings(&mu, &nu, &matchings, Parallelism::Serial).unwrap();
            for matching in &matchings {
                assert!(cost(&plan) <= cost(&Coupling::from_map(matching.clone()).unwrap()));
            }
            assert_eq!(plan, merge_matchings(&mu, &nu, &matchings, Parallelism::from_count(3)).unwrap());
            // Merged with a copy of itself, a matching does not change.
            let alone = vec![plan.targets().unwrap().to_vec(); 2];
            assert_eq!(merge_matchings(&mu, &nu, &alone, Parallelism::Serial).unwrap(), plan);
        }
    }

    #[test]
    fn trees_that_are_kept_change_nothing() {
        let (mu, nu) = (cloud(500, 3, 3), cloud(500, 3, 4));
        let trees = Trees { trees: 6 };
        let question = Question::new(&mu, &nu).unwrap();
        let (plan, kept) = trees.run_with_trees(&question, &mut Run::default()).unwrap();
        assert_eq!(plan, trees.answer(&question, &mut Run::default().without_bounds()).unwrap());
        assert_eq!(kept.len(), 6);
        assert!(kept.iter().all(|tree| tree.cost(&mu, &nu, &SqEuclidean).unwrap() >= plan.cost));
        let other = cloud(400, 3, 5);
        let question = Question::new(&mu, &other).unwrap();
        assert!(trees.run_with_trees(&question, &mut Run::default()).is_err());
    }

    #[test]
    fn what_is_no_matching_is_refused() {
        let mu = cloud(3, 2, 1);
        let kind = |matchings: &[Vec<u32>]| {
            merge_matchings(&mu, &mu, matchings, Parallelism::Serial).unwrap_err().kind().clone()
        };
        assert_eq!(kind(&[]), ErrorKind::NoMatchings);
        assert_eq!(kind(&[vec![0, 1, 1]]), ErrorKind::NotAPermutation { index: 1 });
        assert!(matches!(kind(&[vec![0, 1]]), ErrorKind::CouplingSize { coupling_source: 2, .. }));
        assert!(matches!(kind(&[vec![0, 1, 9]]), ErrorKind::IndexOutOfRange { index: 9, .. }));
        let weighted = cloud(3, 2, 2).with_weights(&[1.0, 2.0, 3.0]).unwrap();
        assert!(merge_matchings(&mu, &weighted, &[vec![0, 1, 2]], Parallelism::Serial).is_err());
    }
}
