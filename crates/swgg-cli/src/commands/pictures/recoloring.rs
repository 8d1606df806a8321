//! Pictures with the colours of a reference: what `color-transfer` and `colorize` do alike, from the files to the report.

use std::path::Path;
use std::time::Instant;

use swgg::Parallelism;
use swgg_io::Output;
use swgg_io::picture::{self, Picture, Samples};

use super::{Batch, Job, Layers, Stored, sheet, small, tile};
use crate::args::Print;
use crate::exit::{self, Failure, Outcome};
use crate::interrupt::{self, Phase};
use crate::page::{self, PageFile, Shown};
use crate::printer::duration;
use crate::progress::Spinner;
use crate::report::{self, PicturesReport, RecoloringDetails, RecoloringReport};
use crate::seconds::Seconds;

/// Rows of a sheet of many pictures, at most.
const ROWS: usize = 12;

/// Pixels along the longer side of a picture on a page: alone, and among others.
const SIDES: [usize; 2] = [1000, 420];

/// What such a command is asked for.
pub struct Recoloring<'a> {
    /// A picture, a folder or a pattern; a picture with the colours; the picture, or the folder, to write.
    pub files: [&'a Path; 3],
    /// Another picture that is read.
    pub mask: Option<&'a Path>,
    /// The sheet to draw, its title, and how many pictures of one source stand on it in a row.
    pub sheet: Option<&'a Path>,
    pub title: &'static str,
    pub columns: usize,
    /// The page to write.
    pub page: Option<PageFile<'a>>,
    /// What is said meanwhile.
    pub doing: &'static str,
    pub threads: usize,
    /// Whether pictures of a folder may take the place of others.
    pub overwrite: bool,
    pub print: &'a Print,
}

/// New colours for a picture.
pub struct Recolored<S> {
    pub pixels: Vec<[S; 3]>,
    /// Its name on the sheet.
    pub name: &'static str,
    pub seconds: f64,
    pub details: RecoloringDetails,
}

/// How colours are found.
pub trait Recolor {
    /// The colours that a picture gets. What it changes in the picture (its grays, its profile) goes into the file and on the sheet.
    fn recolored<S: Stored>(
        &self,
        job: &Job,
        picture: &mut Layers<S>,
        reference: &Layers<S>,
    ) -> Outcome<Recolored<S>>;

    /// The same by other methods, for the sheet.
    fn others<S: Stored>(&self, _: &Layers<S>, _: &Layers<S>) -> Outcome<Vec<Recolored<S>>> {
        Ok(Vec::new())
    }
}

impl Recoloring<'_> {
    /// Gives every picture its colours, draws the sheet and prints the report.
    pub fn run<R: Recolor>(&self, started: Instant, recolor: impl FnOnce() -> Outcome<R>) -> Outcome<u8> {
        let [source, reference, out] = self.files;
        let inputs: Vec<&Path> = [reference].into_iter().chain(self.mask).collect();
        let also: Vec<&Path> = self.page.iter().map(|page| page.path).collect();
        let batch = Batch::new(source, out, &inputs, self.sheet, &also)?;
        batch.check_free(self.overwrite)?;
        let side = SIDES[usize::from(batch.is_many)];
        let (reference, recolor) = (picture::read(reference)?, recolor()?);
        let quiet = self.print.quiet || self.print.json;
        interrupt::enter(Phase::Making);
        let (mut pictures, failed) = batch.run(quiet, |job| {
            let _spinner = Spinner::new(self.doing.to_string(), quiet || batch.is_many);
            self.read(&recolor, job, &reference, side)
        })?;
        interrupt::enter(Phase::Writing);
        if let Some(path) = self.sheet {
            let tiles = pictures.iter_mut().take(ROWS).flat_map(|picture| std::mem::take(&mut picture.tiles));
            let columns = if batch.is_many { 3 } else { self.columns };
            sheet(path, self.title.to_string(), tiles.collect(), columns)?;
        }
        let mut also = String::new();
        if let Some(file) = &self.page {
            file.write(&page::recoloring(&pictures, failed)?)?.commit()?;
            also = file.told();
        }
        let (is_many, out) = (batch.is_many, out.display().to_string());
        let seconds = started.elapsed().as_secs_f64();
        report::print(self.print, &PicturesReport { pictures, is_many, failed, out, also, seconds })?;
        Ok(if failed > 0 { exit::SHORT } else { exit::DONE })
    }

    fn read(
        &self,
        recolor: &impl Recolor,
        job: &Job,
        reference: &Picture,
        side: usize,
    ) -> Outcome<RecoloringReport> {
        let started = Instant::now();
        let source = picture::read(&job.source)?;
        let seconds = Seconds::read_since(started);
        match &source.samples {
            Samples::U8(_) => self.one::<u8>(recolor, job, [&source, reference], (seconds, side)),
            Samples::U16(_) => self.one::<u16>(recolor, job, [&source, reference], (seconds, side)),
            Samples::F32(_) => self.one::<f32>(recolor, job, [&source, reference], (seconds, side)),
        }
        .map_err(|failure| Failure::new(format!("{}: {failure}", job.source.display())))
    }

    fn one<S: Stored>(
        &self,
        recolor: &impl Recolor,
        job: &Job,
        [source, reference]: [&Picture; 2],
        (mut seconds, side): (Seconds, usize),
    ) -> Outcome<RecoloringReport> {
        // A place that cannot be written to should be known before the work.
        let output = Output::create(&job.out).map_err(|error| Failure::new(error.to_string()))?;
        let (mut layers, colors) = (Layers::<S>::new(source), Layers::<S>::new(reference));
        let found = recolor.recolored(job, &mut layers, &colors)?;
        seconds["solve"] = found.seconds;
        seconds.time("write", || -> Outcome<()> {
            Ok(picture::write(output, &layers.picture(&found.pixels)?)?.commit()?)
        })?;
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut shown = Vec::new();
        if self.page.is_some() {
            let mut show = |label: String, width: usize, pixels: &[[S; 3]], side: usize| {
                let (width, pixels) = small(width, pixels, side);
                shown.push(Shown { label, width, pixels });
            };
            show(format!("before, {}", name(&job.source)), layers.width, &layers.colors, side);
            show(format!("after, {}", name(&job.out)), layers.width, &found.pixels, side);
            show(format!("the reference, {}", name(self.files[1])), colors.width, &colors.colors, side / 2);
        }
        let mut tiles = Vec::new();
        if self.sheet.is_some() {
            tiles.push(tile(format!("source: {}", name(&job.source)), layers.width, &layers.colors));
            tiles.push(tile(format!("reference: {}", name(self.files[1])), colors.width, &colors.colors));
            for other in [&found].into_iter().chain(&recolor.others(&layers, &colors)?) {
                let label = format!("{}, {}", other.name, duration(other.seconds));
                tiles.push(tile(label, layers.width, &other.pixels));
            }
        }
        let [source_file, reference_file, out] =
            [&job.source, self.files[1], &job.out].map(|path: &Path| path.display().to_string());
        Ok(RecoloringReport {
            source: source_file,
            reference: reference_file,
            out,
            width: layers.width,
            height: layers.height,
            bits: source.samples.bits(),
            details: found.details,
            threads: Parallelism::from_count(self.threads).threads(),
            seconds,
            tiles,
            shown,
        })
    }
}
