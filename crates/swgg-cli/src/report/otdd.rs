//! How far data sets are apart.

use serde::Serialize;
use swgg::answer::{grouped, percent};
use swgg::{CostIs, Parallelism, Stop};
use swgg_apps::otdd::{Distances, Join, LabelDistance, PairDistance, Settings};

use super::transport::named;
use super::{Report, Summary};
use crate::args::Otdd;
use crate::printer::{counted, number};
use crate::seconds::Seconds;

/// Distances between all pairs of some data sets.
#[derive(Serialize)]
pub struct OtddReport {
    pub sets: Vec<SetReport>,
    pub d: usize,
    pub power: u8,
    pub label_distance: &'static str,
    /// How lines are looked for, where labels are compared by min-swgg.
    pub search: Option<String>,
    pub method: String,
    /// The distance, where there are two data sets.
    pub distance: Option<f64>,
    /// Symmetric, zeros on the diagonal, nothing where there was no time.
    pub distances: Vec<Vec<Option<f64>>>,
    pub pairs: Vec<PairReport>,
    /// Average linkage, where all distances are known.
    pub joins: Option<Vec<JoinReport>>,
    /// What was done to points and labels on the way.
    pub notes: Vec<String>,
    pub seed: u64,
    pub threads: usize,
    pub stop: &'static str,
    pub picture: Option<String>,
    /// What to say of the page.
    #[serde(skip)]
    pub page: Option<String>,
    pub seconds: Seconds,
}

/// One data set.
#[derive(Serialize)]
pub struct SetReport {
    pub name: String,
    pub n: usize,
    /// What the labels are called, in their order.
    pub labels: Vec<String>,
    pub class_sizes: Vec<usize>,
}

/// Two of them.
#[derive(Serialize)]
pub struct PairReport {
    source: usize,
    target: usize,
    distance: f64,
    cost: f64,
    #[serde(serialize_with = "named")]
    cost_is: CostIs,
    lower_bound: Option<f64>,
    gap: Option<f64>,
    label_distances: Vec<Vec<f64>>,
    story: String,
    stop: &'static str,
    seconds: Seconds,
}

impl PairReport {
    /// How far the plan may be from the cheapest one.
    fn quality(&self, gap: f64, what: &str) -> String {
        match self.cost_is {
            CostIs::Optimal => format!("{what} (certified)"),
            _ => format!("within {} of {what} (certified)", percent(gap)),
        }
    }

    /// By which the worst of all is found: plans of which nothing is known are.
    fn rank(&self) -> f64 {
        if self.cost_is == CostIs::Optimal { 0.0 } else { self.gap.unwrap_or(f64::INFINITY) }
    }
}

/// Two groups that become one.
#[derive(Serialize)]
pub struct JoinReport {
    groups: [usize; 2],
    height: f64,
}

impl OtddReport {
    pub fn new(
        found: &Distances,
        sets: Vec<SetReport>,
        d: usize,
        (args, settings): (&Otdd, &Settings),
        seconds: Seconds,
    ) -> Self {
        let told = |pair: &PairDistance| PairReport {
            source: pair.source,
            target: pair.target,
            distance: pair.distance,
            cost: pair.cost,
            cost_is: pair.cost_is,
            lower_bound: pair.lower_bound,
            gap: pair.gap,
            label_distances: pair.label_distances.rows().into_iter().map(|row| row.to_vec()).collect(),
            story: pair.story.clone(),
            stop: pair.stop.name(),
            seconds: Seconds::new([("labels", pair.seconds[0]), ("plan", pair.seconds[1])]),
        };
        let known = |distance: &f64| distance.is_finite().then_some(*distance);
        let rows = found.matrix.rows().into_iter();
        OtddReport {
            d,
            power: settings.power as u8,
            label_distance: settings.label_distance.name(),
            search: match &settings.label_distance {
                LabelDistance::MinSwgg { search } => {
                    search.word(&swgg::paper::settings::SEARCH).map(str::to_owned)
                }
                _ => None,
            },
            method: args.method.clone(),
            distance: found.pairs.first().filter(|_| sets.len() == 2).map(|pair| pair.distance),
            distances: rows.map(|row| row.iter().map(known).collect()).collect(),
            pairs: found.pairs.iter().map(told).collect(),
            joins: None,
            notes: Vec::new(),
            seed: args.search.seed,
            threads: Parallelism::from_count(args.search.threads).threads(),
            stop: found.stop.name(),
            picture: args.picture.as_ref().map(|path| path.display().to_string()),
            page: None,
            seconds,
            sets,
        }
    }

