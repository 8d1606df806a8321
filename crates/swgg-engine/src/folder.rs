//! Plans as folders of Parquet parts: under a temporary name until they are whole, with a manifest when they are.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cuts::Cuts;
use crate::error::{Error, Result};
use crate::part;
use crate::search::ChosenDirection;

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
    /// The direction and where it comes from, if the method has one.
    pub direction: Option<ChosenDirection>,
    /// The effort, if the method has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<u8>,
    /// What each pass came to, if the method has passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<Pass>,
    /// Cost of the plan: an upper bound of the squared Wasserstein distance.
    pub cost: f64,
    /// What no plan costs less than.
    pub lower_bound: f64,
    /// Cost along the line, or along one that was looked for to have a lower bound.
    pub along_line: f64,
    /// Entries of all parts.
    pub entries: u64,
    /// The parts in order; where there is a direction they follow it, concatenated.
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

/// A pass of [`Method::Auto`](crate::Method::Auto).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Its cells.
    pub cells: usize,
    /// Cost of the whole plan after it.
    pub cost: f64,
}

/// What a run was asked for, to know it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recipe {
    pub files: [Vec<(String, u64, u64)>; 2],
    pub columns: Vec<String>,
    pub method: String,
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
    pub found: ChosenDirection,
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
    /// Makes the folder under its temporary name, for something that is done at once or not at all.
    pub fn fresh(destination: &Path) -> Result<Self> {
        let staging = Self::staging(destination)?;
        if staging.exists() {
            let problem =
                format!("a run to this place was stopped, or goes on; remove {}", staging.display());
            return Err(Error::place(destination, problem));
        }
        Ok(Self::create::<Recipe>(destination, false)?.0)
    }

    /// Where a folder is until it is whole.
    fn staging(destination: &Path) -> Result<PathBuf> {
        let refuse = |problem: String| Error::place(destination, problem);
        let name = destination.file_name().ok_or_else(|| refuse("name a new folder".to_string()))?;
        let parent = destination.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        if !parent.is_dir() {
            return Err(refuse(format!("the folder {} does not exist; create it first", parent.display())));
        }
        Ok(parent.join(format!(".{}.unfinished", name.to_string_lossy())))
    }

    /// Makes the folder under its temporary name, or finds that of a run that was stopped.
    pub fn create<P: DeserializeOwned>(destination: &Path, resume: bool) -> Result<(Self, Option<P>)> {
        let refuse = |problem: String| Error::place(destination, problem);
        let staging = Self::staging(destination)?;
        match fs::read_dir(destination) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return Err(refuse("the folder is not empty; name a new one or remove it".to_string()));
                }
            }
            Err(_) if destination.exists() => {
                return Err(refuse(
                    "is a file; a folder of Parquet files is made here, name a new one".to_string(),
                ));
            }
            Err(_) => {}
        }
        if staging.exists() && !resume {
            return Err(refuse(format!(
                "a run to this place was stopped; add --resume to go on where it stopped, or remove {}",
                staging.display()
            )));
        }
        let progress = match fs::read(staging.join(PROGRESS)) {
            Ok(bytes) => Some(serde_json::from_slice(&bytes).map_err(|error| {
                refuse(format!(
                    "--resume: what a run left behind is of another method or version ({error}); remove {}",
                    staging.display()
                ))
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
    pub fn remember(&mut self, progress: &impl Serialize) -> Result<()> {
        write_json(&self.staging, PROGRESS, progress)?;
        self.keep = true;
        Ok(())
    }

    /// The finished parts among so many cells.
    pub fn finished(&self, cells: usize) -> Vec<Option<crate::cell::Sums>> {
        (0..cells).map(|cell| part::finished(&self.staging.join(part::file_name(cell)))).collect()
    }

    /// Writes the manifest of a plan and gives the folder its name.
    pub fn commit(self, manifest: &Manifest) -> Result<()> {
        self.commit_as(MANIFEST, manifest)
    }

    /// The same with something else to say, in a file of this name.
    pub fn commit_as(mut self, name: &str, said: &impl Serialize) -> Result<()> {
        write_json(&self.staging, name, said)?;
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
