//! What CONTRIBUTING.md says of the house: who may depend on whom, where things are, the drawing of the layers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The line before the block that holds the drawing.
pub const MARKER: &str = "<!-- cargo xtask house -->";
const HEADING: &str = "## The house";

/// Where the drawing is: after the marker and the opening fence, up to the closing one.
fn drawing(text: &str) -> Option<Range<usize>> {
    let marker = text.find(MARKER)? + MARKER.len();
    let fence = marker + text[marker..].find("```")?;
    if !text[marker..fence].trim().is_empty() {
        return None;
    }
    let start = fence + text[fence..].find('\n')? + 1;
    let end = start + text[start..].find("```")?;
    Some(start..end)
}

/// The page with another drawing in the place of its own.
pub fn redrawn(text: &str, new: &str) -> Option<String> {
    let old = drawing(text)?;
    Some(format!("{}{new}{}", &text[..old.start], &text[old.end..]))
}

/// Complains of a drawing that is not that of today.
pub fn check_drawing(text: &str, today: &str) -> Option<String> {
    let remedy = "run `cargo xtask house draw`";
    match drawing(text) {
        None => Some(format!(
            "CONTRIBUTING.md has no drawing of the layers: write `{MARKER}` and a fenced block, then {remedy}"
        )),
        Some(place) if text[place.clone()] != *today => {
            Some(format!("the layers that CONTRIBUTING.md draws are not those of the sources: {remedy}"))
        }
        Some(_) => None,
    }
}

/// The text about the house, without blocks of code.
fn house(text: &str) -> String {
    let from = text.find(HEADING).map_or(text.len(), |at| at + HEADING.len());
    let section = &text[from..];
    prose(&section[..section.find("\n## ").unwrap_or(section.len())])
}

fn prose(text: &str) -> String {
    let mut in_block = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        if !in_block && !is_fence {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// For each crate in the table, what of ours it may depend on.
fn allowed(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = house(text);
    let rows = rows.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim().strip_prefix('|')?.split('|').collect();
        let name = quoted(cells[0]).next()?.strip_prefix("crates/")?.to_string();
        Some((name, quoted(cells.get(2)?).map(String::from).collect()))
    });
    rows.collect()
}

/// Complains of crates that the table does not name or allow, and of rows without a crate. For each crate: what of ours it
/// depends on, tests apart.
pub fn check_crates(text: &str, crates: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let allowed = allowed(text);
    let mut complaints = Vec::new();
    for (name, needs) in crates {
        let Some(may) = allowed.get(name) else {
            complaints.push(format!(
                "crates/{name} is not in the table of CONTRIBUTING.md, section \"The house\": add \
                 `| \\`crates/{name}\\` | what it is | what of ours it may depend on |`"
            ));
            continue;
        };
        for need in needs.difference(may) {
            let may = if may.is_empty() {
                "nothing of ours".into()
            } else {
                may.iter().cloned().collect::<Vec<_>>().join(", ")
            };
            complaints.push(format!(
                "crates/{name} depends on {need}, but the table of CONTRIBUTING.md allows it {may}: \
                 remove the dependency from crates/{name}/Cargo.toml, or argue for it in the table"
            ));
        }
    }
    for name in allowed.keys().filter(|name| !crates.contains_key(*name)) {
        complaints
            .push(format!("the table of CONTRIBUTING.md has a row for crates/{name}, which does not exist"));
    }
    complaints
}

/// Complains of modules that the map does not name, as `name`, `name/`, `name.rs` or with their path.
pub fn check_modules(text: &str, modules: &BTreeSet<String>) -> Vec<String> {
    let map = house(text);
    let named: BTreeSet<&str> = quoted(&map)
        .map(|name| name.strip_prefix("crates/swgg/").unwrap_or(name))
        .map(|name| name.strip_prefix("src/").unwrap_or(name))
        .map(|name| name.trim_end_matches('/').trim_end_matches(".rs"))
        .collect();
    let missing = modules.iter().filter(|module| !named.contains(module.as_str()));
    missing
        .map(|module| {
            format!(
                "crates/swgg/src has a module `{module}` that CONTRIBUTING.md, section \"The house\", does not name: \
                 say there, outside of the drawing, what it is"
            )
        })
        .collect()
}

