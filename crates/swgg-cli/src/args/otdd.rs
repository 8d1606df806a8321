//! What `swgg otdd` accepts.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use swgg::setting::{Setting, Value};
use swgg::solver::settings::{EFFORT, EPSILON, RELATIVE_EPSILON};
use swgg_apps::otdd::{LABEL_DISTANCES, LabelDistanceKind, Pixels, Size, outer_methods};
use swgg_io::ColumnSelection;

use super::{MOST_COUNT, Print, SearchFlags, at_most, whole_number};

/// Compare data sets, points and labels together (OTDD)
///
/// Two points cost the root of |x - y|^2 + W2^2 between the clouds of their labels, so that labels need not be called the same, nor be
/// equally many; the distance is what the cheapest plan costs. Two data sets or more: all pairs, as a symmetric matrix.
///
/// Images in the format of MNIST (IDX, also .gz) with their labels beside them, .npy with labels beside it (x.npy, x-labels.npy), and
/// tables with a column of labels, which may be text.
#[derive(Debug, Args)]
pub struct Otdd {
    /// Data sets, two or more
    #[arg(value_name = "DATA", required = true)]
    pub sets: Vec<PathBuf>,
    /// Labels, a file per data set, in their order: IDX, or one whole number per row [default: beside the data]
    #[arg(long, value_name = "FILE,FILE,...", value_delimiter = ',', conflicts_with = "label_column")]
    pub labels: Option<Vec<PathBuf>>,
    /// Column of a table that holds the labels, by name or number [default: label]
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
    /// Columns of a table that are coordinates, by name or number [default: all but the labels]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    /// What to call the data sets [default: after their files]
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',')]
    pub names: Option<Vec<String>>,

    /// How far two labels are apart
    #[arg(long, value_name = "DISTANCE", default_value = "auto", value_parser = label_distances())]
    pub label_distance: &'static LabelDistanceKind,
    /// sinkhorn: weight of the entropy, in the units of squared distances
    #[arg(long, value_name = "E", allow_hyphen_values = true, conflicts_with = "relative_epsilon")]
    pub epsilon: Option<f64>,
    /// sinkhorn: the same as a share of the mean cost between two labels [default: 0.01]
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub relative_epsilon: Option<f64>,
    /// 1 for the root of squared distances, as in the paper; 2 for squared distances, and the root of what the plan costs
    #[arg(long, value_name = "P", default_value = "1", value_parser = ["1", "2"])]
    pub power: String,
    /// Take so many points of each data set, drawn without replacement whatever their labels; all where there are no more
    #[arg(long, value_name = "N", value_parser = at_most(MOST_COUNT))]
    pub samples: Option<usize>,
    /// Bring images to this size [default: the largest, where images differ]
    #[arg(long, value_name = "HxW", value_parser = size)]
    pub resize: Option<Size>,
    /// IDX images of 8 bits: paper (x/255 - 0.1307) / 0.3081, unit 0 to 1, raw 0 to 255
    #[arg(long, value_name = "UNIT", default_value = "paper", value_parser = Pixels::NAMES)]
    pub pixels: String,

    /// How the plan between the points is found
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = PossibleValuesParser::new(outer_methods()))]
    pub method: String,
    /// auto: from 1, a quick look, to 10, close to the optimum [default: 5]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = |text: &str| whole_number(text, 1, 10))]
    pub effort: Option<usize>,
    /// auto: stop as soon as the plan is certified to be within this share of the optimum
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub gap: Option<f64>,
    /// Do not look for a lower bound; one that a method has anyway is kept
    #[arg(long)]
    pub no_bounds: bool,

    #[command(flatten)]
    pub search: SearchFlags,

    /// Draw the matrix with a tree of what is close to what: .svg or .png
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with the matrix and all that is said of it
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub print: Print,
}

impl Otdd {
    /// Settings of the distance between labels that are not those of searches.
    pub fn of_labels(&self) -> Vec<(&'static Setting, Value)> {
        let number = |setting, given: Option<f64>| given.map(|number| (setting, Value::Number(number)));
        let epsilon = number(&EPSILON as &'static Setting, self.epsilon);
        epsilon.into_iter().chain(number(&RELATIVE_EPSILON, self.relative_epsilon)).collect()
    }

    /// Settings of the method.
    pub fn of_method(&self) -> Vec<(&'static Setting, Value)> {
        self.effort.map(|effort| (&EFFORT as &'static Setting, Value::Count(effort))).into_iter().collect()
    }

    /// Every file that is read, as far as one can tell before.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sets
            .iter()
            .chain(self.labels.iter().flatten())
            .map(PathBuf::as_path)
            .chain(self.search.given.files())
    }
}

fn label_distances() -> impl TypedValueParser<Value = &'static LabelDistanceKind> {
    let values = LABEL_DISTANCES.iter().map(|kind| PossibleValue::new(kind.name).help(kind.about));
    // Only names of the list get here.
    PossibleValuesParser::new(values)
        .map(|name| LABEL_DISTANCES.iter().find(|kind| kind.name == name).unwrap_or(&LABEL_DISTANCES[0]))
}

/// `28x28`: rows, then columns.
fn size(text: &str) -> Result<Size, String> {
    let refuse = || format!("{text:?} is not a size; give rows and columns of pixels, as 28x28");
    let (height, width) = text.split_once(['x', 'X']).ok_or_else(refuse)?;
    let side = |text: &str| text.trim().parse::<usize>().ok().filter(|side| *side > 0).ok_or_else(refuse);
    Ok(Size { height: side(height)?, width: side(width)? })
}
