//! What Python does for the documentation: a reference made from docstrings, pictures, pages that run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench;
use crate::python::{PACKAGE, Profile, interpreter, wheel};
use crate::shell::{Outcome, output, root, run};

const REFERENCE: &str = "docs/python/reference.md";
/// Pages whose examples run.
const PAGES: [&str; 5] =
    ["docs/python.md", "docs/for-pot-users.md", "docs/registration.md", "docs/flows.md", "docs/reports.md"];

/// `cargo xtask reference`: writes it.
pub fn reference() -> Outcome<()> {
    let path = root().join(REFERENCE);
    std::fs::write(&path, written()?).map_err(|error| format!("{}: {error}", path.display()))
}

/// `cargo xtask pictures`: draws them with the wheel and the command line of today.
pub fn pictures() -> Outcome<()> {
    let python = interpreter(&PACKAGE)?;
    wheel(&python, Profile::Release)?;
    for example in examples()? {
        let name = example.file_stem().unwrap_or_default().to_string_lossy();
        let picture = root().join("docs/python").join(format!("{name}.png"));
        play(&python, &example, Some(&picture))?;
    }
    let mut scenes = Command::new(&python);
    scenes.arg("-B").arg(root().join("crates/xtask/python/pictures.py")).arg(bench::build()?);
    run(scenes.arg(root().join("docs")).env("MPLBACKEND", "Agg"))
}

/// Whether the reference is that of the docstrings of today, the pages say what comes out, and every example runs.
pub fn check(python: &Path) -> Outcome<()> {
    println!("\n== Python: reference, pages and examples");
    let found = std::fs::read_to_string(root().join(REFERENCE)).unwrap_or_default();
    if found != written()? {
        return Err(format!("{REFERENCE} is not that of the docstrings: run `cargo xtask reference`"));
    }
    let sources = root().join("python");
    let mut pages = Command::new(python);
    pages.args(["-B", "-m", "pytest", "-p", "no:cacheprovider", "--doctest-glob=*.md", "-c"]);
    pages.arg(sources.join("pyproject.toml")).args(PAGES.map(|page| root().join(page)));
    run(pages.current_dir(root().join("target")))?;
    examples()?.iter().try_for_each(|example| play(python, example, None))?;
    let mut gallery = Command::new(python);
    gallery
        .arg("-B")
        .arg(root().join("crates/xtask/python/gallery.py"))
        .arg(root().join("docs/site/gallery"));
    run(gallery.current_dir(root().join("target")))
}

fn written() -> Outcome<String> {
    let script = root().join("crates/xtask/python/reference.py");
    output(Command::new("python3").arg(script).arg(root().join("python/swgg")))
}

fn examples() -> Outcome<Vec<PathBuf>> {
    let directory = root().join("python/examples");
    let entries =
        std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let scripts = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut scripts: Vec<PathBuf> =
        scripts.filter(|path| path.extension().is_some_and(|e| e == "py")).collect();
    scripts.sort();
    Ok(scripts)
}

fn play(python: &Path, example: &Path, picture: Option<&Path>) -> Outcome<()> {
    let mut command = Command::new(python);
    command.arg("-B").arg(example).args(picture).env("MPLBACKEND", "Agg");
    run(command.current_dir(root().join("target")))
}
