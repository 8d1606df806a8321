//! What the project is made of: `cargo xtask sbom`, and whether docs/supply-chain.md is the whole truth.

mod bill;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::shell::{Outcome, cargo, output, root, target};

const PAGE: &str = "docs/supply-chain.md";

/// Writes the bill of materials.
pub fn sbom() -> Outcome<()> {
    let lock = read("Cargo.lock")?;
    let bill = bill::of(&metadata(&["--locked"])?, &bill::checksums(&lock));
    let path = target().join("sbom.cdx.json");
    fs::create_dir_all(target()).map_err(|error| format!("{}: {error}", target().display()))?;
    let text = format!("{bill:#}\n");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    let count = bill["components"].as_array().map_or(0, Vec::len);
    println!("{count} components, CycloneDX 1.5: {}", path.display());
    Ok(())
}

/// Refuses a direct dependency without a purpose, a file with unsafe code without a reason and a test, and lines about neither.
pub fn check() -> Outcome<()> {
    let page = read(PAGE)?;
    let mut complaints = page::check("dependencies", &page, &dependencies()?);
    complaints.extend(page::check("unsafe", &page, &unsafe_files()?));
    complaints.extend(page::tests_that_are_not_there(&page, |path| root().join(path).is_file()));
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn read(path: &str) -> Outcome<String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
}

fn metadata(flags: &[&str]) -> Outcome<Value> {
    let words = [&["metadata", "--format-version", "1"], flags].concat();
    let text = output(&mut cargo(&words))?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// Names of what our crates depend on directly, and who does; those that only tests need are left out.
fn dependencies() -> Outcome<BTreeMap<String, String>> {
    let metadata = metadata(&["--no-deps"])?;
    let mut users: BTreeMap<String, String> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let user = package["name"].as_str().unwrap_or_default();
        for needed in package["dependencies"].as_array().into_iter().flatten() {
            let name = needed["name"].as_str().unwrap_or_default();
            if needed["kind"].is_null() && needed["path"].is_null() {
                let users = users.entry(name.to_string()).or_default();
                *users += if users.is_empty() { "" } else { ", " };
                *users += user;
            }
        }
    }
    Ok(users)
}

/// Files with unsafe code, and how often.
fn unsafe_files() -> Outcome<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut open: Vec<PathBuf> = vec![root().join("crates")];
    while let Some(directory) = open.pop() {
        let entries =
            fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            // The tests of this very list speak of unsafe code.
            if path.ends_with("xtask") {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text =
                    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let times = page::unsafe_places(&text);
                if times > 0 {
                    files.insert(relative(&path), times.to_string());
                }
            }
        }
    }
    Ok(files)
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    /// The page is part of what is promised, so that it is a test and not only a verb.
    #[test]
    fn the_page_names_every_dependency_and_every_unsafe_file() {
        super::check().expect("docs/supply-chain.md is complete");
    }
}
