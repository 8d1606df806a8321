use super::*;
use crate::sampler::Gaussians;
use crate::{Exact, Parallelism};

/// Two Gaussians with random covariances, weights from 0.2 to 1.
fn gauss(n: usize, m: usize, d: usize, seed: u64) -> [Measure<'static, f64>; 2] {
    let mut k = 0;
    [n, m].map(|count| {
        k += 1;
        let mut stream = Gaussians::new(seed, k);
        let mut map = vec![0.0; d * d];
        stream.fill(&mut map);
        let mut raw = vec![0.0; count * d];
        stream.fill(&mut raw);
        let points = raw
            .chunks(d)
            .flat_map(|z| (0..d).map(|c| dot(z, &map[c * d..][..d]) / (d as f64).sqrt() + k as f64).collect::<Vec<_>>())
            .collect();
        let weights: Vec<f64> = (0..count).map(|_| 0.2 + 0.8 * stream.uniform()).collect();
        Measure::from_vec(points, d).unwrap().with_weights(&weights).unwrap()
    })
}

fn clouds_of(kind: &str, n: usize, m: usize, d: usize, seed: u64) -> [Measure<'static, f64>; 2] {
    if kind == "gauss" {
        return gauss(n, m, d, seed);
    }
    let mut k = 0;
    [n, m].map(|count| {
        k += 1;
        let mut stream = Gaussians::new(seed, k);
        let mut points: Vec<f64> = (0..count * d).map(|_| 2.0 * stream.uniform() - 1.0).collect();
        if kind == "shape" && k == 1 {
            stream.fill(&mut points);
            points.chunks_mut(d).for_each(|p| {
                let norm = dot(p, p).sqrt();
                p.iter_mut().for_each(|x| *x /= norm);
            });
        }
        let weights: Vec<f64> = (0..count).map(|_| 0.2 + 0.8 * stream.uniform()).collect();
        Measure::from_vec(points, d).unwrap().with_weights(&weights).unwrap()
    })
}

#[test]
#[ignore]
fn figures() {
    let get = |name: &str, default: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (n, m, d) = (get("N", 100_000), get("M", 70_000), get("D", 3));
    let [mu, nu] = clouds_of(&std::env::var("KIND").unwrap_or("gauss".into()), n, m, d, get("SEED", 0) as u64);
    let workers = Workers::new(Parallelism::from_count(2)).unwrap();
    let start = std::time::Instant::now();
    let clouds = Clouds::new(&mu, &nu, &workers).unwrap();
    println!("clouds {:.3}", start.elapsed().as_secs_f64());
    let mut plans = Vec::new();
    for k in 0..get("TREES", 4) {
        plans.push(clouds.tree(1, k as u64));
        let plan = plans.last().unwrap();
        println!("tree {:.3} s, cost {:.6}, entries {}", start.elapsed().as_secs_f64(), clouds.centred_cost(plan), plan.len());
    }
    let mut plan = clouds.combine(plans).unwrap();
    println!("combined {:.3} s, cost {:.6} entries {}", start.elapsed().as_secs_f64(), clouds.centred_cost(&plan), plan.len());
    for pass in 0..get("PASSES", 10) {
        let gained = clouds.refine(&mut plan, 1, pass as u64);
        if get("THIN", 0) > 0 && (pass + 1) % get("THIN", 1) == 0 {
            clouds.thin(&mut plan);
        }
        if pass % 5 == 4 || pass < 3 { println!(
            "pass {pass} {:.3} s, cost {:.6} gained {gained:.6} entries {}",
            start.elapsed().as_secs_f64(), clouds.centred_cost(&plan), plan.len()
        ); }
    }
    clouds.thin(&mut plan);
    println!("thin {:.3} s, cost {:.6} entries {}", start.elapsed().as_secs_f64(), clouds.centred_cost(&plan), plan.len());
    if n <= 5000 {
        let exact = Exact::default().solve(&mu, &nu).unwrap();
        println!("exact {:.6}", exact.cost - clouds.shift);
    }
}
