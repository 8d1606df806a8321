//! Which module uses which, and the layers that follow.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::uses::File;

/// The modules at the root of a crate.
#[derive(Debug, Default)]
pub struct Layers {
    pub modules: BTreeSet<String>,
    /// Where the one module uses the other: `file:line` of each use, as found.
    edges: BTreeMap<(String, String), Vec<String>>,
    /// Uses of names at the root that no module is known for.
    pub unclear: Vec<String>,
}

impl Layers {
    /// From all files of a crate that are not tests, each with the path to show; `root` is that of `lib.rs`.
    pub fn new(root: &File, files: &[(String, File)]) -> Self {
        let modules: BTreeSet<String> = root.modules.iter().cloned().collect();
        // `crate::Measure` is a use of the module that `lib.rs` takes it from.
        let mut homes: BTreeMap<&str, &String> = BTreeMap::new();
        for used in root.uses.iter().filter(|used| used.by.is_empty() && used.path.len() > 1) {
            if let Some(home) = modules.get(&used.path[0]) {
                homes.insert(&used.name, home);
            }
        }
        let mut layers = Layers { modules: modules.clone(), ..Default::default() };
        for (path, file) in files {
            for used in &file.uses {
                let Some(by) = used.by.first() else { continue };
                let place = format!("{path}:{}", used.line);
                let first = used.path.first().map_or("*", String::as_str);
                let module = modules.get(first);
                // A function of the name of a module is meant where nothing follows.
                let home = if used.path.len() == 1 { homes.get(first).copied().or(module) } else { module };
                match home {
                    Some(home) if home != by => {
                        layers.edges.entry((by.clone(), home.clone())).or_default().push(place);
                    }
                    Some(_) => {}
                    None => match homes.get(first) {
                        // `crate::Cost::new`.
                        Some(&home) if home != by => {
                            layers.edges.entry((by.clone(), home.clone())).or_default().push(place);
                        }
                        Some(_) => {}
                        None => layers.unclear.push(format!("{place}: `crate::{first}`")),
                    },
                }
            }
        }
        layers
    }

    fn used_by<'a>(&'a self, module: &'a str) -> impl Iterator<Item = &'a str> {
        self.edges.keys().filter(move |(by, _)| by == module).map(|(_, used)| used.as_str())
    }

