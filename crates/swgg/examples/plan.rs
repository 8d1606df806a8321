//! A plan between two small clouds: which point goes where, what that costs, and how good it is.
//!
//! ```text
//! cargo run -p swgg --example plan
//! ```

use swgg::{Measure, Result};

pub(crate) fn main() -> Result<()> {
    // Three points of the plane each, row by row.
    let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
    let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
    let found = swgg::solve(&source, &target)?;
    println!("cost {} squared, {}", found.cost, found.story);
    for (i, j, mass) in found.plan()?.entries() {
        println!("source {i} sends {mass:.3} to target {j}");
    }
    Ok(())
}
