//! Places that cannot be read or written, and disks that fill up.

use std::fs;

use crate::Scene;
#[cfg(unix)]
use crate::{Ran, bytes::scattered};

/// A scene with a directory and a plan of an earlier run.
fn scene() -> Scene {
    Scene::new()
        .with("old.csv", "old plan")
        .with_directory("dir")
        .with_directory("dir.csv")
        .with_directory("dir.npy")
}

#[track_caller]
fn check_solve(arguments: &str, message: &str) {
    scene().refuses(&format!("solve source.csv target.csv {arguments}"), message);
}

#[track_caller]
fn check_interpolate(out: &str, message: &str) {
    let scene = scene().with_directory("full").with("full/notes.txt", "mine");
    scene.refuses(&format!("interpolate source.csv target.csv --out {out}"), message);
}

#[test]
fn missing_parents() {
    let message = |name: &str| format!("{name}: the directory none does not exist; create it first");
    check_solve("--plan none/plan.csv", &message("none/plan.csv"));
    check_solve("--plan old.csv --map none/map.npy", &message("none/map.npy"));
    check_interpolate("none/steps", &message("none/steps"));
}

#[test]
#[cfg(unix)]
fn below_a_file() {
    check_solve(
        "--plan old.csv/plan.csv",
        "old.csv/plan.csv: cannot be written: Not a directory (os error 20); the previous file, if any, is untouched",
    );
    check_interpolate("old.csv/steps", "old.csv/steps: old.csv is not a directory; name another place");
}

#[test]
fn directories_in_the_way() {
    let message = |name: &str| format!("{name}: is a directory; give the name of a file");
    check_solve("--plan dir.csv", &message("dir.csv"));
    check_solve("--plan new.csv/", &message("new.csv/"));
    check_solve("--plan old.csv --map dir.npy", &message("dir.npy"));
    check_solve("--plan old.csv --costs dir.npy", &message("dir.npy"));
}

#[test]
fn directories_that_cannot_be_filled() {
    check_interpolate(".", ".: cannot be replaced; name a new directory");
    check_interpolate("full", "full: the directory is not empty; name a new one or empty it");
    check_interpolate("old.csv", "old.csv: is a file, not a directory; name another place");
}

#[test]
fn one_file_for_two_outputs() {
    let message = |name: &str| format!("{name} is asked for twice; name two files");
    check_solve("--map new.npy --costs new.npy", &message("new.npy"));
    check_solve("--map new.npy --costs ./new.npy", &message("./new.npy"));
    check_solve("--map new.npy --costs dir/../new.npy", &message("dir/../new.npy"));
}

#[test]
fn an_input_as_output() {
    let message = |name: &str| format!("{name} is read and would be overwritten; name another file");
    check_solve("--plan source.csv", &message("source.csv"));
    check_solve("--plan dir/../target.csv", &message("dir/../target.csv"));
}

#[test]
fn a_read_only_file() {
    let scene = scene();
    let path = scene.path("old.csv");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    scene.refuses(
        "solve source.csv target.csv --plan old.csv",
        "old.csv: exists and is read-only; change its permissions or choose another name",
    );
}

#[test]
#[cfg(unix)]
fn a_file_without_the_right_to_read() {
    use std::os::unix::fs::PermissionsExt;
    let scene = scene();
    let path = scene.path("old.csv");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read anything.
    if fs::read(&path).is_err() {
        let ran = scene.run("info old.csv");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert_eq!(ran.stderr, "error: old.csv: cannot be read: Permission denied (os error 13)\n");
    }
}

#[test]
#[cfg(unix)]
fn a_directory_without_the_right_to_write() {
    use std::os::unix::fs::PermissionsExt;
    let scene = scene();
    let mode = |mode: u32| fs::set_permissions(scene.path("dir"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    // Root may write anywhere.
    if fs::write(scene.path("dir/probe"), "").is_err() {
        scene.refuses(
            "solve source.csv target.csv --plan dir/plan.csv",
            "dir/plan.csv: cannot be written: permission denied; the previous file, if any, is untouched",
        );
        scene.refuses(
            "interpolate source.csv target.csv --out dir/steps",
            "dir/steps: cannot create a directory in dir (permission denied); name another place",
        );
    }
    mode(0o755);
}

#[test]
#[cfg(unix)]
fn devices() {
    let scene = scene();
    for (name, device) in [("full.csv", "/dev/full"), ("null.csv", "/dev/null")] {
        std::os::unix::fs::symlink(device, scene.path(name)).unwrap();
        let advice = "use one, not a device, a pipe or a socket";
        if fs::metadata(device).is_ok() {
            scene.refuses(
                &format!("solve source.csv target.csv --plan {name}"),
                &format!("{name}: is not a regular file; {advice}"),
            );
        }
    }
    scene.refuses(
        "solve source.csv target.csv --map /dev/full",
        "--map /dev/full must end in one of .npy, .csv, .tsv, .txt, .xyz, .pts, .ply, .pcd, .las, .laz, .parquet; rename it",
    );
}

/// Runs where files cannot grow beyond a block or two, as on a disk that is full, and checks that nothing is left.
#[cfg(unix)]
#[track_caller]
fn check_full_disk(line: &str, file: &str) {
    let scene = scene().with("a.npy", scattered(400, 1)).with("b.npy", scattered(400, 2));
    let before = scene.tree();
    let swgg = scene.command(line);
    let mut shell = std::process::Command::new("sh");
    shell
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"")
        .arg(swgg.get_program())
        .args(swgg.get_args());
    shell.current_dir(scene.path(""));
    let ran = Ran::of(shell);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    let (start, end) =
        (format!("error: {file}: cannot be written: "), "; the previous file, if any, is untouched\n");
    assert!(ran.stderr.starts_with(&start) && ran.stderr.ends_with(end), "{ran:?}");
    scene.unchanged(&before);
}

#[test]
#[cfg(unix)]
fn a_disk_full_of_plans() {
    for plan in ["old.csv", "new.csv", "new.npz", "new.parquet"] {
        check_full_disk(&format!("solve a.npy b.npy --plan {plan}"), plan);
    }
}

#[test]
#[cfg(unix)]
fn a_disk_full_of_arrays() {
    check_full_disk("solve a.npy b.npy --map new.npy", "new.npy");
    check_full_disk("solve source.csv target.csv --directions 200 --costs new.npy --json", "new.npy");
}

#[test]
#[cfg(unix)]
fn a_disk_that_fills_up_after_the_first_of_two_files() {
    check_full_disk("solve source.csv target.csv --directions 200 --plan old.csv --costs new.npy", "new.npy");
}

#[test]
#[cfg(unix)]
fn a_disk_full_of_steps() {
    check_full_disk("interpolate a.npy b.npy --out new", "new/step_00.csv");
}
