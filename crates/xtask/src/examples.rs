//! Draws the two clouds of `examples/` and the picture of the README.
//!
//! Everything is computed from formulas, so that the files can be drawn again to the byte; `cargo xtask test` checks that they
//! still are what is drawn here.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use crate::shell::{Outcome, cargo, output, root};

/// Points per cloud.
const POINTS: usize = 400;

pub fn run() -> Outcome<()> {
    for (path, text) in clouds() {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("drew {}", path.display());
    }
    let path = root().join("docs/picture.svg");
    fs::write(&path, picture()?).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("drew {}", path.display());
    Ok(())
}

/// Refuses example files that are not what would be drawn.
pub fn check() -> Outcome<()> {
    for (path, text) in clouds() {
        if fs::read_to_string(&path).ok().as_deref() != Some(text.as_str()) {
            return Err(format!("{} is out of date; run `cargo xtask examples`", path.display()));
        }
    }
    Ok(())
}

fn clouds() -> [(PathBuf, String); 2] {
    let file = |name: &str, points: Vec<[f64; 2]>| {
        let mut text = String::from("x,y\n");
        for [x, y] in points {
            let _ = writeln!(text, "{x:.4},{y:.4}");
        }
        (root().join("examples").join(name), text)
    };
    [file("source.csv", fill(in_fish, [0.0, 0.0])), file("target.csv", fill(in_heart, [3.4, 0.3]))]
}

/// Evenly spread points of a shape inside `[-1.2, 1.2]^2`, moved by `shift`.
fn fill(inside: fn(f64, f64) -> bool, shift: [f64; 2]) -> Vec<[f64; 2]> {
    // The plastic number gives the most even of the simple sequences in the plane.
    const PLASTIC: f64 = 1.324_717_957_244_746;
    let candidate = |k: usize, power: i32| 2.4 * ((0.5 + k as f64 * PLASTIC.powi(-power)) % 1.0) - 1.2;
    (1..)
        .map(|k| [candidate(k, 1), candidate(k, 2)])
        .filter(|[x, y]| inside(*x, *y))
        .take(POINTS)
        .map(|[x, y]| [x + shift[0], y + shift[1]])
        .collect()
}

/// A fish that looks to the right.
fn in_fish(x: f64, y: f64) -> bool {
    let body = ((x - 0.15) / 0.85).powi(2) + (y / 0.48).powi(2) < 1.0;
    let tail = x > -1.1 && x < -0.5 && y.abs() < 0.9 * (-0.42 - x) && y.abs() > 1.6 * (-0.95 - x);
    let eye = (x - 0.62).powi(2) + (y - 0.12).powi(2) < 0.008;
    (body || tail) && !eye
}

/// A heart.
fn in_heart(x: f64, y: f64) -> bool {
    let (x, y) = (1.12 * x, 1.12 * y + 0.1);
    (x * x + y * y - 1.0).powi(3) < x * x * y.powi(3)
}

/// Clouds along the generalized geodesic, as the command line writes them, side by side.
fn picture() -> Outcome<String> {
    const STEPS: usize = 5;
    let directory = root().join("target/picture");
    let _ = fs::remove_dir_all(&directory);
    let steps = STEPS.to_string();
    let out = directory.display().to_string();
    let files = ["examples/source.csv", "examples/target.csv"];
    let mut args = vec!["run", "--quiet", "--release", "--", "interpolate"];
    args.extend(files);
    args.extend(["--steps", &steps, "--out", &out, "--directions", "500", "--quiet"]);
    output(&mut cargo(&args))?;

    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 250\" font-family=\"sans-serif\">\n\
         <rect width=\"900\" height=\"250\" fill=\"#ffffff\"/>\n",
    );
    for step in 0..STEPS {
        let t = step as f64 / (STEPS - 1) as f64;
        let path = directory.join(format!("step_{step}.csv"));
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // Each panel shows its own cloud centred, so that the shapes can be compared.
        let centre = [90.0 + 180.0 * step as f64, 115.0];
        let points: Vec<[f64; 2]> = text.lines().skip(1).filter_map(parse).collect();
        let mean = |c: usize| points.iter().map(|p| p[c]).sum::<f64>() / points.len() as f64;
        let (mx, my) = (mean(0), mean(1));
        let blend = |a: f64, b: f64| ((1.0 - t) * a + t * b).round() as u8;
        let color =
            format!("#{:02x}{:02x}{:02x}", blend(38.0, 214.0), blend(102.0, 60.0), blend(170.0, 60.0));
        let _ = writeln!(svg, "<g fill=\"{color}\">");
        for [x, y] in points {
            let (x, y) = (centre[0] + 72.0 * (x - mx), centre[1] - 72.0 * (y - my));
            let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>");
        }
        svg.push_str("</g>\n");
        let label = match step {
            0 => "source, t = 0".to_string(),
            _ if step == STEPS - 1 => "target, t = 1".to_string(),
            _ => format!("t = {t}"),
        };
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"235\" text-anchor=\"middle\" font-size=\"15\" fill=\"#444\">{label}</text>",
            centre[0]
        );
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn parse(line: &str) -> Option<[f64; 2]> {
    let (x, y) = line.split_once(',')?;
    Some([x.parse().ok()?, y.parse().ok()?])
}
