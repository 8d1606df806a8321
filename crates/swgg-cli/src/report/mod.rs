//! What a command leaves behind: filled once, exported as text for people, as JSON for scripts, as CSV for tables.

mod barycenter;
mod comparison;
mod contents;
mod distance;
mod export;
mod flow;
mod interpolation;
mod landscape;
mod otdd;
mod pansharpening;
mod pictures;
mod recoloring;
mod registration;
mod saved;
mod summary;
mod table;
mod transport;

use serde::Serialize;

pub use self::barycenter::BarycenterReport;
pub use self::comparison::{ComparisonReport, ComparisonRow, LeftOut};
pub use self::contents::{Column, ContentsReport, PictureContents, PlanContents};
pub use self::distance::DistanceReport;
pub use self::export::{csv, print};
pub use self::flow::FlowReport;
pub use self::interpolation::InterpolationReport;
pub use self::landscape::{Circle, Curves, LandscapeReport};
pub use self::otdd::{OtddReport, SetReport};
pub use self::pansharpening::{Judged, PansharpeningReport};
pub use self::pictures::PicturesReport;
pub use self::recoloring::{RecoloringDetails, RecoloringReport};
pub use self::registration::{Dropped, RegistrationReport, Written};
pub use self::saved::{ApplyReport, CheckReport};
pub use self::summary::Summary;
pub use self::table::{Cell, Table};
pub use self::transport::{TransportReport, gap};

/// What a command found. Its fields, in their order, are those of the JSON object.
pub trait Report: Serialize {
    /// A few lines for a person.
    fn summary(&self) -> Summary;

    /// The rows of the CSV, where a command writes one.
    fn table(&self) -> Table {
        Table::default()
    }
}
