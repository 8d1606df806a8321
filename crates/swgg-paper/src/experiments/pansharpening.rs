//! Figure 15: pan-sharpening with superpixels.

use std::time::Instant;

use swgg::ndarray::{Array2, Array3, ArrayView2, Axis};
use swgg_apps::pansharpen::{Method, Scene, Settings, score};

use super::Experiment;
use crate::Outcome;
use crate::files;
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::scenes::satellite;
use crate::statistics::{quantile, short};

/// The paper's images and how many superpixels each has; of the fourth only the gray image can be had.
const PAIRS: [(&str, usize); 3] = [("Mexi_nat", 500), ("Mexi_urb", 200), ("Trend", 200)];
const COMPACTNESS: f64 = 1e-8;

pub struct Pansharpening;

impl Experiment for Pansharpening {
    fn name(&self) -> &'static str {
        "pansharpening"
    }

    fn place(&self) -> &'static str {
        "Figure 15 (Supp. E.4)"
    }

    fn title(&self) -> &'static str {
        "Pan-sharpening"
    }

    fn shows(&self) -> &'static str {
        "A sharp gray image and coarse colours of the same place become a sharp image in colours: transport by the closed form within superpixels."
    }

    fn says(&self) -> &'static str {
        "The result has the detail of the gray image and the colours of the other, for images of 512 x 512."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record { seed: "none, but of drawn scenes".to_string(), ..Record::default() };
        let side = scale.pick(128, 512, 512);
        if scale.data.is_none() {
            record.stand_in =
                Some("drawn fields and roofs in the place of the satellite images of PairMax".to_string());
        } else {
            record.remarks.push("Of the paper's fourth image only the gray one can be had here.".to_string());
        }
        record.set("compactness of the superpixels", format!("{COMPACTNESS:e}"));
        let mut table = Table::new(
            "correlation with the gray image, and scores by Wald's protocol (ERGAS: lower is better)",
            [
                "scene",
                "superpixels",
                "seconds",
                "detail: enlarged colours",
                "detail: paper",
                "detail: ours",
                "ERGAS: enlarged",
                "ERGAS: paper",
                "ERGAS: ours",
            ],
        );
        for (at, (name, markers)) in PAIRS.iter().take(scale.pick(1, 3, 3)).enumerate() {
            scale.progress.tell(name);
            let (title, pan, ms) = match &scale.data {
                Some(data) => {
                    let pan = files::raster(data, &format!("images/pansharpening/{name}_PAN.tif"))?;
                    let ms = files::raster(data, &format!("images/pansharpening/{name}_MS.tif"))?;
                    (name.to_string(), pan.index_axis_move(Axis(0), 0), ms)
                }
                None => {
                    let (pan, ms) = satellite(side, at as u64 + 1);
                    (format!("drawn {}", at + 1), pan, ms)
                }
            };
            let scene = Scene::new(pan.view(), ms.view(), Default::default())?;
            // As large as in the paper, where the image is smaller than its own.
            let markers = (markers * pan.len() / (512 * 512)).max(16);
            let settings =
                |method| Settings { method, markers, compactness: COMPACTNESS, ..Default::default() };
            let clock = Instant::now();
            let paper = scene.fuse(&settings(Method::Paper))?;
            let seconds = clock.elapsed().as_secs_f64();
            let ours = scene.fuse(&settings(Method::Transport))?;
            let plain = scene.fuse(&settings(Method::Upsample))?;
            let detail = [&plain, &paper, &ours].map(|fused| detail(&fused.bands, pan.view()));
            let methods = [Method::Upsample, Method::Paper, Method::Transport];
            let scores: Vec<f64> = score(&scene, &settings(Method::Transport), &methods)?
                .iter()
                .map(|score| score.ergas)
                .collect();
            table.row(
                [title.clone(), paper.superpixels.to_string(), short(seconds)]
                    .into_iter()
                    .chain(detail.iter().map(|x| format!("{x:.3}")))
                    .chain(scores.iter().map(|x| short(*x))),
            );
            record.ours(format!("{title}: detail"), detail.to_vec());
            record.ours(format!("{title}: ERGAS"), scores.clone());
            record.ours(format!("{title}: seconds"), seconds);
            record.claim(
                detail[1] > detail[0],
                format!(
                    "{title}: fine detail has correlation {:.2} with that of the gray image, enlarged colours {:.2}",
                    detail[1], detail[0]
                ),
            );
            let same = colors(&paper.bands, &ms);
            record.ours(format!("{title}: largest difference of a mean colour"), same);
            record.claim(
                same < 0.02,
                format!("mean colours are those of the coarse image, to {:.1} %", 100.0 * same),
            );
            if at == 0 {
                let (width, gray) = (pan.ncols(), composite(&[pan.view(); 3]));
                record.photo("pan", "Sharp gray image.", width, gray);
                for (file, caption, fused) in [
                    ("ms", "Coarse colours, enlarged.", &plain),
                    ("paper", "By the paper's method.", &paper),
                    ("ours", "By ours: only the detail that is missing.", &ours),
                ] {
                    let band = |k: usize| fused.bands.index_axis(Axis(0), k.min(fused.bands.dim().0 - 1));
                    record.photo(file, caption, width, composite(&[band(2), band(1), band(0)]));
                }
            }
        }
        record.tables.push(table);
        Ok(record)
    }
}

