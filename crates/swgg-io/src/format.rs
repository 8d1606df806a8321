//! The registry of formats: a line for each, from which everything else about formats is read. Extensions and names,
//! readers and writers, what a format can hold, what messages and the help of the command line list.
//!
//! A line names a constant that stands beside the code that reads and writes the format.

use std::fmt;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::packing::Packing;
use crate::picture::spec::PictureSpec;
use crate::spec::{CloudSpec, Family, PlanSpec};

/// Makes a table of formats into an enum that knows what its lines say. Messages list extensions in the order of the
/// table.
macro_rules! registry {
    ($(#[$about:meta])* $visible:vis enum $kind:ident: $spec:ty { $($(#[$doc:meta])* $name:ident = $line:path,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $visible enum $kind {
            $($(#[$doc])* $name,)+
        }

        impl $kind {
            /// All of them, in the order in which messages list them.
            $visible const ALL: &[Self] = &[$(Self::$name),+];

            /// The extensions that `from_path` knows, each with its dot.
            $visible const EXTENSIONS: &[&str] = {
                const COUNT: usize = 0 $(+ $line.extensions.len())+;
                &joined::<COUNT>(&[$($line.extensions),+])
            };

            /// The format that the extension of `path` announces; the file is not opened.
            $visible fn from_path(path: &Path) -> Result<Self> {
                let found = extension(path);
                let is_known = |kind: &&Self| {
                    kind.spec().extensions.iter().any(|&known| found.as_deref() == Some(known))
                };
                Self::ALL.iter().find(is_known).copied().ok_or_else(|| {
                    Error::at(path, ErrorKind::UnknownExtension { found, known: Self::EXTENSIONS })
                })
            }

            /// The name that messages use.
            $visible fn name(self) -> &'static str {
                self.spec().name
            }

            pub(crate) fn spec(self) -> &'static $spec {
                match self {
                    $(Self::$name => &$line,)+
                }
            }
        }

        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

registry! {
    /// A format of point clouds, told by the extension of the path (in any case).
    pub enum Format: CloudSpec {
        /// NumPy array, `.npy`.
        Npy = crate::npy::FORMAT,
        /// Comma-separated text, `.csv`.
        Csv = crate::text::CSV,
        /// Tab-separated text, `.tsv`.
        Tsv = crate::text::TSV,
        /// Text in columns, `.txt`.
        Txt = crate::text::TXT,
        /// Points separated by white space, `.xyz` and `.pts`.
        Xyz = crate::text::XYZ,
        /// Stanford polygon file, `.ply`.
        Ply = crate::ply::FORMAT,
        /// Point Cloud Library file, `.pcd`.
        Pcd = crate::pcd::FORMAT,
        /// ASPRS LiDAR file, `.las`.
        Las = crate::las::LAS,
        /// The same compressed by LASzip, `.laz`.
        Laz = crate::las::LAZ,
        /// Apache Parquet table, `.parquet`.
        Parquet = crate::parquet::FORMAT,
        /// NumPy archive, `.npz`: one of its arrays.
        Npz = crate::npz::FORMAT,
        /// Wavefront mesh, `.obj`: its vertices.
        Obj = crate::mesh::OBJ,
        /// Object File Format, `.off`: its vertices.
        Off = crate::mesh::OFF,
        /// Triangles for printers, `.stl`: their corners.
        Stl = crate::mesh::STL,
        /// Arrays of MNIST, `.idx3-ubyte` and others: a row per image.
        Idx = crate::idx::FORMAT,
        /// Pictures, `.png` and others: the colours of their pixels.
        Picture = crate::picture::cloud::FORMAT,
    }
}

registry! {
    /// A format of transport plans, told by the extension of the path (in any case).
    pub enum PlanFormat: PlanSpec {
        /// Lines of `source,target,mass`, `.csv`.
        Csv = crate::text::PLAN,
        /// SciPy sparse matrix in coordinate form, `.npz`.
        Npz = crate::npz::PLAN,
        /// Apache Parquet table of `source`, `target`, `mass`, `.parquet`.
        Parquet = crate::parquet::PLAN,
    }
}

registry! {
    /// A format of pictures: the extension decides how one is written, the first bytes how it is read.
    pub(crate) enum PictureFormat: PictureSpec {
        Png = crate::picture::spec::PNG,
        Jpeg = crate::picture::spec::JPEG,
        Tiff = crate::picture::spec::TIFF,
        WebP = crate::picture::spec::WEBP,
        Bmp = crate::picture::spec::BMP,
    }
}

impl Format {
    /// The format whose mark stands in these first bytes of a file; `None` for text, which has no mark, and for
    /// whatever is not known. A few hundred bytes are enough.
    ///
    /// ```
    /// use swgg_io::Format;
    ///
    /// assert_eq!(Format::sniff(b"ply\nformat ascii 1.0\n"), Some(Format::Ply));
    /// assert_eq!(Format::sniff(b"x,y\n1,2\n"), None);
    /// ```
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.spec().mark.is_some_and(|is_marked| is_marked(bytes)))
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.spec().about
    }

    /// Its extensions, each with its dot.
    pub fn extensions(self) -> &'static [&'static str] {
        self.spec().extensions
    }

    /// Whether coordinates have names of their own there, so that no other column is taken for one.
    pub(crate) fn has_places(self) -> bool {
        matches!(self.spec().family, Family::Scan | Family::Lidar)
    }

    /// Whether clouds are written in this format, not only read.
    pub fn is_written(self) -> bool {
        self.spec().write.is_some()
    }

    /// Whether the format has a place for points in `d` dimensions.
    pub fn holds_dimension(self, d: usize) -> bool {
        self.spec().dims.refusal(self, d).is_none()
    }
}