    /// All that is below a module, by any number of steps; the module too, if it uses itself in a roundabout way.
    fn below<'a>(&'a self, module: &'a str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self.used_by(module).collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.used_by(next));
            }
        }
        found
    }

    /// A shortest way around for each set of modules that use each other, with a place for each step.
    pub fn cycles(&self) -> Vec<String> {
        let below: BTreeMap<&str, BTreeSet<&str>> =
            self.modules.iter().map(|module| (module.as_str(), self.below(module))).collect();
        let mut knots: BTreeSet<Vec<&str>> = BTreeSet::new();
        for (module, under) in below.iter().filter(|(module, under)| under.contains(*module)) {
            knots.insert(under.iter().copied().filter(|other| below[other].contains(module)).collect());
        }
        knots.iter().map(|knot| self.describe(knot)).collect()
    }

    fn describe(&self, knot: &[&str]) -> String {
        let rounds = knot.iter().filter_map(|module| self.round(module));
        let round = rounds.min_by_key(Vec::len).unwrap_or_default();
        let mut text = format!("a cycle of modules: {}", round.join(" -> "));
        let step = |text: &mut String, by: &str, used: &str| {
            if let Some(places) = self.edges.get(&(by.to_string(), used.to_string())) {
                let more =
                    if places.len() > 1 { format!(" and {} more", places.len() - 1) } else { String::new() };
                let _ = write!(text, "\n    {by} uses {used}: {}{more}", places[0]);
            }
        };
        let steps: Vec<(&str, &str)> = round.windows(2).map(|pair| (pair[0], pair[1])).collect();
        for (by, used) in &steps {
            step(&mut text, by, used);
        }
        let mut others = String::new();
        for by in knot {
            for used in self.used_by(by).filter(|used| knot.contains(used) && !steps.contains(&(*by, *used)))
            {
                step(&mut others, by, used);
            }
        }
        if !others.is_empty() {
            let _ = write!(text, "\n  and others among {}:{others}", knot.join(", "));
        }
        text
    }

    /// A shortest way from a module to itself, both ends named.
    fn round<'a>(&'a self, start: &'a str) -> Option<Vec<&'a str>> {
        let mut ways: Vec<Vec<&str>> = vec![vec![start]];
        let mut seen = BTreeSet::new();
        while !ways.is_empty() {
            let mut longer = Vec::new();
            for way in &ways {
                for next in self.used_by(way[way.len() - 1]) {
                    let way = [&way[..], &[next]].concat();
                    if next == start {
                        return Some(way);
                    }
                    if seen.insert(next) {
                        longer.push(way);
                    }
                }
            }
            ways = longer;
        }
        None
    }

    /// One line a module, the lowest first and each as far to the right as it is high, with those it stands on. What
    /// stands below one of these already is not said again. Without cycles only.
    pub fn drawing(&self) -> String {
        let mut levels: BTreeMap<&str, usize> = BTreeMap::new();
        while levels.len() < self.modules.len() {
            let before = levels.len();
            for module in &self.modules {
                let under: Option<Vec<usize>> =
                    self.used_by(module).map(|used| levels.get(used).copied()).collect();
                if let Some(under) = under {
                    levels.insert(module, under.into_iter().max().map_or(1, |top| top + 1));
                }
            }
            if levels.len() == before {
                break;
            }
        }
        let mut lines: Vec<(usize, &str)> =
            levels.into_iter().map(|(module, level)| (level, module)).collect();
        lines.sort_unstable();
        let mut text = String::new();
        for (level, module) in lines {
            let hidden: BTreeSet<&str> = self.used_by(module).flat_map(|used| self.below(used)).collect();
            let stands: Vec<&str> = self.used_by(module).filter(|used| !hidden.contains(used)).collect();
            let on = if stands.is_empty() { String::new() } else { format!(": {}", stands.join(", ")) };
            let _ = writeln!(text, "{level:>2} {:indent$}{module}{on}", "", indent = 2 * level - 1);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Layers;
    use crate::house::uses::{place, read};

    fn layers(root: &str, files: &[(&str, &str)]) -> Layers {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.to_string(), read(text, place(path)))).collect();
        Layers::new(&read(root, Vec::new()), &files)
    }

    const ROOT: &str = "mod error; mod measure; mod line; mod plan; pub use error::Result; pub use plan::{Plan as Coupling};";

    #[test]
    fn drawn_from_below() {
        let house = layers(
            ROOT,
            &[
                ("measure.rs", "use crate::Result;"),
                ("line/mod.rs", "use super::measure::Measure; use crate::error::Error;"),
                ("line/walk.rs", "use super::Sorted; use crate::line::Quantile;"),
                ("plan.rs", "use crate::{line::{self, Walk}, measure::Measure};"),
            ],
        );
        assert!(house.cycles().is_empty() && house.unclear.is_empty());
        assert_eq!(
            house.drawing(),
            " 1  error\n 2    measure: error\n 3      line: measure\n 4        plan: line\n"
        );
    }

    #[test]
    fn cycles_name_their_places() {
        let house = layers(
            ROOT,
            &[
                ("measure.rs", "\nuse crate::Coupling;\nfn f() { crate::Coupling::new() }"),
                ("line/walk.rs", "use crate::measure::A;"),
                ("plan.rs", "use crate::error::Error;\nuse crate::line::B;\nuse crate::measure::C;"),
            ],
        );
        assert_eq!(
            house.cycles(),
            ["a cycle of modules: measure -> plan -> measure\
              \n    measure uses plan: measure.rs:2 and 1 more\n    plan uses measure: plan.rs:3\
              \n  and others among line, measure, plan:\
              \n    line uses measure: line/walk.rs:1\n    plan uses line: plan.rs:2"]
        );
    }

    #[test]
    fn names_of_nobody_and_globs_of_the_root() {
        let house = layers(ROOT, &[("plan.rs", "use crate::Unknown;\nuse super::*;")]);
        assert_eq!(house.unclear, ["plan.rs:1: `crate::Unknown`", "plan.rs:2: `crate::*`"]);
    }

    #[test]
    fn a_function_with_the_name_of_a_module() {
        let house = layers(
            "mod solve; mod many; mod top; pub use many::solve; pub use solve::MinSwgg;",
            &[("solve.rs", ""), ("top.rs", "use crate::solve;"), ("many.rs", "use crate::solve::MinSwgg;")],
        );
        assert_eq!(house.drawing(), " 1  solve\n 2    many: solve\n 3      top: many\n");
    }
}
