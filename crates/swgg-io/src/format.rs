//! Which format a path means.

use std::fmt;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// A format of point clouds, told by the extension of the path (in any case).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// NumPy array, `.npy`.
    Npy,
    /// Comma-separated text, `.csv`.
    Csv,
    /// Tab-separated text, `.tsv`.
    Tsv,
    /// Text in columns, `.txt`.
    Txt,
    /// Points separated by white space, `.xyz` and `.pts`.
    Xyz,
    /// Stanford polygon file, `.ply`.
    Ply,
    /// Point Cloud Library file, `.pcd`.
    Pcd,
    /// ASPRS LiDAR file, `.las`.
    Las,
    /// The same compressed by LASzip, `.laz`.
    Laz,
    /// Apache Parquet table, `.parquet`.
    Parquet,
}

impl Format {
    /// The extensions that [`Format::from_path`] knows.
    pub const EXTENSIONS: &[&str] =
        &[".npy", ".csv", ".tsv", ".txt", ".xyz", ".pts", ".ply", ".pcd", ".las", ".laz", ".parquet"];

    /// The format that the extension of `path` announces; the file is not opened.
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = extension(path);
        Ok(match extension.as_deref() {
            Some("npy") => Self::Npy,
            Some("csv") => Self::Csv,
            Some("tsv") => Self::Tsv,
            Some("txt") => Self::Txt,
            Some("xyz" | "pts") => Self::Xyz,
            Some("ply") => Self::Ply,
            Some("pcd") => Self::Pcd,
            Some("las") => Self::Las,
            Some("laz") => Self::Laz,
            Some("parquet") => Self::Parquet,
            _ => return Err(unknown(path, extension, Self::EXTENSIONS)),
        })
    }

    /// Short lower-case name, the usual extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Txt => "txt",
            Self::Xyz => "xyz",
            Self::Ply => "ply",
            Self::Pcd => "pcd",
            Self::Las => "las",
            Self::Laz => "laz",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format of transport plans, told by the extension of the path (in any case).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanFormat {
    /// Lines of `source,target,mass`, `.csv`.
    Csv,
    /// SciPy sparse matrix in coordinate form, `.npz`.
    Npz,
    /// Apache Parquet table of `source`, `target`, `mass`, `.parquet`.
    Parquet,
}

impl PlanFormat {
    /// The extensions that [`PlanFormat::from_path`] knows.
    pub const EXTENSIONS: &[&str] = &[".csv", ".npz", ".parquet"];

    /// The format that the extension of `path` announces; the file is not opened.
    pub fn from_path(path: &Path) -> Result<Self> {
        let extension = extension(path);
        Ok(match extension.as_deref() {
            Some("csv") => Self::Csv,
            Some("npz") => Self::Npz,
            Some("parquet") => Self::Parquet,
            _ => return Err(unknown(path, extension, Self::EXTENSIONS)),
        })
    }

    /// Short lower-case name, the usual extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for PlanFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_ascii_lowercase())
}

fn unknown(path: &Path, extension: Option<String>, known: &'static [&'static str]) -> Error {
    Error::at(path, ErrorKind::UnknownExtension { found: extension.map(|e| format!(".{e}")), known })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_decides_in_any_case() {
        assert_eq!(Format::from_path(Path::new("a/B.NPY")).unwrap(), Format::Npy);
        assert_eq!(Format::from_path(Path::new("scan.Pts")).unwrap(), Format::Xyz);
        assert_eq!(PlanFormat::from_path(Path::new("plan.Npz")).unwrap(), PlanFormat::Npz);
        for extension in Format::EXTENSIONS {
            Format::from_path(Path::new(&format!("cloud{extension}"))).unwrap();
        }
    }

    #[test]
    fn an_unknown_extension_lists_the_known_ones() {
        let error = Format::from_path(Path::new("cloud.obj")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cloud.obj: the extension \".obj\" is not a known format; use one of .npy, .csv, .tsv, .txt, .xyz, \
             .pts, .ply, .pcd, .las, .laz, .parquet"
        );
        let error = PlanFormat::from_path(Path::new("plan")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "plan: there is no extension to tell the format; use one of .csv, .npz, .parquet"
        );
    }
}
