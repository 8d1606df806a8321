//! `swgg info`: what a file holds.

use swgg_io::{Cloud, ReadOptions, read_cloud};

use crate::args::{Info, Print};
use crate::exit::{self, Outcome};
use crate::interrupt::{self, Phase};
use crate::progress::Spinner;
use crate::report::{self, Column, ContentsReport};

pub fn run(args: &Info) -> Outcome<u8> {
    interrupt::enter(Phase::Reading);
    let cloud = {
        let _spinner = Spinner::new(format!("reading {}", args.file.display()), false);
        read_cloud(&args.file, &ReadOptions { columns: args.columns.clone() })?
    };
    let contents = ContentsReport {
        file: args.file.display().to_string(),
        format: cloud.format().to_string(),
        rows: cloud.rows(),
        columns: columns(&cloud),
        ignored: cloud.ignored().to_vec(),
        stored_as: cloud.dtype().to_string(),
    };
    report::print(&Print { json: args.json, quiet: false }, &contents)?;
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
