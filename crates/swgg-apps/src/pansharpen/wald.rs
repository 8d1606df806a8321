//! Wald's protocol: make both images coarser, fuse them, and compare with the MS there really was.

use swgg::ndarray::s;
use swgg::run::Workers;

use super::error::{Error, Result};
use super::quality::{ergas, sam, uiqi};
use super::resampling::{degrade, each_band};
use super::scene::coarse;
use super::{Given, Method, Scene, Settings};

/// Fewest pixels of the coarsened MS that a judgement is based on.
const MIN_PIXELS: usize = 8;

/// How well a method does on a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The method.
    pub method: Method,
    /// See [`ergas`].
    pub ergas: f64,
    /// See [`sam`].
    pub sam: f64,
    /// See [`uiqi`].
    pub uiqi: f64,
}

/// Judges methods on a scene by Wald's protocol (L. Wald, T. Ranchin and M. Mangolini, *Fusion of satellite images of
/// different spatial resolutions: assessing the quality of resulting images*, 1997).
///
/// PAN and MS (at the resolution of its sensor) are blurred and thinned out by the ratio, as a sensor with larger pixels
/// would have seen them; fused, they should give MS. All other settings apply as they are.
///
/// # Errors
///
/// An MS of too few pixels, and what [`Scene::fuse`] refuses.
pub fn score(scene: &Scene, settings: &Settings, methods: &[Method]) -> Result<Vec<Score>> {
    let ratio = scene.ratio;
    let (rows, columns) = scene.native_dim();
    let least = MIN_PIXELS * ratio;
    if rows < least || columns < least {
        return Err(Error::TooSmallToJudge { rows, columns, ratio, least });
    }
    // What is left over of a last coarse pixel is cut off.
    let (rows, columns) = (rows / ratio * ratio, columns / ratio * ratio);
    let reference = scene.native.slice(s![.., ..rows, ..columns]);
    let pan = scene.pan.slice(s![..rows * ratio, ..columns * ratio]);
    let seen = coarse(&scene.valid, ratio);
    let (mut coarse_pan, mut coarse_ms) = Workers::pool(settings.parallelism)?
        .install(|| (degrade(pan, ratio), each_band(&reference.to_owned(), |band| degrade(band, ratio))));
    let hide = |x: &mut f32, &valid: &bool| {
        if !valid {
            *x = f32::NAN;
        }
    };
    coarse_pan.zip_mut_with(&seen.slice(s![..rows, ..columns]), hide);
    let measured = coarse(&scene.native_valid, ratio);
    for mut band in coarse_ms.outer_iter_mut() {
        band.zip_mut_with(&measured, hide);
    }
    let coarsened = Scene::new(coarse_pan.view(), coarse_ms.view(), Given::default())?;
    let judge = |&method: &Method| {
        let fused = coarsened.fuse(&Settings { method, ..*settings })?;
        let (bands, valid) = (fused.bands.view(), &fused.valid);
        Ok(Score {
            method,
            ergas: ergas(bands, reference, ratio, valid),
            sam: sam(bands, reference, valid),
            uiqi: uiqi(bands, reference, valid),
        })
    };
    methods.iter().map(judge).collect()
}
