//! The examples of the crate run, each as a module of this binary.

#[path = "../../examples/bounds_and_time.rs"]
mod bounds_and_time;
#[path = "../../examples/interpolation.rs"]
mod interpolation;
#[path = "../../examples/plan.rs"]
mod plan;
#[path = "../../examples/progress.rs"]
mod progress;
#[path = "../../examples/search_of_ones_own.rs"]
mod search_of_ones_own;
#[path = "../../examples/weights_and_sizes.rs"]
mod weights_and_sizes;

#[test]
fn all_of_them_run() {
    type Main = fn() -> swgg::Result<()>;
    let all: [(&str, Main); 6] = [
        ("bounds_and_time", bounds_and_time::main),
        ("interpolation", interpolation::main),
        ("plan", plan::main),
        ("progress", progress::main),
        ("search_of_ones_own", search_of_ones_own::main),
        ("weights_and_sizes", weights_and_sizes::main),
    ];
    for (name, main) in all {
        assert_eq!(main().err().map(|error| error.to_string()), None, "{name}");
    }
    // None is forgotten.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), all.len());
}
