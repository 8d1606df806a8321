//! Readers and writers for the point clouds and transport plans of `swgg`.
//!
//! A cloud comes in with [`read_cloud`], weights with [`read_vector`]; plans, clouds, matrices and vectors go out
//! through an [`Output`], which appears whole or not at all. The extension of a path tells its format, and every
//! error names the file, the place in it, and what to do.
//!
//! | Format | Extension | In | Out | Notes |
//! |---|---|---|---|---|
//! | NumPy array | `.npy` | cloud, vector | cloud, matrix, vector | all real types, both byte orders and layouts; large files are mapped, not copied |
//! | separated text | `.csv` `.tsv` `.txt` | cloud, vector | cloud, plan (`.csv`) | separator found on the first line; `#` comments; quotes |
//! | point list | `.xyz` `.pts` | cloud, vector | cloud | white space; may start with the number of points; `v` before points |
//! | polygon file | `.ply` | cloud | cloud in 2 or 3 dimensions | text and binary; `x`, `y`, `z` of the vertices, others by name |
//! | Point Cloud Library | `.pcd` | cloud | cloud in 2 or 3 dimensions | text, binary and compressed; `x`, `y`, `z`, others by name |
//! | LiDAR | `.las` `.laz` | cloud | cloud in 3 dimensions | versions 1.0 to 1.4, all point formats; coordinates in steps of the scale |
//! | Parquet table | `.parquet` | cloud, vector | cloud, plan | columns of numbers; snappy, zstd, lz4, gzip |
//! | arrays of MNIST | `.idx3-ubyte` `-idx1-ubyte` ..., also `.gz` | [`Tensor`](idx::Tensor) | | images and labels, see [`idx`] |
//! | raster | `.tif` `.tiff` | [`Raster`](raster::Raster) | [`Raster`](raster::Raster) | bands of a satellite, see [`raster`] |
//! | NumPy archive | `.npz` | one array as a cloud, or plan | plan | `FILE.npz:NAME` picks an array; a plan is a matrix of `scipy.sparse` |
//! | meshes | `.obj` `.off` `.stl` | cloud | | their vertices, each once |
//! | arrays of MNIST as points | `.idx` `.idx1-ubyte` `.idx2-ubyte` `.idx3-ubyte` `.idx4-ubyte` | cloud | | a row per image |
//! | colours of a picture | `.png` `.jpg` `.jpeg` `.tif` `.tiff` `.webp` `.bmp` | cloud | | `r`, `g`, `b` from 0 to 1, a row per pixel |
//! | picture | `.png` `.jpg` `.jpeg` `.tif` `.tiff` `.webp` `.bmp` | [`Picture`](picture::Picture) | [`Picture`](picture::Picture) | see [`picture`] |
//!
//! The first row of separated text is a header if none of its fields is a number (`nan` and `inf` are numbers); a
//! first row that mixes names and numbers is an error unless the columns of text are left out. A first column
//! without a name holds the row labels of a data frame and is left out, too.
//!
//! [`read_table`] and [`write_table`] take colours, intensities, normals and all other columns along, as they are stored,
//! and say by name what another format has no place for.
//!
//! Any of these may be packed by gzip or zstd (`.csv.gz`, `.npy.zst`); a folder or a pattern (`part-*.csv`) is one cloud; `-` is standard
//! input.
//!
//! 32-bit floats stay 32-bit floats; every other type becomes 64-bit floats, exactly or not at all. Values that are
//! not finite are passed on: whoever computes with them judges them.
//!
//! ```
//! use swgg_io::{Format, Output, PlanFormat, ReadOptions, read_cloud, write_cloud, write_plan};
//!
//! # let directory = tempfile::tempdir()?;
//! # let at = |name: &str| directory.path().join(name);
//! let path = at("points.csv");
//! write_cloud(Output::create(&path)?, Format::Csv, 3, &[0.0, 0.5, 1.0, 2.0, 2.5, 3.0], None)?.commit()?;
//!
//! let cloud = read_cloud(&path, &ReadOptions { columns: Some("z,x".parse()?), ..ReadOptions::default() })?;
//! assert_eq!((cloud.rows(), cloud.columns()), (2, 2));
//! assert_eq!(cloud.as_f64(), Some(&[1.0, 0.0, 3.0, 2.0][..]));
//!
//! let plan = at("plan.npz");
//! let format = PlanFormat::from_path(&plan)?;
//! let entries = [(0, 1, 0.5), (1, 0, 0.5)];
//! write_plan(Output::create(&plan)?, format, 2, 2, entries.into_iter())?.commit()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod attributes;
mod cloud;
mod column;
mod columns;
mod convert;
mod error;
mod format;
pub mod idx;
mod input;
mod las;
mod layout;
mod mapped;
mod mesh;
mod npy;
mod npz;
mod output;
mod packing;
mod parquet;
mod parts;
mod pattern;
mod pcd;
pub mod picture;
mod plan;
mod plan_file;
mod ply;
pub mod raster;
mod read;
mod scalar;
pub mod scratch;
mod spec;
mod survey;
mod text;
mod write;

pub use attributes::Attributes;
pub use cloud::Cloud;
pub use columns::{Available, ColumnRef, ColumnSelection};
pub use error::{Error, ErrorKind, Result};
pub use format::{Format, PlanFormat, readable_extensions, writable_extensions};
pub use npy::{write_matrix, write_vector};
pub use output::Output;
pub use pattern::fits;
pub use plan::write_plan;
pub use plan_file::{PlanFile, read_plan};
pub use read::{ReadOptions, read_cloud, read_table, read_vector, survey};
pub use survey::{ColumnSurvey, Survey};
pub use write::{write_cloud, write_table};
