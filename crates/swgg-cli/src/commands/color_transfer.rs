//! `swgg color-transfer`: the colours of one picture for another.

use std::path::Path;
use std::time::Instant;

use swgg::Parallelism;
use swgg_apps::color::{self, Method, Settings, Space};
use swgg_io::picture::{self, Picture, is_same_profile};

use super::pictures::{Job, Layers, Recolor, Recolored, Recoloring, Stored};
use crate::args::ColorTransfer;
use crate::exit::{Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::page::PageFile;
use crate::printer;
use crate::report::RecoloringDetails;

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
    if !(args.mass > 0.0 && args.mass <= 1.0) {
        return Err(Failure::new(format!("--mass is {}; give a share above 0, at most 1", args.mass)));
    }
    let recoloring = Recoloring {
        files: [&args.source, &args.reference, &args.out],
        mask: args.mask.as_deref(),
        sheet: args.compare.as_deref(),
        title: "Colour transfer",
        page: PageFile::check(args.report.as_deref())?,
        columns: if args.against.is_empty() { 3 } else { 4 },
        doing: "transferring colours",
        threads: args.threads,
        overwrite: args.overwrite,
        print: &args.print,
    };
    recoloring.run(started, || {
        let mask = args.mask.as_deref().map(picture::read).transpose()?;
        Ok(Transfer { args, mask, method: method(args) })
    })
}

struct Transfer<'a> {
    args: &'a ColorTransfer,
    mask: Option<Picture>,
    method: Method,
}

/// The method that is asked for; without one, a map that a photographer would keep, or a plan where only that will do.
fn method(args: &ColorTransfer) -> Method {
    let takes_a_plan = args.mass < 1.0 || args.samples.0.is_some();
    args.method.unwrap_or(if takes_a_plan { Method::Auto } else { Method::Smooth })
}

/// The space that is asked for; without one, that of eyes for the smooth map, and the samples as they are for plans.
fn space(args: &ColorTransfer, method: Method) -> Space {
    args.space.unwrap_or(if method == Method::Smooth { Space::Oklab } else { Space::Rgb })
}

impl Recolor for Transfer<'_> {
    fn recolored<S: Stored>(
        &self,
        job: &Job,
        picture: &mut Layers<S>,
        reference: &Layers<S>,
    ) -> Outcome<Recolored<S>> {
        if !is_same_profile(picture.icc.as_deref(), reference.icc.as_deref()) && !self.args.print.quiet {
            printer::warn(&format!(
                "{}: its colour profile is not that of the reference; numbers are taken as they are",
                job.source.display()
            ));
        }
        self.by(self.method, picture, reference, &job.out)
    }

    fn others<S: Stored>(&self, picture: &Layers<S>, reference: &Layers<S>) -> Outcome<Vec<Recolored<S>>> {
        let others = self.args.against.iter();
        others.map(|&method| self.by(method, picture, reference, Path::new(""))).collect()
    }
}

impl Transfer<'_> {
    fn by<S: Stored>(
        &self,
        method: Method,
        picture: &Layers<S>,
        reference: &Layers<S>,
        out: &Path,
    ) -> Outcome<Recolored<S>> {
        let args = self.args;
        let (part, shown) = (picture.part(self.mask.as_ref())?, reference.part(None)?);
        let (from, to) = (picture.image(part.as_deref())?, reference.image(shown.as_deref())?);
        let clock = Instant::now();
        let found = color::transfer(&from, &to, &settings(args, method))?;
        let seconds = clock.elapsed().as_secs_f64();
        let details = RecoloringDetails::Transfer {
            method: method.name(),
            space: space(args, method).name(),
            strength: args.strength,
            smoothing: args.smoothing,
            mass: args.mass,
            samples: args.samples.0,
            pixels: from.count(),
            colors: [from.colors(), to.colors()],
            groups: found.cells,
            cost: found.cost,
            exact_colors: found.is_exact && args.strength == 1.0 && !is_compressed_again(out),
            story: found.story,
            seed: args.seed,
        };
        Ok(Recolored { pixels: found.pixels, name: method.name(), seconds, details })
    }
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
        space: space(args, method),
        smoothing: args.smoothing,
        mass: args.mass,
        samples: match args.samples.0 {
            None => color::Samples::All,
            Some(count) if args.k_means => color::Samples::Means(count),
            Some(count) => color::Samples::Random(count),
        },
        seed: args.seed,
        parallelism: Parallelism::from_count(args.threads),
    }
}
