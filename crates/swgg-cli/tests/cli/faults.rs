//! The worst day: kills while files are written, a full disk, no permission, inputs that go, little memory, few handles.
//!
//! The old file or the new one is there, whole; exit 2 with the reason; never a panic. A few rounds here; `cargo xtask faults` asks
//! for many by `SWGG_FAULT_ROUNDS`.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::bytes::{npy64, scattered};
use crate::scene::{Ran, Scene};

/// Kills, limits and other faults of each kind.
fn rounds(few: usize) -> usize {
    std::env::var("SWGG_FAULT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// Something that writes: the command line, and what appears.
struct Writer {
    line: &'static str,
    out: &'static str,
    /// Whether the same command writes the same bytes; pages and tables of times do not.
    is_same: bool,
}

const fn writer(line: &'static str, out: &'static str) -> Writer {
    Writer { line, out, is_same: true }
}

/// Every kind of output.
const WRITERS: [Writer; 20] = [
    writer("solve a.npy b.npy --method min-swgg --directions 2 --plan out.csv", "out.csv"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --plan out.npz", "out.npz"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --plan out.parquet", "out.parquet"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --plan out.csv.gz", "out.csv.gz"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --map out.npy", "out.npy"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --map out.csv.zst", "out.csv.zst"),
    writer("solve a.npy b.npy --method min-swgg --directions 2 --map out.parquet", "out.parquet"),
    Writer { is_same: false, ..writer("solve a.npy b.npy --method min-swgg --report out.html", "out.html") },
    writer("solve a.npy b.npy --method min-swgg --picture out.svg", "out.svg"),
    writer("solve a.npy b.npy --method min-swgg --picture out.png", "out.png"),
    writer("interpolate a.npy b.npy --method min-swgg --steps 3 --out out", "out"),
    writer("barycenter a.npy b.npy --method min-swgg --max-steps 1 --out out.npy", "out.npy"),
    writer("flow s.npy t.npy --steps 3 --every 1 --loss sw --out out", "out"),
    writer("landscape a.npy b.npy --out out.svg", "out.svg"),
    Writer {
        is_same: false,
        ..writer("compare s.npy t.npy --methods min-swgg,tree --out out.csv", "out.csv")
    },
    writer("register s3.npy s3.npy --start identity --out out.ply", "out.ply"),
    writer("register s3.npy s3.npy --start identity --transform out.txt", "out.txt"),
    writer("register s3.npy s3.npy --start identity --trace out", "out"),
    writer("color-transfer a.png b.png out.png --method gaussian", "out.png"),
    writer("colorize g.png b.png out.tif", "out.tif"),
];

fn scene(n: usize) -> Scene {
    let picture = |shift: usize| {
        let pixels: Vec<u8> = (0..48 * 40 * 3).map(|k| ((k * 7 + k / 13 * shift) % 251) as u8).collect();
        encoded(48, 40, &pixels)
    };
    let gray: Vec<u8> = (0..48 * 40).flat_map(|k| [(k % 251) as u8; 3]).collect();
    let three: Vec<f64> = (0..900).map(|k| f64::from(k * k % 977) / 97.0 + f64::from(k % 3)).collect();
    Scene::new()
        .with("a.npy", scattered(n, 1))
        .with("b.npy", scattered(n, 2))
        .with("s.npy", scattered(60, 3))
        .with("t.npy", scattered(60, 4))
        .with("s3.npy", npy64(3, &three))
        .with("a.png", picture(3))
        .with("b.png", picture(11))
        .with("g.png", encoded(48, 40, &gray))
}

/// A picture as a file.
fn encoded(width: usize, height: usize, samples: &[u8]) -> Vec<u8> {
    use swgg_io::picture::{Picture, Samples, write};
    let scene = Scene::new();
    let picture = Picture::new(width, height, 3, Samples::U8(samples.to_vec())).unwrap();
    write(swgg_io::Output::create(&scene.path("p.png")).unwrap(), &picture).unwrap().commit().unwrap();
    fs::read(scene.path("p.png")).unwrap()
}

/// What is at a place: nothing, a file, or the files of a directory.
fn content(scene: &Scene, name: &str) -> Vec<(String, Vec<u8>)> {
    let path = scene.path(name);
    if path.is_file() {
        return vec![(String::new(), fs::read(path).unwrap())];
    }
    let Ok(entries) = fs::read_dir(&path) else { return Vec::new() };
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn remove(scene: &Scene, name: &str) {
    let path = scene.path(name);
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Never a panic, an abort or another signal; a failure has its reason on one line.
#[track_caller]
fn is_civil(ran: &Ran, what: &str) {
    assert!(matches!(ran.code, Some(0..=2)), "{what}: {ran:?}");
    for word in ["panicked", "bug in swgg", "overflow", "RUST_BACKTRACE"] {
        assert!(!ran.stderr.contains(word), "{what}: {ran:?}");
    }
    if ran.code == Some(2) {
        assert!(ran.stderr.lines().any(|line| line.starts_with("error: ")), "{what}: {ran:?}");
    }
}

/// Numbers that look random and are the same every time.
fn share(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_749_895 + 0.37).fract()
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let (scene, rounds) = (scene(4000), rounds(3));
    for Writer { line, out, is_same } in &WRITERS {
        remove(&scene, out);
        let clock = Instant::now();
        let ran = scene.run(line);
        assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
        let (whole, new) = (clock.elapsed(), content(&scene, out));
        assert!(!new.is_empty(), "{line} wrote nothing");
        let is_folder = scene.path(out).is_dir();
        for k in 0..rounds {
            remove(&scene, out);
            // Folders must be new; a file may have been there.
            let old = if is_folder || k.is_multiple_of(2) {
                Vec::new()
            } else {
                vec![(String::new(), b"old".to_vec())]
            };
            if let Some((_, bytes)) = old.first() {
                fs::write(scene.path(out), bytes).unwrap();
            }
            let mut run = scene.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            sleep(whole.mul_f64(1.1 * share(k)));
            run.kill().unwrap();
            let killed = run.wait().unwrap().signal().is_some();
            let there = content(&scene, out);
            let is_whole = there == old
                || there == new
                || !is_same && there[0].1.len() > 3 && !killed
                || !is_same && there[0].1.ends_with(&new[0].1[new[0].1.len() - 3..]);
            assert!(is_whole, "{line}, kill {k}: neither the old nor the new one, {} files", there.len());
        }
        remove(&scene, out);
        // The next run removes what was left, and works.
        assert_eq!(scene.run(line).code, Some(0), "{line}");
        let left: Vec<String> = scene.names("").into_iter().filter(|name| name.ends_with(".tmp")).collect();
        assert!(left.is_empty(), "{line}: {left:?}");
    }
}

/// `swgg` below a shell, for limits.
fn limited(scene: &Scene, limit: &str, line: &str) -> Ran {
    let mut command = Command::new("sh");
    let program = scene.command(line);
    command.arg("-c").arg(format!("{limit} && exec \"$0\" \"$@\"")).arg(program.get_program());
    command.args(program.get_args()).current_dir(scene.path("")).stdin(Stdio::null());
    command.env("RUST_BACKTRACE", "0");
    Ran::of(command)
}

const COMMANDS: [&str; 9] = [
    "solve a.npy b.npy",
    "solve a.npy b.npy --method exact",
    "solve a.npy b.npy --method sinkhorn --plan out.npz",
    "solve a.npy b.npy --method min-swgg --report out.html",
    "register s3.npy s3.npy --out out.ply --picture out.png",
    "color-transfer a.png b.png out.png",
    "flow s.npy t.npy --steps 2 --out out",
    "compare s.npy t.npy",
    "info a.npy",
];

#[test]
fn little_memory_is_a_sentence() {
    let scene = scene(3000);
    let steps = rounds(4);
    let mut refused = 0;
    for line in COMMANDS {
        // From 64 MB up, each a half more than the one before.
        for k in 0..steps {
            let kilobytes = (65_536.0 * 1.5_f64.powi(k as i32 % 12)) as u64 + (k / 12 * 4096) as u64;
            let before: Vec<String> = scene.names("");
            let ran = limited(&scene, &format!("ulimit -v {kilobytes}"), line);
            is_civil(&ran, &format!("{line} in {kilobytes} kB"));
            if ran.code == Some(2) {
                refused += 1;
                assert_eq!(scene.names(""), before, "{line} in {kilobytes} kB left something");
            }
            for name in ["out.npz", "out.html", "out.ply", "out.png", "out"] {
                remove(&scene, name);
            }
        }
    }
    assert!(refused > 0, "nothing was ever short of memory");
}

#[test]
fn few_handles_are_a_sentence() {
    let scene = scene(500);
    for line in COMMANDS {
        for handles in [4, 5, 6, 8, 12] {
            let ran = limited(&scene, &format!("ulimit -n {handles}"), line);
            // The loader found no library, and nothing of ours ran.
            if ran.code == Some(127) {
                continue;
            }
            is_civil(&ran, &format!("{line} with {handles} handles"));
            for name in ["out.npz", "out.html", "out.ply", "out.png", "out"] {
                remove(&scene, name);
            }
        }
    }
}

#[test]
fn a_file_that_may_not_grow_is_a_sentence_and_the_old_one_stays() {
    // What a full disk and a quota do to a writer, for anybody: writes beyond so many blocks of 512 bytes are refused.
    let scene = scene(4000);
    for Writer { line, out, .. } in &WRITERS {
        for blocks in [0, 1, 8] {
            remove(&scene, out);
            let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
            let ran = limited(&scene, &limit, line);
            is_civil(&ran, &format!("{line} with {blocks} blocks"));
            if ran.code == Some(2) {
                assert!(content(&scene, out).is_empty(), "{line} with {blocks} blocks left a part");
                let left = scene.names("").into_iter().filter(|name| name.ends_with(".tmp")).count();
                assert_eq!(left, 0, "{line} with {blocks} blocks left temporary files");
            }
        }
    }
}

#[test]
fn inputs_that_go_or_shrink_meanwhile_are_told_or_do_not_matter() {
    let rounds = rounds(6);
    for k in 0..rounds {
        for shrinks in [false, true] {
            let scene = scene(200_000);
            let line = "solve a.npy b.npy --method min-swgg --directions 3 --plan out.npz";
            let mut run = scene.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            sleep(Duration::from_millis((150.0 * share(k)) as u64));
            if shrinks {
                fs::OpenOptions::new().write(true).open(scene.path("a.npy")).unwrap().set_len(1000).unwrap();
            } else {
                fs::remove_file(scene.path("a.npy")).unwrap();
            }
            let status = run.wait().unwrap();
            let output = run.wait_with_output().unwrap();
            let ran = Ran {
                code: status.code(),
                stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            };
            is_civil(&ran, &format!("{line}, shrinks {shrinks}, round {k}"));
            assert_eq!(scene.path("out.npz").exists(), ran.code == Some(0), "{ran:?}");
        }
    }
}

#[test]
fn a_directory_without_permission_is_told() {
    let scene = scene(300).with_directory("locked");
    let lock = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(scene.path("locked"), fs::Permissions::from_mode(mode)).unwrap();
    };
    lock(0o555);
    // Permissions are not for root.
    if fs::write(scene.path("locked/probe"), "x").is_ok() {
        println!("skipped: this user may write anywhere");
        return;
    }
    for Writer { line, out, .. } in &WRITERS {
        let ran = scene.run(&line.replace(&format!(" {out}"), &format!(" locked/{out}")));
        is_civil(&ran, line);
        assert_eq!(ran.code, Some(2), "{line}: {ran:?}");
    }
    lock(0o755);
    assert!(scene.names("locked").is_empty());
}
