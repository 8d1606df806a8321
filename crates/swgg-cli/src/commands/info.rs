//! `swgg info`: what a file holds.

use std::path::Path;

use swgg_io::picture::{self, Picture, is_picture};
use swgg_io::{Cloud, ErrorKind, PlanFormat, Survey, read_cloud, read_plan, survey};

use crate::args::{Info, Print};
use crate::exit::{self, Failure, Outcome};
use crate::input::tell_skipped;
use crate::interrupt::{self, Phase};
use crate::printer::grouped;
use crate::progress::Spinner;
use crate::report::{self, Column, ContentsReport, PictureContents, PlanContents};

/// Columns of a file that are looked at one by one, each with its name and figures.
const MOST_COLUMNS: usize = 1_000_000;

pub fn run(args: &Info) -> Outcome<u8> {
    interrupt::enter(Phase::Reading);
    let print = Print { json: args.json, quiet: false };
    let spinner = Spinner::new(format!("reading {}", args.file.display()), false);
    let said = args.columns.is_none() && args.tables.input_format.is_none();
    if said && is_picture(&args.file) {
        let picture = picture::read(&args.file)?;
        drop(spinner);
        report::print(&print, &of_picture(&args.file, &picture))?;
        return Ok(exit::DONE);
    }
    if said && let Some(plan) = plan(&args.file)? {
        drop(spinner);
        report::print(&print, &plan)?;
        return Ok(exit::DONE);
    }
    let options = args.tables.options(args.columns.as_ref());
    let contents = match read_cloud(&args.file, &options) {
        Ok(cloud) => {
            drop(spinner);
            if cloud.columns() > MOST_COLUMNS {
                let (file, columns) = (args.file.display(), grouped(cloud.columns()));
                let most = grouped(MOST_COLUMNS);
                return Err(Failure::new(format!(
                    "{file}: {} rows of {columns} columns, and info lists at most {most}; pick some, such as --columns 0-11",
                    grouped(cloud.rows())
                )));
            }
            tell_skipped(&cloud, &args.file);
            of_cloud(args, &cloud)
        }
        // Text among numbers: what each column holds says which of them could be picked.
        Err(error) if args.columns.is_none() && is_about_columns(error.kind()) => {
            match survey(&args.file, &options)? {
                Some(survey) => of_survey(args, &survey),
                None => return Err(error.into()),
            }
        }
        Err(error) => return Err(error.into()),
    };
    report::print(&print, &contents)?;
    Ok(exit::DONE)
}

fn is_about_columns(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotANumber { .. }
            | ErrorKind::HalfHeader { .. }
            | ErrorKind::EmptyCell { .. }
            | ErrorKind::NamelessColumn { .. }
    )
}

fn of_cloud(args: &Info, cloud: &Cloud) -> ContentsReport {
    let columns = columns(cloud);
    ContentsReport {
        file: args.file.display().to_string(),
        format: cloud.format().to_string(),
        rows: cloud.rows(),
        could_take: columns.iter().map(|column| column.name.clone()).collect(),
        columns,
        ignored: cloud.ignored().to_vec(),
        stored_as: cloud.dtype().to_string(),
        is_mixed: false,
    }
}

fn of_survey(args: &Info, survey: &Survey) -> ContentsReport {
    let column = |column: &swgg_io::ColumnSurvey| {
        let some = |x: f64| (column.finite > 0).then_some(x);
        Column {
            name: column.name.clone(),
            min: some(column.min),
            mean: some(column.mean),
            max: some(column.max),
            not_finite: column.not_finite + column.missing,
            words: column.words,
            example: column.example.clone(),
        }
    };
    let numeric = survey.columns.iter().filter(|column| column.is_numeric());
    ContentsReport {
        file: args.file.display().to_string(),
        format: survey.format.to_string(),
        rows: survey.rows,
        columns: survey.columns.iter().map(column).collect(),
        could_take: numeric.map(|column| column.name.clone()).collect(),
        ignored: Vec::new(),
        stored_as: "text".to_string(),
        is_mixed: true,
    }
}

/// The file as a plan, if it is one: told by the members of an archive or by the names of the columns.
fn plan(path: &Path) -> Outcome<Option<PlanContents>> {
    if PlanFormat::from_path(path).is_err() || !path.is_file() {
        return Ok(None);
    }
    let Ok(plan) = read_plan(path) else { return Ok(None) };
    let (n, m) = plan.shape.unwrap_or_else(|| plan.extent());
    let mut sources: Vec<u32> = plan.entries.iter().map(|entry| entry.0).collect();
    sources.sort_unstable();
    sources.dedup();
    let most = plan.entries.iter().map(|entry| entry.2).fold(0.0, f64::max);
    Ok(Some(PlanContents {
        file: path.display().to_string(),
        plan: PlanFormat::from_path(path)?.to_string(),
        n,
        m,
        is_told: plan.shape.is_some(),
        entries: plan.entries.len(),
        sources: sources.len(),
        mass: plan.entries.iter().map(|entry| entry.2).sum(),
        largest: most,
    }))
}

fn of_picture(path: &Path, picture: &Picture) -> PictureContents {
    PictureContents {
        file: path.display().to_string(),
        width: picture.width,
        height: picture.height,
        bits: picture.samples.bits(),
        is_gray: picture.is_gray(),
        has_alpha: picture.has_alpha(),
        profile: picture.icc.is_some(),
    }
}

fn columns(cloud: &Cloud) -> Vec<Column> {
    let (values, d) = (cloud.to_f64(), cloud.columns());
    let column = |c: usize| {
        let finite = || values.iter().skip(c).step_by(d).copied().filter(|x| x.is_finite());
        let count = finite().count();
        let some = |x: f64| (count > 0).then_some(x);
        Column {
            name: cloud.names().map_or_else(|| c.to_string(), |names| names[c].clone()),
            min: some(finite().fold(f64::INFINITY, f64::min)),
            // Divided first: a sum of large coordinates could overflow.
            mean: some(finite().map(|x| x / count as f64).sum()),
            max: some(finite().fold(f64::NEG_INFINITY, f64::max)),
            not_finite: cloud.rows() - count,
            words: 0,
            example: None,
        }
    };
    (0..d).map(column).collect()
}
