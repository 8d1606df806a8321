//! The picture of docs/many-lines.md: one pair of clouds, five plans.
//!
//! ```text
//! cargo bench -p swgg --bench many_lines > docs/many-lines.svg
//! ```

use std::f64::consts::TAU;
use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::{Auto, Coupling, Measure, Merged, MinSwgg, Question, Run, Solver, Trees, exact::exact};

/// Points a side: just beyond what [`Auto`] solves exactly at effort 1.
const POINTS: usize = 1200;
/// One pair of so many is drawn.
const DRAWN: usize = 10;
const SEED: u64 = 1;
const DIRECTIONS: usize = 50;

/// Blue and orange of the same lightness, readable on white and on black, and for colour-blind readers.
const SOURCE: &str = "#2a8fd8";
const TARGET: &str = "#e07b00";
const GREY: &str = "#7f7f7f";
const PANEL: [f64; 2] = [300.0, 320.0];
/// Pixels per unit of length.
const SCALE: f64 = 62.0;

fn main() -> swgg::Result<()> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut cloud = |inner: f64, outer: f64| -> Vec<f64> {
        let mut point = || {
            // Uniform by area.
            let radius = (inner * inner + (outer * outer - inner * inner) * rng.random::<f64>()).sqrt();
            let angle = TAU * rng.random::<f64>();
            [radius * angle.cos(), radius * angle.sin()]
        };
        (0..POINTS).flat_map(|_| point()).collect()
    };
    let (x, y) = (cloud(0.0, 1.0), cloud(1.7, 2.1));
    let (mu, nu) = (Measure::from_slice(&x, 2)?, Measure::from_slice(&y, 2)?);

    let question = Question::new(&mu, &nu)?;
    let found = |solver: &dyn Solver<f64>| solver.answer(&question, &mut Run::seeded(SEED));
    let line = found(&MinSwgg::new().directions(DIRECTIONS))?;
    let merged = found(&Merged { directions: DIRECTIONS })?;
    let tree = found(&Trees { trees: 1 })?;
    let refined = found(&Auto { effort: 1 })?;
    let best = exact(&mu, &nu)?;
    eprintln!("refined is {:?}: {}, bound {:?}", refined.fact("solver"), refined.story, refined.lower_bound);
    let panels: [(&str, f64, &Coupling); 5] = [
        ("one line, the best of 50", line.cost, line.plan()?),
        ("the same 50 lines, merged", merged.cost, merged.plan()?),
        ("one tree, a line per cell", tree.cost, tree.plan()?),
        ("refined, effort 1", refined.cost, refined.plan()?),
        ("exact", best.cost, best.plan()?),
    ];

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" \
         font-size=\"16\" text-anchor=\"middle\">\n<defs><g id=\"clouds\" stroke-width=\"2\" stroke-linecap=\"round\" \
         stroke-opacity=\"0.35\">\n{}{}</g></defs>\n",
        3.0 * PANEL[0],
        2.0 * PANEL[1],
        dots(SOURCE, x.as_chunks().0),
        dots(TARGET, y.as_chunks().0),
    );
    for (k, (name, cost, plan)) in panels.into_iter().enumerate() {
        eprintln!("{name}: {cost:.4}");
        let [left, top] = corner(k);
        let _ = writeln!(svg, "<g transform=\"translate({left} {top})\">\n<use href=\"#clouds\"/>");
        let pairs = (0..POINTS).step_by(DRAWN).filter_map(|i| Some((i, plan.target_of(i)?)));
        let ends: Vec<[[f64; 2]; 2]> =
            pairs.map(|(i, j)| [[x[2 * i], x[2 * i + 1]], [y[2 * j], y[2 * j + 1]]]).collect();
        let lines: String = ends.iter().map(|[a, b]| format!("M{}L{}", at(*a), at(*b))).collect();
        let _ = writeln!(svg, "<path d=\"{lines}\" fill=\"none\" stroke=\"{GREY}\" stroke-width=\"0.7\"/>");
        let sides = [0, 1].map(|side| ends.iter().map(|pair| pair[side]).collect::<Vec<[f64; 2]>>());
        let _ = writeln!(
            svg,
            "<g stroke-width=\"4.5\" stroke-linecap=\"round\">{}{}</g>",
            dots(SOURCE, &sides[0]),
            dots(TARGET, &sides[1])
        );
        let _ = writeln!(svg, "<text y=\"155\" fill=\"{GREY}\">{name}</text>");
        let _ =
            writeln!(svg, "<text y=\"175\" fill=\"{GREY}\" font-weight=\"bold\">cost {cost:.3}</text>\n</g>");
    }
    svg.push_str(&legend());
    svg.push_str("</svg>");
    println!("{svg}");
    Ok(())
}

/// The middle of the clouds in panel `k`.
fn corner(k: usize) -> [f64; 2] {
    [PANEL[0] * (0.5 + (k % 3) as f64), PANEL[1] * (k / 3) as f64 + 138.0]
}

fn at([x, y]: [f64; 2]) -> String {
    format!("{:.1} {:.1}", SCALE * x, -SCALE * y)
}

/// Points as strokes of no length, which are round and take few bytes.
fn dots(color: &str, points: &[[f64; 2]]) -> String {
    let path: String = points.iter().map(|point| format!("M{}h0", at(*point))).collect();
    format!("<path stroke=\"{color}\" d=\"{path}\"/>\n")
}

fn legend() -> String {
    let [left, top] = corner(5);
    let mut svg = format!("<g transform=\"translate({left} {top})\" text-anchor=\"start\">\n");
    for (row, (color, what)) in
        [(SOURCE, "source, a disc"), (TARGET, "target, a ring")].into_iter().enumerate()
    {
        let y = 30.0 * row as f64 - 40.0;
        let _ = writeln!(
            svg,
            "<circle cx=\"-80\" cy=\"{}\" r=\"5\" fill=\"{color}\"/><text x=\"-65\" y=\"{y}\" fill=\"{GREY}\">{what}</text>",
            y - 5.0
        );
    }
    for (row, what) in
        [format!("{POINTS} points a side,"), format!("one pair in {DRAWN} drawn")].iter().enumerate()
    {
        let _ = writeln!(svg, "<text x=\"-85\" y=\"{}\" fill=\"{GREY}\">{what}</text>", 22 * row + 30);
    }
    svg + "</g>\n"
}
