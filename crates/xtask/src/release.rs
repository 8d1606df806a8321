//! The version, which is that of `[workspace.package]` in Cargo.toml, wherever else it has to stand; and what the changelog says of it.

use std::fs;

use crate::shell::{Outcome, cargo, root, run};

const MANIFEST: &str = "Cargo.toml";
const CHANGELOG: &str = "CHANGELOG.md";
/// What is new since the last version.
const NEXT: &str = "Unreleased";

/// A line of a file that repeats the version: it begins with the first words, and the version stands between the other two.
struct Place {
    file: &'static str,
    begins: &'static str,
    before: &'static str,
    after: &'static str,
}

const PLACES: [Place; 7] = [
    Place { file: MANIFEST, begins: "version = ", before: "\"", after: "\"" },
    Place { file: MANIFEST, begins: "swgg = ", before: "version = \"", after: "\"" },
    Place { file: MANIFEST, begins: "swgg-apps = ", before: "version = \"", after: "\"" },
    Place { file: MANIFEST, begins: "swgg-io = ", before: "version = \"", after: "\"" },
    Place { file: MANIFEST, begins: "swgg-cli = ", before: "version = \"", after: "\"" },
    Place { file: "CITATION.cff", begins: "version: ", before: "version: ", after: "\n" },
    Place { file: "packaging/conda/recipe.yaml", begins: "  version: ", before: "\"", after: "\"" },
];

/// Whether all places name the version of the manifest.
pub fn check() -> Outcome<()> {
    let version = current()?;
    for place in &PLACES {
        let text = read(place.file)?;
        let (begin, end) = place.find(&text)?;
        if text[begin..end] != version {
            return Err(format!(
                "{}: `{}` has the version {}, {MANIFEST} has {version}: run `cargo xtask version {version}`",
                place.file,
                place.begins.trim(),
                &text[begin..end]
            ));
        }
    }
    println!("version {version} in all {} places", PLACES.len());
    Ok(())
}

/// Writes a version into all places, and gives what is new in the changelog its name.
pub fn set(version: &str) -> Outcome<()> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if version.split('.').count() != 3 || !version.split('.').all(is_number) {
        return Err(format!("`{version}` is no version: expected three numbers such as 0.2.0"));
    }
    let is_new = current()? != version;
    for place in &PLACES {
        let text = read(place.file)?;
        let (begin, end) = place.find(&text)?;
        write(place.file, &[&text[..begin], version, &text[end..]].concat())?;
    }
    if is_new {
        write(CHANGELOG, &named(&read(CHANGELOG)?, version)?)?;
    }
    // The lock file has the versions of our own crates, too.
    run(&mut cargo(&["update", "--workspace", "--offline", "--quiet"]))
}

/// Prints what the changelog says of a version; without one, of that of the manifest, or of what is new since.
pub fn notes(version: Option<&str>) -> Outcome<()> {
    let (text, current) = (read(CHANGELOG)?, current()?);
    let found = match version {
        Some(version) => section(&text, version),
        None => section(&text, &current).or_else(|| section(&text, NEXT)),
    };
    let wanted = version.unwrap_or(&current);
    println!("{}", found.ok_or_else(|| format!("{CHANGELOG} has no section `## {wanted}`"))?);
    Ok(())
}

impl Place {
    /// From where to where the version stands.
    fn find(&self, text: &str) -> Outcome<(usize, usize)> {
        let lost = || format!("{}: expected a line `{}...` with the version", self.file, self.begins);
        let mut line = 0;
        for words in text.split_inclusive('\n') {
            if words.starts_with(self.begins) {
                let begin = words.find(self.before).ok_or_else(lost)? + self.before.len();
                let length = words[begin..].find(self.after).ok_or_else(lost)?;
                return Ok((line + begin, line + begin + length));
            }
            line += words.len();
        }
        Err(lost())
    }
}

fn current() -> Outcome<String> {
    let text = read(MANIFEST)?;
    let (begin, end) = PLACES[0].find(&text)?;
    Ok(text[begin..end].to_owned())
}

/// A changelog whose news belong to a version from now on.
fn named(text: &str, version: &str) -> Outcome<String> {
    if section(text, version).is_some() {
        return Err(format!("{CHANGELOG} has a section `## {version}` already"));
    }
    let heading = format!("## {NEXT}\n");
    if !text.contains(&heading) {
        return Err(format!("{CHANGELOG} has no section `## {NEXT}`"));
    }
    Ok(text.replacen(&heading, &format!("{heading}\n## {version}\n"), 1))
}

/// What stands below a heading, up to the next one of its level.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let heading = format!("\n## {name}\n");
    let begin = text.find(&heading)? + heading.len();
    let length = text[begin..].find("\n## ").unwrap_or(text.len() - begin);
    Some(text[begin..begin + length].trim())
}

fn read(file: &str) -> Outcome<String> {
    fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))
}

/// Writes a file beside the one that is there and puts it into its place.
fn write(file: &str, text: &str) -> Outcome<()> {
    let (path, beside) = (root().join(file), root().join(format!("{file}.new")));
    fs::write(&beside, text)
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|error| format!("{file}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n\n- First.\n- Second.\n";

    #[test]
    fn sections_end_where_the_next_begins() {
        assert_eq!(section(LOG, "0.1.0"), Some("- First.\n- Second."));
        assert_eq!(section(LOG, NEXT), Some("- New."));
        assert_eq!(section(LOG, "0.3.0"), None);
    }

    #[test]
    fn news_get_a_name_once() {
        let log = named(LOG, "0.2.0").expect("a section of news");
        assert_eq!(section(&log, "0.2.0"), Some("- New."));
        assert_eq!(section(&log, NEXT), Some(""));
        assert!(named(&log, "0.2.0").is_err());
    }

    #[test]
    fn every_file_names_the_version_of_the_manifest() {
        assert_eq!(check(), Ok(()));
    }
}
