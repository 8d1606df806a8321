//! A pair of images of one place, checked once.

use swgg::ndarray::{Array2, Array3, ArrayView2, ArrayView3, Axis, s};
use swgg::run::Workers;

use super::error::{Error, Result};
use super::resampling::{decimate, each_band, enlarge, fill};
use super::{Fused, Method, Settings, substitution, transport};

/// The largest ratio of resolutions; sensors have 2 to 6.
const LARGEST_RATIO: usize = 16;
/// Made coarse and enlarged again, an image that was enlarged before loses less than this share of what PAN loses.
const ENLARGED_LOSS_SHARE: f64 = 0.2;

/// What is known about a pair besides its pixels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    /// How many times finer PAN is than MS; found if not given.
    pub ratio: Option<usize>,
    /// The value of PAN that stands for "nothing measured".
    pub pan_nodata: Option<f32>,
    /// The value of MS that stands for "nothing measured"; one band of a pixel is enough.
    pub ms_nodata: Option<f32>,
}

/// A panchromatic and a multispectral image of the same place.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(super) pan: Array2<f32>,
    /// MS with as many pixels as PAN.
    pub(super) ms: Array3<f32>,
    /// MS with the pixels of its sensor.
    pub(super) native: Array3<f32>,
    pub(super) ratio: usize,
    pub(super) valid: Array2<bool>,
    pub(super) native_valid: Array2<bool>,
}

impl Scene {
    /// Checks that PAN (row by column) and MS (band by row by column) fit together.
    ///
    /// MS has fewer pixels than PAN by a whole ratio, or as many: then it was enlarged before, and the ratio is found as the
    /// largest power of two whose coarse pixels give MS back much better than they give PAN back. Values that are not finite are missing ones. Both images
    /// are taken to cover exactly the same ground.
    ///
    /// # Errors
    ///
    /// Sizes that do not fit, a ratio that cannot be or cannot be found, nothing measured.
    pub fn new(pan: ArrayView2<f32>, ms: ArrayView3<f32>, given: Given) -> Result<Self> {
        let (bands, rows, columns) = ms.dim();
        if bands * rows * columns == 0 {
            return Err(Error::Empty { bands, rows, columns });
        }
        let times = (pan.nrows() / rows).max(1);
        if pan.dim() != (times * rows, times * columns) {
            return Err(Error::Sizes { pan: pan.dim(), ms: (rows, columns) });
        }
        if let Some(ratio) = given.ratio
            && times > 1
            && ratio != times
        {
            return Err(Error::RatioDiffers { given: ratio, found: times });
        }
        let is_there = |x: f32, nodata: Option<f32>| x.is_finite() && nodata != Some(x);
        let pan_valid = pan.mapv(|x| is_there(x, given.pan_nodata));
        let mut ms_valid = Array2::from_elem((rows, columns), true);
        for band in ms.outer_iter() {
            ms_valid.zip_mut_with(&band, |valid, &x| *valid &= is_there(x, given.ms_nodata));
        }
        let mut valid = pan_valid.clone();
        for ((i, j), valid) in valid.indexed_iter_mut() {
            *valid &= ms_valid[[i / times, j / times]];
        }
        if !valid.iter().any(|&valid| valid) {
            return Err(Error::NothingMeasured);
        }
        let mut pan = pan.to_owned();
        fill(&mut pan, &pan_valid);
        let ms = each_band(&ms.to_owned(), |band| {
            let mut band = band.to_owned();
            fill(&mut band, &ms_valid);
            band
        });
        let ratio = match (times, given.ratio) {
            (1, Some(ratio)) => ratio,
            (1, None) => find_ratio(pan.view(), &ms).ok_or(Error::NoRatio)?,
            (times, _) => times,
        };
        if !(2..=LARGEST_RATIO).contains(&ratio) || ratio > pan.nrows().min(pan.ncols()) {
            return Err(Error::BadRatio { found: ratio });
        }
        Ok(if times == 1 {
            let native = each_band(&ms, |band| decimate(band, ratio));
            let native_valid = coarse(&ms_valid, ratio);
            Scene { pan, ms, native, ratio, valid, native_valid }
        } else {
            let (rows, columns) = pan.dim();
            let large = each_band(&ms, |band| enlarge(band, ratio, rows, columns));
            Scene { pan, ms: large, native: ms, ratio, valid, native_valid: ms_valid }
        })
    }

