//! Figure 13: times of the three searches.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use swgg::paper::{Annealing, InMemory, RandomSearch, Search, SearchOutcome};
use swgg_testkit::gaussian_pair;

use super::Experiment;
use super::searches::optimised;
use crate::Outcome;
use crate::chart::{Axis, Plot, Series, Sheet};
use crate::clouds::{exact, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::{growth, short};

/// Lines of random search, steps of annealing (Supp. E.2).
const LINES: usize = 500;
const NAMES: [&str; 3] = ["random search", "annealing", "descent"];
/// Sizes up to which the optimum is looked for beside.
const EXACT: usize = 1000;

pub struct Timings;

/// Seconds, value and lines tried of the three searches at one size, and the optimum if it was looked for.
#[derive(Serialize, Deserialize)]
struct Row {
    n: usize,
    searches: Vec<(f64, f64, usize)>,
    optimum: Option<f64>,
}

impl Experiment for Timings {
    fn name(&self) -> &'static str {
        "timings"
    }

    fn place(&self) -> &'static str {
        "Figure 13 (Supp. E.2)"
    }

    fn title(&self) -> &'static str {
        "Times of the three searches"
    }

    fn shows(&self) -> &'static str {
        "Seconds of random search, annealing and descent between two Gaussians in dimension 2, 20 and 200, as the number of points grows."
    }

    fn says(&self) -> &'static str {
        "In all cases the time grows about linearly with the number of points."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let most = scale.pick(2e4, 3e5, 2e7);
        let mut record = Record { seed: "0".to_string(), ..Record::default() };
        record.set("random search", format!("{LINES} lines"));
        record.set("annealing", format!("{LINES} steps"));
        record.set("descent", "100 steps, s = 10, one start");
        record.set("coordinates of a cloud", format!("{most:e} at most"));
        record.set("threads", "all");
        let mut sheet = Sheet::new(3);
        let mut table = Table::new("seconds", ["d", "n"].into_iter().chain(NAMES));
        let (mut is_above, mut tried, mut checked) = (true, true, 0);
        for d in [2, 20, 200] {
            let sizes = [100, 300, 1000, 3000, 10_000, 30_000, 100_000];
            let sizes: Vec<usize> = sizes
                .into_iter()
                .filter(|n| (n * d) as f64 <= most && *n <= scale.pick(1000, 10_000, 100_000))
                .collect();
            let rows: Vec<Row> =
                scale.part(&format!("timings-{d}"), || sizes.iter().map(|n| row(*n, d)).collect())?;
            let mut plot = Plot::new(format!("d = {d}"), Axis::log("points"), Axis::log("seconds"));
            for (k, name) in NAMES.iter().enumerate() {
                let curve: Vec<(f64, f64)> =
                    rows.iter().map(|row| (row.n as f64, row.searches[k].0)).collect();
                record.ours(
                    format!("d = {d}: {name}, seconds"),
                    curve.iter().map(|(_, s)| *s).collect::<Vec<_>>(),
                );
                let large: Vec<(f64, f64)> = curve.iter().copied().filter(|(n, _)| *n >= 1000.0).collect();
                if large.len() >= 2 {
                    let power = growth(&large);
                    record.timed_claim(
                        power < 1.35,
                        format!("d = {d}: {name} grows as n to the power {power:.2}"),
                    );
                }
                plot.series.push(Series::line(*name, [0, 2, 1][k], curve));
            }
            record.ours(format!("d = {d}: n"), sizes);
            for row in &rows {
                let cells = row.searches.iter().map(|(seconds, _, _)| short(*seconds));
                table.row([d.to_string(), row.n.to_string()].into_iter().chain(cells));
                tried &= row.searches[0].2 == LINES && row.searches[1].2 > LINES;
                if let Some(optimum) = row.optimum {
                    checked += 1;
                    is_above &= row.searches.iter().all(|(_, cost, _)| *cost >= optimum * (1.0 - 1e-9));
                }
            }
            sheet.push(plot);
        }
        record.claim(
            is_above && tried,
            format!("every search tried the lines it was given, and none of its costs is below the optimum ({checked} pairs)"),
        );
        record.tables.push(table);
        record.svg("", "Seconds on this machine.", sheet.draw());
        Ok(record)
    }
}

fn row(n: usize, d: usize) -> Outcome<Row> {
    let (x, y) = gaussian_pair(n, d, d, 0);
    let (mu, nu) = (measure(&x)?, measure(&y)?);
    let slices = InMemory::new(&mu, &nu)?;
    let timed = |search: &dyn Search| -> Outcome<(f64, f64, usize)> {
        let once = || -> Outcome<(f64, SearchOutcome)> {
            let clock = Instant::now();
            let found = search.run(&slices, &mut ())?;
            Ok((clock.elapsed().as_secs_f64(), found))
        };
        let (mut seconds, found) = once()?;
        // The first of short runs pays for memory that is new.
        if seconds < 0.1 {
            seconds = seconds.min(once()?.0);
        }
        Ok((seconds, found.cost, found.tried))
    };
    let random = RandomSearch { directions: LINES, ..Default::default() };
    let searches = vec![timed(&random)?, timed(&Annealing::default())?, timed(&optimised(0))?];
    let optimum = if n <= EXACT { Some(exact(&mu, &nu)?) } else { None };
    Ok(Row { n, searches, optimum })
}
