//! A directory with a few files in it, and the binary run there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use swgg_io::{ReadOptions, read_cloud, read_vector};
use tempfile::TempDir;

/// Three points in the plane and the same three moved by (3, 4): cost 25 along any direction.
const SOURCE: &str = "x,y\n0,0\n1,0.5\n2,-1\n";
const TARGET: &str = "x,y\n3,4\n4,4.5\n5,3\n";

/// A private working directory; `source.csv` and `target.csv` are there unless replaced.
pub struct Scene {
    directory: TempDir,
}

/// Paths, with the content of those that are files.
pub type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// What a run left behind, besides files.
#[derive(Debug, PartialEq)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    pub fn new() -> Self {
        let scene = Scene { directory: tempfile::tempdir().unwrap() };
        scene.with("source.csv", SOURCE).with("target.csv", TARGET)
    }

    /// Two clouds of the given text.
    pub fn clouds(source: &str, target: &str) -> Self {
        Scene::new().with("source.csv", source).with("target.csv", target)
    }

    pub fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.path(name), content).unwrap();
        self
    }

    pub fn with_directory(self, name: &str) -> Self {
        fs::create_dir(self.path(name)).unwrap();
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// `swgg` with these arguments, which are separated by spaces.
    pub fn command(&self, line: &str) -> Command {
        swgg(self.directory.path(), line)
    }

    pub fn run(&self, line: &str) -> Ran {
        Ran::of(self.command(line))
    }

    /// Runs to exit 0 without a word on standard error; returns standard output.
    pub fn works(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "swgg {line}");
        ran.stdout
    }

    /// The one line of JSON that a run prints.
    pub fn json(&self, line: &str) -> Value {
        one_line(&self.works(&format!("{line} --json")))
    }

    /// The cost of `solve` with these further arguments.
    pub fn cost(&self, arguments: &str) -> f64 {
        self.json(&format!("solve source.csv target.csv {arguments}"))["cost"].as_f64().unwrap()
    }

    /// Runs to exit 2 with exactly this message, nothing on standard output and no file touched.
    pub fn refuses(&self, line: &str, message: &str) {
        let before = self.tree();
        let ran = self.run(line);
        let expected = Ran { code: Some(2), stdout: String::new(), stderr: format!("error: {message}\n") };
        assert_eq!(ran, expected, "swgg {line}");
        self.unchanged(&before);
    }

    /// Checks that no file came, went or changed since then.
    #[track_caller]
    pub fn unchanged(&self, before: &Tree) {
        let now = self.tree();
        let paths = before.keys().chain(now.keys());
        let differ: BTreeSet<_> = paths.filter(|path| before.get(*path) != now.get(*path)).collect();
        assert!(differ.is_empty(), "changed: {differ:?}");
    }

    /// Every path below the directory, with the content of files.
    pub fn tree(&self) -> Tree {
        let mut tree = BTreeMap::new();
        let mut open = vec![self.directory.path().to_path_buf()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap();
                if kind.is_dir() {
                    open.push(path.clone());
                }
                tree.insert(path.clone(), kind.is_file().then(|| fs::read(&path).unwrap()));
            }
        }
        tree
    }

    /// Names in a directory of the scene, sorted; `""` for the scene itself.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The points of a file.
    pub fn points(&self, name: &str) -> Vec<Vec<f64>> {
        let cloud = read_cloud(&self.path(name), &ReadOptions::default()).unwrap();
        cloud.to_f64().chunks(cloud.columns()).map(<[f64]>::to_vec).collect()
    }

    pub fn vector(&self, name: &str) -> Vec<f64> {
        read_vector(&self.path(name)).unwrap()
    }

    /// The entries of a plan in a table.
    pub fn plan(&self, name: &str) -> Vec<(usize, usize, f64)> {
        self.points(name).iter().map(|row| (row[0] as usize, row[1] as usize, row[2])).collect()
    }
}

impl Ran {
    pub fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// `swgg` run in a directory, away from terminals and from settings that would change what it prints.
pub fn swgg(directory: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swgg"));
    command.args(line.split_whitespace()).current_dir(directory).stdin(Stdio::null());
    command.env("RUST_BACKTRACE", "0");
    for name in ["COLUMNS", "LINES", "CLICOLOR_FORCE", "RAYON_NUM_THREADS"] {
        command.env_remove(name);
    }
    command
}

/// The root of the repository, where the examples are.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn one_line(text: &str) -> Value {
    assert!(text.ends_with('\n') && text.lines().count() == 1, "{text:?}");
    serde_json::from_str(text).unwrap()
}
