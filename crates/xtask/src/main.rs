//! The project's own verbs. `cargo xtask` lists them.

mod bench;
mod book;
mod cluster;
mod engine;
mod examples;
mod faults;
mod fuzz;
mod house;
mod paper;
mod python;
mod release;
mod shell;
mod site;
mod supply;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask test          layers and map of the house, format, lints, documentation,
                          every test and doctest; the wheel of the Python package,
                          its tests, docstrings and types (makes target/python-env).
                          `cargo xtask test torch` installs PyTorch under target/ for
                          its part, about 5 GB, and `cargo xtask test python` leaves
                          out all but Python, `cargo xtask test engine` all but the
                          crate on DataFusion. `cargo xtask test cluster` is for the
                          crate on Ballista, which `cargo xtask test` leaves out
cargo xtask house         the layers of crates/swgg/src, lowest first, read from its `use`
                          lines; `cargo xtask house draw` puts them into CONTRIBUTING.md,
                          and `cargo xtask house check` refuses a cycle of modules, a
                          dependency that CONTRIBUTING.md does not allow, and a map that
                          is not that of the house
cargo xtask faults        kills at 200 random moments for every kind of output, little memory,
                          few handles, files that may not grow, inputs that go; `cargo
                          xtask faults 20` for so many rounds
cargo xtask fuzz          coverage-guided fuzzing of every reader and of solvers against
                          oracles, on the stable toolchain: `--minutes M` for each target,
                          words such as `cloud` choose; corpora stay in target/fuzz
cargo xtask sbom          the bill of materials, target/sbom.cdx.json (CycloneDX)
cargo xtask bench pot     time and memory beside POT, same inputs and threads
cargo xtask bench python  what a call from Python costs on top of the engine, how long
                          the import takes, how large the wheel is, POT beside it;
                          `--pot` times every function of swgg.pot beside POT's, and
                          words such as `emd2` choose the rows
cargo xtask bench cells   couplings of 228 000 and 405 000 drawn cells with growth; numbers
                          choose other sizes
cargo xtask bench domains digits of USPS moved onto those of MNIST with their labels, beside
                          POT; `--data DIR` (or SWGG_DATA) holds both, `--seeds N`
cargo xtask bench scale   time and memory from 1e5 to 1e7 points
cargo xtask bench sliced  sliced distances beside POT, a gradient step beside
                          PyTorch (installs it under target/, about 5 GB)
cargo xtask bench sinkhorn   entropic transport beside POT
cargo xtask bench searches   what each search finds, over 20 seeds
cargo xtask bench exact   exact transport beside ot.emd2 of POT
cargo xtask bench optimal    plans with their proofs over families of clouds, weights and
                          pictures, beside POT, its BSP-OT and OR-tools; `--part` exact,
                          scale, default, weighted, known or assignment, `--families`,
                          `--dimensions`, `--sizes`, `--weights`, `--grids`, `--seeds 0,1`
                          choose, `--limit SECONDS` ends a run, `--json FILE` keeps rows
cargo xtask bench bsp     the default solver beside BSP-OT of POT, and docs/pareto.svg;
                          `--quick` leaves out a million points and shortens
                          references, `--again` prints what was measured before, and
                          words such as `gauss-3000` choose the pairs
cargo xtask bench images  colour beside numpy and POT, pan-sharpening beside textbook
                          methods, on pictures drawn here, or with `--data DIR` on
                          those of the paper
cargo xtask bench registration   the paper's tables of registration, clouds that overlap in
                          part, real scans and small_gicp; `--data DIR` for the clouds
                          of the paper instead of shapes of ours, `--seeds N`, and words
                          such as `letter` choose the cases
cargo xtask bench flows   the paper's gradient flows, those of DGSWP, and their times
                          beside PyTorch's (`--speed`: times only);
                          docs/flows.svg; `--quick` takes 2 seeds and 500 steps,
                          `--seeds N`, and words such as `moons` choose the targets
