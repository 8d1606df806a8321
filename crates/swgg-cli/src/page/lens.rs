//! How points of any dimension are seen in two or three.

use swgg::line::principal_axes;
use swgg::{Measure, Scalar};

use crate::exit::Outcome;
use crate::printer::{grouped, percent};

/// Looks at points of some space.
pub struct Lens {
    sight: Sight,
}

enum Sight {
    /// Points of the line, cloud above cloud; `rise` is how far apart.
    Line { rise: f64 },
    /// Points of the plane or of space, as they are.
    Plain { dim: usize },
    /// The widest axes of all clouds together.
    Axes { mean: Vec<f64>, axes: Vec<Vec<f64>>, told: String },
}

/// Points that axes are found from, and coordinates of all of them.
const MOST_POINTS: usize = 4000;
const MOST_COORDINATES: usize = 1 << 21;

impl Lens {
    /// For clouds of one dimension; points of more than three coordinates are seen along `most` principal axes.
    pub fn new<T: Scalar>(clouds: &[&Measure<'_, T>], most: usize) -> Outcome<Self> {
        let dim = clouds.first().map_or(2, |cloud| cloud.dim());
        let sight = match dim {
            1 => Sight::Line { rise: 0.45 * width(clouds) },
            dim if dim <= most => Sight::Plain { dim },
            _ => along_axes(clouds, most)?,
        };
        Ok(Lens { sight })
    }

    /// Coordinates of what is seen.
    pub fn dim(&self) -> usize {
        match &self.sight {
            Sight::Line { .. } => 2,
            Sight::Plain { dim } => *dim,
            Sight::Axes { axes, .. } => axes.len(),
        }
    }

    /// Whether coordinates are those of the points.
    pub fn is_plain(&self) -> bool {
        matches!(self.sight, Sight::Plain { .. })
    }

    /// What is seen of a point; on the line at this `level`, the source being at 0 and the target at 1.
    pub fn see<T: Scalar>(&self, point: &[T], level: f64, seen: &mut Vec<f64>) {
        match &self.sight {
            Sight::Line { rise } => seen.extend([point[0].to_f64(), level * rise]),
            Sight::Plain { .. } => seen.extend(point.iter().map(|x| x.to_f64())),
            Sight::Axes { mean, axes, .. } => seen.extend(axes.iter().map(|axis| {
                let terms = point.iter().zip(mean).zip(axis);
                terms.map(|((x, m), a)| (x.to_f64() - m) * a).sum::<f64>()
            })),
        }
    }

    /// What a reader has to know about it.
    pub fn told(&self) -> Option<&str> {
        match &self.sight {
            Sight::Line { .. } => {
                Some("The points have one coordinate: the source is drawn below, the target above.")
            }
            Sight::Plain { .. } => None,
            Sight::Axes { told, .. } => Some(told),
        }
    }
}

/// How far the points of the line reach.
fn width<T: Scalar>(clouds: &[&Measure<'_, T>]) -> f64 {
    let values = clouds.iter().flat_map(|cloud| cloud.points()).map(|x| x.to_f64());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let width = high - low;
    if width > 0.0 && width.is_finite() { width } else { 1.0 }
}

fn along_axes<T: Scalar>(clouds: &[&Measure<'_, T>], most: usize) -> Outcome<Sight> {
    let dim = clouds.first().map_or(1, |cloud| cloud.dim());
    // Of all clouds together, so that what lies between them can be seen.
    let each = (MOST_POINTS.min(MOST_COORDINATES / dim) / clouds.len().max(1)).max(8);
    let mut points: Vec<f64> = Vec::new();
    for cloud in clouds {
        let count = cloud.len().min(each);
        let rows = (0..count).map(|k| cloud.point(k * cloud.len() / count));
        points.extend(rows.flatten().map(|x| x.to_f64()));
    }
    let all = Measure::from_vec(points, dim)?;
    let mean = all.mean();
    let found = principal_axes(&all, &all)?;
    let axes: Vec<Vec<f64>> = (0..found.len().min(most)).map(|k| found.row(k).to_vec()).collect();
    let squares = |direction: Option<&Vec<f64>>| -> f64 {
        let rows = all.points().chunks_exact(dim);
        rows.map(|row| {
            let centred = row.iter().zip(&mean).map(|(x, m)| x - m);
            match direction {
                Some(axis) => centred.zip(axis).map(|(c, a)| c * a).sum::<f64>().powi(2),
                None => centred.map(|c| c * c).sum(),
            }
        })
        .sum()
    };
    let (seen, whole) = (axes.iter().map(|axis| squares(Some(axis))).sum::<f64>(), squares(None));
    let share = if whole > 0.0 { (seen / whole).clamp(0.0, 1.0) } else { 1.0 };
    let names = ["", "principal axis", "two principal axes", "three principal axes"][axes.len().min(3)];
    let mut axes = axes;
    // A canvas has two axes at least; along the second there is nothing to see.
    while axes.len() < 2 {
        axes.push(vec![0.0; dim]);
    }
    let told = format!(
        "The points have {} coordinates: they are seen along their first {names}, which hold {} of the variance.",
        grouped(dim),
        percent(share),
    );
    Ok(Sight::Axes { mean, axes, told })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lens: &Lens, cloud: &Measure<'_, f64>) -> Vec<Vec<f64>> {
        let see = |i: usize| {
            let mut point = Vec::new();
            lens.see(cloud.point(i), 0.0, &mut point);
            point
        };
        (0..cloud.len()).map(see).collect()
    }

    #[test]
    fn the_widest_axes_are_seen() {
        // Five coordinates, of which the fourth is the widest and the second the next.
        let rows = (0..60).flat_map(|k| {
            let k = f64::from(k);
            [0.01 * (k * 0.3).sin(), (k * 1.7).sin(), 0.0, 10.0 * (k * 0.9).cos(), 0.001 * k]
        });
        let cloud = Measure::from_vec(rows.collect(), 5).unwrap();
        let lens = Lens::new(&[&cloud], 3).unwrap();
        assert_eq!(lens.dim(), 3);
        assert!(lens.told().unwrap().contains("5 coordinates") && lens.told().unwrap().contains("three"));
        let mean = cloud.mean();
        for (point, seen) in cloud.points().chunks(5).zip(seen(&lens, &cloud)) {
            assert!((seen[0] - (point[3] - mean[3])).abs() < 0.05, "{seen:?}");
        }
        assert_eq!(Lens::new(&[&cloud], 2).unwrap().dim(), 2);
    }

    #[test]
    fn a_shift_between_clouds_can_be_seen() {
        let cloud = |shift: f64| {
            let rows = (0..40).flat_map(|k| (0..6).map(move |c| ((k * 7 + c * 3) % 11) as f64));
            Measure::from_vec(
                rows.enumerate().map(|(k, x)| if k % 6 == 4 { x + shift } else { x }).collect(),
                6,
            )
            .unwrap()
        };
        let (a, b) = (cloud(0.0), cloud(100.0));
        let lens = Lens::new(&[&a, &b], 2).unwrap();
        let (x, y) = (seen(&lens, &a)[0][0], seen(&lens, &b)[0][0]);
        assert!((x - y).abs() > 99.0, "{x} {y}");
    }

    #[test]
    fn lines_and_points_have_two_coordinates() {
        let line = Measure::from_vec(vec![0.0, 2.0], 1).unwrap();
        let lens = Lens::new(&[&line], 3).unwrap();
        let mut seen = Vec::new();
        lens.see(&[2.0], 1.0, &mut seen);
        assert_eq!((lens.dim(), seen), (2, vec![2.0, 0.9]));
        let same = Measure::from_vec(vec![1.0; 50], 5).unwrap();
        let lens = Lens::new(&[&same], 3).unwrap();
        let mut seen = Vec::new();
        lens.see(same.point(0), 0.0, &mut seen);
        assert!(lens.dim() >= 2 && seen.iter().all(|x| x.is_finite()));
    }
}