/// Complains of paths that the page names and that do not exist.
pub fn check_paths(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let prose = prose(text);
    let is_plain = |path: &str| {
        path.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c)) && !path.contains("...")
    };
    let ours =
        |path: &&str| ["crates/", "python/", "docs/", ".ci/"].iter().any(|start| path.starts_with(start));
    // Libraries are built, not kept.
    let is_kept = |path: &&str| !path.ends_with(".so");
    let plain = quoted(&prose).filter(|path| is_plain(path)).filter(ours).filter(is_kept);
    let gone = plain.filter(|path| !exists(path));
    gone.collect::<BTreeSet<_>>()
        .into_iter()
        .map(|path| format!("CONTRIBUTING.md names {path}, which does not exist: write where it is now"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Contributing

## The house

| crate | what it is | may depend on |
|---|---|---|
| `crates/core` | the `mathematics` | arrays |
| `crates/shell` | the command | `core`, `io` |
| `python/core` | the other half | NumPy |

In `crates/swgg/src`: `line/` (sorting), `cost.rs` and `plan`.

<!-- cargo xtask house -->
```text
 1  cost
 2    sliced: cost
```

## Habits

`habit`s, `crates/<name>/src`, `crates/core/src/...`, `crates/core.so` and `crates/gone.rs`.
";

    fn crates(all: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        all.iter().map(|(name, needs)| (name.to_string(), set(needs))).collect()
    }

    #[test]
    fn the_table_allows() {
        assert!(check_crates(PAGE, &crates(&[("core", &[]), ("shell", &["core"])])).is_empty());
        let complaints = check_crates(PAGE, &crates(&[("core", &["shell"]), ("shell", &["core", "apps"])]));
        assert!(complaints[0].starts_with(
            "crates/core depends on shell, but the table of CONTRIBUTING.md allows it nothing of ours"
        ));
        assert!(complaints[1].starts_with(
            "crates/shell depends on apps, but the table of CONTRIBUTING.md allows it core, io"
        ));
        let complaints = check_crates(PAGE, &crates(&[("core", &[]), ("new", &[])]));
        assert!(complaints[0].starts_with("crates/new is not in the table"));
        assert!(complaints[1].contains("a row for crates/shell"));
    }

    #[test]
    fn the_map_names_modules() {
        let modules = ["line", "cost", "plan", "sliced", "habit"].map(String::from);
        let complaints = check_modules(PAGE, &modules.into());
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].contains("`habit`") && complaints[1].contains("`sliced`"));
    }

    #[test]
    fn the_drawing_is_that_of_today() {
        let today = " 1  cost\n 2    sliced: cost\n";
        assert_eq!(check_drawing(PAGE, today), None);
        assert!(check_drawing(PAGE, " 1  cost\n").unwrap().contains("cargo xtask house draw"));
        assert!(check_drawing("# Contributing", today).unwrap().contains(MARKER));
        assert!(
            check_drawing("<!-- cargo xtask house -->\nwords\n```\n```", today)
                .unwrap()
                .contains("no drawing")
        );
        let page = redrawn(PAGE, " 1  line\n").unwrap();
        assert_eq!(check_drawing(&page, " 1  line\n"), None);
        assert_eq!(redrawn(&page, today).unwrap(), PAGE);
    }

    #[test]
    fn paths_exist() {
        let complaints = check_paths(PAGE, |path| !path.starts_with("crates/gone") && !path.ends_with(".so"));
        assert_eq!(
            complaints,
            ["CONTRIBUTING.md names crates/gone.rs, which does not exist: write where it is now"]
        );
    }
}
