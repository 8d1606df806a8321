//! Outputs appear whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use swgg_io::{ErrorKind, Output};

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn refused(path: &Path) -> String {
    let message = Output::create(path).unwrap_err().to_string();
    message.strip_prefix(&format!("{}: ", path.display())).unwrap().to_owned()
}

#[test]
fn nothing_is_left_of_a_dropped_output() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.csv");
    let mut output = Output::create(&path).unwrap();
    assert_eq!(output.path(), path);
    output.write_all(&[0; 100_000]).unwrap();
    let during = names(directory.path());
    assert_eq!(during.len(), 1);
    assert!(during[0].starts_with('.') && during[0].ends_with(".tmp"), "{during:?}");
    drop(output);
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_commit_replaces_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.csv");
    fs::write(&path, "old").unwrap();
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(directory.path()), ["plan.csv"]);
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.csv");
    fs::write(&path, "old").unwrap();
    let error = Output::create(&path)
        .unwrap()
        .write_with(|output| {
            output.write_all(b"half of")?;
            Err(io::Error::other("disk on fire"))
        })
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: cannot be written: disk on fire; the previous file, if any, is untouched",
            path.display()
        )
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(directory.path()), ["plan.csv"]);
}

#[test]
fn a_failed_commit_leaves_what_was_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.csv");
    let output = Output::create(&path).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("kept"), "old").unwrap();
    let error = output.commit().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Write(_)));
    assert!(error.to_string().ends_with("; the previous file, if any, is untouched"), "{error}");
    assert_eq!(names(directory.path()), ["plan.csv"]);
    assert_eq!(names(&path), ["kept"]);
}

#[test]
fn directories_and_missing_directories_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(refused(directory.path()), "is a directory; give the name of a file");
    assert_eq!(refused(&directory.path().join("new/")), "is a directory; give the name of a file");
    let parent = directory.path().join("missing");
    assert_eq!(
        refused(&parent.join("plan.csv")),
        format!("the directory {} does not exist; create it first", parent.display())
    );
    fs::write(directory.path().join("file"), "").unwrap();
    let under_file = refused(&directory.path().join("file").join("plan.csv"));
    assert!(under_file.starts_with("cannot be written: "), "{under_file}");
    assert_eq!(refused(Path::new("")), "is a directory; give the name of a file");
}

#[test]
fn a_read_only_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("kept.csv");
    fs::write(&path, "old").unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert_eq!(refused(&path), "exists and is read-only; change its permissions or choose another name");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn devices_are_refused() {
        assert_eq!(
            refused(Path::new("/dev/full")),
            "is not a regular file; use one, not a device, a pipe or a socket"
        );
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join("link.csv");
        symlink("/dev/null", &link).unwrap();
        assert_eq!(refused(&link), "is not a regular file; use one, not a device, a pipe or a socket");
    }

    #[test]
    fn links_are_written_through() {
        let directory = tempfile::tempdir().unwrap();
        let elsewhere = directory.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("real.csv"), "old").unwrap();
        for (link, target) in [("link.csv", "elsewhere/real.csv"), ("dangling.csv", "elsewhere/new.csv")] {
            let link = directory.path().join(link);
            symlink(target, &link).unwrap();
            Output::create(&link)
                .unwrap()
                .write_with(|output| output.write_all(b"new"))
                .unwrap()
                .commit()
                .unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read(directory.path().join(target)).unwrap(), b"new");
        }
        assert_eq!(names(&elsewhere), ["new.csv", "real.csv"]);
        let loop_to_itself = directory.path().join("loop.csv");
        symlink("loop.csv", &loop_to_itself).unwrap();
        assert!(refused(&loop_to_itself).contains("too many symbolic links"));
    }

    #[test]
    fn permissions_are_those_of_any_file() {
        let directory = tempfile::tempdir().unwrap();
        let ordinary = directory.path().join("ordinary");
        fs::write(&ordinary, "").unwrap();
        let path = directory.path().join("plan.csv");
        Output::create(&path).unwrap().commit().unwrap();
        assert_eq!(mode(&path), mode(&ordinary));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        Output::create(&path).unwrap().commit().unwrap();
        assert_eq!(mode(&path), 0o640);
    }
}
