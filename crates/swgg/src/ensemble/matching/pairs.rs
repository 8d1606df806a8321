//! Pairs of points as a block sees them: near each other, in single precision.

use super::block::Block;
use super::clouds::UniformClouds;
use crate::number::scalar::Scalar;

/// The points of some pairs, seen from their means.
#[derive(Default)]
pub(super) struct Pairs {
    m: usize,
    dim: usize,
    pub x_mean: Vec<f64>,
    pub y_mean: Vec<f64>,
    /// Sources by row, targets by column.
    x: Vec<f32>,
    y: Vec<f32>,
}

impl Pairs {
    /// Loads pairs of sources and targets.
    pub fn load<T: Scalar>(
        &mut self,
        clouds: &UniformClouds<'_, T>,
        sources: impl ExactSizeIterator<Item = usize> + Clone,
        targets: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        let (m, d) = (sources.len(), clouds.dim());
        (self.m, self.dim) = (m, d);
        for (mean, rows, picked) in [
            (&mut self.x_mean, clouds.x, &mut sources.clone() as &mut dyn Iterator<Item = usize>),
            (&mut self.y_mean, clouds.y, &mut targets.clone()),
        ] {
            mean.clear();
            mean.resize(d, 0.0);
            for i in picked {
                mean.iter_mut().zip(rows.row(i)).for_each(|(sum, x)| *sum += x.to_f64());
            }
            mean.iter_mut().for_each(|sum| *sum /= m as f64);
        }
        self.x.clear();
        for i in sources {
            self.x.extend(
                clouds
                    .x
                    .row(i)
                    .iter()
                    .zip(&self.x_mean)
                    .map(|(x, mean)| ((x.to_f64() - mean) * clouds.unit) as f32),
            );
        }
        let stride = Block::stride(m);
        self.y.clear();
        self.y.resize(d * stride, 0.0);
        for (k, j) in targets.enumerate() {
            let y = clouds
                .y
                .row(j)
                .iter()
                .zip(&self.y_mean)
                .map(|(y, mean)| ((y.to_f64() - mean) * clouds.unit) as f32);
            self.y.iter_mut().skip(k).step_by(stride).zip(y).for_each(|(slot, y)| *slot = y);
        }
    }

    /// `<x_k, y_k>`, from the means.
    pub fn product(&self, k: usize) -> f32 {
        let y = self.y.iter().skip(k).step_by(Block::stride(self.m));
        self.x[k * self.dim..(k + 1) * self.dim].iter().zip(y).map(|(x, y)| x * y).sum()
    }

    /// Poses the assignment of these pairs.
    pub fn pose(&self, block: &mut Block, prices: impl Fn(usize) -> f32) {
        block.fill(self.m, self.dim, &self.x, &self.y, prices);
    }
}
