//! `swgg split`, `swgg solve DIR --cell K` and `swgg join`.

use std::sync::Arc;

use crate::{Meter, Result, join, solve_cell, split};
use swgg::answer::{counted, grouped};

use super::args::{CellArgs, JoinArgs, Print, SplitArgs};
use super::bar::Bar;
use super::plan::told;

/// Cuts into cells and returns what is printed.
pub fn run(args: &SplitArgs, meter: &Arc<Meter>) -> Result<String> {
    args.tables.engine.here()?;
    let bar = Bar::of(meter, &args.print);
    let split = split(&args.request()?, &args.out, meter)?;
    drop(bar);
    let (out, cells) = (args.out.display(), split.cells.len());
    let summary = format!(
        "{} -> {} points in {}, each {} rows or so, for {}\n\nNext: `swgg solve {out} --cell K` for K from 0 to {}, anywhere; then \
         `swgg join {out} --plan DIR`.\n",
        grouped(split.n as usize),
        grouped(split.m as usize),
        counted(cells, "cell"),
        grouped(split.cells.iter().map(|cell| cell.rows).sum::<u64>() as usize / cells.max(1)),
        split.method,
        cells.saturating_sub(1)
    );
    Ok(printed(&split, &args.print, summary))
}

/// Solves a cell and returns what is printed.
pub fn solve(args: &CellArgs, meter: &Arc<Meter>) -> Result<String> {
    let bar = Bar::of(meter, &args.print);
    let cell = solve_cell(&args.folder, args.cell, usize::from(args.threads), meter)?;
    drop(bar);
    let summary = format!("{}\n", args.folder.join(&cell.part).display());
    Ok(printed(&cell, &args.print, summary))
}

/// Joins parts and returns what is printed.
pub fn joined(args: &JoinArgs, meter: &Arc<Meter>) -> Result<String> {
    let bar = Bar::new(meter.clone(), args.json);
    let manifest = join(&args.folder, &args.plan, meter)?;
    drop(bar);
    Ok(told(&manifest, &args.plan, args.json, ""))
}

fn printed(found: &impl serde::Serialize, print: &Print, summary: String) -> String {
    match (print.json, print.quiet) {
        (true, _) => serde_json::to_string(found).unwrap_or_default() + "\n",
        (false, true) => String::new(),
        (false, false) => summary,
    }
}
