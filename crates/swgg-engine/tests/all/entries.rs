//! What a plan in a folder holds, for tests and benchmarks.

use std::fs::File;
use std::path::Path;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use swgg_engine::manifest;

/// Source, target and the bits of the mass of every entry, sorted.
pub fn entries(folder: &Path) -> Vec<(u64, u64, u64)> {
    let mut entries = Vec::new();
    for part in manifest(folder).unwrap().parts {
        let file = File::open(folder.join(part.file)).unwrap();
        for batch in ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap() {
            let batch = batch.unwrap();
            let ids = |column: usize| batch.column(column).as_primitive::<UInt64Type>().values().clone();
            let masses = batch.column(2).as_primitive::<Float64Type>().values().clone();
            let (sources, targets) = (ids(0), ids(1));
            entries.extend((0..batch.num_rows()).map(|k| (sources[k], targets[k], masses[k].to_bits())));
        }
    }
    entries.sort_unstable();
    entries
}
