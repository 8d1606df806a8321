//! NumPy arrays, `.npy`.

mod header;
mod read;
mod write;

pub(crate) use self::read::numbers;
pub(crate) use self::write::write_header;
pub use self::write::{write_matrix, write_vector};
use crate::spec::{CloudSpec, Columns, Dims, Family, Names, Types, Vocabulary, Write};

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "npy",
    about: "a NumPy array of one or two axes; large ones are mapped, not copied",
    extensions: &[".npy"],
    mark: Some(|bytes| bytes.starts_with(header::MARK)),
    family: Family::Array,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Any,
    read: read::read,
    write: Some(Write::Columns(Columns {
        names: Names::Bare,
        types: Types::Doubles,
        lists: false,
        write: |output, _, layout| write::write_layout(output, layout),
    })),
};
