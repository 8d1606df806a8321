//! The subspace that few points span: clouds of fewer points than coordinates lose nothing by living there.

use faer::Mat;

use super::Measure;
use crate::number::scalar::Scalar;

/// Below this dimension a matrix of `d x d` costs less than looking for a subspace.
const MIN_SPANNED_DIM: usize = 256;

/// Two clouds in the coordinates of the subspace that they span, each around its own mean, together with the way between the means.
///
/// That is an isometry: distances, plans, principal axes and covariances, as far as they are not zero, are what they were, and nothing of
/// size `d x d` is needed. `O((n + m) d)` memory, `O((n + m)^2 d)` time, by Householder reflections: every point is as exact as its
/// distance to its mean.
pub(crate) struct Span {
    /// Orthonormal columns, as many as there are coordinates.
    basis: Mat<f64>,
    /// Source and target, each around its own mean.
    pub centred: [Measure<'static, f64>; 2],
    /// From the mean of the source to that of the target, in coordinates of the subspace.
    pub shift: Vec<f64>,
    /// The means, in coordinates of the space.
    pub means: [Vec<f64>; 2],
}

impl Span {
    /// Whether so many points of so many coordinates are better off in a subspace.
    pub fn pays(points: usize, dim: usize) -> bool {
        dim >= MIN_SPANNED_DIM && points < dim
    }

    /// The span of two clouds of one space; none where the space is no larger.
    pub fn of<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Option<Self> {
        let (n, m, d) = (source.len(), target.len(), source.dim());
        if !Self::pays(n + m, d) {
            return None;
        }
        let means = [source.mean(), target.mean()];
        let mut columns = Mat::<f64>::zeros(d, n + m + 1);
        for (side, measure) in [source, target].into_iter().enumerate() {
            for i in 0..measure.len() {
                let column = columns.col_mut(side * n + i).iter_mut();
                let coordinates = measure.point(i).iter().zip(&means[side]);
                column.zip(coordinates).for_each(|(c, (x, mean))| *c = x.to_f64() - mean);
            }
        }
        let way = means[0].iter().zip(&means[1]);
        columns.col_mut(n + m).iter_mut().zip(way).for_each(|(c, (from, to))| *c = to - from);
        // Entries of at most one: squares inside the decomposition then do not overflow.
        let size = (0..=n + m).flat_map(|k| columns.col(k).iter()).fold(0.0_f64, |most, x| most.max(x.abs()));
        if size > 0.0 {
            (0..=n + m).for_each(|k| columns.col_mut(k).iter_mut().for_each(|x| *x /= size));
        }
        let decomposition = columns.qr();
        drop(columns);
        let basis = decomposition.compute_thin_Q();
        let triangle = decomposition.thin_R();
        let rank = basis.ncols();
        // Below the diagonal is what the reflections were made of, not the triangle.
        let at = |k: usize| (0..rank).map(move |row| if row <= k { size * triangle[(row, k)] } else { 0.0 });
        let side = |measure: &Measure<T>, first: usize| {
            let points = (first..first + measure.len()).flat_map(at).collect();
            measure.with_points(points, rank)
        };
        let centred = [side(source, 0), side(target, n)];
        Some(Span { centred, shift: at(n + m).collect(), means, basis })
    }

    /// Coordinates of the subspace.
    pub fn dim(&self) -> usize {
        self.basis.ncols()
    }

    /// Both clouds where they are to each other, seen from the middle between their means.
    pub fn clouds(&self) -> [Measure<'static, f64>; 2] {
        let moved = |measure: &Measure, by: f64| {
            let points = measure.points().iter().zip(self.shift.iter().cycle());
            measure.with_points(points.map(|(x, s)| x + by * s).collect(), self.dim())
        };
        [moved(&self.centred[0], -0.5), moved(&self.centred[1], 0.5)]
    }

    /// Vectors of the subspace, row by row, as vectors of the space.
    pub fn lift(&self, rows: &[f64]) -> Vec<f64> {
        let rank = self.dim();
        let coordinates = Mat::from_fn(rank, rows.len() / rank, |k, i| rows[i * rank + k]);
        let lifted = &self.basis * &coordinates;
        (0..lifted.ncols()).flat_map(|i| lifted.col(i).iter().copied().collect::<Vec<f64>>()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::sq_distance;

    fn cloud(n: usize, d: usize, seed: f64) -> Measure<'static, f64> {
        Measure::from_vec((0..n * d).map(|k| ((k as f64 + 1.0) * seed).sin()).collect(), d).unwrap()
    }

    #[test]
    fn distances_and_vectors_come_back() {
        let (mu, nu) = (cloud(4, 300, 1.3), cloud(3, 300, 0.7));
        // Three points on one line, two of them equal: the span is smaller than their number.
        let flat: Vec<f64> = (0..900).map(|k| (k % 300) as f64 * f64::from(u8::from(k >= 300))).collect();
        let flat = Measure::from_vec(flat, 300).unwrap();
        for (mu, nu) in [(&mu, &nu), (&mu, &flat), (&flat, &flat)] {
            let span = Span::of(mu, nu).unwrap();
            let [x, y] = span.clouds();
            for (i, j) in (0..mu.len()).flat_map(|i| (0..nu.len()).map(move |j| (i, j))) {
                let (full, reduced) =
                    (sq_distance(mu.point(i), nu.point(j)), sq_distance(x.point(i), y.point(j)));
                assert!((full - reduced).abs() <= 1e-11 * (1.0 + full), "{full} {reduced}");
            }
            let lifted = span.lift(span.centred[1].points());
            for (k, (x, mean)) in nu.points().iter().zip(span.means[1].iter().cycle()).enumerate() {
                assert!((lifted[k] - (x - mean)).abs() < 1e-11 * (1.0 + x.abs()));
            }
        }
    }

    #[test]
    fn only_where_the_space_is_larger() {
        assert!(Span::of(&cloud(4, 8, 1.0), &cloud(3, 8, 2.0)).is_none());
        assert!(Span::of(&cloud(200, 256, 1.0), &cloud(56, 256, 2.0)).is_none());
        assert!(Span::of(&cloud(200, 256, 1.0), &cloud(55, 256, 2.0)).is_some());
        let one = cloud(1, 256, 1.0);
        assert_eq!(Span::of(&one, &one).unwrap().shift, [0.0; 3]);
    }
}
