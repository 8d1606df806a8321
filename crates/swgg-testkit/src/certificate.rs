//! A checker for exact answers: it trusts nothing but the points.

/// A transport problem as it was posed: rows, weights that sum to one, and the exponent of the distance.
#[derive(Clone, Copy, Debug)]
pub struct Posed<'a> {
    /// Source points, row by row.
    pub x: &'a [f64],
    /// Target points, row by row.
    pub y: &'a [f64],
    /// Coordinates per point.
    pub dim: usize,
    /// Weights of the source.
    pub a: &'a [f64],
    /// Weights of the target.
    pub b: &'a [f64],
    /// Exponent.
    pub p: f64,
}

impl Posed<'_> {
    fn cost(&self, i: usize, j: usize) -> f64 {
        let (x, y) = (&self.x[i * self.dim..(i + 1) * self.dim], &self.y[j * self.dim..(j + 1) * self.dim]);
        let square: f64 = x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum();
        if self.p == 2.0 { square } else { square.sqrt().powf(self.p) }
    }

    /// Panics unless the plan has the right marginals, the potentials are feasible, and both have the same value: then the plan
    /// is optimal, whoever found it. `tolerance` is absolute, for costs.
    #[track_caller]
    pub fn certify(
        &self,
        plan: impl Iterator<Item = (usize, usize, f64)>,
        u: &[f64],
        v: &[f64],
        tolerance: f64,
    ) {
        let (mut a, mut b) = (vec![0.0; self.a.len()], vec![0.0; self.b.len()]);
        let mut primal = 0.0;
        let mut entries = 0;
        for (i, j, mass) in plan {
            assert!(mass > 0.0, "entry {i}, {j} carries {mass}");
            a[i] += mass;
            b[j] += mass;
            primal += mass * self.cost(i, j);
            entries += 1;
        }
        assert!(entries < a.len() + b.len(), "{entries} entries are too many for a basic plan");
        for (found, wanted) in a.iter().zip(self.a).chain(b.iter().zip(self.b)) {
            assert!((found - wanted).abs() <= 1e-12, "a marginal is {found}, the weight {wanted}");
        }
        for (i, u) in u.iter().enumerate() {
            for (j, v) in v.iter().enumerate() {
                let room = self.cost(i, j) - u - v;
                assert!(room >= -tolerance, "potentials of {i} and {j} exceed the cost by {}", -room);
            }
        }
        let side = |weights: &[f64], potentials: &[f64]| {
            weights.iter().zip(potentials).map(|(a, u)| a * u).sum::<f64>()
        };
        let dual = side(self.a, u) + side(self.b, v);
        assert!((primal - dual).abs() <= tolerance, "plan {primal}, potentials {dual}");
    }
}
