//! `swgg color-transfer`: the colours of one picture for another.

use std::iter;
use std::path::Path;
use std::time::Instant;

use swgg::Parallelism;
use swgg_apps::color::{self, Image, Method, Settings, Transferred};
use swgg_io::Output;
use swgg_io::picture::{self, Picture, Samples};

use super::pictures::{Batch, Job, Layers, Stored, sheet, tile};
use crate::args::ColorTransfer;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::printer::{self, duration};
use crate::progress::Spinner;
use crate::report::{self, ColorTransferReport, PicturesReport};
use crate::seconds::Seconds;

/// Rows of a sheet of many pictures, at most.
const ROWS: usize = 12;

pub fn run(args: &ColorTransfer) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    if args.k_means && args.samples.0.is_none() {
        return Err(Failure::new("--k-means needs to know how many clusters; give --samples N too"));
    }
    for (name, found) in [("--strength", args.strength), ("--smoothing", args.smoothing)] {
        if !(0.0..=1.0).contains(&found) {
            return Err(Failure::new(format!("{name} is {found}; give a number from 0 to 1")));
        }
    }
    let inputs: Vec<&Path> = iter::once(&*args.reference).chain(args.mask.as_deref()).collect();
    let batch = Batch::new(&args.source, &args.out, &inputs, args.compare.as_deref())?;
    let reference = picture::read(&args.reference)?;
    let mask = args.mask.as_deref().map(picture::read).transpose()?;
    let quiet = args.print.quiet || args.print.json;
    let (mut records, failed) = batch.run(quiet, |job| {
        let _spinner = Spinner::new("transferring colours".to_string(), quiet || batch.is_many);
        one(args, job, &reference, mask.as_ref())
    })?;
    if let Some(path) = &args.compare {
        let columns = if batch.is_many || args.against.is_empty() { 3 } else { 4 };
        let tiles = records.iter_mut().take(ROWS).flat_map(|record| std::mem::take(&mut record.tiles));
        sheet(path, "Colour transfer".to_string(), tiles.collect(), columns)?;
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

fn one(
    args: &ColorTransfer,
    job: &Job,
    reference: &Picture,
    mask: Option<&Picture>,
) -> Outcome<ColorTransferReport> {
    let started = Instant::now();
    let source = picture::read(&job.source)?;
    let read = started.elapsed().as_secs_f64();
    let refuse = |failure: Failure| Failure::new(format!("{}: {failure}", job.source.display()));
    if source.icc.as_ref().or(reference.icc.as_ref()).is_some()
        && source.icc != reference.icc
        && !args.print.quiet
    {
        printer::warn(&format!(
            "{}: its colour profile is not that of the reference; numbers are taken as they are",
            job.source.display()
        ));
    }
    match &source.samples {
        Samples::U8(_) => transfer::<u8>(args, job, &source, reference, mask, read),
        Samples::U16(_) => transfer::<u16>(args, job, &source, reference, mask, read),
        Samples::F32(_) => transfer::<f32>(args, job, &source, reference, mask, read),
    }
    .map_err(refuse)
}

fn transfer<S: Stored>(
    args: &ColorTransfer,
    job: &Job,
    source: &Picture,
    reference: &Picture,
    mask: Option<&Picture>,
    read: f64,
) -> Outcome<ColorTransferReport> {
    // A place that cannot be written to should be known before the work.
    let output = Output::create(&job.out).map_err(|error| Failure::new(error.to_string()))?;
    let bits = source.samples.bits();
    let (layers, colors) = (Layers::<S>::new(source), Layers::<S>::new(reference));
    let (part, shown) = (layers.part(mask)?, colors.part(None)?);
    let mut from = Image::new(layers.width, &layers.colors)?;
    let mut to = Image::new(colors.width, &colors.colors)?;
    if let Some(part) = &part {
        from = from.with_mask(part)?;
    }
    if let Some(shown) = &shown {
        to = to.with_mask(shown)?;
    }
    let solve = |method: Method| -> Outcome<(Transferred<S>, f64)> {
        let clock = Instant::now();
        let found = color::transfer(&from, &to, &settings(args, method))?;
        Ok((found, clock.elapsed().as_secs_f64()))
    };
    let (found, solved) = solve(args.method)?;
    let clock = Instant::now();
    let picture = layers.picture(&found.pixels)?;
    picture::write(output, &picture)?.commit()?;
    let written = clock.elapsed().as_secs_f64();
    let mut tiles = Vec::new();
    if args.compare.is_some() {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        tiles.push(tile(format!("source: {}", name(&job.source)), layers.width, &layers.colors));
        tiles.push(tile(format!("reference: {}", name(&args.reference)), colors.width, &colors.colors));
        let label = |method: Method, seconds: f64| format!("{}, {}", method.name(), duration(seconds));
        tiles.push(tile(label(args.method, solved), layers.width, &found.pixels));
        for &method in &args.against {
            let (other, seconds) = solve(method)?;
            tiles.push(tile(label(method, seconds), layers.width, &other.pixels));
        }
    }
    let show = |path: &Path| path.display().to_string();
    Ok(ColorTransferReport {
        source: show(&job.source),
        reference: show(&args.reference),
        out: show(&job.out),
        width: layers.width,
        height: layers.height,
        bits,
        method: args.method.name(),
        space: args.space.name(),
        strength: args.strength,
        smoothing: args.smoothing,
        samples: args.samples.0,
        pixels: from.count(),
        colors: found.cells,
        cost: found.cost,
        exact_colors: found.is_exact && args.strength == 1.0 && !is_compressed_again(&job.out),
        story: found.story,
        seed: args.seed,
        threads: Parallelism::from_count(args.threads).threads(),
        seconds: Seconds::new([("read", read), ("solve", solved), ("write", written)]),
        tiles,
    })
}

/// A JPEG changes colours.
fn is_compressed_again(out: &Path) -> bool {
    out.extension()
        .is_some_and(|extension| ["jpg", "jpeg"].iter().any(|jpeg| extension.eq_ignore_ascii_case(jpeg)))
}

fn settings(args: &ColorTransfer, method: Method) -> Settings {
    Settings {
        method,
        strength: args.strength,
        space: args.space.space(),
        smoothing: args.smoothing,
        samples: match args.samples.0 {
            None => color::Samples::All,
            Some(count) if args.k_means => color::Samples::Means(count),
            Some(count) => color::Samples::Random(count),
        },
        seed: args.seed,
        parallelism: Parallelism::from_count(args.threads),
    }
}
