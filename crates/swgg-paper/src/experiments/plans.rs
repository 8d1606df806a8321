//! Figure 7: plans of min-SWGG beside optimal ones, with their matrices.

use swgg::{Coupling, Exact, Measure, MinSwgg, Question, Run, Solver};
use swgg_testkit::{Cloud, plane_pair};

use super::Experiment;
use crate::Outcome;
use crate::chart::{Dots, Ink, Plane, Segments, Sheet};
use crate::clouds::{flat, measure};
use crate::record::{Record, Table};
use crate::scale::Scale;
use crate::statistics::short;

/// Clusters of the first example.
const BLOCKS: usize = 4;

pub struct Plans;

impl Experiment for Plans {
    fn name(&self) -> &'static str {
        "plans"
    }

    fn place(&self) -> &'static str {
        "Figure 7 (Supp. A.6)"
    }

    fn title(&self) -> &'static str {
        "Plans and their matrices"
    }

    fn shows(&self) -> &'static str {
        "Optimal plans beside those of min-SWGG, as lines between points and as matrices: clusters, and two clouds on top of each other."
    }

    fn says(&self) -> &'static str {
        "The plan of min-SWGG has the blocks of the optimal one where there are clusters; where clouds lie on top of each other, the general direction of transport is that of the optimal plan."
    }

    fn run(&self, scale: &Scale) -> Outcome<Record> {
        let n = scale.pick(40, 80, 200);
        let mut record = Record { seed: "0, of the clouds".to_string(), ..Record::default() };
        record.set("points", format!("{n} and {n}"));
        record.set("search of min-SWGG", "sweep: every line of the plane");
        let mut table = Table::new("squared", ["clouds", "W2, exact", "min-SWGG", "ratio"]);
        let mut sheet = Sheet::new(4);
        let mut matrices: Vec<Plane> = Vec::new();
        for (name, (x, y)) in [
            ("clusters", clusters(n)),
            ("on top of each other", plane_pair(n, [[0.0; 2]; 2], [[1.0, 1.0], [3.0, 0.6]], 0)),
        ] {
            let (mu, nu) = (measure(&x)?, measure(&y)?);
            let question = Question::new(&mu, &nu)?;
            let run = || Run::default().without_bounds();
            let (best, line) =
                (Exact.answer(&question, &mut run())?, MinSwgg::new().answer(&question, &mut run())?);
            let ratio = line.cost / best.cost;
            table.row([name.to_string(), short(best.cost), short(line.cost), short(ratio)]);
            record.ours(format!("{name}: W2^2"), best.cost);
            record.ours(format!("{name}: min-SWGG"), line.cost);
            match name {
                "clusters" => {
                    // Points are dealt to clusters in turn, so that the number of a point tells its cluster.
                    let block = |k: usize| k % BLOCKS;
                    let kept = agreement(best.plan()?, line.plan()?, block);
                    record.ours("clusters: share in the same block", kept);
                    record.claim(
                        kept > 0.95 && ratio < 1.5,
                        format!("of the clusters {:.0} % of the points go to the block of the optimal plan, at {ratio:.2} times its cost", 100.0 * kept),
                    );
                }
                _ => {
                    let cosine = alignment(&mu, &nu, best.plan()?, line.plan()?);
                    record.ours("on top of each other: cosine of displacements", cosine);
                    record.claim(
                        cosine > 0.5,
                        format!("on top of each other the displacements of both plans have cosine {cosine:.2}, each weighed by its length"),
                    );
                }
            }
            for (title, found) in [("optimal", &best), ("min-SWGG", &line)] {
                let plan = found.plan()?;
                let mut plane = Plane::new(format!("{name}: {title}, {}", short(found.cost)));
                let pairs = plan.entries().map(|(i, j, _)| [flat(&mu)[i], flat(&nu)[j]]).collect();
                plane.segments.push(Segments::new("plan", 6, 0.7, pairs));
                plane.dots.push(Dots::new("source", Ink::Palette(0), flat(&mu)));
                plane.dots.push(Dots::new("target", Ink::Palette(1), flat(&nu)));
                sheet.push(plane);
                matrices.push(matrix(title, plan, name == "clusters"));
            }
        }
        matrices.into_iter().for_each(|plane| sheet.push(plane));
        record.tables.push(table);
        record.svg("", "Above: pairs of points. Below: the matrices of the plans, source downwards, target to the right; clusters stand together.", sheet.draw());
        Ok(record)
    }
}

/// Clusters in a zigzag, each near one of the other cloud; points are dealt to them in turn.
fn clusters(n: usize) -> (Cloud, Cloud) {
    let (noise_x, noise_y) = plane_pair(n, [[0.0; 2]; 2], [[0.35; 2]; 2], 1);
    let centred = |cloud: Cloud, shift: [f64; 2]| {
        let place = |k: usize| {
            let (i, axis) = (k / 2, k % 2);
            let cluster = (i % BLOCKS) as f64;
            [3.0 * cluster, 2.0 * (i % 2) as f64][axis] + shift[axis]
        };
        let points = cloud.points.iter().enumerate().map(|(k, noise)| noise + place(k)).collect();
        Cloud { points, dim: 2 }
    };
    (centred(noise_x, [0.0, 0.0]), centred(noise_y, [0.6, 2.5]))
}

/// The share of source points that both plans send to the same block.
fn agreement(one: &Coupling, other: &Coupling, block: impl Fn(usize) -> usize) -> f64 {
    let blocks = |plan: &Coupling| -> Vec<Option<usize>> {
        (0..plan.source_len()).map(|i| plan.target_of(i).map(&block)).collect()
    };
    let (one, other) = (blocks(one), blocks(other));
    one.iter().zip(&other).filter(|(a, b)| a == b).count() as f64 / one.len() as f64
}

/// `sum <u, v> / sum |u| |v|` over the displacements `u`, `v` of the same point.
fn alignment(mu: &Measure<f64>, nu: &Measure<f64>, one: &Coupling, other: &Coupling) -> f64 {
    let (mut product, mut lengths) = (0.0, 0.0);
    for (i, j, _) in one.entries() {
        let Some(k) = other.target_of(i) else { continue };
        let way =
            |j: usize| -> Vec<f64> { nu.point(j).iter().zip(mu.point(i)).map(|(y, x)| y - x).collect() };
        let (u, v) = (way(j), way(k));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        product += dot(&u, &v);
        lengths += (dot(&u, &u) * dot(&v, &v)).sqrt();
    }
    product / lengths
}

/// The entries of a plan as dots of a square.
fn matrix(title: &str, plan: &Coupling, is_grouped: bool) -> Plane {
    let n = plan.source_len();
    // Clusters were dealt in turn: gathered, they are blocks.
    let place = |k: usize| if is_grouped { (k % BLOCKS) * n.div_ceil(BLOCKS) + k / BLOCKS } else { k };
    let entries = plan.entries().map(|(i, j, _)| [place(j) as f64, -(place(i) as f64)]).collect();
    let (low, high) = (-1.0, n as f64);
    let corners = [[low, -low], [high, -low], [high, -high], [low, -high]];
    let edges = (0..4).map(|k| [corners[k], corners[(k + 1) % 4]]).collect();
    let mut plane = Plane::new(format!("matrix: {title}"));
    plane.segments.push(Segments::new("", 6, 0.7, edges));
    plane.dots.push(Dots { radius: 1.3, ..Dots::new("", Ink::Palette(2), entries) });
    plane
}
