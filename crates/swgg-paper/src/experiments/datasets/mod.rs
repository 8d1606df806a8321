//! Figures 19 and 20: distances between labelled data sets.
//!
//! The paper's formula is a mean of roots, its numbers are not: they are those of the code that it names, which minimises half of the mean of
//! `|x - y|^2 + W_2^2` between the labels and takes no root. Read in thousands (the captions say hundreds), they agree with that.

mod published;
mod sets;

use std::time::Instant;

use swgg::paper::settings::{BLUR, COPIES, DIRECTIONS, LEARNING_RATE, SEARCH, STEPS};
use swgg::setting::{Setting, Settings as Told, Value as Held};
use swgg::{Auto, Run};
use swgg_apps::otdd::{DataSet, LabelDistance, Settings, otdd};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Heat, Sheet};
use crate::record::{Record, Table, slug};
use crate::scale::Scale;
use crate::statistics::{mean, short};
use published::{LARGE, Matrix, SMALL, matrices};
use sets::{Rows, SETS};

/// A distance between labels: its name here, its name in the application, and what it is told.
type Between = (&'static str, &'static str, fn() -> Vec<(&'static Setting, Held)>);

const MIN_SWGG: &str = "min-SWGG, optimised";

/// Those of Figure 19. (The paper's descent has neither copies nor blur, and so no slope; this one has its usual ones.)
const OF_LARGE: [Between; 2] = [
    (MIN_SWGG, "min-swgg", || vec![(&SEARCH, Held::Word("gradient".into())), (&STEPS, Held::Count(20))]),
    ("Sinkhorn", "sinkhorn", Vec::new),
];
/// Those of Figure 20.
const OF_SMALL: [Between; 5] = [
    ("W2", "exact", Vec::new),
    ("Sinkhorn", "sinkhorn", Vec::new),
    ("Bures", "bures", Vec::new),
    ("min-SWGG, random", "min-swgg", || {
        vec![(&SEARCH, Held::Word("random".into())), (&DIRECTIONS, Held::Count(1000))]
    }),
    (MIN_SWGG, "min-swgg", || {
        vec![
            (&SEARCH, Held::Word("gradient".into())),
            (&STEPS, Held::Count(50)),
            (&COPIES, Held::Count(20)),
            (&BLUR, Held::Number(0.5)),
            (&LEARNING_RATE, Held::Number(0.5)),
        ]
    }),
];

const UNIT: &str = "half of the mean squares, in thousands";
/// What the code behind the paper's numbers makes of a mean of squares, and their unit.
const HALF_IN_THOUSANDS: f64 = 0.5 / 1000.0;

/// What came out for one distance between labels: half of the mean squares row by row, in thousands, and seconds of all pairs.
#[derive(Clone)]
struct DistanceTable {
    halves: Vec<Vec<f64>>,
    seconds: f64,
}

impl DistanceTable {
    /// The pairs of the upper triangle, row by row.
    fn pairs(&self) -> Vec<f64> {
        places().map(|(i, j)| self.halves[i][j]).collect()
    }
}

fn places() -> impl Iterator<Item = (usize, usize)> {
    (0..SETS.len()).flat_map(|i| (i + 1..SETS.len()).map(move |j| (i, j)))
}

/// The five data sets, and a word for what is not as in the paper.
fn data_sets(scale: &Scale, count: usize, record: &mut Record) -> Outcome<Vec<Rows>> {
    scale.progress.tell("data sets");
    let rows: Vec<Rows> = match &scale.data {
        Some(data) => {
            record.stand_in = Some("capital letters of another collection in the place of EMNIST, and the test images of KMNIST for all of it".to_string());
            SETS.iter().map(|(_, file)| sets::read(data, file, count)).collect::<Outcome<_>>()?
        }
        None => {
            let (classes, side) = scale.pick((3, 8), (6, 14), (10, 28));
            record.stand_in = Some(format!(
                "drawn strokes and filled shapes of {side} x {side} pixels in {classes} classes, in the place of MNIST, EMNIST, Fashion-MNIST, KMNIST and USPS: \
                 their numbers are not the paper's, but what is said of them can be checked"
            ));
            (0..SETS.len()).map(|which| sets::draw(which, count, classes, side)).collect()
        }
    };
    let sets = labelled(&rows)?;
    let sizes = sets.iter().map(|set| set.len().to_string()).collect::<Vec<_>>().join(", ");
    record.set("points of the data sets", sizes);
    record.set("dimension", sets[0].dim());
    record.set(
        "cost",
        "half of the mean of |x - y|^2 + W2^2 between the labels, in thousands, not rooted; pixels as (x / 255 - 0.1307) / 0.3081",
    );
    record.set("plan between the points", "the default solver");
    record.seed = "0, of samples and searches".to_string();
    record.remarks.push(REMARK.to_string());
    Ok(rows)
}

const REMARK: &str = "The formula of the paper is a mean of roots; its numbers are those of the code that it names, which takes half of the mean of squares and no root: \
    in thousands, although the captions say hundreds. A result in the authors' notebook, 1304 for Fashion and KMNIST, is the 1.3 of the table.";

/// All of them with their labels.
fn labelled(rows: &[Rows]) -> Outcome<Vec<DataSet>> {
    rows.iter().map(Rows::labelled).collect()
}

/// All pairs, half of the mean squares in thousands; each pair is a part, for at full size it takes minutes.
fn halves(
    scale: &Scale,
    name: &str,
    sets: &[DataSet],
    label_distance: LabelDistance,
) -> Outcome<DistanceTable> {
    let settings = Settings { label_distance, power: 2.0 };
    let mut found = DistanceTable { halves: vec![vec![0.0; sets.len()]; sets.len()], seconds: 0.0 };
    for (i, j) in places() {
        let pair = format!("{name}-{}-{}", slug(SETS[i].0), slug(SETS[j].0));
        let (half, seconds): (f64, f64) = scale.part(&pair, || {
            let clock = Instant::now();
            let mut run = Run::default().without_bounds();
            let found = otdd(&sets[i], &sets[j], &settings, &Auto::default(), &mut run)?;
            Ok((HALF_IN_THOUSANDS * found.cost, clock.elapsed().as_secs_f64()))
        })?;
        (found.halves[i][j], found.halves[j][i]) = (half, half);
        found.seconds += seconds;
    }
    Ok(found)
}

/// All pairs by every distance between labels, with tables and pictures beside the paper's.
fn compare(
    scale: &Scale,
    record: &mut Record,
    name: &str,
    betweens: &[Between],
    published: &[Matrix],
    sets: &[DataSet],
) -> Outcome<Vec<DistanceTable>> {
    let names = SETS.map(|(name, _)| name);
    let (mut sheet, mut all) = (Sheet::new(3), Vec::new());
    let heads: Vec<String> =
        betweens.iter().flat_map(|(name, _, _)| [name.to_string(), "paper".to_string()]).collect();
    let title = format!("{UNIT}, ours and the paper's (in both orders of the pair)");
    let mut table = Table::new(title, std::iter::once("pair").chain(heads.iter().map(String::as_str)));
    for ((between, kind, settings), theirs) in betweens.iter().zip(published) {
        let mut told = Told::new();
        for (setting, value) in settings() {
            told.set(setting, value)?;
        }
        let label_distance = LabelDistance::build(kind, &told)?;
        let found = halves(scale, &format!("{name}-{}", slug(between)), sets, label_distance)?;
        let values = |i: usize| (0..SETS.len()).map(|j| (i != j).then(|| found.halves[i][j])).collect();
        sheet.push(Heat::new(
            format!("{between} between labels, {} s", short(found.seconds)),
            &names.map(|name| &name[..name.len().min(7)]),
            &names,
            (0..SETS.len()).map(values).collect(),
        ));
        record.ours(format!("{between}: {UNIT}"), found.halves.clone());
        record.ours(format!("{between}: seconds of all pairs"), found.seconds);
        record
            .theirs(format!("{between}: {UNIT}"), theirs.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
        all.push(found);
    }
    for (i, j) in places() {
        let cells = all.iter().zip(published).flat_map(|(found, theirs)| {
            [format!("{:.3}", found.halves[i][j]), format!("{}, {}", theirs[i][j], theirs[j][i])]
        });
        table.row([format!("{}, {}", names[i], names[j])].into_iter().chain(cells));
    }
    record.tables.push(table);
    record.svg("", "Half of the mean squares, in thousands.", sheet.draw());
    claims(scale, record, betweens, published, &all);
    Ok(all)
}

fn claims(
    scale: &Scale,
    record: &mut Record,
    betweens: &[Between],
    published: &[Matrix],
    all: &[DistanceTable],
) {
    // The paper's own example of an order that is kept.
    let examples: Vec<(f64, f64)> =
        all.iter().map(|found| (found.halves[0][4], found.halves[0][2])).collect();
    let told = betweens
        .iter()
        .zip(&examples)
        .map(|((name, _, _), (usps, fashion))| format!("{name} {} and {}", short(*usps), short(*fashion)));
    record.claim(
        examples.iter().all(|(usps, fashion)| usps < fashion),
        format!("MNIST is closer to USPS than to Fashion ({})", told.collect::<Vec<_>>().join(", ")),
    );
    let at = betweens.iter().position(|(name, _, _)| *name == MIN_SWGG).unwrap_or(0);
    let line = all[at].pairs();
    for (k, ((name, _, _), found)) in betweens.iter().zip(all).enumerate().filter(|(k, _)| *k != at) {
        let pairs = found.pairs();
        let ratio = mean(&line) / mean(&pairs);
        let rank = rank_correlation(&line, &pairs);
        record.ours(format!("{MIN_SWGG} beside {name}: ratio"), ratio);
        record.ours(format!("{MIN_SWGG} beside {name}: rank correlation"), rank);
        record.claim(
            (1.0 / 3.0..3.0).contains(&ratio) && rank > 0.6,
            format!("{}min-SWGG is {ratio:.2} times {name} in the mean, pairs in about the same order (rank correlation {rank:.2})", if k == 0 || at == 0 { "optimised " } else { "" }),
        );
    }
    if scale.data.is_some() {
        for ((name, _, _), (found, theirs)) in betweens.iter().zip(all.iter().zip(published)) {
            let theirs: Vec<f64> = places().map(|(i, j)| 0.5 * (theirs[i][j] + theirs[j][i])).collect();
            let ratio = mean(&found.pairs()) / mean(&theirs);
            let rank = rank_correlation(&found.pairs(), &theirs);
            record.ours(format!("{name} beside the paper's: ratio"), ratio);
            record.ours(format!("{name} beside the paper's: rank correlation"), rank);
            record.claim(
                (0.4..2.5).contains(&ratio) && rank > 0.4,
                format!("{name}: ours are {ratio:.2} times the paper's, rank correlation {rank:.2}"),
            );
        }
    }
}

/// The same without a word about labels, which is what the paper's numbers for W2 look like.
///
/// With one label on either side the distance between labels is that between all points, so half of what comes out belongs to the points.
fn without_labels(scale: &Scale, record: &mut Record, rows: &[Rows], exact: &DistanceTable) -> Outcome<()> {
    let alike = rows.iter().map(Rows::unlabelled).collect::<Outcome<Vec<_>>>()?;
    let found = halves(scale, "datasets-labels-without", &alike, LabelDistance::Exact)?;
    let points: Vec<f64> = found.pairs().iter().map(|x| 0.5 * x).collect();
    let whole = exact.pairs();
    record.ours(format!("without labels: {UNIT}"), points.clone());
    let share = mean(&points) / mean(&whole);
    record.claim(
        points.iter().zip(&whole).all(|(points, whole)| points < whole),
        format!("points alone make {:.0} % of it", 100.0 * share),
    );
    if scale.data.is_some() {
        let [w2, ..] = matrices(&SMALL);
        let theirs: Vec<f64> = places().map(|(i, j)| 0.5 * (w2[i][j] + w2[j][i])).collect();
        let (with, without) = (mean(&whole) / mean(&theirs), mean(&points) / mean(&theirs));
        record.ours("W2 without labels beside the paper's W2: ratio", without);
        record.claim(
            (0.75..1.33).contains(&without) && (with - 1.0).abs() > (without - 1.0).abs(),
            format!(
                "the paper's W2, half of its other tables and below its Bures, which no W2 can be, are {without:.2} times smaller than ours without any distance between labels \
                 ({with:.2} with): there the exact solver, given weights in single precision, seems to have found nothing to move"
            ),
        );
    }
    Ok(())
}

/// Spearman's: the correlation of ranks, equal numbers sharing theirs.
fn rank_correlation(one: &[f64], other: &[f64]) -> f64 {
    let ranks = |numbers: &[f64]| -> Vec<f64> {
        let below = |x: f64| numbers.iter().filter(|y| **y < x).count() as f64;
        let equal = |x: f64| numbers.iter().filter(|y| **y == x).count() as f64;
        numbers.iter().map(|x| below(*x) + 0.5 * (equal(*x) - 1.0)).collect()
    };
    let centred = |numbers: Vec<f64>| -> Vec<f64> {
        let middle = mean(&numbers);
        numbers.into_iter().map(|x| x - middle).collect()
    };
    let (a, b) = (centred(ranks(one)), centred(ranks(other)));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

pub struct Large;

impl Experiment for Large {
    fn name(&self) -> &'static str {
        "datasets"
    }

    fn place(&self) -> &'static str {
        "Figure 19 (Supp. E.7)"
    }

    fn title(&self) -> &'static str {
        "Distances between data sets, 40 000 samples"
    }

    fn shows(&self) -> &'static str {
        "The optimal transport data-set distance between five collections of small images, with min-SWGG or the Sinkhorn divergence between labels."
    }

    fn says(&self) -> &'static str {
        "Orders of magnitude are kept with min-SWGG: MNIST is closer to USPS than to Fashion-MNIST with either, and min-SWGG is the cheaper one to compute."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record::default();
        let sets = labelled(&data_sets(scale, scale.pick(90, 300, 40_000), &mut record)?)?;
        let found = compare(scale, &mut record, self.name(), &OF_LARGE, &matrices(&LARGE), &sets)?;
        let [line, sinkhorn] = [found[0].seconds, found[1].seconds];
        record.timed_claim(
            line < sinkhorn,
            format!("all pairs take {} s with min-SWGG, {} s with Sinkhorn", short(line), short(sinkhorn)),
        );
        Ok(record)
    }
}

