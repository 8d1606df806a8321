//! Plans as sparse matrices of SciPy.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::npy;
use crate::output::Output;
use crate::plan::Plan;

pub(super) fn write(output: &mut Output, plan: &Plan<'_>) -> io::Result<()> {
    let mut archive = ZipWriter::new(output);
    match write_members(&mut archive, plan) {
        Ok(()) => archive.finish().map(drop).map_err(io::Error::from),
        Err(error) => {
            // Dropped, it would try to finish the archive on a writer that just failed, and print to stderr. It
            // only borrows the output, so nothing but a little memory is lost.
            std::mem::forget(archive);
            Err(error)
        }
    }
}

fn write_members<W: Write + Seek>(archive: &mut ZipWriter<W>, plan: &Plan<'_>) -> io::Result<()> {
    let Plan { n, m, len, .. } = *plan;
    // SciPy asks for 32-bit indices where they are enough.
    let narrow = i32::try_from(n.max(m)).is_ok();
    let index = if narrow { "<i4" } else { "<i8" };
    let write_index = |archive: &mut ZipWriter<W>, value: u32| match narrow {
        true => archive.write_all(&value.to_le_bytes()),
        false => archive.write_all(&u64::from(value).to_le_bytes()),
    };
    let count = len as u64;

    start(archive, "row", index, &[count], count)?;
    plan.each(|(source, ..)| write_index(archive, source))?;
    start(archive, "col", index, &[count], count)?;
    plan.each(|(_, target, _)| write_index(archive, target))?;
    start(archive, "data", "<f8", &[count], count)?;
    plan.each(|(.., mass)| archive.write_all(&mass.to_le_bytes()))?;
    start(archive, "shape", "<i8", &[2], 2)?;
    archive.write_all(&(n as u64).to_le_bytes())?;
    archive.write_all(&(m as u64).to_le_bytes())?;
    start(archive, "format", "|S3", &[], 1)?;
    archive.write_all(b"coo")
}

/// Opens a member of `count` values of at most eight bytes.
fn start<W: Write + Seek>(
    archive: &mut ZipWriter<W>,
    name: &str,
    descr: &str,
    shape: &[u64],
    count: u64,
) -> io::Result<()> {
    const ZIP64_FROM: u64 = 1 << 31;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(count.saturating_mul(8) >= ZIP64_FROM);
    archive.start_file(format!("{name}.npy"), options)?;
    npy::write_header(archive, descr, shape)
}
