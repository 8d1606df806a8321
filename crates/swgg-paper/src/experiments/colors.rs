//! Figures 17 and 18: the colours of one picture for another, by a sample of the pixels and by all of them.

use std::time::Instant;

use swgg_apps::color::{Image, Method, Samples, Settings, Transferred, transfer};

use super::Experiment;
use crate::Outcome;
use crate::files;
use crate::record::{Record, Table, slug};
use crate::scale::Scale;
use crate::scenes::{Photo, landscape};
use crate::statistics::short;

/// Methods of Figure 17.
const METHODS: [(&str, Method); 4] = [
    ("W2, exact", Method::Exact),
    ("min-SWGG, random", Method::MinSwgg(Some(100))),
    ("subspace detour", Method::SubspaceDetour),
    ("min-SWGG, optimised", Method::MinSwgg(None)),
];

/// Both pictures; drawn ones are said to be.
fn pictures(scale: &Scale, record: &mut Record) -> Outcome<(Photo, Photo)> {
    Ok(match &scale.data {
        Some(data) => (
            files::photo(data, "images/color_transfer/ocean_day.jpg")?,
            files::photo(data, "images/color_transfer/ocean_sunset.jpg")?,
        ),
        None => {
            record.stand_in =
                Some("two drawn landscapes in the place of the paper's photographs".to_string());
            let (width, height) = scale.pick((120, 90), (640, 480), (1000, 750));
            (landscape(width, height, false), landscape(width, height, true))
        }
    })
}

/// A transfer with its seconds.
fn timed(source: &Photo, reference: &Photo, settings: &Settings) -> Outcome<(Transferred<u8>, f64)> {
    let (from, to) =
        (Image::new(source.width, &source.pixels)?, Image::new(reference.width, &reference.pixels)?);
    let clock = Instant::now();
    let found = transfer(&from, &to, settings)?;
    Ok((found, clock.elapsed().as_secs_f64()))
}

/// Mean distance between pixels, from 0 to 1 for the diagonal of the cube.
fn difference(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let distance = |(a, b): (&[u8; 3], &[u8; 3])| {
        a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>().sqrt()
    };
    one.iter().zip(other).map(distance).sum::<f64>() / one.len() as f64 / (255.0 * 3_f64.sqrt())
}

fn show(record: &mut Record, name: &str, caption: &str, photo: &Photo) {
    let small = photo.small(400);
    record.photo(name, caption, small.width, small.pixels);
}

pub struct Sampled;

impl Experiment for Sampled {
    fn name(&self) -> &'static str {
        "colors-sampled"
    }

    fn place(&self) -> &'static str {
        "Figure 17 (Supp. E.6)"
    }

    fn title(&self) -> &'static str {
        "Colour transfer by a sample of the pixels"
    }

    fn shows(&self) -> &'static str {
        "A plan between 20 000 pixels of each picture, extended to all by nearest neighbours: exact transport, min-SWGG both ways, and a subspace detour, with their times."
    }

    fn says(&self) -> &'static str {
        "min-SWGG and exact transport look the same, and optimised min-SWGG is the fastest."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record { seed: "0".to_string(), ..Record::default() };
        let (source, reference) = pictures(scale, &mut record)?;
        let sample = scale.pick(300, 3000, 20_000);
        record.set(
            "pixels",
            format!(
                "{} x {} and {} x {}",
                source.width,
                source.height(),
                reference.width,
                reference.height()
            ),
        );
        record.set("sample", sample);
        record.set("min-SWGG, random", "100 lines");
        record.set("min-SWGG, optimised", "Stein's gradient, its usual 25 steps");
        record.set("subspace detour", "the first two principal axes");
        show(&mut record, "source", "Source.", &source);
        show(&mut record, "reference", "Reference.", &reference);
        let mut table = Table::new(
            "mean squared distance a colour moves, and how far the result is from that of exact transport",
            ["method", "cost", "difference to exact", "seconds"],
        );
        let mut results: Vec<(Vec<[u8; 3]>, f64, f64)> = Vec::new();
        for (name, method) in METHODS {
            scale.progress.tell(name);
            let settings =
                Settings { method, samples: Samples::Random(sample), smoothing: 0.0, ..Default::default() };
            let (found, seconds) = timed(&source, &reference, &settings)?;
            let first = results.first().map_or(0.0, |(exact, _, _)| difference(exact, &found.pixels));
            table.row([
                name.to_string(),
                short(found.cost),
                format!("{:.1} %", 100.0 * first),
                short(seconds),
            ]);
            record.ours(format!("{name}: cost"), found.cost);
            record.ours(format!("{name}: seconds"), seconds);
            record.ours(format!("{name}: difference to exact"), first);
            let photo = Photo { width: source.width, pixels: found.pixels };
            show(&mut record, &slug(name), &format!("{name}, {} s.", short(seconds)), &photo);
            results.push((photo.pixels, found.cost, seconds));
        }
        record.tables.push(table);
        let off = difference(&results[0].0, &results[3].0);
        let untouched = difference(&results[0].0, &source.pixels);
        record.claim(
            off < 0.1 && off < 0.5 * untouched,
            format!(
                "optimised min-SWGG differs from exact transport by {:.1} % of the diagonal of the colour cube (the source by {:.1} %)",
                100.0 * off,
                100.0 * untouched
            ),
        );
        let times: Vec<f64> = results.iter().map(|(_, _, seconds)| *seconds).collect();
        record.timed_claim(
            times[3] <= times[0].min(times[2]),
            format!(
                "optimised min-SWGG takes {} s, exact transport {} s, the detour {} s",
                short(times[3]),
                short(times[0]),
                short(times[2])
            ),
        );
        Ok(record)
    }
}

