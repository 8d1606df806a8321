//! Partial transport: how long it takes and how good it is, and the picture of it.
//!
//! ```text
//! cargo bench -p swgg --bench partial -- exact 3000       the default beside the optimum
//! cargo bench -p swgg --bench partial -- scale 100000     a share of the mass beside all of it
//! cargo bench -p swgg --bench partial -- line 500000      all masses on the line, so many points a side
//! cargo bench -p swgg --bench partial -- picture > docs/partial.svg
//! ```

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use swgg::answer::Fact;
use swgg::line::partial_path;
use swgg::{Auto, Coupling, Exact, Measure, Question, Run, Solver, Transport};

/// Numbers from 0 to 1, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: a sum of twelve.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// Two Gaussians of `n` points, a fifth of the first one far off.
fn clouds(n: usize, dim: usize) -> [Vec<f64>; 2] {
    let mut random = Random(7);
    let mut cloud = |shift: f64| -> Vec<f64> { (0..n * dim).map(|_| random.normal() + shift).collect() };
    let (mut x, y) = (cloud(0.0), cloud(1.0));
    x.iter_mut().take(n * dim / 5).for_each(|x| *x = *x * 0.5 - 8.0);
    [x, y]
}

fn timed<R>(work: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let found = work();
    (found, start.elapsed().as_secs_f64())
}

fn say(what: &str, found: &Transport, seconds: f64) {
    let share = found.number("moved_share").unwrap_or(1.0);
    let gap = found.gap().map_or("none".to_string(), |gap| format!("{:.5} %", 100.0 * gap));
    println!(
        "{what:<24} moved {share:.4} cost {:.9} gap {gap} in {seconds:.2} s: {}",
        found.cost, found.story
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let count = |default: usize| words.get(1).and_then(|word| word.parse().ok()).unwrap_or(default);
    match words.first().map(String::as_str) {
        Some("picture") => picture(),
        Some("line") => line(count(500_000)),
        Some("exact") => exact(count(3000)),
        Some("scale") => scale(count(100_000)),
        // Without a word, as under `cargo test --benches`: something small.
        _ => exact(100),
    }
}

fn exact(n: usize) -> Result<(), Box<dyn Error>> {
    let [x, y] = clouds(n, 3);
    let (mu, nu) = (Measure::from_slice(&x, 3)?, Measure::from_slice(&y, 3)?);
    for share in [0.5, 0.8, 0.95] {
        let question = Question::new(&mu, &nu)?.with_mass(share)?;
        let (best, seconds) = timed(|| Exact.answer(&question, &mut Run::default()));
        let best = best?;
        say("exact", &best, seconds);
        let (found, seconds) = timed(|| Auto::default().answer(&question, &mut Run::default()));
        let found = found?;
        say("auto", &found, seconds);
        println!("{:<24} {:.5} % above the optimum", "", 100.0 * (found.cost / best.cost - 1.0));
    }
    Ok(())
}

fn scale(n: usize) -> Result<(), Box<dyn Error>> {
    let [x, y] = clouds(n, 3);
    let (mu, nu) = (Measure::from_slice(&x, 3)?, Measure::from_slice(&y, 3)?);
    let question = Question::new(&mu, &nu)?;
    let (found, seconds) = timed(|| Auto::default().answer(&question, &mut Run::default()));
    say("all of the mass", &found?, seconds);
    for share in [0.8, 0.5] {
        let question = question.with_mass(share)?;
        let (found, seconds) = timed(|| Auto::default().answer(&question, &mut Run::default()));
        let found = found?;
        say(&format!("{share} of the mass"), &found, seconds);
        let priced = Question::new(&mu, &nu)?.with_discard_cost(found.number("multiplier").unwrap_or(1.0))?;
        let (found, seconds) = timed(|| Auto::default().answer(&priced, &mut Run::default()));
        say("at its multiplier", &found?, seconds);
    }
    Ok(())
}

fn line(n: usize) -> Result<(), Box<dyn Error>> {
    let [x, y] = clouds(n, 1);
    let (mu, nu) = (Measure::from_slice(&x, 1)?, Measure::from_slice(&y, 1)?);
    for p in [1.0, 2.0] {
        let (path, seconds) = timed(|| partial_path(&mu, &nu, p));
        let path = path?;
        let cost: f64 = path.marginal_costs.iter().sum();
        println!(
            "p {p}: {n} points a side, all {} masses in {seconds:.3} s, last cost {cost:.6e}",
            path.len()
        );
    }
    Ok(())
}

/// A square of points and the same square moved, with some points that are nowhere near: matched with all mass and with a part of it.
fn picture() -> Result<(), Box<dyn Error>> {
    let mut random = Random(3);
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for _ in 0..80 {
        let angle = std::f64::consts::TAU * random.next();
        let radius = 70.0 + 6.0 * random.normal();
        x.extend([radius * angle.cos(), radius * angle.sin()]);
        let angle = std::f64::consts::TAU * random.next();
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
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 430\" font-family=\"sans-serif\" font-size=\"16\" \
         text-anchor=\"middle\">\n<rect width=\"800\" height=\"430\" fill=\"#fff\"/>\n",
    );
    for (left, found, title) in [(200.0, &all, "all of the mass"), (600.0, &part, "80 % of the mass")] {
        writeln!(svg, "<g transform=\"translate({left} 215)\">")?;
        panel(&mut svg, (&x, &y), found.plan()?, found)?;
        writeln!(svg, "<text y=\"202\">{title}: cost {:.0}</text>\n</g>", found.cost)?;
    }
    svg.push_str("</svg>\n");
    print!("{svg}");
    Ok(())
}

fn panel(
    svg: &mut String,
    (x, y): (&[f64], &[f64]),
    plan: &Coupling,
    found: &Transport,
) -> Result<(), Box<dyn Error>> {
    let mut path = String::new();
    for (i, j, _) in plan.entries() {
        write!(path, "M{:.1} {:.1}L{:.1} {:.1}", x[2 * i], x[2 * i + 1], y[2 * j], y[2 * j + 1])?;
    }
    writeln!(svg, "<path d=\"{path}\" stroke=\"#888\" stroke-width=\"1\" fill=\"none\"/>")?;
    for (points, color, name) in [(x, "#2a8fd8", "unmatched_source"), (y, "#d8542a", "unmatched_target")] {
        let stays: Vec<u32> = match found.fact(name) {
            Some(Fact::Masses(stayed)) => stayed.iter().map(|point| point.0).collect(),
            _ => Vec::new(),
        };
        for (i, point) in points.chunks_exact(2).enumerate() {
            // Who stays is hollow.
            let fill = if stays.contains(&(i as u32)) { "none" } else { color };
            writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" stroke=\"{color}\" fill=\"{fill}\"/>",
                point[0], point[1]
            )?;
        }
    }
    Ok(())
}
