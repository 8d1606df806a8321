//! Every experiment in its least form: the paper's claims hold, not only that it runs.

use std::collections::BTreeSet;

use super::EXPERIMENTS;
use crate::progress::Progress;
use crate::record::{Contents, Record};
use crate::scale::{Extent, Scale};
use crate::shelf::Shelf;

fn run(name: &str, shelf: &Shelf) -> Record {
    let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name() == name).unwrap();
    let progress = Progress::silent();
    let scale = Scale { extent: Extent::Tiny, data: None, shelf, progress: &progress };
    experiment.run(&scale).unwrap()
}

/// Claims that the clock decides are left to those who measure.
fn holds(name: &str, shelf: &Shelf) {
    let record = run(name, shelf);
    let claims = || record.claims.iter().filter(|claim| !claim.is_timed);
    assert!(claims().count() > 0, "{name} claims nothing that can be checked");
    for claim in claims() {
        assert!(claim.holds, "{name}: {}", claim.found);
    }
    assert!(!record.ours.is_empty() && !record.seed.is_empty() && !record.settings.is_empty(), "{name}");
    assert!(!record.pictures.is_empty() || !record.tables.is_empty(), "{name} shows nothing");
    for picture in &record.pictures {
        if let Contents::Svg(svg) = &picture.contents {
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
        }
    }
    for table in &record.tables {
        assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{name}: {}", table.title);
    }
}

macro_rules! experiments {
    ($($test:ident: $($name:literal)+),* $(,)?) => {
        $(#[test] fn $test() {
            let directory = tempfile::tempdir().unwrap();
            let shelf = Shelf::new(directory.path().to_path_buf(), String::new(), false).unwrap();
            $(holds($name, &shelf);)+
        })*

        #[test]
        fn all_are_tested() {
            let tested: BTreeSet<&str> = [$($($name),+),*].into();
            let all: BTreeSet<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name()).collect();
            assert_eq!(tested, all);
            assert_eq!(all.len(), EXPERIMENTS.len(), "two experiments of one name");
        }
    };
}

experiments! {
    discontinuity: "discontinuity",
    smoothing: "smoothing",
    searches: "searches",
    runtimes: "runtimes",
    flows: "flows",
    colorization: "colorization",
    // One set of runs behind all three.
    registration: "registration" "registration-seeds" "chamfer",
    pwd_table: "pwd-table",
    axes: "axes",
    plans: "plans",
    curvature: "curvature",
    pythagoras: "pythagoras",
    landscapes: "landscapes",
    dimension: "dimension",
    sizes: "sizes",
    timings: "timings",
    sliced_beside: "sliced-beside",
    pansharpening: "pansharpening",
    colors_sampled: "colors-sampled",
    colors_whole: "colors-whole",
    datasets: "datasets",
    datasets_labels: "datasets-labels",
}
