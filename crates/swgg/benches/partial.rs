//! Partial transport: how long it takes and how good it is.
//!
//! ```text
//! cargo bench -p swgg --bench partial -- exact 3000       the default beside the optimum
//! cargo bench -p swgg --bench partial -- scale 100000     a share of the mass beside all of it
//! cargo bench -p swgg --bench partial -- line 500000      all masses on the line, so many points a side
//! ```

use std::error::Error;
use std::time::Instant;

use swgg::line::partial_path;
use swgg::{Auto, Exact, Measure, Question, Run, Solver, Transport};
use swgg_testkit::Random;

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
