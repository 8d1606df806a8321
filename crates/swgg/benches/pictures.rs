//! Pictures of plans for the pages in docs/.
//!
//! ```text
//! cargo bench -p swgg --bench pictures -- partial > docs/partial.svg    all of the mass, and 80 % of it
//! cargo bench -p swgg --bench pictures -- costs > docs/costs.svg        the same clouds at different costs
//! ```

use std::error::Error;
use std::fmt::Write;

use swgg::answer::Fact;
use swgg::cost::{Labelled, Power};
use swgg::ndarray::array;
use swgg::{Exact, Measure, Question, Run, Solver, Transport};
use swgg_testkit::Random;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let svg = match words.first().map(String::as_str) {
        Some("costs") => costs()?,
        _ => partial()?,
    };
    print!("{svg}");
    Ok(())
}

/// A ring and a larger one, with outliers of either that are nowhere near: matched with all mass and with a part of it.
fn partial() -> Result<String, Box<dyn Error>> {
    let mut random = Random(3);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..80 {
        let angle = std::f64::consts::TAU * random.uniform();
        let radius = 70.0 + 6.0 * random.normal();
        x.extend([radius * angle.cos(), radius * angle.sin()]);
        let angle = std::f64::consts::TAU * random.uniform();
        let radius = 95.0 + 6.0 * random.normal();
        y.extend([radius * angle.cos(), radius * angle.sin()]);
    }
    // Outliers, a fifth of either cloud, in different corners.
    for _ in 0..20 {
        x.extend([-150.0 + 9.0 * random.normal(), -140.0 + 9.0 * random.normal()]);
        y.extend([155.0 + 9.0 * random.normal(), 130.0 + 9.0 * random.normal()]);
    }
    let (mu, nu) = (Measure::from_slice(&x, 2)?, Measure::from_slice(&y, 2)?);
    let question = Question::new(&mu, &nu)?;
    let all = Exact.answer(&question, &mut Run::default())?;
    let part = Exact.answer(&question.with_mass(0.8)?, &mut Run::default())?;
    let titles = [&all, &part].map(|found| found.cost);
    sheet(&[
        Panel {
            clouds: [&x, &y],
            labels: None,
            found: &all,
            title: format!("all of the mass: cost {:.0}", titles[0]),
        },
        Panel {
            clouds: [&x, &y],
            labels: None,
            found: &part,
            title: format!("80 % of the mass: cost {:.0}", titles[1]),
        },
    ])
}

