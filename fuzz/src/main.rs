//! One program for all targets: `SWGG_FUZZ_TARGET` says which, `cargo xtask fuzz` runs them in turn.
#![no_main]

mod differential;
mod readers;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

/// What is done with the bytes; it panics where something is wrong.
type Target = fn(&[u8]);

/// Every target by its name; `crates/xtask/src/fuzz.rs` has the same list.
const TARGETS: [(&str, Target); 12] = [
    ("cloud", readers::cloud),
    ("text", readers::text),
    ("packed", readers::packed),
    ("plan", readers::plan),
    ("picture", readers::picture),
    ("profile", readers::profile),
    ("raster", readers::raster),
    ("idx", readers::idx),
    ("solve", differential::solve),
    ("partial", differential::partial),
    ("sparse", differential::sparse),
    ("sort", differential::sort),
];

fn target() -> Target {
    static CHOSEN: OnceLock<Target> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        // The hook of the fuzzer aborts at every panic; readers catch those of decoders, and others end below.
        let _ = std::panic::take_hook();
        let name = std::env::var("SWGG_FUZZ_TARGET").unwrap_or_default();
        match TARGETS.iter().find(|(known, _)| *known == name) {
            Some((_, target)) => *target,
            None => panic!("no target {name:?}; they are {:?}", TARGETS.map(|(name, _)| name)),
        }
    })
}

fuzz_target!(|data: &[u8]| target()(data));
