//! What the commands on pictures share.

mod batch;
mod layers;
mod sheet;

pub use batch::{Batch, Job};
pub use layers::{Layers, Stored};
pub use sheet::{sheet, tile};

use serde::Serialize;

use crate::exit::Outcome;
use crate::printer;

/// Prints one JSON object for one picture, a list of them for many.
pub fn print_json<T: Serialize>(records: &[T], is_many: bool) -> Outcome<()> {
    printer::result(&match records {
        [record] if !is_many => printer::json(record),
        _ => printer::json(&records),
    })
}

/// The last line of a run over many pictures.
pub fn tally(done: usize, failed: usize, out: &std::path::Path, seconds: f64) -> String {
    let bad = if failed == 0 { String::new() } else { format!(", {failed} failed") };
    let (done, out, time) = (printer::counted(done, "picture"), out.display(), printer::duration(seconds));
    format!("{done} written to {out}{bad}, {time}\n")
}
