//! `swgg help TOPIC`: what no single command can say. Lists come from the registries.

use std::ffi::OsString;

use swgg::paper::SEARCHES;
use swgg::solver::{COSTS, METHODS, PlanKind};
use swgg_io::{Format, PlanFormat};

use crate::args::{self, Help};
use crate::exit::{self, Failure, Outcome};
use crate::printer::{result, wrapped};

/// Who writes the text of a topic.
type Writer = fn() -> String;

/// Topics, and who writes them.
const TOPICS: &[(&str, Writer)] = &[
    ("formats", formats),
    ("columns", columns),
    ("methods", methods),
    ("searches", searches),
    ("costs", costs),
    ("exit-codes", exit_codes),
];

/// What a unit of mass pays, by the name of the cost.
const PAID: &[(&str, &str)] = &[
    ("sqeuclidean", "|x - y|^2, the default; --scales"),
    ("euclidean", "|x - y|, or its power with --p; --scales"),
    ("cityblock", "the sum of |x_c - y_c| over the columns; --scales"),
    ("chebyshev", "the largest |x_c - y_c|; --scales"),
    ("minkowski", "the root of order --order of the sum of these powers; --scales"),
    ("cosine", "1 less the cosine of the angle between x and y"),
    ("mahalanobis", "the distance after whitening by --covariance, or its power with --p"),
    ("labelled", "|x - y|^2 and what --label-costs says for the two labels"),
];

pub fn run(args: &Help) -> Outcome<u8> {
    let Some(word) = args.topic.as_deref() else { return shown(&["swgg", "--help"]) };
    if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == word) {
        result(&text())?;
        return Ok(exit::DONE);
    }
    if args::command().find_subcommand(word).is_some() {
        return shown(&["swgg", word, "--help"]);
    }
    let topics: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
    Err(Failure::usage(format!(
        "there is no command and no topic {word:?}; topics are {}, and swgg --help lists the commands",
        topics.join(", ")
    )))
}

/// What a command line prints that asks for help.
fn shown(line: &[&str]) -> Outcome<u8> {
    if let Err(help) = args::parse(line.iter().map(OsString::from)) {
        result(&help.render().to_string())?;
    }
    Ok(exit::DONE)
}

/// Lines of names and sentences, the sentences in a column of their own.
fn listed<'a>(lines: impl IntoIterator<Item = (String, &'a str)>) -> String {
    let lines: Vec<(String, &str)> = lines.into_iter().collect();
    /// Longer names have a line of their own.
    const WIDEST: usize = 26;
    let length = |name: &str| name.chars().count();
    let widths = lines.iter().map(|(name, _)| length(name)).filter(|length| *length <= WIDEST);
    let width = widths.max().unwrap_or(WIDEST);
    let mut text = String::new();
    for (name, about) in lines {
        let folded = wrapped(about, 76 - width);
        if length(&name) > width {
            text += &wrapped(&format!("  {name}"), 78)
                .lines()
                .map(|line| format!("  {}\n", line.trim_start()))
                .collect::<String>();
        }
        for (k, line) in folded.lines().enumerate() {
            let name = if k == 0 && length(&name) <= width { name.as_str() } else { "" };
            text += &format!("  {name:<width$}  {}\n", line.trim_start());
        }
    }
    text
}

fn formats() -> String {
    let clouds = Format::ALL.iter().map(|format| {
        let ways = if format.is_written() { "" } else { " (read only)" };
        (format!("{}{ways}", format.extensions().join(" ")), format.about())
    });
    let plans = PlanFormat::ALL.iter().map(|format| (format!(".{format}"), format.about()));
    format!(
        "Files are told by their endings, in letters of either case.\n\nClouds, one point per row:\n{}\nPlans:\n{}\n{}",
        listed(clouds),
        listed(plans),
        ENDING_OF_FORMATS
    )
}

const ENDING_OF_FORMATS: &str = "\
Pictures: .png .jpg .jpeg .tif .tiff .webp .bmp; where a cloud is wanted, a
  picture is the cloud of its colours: r, g and b from 0 to 1, a row per pixel.
Compressed: .gz or .zst after any of these endings, read and written.
Several at once: a folder, or a pattern in quotes (\"part-*.csv\"), is one cloud.
Standard input: - is a cloud; what it is shows by its first bytes, and text is
  taken as .csv unless --input-format says otherwise.
Standard output: --plan -, --map - and --out - of apply write .csv there.
Not read: .mat, .h5ad and other HDF5 files; the message has a line of Python.
";

fn columns() -> String {
    "\
--columns picks the coordinates, separated by commas, in this order:
  x,y,z        columns by name; letters of the other case will do if no name
               fits exactly
  0,2          by number, from 0
  4-6          a range of numbers, both ends included
  pc1-pc3      from one name to another, in the order of the file
  pc*          all names that fit: * stands for any letters, ? for one
An item that is the name of a column means that column, whatever it looks like.

--weights-column picks one more column as the weights of both clouds.
--skip-missing leaves out rows with an empty, missing or infinite value in
  one of the picked columns, and says how many.
--decimal-comma reads 1,5 as 1.5 in text; fields are apart by ; tabs or spaces.
Of .npz archives, FILE.npz:NAME picks an array.
swgg info FILE says which columns there are.
"
    .to_string()
}

fn methods() -> String {
    let lines = METHODS.iter().map(|method| {
        let without = match method.plan {
            PlanKind::Plan => "",
            PlanKind::Map => " (map, no plan)",
            PlanKind::Neither => " (no plan)",
        };
        (format!("{}{without}", method.name), method.about)
    });
    format!(
        "Methods of swgg solve --method; without it, auto.\n\n{}\nsolve --help lists the settings of each, compare runs several of them.\n",
        listed(lines)
    )
}

fn searches() -> String {
    let lines = SEARCHES.iter().map(|search| (search.name.to_string(), search.about));
    format!(
        "Ways to look for the best line of --method min-swgg, by --search.\n\n{}\nsolve --help lists the settings of each.\n",
        listed(lines)
    )
}

fn costs() -> String {
    let paid = |name: &str| PAID.iter().find(|(known, _)| *known == name).map_or("", |(_, about)| *about);
    let lines = COSTS.iter().map(|name| ((*name).to_string(), paid(name)));
    format!(
        "What a unit of mass pays to go from x to y, by --cost.\n\n{}\n--cost-matrix C.npy says it for every pair instead. auto, exact, tree, merged\n\
         and sinkhorn take every cost; docs/costs.md says when not to use them.\n",
        listed(lines)
    )
}

fn exit_codes() -> String {
    "\
0    done as asked
1    done, but stopped early (Ctrl-C once) or not all of it: what was found
     until then is printed and written; check found something wrong
2    failed: a message on standard error says what was found, what was expected
     and what to do; no output file was touched
130  left at once, without a result: Ctrl-C while files are read, or twice
"
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cost_is_described() {
        let described: Vec<&str> = PAID.iter().map(|(name, _)| *name).collect();
        assert_eq!(described, COSTS);
    }

    #[test]
    fn topics_fit_a_terminal() {
        for (name, text) in TOPICS {
            for line in text().lines() {
                assert!(line.chars().count() <= 80, "{name}: {line}");
            }
        }
    }
}
