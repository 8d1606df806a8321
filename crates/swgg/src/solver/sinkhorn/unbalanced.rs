//! Entropic transport with weights that are met roughly: a Kullback-Leibler penalty in place of each marginal.
//!
//! ```text
//! min_P sum P_ij c_ij + epsilon KL(P | a b^T) + rho_a KL(P 1 | a) + rho_b KL(P^T 1 | b),    tau = rho / (rho + epsilon)
//! ```
//!
//! `KL(p | q) = sum p log(p / q) - p + q`. With `tau = 1` a marginal is met exactly, and the closer to 0 the less it counts. Potentials are
//! scaled as in the balanced problem, each time shrunk by its `tau` (Chizat, Peyre, Schmitzer and Vialard, 2018). Masses are those that were
//! given, so totals may differ.

use super::entropic::{rate, unit};
use super::ground::{Ground, Side};
use super::patience::Patience;
use super::{Sinkhorn, between};
use crate::answer::{Bounding, CostIs, Fact, Remark, Transport, counted};
use crate::error::Result;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::potentials::Potentials;
use crate::question::Question;
use crate::run::Run;
use crate::run::stop::Stop;

/// Entries of a row that together are less than this share of it are left out of the plan.
const MIN_ENTRY_SHARE: f64 = 1e-12;

