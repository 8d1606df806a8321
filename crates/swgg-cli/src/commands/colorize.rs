//! `swgg colorize`: colours for gray pictures.

use std::path::Path;
use std::time::Instant;

use swgg::Parallelism;
use swgg::ndarray::Array3;
use swgg_apps::color::{self, Image};
use swgg_apps::superpixels::{gradient, watershed};
use swgg_io::Output;
use swgg_io::picture::{self, Picture, Samples};

use super::pictures::{Batch, Job, Layers, Stored, sheet, tile};
use crate::args::Colorize;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::printer::duration;
use crate::progress::Spinner;
use crate::report::{self, ColorizationReport, PicturesReport};
use crate::seconds::Seconds;

/// How round superpixels are, as for pan-sharpening.
const COMPACTNESS: f64 = 1e-8;
/// Rows of a sheet of many pictures, at most.
const ROWS: usize = 12;

pub fn run(args: &Colorize) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let batch = Batch::new(&args.gray, &args.out, &[&args.reference], args.compare.as_deref())?;
    let reference = picture::read(&args.reference)?;
    let quiet = args.print.quiet || args.print.json;
    let (mut records, failed) = batch.run(quiet, |job| {
        let _spinner = Spinner::new("giving colours".to_string(), quiet || batch.is_many);
        one(args, job, &reference)
    })?;
    if let Some(path) = &args.compare {
        let tiles = records.iter_mut().take(ROWS).flat_map(|record| std::mem::take(&mut record.tiles));
        sheet(path, "Colorization".to_string(), tiles.collect(), 3)?;
    }
    let report = PicturesReport {
        pictures: records,
        is_many: batch.is_many,
        failed,
        out: args.out.display().to_string(),
        seconds: started.elapsed().as_secs_f64(),
    };
    report::print(&args.print, &report)?;
    Ok(if failed > 0 { exit::SHORT } else { exit::DONE })
}

fn one(args: &Colorize, job: &Job, reference: &Picture) -> Outcome<ColorizationReport> {
    let started = Instant::now();
    let source = picture::read(&job.source)?;
    let read = started.elapsed().as_secs_f64();
    match &source.samples {
        Samples::U8(_) => give::<u8>(args, job, &source, reference, read),
        Samples::U16(_) => give::<u16>(args, job, &source, reference, read),
        Samples::F32(_) => give::<f32>(args, job, &source, reference, read),
    }
    .map_err(|failure| Failure::new(format!("{}: {failure}", job.source.display())))
}

fn give<S: Stored>(
    args: &Colorize,
    job: &Job,
    source: &Picture,
    reference: &Picture,
    read: f64,
) -> Outcome<ColorizationReport> {
    let output = Output::create(&job.out).map_err(|error| Failure::new(error.to_string()))?;
    let (mut layers, colors) = (Layers::<S>::new(source), Layers::<S>::new(reference));
    let gray = |&[r, g, b]: &[S; 3]| match r == g && g == b {
        true => r,
        false => S::from_unit(0.2126 * r.to_unit() + 0.7152 * g.to_unit() + 0.0722 * b.to_unit()),
    };
    let grays: Vec<S> = layers.colors.iter().map(gray).collect();
    let shown = colors.part(None)?;
    let mut to = Image::new(colors.width, &colors.colors)?;
    if let Some(shown) = &shown {
        to = to.with_mask(shown)?;
    }
    let parallelism = Parallelism::from_count(args.threads);
    let clock = Instant::now();
    let found = if args.superpixels {
        if (layers.width, layers.height) != (colors.width, colors.height) {
            return Err(Failure::new(format!(
                "it has {} x {} pixels, the reference {} x {}; --superpixels needs two of the same size",
                layers.width, layers.height, colors.width, colors.height
            )));
        }
        color::colorize_within(layers.width, &grays, &to, &regions(&colors, args.markers), parallelism)?
    } else {
        color::colorize(layers.width, &grays, &to, parallelism)?
    };
    let solve = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    // The colours are those of the reference, and so is what they mean.
    (layers.icc, layers.is_gray) = (colors.icc.clone(), colors.is_gray);
    picture::write(output, &layers.picture(&found.pixels)?)?.commit()?;
    let write = clock.elapsed().as_secs_f64();
    let mut tiles = Vec::new();
    if args.compare.is_some() {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let gray: Vec<[S; 3]> = grays.iter().map(|&x| [x; 3]).collect();
        tiles.push(tile(format!("source: {}", name(&job.source)), layers.width, &gray));
        tiles.push(tile(format!("reference: {}", name(&args.reference)), colors.width, &colors.colors));
        tiles.push(tile(format!("result, {}", duration(solve)), layers.width, &found.pixels));
    }
    let show = |path: &Path| path.display().to_string();
    Ok(ColorizationReport {
        source: show(&job.source),
        reference: show(&args.reference),
        out: show(&job.out),
        width: layers.width,
        height: layers.height,
        bits: source.samples.bits(),
        cost: found.cost,
        superpixels: args.superpixels,
        threads: parallelism.threads(),
        seconds: Seconds::new([("read", read), ("solve", solve), ("write", write)]),
        tiles,
    })
}

/// Superpixels of the reference.
fn regions<S: Stored>(picture: &Layers<S>, markers: usize) -> Vec<u32> {
    let bands = Array3::from_shape_fn((3, picture.height, picture.width), |(c, y, x)| {
        picture.colors[y * picture.width + x][c].to_unit()
    });
    watershed(gradient(bands.view()).view(), markers, COMPACTNESS).into_iter().collect()
}
