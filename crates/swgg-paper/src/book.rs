//! Runs experiments one after the other, keeps what each leaves behind, and writes the page.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use swgg_io::picture::{self, Samples};

use crate::Outcome;
use crate::experiments::{EXPERIMENTS, Experiment};
use crate::options::Options;
use crate::page;
use crate::progress::Progress;
use crate::record::{Claim, Contents, Record, Table, verdict};
use crate::scale::{Extent, Scale};
use crate::shelf::{self, Shelf};

/// One experiment that was run, as it is kept and shown.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub title: String,
    pub shows: String,
    pub paper: InPaper,
    pub ours: Map<String, Value>,
    pub verdict: String,
    pub claims: Vec<Claim>,
    pub seconds: f64,
    /// Those of them that an entry before took, for parts that both need.
    pub shared_seconds: f64,
    pub files: Vec<String>,
    /// What each of the files shows.
    pub captions: Vec<String>,
    pub tables: Vec<Table>,
    pub settings: Vec<(String, String)>,
    pub seed: String,
    pub stand_in: Option<String>,
    pub remarks: Vec<String>,
    pub extent: Extent,
    pub machine: Value,
    /// What has to agree for this to be used again.
    pub conditions: String,
}

/// What the paper has.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InPaper {
    pub place: String,
    pub says: String,
    /// Its numbers, from its LaTeX source; empty where it gives none.
    pub numbers: Map<String, Value>,
}

/// An experiment that could not be run.
pub struct Failure {
    pub name: &'static str,
    pub place: &'static str,
    pub message: String,
}

/// Runs what was asked for and writes everything; how many could not be run.
pub fn run(told: &Options) -> Outcome<usize> {
    let entries = told.out.join("entries");
    std::fs::create_dir_all(&entries).map_err(|error| format!("{}: {error}", told.out.display()))?;
    let conditions = conditions(told)?;
    let shelf = Shelf::new(entries.join("parts"), conditions.clone(), told.again)?;
    let progress = Progress::new();
    let scale = Scale { extent: told.extent, data: told.data.clone(), shelf: &shelf, progress: &progress };
    let mut failures = Vec::new();
    for (at, name) in told.only.iter().enumerate() {
        let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.name() == *name) else {
            continue;
        };
        if !told.again && kept(&told.out, name, &conditions).is_some() {
            println!("{name}: done before");
            continue;
        }
        progress.begin(format!("[{} of {}] {name}", at + 1, told.only.len()));
        let outcome = entry(*experiment, &scale, &told.out, &conditions);
        progress.end();
        match outcome {
            Ok(entry) => {
                println!("{name} ({:.1} s): {}", entry.seconds, entry.verdict);
                shelf::write(&place(&told.out, name), &serde_json::to_string_pretty(&entry)?)?;
            }
            Err(error) => {
                eprintln!("{name} could not be run: {error}");
                let (name, place) = (experiment.name(), experiment.place());
                failures.push(Failure { name, place, message: error.to_string() });
            }
        }
        // Written after every one: whoever looks in between sees what is done.
        publish(told, &conditions, &failures)?;
    }
    publish(told, &conditions, &failures)?;
    println!("{}", told.out.join("index.html").display());
    Ok(failures.len())
}

/// The page and its data, of everything that is done.
fn publish(told: &Options, conditions: &str, failures: &[Failure]) -> Outcome<()> {
    let done = |experiment: &&dyn Experiment| kept(&told.out, experiment.name(), conditions);
    let entries: Vec<Entry> = EXPERIMENTS.iter().filter_map(done).collect();
    let record = json!({
        "paper": page::PAPER, "extent": told.extent, "machine": machine(), "entries": entries,
        "failures": failures.iter().map(|failure| json!({ "name": failure.name, "message": failure.message })).collect::<Vec<_>>(),
    });
    shelf::write(&told.out.join("paper.json"), &(serde_json::to_string_pretty(&record)? + "\n"))?;
    shelf::write(&told.out.join("index.html"), &page::page(&entries, failures, &told.out)?)
}

/// Where an entry is kept.
fn place(out: &Path, name: &str) -> PathBuf {
    out.join("entries").join(format!("{name}.json"))
}

/// An entry that lies there with its files, if it was made under the same conditions.
fn kept(out: &Path, name: &str, conditions: &str) -> Option<Entry> {
    let entry: Entry = shelf::read(&place(out, name))?;
    let is_whole = entry.files.iter().all(|file| out.join(file).is_file());
    (entry.conditions == conditions && is_whole).then_some(entry)
}

/// Runs an experiment and writes its pictures.
fn entry(experiment: &dyn Experiment, scale: &Scale, out: &Path, conditions: &str) -> Outcome<Entry> {
    let clock = Instant::now();
    let name = experiment.name();
    scale.shelf.begin(name);
    let record = experiment.run(scale)?;
    let found = scale.shelf.found_seconds();
    let seconds = clock.elapsed().as_secs_f64() + found.own + found.shared;
    let files = draw(&record, name, out)?;
    let Record { ours, paper, claims, tables, pictures, settings, seed, stand_in, remarks } = record;
    Ok(Entry {
        name: name.to_string(),
        title: experiment.title().to_string(),
        shows: experiment.shows().to_string(),
        paper: InPaper {
            place: experiment.place().to_string(),
            says: experiment.says().to_string(),
            numbers: paper,
        },
        ours,
        verdict: verdict(&claims),
        claims,
        seconds,
        shared_seconds: found.shared,
        files,
        captions: pictures.into_iter().map(|picture| picture.caption).collect(),
        tables,
        settings,
        seed,
        stand_in,
        remarks,
        extent: scale.extent,
        machine: machine(),
        conditions: conditions.to_string(),
    })
}

