//! Table 1, Figure 16 and Table 3: registration of point clouds by matching and fitting in turn.

mod bench;
mod runs;

use runs::{Case, METHODS, Run, runs};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Axis, Boxes, Group, Sheet};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{mean, median, short};

/// The paper's means for 500, 3000 and 150 000 points, row by row: nearest neighbours, exact transport, min-SWGG.
type Published = [[Option<f64>; 3]; 3];
const DIVERGENCES: Published = [
    [Some(3.54), Some(96.9), Some(23.3)],
    [Some(0.32), Some(48.4), None],
    [Some(0.05), Some(37.6), Some(6.7)],
];
const SECONDS: Published = [
    [Some(0.02), Some(0.30), Some(59.37)],
    [Some(0.18), Some(58.46), None],
    [Some(0.04), Some(0.90), Some(105.75)],
];
const CHAMFERS: Published = [
    [Some(11.65), Some(0.20), Some(6.90)],
    [Some(0.03), Some(0.16), None],
    [Some(0.08), Some(0.13), Some(8e-4)],
];
const FROBENIUS: Published = [
    [Some(526.0), Some(30.04), Some(21.7)],
    [Some(3.8), Some(6.5), None],
    [Some(2.0), Some(4.5), Some(6.01)],
];

/// A table of means beside the paper's, and the same for scripts.
fn tabulate(
    record: &mut Record,
    title: &str,
    cases: &[Case],
    number: impl Fn(&Run) -> Option<f64>,
    published: &Published,
) {
    let heads: Vec<String> = cases
        .iter()
        .flat_map(|case| [format!("n = {}", case.points), format!("paper, {}", case.paper_points)])
        .collect();
    let mut table = Table::new(title, std::iter::once("").chain(heads.iter().map(String::as_str)));
    for (k, method) in METHODS.iter().enumerate() {
        let mut row = vec![method.to_string()];
        for (c, case) in cases.iter().enumerate() {
            let ours = mean_of(case, k, &number);
            let theirs = published.get(k).and_then(|row| row[c]);
            row.push(ours.map_or("-".to_string(), short));
            row.push(theirs.map_or("-".to_string(), short));
            let name = format!("{title}: {method}, {}", case.paper_points);
            record.ours(name.clone(), ours);
            if k < published.len() {
                record.theirs(name, theirs);
            }
        }
        table.row(row);
    }
    record.tables.push(table);
}

/// The mean of a number over the runs of a method, if there are any.
fn mean_of(case: &Case, method: usize, number: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
    let numbers = case.numbers(method, number);
    (!numbers.is_empty()).then(|| mean(&numbers))
}

/// Whether min-SWGG is below nearest neighbours in a number, cloud by cloud.
fn claim_better(record: &mut Record, what: &str, cases: &[Case], number: impl Fn(&Run) -> Option<f64>) {
    for case in cases {
        let means = [0, 2, 1].map(|method| mean_of(case, method, &number));
        let [Some(nearest), Some(line), exact] = means else { continue };
        let beside = exact.map_or(String::new(), |exact| format!(", {} by exact transport", short(exact)));
        record.claim(
            line < nearest,
            format!(
                "{} points: {what} is {} by min-SWGG, {} by nearest neighbours{beside}",
                case.points,
                short(line),
                short(nearest)
            ),
        );
    }
}

const REMARK: &str = "The paper does not say which blur its Sinkhorn divergence has, nor whether Chamfer is a sum or a mean (here: mean), so compare rows of a column rather than columns.";

pub struct Divergences;

impl Experiment for Divergences {
    fn name(&self) -> &'static str {
        "registration"
    }

    fn place(&self) -> &'static str {
        "Table 1"
    }

    fn title(&self) -> &'static str {
        "Registration: Sinkhorn divergence and time"
    }

    fn shows(&self) -> &'static str {
        "How far the moved source is from the target when matching and fitting in turn have come to their end, by nearest neighbours, exact transport and min-SWGG."
    }

    fn says(&self) -> &'static str {
        "Matching by transport ends better than by nearest neighbours, and min-SWGG does so at sizes where exact transport cannot be had."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record::default();
        let cases = runs(scale, &mut record)?;
        tabulate(&mut record, "Sinkhorn divergence, mean", &cases, |run| run.divergence, &DIVERGENCES);
        tabulate(&mut record, "seconds, mean", &cases, |run| Some(run.seconds), &SECONDS);
        claim_better(&mut record, "the divergence", &cases, |run| run.divergence);
        for case in &cases {
            if let [Some(exact), Some(line)] =
                [1, 2].map(|method| mean_of(case, method, |run| Some(run.seconds)))
            {
                record.timed_claim(
                    line < exact,
                    format!(
                        "{} points: min-SWGG takes {} s, exact transport {} s",
                        case.points,
                        short(line),
                        short(exact)
                    ),
                );
            }
        }
        record.remarks.push(REMARK.to_string());
        Ok(record)
    }
}