pub struct Small;

impl Experiment for Small {
    fn name(&self) -> &'static str {
        "datasets-labels"
    }

    fn place(&self) -> &'static str {
        "Figure 20 (Supp. E.7)"
    }

    fn title(&self) -> &'static str {
        "Distances between data sets, 2000 samples"
    }

    fn shows(&self) -> &'static str {
        "The same with five distances between labels: exact transport, Sinkhorn, Bures, and min-SWGG by random search and by descent."
    }

    fn says(&self) -> &'static str {
        "min-SWGG is comparable in magnitude to exact transport, Sinkhorn and the Bures approximation."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let mut record = Record::default();
        let rows = data_sets(scale, scale.pick(60, 180, 2000), &mut record)?;
        let found =
            compare(scale, &mut record, self.name(), &OF_SMALL, &matrices(&SMALL), &labelled(&rows)?)?;
        without_labels(scale, &mut record, &rows, &found[0])?;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate() {
        assert!((rank_correlation(&[1.0, 2.0, 9.0], &[10.0, 11.0, 12.0]) - 1.0).abs() < 1e-12);
        assert!((rank_correlation(&[1.0, 2.0, 9.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-12);
        assert!(rank_correlation(&[1.0, 1.0, 2.0, 2.0], &[1.0, 2.0, 1.0, 2.0]).abs() < 1e-12);
    }
}