    /// How many times finer PAN is than MS.
    pub fn ratio(&self) -> usize {
        self.ratio
    }

    /// Rows and columns of PAN.
    pub fn dim(&self) -> (usize, usize) {
        self.pan.dim()
    }

    /// Rows and columns of MS at the resolution of its sensor.
    pub fn native_dim(&self) -> (usize, usize) {
        (self.native.dim().1, self.native.dim().2)
    }

    /// Pixels that were measured in both images.
    pub fn measured(&self) -> usize {
        self.valid.iter().filter(|&&valid| valid).count()
    }

    /// Sharpens every band.
    ///
    /// # Errors
    ///
    /// Settings that make no sense.
    pub fn fuse(&self, settings: &Settings) -> Result<Fused> {
        settings.validate()?;
        Workers::pool(settings.parallelism)?.install(|| self.run(settings))
    }

    fn run(&self, settings: &Settings) -> Result<Fused> {
        let plain = |bands| Ok((bands, 0));
        let (mut bands, superpixels) = match settings.method {
            Method::Transport => transport::inject(self, settings),
            Method::Paper => transport::recolor(self, settings),
            Method::GramSchmidt => plain(substitution::gram_schmidt(self)),
            Method::GramSchmidtAdaptive => plain(substitution::gram_schmidt_adaptive(self)),
            Method::Brovey => plain(substitution::brovey(self)),
            Method::Upsample => plain(self.ms.clone()),
        }?;
        for mut band in bands.outer_iter_mut() {
            band.zip_mut_with(&self.valid, |x, &valid| {
                if !valid {
                    *x = f32::NAN;
                }
            });
        }
        Ok(Fused { bands, valid: self.valid.clone(), superpixels })
    }
}

/// A coarse pixel was measured if all fine ones in it were.
pub(super) fn coarse(valid: &Array2<bool>, ratio: usize) -> Array2<bool> {
    let (rows, columns) = valid.dim();
    Array2::from_shape_fn((rows / ratio, columns / ratio), |(i, j)| {
        valid.slice(s![i * ratio..(i + 1) * ratio, j * ratio..(j + 1) * ratio]).iter().all(|&valid| valid)
    })
}

/// The largest of 2, 4, 8 and 16 by which MS seems to have been enlarged.
fn find_ratio(pan: ArrayView2<f32>, ms: &Array3<f32>) -> Option<usize> {
    let brightness = ms.mean_axis(Axis(0))?;
    let comes_back = |&ratio: &usize| lost(brightness.view(), ratio) < ENLARGED_LOSS_SHARE * lost(pan, ratio);
    [2, 4, 8, 16].into_iter().take_while(comes_back).last()
}

/// The share of the variation of an image that is finer than pixels `ratio` times as wide.
fn lost(plane: ArrayView2<f32>, ratio: usize) -> f64 {
    let (rows, columns) = plane.dim();
    if rows < 5 * ratio || columns < 5 * ratio {
        return 0.0;
    }
    let back = enlarge(decimate(plane, ratio).view(), ratio, rows, columns);
    // The rim, and what is left of a last pixel, was enlarged in ways of its own.
    let inside = s![2 * ratio..rows - 2 * ratio, 2 * ratio..columns - 2 * ratio];
    let (plane, back) = (plane.slice(inside), back.slice(inside));
    let mean = plane.iter().map(|&x| f64::from(x)).sum::<f64>() / plane.len() as f64;
    let all: f64 = plane.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum();
    let gap: f64 = plane.iter().zip(&back).map(|(&x, &y)| f64::from(x - y).powi(2)).sum();
    if all > 0.0 { (gap / all).sqrt() } else { 0.0 }
}
