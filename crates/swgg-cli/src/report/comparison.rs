//! What several methods found.

use serde::Serialize;
use swgg::{CostIs, Stop, Transport};

use super::transport::named;
use super::{Cell, Report, Summary, Table};
use crate::figure::{Mark, Scatter, Style};
use crate::printer::{counted, duration, grouped, number, percent};
use crate::seconds::Seconds;

/// Several methods on one pair of clouds.
#[derive(Serialize)]
pub struct ComparisonReport {
    pub n: usize,
    pub m: usize,
    pub d: usize,
    /// The method with the cheapest plan, and what it pays.
    pub best: Option<&'static str>,
    pub cost: Option<f64>,
    /// The best of all.
    pub lower_bound: Option<f64>,
    pub methods: Vec<ComparisonRow>,
    pub left_out: Vec<LeftOut>,
    pub seed: u64,
    pub threads: usize,
    pub time_limit: f64,
    pub stop: &'static str,
    /// What was written, if anything was.
    pub file: Option<String>,
    /// That a page was written, in words.
    #[serde(skip)]
    pub page: Option<String>,
    pub seconds: Seconds,
}

/// What one method found.
#[derive(Serialize)]
pub struct ComparisonRow {
    pub method: &'static str,
    pub cost: f64,
    #[serde(serialize_with = "named")]
    pub cost_is: CostIs,
    /// Whether there is a plan between the points.
    pub plan: bool,
    /// Cost over that of the cheapest plan.
    pub ratio: Option<f64>,
    /// The method's own.
    pub lower_bound: Option<f64>,
    /// By how much the cost of a plan can be above the optimum, as a share of it, by the best bound of all.
    pub gap: Option<f64>,
    pub seconds: f64,
    /// Most bytes of the whole process while the method ran, with what the allocator kept of the methods before; `None` where
    /// the system cannot tell.
    pub memory: Option<u64>,
    pub stop: &'static str,
}

/// A method that was not run, or that failed.
#[derive(Serialize)]
pub struct LeftOut {
    pub method: &'static str,
    pub reason: String,
}

impl ComparisonReport {
    /// Cost against time.
    pub fn figure(&self) -> Scatter {
        let marks = self.methods.iter().enumerate().map(|(k, row)| Mark {
            name: row.method.to_string(),
            seconds: row.seconds,
            cost: row.cost,
            style: Style::Distinct(k),
            below: !row.is_plan(),
        });
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        Scatter {
            title: format!("Cost against time, {n} and {m} points in dimension {d}"),
            x_label: format!("time on {}", counted(self.threads, "thread")),
            y_label: "squared cost".to_string(),
            marks: marks.collect(),
            floor: self.lower_bound,
        }
    }
}

impl ComparisonRow {
    pub fn new(found: &Transport, late: bool, seconds: f64, memory: Option<u64>) -> Self {
        let stop = match found.stop {
            Stop::Interrupted if late => Stop::TimeLimit.name(),
            stop => stop.name(),
        };
        ComparisonRow {
            method: found.method,
            cost: found.cost,
            cost_is: found.cost_is,
            plan: found.coupling.is_some(),
            ratio: None,
            lower_bound: found.lower_bound,
            gap: None,
            seconds,
            memory,
            stop,
        }
    }

    /// Whether the cost is what a plan pays.
    pub fn is_plan(&self) -> bool {
        self.plan && matches!(self.cost_is, CostIs::Optimal | CostIs::Upper)
    }

    fn is_cut_short(&self) -> bool {
        ["time-limit", "interrupted"].contains(&self.stop)
    }
}