cargo xtask bench engine  tables on DataFusion: `equal` compares plans of 2 000 000 points with
                          those in memory, `scale` measures time and memory from 1e6 on
                          (`scale 100000000` chooses sizes, 10 GB of disk for that one),
                          `auto` compares cells and passes with memory (`auto 400000
                          effort=3 cells=8 gauss`), `dask` runs the recipe for Dask
cargo xtask bench soak    10 000 calls from Python in four threads, some cancelled: memory,
                          deadlocks, answers; `cargo xtask bench soak 1000` for fewer
cargo xtask paper         every figure and table of the paper, computed anew, beside the paper's
                          numbers: target/paper/index.html. `--quick` takes minutes,
                          `--only NAME...` chooses, `--data DIR` for the data of the
                          paper, `--out DIR`, `--again`; `--help` lists the names
cargo xtask golden        costs of small problems by POT and GeomLoss, for the
                          tests (installs PyTorch under target/, about 5 GB)
cargo xtask examples      draw examples/ and docs/picture.svg again
cargo xtask reference     write docs/python/reference.md from the docstrings
cargo xtask site          the site under target/site/html: guide, gallery, references, with every link
                          checked; needs Python 3.11. `--rust` puts the documentation of
                          the crates beside it
cargo xtask version       whether all files that name the version agree; `cargo xtask version
                          0.2.0` writes another one into them, and dates the changelog
cargo xtask release-notes what the changelog says of this version, or of the one that is named
cargo xtask pictures      draw docs/python/*.png by python/examples, and
                          docs/*.png of colour and pan-sharpening
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => test::run(false),
        ["test", "torch"] => test::run(true),
        ["test", "python"] => python::test(false),
        ["test", "engine"] => engine::test(),
        ["test", "cluster"] => cluster::test(),
        ["sbom"] => supply::sbom(),
        ["faults"] => faults::run_with(None),
        ["faults", rounds] => faults::run_with(Some(rounds)),
        ["fuzz", ref options @ ..] => fuzz::run_with(options),
        ["house"] => house::print(),
        ["house", "draw"] => house::draw(),
        ["house", "check"] => house::check(),
        ["bench", "python"] => bench::package::run(),
        ["bench", "python", "--pot", ref words @ ..] => bench::functions::run(words),
        ["bench", "cells", ref sizes @ ..] => bench::cells::run(sizes),
        ["bench", "domains", ref options @ ..] => bench::domains::run(options),
        ["bench", "pot"] => bench::pot::run(),
        ["bench", "scale"] => bench::scale::run(),
        ["bench", "sliced"] => bench::sliced::run(),
        ["bench", "sinkhorn"] => bench::sinkhorn::run(),
        ["bench", "searches"] => bench::searches::run(),
        ["bench", "exact"] => bench::exact::run(),
        ["bench", "flows", ref options @ ..] => bench::flows::run(options),
        ["bench", "images", ref options @ ..] => bench::images::run(options),
        ["bench", "engine", ref options @ ..] => bench::engine::run_with(options),
        ["bench", "optimal", ref options @ ..] => bench::optimal::run(options),
        ["bench", "bsp", ref options @ ..] => bench::bsp::run(options),
        ["bench", "registration", ref options @ ..] => bench::registration::run(options),
        ["bench", "soak", ref options @ ..] => bench::soak::run_with(options),
        ["paper", ref options @ ..] => paper::run_with(options),
        ["golden"] => bench::exact::golden(),
        ["examples"] => examples::run(),
        ["reference"] => book::reference(),
        ["pictures"] => book::pictures(),
        ["site", ref options @ ..] => site::run_with(options),
        ["version"] => release::check(),
        ["version", version] => release::set(version),
        ["release-notes"] => release::notes(None),
        ["release-notes", version] => release::notes(Some(version)),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(format!("unknown verb `{}`; the verbs are\n{HELP}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
