//! Files of Arrow's own format (IPC, Feather 2).

use std::io::BufReader;
use std::ops::ControlFlow;
use std::path::Path;

use arrow::ipc::reader::FileReader;

use super::files::{damaged, open};
use super::{Columns, Each, Picked};
use crate::error::Result;

pub(super) fn columns(path: &Path) -> Result<Columns> {
    let reader =
        FileReader::try_new(BufReader::new(open(path)?), None).map_err(|error| damaged(path, error))?;
    Ok(Columns::of(&reader.schema()))
}

pub(super) fn read(path: &Path, picked: &Picked, each: Each<'_>) -> Result<ControlFlow<()>> {
    let reader = FileReader::try_new(BufReader::new(open(path)?), Some(picked.all()));
    for batch in reader.map_err(|error| damaged(path, error))? {
        if each(batch.map_err(|error| damaged(path, error))?)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