impl PlanFormat {
    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.spec().about
    }
}

/// The extensions of the files that [`read_cloud`](crate::read_cloud) reads, each with its dot.
pub fn readable_extensions() -> &'static [&'static str] {
    Format::EXTENSIONS
}

/// The extensions of the files that [`write_cloud`](crate::write_cloud) writes, each with its dot.
pub fn writable_extensions() -> Vec<&'static str> {
    let written = Format::ALL.iter().filter(|format| format.is_written());
    written.flat_map(|format| format.spec().extensions).copied().collect()
}

/// The extension in lower case, with its dot; that of what is packed where the last one says who packed it.
pub(crate) fn extension(path: &Path) -> Option<String> {
    if crate::idx::is_named(path) {
        return Some(".idx".to_owned());
    }
    let last = |path: &Path| Some(format!(".{}", path.extension()?.to_string_lossy().to_ascii_lowercase()));
    let bare = if Packing::of(path).is_some() { path.file_stem().map(Path::new) } else { None };
    bare.and_then(last).or_else(|| last(path))
}

/// The items of all lists, one after the other.
const fn joined<const COUNT: usize>(lists: &[&[&'static str]]) -> [&'static str; COUNT] {
    let mut all = [""; COUNT];
    let (mut list, mut item, mut at) = (0, 0, 0);
    while at < COUNT {
        if item == lists[list].len() {
            (list, item) = (list + 1, 0);
        } else {
            all[at] = lists[list][item];
            (item, at) = (item + 1, at + 1);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_extension_decides_in_any_case() {
        assert_eq!(Format::from_path(Path::new("a/B.NPY")).unwrap(), Format::Npy);
        assert_eq!(Format::from_path(Path::new("scan.Pts")).unwrap(), Format::Xyz);
        assert_eq!(PlanFormat::from_path(Path::new("plan.Npz")).unwrap(), PlanFormat::Npz);
        assert_eq!(PictureFormat::from_path(Path::new("a.JPG")).unwrap(), PictureFormat::Jpeg);
    }

    /// Every extension is written well and means one format, the one whose line it stands on.
    macro_rules! check_lines {
        ($kind:ident) => {
            let mut seen = HashSet::new();
            for &format in $kind::ALL {
                assert!(!format.spec().extensions.is_empty(), "{format}");
                for &extension in format.spec().extensions {
                    assert!(seen.insert(extension), "{extension} stands on two lines");
                    assert!(extension.starts_with('.') && extension == extension.to_ascii_lowercase());
                    let path = format!("name{extension}");
                    assert_eq!($kind::from_path(Path::new(&path)).unwrap(), format);
                    let path = path.to_ascii_uppercase();
                    assert_eq!($kind::from_path(Path::new(&path)).unwrap(), format);
                }
            }
            let listed: HashSet<_> = $kind::EXTENSIONS.iter().copied().collect();
            assert_eq!((listed, $kind::EXTENSIONS.len()), (seen.clone(), seen.len()));
        };
    }

    #[test]
    fn every_extension_means_one_format() {
        check_lines!(Format);
        check_lines!(PlanFormat);
        check_lines!(PictureFormat);
        for format in Format::ALL {
            assert_eq!(format!(".{format}"), format.spec().extensions[0]);
        }
        for format in PlanFormat::ALL {
            assert_eq!(format!(".{format}"), format.spec().extensions[0]);
        }
    }

    #[test]
    fn an_unknown_extension_lists_the_known_ones() {
        let error = Format::from_path(Path::new("cloud.docx")).unwrap_err().to_string();
        let begins =
            "cloud.docx: the extension \".docx\" is not a known format; use one of .npy, .csv, .tsv, .txt, ";
        assert!(error.starts_with(begins), "{error}");
        assert!(error.ends_with(&Format::EXTENSIONS.join(", ")), "{error}");
        let error = PlanFormat::from_path(Path::new("plan")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "plan: there is no extension to tell the format; use one of .csv, .npz, .parquet"
        );
    }

    /// The table that users read, at the top of the crate: a row for every extension, with what is read and written.
    #[test]
    fn the_documentation_lists_every_format() {
        let rows: Vec<&str> =
            include_str!("lib.rs").lines().filter_map(|line| line.strip_prefix("//! | ")).collect();
        let says = |extension: &str, column: usize, word: &str| {
            rows.iter().any(|row| {
                let cells: Vec<&str> = row.split('|').collect();
                cells[1].contains(&format!("`{extension}`")) && cells[column].contains(word)
            })
        };
        for format in Format::ALL {
            for extension in format.spec().extensions {
                assert!(says(extension, 2, "cloud"), "{extension} is read");
                assert_eq!(says(extension, 3, "cloud"), format.is_written(), "{extension} is written");
            }
        }
        for extension in PlanFormat::EXTENSIONS {
            assert!(says(extension, 3, "plan"), "{extension} holds plans");
        }
        for extension in PictureFormat::EXTENSIONS {
            assert!(says(extension, 2, "Picture"), "{extension} holds pictures");
        }
    }
}
