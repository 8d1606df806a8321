//! Pictures that are drawn here, in the place of photographs that may not be shipped.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::ndarray::{Array2, Array3};

/// A picture of RGB pixels, row by row.
#[derive(Clone, Debug)]
pub struct Photo {
    pub width: usize,
    pub pixels: Vec<[u8; 3]>,
}

impl Photo {
    pub fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// The same with at most so many columns, by averages of blocks.
    pub fn small(&self, most: usize) -> Photo {
        let block = self.width.div_ceil(most).max(1);
        let (width, height) = (self.width / block, self.height() / block);
        let pixel = |k: usize| {
            let (top, left) = (k / width * block, k % width * block);
            let mut sums = [0_u32; 3];
            for place in
                (top..top + block).flat_map(|i| (left..left + block).map(move |j| i * self.width + j))
            {
                sums.iter_mut().zip(self.pixels[place]).for_each(|(sum, x)| *sum += u32::from(x));
            }
            sums.map(|sum| (sum / (block * block) as u32) as u8)
        };
        Photo { width, pixels: (0..width * height).map(pixel).collect() }
    }

    /// Its mean of red, green and blue.
    pub fn grays(&self) -> Vec<u8> {
        self.pixels
            .iter()
            .map(|[r, g, b]| ((u32::from(*r) + u32::from(*g) + u32::from(*b)) / 3) as u8)
            .collect()
    }

    /// A gray picture.
    pub fn from_grays(width: usize, grays: &[u8]) -> Photo {
        Photo { width, pixels: grays.iter().map(|x| [*x; 3]).collect() }
    }
}

/// Colours of a drawn landscape: sky above and at the horizon, two kinds of land, water.
type Palette = [[f64; 3]; 5];
const DAY: Palette = [
    [70.0, 130.0, 215.0],
    [190.0, 215.0, 240.0],
    [70.0, 120.0, 60.0],
    [140.0, 125.0, 80.0],
    [40.0, 95.0, 140.0],
];
const DUSK: Palette =
    [[60.0, 40.0, 95.0], [250.0, 150.0, 70.0], [60.0, 35.0, 40.0], [130.0, 70.0, 45.0], [120.0, 65.0, 75.0]];

/// A landscape at noon or at dusk: sky, hills, water, and a texture.
pub fn landscape(width: usize, height: usize, is_dusk: bool) -> Photo {
    let palette = if is_dusk { DUSK } else { DAY };
    let seed = if is_dusk { 7 } else { 3 };
    let texture = Texture::new(seed);
    let pixel = |k: usize| {
        let (u, v) = ((k % width) as f64 / width as f64, (k / width) as f64 / height as f64);
        let ridge = 0.45 + 0.16 * (texture.at(3.0 * u, 0.3) - 0.5) + 0.05 * (texture.at(14.0 * u, 5.1) - 0.5);
        let shore = 0.72 + 0.06 * (texture.at(5.0 * u, 9.7) - 0.5);
        let (color, rough) = if v < ridge {
            let cloud = texture.at(6.0 * u, 14.0 * v).powi(2);
            (mix(mix(palette[0], palette[1], v / ridge), [235.0, 232.0, 230.0], 0.6 * cloud), 3.0)
        } else if v < shore {
            let wood = texture.at(40.0 * u, 60.0 * v);
            (mix(palette[2], palette[3], 0.7 * wood + 0.5 * (v - ridge)), 26.0)
        } else {
            let glint = texture.at(12.0 * u, 90.0 * v).powi(3);
            (mix(palette[4], palette[1], 0.8 * glint), 12.0)
        };
        let shade = rough * (texture.at(200.0 * u, 200.0 * v) - 0.5);
        color.map(|x| (x + shade).clamp(0.0, 255.0) as u8)
    };
    Photo { width, pixels: (0..width * height).map(pixel).collect() }
}

fn mix(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|c| a[c] + share * (b[c] - a[c]))
}

/// Random values on a grid, smooth in between: from 0 to 1.
struct Texture(Vec<f64>);

/// Nodes of the grid in each direction before it repeats.
const NODES: usize = 256;

impl Texture {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Texture((0..NODES * NODES).map(|_| rng.random::<f64>()).collect())
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        let node = |i: f64, j: f64| self.0[(i as usize % NODES) * NODES + j as usize % NODES];
        let (i, j) = (x.floor(), y.floor());
        let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
        let (s, t) = (smooth(x - i), smooth(y - j));
        let row = |i: f64| node(i, j) + t * (node(i, j + 1.0) - node(i, j));
        row(i) + s * (row(i + 1.0) - row(i))
    }
}

/// Bands of a drawn satellite, and how many times coarser it sees colours than grays.
const BANDS: usize = 4;
pub const RATIO: usize = 4;

/// Fields and roofs as a satellite sees them: sharp in gray (row by column), coarse in four bands (band by row by column).
pub fn satellite(side: usize, seed: u64) -> (Array2<f32>, Array3<f32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut truth = vec![[300.0; BANDS]; side * side];
    for _ in 0..side * 3 {
        let size = 4.0 + 60.0 * rng.random::<f64>().powi(3);
        let [top, left] = std::array::from_fn(|_| (rng.random::<f64>() * side as f64) as usize);
        let [high, wide] = std::array::from_fn(|_| (size * (0.5 + rng.random::<f64>())) as usize);
        let light = 150.0 + 700.0 * rng.random::<f64>();
        let color: [f64; BANDS] = std::array::from_fn(|_| light * (0.7 + 0.6 * rng.random::<f64>()));
        for i in top..(top + high).min(side) {
            truth[i * side + left..i * side + (left + wide).min(side)].fill(color);
        }
    }
    for pixel in &mut truth {
        let texture = 0.95 + 0.1 * rng.random::<f64>();
        pixel.iter_mut().for_each(|x| *x *= texture);
    }
    let weights = [0.1, 0.35, 0.35, 0.2];
    let gray = |pixel: &[f64; BANDS]| pixel.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() as f32;
    let pan = Array2::from_shape_fn((side, side), |(i, j)| gray(&truth[i * side + j]));
    let ms = Array3::from_shape_fn((BANDS, side / RATIO, side / RATIO), |(band, i, j)| {
        let fine = |k: usize| truth[(i * RATIO + k / RATIO) * side + j * RATIO + k % RATIO][band];
        ((0..RATIO * RATIO).map(fine).sum::<f64>() / (RATIO * RATIO) as f64) as f32
    });
    (pan, ms)
}
