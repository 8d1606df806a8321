//! `swgg solve --engine datafusion`.

use std::sync::Arc;

use swgg_engine::{Meter, Result, solve};

use super::args::Solve;
use super::bar::Bar;
use super::report::SolveReport;

/// Solves and returns what is printed.
pub fn run(args: &Solve, meter: &Arc<Meter>) -> Result<String> {
    let bar = Bar::of(meter, &args.print);
    let solved = solve(&args.request()?, meter)?;
    drop(bar);
    let report = SolveReport::new(&solved, args);
    Ok(match (args.print.json, args.print.quiet) {
        (true, _) => report.json(),
        (false, true) => String::new(),
        (false, false) => report.summary(),
    })
}
