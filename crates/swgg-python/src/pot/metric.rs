//! Ground costs by POT's names.

use swgg::Scalar;
use swgg::cost::{Cost, SqEuclidean};

use crate::errors::{Failure, Outcome};

/// Distances between points; only the first is squared.
#[derive(Clone, Copy)]
pub enum Metric {
    SqEuclidean,
    Euclidean,
    Cityblock,
    /// `(sum |x - y|^p)^(1/p)`.
    Minkowski(f64),
}

impl Metric {
    pub fn new(name: &str, p: f64) -> Outcome<Self> {
        match name {
            "sqeuclidean" => Ok(Metric::SqEuclidean),
            "euclidean" => Ok(Metric::Euclidean),
            "cityblock" => Ok(Metric::Cityblock),
            "minkowski" if p == 1.0 => Ok(Metric::Cityblock),
            "minkowski" if p == 2.0 => Ok(Metric::Euclidean),
            "minkowski" if p.is_finite() && p > 0.0 => Ok(Metric::Minkowski(p)),
            "minkowski" => Err(Failure::Said(format!("p: found {p}, expected a finite number above 0"))),
            _ => Err(Failure::Said(format!("metric: found {name:?}, which is not a metric"))),
        }
    }
}

impl Cost for Metric {
    #[inline(always)]
    fn between<T: Scalar, U: Scalar>(&self, x: &[T], y: &[U]) -> f64 {
        let gaps = || x.iter().zip(y).map(|(x, y)| (x.to_f64() - y.to_f64()).abs());
        match *self {
            Metric::SqEuclidean => SqEuclidean.between(x, y),
            Metric::Euclidean => SqEuclidean.between(x, y).sqrt(),
            Metric::Cityblock => gaps().sum(),
            Metric::Minkowski(p) => gaps().map(|gap| gap.powf(p)).sum::<f64>().powf(1.0 / p),
        }
    }
}
