//! Files in, files out: every format through the public functions.
// The exception for tests covers test functions, not the helpers they share.
#![allow(clippy::unwrap_used)]

mod archives;
mod attributes;
mod clouds;
mod idx;
mod las;
mod meshes;
mod missing;
mod mutations;
mod npy;
mod output;
mod packed;
mod parts;
mod paths;
mod pcd;
mod pictures;
mod plans;
mod ply;
mod rasters;
mod registry;
mod tables;
mod vectors;

use std::path::PathBuf;

use swgg_io::{Attributes, Cloud, Format, Output, ReadOptions, read_cloud, read_table, write_table};
use tempfile::TempDir;

/// A directory with one file in it.
struct Scene {
    directory: TempDir,
    name: String,
}

impl Scene {
    fn new(name: impl Into<String>, content: impl AsRef<[u8]>) -> Self {
        let scene = Self { directory: tempfile::tempdir().unwrap(), name: name.into() };
        std::fs::write(scene.path(), content).unwrap();
        scene
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    fn read(&self) -> Cloud {
        self.try_read(None).unwrap_or_else(|message| panic!("{message}"))
    }

    fn pick(&self, columns: &str) -> Cloud {
        self.try_read(Some(columns)).unwrap_or_else(|message| panic!("{message}"))
    }

    /// The message without the path, which is checked to be there.
    fn refusal(&self) -> String {
        self.try_read(None).expect_err("refused")
    }

    /// With everything that the points carry.
    fn read_table(&self, columns: Option<&str>) -> (Cloud, Attributes) {
        let options =
            ReadOptions { columns: columns.map(|text| text.parse().unwrap()), ..ReadOptions::default() };
        read_table(&self.path(), &options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Another file with these points and attributes, and what could not be written to it.
    fn write_table(name: impl Into<String>, cloud: &Cloud, attributes: &Attributes) -> (Self, Vec<String>) {
        let scene = Self::new(name, "");
        let output = Output::create(&scene.path()).unwrap();
        let format = Format::from_path(&scene.path()).unwrap();
        let (output, left_out) =
            write_table(output, format, cloud.columns(), &cloud.to_f64(), attributes).unwrap();
        output.commit().unwrap();
        (scene, left_out)
    }

    fn try_read(&self, columns: Option<&str>) -> Result<Cloud, String> {
        let options =
            ReadOptions { columns: columns.map(|text| text.parse().unwrap()), ..ReadOptions::default() };
        let path = self.path();
        read_cloud(&path, &options).map_err(|error| {
            assert_eq!(error.path(), Some(&*path));
            let message = error.to_string();
            let prefix = format!("{}: ", path.display());
            message.strip_prefix(&prefix).unwrap_or_else(|| panic!("{message}")).to_owned()
        })
    }
}

fn refusal(name: impl Into<String>, content: impl AsRef<[u8]>) -> String {
    Scene::new(name, content).refusal()
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
