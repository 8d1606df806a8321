//! Motions of space, and the one that brings points onto others.

use faer::{Mat, MatRef};
use swgg::ndarray::{Array1, Array2, ArrayView2};

use super::error::{Error, Result};

/// `x -> scale R x + t` with an orthogonal `R`.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// `R`, orthogonal: a rotation, or a rotation and a reflection.
    pub rotation: Array2<f64>,
    /// `t`.
    pub translation: Array1<f64>,
    /// How much things grow; one unless [`Group::Similarity`] was asked for.
    pub scale: f64,
}

/// Which motions are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Group {
    /// Rotations and translations.
    #[default]
    Rigid,
    /// Reflections too.
    Orthogonal,
    /// Rotations, translations, and one scale for all coordinates.
    Similarity,
}

impl Motion {
    /// Nothing moves.
    pub fn identity(dim: usize) -> Self {
        Motion { rotation: Array2::eye(dim), translation: Array1::zeros(dim), scale: 1.0 }
    }

    /// Coordinates.
    pub fn dim(&self) -> usize {
        self.translation.len()
    }

    /// Whether left becomes right.
    pub fn is_reflection(&self) -> bool {
        determinant(self.rotation.view()) < 0.0
    }

    /// The points, moved.
    pub fn apply(&self, points: ArrayView2<f64>) -> Array2<f64> {
        // A product of matrices is made for large ones: for rows as short as these, one by one is several times quicker.
        let rows = match self.dim() {
            2 => self.apply_to_rows::<2>(points),
            3 => self.apply_to_rows::<3>(points),
            _ => None,
        };
        if let Some(moved) = rows.and_then(|rows| Array2::from_shape_vec(points.dim(), rows).ok()) {
            return moved;
        }
        let mut moved = points.dot(&(&self.rotation.t() * self.scale));
        if let Some(values) = moved.as_slice_mut() {
            let shifts = self.translation.iter().cycle();
            values.iter_mut().zip(shifts).for_each(|(x, t)| *x += t);
        }
        moved
    }

    /// `None` if the points are not rows of `D` numbers side by side.
    fn apply_to_rows<const D: usize>(&self, points: ArrayView2<f64>) -> Option<Vec<f64>> {
        let turn: [[f64; D]; D] =
            std::array::from_fn(|a| std::array::from_fn(|b| self.scale * self.rotation[[a, b]]));
        let shift: [f64; D] = std::array::from_fn(|a| self.translation[a]);
        let mut moved = Vec::with_capacity(points.len());
        for row in points.rows() {
            let x: &[f64; D] = row.to_slice()?.try_into().ok()?;
            let image = |a: usize| turn[a].iter().zip(x).map(|(turn, x)| turn * x).sum::<f64>() + shift[a];
            moved.extend(std::array::from_fn::<f64, D, _>(image));
        }
        Some(moved)
    }

    /// This motion, then another one.
    pub fn then(&self, next: &Motion) -> Motion {
        Motion {
            rotation: next.rotation.dot(&self.rotation),
            translation: next.rotation.dot(&self.translation) * next.scale + &next.translation,
            scale: self.scale * next.scale,
        }
    }

    /// The way back.
    pub fn inverse(&self) -> Motion {
        let rotation = self.rotation.t().to_owned();
        let scale = 1.0 / self.scale;
        Motion { translation: -scale * rotation.dot(&self.translation), rotation, scale }
    }

    /// The homogeneous matrix: `scale R` and `t` over a row of zeros and a one.
    pub fn matrix(&self) -> Array2<f64> {
        let d = self.dim();
        Array2::from_shape_fn((d + 1, d + 1), |(i, j)| match (i < d, j < d) {
            (true, true) => self.scale * self.rotation[[i, j]],
            (true, false) => self.translation[i],
            (false, last) => f64::from(u8::from(!last)),
        })
    }

    /// From a homogeneous matrix; refused unless it is `scale R` and `t` to about a thousandth.
    pub fn from_matrix(matrix: ArrayView2<f64>) -> Result<Self> {
        let (rows, columns) = matrix.dim();
        let Some(d) = rows.checked_sub(1).filter(|&d| d > 0 && rows == columns) else {
            return Err(Error::BadMatrix {
                reason: format!("it is {rows} by {columns}, not square with a last row for t"),
            });
        };
        let refused = |reason: &str| Err(Error::BadMatrix { reason: reason.into() });
        if matrix.iter().any(|x| !x.is_finite()) {
            return refused("it has entries that are not finite numbers");
        }
        if (0..=d).any(|j| (matrix[[d, j]] - f64::from(u8::from(j == d))).abs() > 1e-9) {
            return refused("its last row is not 0 ... 0 1");
        }
        let linear = matrix.slice(swgg::ndarray::s![..d, ..d]);
        let scale = (linear.iter().map(|x| x * x).sum::<f64>() / d as f64).sqrt();
        if scale <= 0.0 {
            return refused("it cannot be inverted");
        }
        let rotation = linear.to_owned() / scale;
        let strays = rotation.t().dot(&rotation) - Array2::<f64>::eye(d);
        if strays.iter().any(|x| x.abs() > 2e-3) {
            return refused(
                "its columns are not at right angles and of one length, so it is no rotation and scale",
            );
        }
        // The nearest orthogonal matrix, for files with few digits.
        let rotation = polar(rotation.view(), false)?;
        Ok(Motion { rotation, translation: matrix.slice(swgg::ndarray::s![..d, d]).to_owned(), scale })
    }

