//! `cargo xtask bench images`: what can be done with pictures, how long it takes and how good it is.

mod color;
mod pansharpen;
mod tiff;

use std::path::Path;

use serde_json::json;

use super::{build, machine, number, save};
use crate::shell::{Outcome, root};

/// `--data DIR` names a directory with the satellite pairs of the paper below `images/pansharpening`, and its
/// photos below `images/color_transfer`.
pub fn run(options: &[&str]) -> Outcome<()> {
    let data = match *options {
        [] => None,
        ["--data", directory] => Some(Path::new(directory)),
        _ => return Err(format!("unknown options `{}`; give --data DIR or nothing", options.join(" "))),
    };
    let swgg = build()?;
    let color = color::run(&swgg, data)?;
    println!();
    let pansharpening = pansharpen::run(&swgg, data)?;
    save("images", &json!({ "machine": machine(), "color": color, "pansharpening": pansharpening }))
}