pub struct Distributions;

impl Experiment for Distributions {
    fn name(&self) -> &'static str {
        "registration-seeds"
    }

    fn place(&self) -> &'static str {
        "Figure 16 (Supp. E.5)"
    }

    fn title(&self) -> &'static str {
        "Registration: distributions over the seeds"
    }

    fn shows(&self) -> &'static str {
        "Sinkhorn divergence, Chamfer, Frobenius, time and number of steps of every run, method by method."
    }

    fn says(&self) -> &'static str {
        "Nearest neighbours end in local minima; min-SWGG converges well, and most often quickly."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record::default();
        let cases = runs(scale, &mut record)?;
        let mut table = Table::new(
            "poses recovered, within 2 degrees and 2 % of the diameter",
            std::iter::once("n").chain(METHODS),
        );
        type Number = fn(&Run) -> Option<f64>;
        let numbers: [(&str, Number); 5] = [
            ("Sinkhorn divergence", |run| run.divergence),
            ("square Chamfer, mean", |run| Some(run.chamfer)),
            ("square Frobenius", |run| Some(run.frobenius)),
            ("seconds", |run| Some(run.seconds)),
            ("steps", |run| Some(run.steps)),
        ];
        for case in &cases {
            let recovered: Vec<usize> =
                case.methods.iter().map(|runs| runs.iter().filter(|run| run.recovered).count()).collect();
            let cells = recovered.iter().zip(&case.methods).map(|(count, runs)| match runs.len() {
                0 => "-".to_string(),
                all => format!("{count} of {all}"),
            });
            table.row([case.points.to_string()].into_iter().chain(cells));
            record.ours(format!("{}: recovered", case.paper_points), recovered.clone());
            let share = |method: usize| recovered[method] as f64 / case.methods[method].len().max(1) as f64;
            let medians = [0, 2].map(|method| median(&case.numbers(method, |run| run.divergence)));
            record.claim(
                share(2) >= share(0) && medians[1] < medians[0],
                format!(
                    "{} points: min-SWGG recovers {} of {} poses, nearest neighbours {} of {} (median divergence {} and {})",
                    case.points,
                    recovered[2],
                    case.methods[2].len(),
                    recovered[0],
                    case.methods[0].len(),
                    short(medians[1]),
                    short(medians[0])
                ),
            );
            let mut sheet = Sheet::new(3);
            for (title, number) in numbers {
                let groups = METHODS.iter().enumerate().filter(|(k, _)| !case.methods[*k].is_empty());
                let groups = groups
                    .map(|(k, name)| Group::new(short_name(name), [4, 3, 1, 0][k], case.numbers(k, number)));
                sheet.push(Boxes::new(
                    format!("{title}, n = {}", case.points),
                    Axis::log(""),
                    groups.collect(),
                ));
            }
            record.svg(
                &case.paper_points.to_string(),
                format!(
                    "{} points: every run is a dot, half of them lie in the box, the line is the median.",
                    case.points
                ),
                sheet.draw(),
            );
        }
        record.tables.push(table);
        record.remarks.push(REMARK.to_string());
        Ok(record)
    }
}

/// A name that fits below a box.
fn short_name(name: &str) -> &str {
    match name {
        "nearest neighbours" => "nearest",
        "exact transport" => "exact",
        name => name,
    }
}

pub struct Scores;

impl Experiment for Scores {
    fn name(&self) -> &'static str {
        "chamfer"
    }

    fn place(&self) -> &'static str {
        "Table 3 (Supp. E.5)"
    }

    fn title(&self) -> &'static str {
        "Registration: Chamfer and Frobenius"
    }

    fn shows(&self) -> &'static str {
        "Two more scores of the same registrations: the square Chamfer distance to the target and the square Frobenius distance to the true motion."
    }

    fn says(&self) -> &'static str {
        "By both scores min-SWGG ends much better than nearest neighbours and close to exact transport or better."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record::default();
        let cases = runs(scale, &mut record)?;
        tabulate(&mut record, "square Chamfer, mean", &cases, |run| Some(run.chamfer), &CHAMFERS);
        tabulate(&mut record, "square Frobenius, mean", &cases, |run| Some(run.frobenius), &FROBENIUS);
        claim_better(&mut record, "Chamfer", &cases, |run| Some(run.chamfer));
        for case in &cases {
            let medians = [0, 2].map(|method| median(&case.numbers(method, |run| Some(run.frobenius))));
            record.claim(
                medians[1] < medians[0],
                format!(
                    "{} points: the median of Frobenius is {} by min-SWGG, {} by nearest neighbours",
                    case.points,
                    short(medians[1]),
                    short(medians[0])
                ),
            );
        }
        record.remarks.push(REMARK.to_string());
        Ok(record)
    }
}
