//! `swgg info` and `swgg check` of folders that hold plans.

use std::path::Path;
use std::sync::Arc;

use crate::{Manifest, Meter, Result, check, check_tables, manifest};
use swgg::answer::{counted, grouped};

use super::args::{CheckArgs, Folder};
use super::bar::Bar;

/// What a plan is, by its manifest.
pub fn info(args: &Folder) -> Result<String> {
    Ok(told(&manifest(&args.folder)?, &args.folder, args.json, ""))
}

/// The same after every part was read and compared with it.
pub fn checked(args: &CheckArgs, meter: &Arc<Meter>) -> Result<String> {
    let bar = Bar::new(meter.clone(), false);
    let manifest = check(&args.folder, meter)?;
    let mut ending = "\nEvery part is there and comes to what the manifest says.\n".to_string();
    if let Some(request) = args.request() {
        let largest = check_tables(&args.folder, &request, meter)?;
        ending += &format!("Every point gives and gets what its weight says, to {largest:.0e} of it.\n");
    }
    drop(bar);
    Ok(told(&manifest, &args.folder, args.json, &ending))
}

/// A plan in words, or as JSON.
pub fn told(manifest: &Manifest, folder: &Path, json: bool, ending: &str) -> String {
    if json {
        return serde_json::to_string(manifest).unwrap_or_default() + "\n";
    }
    format!(
        "{}: a plan of {}\n  points       {} -> {} in dimension {}\n  from, to     {}, {}\n  ids          {}\n  cost         {}\n  \
         lower bound  {}\n  entries      {} in {}\n  written by   swgg {}, DataFusion {}\n{ending}",
        folder.display(),
        manifest.method,
        grouped(manifest.n as usize),
        grouped(manifest.m as usize),
        manifest.d,
        manifest.source,
        manifest.target,
        if manifest.ids == "row" {
            "numbers of rows".to_string()
        } else {
            format!("column {}", manifest.ids)
        },
        manifest.cost,
        manifest.lower_bound,
        grouped(manifest.entries as usize),
        counted(manifest.parts.len(), "part"),
        manifest.swgg,
        manifest.datafusion,
    )
}
