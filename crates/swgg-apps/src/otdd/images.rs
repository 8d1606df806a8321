//! Pixels as coordinates.

use super::error::{Error, Result};

/// Most pixels of an image that are a data set and not a slip of the finger.
const MAX_PIXELS: usize = 1 << 20;
/// The mean and the deviation of the pixels of MNIST, by which the code of the data-set distance brings all such images to one scale.
const MNIST: (f64, f64) = (0.1307, 0.3081);

/// Rows and columns of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
}

impl Size {
    /// Pixels of an image.
    pub fn pixels(self) -> usize {
        self.height.saturating_mul(self.width)
    }
}

/// The unit of pixels of eight bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pixels {
    /// `(x / 255 - 0.1307) / 0.3081`, as the experiments of the paper have it: MNIST then has mean 0 and deviation 1.
    #[default]
    Paper,
    /// From 0 to 1.
    Unit,
    /// From 0 to 255, as they are stored.
    Raw,
}

impl Pixels {
    /// Names, in the order of the help.
    pub const NAMES: [&'static str; 3] = ["paper", "unit", "raw"];

    /// By its name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "paper" => Some(Pixels::Paper),
            "unit" => Some(Pixels::Unit),
            "raw" => Some(Pixels::Raw),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// A pixel as a coordinate.
    pub fn coordinate(self, pixel: f64) -> f64 {
        match self {
            Pixels::Paper => (pixel / 255.0 - MNIST.0) / MNIST.1,
            Pixels::Unit => pixel / 255.0,
            Pixels::Raw => pixel,
        }
    }
}

/// Images of one size, a row each, in another size.
///
/// Bilinear, as the experiments of the paper do it by torchvision: pixels are little squares, and one of the new image is the mean of the old
/// ones around its centre with weights that fall linearly, to zero at the distance of one old pixel (enlarging), or of one new pixel (reducing). Values are not
/// rounded.
///
/// ```
/// use swgg_apps::otdd::{Size, resized};
/// let (from, to) = (Size { height: 1, width: 2 }, Size { height: 1, width: 4 });
/// assert_eq!(resized(&[0.0, 1.0], from, to)?, [0.0, 0.25, 0.75, 1.0]);
/// # Ok::<(), swgg_apps::otdd::Error>(())
/// ```
///
/// # Errors
///
/// Sizes without pixels or with too many, and rows that are no images of the first size.
pub fn resized(rows: &[f64], from: Size, to: Size) -> Result<Vec<f64>> {
    for Size { height, width } in [from, to] {
        let pixels = Size { height, width }.pixels();
        if pixels == 0 || pixels > MAX_PIXELS {
            return Err(Error::BadSize { height, width, most: MAX_PIXELS });
        }
    }
    if !rows.len().is_multiple_of(from.pixels()) {
        let (height, width) = (from.height, from.width);
        return Err(Error::NotImages { found: rows.len(), height, width });
    }
    if from == to {
        return Ok(rows.to_vec());
    }
    let (across, down) = (weights(from.width, to.width), weights(from.height, to.height));
    let mut images = Vec::with_capacity(rows.len() / from.pixels() * to.pixels());
    let mut wide = vec![0.0; from.height * to.width];
    for image in rows.chunks_exact(from.pixels()) {
        for (line, wide) in image.chunks_exact(from.width).zip(wide.chunks_exact_mut(to.width)) {
            for (pixel, (first, weights)) in wide.iter_mut().zip(&across) {
                *pixel = weights.iter().zip(&line[*first..]).map(|(w, x)| w * x).sum();
            }
        }
        for (first, weights) in &down {
            for column in 0..to.width {
                let old = wide[first * to.width + column..].iter().step_by(to.width);
                images.push(weights.iter().zip(old).map(|(w, x)| w * x).sum());
            }
        }
    }
    Ok(images)
}

/// For every new pixel of a line the first of the old ones it is made of, and their weights.
fn weights(from: usize, to: usize) -> Vec<(usize, Vec<f64>)> {
    let scale = from as f64 / to as f64;
    let reach = scale.max(1.0);
    let of = |k: usize| {
        let centre = (k as f64 + 0.5) * scale;
        let first = (centre - reach).floor().max(0.0) as usize;
        let last = ((centre + reach).ceil() as usize).min(from);
        let weight = |i: usize| (1.0 - ((i as f64 + 0.5 - centre) / reach).abs()).max(0.0);
        let all: Vec<f64> = (first..last).map(weight).collect();
        let total: f64 = all.iter().sum();
        (first, all.into_iter().map(|w| w / total).collect())
    };
    (0..to).map(of).collect()
}
