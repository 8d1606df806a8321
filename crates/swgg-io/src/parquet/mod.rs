//! Apache Parquet tables, `.parquet`.

mod column;
mod file;
mod list;
mod read;
mod write;

use crate::spec::{CloudSpec, Columns, Dims, Family, Names, PlanSpec, Types, Vocabulary, Write};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "parquet",
    about: "a table: its columns of numbers, or one column of lists of one length",
    extensions: &[".parquet"],
    mark: Some(|bytes| bytes.starts_with(b"PAR1")),
    family: Family::Table,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Any,
    read: read::read,
    write: Some(Write::Columns(Columns {
        names: Names::Unique,
        types: Types::All,
        lists: false,
        write: |output, _, layout| write::write_layout(output, layout),
    })),
};
pub(crate) const PLAN: PlanSpec = PlanSpec {
    name: "parquet",
    about: "a table of source, target and mass",
    extensions: &[".parquet"],
    write: write::write_plan,
};
