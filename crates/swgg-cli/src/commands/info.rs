//! `swgg info`: what a file holds.

use serde::Serialize;
use swgg_io::{Cloud, ReadOptions, read_cloud};

use crate::args::Info;
use crate::exit::{self, Outcome};
use crate::interrupt::{self, Phase};
use crate::printer::{self, grouped, number, wrapped};
use crate::progress::Spinner;

/// The JSON object.
#[derive(Serialize)]
struct Contents {
    file: String,
    format: String,
    rows: usize,
    columns: Vec<Column>,
    /// Columns of the file that are not coordinates.
    ignored: Vec<String>,
    stored_as: String,
}

/// One column at a glance; `null` where it has no finite value.
#[derive(Serialize)]
struct Column {
    name: String,
    min: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    not_finite: usize,
}

pub fn run(args: &Info) -> Outcome<u8> {
    interrupt::enter(Phase::Reading);
    let cloud = {
        let _spinner = Spinner::new(format!("reading {}", args.file.display()), false);
        read_cloud(&args.file, &ReadOptions { columns: args.columns.clone() })?
    };
    let contents = Contents {
        file: args.file.display().to_string(),
        format: cloud.format().to_string(),
        rows: cloud.rows(),
        columns: columns(&cloud),
        ignored: cloud.ignored().to_vec(),
        stored_as: cloud.dtype().to_string(),
    };
    let text = match args.json {
        true => printer::json(&contents),
        false => describe(&contents),
    };
    printer::result(&text)?;
    Ok(exit::DONE)
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
        }
    };
    (0..d).map(column).collect()
}

fn describe(contents: &Contents) -> String {
    /// Columns listed one by one.
    const SHOWN: usize = 12;
    let d = contents.columns.len();
    let mut text = format!(
        "{}: {}, {} points in dimension {d}, {}\n\n",
        contents.file,
        contents.format,
        grouped(contents.rows),
        contents.stored_as
    );
    text += &format!("  {:<12} {:>14} {:>14} {:>14}  not finite\n", "column", "min", "mean", "max");
    let shown = |x: Option<f64>| x.map_or_else(|| "-".to_string(), number);
    for column in contents.columns.iter().take(SHOWN) {
        let (min, mean, max) = (shown(column.min), shown(column.mean), shown(column.max));
        let name: String = column.name.chars().take(12).collect();
        text += &format!("  {name:<12} {min:>14} {mean:>14} {max:>14}  {}\n", grouped(column.not_finite));
    }
    if d > SHOWN {
        text += &format!("  ... and {} more columns\n", d - SHOWN);
    }
    let bad: usize = contents.columns.iter().map(|column| column.not_finite).sum();
    if bad > 0 {
        text += &format!("\n{} values are not finite: solve will refuse this cloud.\n", grouped(bad));
    }
    if !contents.ignored.is_empty() {
        let ignored = contents.ignored.join(", ");
        text +=
            &format!("\n{}", wrapped(&format!("Not read as coordinates: {ignored} (--columns picks)."), 80));
    }
    text
}