/// Writes the pictures of a record and names their files.
fn draw(record: &Record, name: &str, out: &Path) -> Outcome<Vec<String>> {
    let mut files = Vec::new();
    for shown in &record.pictures {
        let stem = if shown.name.is_empty() { name.to_string() } else { format!("{name}-{}", shown.name) };
        let file = match &shown.contents {
            Contents::Svg(svg) => {
                let file = format!("{stem}.svg");
                shelf::write(&out.join(&file), svg)?;
                file
            }
            Contents::Photo { width, pixels } => {
                let file = format!("{stem}.png");
                let samples = Samples::U8(pixels.iter().flatten().copied().collect());
                let photo = picture::Picture::new(*width, pixels.len() / width, 3, samples)?;
                picture::write(swgg_io::Output::create(&out.join(&file))?, &photo)?.commit()?;
                file
            }
        };
        files.push(file);
    }
    Ok(files)
}

/// What has to agree for a result to be used again: how much, on which data, by which program.
fn conditions(told: &Options) -> Outcome<String> {
    let program = std::fs::read(std::env::current_exe()?)?;
    // FNV-1a over words (G. Fowler, L. C. Noll and K.-P. Vo): any change of the code is another program.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in program.chunks(8) {
        let bytes: [u8; 8] = std::array::from_fn(|k| word.get(k).copied().unwrap_or(0));
        hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let data = told.data.as_ref().map_or("none".to_string(), |data| data.display().to_string());
    Ok(format!("{} swgg {} program {hash:016x} data {data}", told.extent.name(), env!("CARGO_PKG_VERSION")))
}

/// What seconds were measured on.
fn machine() -> Value {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    json!({
        "processor": model,
        "cores": std::thread::available_parallelism().map(usize::from).unwrap_or(1),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "build": if cfg!(debug_assertions) { "dev" } else { "release" },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(out: &Path, only: &[&'static str], again: bool) -> Options {
        Options { extent: Extent::Tiny, only: only.to_vec(), data: None, out: out.to_path_buf(), again }
    }

    fn seconds(out: &Path, name: &str) -> f64 {
        shelf::read::<Entry>(&place(out, name)).unwrap().seconds
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("paper");
        assert_eq!(run(&told(&out, &["discontinuity"], false)).unwrap(), 0);
        let first = seconds(&out, "discontinuity");
        // The second run has both, and computes only what is missing.
        assert_eq!(run(&told(&out, &["discontinuity", "pythagoras"], false)).unwrap(), 0);
        assert_eq!(seconds(&out, "discontinuity"), first);
        let page = std::fs::read_to_string(out.join("index.html")).unwrap();
        assert!(page.contains("id=\"discontinuity\"") && page.contains("id=\"pythagoras\""));
        // Asked to, or with a picture gone, it computes anew.
        assert_eq!(run(&told(&out, &["discontinuity"], true)).unwrap(), 0);
        let again = seconds(&out, "discontinuity");
        assert_ne!(again, first);
        std::fs::remove_file(out.join("discontinuity.svg")).unwrap();
        assert_eq!(run(&told(&out, &["discontinuity"], false)).unwrap(), 0);
        assert_ne!(seconds(&out, "discontinuity"), again);
        assert!(out.join("discontinuity.svg").is_file());
    }

    #[test]
    fn the_record_has_its_fields() {
        let directory = tempfile::tempdir().unwrap();
        run(&told(directory.path(), &["pwd-table"], false)).unwrap();
        let record: Value = shelf::read(&directory.path().join("paper.json")).unwrap();
        let entry = &record["entries"][0];
        assert_eq!(entry["name"], "pwd-table");
        assert_eq!(entry["paper"]["numbers"]["multi-modal: W2^2"], 12.0);
        assert!(entry["ours"]["multi-modal: W2^2"].as_f64().is_some_and(|cost| cost > 0.0));
        assert!(entry["verdict"].as_str().is_some_and(|verdict| verdict.starts_with("agrees: ")));
        assert!(entry["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
        for file in entry["files"].as_array().unwrap() {
            assert!(directory.path().join(file.as_str().unwrap()).is_file(), "{file}");
        }
        assert!(record["machine"]["cores"].as_u64().is_some_and(|cores| cores > 0));
    }

    #[test]
    fn another_extent_or_other_data_are_other_conditions() {
        let told = told(Path::new("out"), &[], false);
        let same = conditions(&told).unwrap();
        assert_eq!(conditions(&told).unwrap(), same);
        assert_ne!(conditions(&Options { extent: Extent::Quick, ..told.clone() }).unwrap(), same);
        assert_ne!(conditions(&Options { data: Some(PathBuf::from("there")), ..told }).unwrap(), same);
    }
}
