//! Clouds of different sizes, with weights: points split, and every bit of mass arrives.
//!
//! ```text
//! cargo run -p swgg --example weights_and_sizes
//! ```

use swgg::{Measure, Result};

pub(crate) fn main() -> Result<()> {
    // Two bakeries and three cafes in a street grid; weights are scaled to the sum 1.
    let bakeries = Measure::from_slice(&[0.0_f32, 0.0, 4.0, 1.0], 2)?.with_weights(&[30.0, 20.0])?;
    let cafes = Measure::from_slice(&[0.0, 1.0, 2.0, 2.0, 5.0, 1.0], 2)?.with_weights(&[10.0, 25.0, 15.0])?;
    let found = swgg::solve(&bakeries, &cafes)?;
    let plan = found.plan()?;
    for (i, j, mass) in plan.entries() {
        println!("bakery {i} sends {:.0} loaves to cafe {j}", 50.0 * mass);
    }
    println!("nothing is lost: marginals are off by {:.0e}", plan.marginal_gap(&bakeries, &cafes)?);
    // Where each bakery's bread goes on average, one row per bakery.
    println!("average places:\n{}", plan.barycentric_map(&bakeries, &cafes)?);
    Ok(())
}
