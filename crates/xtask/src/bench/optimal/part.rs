//! The parts of the bench: their cases, and what each must come to.

use serde_json::{Value, json};

use super::options::Options;

pub struct Part {
    pub name: &'static str,
    pub what: &'static str,
    /// Points, unless others are asked for.
    sizes: &'static [usize],
    cases: fn(&Part, &Options) -> Vec<Case>,
}

/// Clouds, and who solves them.
pub struct Case {
    /// The family, the weights or the class of pictures: what tells rows of a part apart.
    pub label: String,
    pub n: usize,
    /// In words: `128x128` for pictures.
    pub size: String,
    pub d: usize,
    pub seed: u64,
    /// What `optimal.py` draws.
    pub draw: Value,
    /// A peer to be compared with comes first.
    pub jobs: &'static [&'static str],
    pub bars: Bars,
}

/// What ours must come to, where there is something to say about that size.
#[derive(Clone, Copy, Default)]
pub struct Bars {
    /// Times as fast as the peer.
    pub ratio: Option<f64>,
    /// Seconds of every solver of ours.
    pub seconds: Option<f64>,
    pub megabytes: Option<f64>,
    /// Certified, of the solvers of ours in their order.
    pub gaps: &'static [f64],
    /// Seconds of our first solver, in times of the peer's.
    pub peers: Option<f64>,
    pub cost: Option<f64>,
}

pub static ALL: [Part; 6] = [
    Part {
        name: "exact",
        what: "`exact` beside ot.dist and ot.emd2 of POT; a slash: weights, 7n/10 targets",
        sizes: &[2000, 3000],
        cases: exact,
    },
    Part { name: "scale", what: "`exact` of many points", sizes: &[10_000, 30_000], cases: scale },
    Part {
        name: "default",
        what: "the default effort and effort 8 beside BSP-OT of POT with 64 plans",
        sizes: &[100_000],
        cases: default,
    },
    Part {
        name: "weighted",
        what: "the same cube with weights, n to 7n/10; pictures, pixels with weights",
        sizes: &[100_000],
        cases: weighted,
    },
    Part {
        name: "known",
        what: "X normal with variances .6 and .1, Y = X + 2 sign(X): the optimum is 8",
        sizes: &[200_000],
        cases: known,
    },
    Part {
        name: "assignment",
        what: "`exact` beside OR-tools, which sees the 20 targets nearest to T(x) only",
        sizes: &[30_000],
        cases: assignment,
    },
];

impl Part {
    pub fn cases(&self, options: &Options) -> Vec<Case> {
        (self.cases)(self, options)
    }

    /// Whether the peer comes from another environment than the rest.
    pub fn needs_ortools(&self) -> bool {
        self.name == "assignment"
    }

    /// Every family in every dimension, size and seed.
    fn over_families(
        &self,
        options: &Options,
        jobs: &'static [&'static str],
        bars: fn(usize) -> Bars,
    ) -> Vec<Case> {
        let mut cases = Vec::new();
        for n in self.sizes(options) {
            for (family, d) in options.families() {
                let case = |&seed: &u64| Case::of_points(family, None, [n, n, d], seed, jobs, bars(n));
                cases.extend(options.seeds.iter().map(case));
            }
        }
        cases
    }

    fn sizes(&self, options: &Options) -> Vec<usize> {
        if options.sizes.is_empty() { self.sizes.to_vec() } else { options.sizes.clone() }
    }
}

impl Case {
    fn of_points(
        family: &str,
        weights: Option<&str>,
        [n, m, d]: [usize; 3],
        seed: u64,
        jobs: &'static [&'static str],
        bars: Bars,
    ) -> Self {
        let draw = json!({ "kind": family, "n": n, "m": m, "d": d, "seed": seed, "weights": weights });
        Case { label: family.into(), n, size: n.to_string(), d, seed, draw, jobs, bars }
    }

    fn of_pixels(class: &str, side: usize, seed: u64) -> Self {
        let (n, size) = (side * side, format!("{side}x{side}"));
        let draw = json!({ "kind": class, "side": side, "seed": seed });
        let seconds =
            [(128, 10.0), (256, 60.0)].into_iter().find(|found| found.0 == side).map(|found| found.1);
        let bars = Bars { seconds, gaps: &[0.001], ..Bars::default() };
        Case { label: class.into(), n, size, d: 2, seed, draw, jobs: &["gap:0.001"], bars }
    }
}

