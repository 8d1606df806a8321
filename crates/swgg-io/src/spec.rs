//! What the registry knows of a format: how its files are told, who reads them, who writes them and what they hold.

use std::io;

use crate::attributes::Attributes;
use crate::cloud::Cloud;
use crate::error::{ErrorKind, Result};
use crate::format::Format;
use crate::input::Input;
use crate::layout::Layout;
use crate::output::Output;
use crate::plan::Plan;

/// Points and what they carry, or why they cannot be read.
pub(crate) type Read = std::result::Result<(Cloud, Attributes), ErrorKind>;

/// An output that is ready to commit, and what could not be written, by name and with the reason.
pub(crate) type Written = Result<(Output, Vec<String>)>;

/// A format of point clouds.
pub(crate) struct CloudSpec {
    /// Short lower-case name, the first extension without its dot.
    pub(crate) name: &'static str,
    /// What it is, in a few words, for the help of the command line.
    pub(crate) about: &'static str,
    /// Extensions in lower case, each with its dot.
    pub(crate) extensions: &'static [&'static str],
    /// Whether the first bytes of a file are those of this format; `None` if its files have no mark of their own.
    pub(crate) mark: Option<fn(&[u8]) -> bool>,
    pub(crate) family: Family,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) dims: Dims,
    pub(crate) read: fn(Input<'_>) -> Read,
    /// `None` if the format is read only.
    pub(crate) write: Option<Write>,
}

/// Formats that say the same things in the same way: columns go from one to the other as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Numbers of one type, without names.
    Array,
    /// Fields of text.
    Text,
    /// Points with named properties, `x`, `y` and `z` among them, and colours of 8 bits.
    Scan,
    /// Points with a fixed set of attributes, and colours of 16 bits.
    Lidar,
    /// Columns with names and types.
    Table,
}

/// What columns of colours and normals are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    /// `red`, `green`, `blue`; `nx`, `ny`, `nz`.
    Usual,
    /// As the Point Cloud Library has them: one packed `rgb` or `rgba`; `normal_x`, `normal_y`, `normal_z`.
    PointCloudLibrary,
}

/// The dimensions that points of a format may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dims {
    Any,
    TwoOrThree,
    Three,
}

impl Dims {
    /// The refusal of points in `d` dimensions, if they have no place in `format`.
    pub(crate) fn refusal(self, format: Format, d: usize) -> Option<ErrorKind> {
        let (fits, held) = match self {
            Self::Any => (true, "any"),
            Self::TwoOrThree => (matches!(d, 2 | 3), "2 or 3"),
            Self::Three => (d == 3, "3"),
        };
        (!fits).then_some(ErrorKind::Dimension { format, d, held })
    }
}

/// How a cloud is written.
pub(crate) enum Write {
    /// Column by column, each brought into a form that the format can hold.
    Columns(Columns),
    /// Point by point into places that the format fixes.
    Places(fn(Output, Format, &[f64], &Attributes) -> Written),
}

/// What the columns of a format can hold, and who writes them.
pub(crate) struct Columns {
    pub(crate) names: Names,
    pub(crate) types: Types,
    /// Whether a column may have several values per point; they are split into columns of one otherwise.
    pub(crate) lists: bool,
    pub(crate) write: fn(&mut Output, Format, &Layout<'_>) -> io::Result<()>,
}

/// The names of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// None, so that nothing tells an attribute from a coordinate: attributes are kept within the family only.
    Bare,
    /// Words without gaps, none of them twice. Coordinates are `x`, `y` and `z`, by which readers find them.
    Words,
    /// Any, even twice.
    Free,
    /// Any, none of them twice.
    Unique,
}

/// The types of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Types {
    /// Everything is text; `gaps` says whether it may have white space in it.
    Text { gaps: bool },
    /// 64-bit floats.
    Doubles,
    /// Floats, and integers of up to 32 bits.
    Narrow,
    /// Floats, and integers of up to 64 bits.
    Wide,
    /// Every type, text as well.
    All,
}

/// A format of transport plans.
pub(crate) struct PlanSpec {
    /// Short lower-case name, the first extension without its dot.
    pub(crate) name: &'static str,
    /// Extensions in lower case, each with its dot.
    pub(crate) extensions: &'static [&'static str],
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    pub(crate) write: fn(&mut Output, &Plan<'_>) -> io::Result<()>,
}
