//! `swgg pansharpen`: the detail of one band on the colors of several.

use std::path::PathBuf;

use swgg::Parallelism;
use swgg::ndarray::{ArrayView2, ArrayView3};
use swgg_apps::pansharpen::{Error, Fused, Given, Method, Scene, Score, Settings, score};
use swgg_io::Output;
use swgg_io::raster::{Depth, Raster, Tags};

use crate::args::Pansharpen;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::outputs::check_places;
use crate::printer::counted;
use crate::progress::Spinner;
use crate::report::{self, Judged, PansharpeningReport};
use crate::seconds::Seconds;

pub fn run(args: &Pansharpen) -> Outcome<u8> {
    interrupt::enter(Phase::Reading);
    let ending = args.out.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    if !ending.is_some_and(|ending| ending == "tif" || ending == "tiff") {
        return Err(Failure::new(format!("{}: the result is a TIFF; name it .tif", args.out.display())));
    }
    check_places(&[&args.out], [&args.pan, &args.ms].into_iter().map(PathBuf::as_path))?;
    let mut seconds = Seconds::new([("read", 0.0), ("fuse", 0.0), ("score", 0.0), ("write", 0.0)]);
    let spinner = Spinner::new("reading".to_string(), args.print.quiet);
    let (pan, ms) = seconds.time("read", || -> Outcome<_> { Ok((read_pan(args)?, read_ms(args)?)) })?;
    drop(spinner);
    let settings = Settings {
        method: args.method,
        markers: args.markers,
        compactness: args.compactness,
        rounds: args.rounds,
        parallelism: Parallelism::from_count(args.threads),
    };
    let spinner = Spinner::new("sharpening".to_string(), args.print.quiet);
    let (scene, fused) = seconds.time("fuse", || -> Outcome<_> {
        let scene = scene(&pan, &ms, args)?;
        let fused = scene.fuse(&settings).map_err(refusal)?;
        Ok((scene, fused))
    })?;
    drop(spinner);
    let scores = match args.score {
        true => {
            let _spinner = Spinner::new("judging".to_string(), args.print.quiet);
            Some(seconds.time("score", || score(&scene, &settings, &Method::ALL).map_err(refusal))?)
        }
        false => None,
    };
    interrupt::enter(Phase::Writing);
    let missing = fused.valid.len() - scene.measured();
    let superpixels = fused.superpixels;
    let raster = raster(&pan, &ms, fused);
    seconds.time("write", || -> Outcome<()> { Ok(raster.write(Output::create(&args.out)?)?.commit()?) })?;

    let report = PansharpeningReport {
        out: args.out.display().to_string(),
        method: settings.method.name(),
        bands: raster.bands,
        rows: raster.rows,
        columns: raster.columns,
        depth: raster.depth.to_string(),
        ratio: scene.ratio(),
        superpixels,
        missing,
        georeferenced: !raster.tags.georeference.is_empty(),
        scores: scores.map(|scores| scores.iter().map(judged).collect()),
        threads: settings.parallelism.threads(),
        seconds,
        native: scene.native_dim(),
    };
    report::print(&args.print, &report)?;
    Ok(exit::DONE)
}

fn read_pan(args: &Pansharpen) -> Outcome<Raster> {
    let pan = Raster::read(&args.pan)?;
    if pan.bands != 1 {
        return Err(Failure::new(format!(
            "{}: has {} bands where a panchromatic image has 1; check the order, PAN comes first",
            args.pan.display(),
            pan.bands
        )));
    }
    Ok(pan)
}

fn read_ms(args: &Pansharpen) -> Outcome<Raster> {
    let ms = Raster::read(&args.ms)?;
    let Some(bands) = &args.bands else {
        return Ok(ms);
    };
    let bands: Vec<usize> = bands.iter().map(|band| band - 1).collect();
    ms.pick(&bands).ok_or_else(|| {
        let wanted = bands.iter().max().map_or(0, |band| band + 1);
        Failure::new(format!(
            "{}: there is no band {wanted}, it has {}; correct --bands",
            args.ms.display(),
            counted(ms.bands, "band")
        ))
    })
}

fn scene(pan: &Raster, ms: &Raster, args: &Pansharpen) -> Outcome<Scene> {
    let shape = |e: swgg::ndarray::ShapeError| Failure::new(e.to_string());
    let gray = ArrayView2::from_shape((pan.rows, pan.columns), &pan.values).map_err(shape)?;
    let colors = ArrayView3::from_shape((ms.bands, ms.rows, ms.columns), &ms.values).map_err(shape)?;
    let given =
        Given { ratio: args.ratio, pan_nodata: pan.tags.nodata_value(), ms_nodata: ms.tags.nodata_value() };
    Scene::new(gray, colors, given).map_err(refusal)
}

/// The result on the ground of PAN, with the depth, missing values and metadata of MS.
fn raster(pan: &Raster, ms: &Raster, fused: Fused) -> Raster {
    let same_grid = (pan.rows, pan.columns) == (ms.rows, ms.columns);
    let georeference = match &pan.tags.georeference {
        none if none.is_empty() && same_grid => ms.tags.georeference.clone(),
        tags => tags.clone(),
    };
    let depth = ms.depth;
    let is_missing = fused.valid.iter().any(|&valid| !valid);
    let (absent, nodata) = absent(depth, [ms, pan].map(|raster| &raster.tags), is_missing);
    let values = fused.bands.into_iter().map(|x| match (depth.nearest(x), absent) {
        (_, Some(absent)) if x.is_nan() => absent,
        // A measured pixel must not turn into a missing one by rounding.
        (stored, Some(absent)) if stored == absent => beside(depth, absent),
        (stored, _) => stored,
    });
    let tags = Tags { georeference, nodata, metadata: ms.tags.metadata.clone() };
    Raster { bands: ms.bands, rows: pan.rows, columns: pan.columns, depth, values: values.collect(), tags }
}

/// The value that stands for missing pixels and its name: the first that is given, if the depth can hold it.
fn absent(depth: Depth, given: [&Tags; 2], is_missing: bool) -> (Option<f32>, Option<String>) {
    let name = given.into_iter().find_map(|tags| tags.nodata.clone());
    match given.into_iter().find_map(Tags::nodata_value) {
        Some(value) if depth.nearest(value) == value => (Some(value), name),
        _ if !is_missing => (None, name),
        _ if depth == Depth::F32 => (Some(f32::NAN), Some("nan".to_string())),
        _ => (Some(0.0), Some("0".to_string())),
    }
}

/// The nearest other value of a depth.
fn beside(depth: Depth, x: f32) -> f32 {
    match depth {
        Depth::F32 => x.next_up(),
        _ if x == 0.0 => 1.0,
        _ => x - 1.0,
    }
}

fn judged(score: &Score) -> Judged {
    let &Score { method, ergas, sam, uiqi, .. } = score;
    Judged { method: method.name(), ergas, sam_degrees: sam, uiqi }
}

fn refusal(error: Error) -> Failure {
    let hint = match &error {
        Error::NoRatio => " with --ratio",
        Error::RatioDiffers { .. } => " (--ratio)",
        Error::BadCompactness { .. } => " to --compactness",
        Error::TooSmallToJudge { .. } => "; leave --score out",
        _ => "",
    };
    Failure::new(format!("{error}{hint}"))
}
