//! Paths that are not files to read.

use std::path::Path;

use swgg_io::{ErrorKind, ReadOptions, read_cloud, read_table, readable_extensions};

use super::refusal;

fn message(path: &Path) -> String {
    read_cloud(path, &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn missing_directory_and_empty() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.csv");
    assert_eq!(message(&missing), format!("{}: no such file; check the path", missing.display()));
    let folder = directory.path().join("folder.ply");
    std::fs::create_dir(&folder).unwrap();
    let nothing =
        format!("{}: no files there that can be read as clouds; they end in .npy, ", folder.display());
    assert!(message(&folder).starts_with(&nothing), "{}", message(&folder));
    let table = read_table(&folder, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(table, format!("{}: is a directory; give the name of a file", folder.display()));
    for extension in readable_extensions() {
        let name = format!("a{extension}");
        assert_eq!(refusal(name, ""), "the file is empty; it should hold one point per row");
    }
    let unknown = read_cloud(Path::new("cloud.docx"), &ReadOptions::default()).unwrap_err();
    assert!(matches!(unknown.kind(), ErrorKind::UnknownExtension { .. }));
}

#[cfg(unix)]
#[test]
fn a_device_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let device = directory.path().join("zero.csv");
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    assert!(message(&device).ends_with("is not a regular file; use one, not a device, a pipe or a socket"));
}

#[test]
fn formats_of_other_fields_come_with_a_way_out() {
    for (name, what) in [("a.mat", "MATLAB"), ("a.h5ad", "AnnData"), ("a.h5", "HDF5"), ("a.feather", "Arrow")]
    {
        let said = message(Path::new(name));
        assert!(said.starts_with(&format!("{name}: {what} files are not read; convert it first")), "{said}");
        assert!(said.contains(&format!("'{name}'")), "{said}");
    }
}
