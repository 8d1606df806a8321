//! NumPy arrays, `.npy`.

mod header;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{write_header, write_values};
pub use write::{write_matrix, write_vector};