    /// With what is close to what.
    pub fn with_tree(&mut self, joins: Option<&[Join]>) {
        let told = |join: &Join| JoinReport { groups: join.groups, height: join.height };
        self.joins = joins.map(|joins| joins.iter().map(told).collect());
    }

    pub fn title(&self) -> String {
        let words = if self.power == 2 { ", squared cost" } else { "" };
        format!("Distances between {} data sets, labels by {}{words}", self.sets.len(), self.label_distance)
    }

    /// The matrix, with names.
    fn matrix(&self) -> String {
        let width = self.sets.iter().map(|set| set.name.chars().count()).max().unwrap_or(0);
        let cell = |distance: &Option<f64>| distance.map_or("-".to_string(), number);
        let cells: Vec<Vec<String>> =
            self.distances.iter().map(|row| row.iter().map(cell).collect()).collect();
        let wide = cells.iter().flatten().map(String::len).max().unwrap_or(0);
        let mut text = String::new();
        for (set, row) in self.sets.iter().zip(cells) {
            let row: Vec<String> = row.iter().map(|cell| format!("{cell:>wide$}")).collect();
            text += &format!("  {:<width$}  {}\n", set.name, row.join("  "));
        }
        text
    }
}

impl Report for OtddReport {
    fn summary(&self) -> Summary {
        let mut summary = match &self.sets[..] {
            [a, b] => Summary::titled(format!(
                "Distance between {} ({} points) and {} ({} points) in dimension {}",
                a.name,
                grouped(a.n),
                b.name,
                grouped(b.n),
                self.d
            )),
            all => Summary::titled(format!(
                "Distances between {} ({} points) in dimension {}",
                counted(all.len(), "data set"),
                grouped(all.iter().map(|set| set.n).sum()),
                self.d
            )),
        };
        match (&self.sets[..], &self.pairs[..]) {
            ([_, _], [pair]) => {
                summary.line("distance", number(pair.distance));
                let what = if self.power == 2 { "squared, of the plan" } else { "of the plan" };
                summary.line("cost", format!("{:<12} {what}", number(pair.cost)));
                if let Some(gap) = pair.gap.filter(|gap| *gap < 1.0) {
                    summary.line("quality", pair.quality(gap, "the cheapest plan"));
                }
            }
            (_, []) => summary.line("stopped", "before there was a distance"),
            _ => {
                summary.text(self.matrix());
                summary.text("\n");
                let worst = self.pairs.iter().max_by(|a, b| a.rank().total_cmp(&b.rank()));
                if let Some((pair, gap)) = worst.and_then(|pair| Some((pair, pair.gap?))) {
                    summary.line("quality", pair.quality(gap, "the cheapest plans"));
                }
            }
        }
        let classes: Vec<String> = self.sets.iter().map(|set| set.labels.len().to_string()).collect();
        summary.line("classes", classes.join(", "));
        if self.stop == Stop::Interrupted.name() && !self.pairs.is_empty() {
            summary.line("stopped", "early; pairs that are missing have no distance");
        }
        summary.line("time", self.seconds.told(self.threads));
        summary.text("\n");
        if let Some(pair) = self.pairs.first() {
            summary.note(&format!("{}.", capitalised(&pair.story)));
        }
        for note in &self.notes {
            summary.note(&format!("{}.", capitalised(note)));
        }
        if let Some(path) = &self.picture {
            summary.text(format!("\nPicture written to {path}\n"));
        }
        if let Some(told) = &self.page {
            summary.text(format!("\n{told}"));
        }
        summary
    }
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}
