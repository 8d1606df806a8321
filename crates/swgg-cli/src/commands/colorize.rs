//! `swgg colorize`: colours for gray pictures.

use std::time::Instant;

use swgg::Parallelism;
use swgg::ndarray::Array3;
use swgg_apps::color;
use swgg_apps::superpixels::{gradient, watershed};

use super::pictures::{Job, Layers, Recolor, Recolored, Recoloring, Stored};
use crate::args::Colorize;
use crate::exit::{Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::printer;
use crate::report::RecoloringDetails;

/// How round superpixels are, as for pan-sharpening.
const COMPACTNESS: f64 = 1e-8;

pub fn run(args: &Colorize) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let recoloring = Recoloring {
        files: [&args.gray, &args.reference, &args.out],
        mask: None,
        sheet: args.compare.as_deref(),
        title: "Colorization",
        page: None,
        columns: 3,
        doing: "giving colours",
        threads: args.threads,
        overwrite: args.overwrite,
        print: &args.print,
    };
    recoloring.run(started, || Ok(args))
}

impl Recolor for &Colorize {
    fn recolored<S: Stored>(
        &self,
        job: &Job,
        picture: &mut Layers<S>,
        reference: &Layers<S>,
    ) -> Outcome<Recolored<S>> {
        let gray = |[r, g, b]: [S; 3]| match r == g && g == b {
            true => r,
            false => S::from_unit(0.2126 * r.to_unit() + 0.7152 * g.to_unit() + 0.0722 * b.to_unit()),
        };
        let grays: Vec<S> = picture.colors.iter().map(|&color| gray(color)).collect();
        if picture.colors.iter().any(|[r, g, b]| r != g || g != b) && !self.print.quiet {
            printer::warn(&format!(
                "{}: is not gray; its own colours are dropped, brightness alone counts (color-transfer keeps them)",
                job.source.display()
            ));
        }
        let shown = reference.part(None)?;
        let to = reference.image(shown.as_deref())?;
        let (width, parallelism) = (picture.width, Parallelism::from_count(self.threads));
        let clock = Instant::now();
        let found = if self.superpixels {
            if (width, picture.height) != (reference.width, reference.height) {
                return Err(Failure::new(format!(
                    "it has {width} x {} pixels, the reference {} x {}; --superpixels needs two of the same size",
                    picture.height, reference.width, reference.height
                )));
            }
            color::colorize_within(width, &grays, &to, &regions(reference, self.markers), parallelism)?
        } else {
            color::colorize(width, &grays, &to, parallelism)?
        };
        let seconds = clock.elapsed().as_secs_f64();
        picture.colors = grays.into_iter().map(|gray| [gray; 3]).collect();
        // The colours are those of the reference, and so is what they mean.
        (picture.icc, picture.is_gray) = (reference.icc.clone(), reference.is_gray);
        let details = RecoloringDetails::Colorization { cost: found.cost, superpixels: self.superpixels };
        Ok(Recolored { pixels: found.pixels, name: "result", seconds, details })
    }
}

/// Superpixels of the reference.
fn regions<S: Stored>(picture: &Layers<S>, markers: usize) -> Vec<u32> {
    let bands = Array3::from_shape_fn((3, picture.height, picture.width), |(c, y, x)| {
        picture.colors[y * picture.width + x][c].to_unit()
    });
    watershed(gradient(bands.view()).view(), markers, COMPACTNESS).into_iter().collect()
}