/// Correlation of the differences between neighbours in the mean of the bands with those of the gray image.
fn detail(bands: &Array3<f32>, pan: ArrayView2<f32>) -> f64 {
    let mean = bands.mean_axis(Axis(0)).unwrap_or_else(|| Array2::zeros(pan.dim()));
    let differences = |image: ArrayView2<f32>| -> Vec<f64> {
        let rows = image.rows().into_iter();
        rows.flat_map(|row| {
            row.iter().zip(row.iter().skip(1)).map(|(a, b)| f64::from(b - a)).collect::<Vec<_>>()
        })
        .collect()
    };
    let (a, b) = (differences(mean.view()), differences(pan));
    let pairs = || a.iter().zip(&b).filter(|(a, b)| a.is_finite() && b.is_finite());
    let sum = |f: fn(f64, f64) -> f64| pairs().map(|(a, b)| f(*a, *b)).sum::<f64>();
    sum(|a, b| a * b) / (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt()
}

/// The largest difference of the mean of a band, as a share of it.
fn colors(fused: &Array3<f32>, ms: &Array3<f32>) -> f64 {
    let mean = |band: ArrayView2<f32>| {
        let seen = || band.iter().filter(|x| x.is_finite());
        seen().map(|x| f64::from(*x)).sum::<f64>() / seen().count() as f64
    };
    let bands = fused.outer_iter().zip(ms.outer_iter());
    bands.map(|(fused, ms)| ((mean(fused) - mean(ms)) / mean(ms)).abs()).fold(0.0, f64::max)
}

/// Three bands as a picture: from the second to the ninety-eighth of a hundred parts of the values.
fn composite(bands: &[ArrayView2<f32>; 3]) -> Vec<[u8; 3]> {
    let scaled = bands.each_ref().map(|band| -> Vec<u8> {
        let some: Vec<f64> =
            band.iter().step_by(7).filter(|x| x.is_finite()).map(|x| f64::from(*x)).collect();
        let (low, high) = (quantile(&some, 0.02), quantile(&some, 0.98));
        let unit = |x: &f32| ((f64::from(*x) - low) / (high - low).max(1e-9)).clamp(0.0, 1.0);
        band.iter().map(|x| (255.0 * unit(x)) as u8).collect()
    });
    (0..scaled[0].len()).map(|k| [scaled[0][k], scaled[1][k], scaled[2][k]]).collect()
}
