//! Distances of other norms: city blocks, the largest coordinate, and what is between them.

use super::ground::GroundCost;
use crate::error::{ErrorKind, Result};

/// `(sum_c |s_c (x_c - y_c)|^q)^(1/q)`, with a scale `s_c` for every column.
///
/// `q = 1` are city blocks, `q = inf` is the largest coordinate (Chebyshev).
#[derive(Clone, Debug, PartialEq)]
pub struct Norm {
    order: f64,
    /// One for every column, or none.
    scales: Vec<f64>,
}

impl Norm {
    /// The sum of the absolute differences.
    pub fn cityblock() -> Self {
        Norm { order: 1.0, scales: Vec::new() }
    }

    /// The largest difference.
    pub fn chebyshev() -> Self {
        Norm { order: f64::INFINITY, scales: Vec::new() }
    }

    /// Minkowski's distance of any order `q >= 1`, infinity included.
    pub fn minkowski(order: f64) -> Result<Self> {
        if order >= 1.0 {
            Ok(Norm { order, scales: Vec::new() })
        } else {
            Err(ErrorKind::BadOrder { order }.into())
        }
    }

    /// With a scale for every column, not negative.
    pub fn with_scales(self, scales: &[f64]) -> Result<Self> {
        super::check_scales(scales)?;
        Ok(Norm { scales: scales.to_vec(), ..self })
    }

    #[inline(always)]
    fn scale(&self, c: usize) -> f64 {
        self.scales.get(c).copied().unwrap_or(1.0)
    }

    /// The norm of absolute differences, which are scaled already.
    #[inline(always)]
    fn of(&self, gaps: impl Iterator<Item = f64>) -> f64 {
        match self.order {
            1.0 => gaps.sum(),
            2.0 => gaps.map(|gap| gap * gap).sum::<f64>().sqrt(),
            f64::INFINITY => gaps.fold(0.0, f64::max),
            q => {
                // Powers of numbers up to one neither overflow nor all vanish.
                let gaps: Vec<f64> = gaps.collect();
                let most = gaps.iter().copied().fold(0.0, f64::max);
                if most == 0.0 {
                    return 0.0;
                }
                most * gaps.iter().map(|gap| (gap / most).powf(q)).sum::<f64>().powf(1.0 / q)
            }
        }
    }
}

impl GroundCost for Norm {
    fn name(&self) -> String {
        match self.order {
            1.0 => "cityblock".into(),
            f64::INFINITY => "chebyshev".into(),
            _ => "minkowski".into(),
        }
    }

    fn between(&self, x: &[f64], y: &[f64]) -> f64 {
        self.of(x.iter().zip(y).enumerate().map(|(c, (x, y))| self.scale(c) * (x - y).abs()))
    }

    fn check(&self, _: [&[f64]; 2], dim: usize) -> Result<()> {
        super::check_scale_count(&self.scales, dim)
    }

    fn fill(&self, x: &[f64], columns: &[&[f64]], costs: &mut [f64]) {
        costs.fill(0.0);
        for (c, (x, column)) in x.iter().zip(columns).enumerate() {
            let scale = self.scale(c);
            let gaps = column.iter().map(|y| scale * (x - y).abs());
            let costs = costs.iter_mut().zip(gaps);
            match self.order {
                1.0 => costs.for_each(|(cost, gap)| *cost += gap),
                2.0 => costs.for_each(|(cost, gap)| *cost += gap * gap),
                f64::INFINITY => costs.for_each(|(cost, gap)| *cost = if gap > *cost { gap } else { *cost }),
                _ => costs.for_each(|(cost, gap)| *cost = if gap > *cost { gap } else { *cost }),
            }
        }
        match self.order {
            1.0 | f64::INFINITY => {}
            2.0 => costs.iter_mut().for_each(|cost| *cost = cost.sqrt()),
            q => {
                for (k, cost) in costs.iter_mut().enumerate().filter(|(_, most)| **most > 0.0) {
                    let most = *cost;
                    let gaps = x.iter().zip(columns).enumerate();
                    let gaps = gaps.map(|(c, (x, column))| self.scale(c) * (x - column[k]).abs() / most);
                    *cost = most * gaps.map(|gap| gap.powf(q)).sum::<f64>().powf(1.0 / q);
                }
            }
        }
    }

    fn least(&self, x: &[f64], low: &[f64], high: &[f64]) -> f64 {
        let gaps = x.iter().zip(low.iter().zip(high)).enumerate();
        self.of(gaps.map(|(c, (x, (low, high)))| self.scale(c) * (low - x).max(x - high).max(0.0)))
    }

    fn embedded(&self, points: [&[f64]; 2], dim: usize) -> Result<super::Embedded> {
        Ok(super::Embedded { points: points.map(|rows| super::scaled(rows, &self.scales)), dim, is: None })
    }
}
