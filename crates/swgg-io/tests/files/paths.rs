//! Paths that are not files to read.

use std::path::Path;

use swgg_io::{ErrorKind, ReadOptions, read_cloud, readable_extensions};

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
    assert_eq!(message(&folder), format!("{}: is a directory; give the name of a file", folder.display()));
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
