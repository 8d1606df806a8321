//! The files a search for a barycenter was asked to write.

use std::io::Write;
use std::path::Path;

use swgg::Measure;
use swgg_apps::barycenter;
use swgg_io::{Format, Output, write_cloud, write_vector};

use super::files::Files;
use crate::args::Barycenter;
use crate::exit::{Failure, Outcome};
use crate::figure::{Drawing, Overlay};
use crate::outputs::{check_places, ending};
use crate::page::{self, PageFile};
use crate::progress::Spinner;
use crate::report::BarycenterReport;

/// Checked before the work starts.
pub struct Outputs<'a> {
    out: (&'a Path, Format),
    weights: Option<&'a Path>,
    picture: Option<(&'a Path, bool)>,
    page: Option<PageFile<'a>>,
}

impl<'a> Outputs<'a> {
    pub fn check(args: &'a Barycenter) -> Outcome<Self> {
        let out = (args.out.as_path(), Format::from_path(&args.out)?);
        let weights = args.out_weights.as_deref();
        if let Some(path) = weights {
            ending("--out-weights", path, &["npy"])?;
        }
        let drawn = |path: &'a Path| -> Outcome<_> {
            Ok((path, ending("--picture", path, &["png", "svg"])? == "png"))
        };
        let picture = args.picture.as_deref().map(drawn).transpose()?;
        let page = PageFile::check(args.report.as_deref())?;
        let places = [Some(out.0), weights, picture.map(|picture| picture.0), page.map(|page| page.path)];
        check_places(&places.into_iter().flatten().collect::<Vec<_>>(), args.files())?;
        Ok(Outputs { out, weights, picture, page })
    }

    /// Refuses what cannot be drawn or written in this dimension.
    pub fn check_dim(&self, dim: usize) -> Outcome<()> {
        if self.picture.is_some() && dim < 2 {
            let remedy = "leave it out";
            return Err(Failure::new(format!(
                "--picture needs points in 2 or more dimensions, these have 1; {remedy}"
            )));
        }
        let (path, format) = self.out;
        if format.holds_dimension(dim) {
            return Ok(());
        }
        let path = path.display();
        Err(Failure::new(format!(
            "{path}: a .{format} file has no place for points in dimension {dim}; write .csv, .npy or .parquet"
        )))
    }

    pub fn write(
        &self,
        args: &Barycenter,
        files: &Files<'_>,
        clouds: &[Measure<'_, f64>],
        found: &barycenter::Barycenter,
        report: &BarycenterReport,
    ) -> Outcome<()> {
        let _spinner = Spinner::new("writing".to_string(), args.print.quiet);
        let (support, dim) = (&found.support, found.support.dim());
        let mut written = Vec::new();
        let (path, format) = self.out;
        written.push(write_cloud(Output::create(path)?, format, dim, support.points(), files.names())?);
        if let Some(path) = self.weights {
            let weights: Vec<f64> = (0..support.len()).map(|k| support.weight(k)).collect();
            written.push(write_vector(Output::create(path)?, &weights)?);
        }
        let name = |path: &std::path::PathBuf| {
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
        };
        if let Some(file) = &self.page {
            let names: Vec<String> = args.clouds.iter().map(name).collect();
            written.push(file.write(&page::barycenter(clouds, &names, found, report)?)?);
        }
        if let Some((path, is_png)) = self.picture {
            let drawn = args.clouds.iter().map(name).zip(clouds.iter().map(Measure::points));
            let overlay = Overlay::new(dim, drawn.collect(), ("barycenter", support.points()));
            let bytes = if is_png { overlay.png()? } else { overlay.svg()?.into_bytes() };
            written.push(Output::create(path)?.write_with(|output| output.write_all(&bytes))?);
        }
        // All are on the disk before the first takes its place.
        written.into_iter().try_for_each(Output::commit)?;
        Ok(())
    }

    /// What was written, and what is missing.
    pub fn told(&self, report: &BarycenterReport) -> String {
        let mut text = format!("\nBarycenter written to {}\n", self.out.0.display());
        if let Some(path) = self.weights {
            text += &format!("Weights written to {}\n", path.display());
        } else if !report.uniform {
            text += "Its points have unequal weights: --out-weights w.npy writes them.\n";
        }
        if let Some((path, _)) = self.picture {
            text += &format!("Picture written to {}\n", path.display());
        }
        if let Some(file) = &self.page {
            text += &file.told();
        }
        text
    }
}
