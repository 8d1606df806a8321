//! Names of temporary files, by which those of a process that was killed are known and removed.
//!
//! A name is `.swgg-HOST-PROCESS-...tmp`: where it runs (this start of this machine, these process numbers), and the number of the process that writes it. A
//! later run that writes into the same directory removes what processes left behind that are no more; files of other
//! machines on a shared disk, and of processes that still run, stay.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

const PREFIX: &str = ".swgg-";
/// How names of temporary files end.
pub const SUFFIX: &str = ".tmp";

/// How names of temporary files of this process begin.
pub fn prefix() -> String {
    format!("{PREFIX}{}-{}-", *HOST, std::process::id())
}

/// What tells process numbers of one machine, one start and one container from others; `0` if the system does not say.
static HOST: LazyLock<String> = LazyLock::new(|| {
    let start = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let space = fs::read_link("/proc/self/ns/pid").ok();
    match (start, space) {
        (Some(start), Some(space)) => {
            let text = format!("{start}{}", space.display());
            // FNV-1a: names must not change from one build to the next.
            let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            format!("{:08x}", hash >> 32)
        }
        _ => "0".to_owned(),
    }
});

/// Directories that temporary files were put into.
static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);

/// Removes the temporary files and directories of this process, for one that leaves without ending its work.
pub fn abandon() {
    // Whoever holds the lock is about to make another one; the next run finds it.
    let Ok(directories) = SWEPT.try_lock() else { return };
    let prefix = prefix();
    for directory in directories.iter() {
        remove_from(directory, |name| name.starts_with(&prefix) && name.ends_with(SUFFIX));
    }
}

/// Removes temporary files and directories that processes of this machine left behind and that are no more. Once per
/// directory: a listing may be long.
pub fn sweep(directory: &Path) {
    let is_new = SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.to_owned());
    if is_new && *HOST != "0" {
        remove_from(directory, is_abandoned);
    }
}

fn remove_from(directory: &Path, is_meant: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        if name.to_str().is_some_and(&is_meant) {
            // A directory that is not ours to remove, or is gone by now, is nobody's concern.
            let _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                _ => fs::remove_file(entry.path()),
            };
        }
    }
}

/// Whether a name is that of a temporary file whose process is no more.
fn is_abandoned(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX).filter(|_| name.ends_with(SUFFIX)) else { return false };
    let mut words = rest.split('-');
    let (Some(host), Some(process)) = (words.next(), words.next().and_then(|word| word.parse::<u32>().ok()))
    else {
        return false;
    };
    host == *HOST && !Path::new(&format!("/proc/{process}")).exists()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_dead_processes_of_this_machine_left_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        // No process has the largest number there is.
        let dead = at(&format!(".swgg-{}-4294967295-abc.tmp", *HOST));
        let folder = at(&format!(".swgg-{}-4294967295-def.tmp", *HOST));
        let alive = at(&format!("{}abc.tmp", prefix()));
        let elsewhere = at(".swgg-ffffffff-4294967295-abc.tmp");
        let foreign = at(".other.tmp");
        for path in [&dead, &alive, &elsewhere, &foreign] {
            fs::write(path, "x").unwrap();
        }
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("step"), "x").unwrap();
        sweep(directory.path());
        assert!(!dead.exists() && !folder.exists());
        assert!(alive.exists() && elsewhere.exists() && foreign.exists());
    }
}