/// Families whose weighted twins are tried at the side of POT; the others are hard for their shape, not for their masses.
const WITH_WEIGHTS: [&str; 3] = ["gauss", "same", "shape"];
/// A gap that is none.
const ROUNDING: f64 = 1e-9;
const CLASSES: [&str; 4] = ["smooth", "rough", "shapes", "noise"];

/// So many times as fast as POT, where solving takes long enough to be measured.
fn at_least(ratio: f64, n: usize) -> Bars {
    Bars { ratio: (n >= 2000).then_some(ratio), ..Bars::default() }
}

fn exact(part: &Part, options: &Options) -> Vec<Case> {
    const JOBS: &[&str] = &["emd", "exact"];
    let mut cases = part.over_families(options, JOBS, |n| at_least(5.0, n));
    for n in part.sizes(options) {
        for (family, d) in options.families().filter(|(family, _)| WITH_WEIGHTS.contains(family)) {
            for weights in &options.weights {
                for &seed in &options.seeds {
                    let shape = [n, targets(n), d];
                    let mut case =
                        Case::of_points(family, Some(weights), shape, seed, JOBS, at_least(3.0, n));
                    case.label = format!("{family}/{weights}");
                    cases.push(case);
                }
            }
        }
    }
    cases
}

fn scale(part: &Part, options: &Options) -> Vec<Case> {
    part.over_families(options, &["exact"], |n| {
        let (seconds, megabytes) = match n {
            10_000 => (Some(1.5), None),
            30_000 => (Some(8.0), None),
            100_000 => (Some(60.0), Some(1500.0)),
            _ => (None, None),
        };
        Bars { seconds, megabytes, gaps: &[ROUNDING], ..Bars::default() }
    })
}

fn default(part: &Part, options: &Options) -> Vec<Case> {
    part.over_families(options, &["bsp:64", "auto", "effort:8"], |n| match n {
        100_000 => Bars { gaps: &[0.01, 0.001], peers: Some(3.0), ..Bars::default() },
        _ => Bars::default(),
    })
}

fn weighted(part: &Part, options: &Options) -> Vec<Case> {
    const DIMENSION: usize = 3;
    let mut cases = Vec::new();
    for n in part.sizes(options) {
        let seconds = (n == 100_000).then_some(60.0);
        let bars = Bars { seconds, gaps: &[0.01], ..Bars::default() };
        for weights in &options.weights {
            for &seed in &options.seeds {
                let shape = [n, targets(n), DIMENSION];
                let case = Case::of_points("same", Some(weights), shape, seed, &["gap:0.01"], bars);
                cases.push(Case { label: (*weights).into(), ..case });
            }
        }
    }
    for &side in &options.grids {
        for class in CLASSES {
            cases.extend(options.seeds.iter().map(|&seed| Case::of_pixels(class, side, seed)));
        }
    }
    cases
}

fn known(part: &Part, options: &Options) -> Vec<Case> {
    let bars = Bars { cost: Some(8.0005), ..Bars::default() };
    let mut cases = Vec::new();
    for n in part.sizes(options) {
        let case = |&seed: &u64| Case::of_points("split", None, [n, n, 2], seed, &["auto", "effort:8"], bars);
        cases.extend(options.seeds.iter().map(case));
    }
    cases
}

fn assignment(part: &Part, options: &Options) -> Vec<Case> {
    part.over_families(options, &["ortools:20", "exact"], |n| Bars {
        ratio: (n == 30_000).then_some(2.0),
        ..Bars::default()
    })
}

/// As many targets as clouds of two sizes have.
fn targets(n: usize) -> usize {
    (7 * n / 10).max(1)
}
