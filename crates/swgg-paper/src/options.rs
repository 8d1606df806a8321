//! What was asked for.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::experiments::EXPERIMENTS;
use crate::scale::Extent;

/// What was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    pub extent: Extent,
    /// Names of the experiments to run, in the order of the paper.
    pub only: Vec<&'static str>,
    pub data: Option<PathBuf>,
    pub out: PathBuf,
    pub again: bool,
}

/// Where the page goes if nobody says.
const OUT: &str = "target/paper";

pub fn help() -> String {
    let mut text = String::from(
        "cargo xtask paper [--quick] [--only NAME...] [--data DIR] [--out DIR] [--again]\n\n\
         Computes every figure and table of the paper anew and writes index.html, paper.json and the pictures.\n\n  \
         --quick      smaller sizes and fewer seeds: minutes instead of hours\n  \
         --tiny       the least that still shows what the paper claims, as the tests run it\n  \
         --only NAME  only these, one or several\n  \
         --data DIR   the paper's own data where they are there [default: SWGG_DATA; without it drawn stand-ins]\n  \
         --out DIR    where to write [default: target/paper]\n  \
         --again      compute anew what lies there from a run before\n\nNames:\n",
    );
    for experiment in EXPERIMENTS {
        text.push_str(&format!("  {:<20} {}\n", experiment.name(), experiment.place()));
    }
    text
}

/// Reads the words; `None` if help was asked for.
pub fn parse(words: &[String], data: Option<OsString>) -> Result<Option<Options>, String> {
    let mut told = Options {
        extent: Extent::Full,
        only: Vec::new(),
        data: data.map(PathBuf::from),
        out: PathBuf::from(OUT),
        again: false,
    };
    let mut only: Vec<&str> = Vec::new();
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("`{word}` needs a value; `--help` says which"));
        match word {
            "--help" | "-h" => return Ok(None),
            "--quick" => told.extent = Extent::Quick,
            "--tiny" => told.extent = Extent::Tiny,
            "--again" => told.again = true,
            "--data" => told.data = Some(PathBuf::from(value()?)),
            "--out" => told.out = PathBuf::from(value()?),
            "--only" => {
                only.push(value()?);
                while let Some(name) = words.next_if(|word| !word.starts_with('-')) {
                    only.push(name);
                }
            }
            _ => {
                return Err(format!(
                    "found `{word}`, expected --quick, --tiny, --only NAME..., --data DIR, --out DIR or --again"
                ));
            }
        }
    }
    // A name may be a list with commas.
    let only: Vec<&str> = only.iter().flat_map(|names| names.split(',')).collect();
    let names = || EXPERIMENTS.iter().map(|experiment| experiment.name());
    if let Some(unknown) = only.iter().find(|name| !names().any(|known| known == **name)) {
        let known = names().collect::<Vec<_>>().join(", ");
        return Err(format!("no experiment is called `{unknown}`; there are {known}"));
    }
    if let Some(directory) = told.data.as_ref().filter(|directory| !directory.is_dir()) {
        return Err(format!(
            "{}: there is no such directory of data; leave --data (and SWGG_DATA) out for drawn stand-ins",
            directory.display()
        ));
    }
    told.only = names().filter(|name| only.is_empty() || only.contains(name)).collect();
    Ok(Some(told))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<Option<Options>, String> {
        parse(&words.split_whitespace().map(String::from).collect::<Vec<_>>(), None)
    }

    #[test]
    fn words_become_options() {
        let told = parsed("--quick --only sizes plans --out there --again").unwrap().unwrap();
        assert_eq!(told.only, ["plans", "sizes"]);
        assert_eq!((told.extent, told.again, told.out), (Extent::Quick, true, PathBuf::from("there")));
        let all = parsed("").unwrap().unwrap();
        assert_eq!((all.only.len(), all.extent), (EXPERIMENTS.len(), Extent::Full));
        assert_eq!(parsed("--only plans,sizes").unwrap().unwrap().only.len(), 2);
        assert_eq!(parsed("--help"), Ok(None));
    }

    #[test]
    fn refusals_say_what_there_is() {
        let refusal = parsed("--only nope").unwrap_err();
        assert!(
            refusal.starts_with("no experiment is called `nope`; there are discontinuity, "),
            "{refusal}"
        );
        for experiment in EXPERIMENTS {
            assert!(refusal.contains(experiment.name()) && help().contains(experiment.place()));
        }
        assert!(parsed("--only").unwrap_err().contains("needs a value"));
        assert!(parsed("--fast").unwrap_err().starts_with("found `--fast`"));
        assert!(parsed("--data /nowhere/at/all").unwrap_err().contains("no such directory"));
    }
}
