//! Points with normals, each with axes of its own.

use swgg::ndarray::Array2;

/// A point, its normal and two directions along its plane.
pub(super) struct OrientedPoint {
    pub place: [f64; 3],
    /// Normal first; a right-handed frame.
    pub axes: [[f64; 3]; 3],
}

/// Some points of a surface, evenly chosen.
pub(super) struct OrientedPoints(pub Vec<OrientedPoint>);

impl OrientedPoints {
    /// About so many of the points that have a normal, in the order of a tree, where every so many are an even choice.
    pub fn new(points: &Array2<f64>, normals: &Array2<f64>, most: usize) -> Self {
        let flat = |i: &usize| normals.row(*i).iter().any(|x| *x != 0.0);
        let flat: Vec<usize> = (0..points.nrows()).filter(flat).collect();
        let step = (flat.len() as f64 / most as f64).max(1.0);
        let count = (flat.len() as f64 / step) as usize;
        let row = |rows: &Array2<f64>, i: usize| std::array::from_fn(|c| rows[[i, c]]);
        let oriented = (0..count).map(|k| {
            let i = flat[(k as f64 * step) as usize];
            OrientedPoint { place: row(points, i), axes: frame(row(normals, i)) }
        });
        OrientedPoints(oriented.collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Twice the distance from the mean that nine of ten points keep.
    pub fn reach(&self) -> f64 {
        let mut mean = [0.0; 3];
        self.0.iter().for_each(|point| (0..3).for_each(|c| mean[c] += point.place[c] / self.len() as f64));
        let mut far: Vec<f64> =
            self.0.iter().map(|point| dot(minus(point.place, mean), minus(point.place, mean))).collect();
        far.sort_unstable_by(f64::total_cmp);
        far.get(far.len() * 9 / 10).map_or(0.0, |square| 2.0 * square.sqrt())
    }
}

/// A frame whose first axis is a unit vector.
fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    // The axis that the normal has least of is far from it.
    let least = (0..3).fold(0, |least, c| if normal[c].abs() < normal[least].abs() { c } else { least });
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let across = cross(normal, axis);
    let length = dot(across, across).sqrt();
    let across = across.map(|x| x / length);
    [normal, across, cross(normal, across)]
}

pub(super) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|c| a[c] - b[c])
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
