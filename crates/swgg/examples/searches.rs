//! The paper's comparison of searches: min-SWGG between Gaussians, 20 seeds, in dimensions 2, 20 and 200.
//!
//! ```text
//! cargo run --release -p swgg --example searches
//! ```

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;
use swgg::{Annealing, Gradient, InMemory, Measure, Parallelism, RandomSearch, Search, Stein, Sweep};

const POINTS: usize = 1000;
const SEEDS: u64 = 20;

/// A Gaussian cloud with a random mean and a random covariance of rank `rank`, plus a little noise in every direction.
fn gaussian(d: usize, rank: usize, noise: f64, rng: &mut ChaCha8Rng) -> Measure<'static, f64> {
    let mut normal = || -> f64 { StandardNormal.sample(rng) };
    let basis: Vec<f64> = (0..rank * d).map(|_| normal() / (rank as f64).sqrt()).collect();
    let mean: Vec<f64> = (0..rank).map(|_| normal()).collect();
    let points = (0..POINTS).flat_map(|_| {
        let factors: Vec<f64> = mean.iter().map(|m| m + normal()).collect();
        let point: Vec<f64> = (0..d)
            .map(|c| {
                factors.iter().zip(&basis[c * rank..]).map(|(f, b)| f * b).sum::<f64>() + noise * normal()
            })
            .collect();
        point
    });
    let points: Vec<f64> = points.collect();
    Measure::from_vec(points, d).expect("finite points")
}

fn main() -> swgg::Result<()> {
    println!(
        "min-SWGG squared, {POINTS} points, mean over {SEEDS} seeds; in brackets seconds per pair, all threads\n"
    );
    println!("| pair | random 200 | random 500 | annealing 500 | gradient 100 | stein 100 | sweep |");
    println!("|---|---|---|---|---|---|---|");
    for (name, d, rank, noise) in [
        ("Gaussians, d = 2", 2, 2, 0.0),
        ("Gaussians, d = 20", 20, 20, 0.0),
        ("Gaussians, d = 200", 200, 200, 0.0),
        ("rank 3 and noise 0.1, d = 20", 20, 3, 0.1),
        ("rank 5 and noise 0.1, d = 200", 200, 5, 0.1),
    ] {
        let mut sums = [(0.0, 0.0); 6];
        for seed in 0..SEEDS {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let source = gaussian(d, rank, noise, &mut rng);
            let target = gaussian(d, rank, noise, &mut rng);
            let problem = InMemory::with_parallelism(&source, &target, Parallelism::Auto)?;
            let random = |directions| RandomSearch { directions, seed, keep_costs: false };
            let searches: [&dyn Search; 6] = [
                &random(200),
                &random(500),
                &Annealing { seed, ..Default::default() },
                &Gradient { seed, ..Default::default() },
                &Stein { seed, ..Default::default() },
                &Sweep::default(),
            ];
            for (search, sum) in searches.into_iter().zip(&mut sums) {
                if search.name() != "sweep" || d == 2 {
                    let started = Instant::now();
                    sum.0 += search.run(&problem, &mut ())?.cost / SEEDS as f64;
                    sum.1 += started.elapsed().as_secs_f64() / SEEDS as f64;
                }
            }
        }
        let cells: Vec<String> = sums.iter().map(|(cost, s)| format!("{cost:.4} ({s:.3})")).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}
