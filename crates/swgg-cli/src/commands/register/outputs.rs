//! The files a registration was asked to write.

use std::io::Write;
use std::path::{Path, PathBuf};

use swgg::ndarray::ArrayView2;
use swgg_apps::registration::{Motion, Registration};
use swgg_io::{Format, Output, write_cloud, write_table};

use super::scan::{Scan, Scans};
use crate::args::Register;
use crate::exit::{Failure, Outcome};
use crate::figure::{Drawing, Views};
use crate::new_directory::NewDirectory;
use crate::outputs::{check_places, ending};
use crate::page::{Page, PageFile};
use crate::progress::Spinner;
use crate::report::Written;

/// Checked before the work starts.
pub struct Outputs<'a> {
    out: Option<(&'a Path, Format)>,
    transform: Option<(&'a Path, Format)>,
    picture: Option<(&'a Path, bool)>,
    trace: Option<(&'a Path, Format)>,
    pub page: Option<PageFile<'a>>,
}

impl<'a> Outputs<'a> {
    pub fn check(args: &'a Register) -> Outcome<Self> {
        let format = |path: &'a Path| Format::from_path(path).map(|format| (path, format));
        let out = args.out.as_deref().map(format).transpose()?;
        if let Some(path) = &args.transform {
            ending("--transform", path, &["txt", "csv", "npy"])?;
        }
        let transform = args.transform.as_deref().map(format).transpose()?;
        let drawn = |path: &'a Path| -> Outcome<_> {
            Ok((path, ending("--picture", path, &["png", "svg"])? == "png"))
        };
        let picture = args.picture.as_deref().map(drawn).transpose()?;
        // The clouds of the trace look like the one that is written, or read.
        let traced = out.map_or_else(|| Format::from_path(&args.source), |(_, format)| Ok(format))?;
        let trace = args.trace.as_deref().map(|path| (path, traced));
        let page = PageFile::check(args.report.as_deref())?;
        let files =
            [out.map(|o| o.0), transform.map(|t| t.0), picture.map(|p| p.0), page.map(|page| page.path)];
        check_places(&files.into_iter().flatten().collect::<Vec<_>>(), args.files())?;
        if let Some((path, _)) = trace {
            drop(NewDirectory::create(path)?);
        }
        Ok(Outputs { out, transform, picture, trace, page })
    }

    /// Refuses what cannot be drawn or written in this dimension.
    pub fn check_dim(&self, dim: usize) -> Outcome<()> {
        if self.picture.is_some() && dim < 2 {
            return Err(Failure::new(
                "--picture needs points in 2 or more dimensions, these have 1; leave it out",
            ));
        }
        for (path, format) in self.out.into_iter().chain(self.trace) {
            if !format.holds_dimension(dim) {
                let path = path.display();
                return Err(Failure::new(format!(
                    "{path}: a .{format} file has no place for points in dimension {dim}; write .csv, .npy or .parquet"
                )));
            }
        }
        Ok(())
    }

    pub fn write(
        &self,
        args: &Register,
        scans: &Scans,
        found: &Registration,
        page: impl FnOnce() -> Outcome<Page>,
    ) -> Outcome<Written> {
        let _spinner = Spinner::new("writing".to_string(), args.print.quiet);
        let Scan { points, dim, attributes, .. } = &scans.source;
        let (dim, motion) = (*dim, &found.motion);
        let mut said = Written::default();
        let mut written = Vec::new();
        let aligned = moved(points, dim, motion)?;
        if let Some((path, format)) = self.out {
            let mut attributes = attributes.clone();
            if dim == 3 {
                let turned =
                    |n: [f64; 3]| [0, 1, 2].map(|i| (0..3).map(|j| motion.rotation[[i, j]] * n[j]).sum());
                attributes.map_normals(turned);
            }
            let output = Output::create(path)?;
            let (output, left_out) = write_table(output, format, dim, &aligned, &attributes)?;
            written.push(output);
            said.left_out = left_out;
        }
        if let Some((path, format)) = self.transform {
            let matrix = motion.matrix().into_raw_vec_and_offset().0;
            written.push(write_cloud(Output::create(path)?, format, dim + 1, &matrix, None)?);
        }
        if let Some((path, is_png)) = self.picture {
            let views = Views::new(dim, [points, &aligned], &scans.target.points);
            let bytes = if is_png { views.png()? } else { views.svg()?.into_bytes() };
            written.push(Output::create(path)?.write_with(|output| output.write_all(&bytes))?);
        }
        if let Some(file) = &self.page {
            written.push(file.write(&page()?)?);
        }
        if let Some((path, format)) = self.trace {
            said.trace = write_trace(path, format, &scans.source, found)?;
        }
        // All are on the disk before the first takes its place.
        written.into_iter().try_for_each(Output::commit)?;
        Ok(said)
    }

    /// What was written, or what to add.
    pub fn told(&self, written: &Written) -> String {
        let mut text = String::from("\n");
        let files = [
            ("Aligned cloud", self.out.map(|o| o.0)),
            ("Matrix", self.transform.map(|t| t.0)),
            ("Picture", self.picture.map(|p| p.0)),
        ];
        for (what, path) in files {
            if let Some(path) = path {
                text += &format!("{what} written to {}\n", path.display());
            }
        }
        if let Some(file) = &self.page {
            text += &file.told();
        }
        if let Some((path, _)) = self.trace {
            text += &format!("{} clouds written to {}\n", written.trace.len(), path.display());
        }
        if text.len() == 1 {
            text += "Next: add --out aligned.ply for the cloud, --transform T.txt for the matrix,\n  \
                     --picture before_after.png to look at it, --json for scripts.\n";
        }
        text
    }
}

/// The source as it came and after every step.
fn write_trace(path: &Path, format: Format, source: &Scan, found: &Registration) -> Outcome<Vec<String>> {
    let directory = NewDirectory::create(path)?;
    let digits = found.steps.len().to_string().len();
    let mut files = Vec::with_capacity(found.steps.len() + 1);
    for step in 0..=found.steps.len() {
        let points = match step.checked_sub(1) {
            None => source.points.clone(),
            Some(before) => moved(&source.points, source.dim, &found.steps[before].motion)?,
        };
        let file = PathBuf::from(format!("step_{step:0digits$}.{format}"));
        directory.write(&file, |output| {
            write_cloud(output, format, source.dim, &points, source.names.as_deref())
        })?;
        files.push(file);
    }
    directory.commit(files)
}

fn moved(points: &[f64], dim: usize, motion: &Motion) -> Outcome<Vec<f64>> {
    let view = ArrayView2::from_shape((points.len() / dim, dim), points)
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(motion.apply(view).into_raw_vec_and_offset().0)
}
