//! Transport plans out.

use std::io::{self, Seek, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::error::{Error, ErrorKind, Result};
use crate::format::PlanFormat;
use crate::output::Output;
use crate::{npy, parquet};

/// Writes a plan between `n` source points and `m` target points, ready to commit.
///
/// An entry is `(source, target, mass)`. The entries are iterated several times and never collected, so that a plan
/// of any length costs no memory here; every clone of the iterator must give the same entries.
///
/// - [`PlanFormat::Csv`]: a header `source,target,mass` and a line per entry.
/// - [`PlanFormat::Npz`]: `scipy.sparse.load_npz` opens it as an `n` x `m` matrix in coordinate form.
/// - [`PlanFormat::Parquet`]: columns `source` and `target` (unsigned 32-bit) and `mass` (64-bit float).
///
/// # Errors
///
/// [`ErrorKind::PlanEntry`] for an entry outside the matrix, and what the system refuses.
pub fn write_plan<I>(output: Output, format: PlanFormat, n: usize, m: usize, entries: I) -> Result<Output>
where
    I: Iterator<Item = (u32, u32, f64)> + Clone,
{
    let mut len = 0;
    for (source_index, target_index, _) in entries.clone() {
        if source_index as usize >= n || target_index as usize >= m {
            let outside = ErrorKind::PlanEntry { source_index, target_index, n, m };
            return Err(Error::at(output.path(), outside));
        }
        len += 1;
    }
    output.write_with(|output| match format {
        PlanFormat::Csv => write_csv(output, entries),
        PlanFormat::Npz => write_npz(output, n, m, len, &entries),
        PlanFormat::Parquet => parquet::write_plan(output, len, entries),
    })
}

fn write_csv(output: &mut impl Write, entries: impl Iterator<Item = (u32, u32, f64)>) -> io::Result<()> {
    writeln!(output, "source,target,mass")?;
    for (source, target, mass) in entries {
        writeln!(output, "{source},{target},{mass:?}")?;
    }
    Ok(())
}

fn write_npz<W, I>(output: &mut W, n: usize, m: usize, len: usize, entries: &I) -> io::Result<()>
where
    W: Write + Seek,
    I: Iterator<Item = (u32, u32, f64)> + Clone,
{
    let mut archive = ZipWriter::new(output);
    match write_members(&mut archive, n, m, len, entries) {
        Ok(()) => archive.finish().map(drop).map_err(io::Error::from),
        Err(error) => {
            // Dropped, it would try to finish the archive on a writer that just failed, and print to stderr. It
            // only borrows the output, so nothing but a little memory is lost.
            std::mem::forget(archive);
            Err(error)
        }
    }
}

fn write_members<W, I>(
    archive: &mut ZipWriter<W>,
    n: usize,
    m: usize,
    len: usize,
    entries: &I,
) -> io::Result<()>
where
    W: Write + Seek,
    I: Iterator<Item = (u32, u32, f64)> + Clone,
{
    // SciPy asks for 32-bit indices where they are enough.
    let narrow = i32::try_from(n.max(m)).is_ok();
    let index = if narrow { "<i4" } else { "<i8" };
    let write_index = |archive: &mut ZipWriter<W>, value: u32| match narrow {
        true => archive.write_all(&value.to_le_bytes()),
        false => archive.write_all(&u64::from(value).to_le_bytes()),
    };
    let count = len as u64;

    start(archive, "row", index, &[count], count)?;
    entries.clone().try_for_each(|(source, ..)| write_index(archive, source))?;
    start(archive, "col", index, &[count], count)?;
    entries.clone().try_for_each(|(_, target, _)| write_index(archive, target))?;
    start(archive, "data", "<f8", &[count], count)?;
    entries.clone().try_for_each(|(.., mass)| archive.write_all(&mass.to_le_bytes()))?;
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