pub struct Whole;

impl Experiment for Whole {
    fn name(&self) -> &'static str {
        "colors-whole"
    }

    fn place(&self) -> &'static str {
        "Figure 18 (Supp. E.6)"
    }

    fn title(&self) -> &'static str {
        "Colour transfer by all pixels"
    }

    fn shows(&self) -> &'static str {
        "The same without sampling: every pixel of the source gets the colour of a pixel of the reference."
    }

    fn says(&self) -> &'static str {
        "min-SWGG takes all pixels, which is out of reach for exact transport and subspace detours, and can do better than with a sample."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record { seed: "0".to_string(), ..Record::default() };
        let (source, reference) = pictures(scale, &mut record)?;
        record.set(
            "pixels",
            format!(
                "{} x {} and {} x {}",
                source.width,
                source.height(),
                reference.width,
                reference.height()
            ),
        );
        record.set("smoothing", "none");
        show(&mut record, "source", "Source.", &source);
        show(&mut record, "reference", "Reference.", &reference);
        let mut table = Table::new("all pixels", ["method", "cost", "colours of the reference", "seconds"]);
        for (name, method) in [
            ("min-SWGG, random", Method::MinSwgg(Some(100))),
            ("min-SWGG, optimised", Method::MinSwgg(None)),
            ("auto (ours)", Method::Auto),
        ] {
            scale.progress.tell(name);
            let settings = Settings { method, smoothing: 0.0, ..Default::default() };
            let (found, seconds) = timed(&source, &reference, &settings)?;
            let word = if found.is_exact { "exactly" } else { "nearly" };
            table.row([name.to_string(), short(found.cost), word.to_string(), short(seconds)]);
            record.ours(format!("{name}: cost"), found.cost);
            record.ours(format!("{name}: seconds"), seconds);
            let histogram = histograms(&found.pixels, &reference.pixels);
            record.ours(format!("{name}: difference of histograms"), histogram);
            if name != "auto (ours)" {
                record.claim(
                    histogram < 0.01,
                    format!(
                        "{name}: {} pixels in {} s, and histograms differ from the reference's by {:.2} %",
                        source.pixels.len(),
                        short(seconds),
                        100.0 * histogram
                    ),
                );
            }
            let photo = Photo { width: source.width, pixels: found.pixels };
            show(&mut record, &slug(name), &format!("{name}, {} s.", short(seconds)), &photo);
        }
        record.tables.push(table);
        Ok(record)
    }
}

/// The largest difference of the three distribution functions, as a share: 0 for the same colours, 1 for none in common.
fn histograms(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let mut largest = 0.0_f64;
    for channel in 0..3 {
        let shares = |pixels: &[[u8; 3]]| {
            let mut counts = [0_usize; 256];
            pixels.iter().for_each(|pixel| counts[pixel[channel] as usize] += 1);
            let mut sum = 0;
            counts.map(|count| {
                sum += count;
                sum as f64 / pixels.len() as f64
            })
        };
        let both = shares(one).into_iter().zip(shares(other));
        largest = both.map(|(a, b)| (a - b).abs()).fold(largest, f64::max);
    }
    largest
}
