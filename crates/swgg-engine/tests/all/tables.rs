//! Clouds of the tests, as files and in memory.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use swgg::Measure;
use swgg::line::Direction;
use swgg::paper::{swgg_cost, swgg_coupling};
use swgg_engine::{Meter, Reading, Request, Solved, solve};

pub use crate::entries::entries;

/// Rows with weights and ids.
#[derive(Clone, Default)]
pub struct Cloud {
    pub dim: usize,
    pub points: Vec<f64>,
    pub weights: Option<Vec<f64>>,
    pub ids: Option<Vec<i64>>,
    pub single: bool,
}

/// Numbers that look random: the same in every run.
pub fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Cloud {
    pub fn random(n: usize, dim: usize, seed: u64) -> Self {
        let mut next = numbers(seed);
        // 32 bits are exact in both kinds of files.
        let points = (0..n * dim).map(|_| f64::from((next() + next() - 1.0) as f32)).collect();
        Cloud { dim, points, ..Cloud::default() }
    }

    pub fn rows(&self) -> usize {
        self.points.len() / self.dim
    }

    pub fn weighted(mut self, seed: u64) -> Self {
        let mut next = numbers(seed);
        let mut weights: Vec<f64> = (0..self.rows()).map(|_| next() * next()).collect();
        weights.iter_mut().step_by(7).for_each(|weight| *weight = 0.0);
        // One that several cells share.
        let middle = weights.len() / 2;
        weights[middle] = 0.2 * self.rows() as f64;
        self.weights = Some(weights);
        self
    }

    pub fn columns(&self, rows: std::ops::Range<usize>) -> RecordBatch {
        let mut columns: Vec<(String, ArrayRef)> = Vec::new();
        for axis in 0..self.dim {
            let values = rows.clone().map(|row| self.points[row * self.dim + axis]);
            let column: ArrayRef = if self.single {
                Arc::new(Float32Array::from_iter_values(values.map(|x| x as f32)))
            } else {
                Arc::new(Float64Array::from_iter_values(values))
            };
            columns.push((format!("x{axis}"), column));
        }
        if let Some(weights) = &self.weights {
            columns.push(("w".into(), Arc::new(Float64Array::from(weights[rows.clone()].to_vec()))));
        }
        if let Some(ids) = &self.ids {
            columns.push(("id".into(), Arc::new(Int64Array::from(ids[rows].to_vec()))));
        }
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// A folder of two files with small row groups.
    pub fn write_folder(&self, folder: &Path) -> String {
        std::fs::create_dir_all(folder).unwrap();
        let half = self.rows() / 2;
        write_parquet(&folder.join("a.parquet"), &self.columns(0..half));
        write_parquet(&folder.join("b.parquet"), &self.columns(half..self.rows()));
        std::fs::write(folder.join("_SUCCESS"), "").unwrap();
        folder.display().to_string()
    }

    pub fn measure(&self) -> Measure<'_, f64> {
        let measure = Measure::from_slice(&self.points, self.dim).unwrap();
        match &self.weights {
            Some(weights) => measure.with_weights(weights).unwrap(),
            None => measure,
        }
    }

    pub fn reading(&self) -> Reading {
        Reading {
            columns: None,
            weights: self.weights.as_ref().map(|_| "w".to_string()),
            id: self.ids.as_ref().map(|_| "id".to_string()),
        }
    }

    fn id(&self, row: usize) -> u64 {
        self.ids.as_ref().map_or(row as u64, |ids| ids[row] as u64)
    }
}

pub fn write_parquet(path: &Path, batch: &RecordBatch) {
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(3000)).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

/// Entries of a plan in memory, by ids, in a fixed order.
pub fn expected(source: &Cloud, target: &Cloud, theta: &[f64]) -> (Vec<(u64, u64, u64)>, f64) {
    let (mu, nu, theta) = (source.measure(), target.measure(), Direction::new(theta).unwrap());
    let plan = swgg_coupling(&mu, &nu, &theta).unwrap();
    let mut entries: Vec<_> =
        plan.entries().map(|(i, j, mass)| (source.id(i), target.id(j), mass.to_bits())).collect();
    entries.sort_unstable();
    (entries, swgg_cost(&mu, &nu, &theta).unwrap())
}

/// A request that writes a plan at a given direction.
pub fn request(paths: [String; 2], clouds: [&Cloud; 2], theta: &[f64], plan: &Path) -> Request {
    let [source, target] = paths;
    Request {
        readings: clouds.map(Cloud::reading),
        direction: Some(theta.to_vec()),
        plan: Some(plan.to_path_buf()),
        threads: 2,
        ..Request::new(source, target)
    }
}

pub fn run(request: &Request) -> swgg_engine::Result<Solved> {
    solve(request, &Arc::new(Meter::default()))
}