    /// Angle between two rotations in degrees, up to dimension three; beyond that the largest angle of a plane that turns.
    pub fn degrees_to(&self, other: &Motion) -> f64 {
        // The turn of one against the other has |R - I|_F^2 = 2 tr(I - R) = sum over planes of 4 (1 - cos).
        let turn = self.rotation.t().dot(&other.rotation);
        let d = turn.nrows();
        let away = (d as f64 - turn.diag().sum()).max(0.0);
        (1.0 - away / 2.0).clamp(-1.0, 1.0).acos().to_degrees()
    }
}

/// The motion that brings points onto others with the least sum of weighted squares, and the mean of these.
///
/// Weights are equal unless given. The rotation is that of the singular vectors of the cross covariance, with the last one turned
/// round where a reflection is not allowed.
pub fn fit(
    points: ArrayView2<f64>,
    images: ArrayView2<f64>,
    weights: Option<&[f64]>,
    group: Group,
) -> Result<Motion> {
    if points.dim() != images.dim() || weights.is_some_and(|weights| weights.len() != points.nrows()) {
        let ((n, d), (m, e)) = (points.dim(), images.dim());
        let reason = format!("{n} points of dimension {d} and {m} images of dimension {e}");
        return Err(Error::Shapes { reason, weights: weights.map(<[f64]>::len) });
    }
    let (points, images) = (points.as_standard_layout(), images.as_standard_layout());
    let (Some(x), Some(y)) = (points.as_slice(), images.as_slice()) else { return Err(Error::NoFit) };
    let d = points.ncols();
    let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).enumerate();
    fit_rows(d, rows.map(|(i, (x, y))| (x, y, weights.map_or(1.0, |weights| weights[i]))), group)
}

/// [`fit`] of rows one by one: a point, its image, its weight.
pub(super) fn fit_rows<'a>(
    d: usize,
    rows: impl Iterator<Item = (&'a [f64], &'a [f64], f64)> + Clone,
    group: Group,
) -> Result<Motion> {
    let (mut from, mut to, mut total) = (Array1::<f64>::zeros(d), Array1::<f64>::zeros(d), 0.0);
    for (x, y, weight) in rows.clone() {
        total += weight;
        from.iter_mut().zip(x).for_each(|(sum, x)| *sum += weight * x);
        to.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y);
    }
    from /= total;
    to /= total;
    let mut cross = vec![0.0; d * d];
    let (mut arm, mut spread) = (vec![0.0; d], 0.0);
    for (x, y, weight) in rows {
        for ((arm, x), from) in arm.iter_mut().zip(x).zip(&from) {
            *arm = x - from;
            spread += weight * *arm * *arm;
        }
        for ((row, y), to) in cross.chunks_exact_mut(d).zip(y).zip(&to) {
            let y = weight * (y - to);
            row.iter_mut().zip(&arm).for_each(|(sum, x)| *sum += y * x);
        }
    }
    let cross = Array2::from_shape_fn((d, d), |(i, j)| cross[i * d + j]);
    let rotation = polar(cross.view(), group != Group::Orthogonal)?;
    let scale = match group {
        Group::Similarity if spread > 0.0 => (&rotation * &cross).sum() / spread,
        _ => 1.0,
    };
    if !scale.is_finite() || scale <= 0.0 {
        return Err(Error::NoFit);
    }
    let translation = &to - &(rotation.dot(&from) * scale);
    Ok(Motion { rotation, translation, scale })
}

/// The orthogonal matrix that agrees most with a matrix; a rotation if it has to be.
pub(super) fn polar(matrix: ArrayView2<f64>, proper: bool) -> Result<Array2<f64>> {
    let d = matrix.nrows();
    let svd = Mat::from_fn(d, d, |i, j| matrix[[i, j]]).svd().map_err(|_| Error::NoFit)?;
    let (u, v) = (svd.U(), svd.V());
    let product = |sign: f64| {
        Array2::from_shape_fn((d, d), |(i, j)| {
            (0..d).map(|k| if k + 1 == d { sign } else { 1.0 } * u[(i, k)] * v[(j, k)]).sum()
        })
    };
    let best = product(1.0);
    Ok(if proper && determinant(best.view()) < 0.0 { product(-1.0) } else { best })
}

/// Of a small matrix.
pub(super) fn determinant(matrix: ArrayView2<f64>) -> f64 {
    let d = matrix.nrows();
    let matrix = Mat::from_fn(d, d, |i, j| matrix[[i, j]]);
    let matrix: MatRef<'_, f64> = matrix.as_ref();
    matrix.determinant()
}