/// Two clouds side by side at two powers of the distance, then two clouds of two labels without and with them.
fn costs() -> Result<String, Box<dyn Error>> {
    let mut random = Random(5);
    // A strip, and the same strip further to the right: half of both lies in the same place.
    let strip = |random: &mut Random, from: f64| -> Vec<f64> {
        (0..70).flat_map(|_| [from + 220.0 * random.uniform(), 18.0 * random.normal()]).collect()
    };
    let (x, y) = (strip(&mut random, -165.0), strip(&mut random, -55.0));
    let (mu, nu) = (Measure::from_slice(&x, 2)?, Measure::from_slice(&y, 2)?);
    let squared = Exact.answer(&Question::new(&mu, &nu)?, &mut Run::default())?;
    let plain = Exact.answer(&Question::new(&mu, &nu)?.with_power(1.0)?, &mut Run::default())?;
    // Two labels above each other on the left, in the other order on the right; the label is a third coordinate.
    let place = |random: &mut Random, at: [f64; 2]| at.map(|at| at + 13.0 * random.normal());
    let (mut p, mut q, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..60 {
        let label = u8::from(k % 2 == 1);
        let up = if label == 0 { -70.0 } else { 70.0 };
        p.extend(place(&mut random, [-110.0, up]));
        q.extend(place(&mut random, [110.0, -up]));
        labels.push(label);
    }
    let with = |rows: &[f64], labels: &[u8]| -> Vec<f64> {
        rows.chunks_exact(2)
            .zip(labels)
            .flat_map(|(row, label)| [row[0], row[1], f64::from(*label)])
            .collect()
    };
    let (mu, nu) = (Measure::from_slice(&p, 2)?, Measure::from_slice(&q, 2)?);
    let blind = Exact.answer(&Question::new(&mu, &nu)?, &mut Run::default())?;
    let (third, fourth) = (with(&p, &labels), with(&q, &labels));
    let (mu, nu) = (Measure::from_slice(&third, 3)?, Measure::from_slice(&fourth, 3)?);
    let apart = Labelled::new(array![[0.0, 3e4], [3e4, 0.0]].view(), Power::SQUARED)?;
    let labelled = Exact.answer(&Question::new(&mu, &nu)?.with_cost(&apart)?, &mut Run::default())?;
    let of = |clouds, labels, found, title: &str| Panel { clouds, labels, found, title: title.to_string() };
    let told = Some(&labels[..]);
    sheet(&[
        of([&x, &y], None, &squared, "sqeuclidean: everybody moves a little"),
        of([&x, &y], None, &plain, "euclidean: some stay, others go far"),
        of([&p, &q], told, &blind, "sqeuclidean: labels do not count"),
        of([&p, &q], told, &labelled, "labelled: another label costs 30 000 more"),
    ])
}

/// Two clouds of the plane and a plan between them.
struct Panel<'a> {
    clouds: [&'a [f64]; 2],
    /// 0 or 1 for every point of either cloud.
    labels: Option<&'a [u8]>,
    found: &'a Transport,
    title: String,
}

/// Width and height of a panel, in pixels.
const PANEL: [f64; 2] = [400.0, 430.0];

/// Panels in rows of two.
fn sheet(panels: &[Panel<'_>]) -> Result<String, Box<dyn Error>> {
    let height = PANEL[1] * panels.len().div_ceil(2) as f64;
    let mut svg = String::new();
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 {height}\" font-family=\"sans-serif\" font-size=\"16\" \
         text-anchor=\"middle\">\n<rect width=\"800\" height=\"{height}\" fill=\"#fff\"/>"
    )?;
    for (k, panel) in panels.iter().enumerate() {
        let [left, top] = [PANEL[0] * ((k % 2) as f64 + 0.5), PANEL[1] * ((k / 2) as f64 + 0.5)];
        writeln!(svg, "<g transform=\"translate({left} {top})\">")?;
        draw(&mut svg, panel)?;
        writeln!(svg, "<text y=\"202\">{}</text>\n</g>", panel.title)?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn draw(svg: &mut String, panel: &Panel<'_>) -> Result<(), Box<dyn Error>> {
    let [x, y] = panel.clouds;
    let mut path = String::new();
    for (i, j, _) in panel.found.plan()?.entries() {
        write!(path, "M{:.1} {:.1}L{:.1} {:.1}", x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1])?;
    }
    writeln!(svg, "<path d=\"{path}\" stroke=\"#888\" stroke-width=\"1\" fill=\"none\"/>")?;
    let sides = [(x, "#2a8fd8", "unmatched_source"), (y, "#d8542a", "unmatched_target")];
    for (points, color, name) in sides {
        let stays: Vec<u32> = match panel.found.fact(name) {
            Some(Fact::Masses(stayed)) => stayed.iter().map(|point| point.0).collect(),
            _ => Vec::new(),
        };
        for (i, point) in points.chunks_exact(2).enumerate() {
            // Who stays is hollow.
            let fill = if stays.contains(&(i as u32)) { "none" } else { color };
            let [cx, cy] = [point[0], point[1]];
            // The second label is a square.
            if panel.labels.is_some_and(|labels| labels[i] == 1) {
                let [left, top] = [cx - 3.2, cy - 3.2];
                writeln!(
                    svg,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"6.4\" height=\"6.4\" stroke=\"{color}\" fill=\"{fill}\"/>"
                )?;
            } else {
                writeln!(
                    svg,
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"3.5\" stroke=\"{color}\" fill=\"{fill}\"/>"
                )?;
            }
        }
    }
    Ok(())
}
