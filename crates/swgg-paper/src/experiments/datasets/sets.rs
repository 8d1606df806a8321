//! The data sets: read, or drawn.

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use swgg_apps::otdd::{DataSet, Pixels, Size, resized, sample};
use swgg_io::idx;

use crate::Outcome;

/// The data sets of the paper in its order, and the file of their images below the directory of data.
pub const SETS: [(&str, &str); 5] = [
    ("MNIST", "mnist/train-images-idx3-ubyte.gz"),
    ("EMNIST", "emnist/az-letters-images-idx3-ubyte.gz"),
    ("Fashion", "fashion-mnist/train-images-idx3-ubyte.gz"),
    ("KMNIST", "kmnist/t10k-images-idx3-ubyte.gz"),
    ("USPS", "usps/usps-train-images-idx3-ubyte.gz"),
];
/// The size that images of others are brought to.
const SIZE: Size = Size { height: 28, width: 28 };

/// Points of [`SIZE`] or of what was drawn, row by row, and their labels.
pub struct Rows {
    points: Vec<f64>,
    dim: usize,
    labels: Vec<u32>,
}

impl Rows {
    /// With their labels.
    pub fn labelled(&self) -> Outcome<DataSet> {
        Ok(DataSet::new(self.points.clone(), self.dim, &self.labels)?)
    }

    /// All of one label.
    pub fn unlabelled(&self) -> Outcome<DataSet> {
        Ok(DataSet::new(self.points.clone(), self.dim, &vec![0; self.labels.len()])?)
    }
}

/// Up to so many images of a file, with their labels.
pub fn read(data: &Path, file: &str, count: usize) -> Outcome<Rows> {
    let path = data.join(file);
    let beside =
        idx::labels_beside(&path).ok_or_else(|| format!("{}: no labels beside it", path.display()))?;
    let (images, labels) = (idx::read(&path)?, idx::read(&beside)?);
    let [all, height, width] = images.shape[..] else {
        return Err(format!(
            "{}: {} axes, expected images, rows and columns",
            path.display(),
            images.shape.len()
        )
        .into());
    };
    if labels.numbers.len() != all {
        return Err(format!("{}: {} labels for {all} images", beside.display(), labels.numbers.len()).into());
    }
    let rows = sample(all, count, 0)?;
    let size = Size { height, width };
    let mut points = Vec::with_capacity(rows.len() * size.pixels());
    for row in &rows {
        let first = row * size.pixels();
        points
            .extend((first..first + size.pixels()).map(|k| Pixels::Paper.coordinate(images.numbers.get(k))));
    }
    let labels: Vec<u32> = rows.iter().map(|row| labels.numbers.get(*row) as u32).collect();
    Ok(Rows { points: resized(&points, size, SIZE)?, dim: SIZE.pixels(), labels })
}

/// How the pictures of a drawn data set look.
#[derive(Clone, Copy)]
struct Look {
    /// Seed of the forms of its classes: two data sets of one seed have the same.
    forms: u64,
    /// Half the width of strokes, as a share of the side.
    width: f64,
    /// How far a form differs from one picture to the next, and from the forms of its seed.
    jitter: f64,
    style: f64,
    /// Whether forms are filled, as those of clothes are.
    is_filled: bool,
}

/// In the order of [`SETS`]: digits, letters of a similar hand, clothes, other letters, and the same digits, blurred.
const LOOKS: [Look; 5] = [
    Look { forms: 1, width: 0.06, jitter: 0.03, style: 0.0, is_filled: false },
    Look { forms: 1, width: 0.06, jitter: 0.04, style: 0.12, is_filled: false },
    Look { forms: 2, width: 0.05, jitter: 0.03, style: 0.0, is_filled: true },
    Look { forms: 3, width: 0.08, jitter: 0.04, style: 0.0, is_filled: false },
    Look { forms: 1, width: 0.10, jitter: 0.02, style: 0.03, is_filled: false },
];

/// Points that a stroke goes through.
const BENDS: usize = 5;
type Stroke = [[f64; 2]; BENDS];

/// A drawn stand-in for the data set at this place of [`SETS`]: so many pictures of `side` by `side` pixels, of so many classes.
pub fn draw(which: usize, count: usize, classes: usize, side: usize) -> Rows {
    let look = LOOKS[which];
    let mut forms = ChaCha8Rng::seed_from_u64(look.forms);
    let mut rng = ChaCha8Rng::seed_from_u64(100 + which as u64);
    let strokes: Vec<Stroke> = (0..classes)
        .map(|_| {
            std::array::from_fn(|_| [0.15 + 0.7 * forms.random::<f64>(), 0.15 + 0.7 * forms.random::<f64>()])
        })
        .collect();
    let strokes: Vec<Stroke> =
        strokes.into_iter().map(|stroke| moved(stroke, look.style, &mut rng)).collect();
    let labels: Vec<u32> = (0..count).map(|k| (k % classes) as u32).collect();
    let mut points = Vec::with_capacity(count * side * side);
    for label in &labels {
        let stroke = moved(strokes[*label as usize], look.jitter, &mut rng);
        for k in 0..side * side {
            let at = [(k % side) as f64 / (side - 1) as f64, (k / side) as f64 / (side - 1) as f64];
            let away = if look.is_filled && is_inside(&stroke, at) { 0.0 } else { distance(&stroke, at) };
            let gray = (1.5 - away / look.width).clamp(0.0, 1.0);
            points.push(Pixels::Paper.coordinate(255.0 * gray));
        }
    }
    Rows { points, dim: side * side, labels }
}

/// A stroke whose points are moved a little.
fn moved(stroke: Stroke, far: f64, rng: &mut ChaCha8Rng) -> Stroke {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    stroke.map(|point| point.map(|x| x + far * normal()))
}

/// From a place to the nearest point of a stroke.
fn distance(stroke: &Stroke, at: [f64; 2]) -> f64 {
    let to_segment = |pair: &[[f64; 2]]| {
        let (a, b) = (pair[0], pair[1]);
        let (along, off) = ([b[0] - a[0], b[1] - a[1]], [at[0] - a[0], at[1] - a[1]]);
        let length = (along[0].powi(2) + along[1].powi(2)).max(1e-12);
        let share = ((along[0] * off[0] + along[1] * off[1]) / length).clamp(0.0, 1.0);
        (off[0] - share * along[0]).hypot(off[1] - share * along[1])
    };
    stroke.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
}

/// Whether a place is inside of a stroke whose ends are joined: a line to the right crosses it an odd number of times.
fn is_inside(stroke: &Stroke, at: [f64; 2]) -> bool {
    let crosses = |k: usize| {
        let (a, b) = (stroke[k], stroke[(k + 1) % BENDS]);
        (a[1] > at[1]) != (b[1] > at[1]) && at[0] < a[0] + (b[0] - a[0]) * (at[1] - a[1]) / (b[1] - a[1])
    };
    (0..BENDS).filter(|k| crosses(*k)).count() % 2 == 1
}
