//! The paper's min-SWGG, then the same with a search written here: the coordinate axes.
//!
//! ```text
//! cargo run -p swgg --example search_of_ones_own
//! ```

use swgg::line::DirectionSet;
use swgg::ndarray::Array2;
use swgg::paper::{Search, SearchOutcome, Slices};
use swgg::{Measure, MinSwgg, Observe, Progress, Question, Result, Run, Solver, Stop};

/// Tries every coordinate axis, and keeps the best.
struct Axes;

impl Search for Axes {
    fn name(&self) -> &'static str {
        "axes"
    }

    fn run(&self, slices: &dyn Slices, watch: &mut dyn Observe) -> Result<SearchOutcome> {
        let tried = slices.dim();
        let axes = DirectionSet::from_rows(Array2::eye(tried).view())?;
        let costs = slices.costs(&axes)?;
        let index = (0..tried).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or(0);
        // One batch, and nothing is left that an observer could stop.
        let _ = watch.progress(&Progress { tried, total: tried, best: costs[index] });
        let (theta, cost) = (axes.get(index), costs[index]);
        Ok(SearchOutcome { theta, cost, index, tried, stop: Stop::AllTried, costs: Some(costs) })
    }
}

pub(crate) fn main() -> Result<()> {
    let spiral = |k: u32, turn: f64| [(0.1 * f64::from(k) + turn).sin(), f64::from(k) / 50.0, turn];
    let source = Measure::from_vec((0..200).flat_map(|k| spiral(k, 0.0)).collect(), 3)?;
    let target = Measure::from_vec((0..200).flat_map(|k| spiral(k, 1.0)).collect(), 3)?;
    let question = Question::new(&source, &target)?;
    for solver in [MinSwgg::new(), MinSwgg::new().directions(500), MinSwgg::new().search(Axes)] {
        let found = solver.answer(&question, &mut Run::seeded(7))?;
        println!("{}: cost {:.4}, at least {:.4}", found.story, found.cost, found.lower_bound.unwrap_or(0.0));
    }
    Ok(())
}
