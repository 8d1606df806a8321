//! One cloud becomes the other: points in the middle of the curve that a plan draws.
//!
//! ```text
//! cargo run -p swgg --example interpolation
//! ```

use std::f64::consts::TAU;

use swgg::paper::Geodesic;
use swgg::{Measure, Result};

pub(crate) fn main() -> Result<()> {
    let circle = |k: u32| {
        let (sine, cosine) = (TAU * f64::from(k) / 100.0).sin_cos();
        [cosine, sine]
    };
    let square = |k: u32| [f64::from(k % 10) / 3.0 + 4.0, f64::from(k / 10) / 3.0];
    let source = Measure::from_vec((0..100).flat_map(circle).collect(), 2)?;
    let target = Measure::from_vec((0..100).flat_map(square).collect(), 2)?;
    let plan = swgg::solve(&source, &target)?.into_plan()?;
    let curve = Geodesic::new(&source, &target, plan)?;
    for step in 0..=4 {
        let t = f64::from(step) / 4.0;
        let cloud = curve.at(t)?;
        println!("t = {t:.2}: the middle is at {:.2?}, point 0 at {:.2?}", cloud.mean(), cloud.point(0));
    }
    Ok(())
}