/// The answer; its cost is what the smooth plan pays for what it moves, which is neither above nor below an optimum of its own.
pub(super) fn answer<T: Scalar>(
    settings: &Sinkhorn,
    question: &Question<'_, T>,
    run: &mut Run<'_>,
) -> Result<Transport> {
    let (law, workers) = settings.begin(question, run)?;
    let (source, target) = (question.source(), question.target());
    question.check_totals()?;
    let totals = [source.total(), target.total()];
    let patience = &mut Patience::new(run, settings.max_iterations);
    let mut problem = between(source, target, law, &workers);
    problem.ground.keep(&workers, patience);
    let (mean, largest) = problem.mean_and_largest(patience)?;
    let epsilon = settings.epsilon.resolve(mean, largest)?;
    let [tau_a, tau_b] = settings.tau;
    let unit = unit(epsilon);
    let (mut f, mut g) =
        (vec![0.0; problem.ground.len(Side::Source)], vec![0.0; problem.ground.len(Side::Target)]);
    let (mut iterations, mut stop) = (0, Stop::MaxIterations);
    while iterations < settings.max_iterations {
        // What the other side weighs is part of every sum.
        let Some(logs) = problem.log_sums(Side::Target, &g, &f, epsilon, patience) else {
            stop = Stop::Interrupted;
            break;
        };
        let moved = shrunk(&mut g, &logs, unit, tau_b, totals[0].log2());
        let Some(logs) = problem.log_sums(Side::Source, &f, &g, epsilon, patience) else {
            stop = Stop::Interrupted;
            break;
        };
        let moved = moved.max(shrunk(&mut f, &logs, unit, tau_a, totals[1].log2()));
        iterations += 1;
        // Both are shares of masses, to first order.
        if moved / epsilon <= settings.tolerance * (1.0 - tau_a * tau_b).max(MIN_SHRINKING) {
            stop = Stop::Converged;
            break;
        }
        patience.report(iterations, problem.sides[0].mean(&f) + problem.sides[1].mean(&g));
        if patience.leave_by().is_some() {
            stop = Stop::Interrupted;
            break;
        }
    }
    let rate = rate(epsilon);
    let (mut rows, mut columns, mut masses) = (Vec::new(), Vec::new(), Vec::new());
    let [a, b] = &problem.sides;
    let (mut cost, mut entropy) = (0.0, 0.0);
    let mut marginals = [vec![0.0; source.len()], vec![0.0; target.len()]];
    let is_held = source.len() * target.len() <= super::plan::MOST_ENTRIES;
    let mut line = vec![0.0; b.points.len()];
    let pays = question.pays();
    for (k, &i) in a.points.iter().enumerate() {
        let mut whole = 0.0;
        for (l, &j) in b.points.iter().enumerate() {
            let c = pays.between(i as usize, j as usize);
            let share = (f[k] + g[l] - c) * rate;
            let mass = totals[0] * totals[1] * a.weights[k] * b.weights[l] * share.exp2();
            line[l] = mass;
            whole += mass;
            cost += mass * c;
            entropy += mass * share * std::f64::consts::LN_2;
            marginals[1][j as usize] += mass;
        }
        marginals[0][i as usize] = whole;
        let least = MIN_ENTRY_SHARE * whole / line.len() as f64;
        for (l, &mass) in line.iter().enumerate().filter(|(_, mass)| is_held && **mass > least) {
            rows.push(i);
            columns.push(b.points[l]);
            masses.push(mass);
        }
    }
    let moved: f64 = marginals[0].iter().sum();
    let penalty = |side: usize, tau: f64| {
        if tau >= 1.0 {
            return 0.0;
        }
        let measure = if side == 0 { source } else { target };
        let divergence = marginals[side].iter().enumerate().map(|(i, &mass)| {
            let weight = totals[side] * measure.weight(i);
            let main = if mass > 0.0 { mass * (mass / weight).ln() } else { 0.0 };
            main - mass + weight
        });
        epsilon * tau / (1.0 - tau) * divergence.sum::<f64>()
    };
    let value =
        cost + epsilon * (entropy - moved + totals[0] * totals[1]) + penalty(0, tau_a) + penalty(1, tau_b);
    let done = if stop == Stop::Converged { "converged" } else { "not converged" };
    let story = format!("Sinkhorn with marginals met roughly, {}, {done}", counted(iterations, "iteration"));
    let mut potentials = Potentials { source: vec![0.0; source.len()], target: vec![0.0; target.len()] };
    a.points.iter().zip(&f).for_each(|(&i, f)| potentials.source[i as usize] = *f);
    b.points.iter().zip(&g).for_each(|(&j, g)| potentials.target[j as usize] = *g);
    let coupling = is_held.then(|| Coupling::from_merge(source.len(), target.len(), rows, columns, masses));
    let smaller = totals[0].min(totals[1]);
    let text = format!("{:.4} times the smaller total", moved / smaller);
    Ok(Transport {
        coupling,
        potentials: Some(potentials).filter(Potentials::are_finite),
        facts: vec![
            ("epsilon", Fact::Number(epsilon)),
            ("value", Fact::Number(value)),
            ("converged", Fact::Flag(stop == Stop::Converged)),
            ("iterations", Fact::Count(iterations)),
            ("moved", Fact::Number(moved)),
            ("moved_share", Fact::Number(moved / smaller)),
            ("tau_a", Fact::Number(tau_a)),
            ("tau_b", Fact::Number(tau_b)),
        ],
        remarks: vec![
            Remark::number("moved", moved, text),
            Remark::number("epsilon", epsilon, "weight of the entropy, in units of the cost"),
            Remark::new("method", story.clone()),
        ],
        story,
        steps: iterations,
        stop,
        exponent: question.exponent(),
        bounding: Bounding::Done,
        ..Transport::new("sinkhorn", cost, CostIs::Other)
    })
}

/// Where the shrinking is so weak that steps say little about what is left, no more than this much is asked of them.
const MIN_SHRINKING: f64 = 1e-3;

/// `u = tau (u - epsilon log s)`; how far that moves the potentials, at most.
fn shrunk(u: &mut [f64], logs: &[f64], unit: f64, tau: f64, log_total: f64) -> f64 {
    let mut most = 0.0_f64;
    for (u, log) in u.iter_mut().zip(logs) {
        let next = tau * (*u - unit * (log + log_total));
        most = most.max((next - *u).abs());
        *u = next;
    }
    most
}
