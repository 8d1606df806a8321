//! Our side of `cargo xtask bench sinkhorn`: plain iterations between two clouds stored as little-endian `f64`, row by row.
//!
//! ```text
//! cargo bench -p swgg --bench sinkhorn_time -- X Y d epsilon iterations threads
//! ```

use std::error::Error;
use std::time::Instant;

use swgg::solver::{Epsilon, Sinkhorn};
use swgg::{Measure, Question, Run};

fn cloud(path: &str, dim: usize) -> Result<Measure<'static>, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let (numbers, _) = bytes.as_chunks::<8>();
    Ok(Measure::from_vec(numbers.iter().map(|number| f64::from_le_bytes(*number)).collect(), dim)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [source, target, dim, epsilon, iterations, threads] = words.as_slice() else {
        return Err("expected X Y d epsilon iterations threads".into());
    };
    let dim = dim.parse()?;
    let (source, target) = (cloud(source, dim)?, cloud(target, dim)?);
    let question = Question::new(&source, &target)?;
    let mut run = Run::on_threads(threads.parse()?);
    let plain = Sinkhorn::plain(Epsilon::Absolute(epsilon.parse()?), iterations.parse()?);
    let start = Instant::now();
    let found = plain.entropic(&question, &mut run)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{{\"seconds\": {seconds}, \"value\": {}, \"iterations\": {}}}", found.cost, found.iterations);
    Ok(())
}
