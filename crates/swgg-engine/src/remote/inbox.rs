//! Answers that arrive, on their way to parts of the plan.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::UInt32Type;

use super::work::{ENTRIES, ENTRY, SUMS};
use crate::cell::{Entry, Sums, word};
use crate::error::{Error, Result};
use crate::meter::Meter;
use crate::part::PartWriter;

/// A cell of which some entries arrived.
#[derive(Default)]
struct Begun {
    writer: Option<PartWriter>,
    entries: u64,
}

/// The answers of one job.
pub(super) struct Inbox<'a> {
    /// Where parts of the plan go, if they are wanted.
    parts: Option<PathBuf>,
    done: &'a [bool],
    begun: BTreeMap<usize, Begun>,
    sums: Vec<(usize, Sums)>,
    meter: &'a Arc<Meter>,
}

impl<'a> Inbox<'a> {
    pub fn new(parts: Option<&Path>, done: &'a [bool], meter: &'a Arc<Meter>) -> Self {
        Inbox { parts: parts.map(Path::to_path_buf), done, begun: BTreeMap::new(), sums: Vec::new(), meter }
    }

    /// Takes some answers. A part gets its name once the sums of its cell are there.
    pub fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let broken =
            |what: &str| Error::DataFusion(format!("the cluster answered {what}; is it of another version?"));
        if batch.num_columns() != 2 || batch.schema_ref().fields() != super::solved_schema().fields() {
            return Err(broken("with other columns than cells and rows"));
        }
        let cells = batch.column(0).as_primitive::<UInt32Type>().values();
        for (&cell, answer) in cells.iter().zip(batch.column(1).as_binary::<i32>()) {
            let cell = cell as usize;
            let (&kind, bytes) =
                answer.and_then(<[u8]>::split_first).ok_or_else(|| broken("with nothing"))?;
            match self.done.get(cell) {
                None => return Err(broken(&format!("with cell {cell}, which there is not"))),
                // A stage that was run again may be answered twice, with the same bytes.
                Some(true) => continue,
                Some(false) if self.sums.iter().any(|(of, _)| *of == cell) => continue,
                Some(false) => {}
            }
            match kind {
                ENTRIES => self.write(cell, bytes)?,
                SUMS => {
                    let sums = Sums::from_bytes(bytes).ok_or_else(|| broken("with sums that are none"))?;
                    let begun = self.begun.remove(&cell).unwrap_or_default();
                    if begun.entries != sums.entries {
                        // Some of it got lost, or came twice: the cell did not arrive, and is asked for again.
                        continue;
                    }
                    if let Some(writer) = self.opened(cell, begun)?.writer {
                        writer.finish(&sums, None)?;
                    }
                    self.sums.push((cell, sums));
                    self.meter.advance(1)?;
                }
                _ => return Err(broken("with something that is neither entries nor sums")),
            }
        }
        Ok(())
    }

    /// A cell with its writer, if parts are wanted.
    fn opened(&self, cell: usize, mut begun: Begun) -> Result<Begun> {
        if let (None, Some(folder)) = (&begun.writer, &self.parts) {
            begun.writer = Some(PartWriter::create(folder, cell)?);
        }
        Ok(begun)
    }

    fn write(&mut self, cell: usize, bytes: &[u8]) -> Result<()> {
        let begun = self.begun.remove(&cell).unwrap_or_default();
        let mut begun = self.opened(cell, begun)?;
        for row in bytes.chunks_exact(ENTRY) {
            let [mass, cost] = [16, 24].map(|at| f64::from_bits(word(row, at)));
            begun.entries += 1;
            if let Some(writer) = &mut begun.writer {
                writer.push(Entry { source: word(row, 0), target: word(row, 8), mass, cost })?;
            }
        }
        self.begun.insert(cell, begun);
        Ok(())
    }

    /// The cells that arrived as a whole.
    pub fn finish(self) -> Vec<(usize, Sums)> {
        self.sums
    }
}
