//! `swgg solve --engine ...`.

use std::sync::Arc;

use crate::{Error, Meter, Result, solve, solve_on};

use super::Connect;
use super::args::{Engine, Solve};
use super::bar::Bar;
use super::report::SolveReport;

/// Solves and returns what is printed.
pub fn run(args: &Solve, connect: Option<Connect>, meter: &Arc<Meter>) -> Result<String> {
    let (request, batches) = (args.request()?, args.batches()?);
    let bar = Bar::of(meter, &args.print);
    let solved = match &args.tables.engine {
        Engine::Datafusion => solve(&request, meter)?,
        Engine::Ballista(address) => {
            let connect = connect.ok_or_else(|| {
                Error::Setting(
                    "--engine ballista:// needs the program swgg-cluster, and this is swgg-engine; call it as `swgg solve`, which \
                     finds it beside itself or on the PATH"
                        .to_string(),
                )
            })?;
            solve_on(&request, connect(address)?.as_ref(), batches, meter)?
        }
    };
    drop(bar);
    let report = SolveReport::new(&solved, args);
    Ok(match (args.print.json, args.print.quiet) {
        (true, _) => report.json(),
        (false, true) => String::new(),
        (false, false) => report.summary(),
    })
}
