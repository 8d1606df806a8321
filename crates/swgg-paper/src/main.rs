//! Every figure and table of the paper, computed anew: the program behind `cargo xtask paper`.
//!
//! ```text
//! cargo xtask paper [--quick | --tiny] [--only NAME...] [--data DIR] [--out DIR] [--again]
//! ```
//!
//! | room | what it holds |
//! |---|---|
//! | `options`, `scale` | what was asked for, and how much of it is computed |
//! | `experiments` | one file per figure or table, and the list of them |
//! | `record` | what an experiment leaves behind: numbers, claims that were checked, tables, pictures |
//! | `shelf` | parts that are done, on disk: a run goes on where it stopped |
//! | `book` | runs them all and writes `paper.json` and the pictures |
//! | `page` | `index.html` |
//! | `chart` | pictures as SVG |
//! | `clouds`, `scenes`, `files` | what experiments work on: drawn here, or read |

mod book;
mod chart;
mod clouds;
mod experiments;
mod files;
mod options;
mod page;
mod progress;
mod record;
mod scale;
mod scenes;
mod shelf;
mod statistics;

use std::process::ExitCode;

/// What went wrong, whoever says it.
type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let told = match options::parse(&words, std::env::var_os("SWGG_DATA")) {
        Ok(Some(told)) => told,
        Ok(None) => {
            print!("{}", options::help());
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("paper: {message}");
            return ExitCode::from(2);
        }
    };
    match book::run(&told) {
        // Done, but for experiments that could not be run; they said why.
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(message) => {
            eprintln!("paper: {message}");
            ExitCode::from(2)
        }
    }
}
