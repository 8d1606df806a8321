//! `cargo xtask bench soak`: many calls from Python in four threads, some cancelled; memory stays flat, answers stay the same.

use serde_json::json;

use super::{machine, number, python, save};
use crate::shell::Outcome;

/// Memory at the end of the second half may exceed that at its beginning by so much: buffers of an allocator come and go.
const GROWTH_MEGABYTES: f64 = 16.0;

pub fn run_with(options: &[&str]) -> Outcome<()> {
    let calls = match options {
        [] => "10000",
        [calls] if calls.parse::<usize>().is_ok_and(|calls| calls >= 100) => calls,
        _ => return Err(format!("found {options:?}, expected a number of calls, at least 100")),
    };
    let python = python::interpreter(&python::PACKAGE)?;
    python::wheel(&python, python::Profile::Release)?;
    let found = python::script(&python, "soak.py", 1, &[calls])?;
    println!("{found:#}");
    if number(&found, "wrong")? > 0.0 {
        return Err(format!("answers differ from those of calls made alone: {}", found["first_wrong"]));
    }
    let curve: Vec<f64> = found["curve_megabytes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_f64)
        .collect();
    let (Some(middle), Some(last)) = (curve.get(curve.len() / 2), curve.last()) else {
        return Err("the curve of memory is missing".to_string());
    };
    if last - middle > GROWTH_MEGABYTES {
        return Err(format!("memory grew from {middle} to {last} MB in the second half"));
    }
    save("soak", &json!({ "machine": machine(), "found": found }))
}
