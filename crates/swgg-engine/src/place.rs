//! Which cell a point is in: along one line, or down a tree.

use crate::cuts::Cuts;
use crate::key::{Key, project};
use crate::scan::Side;
use crate::tree::Tree;

/// All cells of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Places {
    /// Between borders on a line.
    Line { theta: Vec<f64>, cuts: Cuts },
    /// The leaves of a tree.
    Tree(Tree),
}

impl Places {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        match self {
            Places::Line { cuts, .. } => cuts.cells(),
            Places::Tree(tree) => tree.cells(),
        }
    }

    /// Shows each cell that a point is in, and how many of its units.
    #[inline]
    pub fn place(&self, side: Side, point: &[f64], id: u64, units: u64, show: &mut impl FnMut(usize, u64)) {
        match self {
            Places::Line { theta, cuts } => {
                cuts.place(side, Key::new(project(point, theta), id), units, show);
            }
            Places::Tree(tree) => tree.place(side, point, id, units, show),
        }
    }
}
