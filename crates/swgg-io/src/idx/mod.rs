//! IDX: arrays of numbers as MNIST and its relatives are passed around, plain or compressed by gzip.
//!
//! A file begins with two zero bytes, a byte for the type and one for the number of axes, then the length of each axis as a big-endian number of
//! 32 bits; numbers follow, big-endian, the last axis running fastest. `train-images-idx3-ubyte` has three axes (images, rows, columns),
//! `train-labels-idx1-ubyte` one.
//!
//! What a header announces is compared with the file before memory is reserved, and a compressed file is not read further than that.

mod cloud;
mod read;

use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::input::open;

pub(crate) use cloud::FORMAT;

/// An array of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Length of each axis; the first counts images or labels.
    pub shape: Vec<usize>,
    /// The numbers, the last axis running fastest.
    pub numbers: Numbers,
}

/// Numbers of a [`Tensor`].
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// From 0 to 255, as pixels and labels are.
    Bytes(Vec<u8>),
    /// Of any other type.
    Floats(Vec<f64>),
}

impl Numbers {
    /// One of them.
    pub fn get(&self, place: usize) -> f64 {
        match self {
            Numbers::Bytes(bytes) => f64::from(bytes[place]),
            Numbers::Floats(floats) => floats[place],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Bytes(bytes) => bytes.len(),
            Numbers::Floats(floats) => floats.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether a file is named like an IDX array: `...-ubyte`, `.idx`, `.idx3-ubyte`, also with `.gz`.
///
/// ```
/// use std::path::Path;
/// assert!(swgg_io::idx::is_named(Path::new("mnist/train-images-idx3-ubyte.gz")));
/// assert!(swgg_io::idx::is_named(Path::new("train-images.idx3-ubyte")));
/// assert!(!swgg_io::idx::is_named(Path::new("train.npy")));
/// ```
pub fn is_named(path: &Path) -> bool {
    let name = bare_name(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default();
    let dashed = name.rsplit('-').nth(1).is_some_and(|word| word.rsplit('.').next().is_some_and(is_idx));
    is_idx(&extension) || dashed || is_idx(extension.split('-').next().unwrap_or_default())
}

/// `idx`, or with a number of axes.
fn is_idx(word: &str) -> bool {
    word.strip_prefix("idx").is_some_and(|axes| axes.is_empty() || axes.chars().all(|c| c.is_ascii_digit()))
}

/// The name in lower case, without `.gz`.
fn bare_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.strip_suffix(".gz").map(str::to_owned).unwrap_or(name)
}

/// Where the labels of a file of images are by custom: beside it, with `labels` for `images` and one axis for three. `None` for a name that
/// says nothing of images.
///
/// ```
/// use std::path::Path;
/// let labels = swgg_io::idx::labels_beside(Path::new("a/train-images-idx3-ubyte.gz"));
/// assert_eq!(labels.as_deref(), Some(Path::new("a/train-labels-idx1-ubyte.gz")));
/// ```
pub fn labels_beside(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let labels = name.replace("images", "labels").replace("idx3", "idx1");
    (labels != name).then(|| path.with_file_name(labels))
}

/// Reads an array, plain or compressed: the first bytes tell.
///
/// # Errors
///
/// A file that is missing, empty, malformed, cut short or longer than it announces; see [`ErrorKind`].
pub fn read(path: &Path) -> Result<Tensor> {
    let read = || {
        let empty = || ErrorKind::BadIdx { reason: "it is empty; copy it again".into() };
        let (file, size) = open(path, empty)?;
        read::read(file, size)
    };
    read().map_err(|kind| Error::at(path, kind))
}
