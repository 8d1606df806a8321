//! Plans as folders of Parquet parts: under a temporary name until they are whole, with a manifest when they are.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cuts::Cuts;
use crate::error::{Error, Result};
use crate::part;
use crate::search::Found;

/// What `manifest.json` calls itself.
pub(crate) const FORMAT: &str = "swgg-plan";
/// Its version; readers refuse later ones.
pub(crate) const VERSION: u32 = 1;
const MANIFEST: &str = "manifest.json";
const PROGRESS: &str = "progress.json";
const SPILL: &str = "spill";

/// What is in a folder that holds a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `swgg-plan`.
    pub format: String,
    /// Version of this layout.
    pub version: u32,
    /// Version of swgg that wrote it.
    pub swgg: String,
    /// Version of DataFusion that it ran on.
    pub datafusion: String,
    /// The method of the plan.
    pub method: String,
    /// The two tables as they were named.
    pub source: String,
    /// The target.
    pub target: String,
    /// Points of the source.
    pub n: u64,
    /// Points of the target.
    pub m: u64,
    /// Number of coordinates.
    pub d: usize,
    /// What `source` and `target` of an entry are: `row`, or the column of `--id`.
    pub ids: String,
    /// Seed of the search.
    pub seed: u64,
    /// The direction and where it comes from.
    pub direction: Found,
    /// Cost of the plan: an upper bound of the squared Wasserstein distance.
    pub cost: f64,
    /// What no plan costs less than.
    pub lower_bound: f64,
    /// Cost along the line.
    pub along_line: f64,
    /// Entries of all parts.
    pub entries: u64,
    /// The parts in order: concatenated, they follow the line.
    pub parts: Vec<Part>,
}

/// One file of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name in the folder.
    pub file: String,
    /// Its entries.
    pub entries: u64,
    /// Its share of the mass.
    pub mass: f64,
    /// Its share of the cost.
    pub cost: f64,
}

/// What a run was asked for, to know it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub files: [Vec<(String, u64, u64)>; 2],
    pub columns: Vec<String>,
    pub direction: Option<Vec<u64>>,
    pub directions: Option<usize>,
    pub seed: u64,
    pub cells: Option<usize>,
}

/// What a run that was stopped left behind besides finished parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub recipe: Recipe,
    /// The bits of the direction: numbers in JSON are read to the last digit or the one before.
    pub theta: Vec<u64>,
    pub found: Found,
    pub gelbrich: f64,
    pub cuts: Cuts,
}

/// A plan that is being written.
#[derive(Debug)]
pub(crate) struct PlanFolder {
    destination: PathBuf,
    staging: PathBuf,
    /// Whether what is there is worth keeping for `--resume`.
    keep: bool,
}

impl PlanFolder {
    /// Makes the folder under its temporary name, or finds that of a run that was stopped.
    pub fn create(destination: &Path, resume: bool) -> Result<(Self, Option<Progress>)> {
        let refuse = |problem: String| Error::place(destination, problem);
        let name =
            destination.file_name().ok_or_else(|| refuse("name a new folder for the plan".to_string()))?;
        match fs::read_dir(destination) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(refuse("the folder is not empty; name a new one or remove it".to_string()));
                }
            }
            Err(_) if destination.exists() => {
                return Err(refuse(
                    "is a file; with --engine a plan is a folder of Parquet parts, name a new one"
                        .to_string(),
                ));
            }
            Err(_) => {}
        }
        let parent = destination.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        if !parent.is_dir() {
            return Err(refuse(format!("the folder {} does not exist; create it first", parent.display())));
        }
        let staging = parent.join(format!(".{}.unfinished", name.to_string_lossy()));
        if staging.exists() && !resume {
            return Err(refuse(format!(
                "a run to this place was stopped; add --resume to go on where it stopped, or remove {}",
                staging.display()
            )));
        }
        let progress = match fs::read(staging.join(PROGRESS)) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| {
                refuse(format!("cannot be resumed ({error}); remove {}", staging.display()))
            })?),
            Err(_) => None,
        };
        let folder = PlanFolder { destination: destination.to_path_buf(), staging, keep: progress.is_some() };
        // What spilled belongs to a run that is gone.
        let _ = fs::remove_dir_all(folder.spill());
        fs::create_dir_all(folder.spill()).map_err(|error| refuse(format!("cannot be made ({error})")))?;
        Ok((folder, progress))
    }

    /// Where parts go.
    pub fn parts(&self) -> &Path {
        &self.staging
    }

    /// Where sorts may go.
    pub fn spill(&self) -> PathBuf {
        self.staging.join(SPILL)
    }

    /// From here on a run that is stopped can be resumed.
    pub fn remember(&mut self, progress: &Progress) -> Result<()> {
        write_json(&self.staging, PROGRESS, progress)?;
        self.keep = true;
        Ok(())
    }

    /// The finished parts among so many cells.
    pub fn finished(&self, cells: usize) -> Vec<Option<crate::cell::Sums>> {
        (0..cells).map(|cell| part::finished(&self.staging, cell)).collect()
    }

    /// Writes the manifest and gives the folder its name.
    pub fn commit(mut self, manifest: &Manifest) -> Result<()> {
        write_json(&self.staging, MANIFEST, manifest)?;
        let _ = fs::remove_dir_all(self.spill());
        let _ = fs::remove_file(self.staging.join(PROGRESS));
        // An empty folder of that name is replaced by the full one.
        let _ = fs::remove_dir(&self.destination);
        fs::rename(&self.staging, &self.destination).map_err(|error| {
            Error::place(&self.destination, format!("could not be put in place ({error})"))
        })?;
        self.keep = true;
        Ok(())
    }
}

impl Drop for PlanFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.spill());
        if !self.keep {
            let _ = fs::remove_dir_all(&self.staging);
        }
    }
}

fn write_json(folder: &Path, name: &str, value: &impl Serialize) -> Result<()> {
    let (scratch, path) = (folder.join(format!(".{name}.tmp")), folder.join(name));
    let refuse = |error: String| Error::place(&path, format!("cannot be written ({error})"));
    let text = serde_json::to_string_pretty(value).map_err(|error| refuse(error.to_string()))?;
    fs::write(&scratch, text + "\n").map_err(|error| refuse(error.to_string()))?;
    fs::rename(&scratch, &path).map_err(|error| refuse(error.to_string()))
}

/// Reads the manifest of a plan.
///
/// # Errors
///
/// A folder without one, or with one that cannot be read.
pub fn manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let bytes = fs::read(&path).map_err(|_| {
        Error::place(
            folder,
            format!("holds no {MANIFEST}; expected a folder that `swgg solve --engine` wrote"),
        )
    })?;
    let manifest: Manifest = serde_json::from_slice(&bytes)
        .map_err(|error| Error::place(&path, format!("is damaged ({error}); solve again")))?;
    if manifest.format != FORMAT || manifest.version > VERSION {
        let problem = format!(
            "is {} of version {}, expected {FORMAT} of version {VERSION} at most; take a newer swgg-engine",
            manifest.format, manifest.version
        );
        return Err(Error::place(&path, problem));
    }
    Ok(manifest)
}
