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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        assert_eq!(exact_cost(&[0.0, 1.0], &[1.0, 0.0], 1), 0.0);
        assert_eq!(exact_cost(&[0.0, 0.0, 3.0, 4.0], &[0.0, 1.0, 3.0, 4.0], 2), 0.5);
        assert_eq!(exact_cost_weighted(&[0.0], &[1], &[1.0, 3.0], &[3, 1], 1), 3.0);
    }
}
