//! A comparison as a summary, a table and a figure.

use swgg::CostIs;

use super::{Report, Row};
use crate::figure::{Mark, Scatter, Style};
use crate::printer::{counted, duration, grouped, number, percent, wrapped};

impl Report {
    /// A table for a person, at most 80 columns wide.
    pub fn summary(&self) -> String {
        let (n, m, d) = (grouped(self.n), grouped(self.m), self.d);
        let mut text = format!("Methods of transport from {n} to {m} points in dimension {d}\n\n");
        // Where the system does not tell, there is no column.
        let told = self.methods.iter().any(|row| row.memory.is_some());
        let mut line = |cells: [&str; 8]| {
            let [method, cost, kind, ratio, bound, gap, time, memory] = cells;
            let row =
                format!("  {method:<15} {cost:>11} {kind:<5} {ratio:>6} {bound:>11} {gap:>5} {time:>9}");
            let memory = if told { format!(" {memory:>8}") } else { String::new() };
            text += &(row + &memory + "\n");
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
        text.push('\n');
        let mut note = |words: String| text += &wrapped(&words, 80);
        let threads = counted(self.threads, "thread");
        match (self.best, self.cost) {
            (Some(best), Some(cost)) => {
                note(format!("Cheapest plan: {best}, {} (squared), on {threads}.", number(cost)));
            }
            _ => note(format!("None of these methods has a plan. Ran on {threads}.")),
        }
        if let Some(bound) = self.lower_bound {
            note(format!(
                "No plan costs less than {}; the gap is how far above that a plan is.",
                number(bound)
            ));
        }
        if told {
            note(
                "Memory is the peak of the whole process, with the clouds and what methods before left behind."
                    .to_string(),
            );
        }
        if self.methods.iter().any(Row::is_cut_short) {
            note("! Stopped early: what it had by then.".to_string());
        }
        for left in &self.left_out {
            note(format!("Left out: {} {}.", left.method, left.reason.trim_end_matches('.')));
        }
        if let Some(file) = &self.file {
            text += &format!("\nWritten to {file}\n");
        }
        text
    }

    /// One row per method.
    pub fn csv(&self) -> String {
        let mut text = String::from("method,cost,cost_is,plan,ratio,lower_bound,gap,seconds,memory,stop\n");
        let cell = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for row in &self.methods {
            let memory = row.memory.map_or(String::new(), |bytes| bytes.to_string());
            let (ratio, bound, gap) = (cell(row.ratio), cell(row.lower_bound), cell(row.gap));
            let standing = word(row.cost_is);
            let Row { method, cost, plan, seconds, stop, .. } = row;
            text += &format!(
                "{method},{cost},{standing},{plan},{ratio},{bound},{gap},{seconds},{memory},{stop}\n"
            );
        }
        text
    }

    /// Cost against time.
    pub fn figure(&self) -> Scatter {
        let marks = self.methods.iter().enumerate().map(|(k, row)| Mark {
            name: row.method.to_string(),
            seconds: row.seconds,
            cost: row.cost,
            style: if k == 0 { Style::Main } else { Style::Variant(k - 1) },
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

fn kind(standing: CostIs) -> &'static str {
    match standing {
        CostIs::Optimal => "exact",
        CostIs::Upper => "upper",
        CostIs::Lower => "lower",
        CostIs::Other => "-",
    }
}

/// As in the JSON.
fn word(standing: CostIs) -> &'static str {
    match standing {
        CostIs::Optimal => "exact",
        CostIs::Upper => "upper-bound",
        CostIs::Lower => "lower-bound",
        CostIs::Other => "no-bound",
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
