//! `cargo xtask bench bsp`: the default solver beside BSP-OT of POT, and the picture of both.

mod measure;
mod pareto;
mod quiet;
mod record;
mod tables;

use measure::Bench;
use record::Measured;

use super::{machine, save};
use crate::shell::{Outcome, root};

/// Two clouds of `n` points in `d` dimensions.
struct Case {
    kind: &'static str,
    what: &'static str,
    n: usize,
    d: usize,
    /// What costs are compared with.
    goal: Goal,
}

#[derive(Clone, Copy, PartialEq)]
enum Goal {
    /// The optimum.
    Exact,
    /// The best cost known, looked for with this many seconds.
    Known(f64),
    /// Effort 10: these clouds have weights, and the peer has no answer.
    Weighted,
}

impl Case {
    const fn new(kind: &'static str, what: &'static str, n: usize, d: usize, goal: Goal) -> Self {
        Case { kind, what, n, d, goal }
    }

    fn name(&self) -> String {
        format!("{}-{}-{}", self.kind, self.n, self.d)
    }

    /// Whether a word means this pair: all of its name, or what comes before one of the hyphens.
    fn is_called(&self, word: &str) -> bool {
        self.name().strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    /// A single run takes so long that little more than what has a goal is measured.
    fn is_huge(&self) -> bool {
        self.n >= 1_000_000
    }
}

const GAUSS: &str = "two Gaussians";
const CUBE: &str = "same cube";
const SPHERE: &str = "sphere to cube";

const CASES: [Case; 12] = [
    Case::new("gauss", GAUSS, 3000, 3, Goal::Exact),
    Case::new("cube", CUBE, 3000, 3, Goal::Exact),
    Case::new("sphere", SPHERE, 3000, 3, Goal::Exact),
    Case::new("gauss", GAUSS, 1000, 20, Goal::Exact),
    Case::new("gauss", GAUSS, 1000, 200, Goal::Exact),
    Case::new("moons", "moons to ring", 20_000, 2, Goal::Exact),
    Case::new("mix", "two mixtures", 50_000, 10, Goal::Known(90.0)),
    Case::new("gauss", GAUSS, 100_000, 3, Goal::Known(60.0)),
    Case::new("cube", CUBE, 100_000, 3, Goal::Known(60.0)),
    Case::new("sphere", SPHERE, 100_000, 3, Goal::Known(60.0)),
    Case::new("gauss", GAUSS, 1_000_000, 3, Goal::Known(120.0)),
    Case::new("weighted", "two weighted Gaussians", 100_000, 3, Goal::Weighted),
];

pub fn run(options: &[&str]) -> Outcome<()> {
    let (flags, chosen): (Vec<&str>, Vec<&str>) = options.iter().partition(|word| word.starts_with("--"));
    if let Some(flag) = flags.iter().find(|flag| !["--quick", "--again"].contains(*flag)) {
        return Err(format!("unknown option `{flag}`; there are `--quick` and `--again`"));
    }
    if let Some(word) = chosen.iter().find(|word| !CASES.iter().any(|case| case.is_called(word))) {
        let names: Vec<String> = CASES.iter().map(Case::name).collect();
        return Err(format!("no pair is called `{word}`; there are {}", names.join(", ")));
    }
    let quick = flags.contains(&"--quick");
    let wanted = |case: &&Case| {
        let named = chosen.is_empty() || chosen.iter().any(|word| case.is_called(word));
        named && !(quick && case.is_huge()) && !flags.contains(&"--again")
    };
    let mut measured = record::load();
    let bench = Bench::new(quick)?;
    for case in CASES.iter().filter(wanted) {
        let found = bench.measure(case)?;
        measured.retain(|old| old.name != found.name);
        measured.push(found);
        // As they arrive: the whole takes a quarter of an hour.
        record::store(&measured)?;
    }
    let order = |found: &Measured| CASES.iter().position(|case| case.name() == found.name);
    measured.sort_by_key(order);
    println!("{}", tables::HEADER);
    tables::print(&measured);
    let path = root().join("docs/pareto.svg");
    std::fs::write(&path, pareto::draw(&measured)).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("\ndrawn as docs/pareto.svg");
    save("bsp", &serde_json::json!({ "machine": machine(), "cases": record::value(&measured)? }))
}