impl Report for ComparisonReport {
    /// A table for a person, at most 80 columns wide.
    fn summary(&self) -> Summary {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let title = format!("Methods of transport from {n} to {m} points in dimension {d}");
        let mut summary = Summary::titled(title);
        // Where the system does not tell, there is no column.
        let told = self.methods.iter().any(|row| row.memory.is_some());
        let mut line = |cells: [&str; 8]| {
            let [method, cost, kind, ratio, bound, gap, time, memory] = cells;
            let row =
                format!("  {method:<15} {cost:>11} {kind:<5} {ratio:>6} {bound:>11} {gap:>5} {time:>9}");
            let memory = if told { format!(" {memory:>8}") } else { String::new() };
            summary.text(row + &memory + "\n");
        };
        line(["method", "cost", "", "ratio", "lower bound", "gap %", "time", "memory"]);
        for row in &self.methods {
            let (cost, ratio) = (number(row.cost), row.ratio.map_or("-".to_string(), ratio));
            let bound = row.lower_bound.map_or("-".to_string(), number);
            let time = duration(row.seconds) + if row.is_cut_short() { "!" } else { "" };
            let memory = row.memory.map_or("-".to_string(), megabytes);
            let gap = row.gap.map_or("-".to_string(), percents);
            line([row.method, &cost, kind(row.cost_is), &ratio, &bound, &gap, &time, &memory]);
        }
        summary.text("\n");
        let threads = counted(self.threads, "thread");
        match (self.best, self.cost) {
            (Some(best), Some(cost)) => {
                summary.note(&format!("Cheapest plan: {best}, {} (squared), on {threads}.", number(cost)));
            }
            _ => summary.note(&format!("None of these methods has a plan. Ran on {threads}.")),
        }
        if let Some(bound) = self.lower_bound {
            summary.note(&format!(
                "No plan costs less than {}; the gap is how far above that a plan is.",
                number(bound)
            ));
        }
        if told {
            summary.note(
                "Memory is the peak of the whole process, with the clouds and what methods before left behind.",
            );
        }
        if self.methods.iter().any(ComparisonRow::is_cut_short) {
            summary.note("! Stopped early: what it had by then.");
        }
        for left in &self.left_out {
            summary.note(&format!("Left out: {} {}.", left.method, left.reason.trim_end_matches('.')));
        }
        if let Some(file) = &self.file {
            summary.text(format!("\nWritten to {file}\n"));
        }
        if let Some(page) = &self.page {
            summary.text(format!("\n{page}"));
        }
        summary
    }

    /// One row per method.
    fn table(&self) -> Table {
        let columns =
            ["method", "cost", "cost_is", "plan", "ratio", "lower_bound", "gap", "seconds", "memory", "stop"];
        let row = |row: &ComparisonRow| {
            vec![
                Cell::Text(row.method),
                Cell::Number(row.cost),
                Cell::Text(row.cost_is.name()),
                Cell::Flag(row.plan),
                row.ratio.into(),
                row.lower_bound.into(),
                row.gap.into(),
                Cell::Number(row.seconds),
                row.memory.into(),
                Cell::Text(row.stop),
            ]
        };
        Table { columns: columns.map(String::from).to_vec(), rows: self.methods.iter().map(row).collect() }
    }
}

fn kind(standing: CostIs) -> &'static str {
    match standing {
        CostIs::Optimal => "exact",
        CostIs::Upper => "upper",
        CostIs::Lower => "lower",
        CostIs::Other => "-",
    }
}

fn ratio(ratio: f64) -> String {
    match ratio {
        r if r < 10.0 => format!("{r:.4}"),
        r if r < 100.0 => format!("{r:.3}"),
        r if r < 10_000.0 => format!("{r:.1}"),
        r => format!("{r:.1e}"),
    }
}

/// A gap in at most five characters; bounds that meet to rounding leave none.
fn percents(gap: f64) -> String {
    match gap {
        g if g <= 1e-9 => "0".to_string(),
        g if g < 100.0 => percent(g).trim_end_matches(" %").to_string(),
        g => format!("{:.0e}", 100.0 * g),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", grouped((bytes as f64 / 1e6).round() as usize))
}
