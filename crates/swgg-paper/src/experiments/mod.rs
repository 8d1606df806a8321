//! Every figure and table of the paper, one file each.

mod axes;
mod colorization;
mod colors;
mod curvature;
mod datasets;
mod dimension;
mod discontinuity;
mod flows;
mod landscapes;
mod pansharpening;
mod plans;
mod pwd_table;
mod pythagoras;
mod registration;
mod runtimes;
mod searches;
mod sizes;
mod sliced_beside;
mod smoothing;
#[cfg(test)]
mod tests;
mod timings;

use crate::Outcome;
use crate::record::Record;
use crate::scale::Scale;

/// A figure or table of the paper that can be computed anew.
pub trait Experiment: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Where it stands in the paper.
    fn place(&self) -> &'static str;
    /// A heading.
    fn title(&self) -> &'static str;
    /// What it shows.
    fn shows(&self) -> &'static str;
    /// What the paper says of it, in our words.
    fn says(&self) -> &'static str;
    /// Computes it; the claims of the record are those of the paper, checked on what came out.
    fn run(&self, scale: &Scale) -> Outcome<Record>;
}

/// All of them, in the order of the paper.
pub const EXPERIMENTS: &[&dyn Experiment] = &[
    &discontinuity::Discontinuity,
    &smoothing::Smoothing,
    &searches::Searches,
    &runtimes::Runtimes,
    &flows::Flows,
    &colorization::Colorization,
    &registration::Divergences,
    &pwd_table::PwdTable,
    &axes::Axes,
    &plans::Plans,
    &curvature::Curvature,
    &pythagoras::Pythagoras,
    &landscapes::Landscapes,
    &dimension::Dimension,
    &sizes::Sizes,
    &timings::Timings,
    &sliced_beside::SlicedBeside,
    &pansharpening::Pansharpening,
    &registration::Distributions,
    &registration::Scores,
    &colors::Sampled,
    &colors::Whole,
    &datasets::Large,
    &datasets::Small,
];
