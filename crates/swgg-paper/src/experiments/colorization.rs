//! Figure 5: colours for a gray picture, in closed form.

use std::time::Instant;

use swgg::{Exact, Measure, Parallelism, Question, Run, Solver};
use swgg_apps::color::{Image, colorize};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Dots, Ink, Plane, Sheet};
use crate::files;
use crate::record::Record;
use crate::scale::Scale;
use crate::scenes::{Photo, landscape};
use crate::statistics::short;

/// The paper's time for its picture, in seconds, and the pixels of that.
const PAPER_SECONDS: f64 = 0.2;
const SIZE: (usize, usize) = (1280, 1024);

pub struct Colorization;

impl Experiment for Colorization {
    fn name(&self) -> &'static str {
        "colorization"
    }

    fn place(&self) -> &'static str {
        "Figure 5"
    }

    fn title(&self) -> &'static str {
        "Colorization of a gray picture"
    }

    fn shows(&self) -> &'static str {
        "A gray picture gets the colours of another one. Grays lie on a line of the RGB cube, so that sorting is optimal transport, without sampling."
    }

    fn says(&self) -> &'static str {
        "A picture of 1280 x 1024 pixels takes less than 0.2 seconds, where a solver of the general problem has no chance."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record { seed: "none: nothing is random".to_string(), ..Record::default() };
        let (width, height) = scale.pick((160, 128), SIZE, SIZE);
        let (source, reference) = match &scale.data {
            Some(data) => (
                files::photo(data, "images/color_transfer/bridge.png")?,
                files::photo(data, "images/color_transfer/mountain.png")?,
            ),
            None => {
                record.stand_in =
                    Some("two drawn landscapes in the place of the paper's photographs".to_string());
                (landscape(width, height, false), landscape(width, height, true))
            }
        };
        let grays = source.grays();
        record.set("pixels", format!("{} x {}", source.width, source.height()));
        record.set("threads", "all");
        let image = Image::new(reference.width, &reference.pixels)?;
        let mut seconds = f64::INFINITY;
        let mut found = None;
        for _ in 0..3 {
            let clock = Instant::now();
            found = Some(colorize(source.width, &grays, &image, Parallelism::Auto)?);
            seconds = seconds.min(clock.elapsed().as_secs_f64());
        }
        let found = found.ok_or("nothing was colorized")?;
        record.ours("seconds", seconds);
        record.ours("W2^2 in the RGB cube", found.cost);
        record.theirs("seconds, less than", PAPER_SECONDS);
        record.timed_claim(
            seconds < PAPER_SECONDS,
            format!(
                "{} pixels take {} s (the paper: less than {PAPER_SECONDS} s for {})",
                grays.len(),
                short(seconds),
                SIZE.0 * SIZE.1
            ),
        );
        let off = against_exact(&source, &reference)?;
        record.ours("difference to an exact solver on a small copy", off);
        record.claim(
            off < 1e-9,
            format!(
                "on small copies of both pictures the cost is that of an exact solver, to {off:.0e} of it"
            ),
        );
        let kept = {
            let mut ours: Vec<[u8; 3]> = found.pixels.clone();
            let mut theirs = reference.pixels.clone();
            ours.sort_unstable();
            theirs.sort_unstable();
            ours == theirs
        };
        if found.pixels.len() == reference.pixels.len() {
            record.claim(kept, "the result has exactly the colours of the reference, each as often");
        }
        record.svg("cube", "Colours of the reference in the RGB cube, and the line of grays that the source lies on (some of each).", cube(&grays, &reference));
        let result = Photo { width: source.width, pixels: found.pixels };
        for (name, caption, photo) in [
            ("source", "Source, gray.", &Photo::from_grays(source.width, &grays)),
            ("reference", "Reference.", &reference),
            ("result", "Result.", &result),
        ] {
            let small = photo.small(480);
            record.photo(name, caption, small.width, small.pixels);
        }
        Ok(record)
    }
}

/// How far the closed form is from an exact solver, as a share, on copies of some hundred pixels.
fn against_exact(source: &Photo, reference: &Photo) -> Outcome<f64> {
    let (grays, colors) = (source.small(20).grays(), reference.small(20));
    let n = grays.len().min(colors.pixels.len());
    let found = colorize(n, &grays[..n], &Image::new(n, &colors.pixels[..n])?, Parallelism::Auto)?;
    let unit = |x: &u8| f64::from(*x) / 255.0;
    let mu: Vec<f64> = grays[..n].iter().flat_map(|x| [unit(x); 3]).collect();
    let nu: Vec<f64> = colors.pixels[..n].iter().flatten().map(unit).collect();
    let (mu, nu) = (Measure::from_vec(mu, 3)?, Measure::from_vec(nu, 3)?);
    let best = Exact.answer(&Question::new(&mu, &nu)?, &mut Run::default().without_bounds())?.cost;
    Ok((found.cost - best).abs() / best)
}

/// The cube of colours, seen along its diagonal's side.
fn cube(grays: &[u8], reference: &Photo) -> String {
    let place = |[r, g, b]: [u8; 3]| {
        let [r, g, b] = [r, g, b].map(f64::from);
        [0.87 * (r - b), g + 0.5 * (r + b) - 128.0]
    };
    let mut plane = Plane::new("colours as points");
    let every = (reference.pixels.len() / 1500).max(1);
    for color in reference.pixels.iter().step_by(every) {
        plane.dots.push(Dots { radius: 1.8, ..Dots::new("", Ink::Rgb(*color), vec![place(*color)]) });
    }
    let every = (grays.len() / 300).max(1);
    for gray in grays.iter().step_by(every) {
        plane.dots.push(Dots { radius: 2.6, ..Dots::new("", Ink::Rgb([*gray; 3]), vec![place([*gray; 3])]) });
    }
    Sheet::one(plane)
}
