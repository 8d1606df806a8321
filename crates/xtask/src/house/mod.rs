//! `cargo xtask house`: the layers of the engine, read from its `use` lines; and whether CONTRIBUTING.md and the house agree.

mod layers;
mod map;
mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::shell::{Outcome, cargo, output, root};
use layers::Layers;
use uses::File;

const SOURCES: &str = "crates/swgg/src";
const PAGE: &str = "CONTRIBUTING.md";

/// Prints the layers.
pub fn print() -> Outcome<()> {
    print!("{}", drawing()?);
    Ok(())
}

/// Draws the layers into CONTRIBUTING.md.
pub fn draw() -> Outcome<()> {
    let page = map::redrawn(&read(Path::new(PAGE))?, &drawing()?).ok_or(format!(
        "found no place for the drawing in {PAGE}, expected `{}` and a fenced block",
        map::MARKER
    ))?;
    fs::write(root().join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))
}

/// Refuses cycles between modules, dependencies that are not allowed, and a map that is not that of the house.
pub fn check() -> Outcome<()> {
    let (page, layers) = (read(Path::new(PAGE))?, layers()?);
    let mut complaints = faults(&layers);
    if complaints.is_empty() {
        complaints.extend(map::check_drawing(&page, &layers.drawing()));
    }
    complaints.extend(map::check_crates(&page, &crates()?));
    complaints.extend(map::check_modules(&page, &layers.modules));
    complaints.extend(map::check_paths(&page, |path| root().join(path).exists()));
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn drawing() -> Outcome<String> {
    let layers = layers()?;
    let faults = faults(&layers);
    if faults.is_empty() { Ok(layers.drawing()) } else { Err(faults.join("\n")) }
}

/// What keeps the modules from being layers.
fn faults(layers: &Layers) -> Vec<String> {
    let unclear = layers.unclear.iter().map(|used| {
        format!("{used} is neither a module nor one that lib.rs takes from a module by name: write the path through its module")
    });
    let remedy = "\n  move what both need into a module below them";
    unclear.chain(layers.cycles().into_iter().map(|cycle| cycle + remedy)).collect()
}

/// The modules of the engine, tests left out.
fn layers() -> Outcome<Layers> {
    let mut files = Vec::new();
    collect(Path::new(SOURCES), &mut files)?;
    let (mut sources, mut for_tests) = (Vec::new(), BTreeSet::new());
    for path in files {
        let below = path.strip_prefix(SOURCES).unwrap_or(&path).trim_start_matches('/').to_string();
        let place = uses::place(&below);
        let file = uses::read(&read(Path::new(&path))?, place.clone());
        for name in &file.tests {
            for_tests.insert([&place[..], std::slice::from_ref(name)].concat());
        }
        sources.push((path, place, file));
    }
    let is_test = |place: &[String]| (1..=place.len()).any(|length| for_tests.contains(&place[..length]));
    sources.retain(|(_, place, _)| !is_test(place));
    let mut lib = File::default();
    let mut files = Vec::new();
    for (path, place, file) in sources {
        if place.is_empty() {
            lib = file;
        } else {
            files.push((path, file));
        }
    }
    Ok(Layers::new(&lib, &files))
}

/// The Rust files below a folder, from the root of the workspace, in a fixed order.
fn collect(folder: &Path, files: &mut Vec<String>) -> Outcome<()> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries =
        fs::read_dir(root().join(folder)).map_err(fail)?.collect::<Result<Vec<_>, _>>().map_err(fail)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))
}

/// The crates of the workspace, and which of the others each is built from.
fn crates() -> Outcome<BTreeMap<String, BTreeSet<String>>> {
    let text =
        output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]))?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_string();
    let packages = list(&metadata["packages"]);
    // Tests may use what they like.
    let is_ours = |dependency: &&Value| dependency["path"].is_string() && dependency["kind"] != "dev";
    let needs = |package: &Value| list(&package["dependencies"]).iter().filter(is_ours).map(name).collect();
    Ok(packages.iter().map(|package| (name(package), needs(package))).collect())
}
