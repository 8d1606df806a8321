//! `swgg --version --verbose`: what this program is and what it found on this machine, for a report of a problem.

use crate::engine;
use crate::memory;
use crate::printer::wrapped;

/// The version alone.
pub fn version() -> String {
    format!("swgg {}\n", env!("CARGO_PKG_VERSION"))
}

/// The version, and everything that may explain why two machines differ.
pub fn verbose() -> String {
    let build = if cfg!(debug_assertions) { "development" } else { "release" };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let sets = instruction_sets();
    let sets = if sets.is_empty() { "none beyond the basic ones".to_string() } else { sets.join(" ") };
    let memory = memory::available()
        .map_or_else(|| "not known".to_string(), |bytes| format!("{} MB free", bytes >> 20));
    let engine = match (engine::is_installed(), engine::has_clusters()) {
        (true, false) => "swgg-engine is there (--engine datafusion)",
        (true, true) => {
            "swgg-engine is there (--engine datafusion), and swgg-cluster (--engine ballista://HOST:PORT)"
        }
        (false, true) => {
            "swgg-engine is not installed; swgg-cluster is there (--engine ballista://HOST:PORT)"
        }
        (false, false) => "swgg-engine is not installed",
    };
    let lines = [
        ("built", format!("{build}, for {} on {}", std::env::consts::ARCH, std::env::consts::OS)),
        ("instructions", sets),
        ("threads", threads.to_string()),
        ("memory", memory),
        ("engine", engine.to_string()),
        ("clouds", swgg_io::readable_extensions().join(" ")),
        ("plans", swgg_io::PlanFormat::EXTENSIONS.join(" ")),
        ("compressed", ".gz .zst".to_string()),
        ("methods", swgg::solver::METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(" ")),
    ];
    let mut text = version();
    for (name, value) in lines {
        let folded = wrapped(&value, 64);
        for (k, line) in folded.lines().enumerate() {
            text += &format!("  {:<12}  {}\n", if k == 0 { name } else { "" }, line.trim_start());
        }
    }
    text
}

/// Instruction sets of this processor that some kernel of swgg asks for.
fn instruction_sets() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let found = [
            ("avx2", is_x86_feature_detected!("avx2")),
            ("fma", is_x86_feature_detected!("fma")),
            ("avx512f", is_x86_feature_detected!("avx512f")),
        ];
        found.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }
    #[cfg(target_arch = "aarch64")]
    {
        vec!["neon"]
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        Vec::new()
    }
}
