//! How good a plan is, and what more time buys.
//!
//! ```text
//! cargo run --release -p swgg --example bounds_and_time
//! ```

use std::time::Duration;

use swgg::{Auto, Measure, Question, Result, Run, Solver};

pub(crate) fn main() -> Result<()> {
    let numbers: Vec<f64> = (0..9000_u32).map(|k| f64::from(k * k % 1009)).collect();
    let source = Measure::from_slice(&numbers[..4500], 3)?;
    let target = Measure::from_slice(&numbers[4500..], 3)?;
    let question = Question::new(&source, &target)?;
    // A quick look, with a lower bound beside it: no plan costs less.
    let found = Auto { effort: 1 }.answer(&question, &mut Run::seeded(7))?;
    let gap = found.gap().map_or("unknown".into(), |gap| format!("{:.2} %", 100.0 * gap));
    println!("{}: cost {:.1}, above the optimum by at most {gap}", found.story, found.cost);
    // The plan alone is quicker.
    let plan = Auto { effort: 1 }.answer(&question, &mut Run::seeded(7).without_bounds())?;
    println!("the same plan without a bound: cost {:.1}, bound {:?}", plan.cost, plan.lower_bound);
    // The best plan of a tenth of a second: that depends on the machine.
    let found = Auto::default().answer(&question, &mut Run::for_at_most(Duration::from_millis(100)))?;
    println!("{}: cost {:.1}, stopped by {}", found.story, found.cost, found.stop);
    Ok(())
}
