//! Exact transport by trying everything: slow, obvious, and therefore the truth.

/// `W_2^2` between two uniform clouds of the same size, by all `n!` matchings. Meant for `n <= 7`.
pub fn exact_cost(x: &[f64], y: &[f64], dim: usize) -> f64 {
    let n = x.len() / dim;
    assert_eq!(x.len(), y.len(), "the oracle pairs clouds of one size");
    assert!(n <= 8, "{n}! matchings are too many");
    let costs: Vec<Vec<f64>> = x
        .chunks(dim)
        .map(|x| y.chunks(dim).map(|y| x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum()).collect())
        .collect();
    cheapest(&costs, 0, &mut vec![false; n]) / n as f64
}

/// `W_2^2` between two clouds with whole weights, by splitting every point into unit masses.
///
/// Masses are brought to a common total first; the number of unit masses must stay small.
pub fn exact_cost_weighted(x: &[f64], a: &[u32], y: &[f64], b: &[u32], dim: usize) -> f64 {
    let (total_a, total_b): (u32, u32) = (a.iter().sum(), b.iter().sum());
    let split = |points: &[f64], weights: &[u32], times: u32| -> Vec<f64> {
        let atoms = points.chunks(dim).zip(weights);
        atoms.flat_map(|(point, w)| point.repeat((w * times) as usize)).collect()
    };
    let common = gcd(total_a, total_b);
    exact_cost(&split(x, a, total_b / common), &split(y, b, total_a / common), dim)
}

fn cheapest(costs: &[Vec<f64>], i: usize, taken: &mut Vec<bool>) -> f64 {
    if i == costs.len() {
        return 0.0;
    }
    let mut best = f64::INFINITY;
    for j in 0..costs.len() {
        if !taken[j] {
            taken[j] = true;
            best = best.min(costs[i][j] + cheapest(costs, i + 1, taken));
            taken[j] = false;
        }
    }
    best
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `W_2^2` between two uniform clouds of the same size, by shortest augmenting paths with potentials: `O(n^3)`, for hundreds of
/// points.
pub fn assignment_cost(x: &[f64], y: &[f64], dim: usize) -> f64 {
    let n = x.len() / dim;
    assert_eq!(x.len(), y.len(), "the oracle pairs clouds of one size");
    let cost = |i: usize, j: usize| -> f64 {
        let (x, y) = (&x[i * dim..(i + 1) * dim], &y[j * dim..(j + 1) * dim]);
        x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum()
    };
    // Row n stands for "nobody": a column it owns is free. Column n is where each search begins.
    let (mut u, mut v) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    let mut owner = vec![n; n + 1];
    for row in 0..n {
        let (mut reach, mut previous, mut done) = (vec![f64::INFINITY; n], vec![n; n], vec![false; n + 1]);
        owner[n] = row;
        let mut column = n;
        loop {
            done[column] = true;
            let (mut least, mut nearest) = (f64::INFINITY, n);
            for j in (0..n).filter(|&j| !done[j]) {
                let reduced = cost(owner[column], j) - u[owner[column]] - v[j];
                if reduced < reach[j] {
                    (reach[j], previous[j]) = (reduced, column);
                }
                if reach[j] < least {
                    (least, nearest) = (reach[j], j);
                }
            }
            for j in 0..=n {
                if done[j] {
                    u[owner[j]] += least;
                    v[j] -= least;
                } else {
                    reach[j] -= least;
                }
            }
            column = nearest;
            if owner[column] == n {
                break;
            }
        }
        while column != n {
            owner[column] = owner[previous[column]];
            column = previous[column];
        }
    }
    (0..n).map(|j| cost(owner[j], j)).sum::<f64>() / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        assert_eq!(exact_cost(&[0.0, 1.0], &[1.0, 0.0], 1), 0.0);
        assert_eq!(exact_cost(&[0.0, 0.0, 3.0, 4.0], &[0.0, 1.0, 3.0, 4.0], 2), 0.5);
        assert_eq!(exact_cost_weighted(&[0.0], &[1], &[1.0, 3.0], &[3, 1], 1), 3.0);
    }

    #[test]
    fn both_oracles_agree() {
        for seed in 0..30 {
            let (x, y) = crate::gaussian_pair(6, 3, 3, seed);
            let (slow, quick) =
                (exact_cost(&x.points, &y.points, 3), assignment_cost(&x.points, &y.points, 3));
            assert!((slow - quick).abs() < 1e-9, "{slow} and {quick}");
        }
    }
}
