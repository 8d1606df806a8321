//! The paper's comparison of searches: min-SWGG between Gaussians, 20 seeds, in dimensions 2, 20 and 200.
//!
//! ```text
//! cargo bench -p swgg --bench searches
//! ```

use std::time::Instant;

use swgg::paper::{Annealing, Gradient, InMemory, RandomSearch, Search, Stein, Sweep};
use swgg::{Measure, Parallelism};
use swgg_testkit::gaussian_pair;

const POINTS: usize = 1000;
const SEEDS: u64 = 20;

fn main() -> swgg::Result<()> {
    println!(
        "min-SWGG squared, {POINTS} points, mean over {SEEDS} seeds; in brackets seconds per pair, all threads\n"
    );
    println!(
        "| pair | random 200 | random 500 | annealing 500 | gradient 100 | stein 25 | stein 100 | sweep |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, d, rank) in [
        ("Gaussians, d = 2", 2, 2),
        ("Gaussians, d = 20", 20, 20),
        ("Gaussians, d = 200", 200, 200),
        ("rank 3 and noise 0.1, d = 20", 20, 3),
        ("rank 5 and noise 0.1, d = 200", 200, 5),
    ] {
        let mut sums = [(0.0, 0.0); 7];
        for seed in 0..SEEDS {
            let (x, y) = gaussian_pair(POINTS, d, rank, seed);
            let source = Measure::from_vec(x.points, d)?;
            let target = Measure::from_vec(y.points, d)?;
            let problem = InMemory::with_parallelism(&source, &target, Parallelism::Auto)?;
            let random = |directions| RandomSearch { directions, seed, keep_costs: false };
            let searches: [&dyn Search; 7] = [
                &random(200),
                &random(500),
                &Annealing { seed, ..Default::default() },
                &Gradient { seed, ..Default::default() },
                &Stein { seed, ..Default::default() },
                &Stein { seed, steps: 100, ..Default::default() },
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
        // Only the plane can be swept.
        let cell = |(cost, s): &(f64, f64)| {
            if *cost > 0.0 { format!("{cost:.4} ({s:.3})") } else { "-".to_string() }
        };
        let cells: Vec<String> = sums.iter().map(cell).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    Ok(())
}
