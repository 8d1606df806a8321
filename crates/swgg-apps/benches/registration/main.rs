//! Runs behind `cargo xtask bench registration`: one case, every seed, the record as JSON on stdout.
//!
//! ```text
//! cargo bench -p swgg-apps --bench registration -- CASE SEEDS [DIRECTORY]
//! ```
//!
//! The directory holds clouds as rows of little-endian 64-bit floats, written by `crates/xtask/python/bench/registration.py`; without
//! it clouds are shapes of ours. Only calls of `align` are timed.

mod cases;
mod clouds;
mod cuts;
mod shapes;

use std::error::Error;
use std::path::PathBuf;

/// What went wrong, whoever says it.
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let (case, seeds, directory) = match &words[..] {
        [case, seeds] => (case, seeds, None),
        [case, seeds, directory] => (case, seeds, Some(PathBuf::from(directory))),
        _ => return Err("say CASE SEEDS [DIRECTORY]".into()),
    };
    let record = cases::run(case, seeds.parse()?, directory.as_deref())?;
    println!("{record}");
    Ok(())
}
