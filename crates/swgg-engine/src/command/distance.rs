//! `swgg distance --engine datafusion`.

use std::sync::Arc;

use crate::{Distance, DistanceRequest, Kind, Meter, Result, distance};
use serde::Serialize;
use swgg::answer::{counted, grouped};

use super::args::{DistanceArgs, DistanceKind, request};
use super::bar::Bar;

/// Its fields are the JSON of `distance --engine`.
#[derive(Debug, Serialize)]
struct DistanceReport {
    method: &'static str,
    engine: &'static str,
    n: u64,
    m: u64,
    d: usize,
    p: f64,
    cost: f64,
    distance: f64,
    standard_error: Option<f64>,
    lower_bound: Option<f64>,
    theta: Option<Vec<f64>>,
    sample: Option<[usize; 2]>,
    directions: usize,
    spilled: u64,
    seed: u64,
    threads: usize,
    seconds: f64,
}

/// Computes and returns what is printed.
pub fn run(args: &DistanceArgs, meter: &Arc<Meter>) -> Result<String> {
    args.tables.engine.here()?;
    let bar = Bar::of(meter, &args.print);
    let (kind, method) = match args.kind {
        DistanceKind::Sw => (Kind::Sliced, "sw"),
        DistanceKind::MaxSw => (Kind::MaxSliced, "max-sw"),
        DistanceKind::MinSwgg => (Kind::MinSwgg, "min-swgg"),
    };
    let asked = DistanceRequest {
        tables: request(&args.tables, &args.resources),
        kind,
        p: args.p,
        directions: args.directions.map(|count| count as usize),
        full: args.full,
    };
    let found = distance(&asked, meter)?;
    drop(bar);
    let report = DistanceReport::new(method, &found, args.resources.seed);
    Ok(match (args.print.json, args.print.quiet) {
        (true, _) => serde_json::to_string(&report).unwrap_or_default() + "\n",
        (false, true) => String::new(),
        (false, false) => report.summary(),
    })
}

impl DistanceReport {
    fn new(method: &'static str, found: &Distance, seed: u64) -> Self {
        DistanceReport {
            method,
            engine: "datafusion",
            n: found.n,
            m: found.m,
            d: found.d,
            p: found.p,
            cost: found.cost,
            distance: found.cost.powf(1.0 / found.p),
            standard_error: found.standard_error,
            lower_bound: found.lower_bound,
            theta: found.theta.clone(),
            sample: found.sample,
            directions: found.evaluated,
            spilled: found.spilled,
            seed,
            threads: found.threads,
            seconds: found.seconds,
        }
    }

    fn summary(&self) -> String {
        let error = self.standard_error.map_or_else(String::new, |error| format!(" +- {error:.2e}"));
        let mut text = format!(
            "{} on DataFusion\n  points       {} -> {} in dimension {}\n  cost         {}{error}\n  distance     {}\n",
            self.method,
            grouped(self.n as usize),
            grouped(self.m as usize),
            self.d,
            self.cost,
            self.distance
        );
        if let Some(bound) = self.lower_bound {
            text += &format!("  lower bound  {bound} of every plan\n");
        }
        if let Some(theta) = &self.theta {
            let shown: Vec<String> = theta.iter().take(5).map(|x| format!("{x:.4}")).collect();
            let more = if theta.len() > 5 { ", ..." } else { "" };
            text += &format!("  direction    ({}{more})\n", shown.join(", "));
        }
        if let Some([n, m]) = self.sample {
            text += &format!("  sample       {} and {} points for the search\n", grouped(n), grouped(m));
        }
        text += &format!(
            "  time         {:.2} s for {} on all rows, {}\n",
            self.seconds,
            counted(self.directions, "line"),
            counted(self.threads, "thread")
        );
        text
    }
}
