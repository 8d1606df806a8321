//! Archives of NumPy arrays, `.npz`: one of the arrays is a cloud, and sparse matrices of SciPy are plans.

mod archive;
mod read;
mod write;

use crate::spec::{CloudSpec, Dims, Family, PlanSpec, Vocabulary};

pub(crate) use read::read_plan;

pub(crate) const FORMAT: CloudSpec = CloudSpec {
    name: "npz",
    about: "an archive of NumPy arrays; FILE.npz:NAME picks one of several",
    extensions: &[".npz"],
    mark: Some(|bytes| bytes.starts_with(b"PK\x03\x04")),
    family: Family::Array,
    vocabulary: Vocabulary::Usual,
    dims: Dims::Any,
    read: read::read,
    write: None,
};
pub(crate) const PLAN: PlanSpec = PlanSpec {
    name: "npz",
    about: "a sparse matrix that scipy.sparse.load_npz opens",
    extensions: &[".npz"],
    write: write::write,
};
