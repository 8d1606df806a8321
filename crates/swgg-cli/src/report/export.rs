//! The exporters: each takes any report.

use serde::Serialize;

use super::{Cell, Report};
use crate::args::Print;
use crate::exit::Outcome;
use crate::printer;

/// Prints a report as the user wants it: JSON, a few lines for a person, or nothing.
pub fn print(print: &Print, report: &impl Report) -> Outcome<()> {
    match print {
        Print { json: true, .. } => printer::result(&json(report)),
        Print { quiet: true, .. } => Ok(()),
        _ => printer::result(report.summary().as_str()),
    }
}

/// One JSON object on a line.
fn json(report: &impl Serialize) -> String {
    // Numbers, strings and lists: there is nothing in it that could fail to serialise.
    serde_json::to_string(report)
        .map_or_else(|error| format!("{{\"error\":\"{error}\"}}\n"), |text| text + "\n")
}

/// The table of a report, numbers with all their digits.
pub fn csv(report: &impl Report) -> String {
    let table = report.table();
    let mut text = table.columns.join(",") + "\n";
    for row in table.rows {
        let cells: Vec<String> = row.into_iter().map(cell).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn cell(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text.to_string(),
        Cell::Flag(flag) => flag.to_string(),
        Cell::Count(count) => count.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Empty => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Summary, Table};

    #[derive(Serialize)]
    struct One {
        n: usize,
        cost: f64,
    }

    impl Report for One {
        fn summary(&self) -> Summary {
            let mut summary = Summary::titled(format!("{} points", self.n));
            summary.line("cost", self.cost.to_string());
            summary.note("All of them.");
            summary
        }

        fn table(&self) -> Table {
            let row = vec![Cell::Count(self.n as u64), Cell::Number(self.cost), None::<f64>.into()];
            Table { columns: ["n", "cost", "gap"].map(String::from).to_vec(), rows: vec![row] }
        }
    }

    #[test]
    fn one_report_three_exports() {
        let one = One { n: 3, cost: 0.1 };
        assert_eq!(json(&one), "{\"n\":3,\"cost\":0.1}\n");
        assert_eq!(csv(&one), "n,cost,gap\n3,0.1,\n");
        assert_eq!(one.summary().as_str(), "3 points\n\n  cost       0.1\nAll of them.\n");
    }
}
