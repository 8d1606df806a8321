//! What was found, for scripts and for people.

use crate::{DATAFUSION, Method, Pass, SampleFacts, Solved};
use serde::Serialize;
use swgg::answer::{counted, grouped, percent};

use super::args::Solve;

/// Its fields are the JSON of `solve --engine`.
#[derive(Debug, Serialize)]
pub struct SolveReport {
    method: &'static str,
    effort: Option<u8>,
    engine: &'static str,
    datafusion: &'static str,
    n: u64,
    m: u64,
    d: usize,
    cost: f64,
    cost_is: &'static str,
    distance: f64,
    lower_bound: f64,
    gap: Option<f64>,
    along_line: f64,
    theta: Option<Vec<f64>>,
    story: String,
    sample: Option<SampleFacts>,
    passes: Vec<Pass>,
    entries: u64,
    cells: usize,
    resumed: usize,
    spilled: u64,
    plan: Option<String>,
    seed: u64,
    threads: usize,
    seconds: Seconds,
}

#[derive(Debug, Serialize)]
struct Seconds {
    cut: f64,
    solve: f64,
}

impl SolveReport {
    pub fn new(solved: &Solved, args: &Solve) -> Self {
        let lower_bound = solved.lower_bound();
        SolveReport {
            method: solved.method.name(),
            effort: match solved.method {
                Method::Auto { effort, .. } => Some(effort),
                _ => None,
            },
            engine: args.tables.engine.name(),
            datafusion: DATAFUSION,
            n: solved.n,
            m: solved.m,
            d: solved.d,
            cost: solved.cost,
            cost_is: "upper-bound",
            distance: solved.cost.sqrt(),
            lower_bound,
            gap: (lower_bound > 0.0).then(|| solved.cost / lower_bound - 1.0),
            along_line: solved.along_line,
            theta: solved.direction.as_ref().map(|found| found.theta.clone()),
            story: match &solved.direction {
                Some(found) => found.story.clone(),
                None => passes(&solved.passes),
            },
            sample: solved.direction.as_ref().and_then(|found| found.sample),
            passes: solved.passes.clone(),
            entries: solved.entries,
            cells: solved.cells,
            resumed: solved.resumed,
            spilled: solved.spilled,
            plan: args.plan.as_ref().map(|plan| plan.display().to_string()),
            seed: args.resources.seed,
            threads: solved.threads,
            seconds: Seconds { cut: solved.seconds_to_cut, solve: solved.seconds_to_solve },
        }
    }

    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    pub fn summary(&self) -> String {
        let count = |rows: u64| grouped(rows as usize);
        let gap = self.gap.map_or_else(String::new, |gap| format!(", at most {} above it", percent(gap)));
        let mut text = format!(
            "{} transport on {}\n  \
             points       {} -> {} in dimension {}\n  \
             cost         {}\n  \
             lower bound  {}{gap}\n",
            if self.theta.is_some() { "min-SWGG" } else { "auto" },
            if self.engine == "ballista" { "a Ballista cluster" } else { "DataFusion" },
            count(self.n),
            count(self.m),
            self.d,
            self.cost,
            self.lower_bound,
        );
        match &self.theta {
            Some(theta) => {
                let shown: Vec<String> = theta.iter().take(5).map(|x| format!("{x:.4}")).collect();
                let more = if theta.len() > 5 { ", ..." } else { "" };
                text +=
                    &format!("  direction    ({}{more})\n  search       {}\n", shown.join(", "), self.story);
            }
            None => text += &format!("  method       {}\n", self.story),
        }
        if let Some(sample) = &self.sample {
            text += &format!(
                "  sample       {} and {} points, cost {:.6} +- {:.2e} there\n",
                grouped(sample.points[0]),
                grouped(sample.points[1]),
                sample.cost,
                sample.standard_error
            );
        }
        let resumed = match self.resumed {
            0 => String::new(),
            cells => format!(", {} of them finished before", grouped(cells)),
        };
        text += &format!(
            "  plan         {} entries in {}{resumed}\n  \
             time         {:.2} s to cut, {:.2} s to solve on {}, {:.2} GB spilled\n",
            count(self.entries),
            counted(self.cells, "cell"),
            self.seconds.cut,
            self.seconds.solve,
            counted(self.threads, "thread"),
            self.spilled as f64 / 1e9
        );
        match &self.plan {
            Some(plan) => text += &format!("\nPlan written to {plan}\n"),
            None => text += "\nNext: add --plan DIR for who goes where, --json for scripts.\n",
        }
        text
    }
}

/// What passes came to, in words.
fn passes(passes: &[Pass]) -> String {
    let costs: Vec<String> = passes.iter().map(|pass| format!("{:.6}", pass.cost)).collect();
    format!("{}, cost after each {}", counted(passes.len(), "pass"), costs.join(", "))
}
