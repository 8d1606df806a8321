//! Watching a solver at work, and stopping it: the best plan so far is the answer.
//!
//! ```text
//! cargo run -p swgg --example progress
//! ```

use std::ops::ControlFlow;

use swgg::{Measure, Progress, Question, Result, Run, Solver, Stop, Trees};

pub(crate) fn main() -> Result<()> {
    let numbers: Vec<f64> = (0..4000_u32).map(|k| f64::from(k * k % 1009)).collect();
    let source = Measure::from_slice(&numbers[..2000], 2)?;
    let target = Measure::from_slice(&numbers[2000..], 2)?;
    let solver = Trees { trees: 50 };
    let question = Question::new(&source, &target)?;
    // What it will take, before it starts.
    let (sizes, run) = (question.sizes(), Run::default());
    let estimate = Solver::<f64>::estimate(&solver, sizes, &run);
    println!("about {:.3} s and {:.1} MB", estimate.seconds, estimate.bytes / 1e6);
    // Any closure may watch; ten trees are enough for us.
    let mut watch = |progress: &Progress| {
        println!("{} of {}: cost {:.1}", progress.tried, progress.total, progress.best);
        if progress.tried >= 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let found = solver.answer(&question, &mut run.watched(&mut watch))?;
    assert_eq!(found.stop, Stop::Interrupted);
    println!("{}: cost {:.1}, {}", found.story, found.cost, found.stop);
    Ok(())
}
