//! NumPy arrays, `.npy`.

mod header;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write_header;
pub use write::{write_matrix, write_vector};
