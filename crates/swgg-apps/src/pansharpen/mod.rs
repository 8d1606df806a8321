//! Pan-sharpening: the colors of a coarse multispectral image on the detail of a fine panchromatic one.
//!
//! A satellite takes one sharp gray image (PAN) and several blurred colored bands (MS). The paper's way (Supp. "Gray
//! scale image colorization"): cut the scene into superpixels, and in each of them carry the grays to the colors by
//! optimal transport. Grays lie on a line, so that the closed form of the Lemma "New closed form of the WD" is exact:
//! sort the grays, sort the colors by their brightness, pair by rank ([`Method::Paper`]).
//!
//! That recolors PAN and forgets what MS knows of the place. The default, [`Method::Transport`], keeps the place: the plan
//! of each superpixel, made where both images are equally blurred, says how much each band changes with the gray, and
//! only the detail that MS lacks is added by that rate.
//!
//! ```
//! use swgg::ndarray::Array;
//! use swgg_apps::pansharpen::{Scene, Settings};
//!
//! // A fine checkered field in gray, and two bands of it at a quarter of the resolution.
//! let field = |i: usize, j: usize| 100.0 + 40.0 * (((i / 6 + j / 6) % 2) as f32) + (i + j) as f32;
//! let pan = Array::from_shape_fn((96, 96), |(i, j)| field(i, j));
//! let ms = Array::from_shape_fn((2, 24, 24), |(band, i, j)| {
//!     let sum: f32 = (0..16).map(|k| field(4 * i + k / 4, 4 * j + k % 4)).sum();
//!     sum / 16.0 * (1.0 + band as f32)
//! });
//! let scene = Scene::new(pan.view(), ms.view(), Default::default())?;
//! assert_eq!(scene.ratio(), 4);
//! let fused = scene.fuse(&Settings::default())?;
//! assert_eq!(fused.bands.dim(), (2, 96, 96));
//! # Ok::<(), swgg_apps::pansharpen::Error>(())
//! ```

mod error;
mod quality;
mod resampling;
mod scene;
mod substitution;
#[cfg(test)]
mod tests;
mod transport;
mod wald;

use swgg::Parallelism;
use swgg::ndarray::{Array2, Array3};

pub use error::{Error, Result};
pub use quality::{ergas, sam, uiqi};
pub use scene::{Given, Scene};
pub use wald::{Score, score};

/// How to bring the detail of PAN into MS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// MS and the detail it lacks, each band at the rate that the transport plan of its superpixel tells.
    #[default]
    Transport,
    /// The colors that the transport plan of each superpixel gives to the grays, as in the paper.
    Paper,
    /// Component substitution with the rates of the whole image (C. Laben and B. Brower, patent US 6011875, 2000).
    GramSchmidt,
    /// The same with the brightness that fits PAN best (B. Aiazzi, S. Baronti and M. Selva, 2007).
    GramSchmidtAdaptive,
    /// Every band in proportion to PAN over brightness (A. Gillespie, A. Kahle and R. Walker, 1987).
    Brovey,
    /// MS enlarged, PAN not looked at.
    Upsample,
}

impl Method {
    /// All of them, ours first.
    pub const ALL: [Method; 6] = [
        Method::Transport,
        Method::Paper,
        Method::GramSchmidtAdaptive,
        Method::GramSchmidt,
        Method::Brovey,
        Method::Upsample,
    ];

    /// Their names, and a line of help.
    pub const NAMES: [(Method, &'static str, &'static str); 6] = [
        (Method::Transport, "transport", "Detail of PAN at the rates of the transport plans"),
        (Method::Paper, "paper", "Colors of MS as the transport plans give them to the grays"),
        (Method::GramSchmidt, "gram-schmidt", "Component substitution with the mean of the bands"),
        (
            Method::GramSchmidtAdaptive,
            "gram-schmidt-adaptive",
            "Component substitution with the sum of bands that fits PAN best",
        ),
        (Method::Brovey, "brovey", "All bands in proportion to PAN over the mean of the bands"),
        (Method::Upsample, "upsample", "MS enlarged, PAN not used"),
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(method, ..)| *method == self).map_or("", |(_, name, _)| name)
    }
}

/// How to fuse.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How detail is brought in.
    pub method: Method,
    /// About how many superpixels; 200 as in the paper.
    pub markers: usize,
    /// How round superpixels are; 1e-8, nothing but edges, as in the paper. See
    /// [`watershed`](crate::superpixels::watershed).
    pub compactness: f64,
    /// [`Method::Transport`]: how often the result is blurred again, compared with MS, and corrected by what differs.
    pub rounds: usize,
    /// How many threads to use; the result does not depend on it.
    pub parallelism: Parallelism,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            method: Method::Transport,
            markers: 200,
            compactness: 1e-8,
            rounds: 2,
            parallelism: Parallelism::Auto,
        }
    }
}

impl Settings {
    fn validate(&self) -> Result<()> {
        if self.markers == 0 {
            return Err(Error::NoMarkers);
        }
        if !(self.compactness >= 0.0 && self.compactness.is_finite()) {
            return Err(Error::BadCompactness { found: self.compactness });
        }
        Ok(())
    }
}

/// A sharp image in all bands.
#[derive(Clone, Debug)]
pub struct Fused {
    /// Band by row by column; not a number where PAN or MS is missing.
    pub bands: Array3<f32>,
    /// Whether both images were measured at a pixel.
    pub valid: Array2<bool>,
    /// Superpixels that the transport ran in; 0 for methods without.
    pub superpixels: usize,
}
