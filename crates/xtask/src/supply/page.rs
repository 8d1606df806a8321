//! docs/supply-chain.md against what is there.

use std::collections::{BTreeMap, BTreeSet};

/// The first words, in backquotes, of the rows of the table below a marker.
fn rows<'a>(marker: &str, page: &'a str) -> BTreeSet<&'a str> {
    let marker = format!("<!-- {marker} -->");
    let lines = page.lines().skip_while(|line| *line != marker).skip(1);
    let table = lines.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(name, _)| name).collect()
}

/// What the table below a marker lacks, or has too much.
pub fn check(marker: &str, page: &str, there: &BTreeMap<String, String>) -> Vec<String> {
    let listed = rows(marker, page);
    let missing = there
        .iter()
        .filter(|(name, _)| !listed.contains(name.as_str()))
        .map(|(name, about)| format!("docs/supply-chain.md, {marker}: no row for `{name}` ({about})"));
    let gone = listed
        .iter()
        .filter(|name| !there.contains_key(**name))
        .map(|name| format!("docs/supply-chain.md, {marker}: `{name}` is no more; drop its row"));
    missing.chain(gone).collect()
}

/// Tests that rows about unsafe code name, in their last column, and that are not there.
pub fn tests_that_are_not_there(page: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = page.lines().skip_while(|line| *line != "<!-- unsafe -->");
    let rows = lines.filter(|line| line.starts_with("| `"));
    rows.filter_map(|row| {
        let last = row.trim_end_matches(" |").rsplit(" | ").next()?;
        let path = last.split('`').nth(1).unwrap_or_default();
        (!exists(path)).then(|| format!("docs/supply-chain.md: the test of {row} is not there"))
    })
    .collect()
}

/// Blocks, functions and implementations of a file that are unsafe; comments, texts and lints are none.
pub fn unsafe_places(source: &str) -> usize {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let places = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"];
    let in_text = |line: &str, place: &str| line.contains(&format!("\"{place}"));
    source
        .lines()
        .filter(is_code)
        .map(|line| places.iter().filter(|place| line.contains(**place) && !in_text(line, place)).count())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "text\n<!-- dependencies -->\n\n| crate | why |\n|---|---|\n| `a` | b |\n| `gone` | c |\n\n| `no` | row |\n";

    #[test]
    fn missing_and_superfluous_rows_are_told() {
        let there =
            BTreeMap::from([("a".to_string(), "x".to_string()), ("new".to_string(), "y".to_string())]);
        let complaints = check("dependencies", PAGE, &there);
        assert_eq!(complaints.len(), 2);
        assert!(
            complaints[0].contains("no row for `new` (y)") && complaints[1].contains("`gone` is no more")
        );
    }

    #[test]
    fn only_code_counts() {
        let code =
            "// unsafe { no }\n#![allow(unsafe_code)]\nlet x = unsafe { y() };\nunsafe impl Send for X {}\n";
        assert_eq!(unsafe_places(code), 2);
        assert_eq!(unsafe_places("let places = [\"unsafe {\"];"), 0);
    }

    #[test]
    fn tests_have_to_be_there() {
        let page = "<!-- unsafe -->\n\n| file | why | test |\n|---|---|---|\n| `a.rs` | x | `t.rs` |\n| `b.rs` | y | `u.rs` |\n";
        assert_eq!(tests_that_are_not_there(page, |path| path == "t.rs").len(), 1);
    }
}
