//! Matchings from coarse to fine.

use std::ops::ControlFlow;
use std::time::Instant;

use super::auction::{Auction, NONE};
use super::paths::Paths;
use crate::pricing::{Ground, ground};
use crate::run::observe::Observe;
use crate::run::workers::Workers;

/// When a matching is good enough.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// Optimal.
    Exact,
    /// As close as that, as a share of the cost.
    Gap(f64),
}

/// A matching in the order of the ground.
pub(crate) struct Matched {
    pub target_of: Vec<u32>,
    pub values: Vec<f64>,
    pub prices: Vec<f64>,
    pub is_done: bool,
}

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

pub(crate) fn matching(
    ground: &dyn Ground,
    plan: &[u32],
    goal: Goal,
    seed: u64,
    workers: &Workers,
    watch: &mut dyn Observe,
) -> Matched {
    let n = ground.order()[0].len();
    let clock = Instant::now();
    let talk = std::env::var("TALK").is_ok();
    let prices = learnt(ground, plan, seed, workers, watch);
    let t_learn = clock.elapsed().as_secs_f64();
    let prices = if std::env::var("CC").is_ok() {
        let (values, near) = ground.values(&prices, None, workers);
        let _ = near;
        ground.prices(&values, None, workers).0
    } else {
        prices
    };
    let first_prices = prices.clone();
    let mut auction = Auction::new(ground, prices, env("K", 16.0) as usize, workers);
    if std::env::var("FOLLOW").is_ok() {
        for (i, &j) in plan.iter().enumerate() {
            auction.target_of[i] = j;
            auction.source_of[j as usize] = i as u32;
            auction.held[i] = ground.cost(i, j as usize);
        }
    }
    let t_cand = clock.elapsed().as_secs_f64();
    let spread = auction.spread();
    let mut epsilon = spread * env("E0", 0.25);
    let last = match goal {
        Goal::Exact => spread * env("E1", 0.001),
        Goal::Gap(share) => spread * share,
    };
    if talk {
        eprintln!("n {n} learn {t_learn:.3} candidates {t_cand:.3} spread {spread:.3e}");
    }
    loop {
        let flow = auction.phase(epsilon, watch);
        let left: Vec<u32> = (0..n as u32).filter(|&i| auction.target_of[i as usize] == NONE).collect();
        if !left.is_empty() {
            if talk {
                eprintln!("    bids done t {:.3} left {}", clock.elapsed().as_secs_f64(), left.len());
            }
            let mut paths = Paths::new(n);
            let _ = paths.finish(&mut auction, &left, epsilon, watch);
            if talk {
                eprintln!("    relaxed paths t {:.3} settled/n {:.2} refetched/n {:.2}", clock.elapsed().as_secs_f64(), paths.total_settled as f64 / n as f64, auction.refetched as f64 / n as f64);
            }
        }
        if talk {
            let (cost, bound) = auction.interval();
            eprintln!(
                "  eps {epsilon:.2e} t {:.3} bids/n {:.2} upd {} refetched/n {:.2} cost {cost:.6e} bound {bound:.6e} gap {:.3}%",
                clock.elapsed().as_secs_f64(),
                auction.bids as f64 / n as f64,
                auction.updates,
                auction.refetched as f64 / n as f64,
                100.0 * (cost / bound - 1.0)
            );
        }
        if talk {
            let mut drop: Vec<f64> = first_prices.iter().zip(&auction.prices).map(|(a, b)| (a - b) / spread).collect();
            drop.sort_by(f64::total_cmp);
            let q: Vec<String> = [0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999].iter().map(|f| format!("{:.2}", drop[(f * n as f64) as usize])).collect();
            eprintln!("     drops/spread {}", q.join(" "));
        }
        if flow.is_break() {
            return done(auction, false);
        }
        if epsilon <= last {
            break;
        }
        epsilon = (epsilon / env("ALPHA", 5.0)).max(last);
    }
    if matches!(goal, Goal::Exact) || std::env::var("ALLSAP").is_ok() {
        let free = auction.release(0.0);
        let freed = free.len();
        let mut paths = Paths::new(n);
        let flow = paths.finish(&mut auction, &free, 0.0, watch);
        if talk {
            let (cost, bound) = auction.interval();
            eprintln!(
                "  paths t {:.3} free {freed} settled/n {:.2} refetched/n {:.2} cost {cost:.6e} bound {bound:.6e} gap {:.2e}",
                clock.elapsed().as_secs_f64(),
                paths.total_settled as f64 / n as f64,
                auction.refetched as f64 / n as f64,
                cost / bound - 1.0
            );
        }
        return done(auction, flow == ControlFlow::Continue(()));
    }
    done(auction, true)
}

fn done(auction: Auction<'_>, is_done: bool) -> Matched {
    let n = auction.held.len();
    let value = |i: usize| {
        let offer = auction.look(i);
        offer.best.min(auction.rows.beyond[i])
    };
    let values = (0..n).map(value).collect();
    let is_done = is_done && auction.target_of.iter().all(|&j| j != NONE);
    Matched { target_of: auction.target_of, values, prices: auction.prices, is_done }
}

/// Prices of the targets that a matching between samples of both sides teaches.
fn learnt(ground_of_all: &dyn Ground, plan: &[u32], seed: u64, workers: &Workers, watch: &mut dyn Observe) -> Vec<f64> {
    let n = ground_of_all.order()[0].len();
    let step = env("STEP", 4.0) as usize;
    if n < 64 * step {
        return vec![0.0; n];
    }
    let dim = ground_of_all.source(0).len();
    let mut random = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut pick = |block: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        block * step + (random >> 33) as usize % step
    };
    let sources: Vec<usize> = (0..n / step).map(&mut pick).collect();
    let targets: Vec<usize> = sources.iter().map(|&i| plan[i] as usize).collect();
    let x: Vec<f64> = sources.iter().flat_map(|&i| ground_of_all.source(i)).copied().collect();
    let y: Vec<f64> = targets.iter().flat_map(|&j| ground_of_all.target(j)).copied().collect();
    let Some(few) = ground(&x, &y, dim, workers) else { return vec![0.0; n] };
    let mut place = vec![0; targets.len()];
    few.order()[1].iter().enumerate().for_each(|(at, &k)| place[k as usize] = at as u32);
    let plan: Vec<u32> = few.order()[0].iter().map(|&k| place[k as usize]).collect();
    let found = matching(&*few, &plan, Goal::Gap(env("EL", 0.02)), seed, workers, watch);
    let mut values = vec![0.0; sources.len()];
    few.order()[0].iter().zip(&found.values).for_each(|(&k, value)| values[k as usize] = *value);
    ground_of_all.extended(&x, &values, workers)
}
