//! No iteration: one cloud that has all the weight, or two and their geodesic.

use swgg::cost::SqEuclidean;
use swgg::paper::Geodesic;
use swgg::plan::Coo;
use swgg::{Coupling, Measure, Question, Run, Stop};

use super::error::Result;
use super::inputs::Inputs;
use super::outcome::Barycenter;
use super::plans::PlanMaker;

/// The point at `t` of the curve along the plan between two clouds of weights `1 - t` and `t`.
///
/// ```text
/// F = (1 - t) W_2^2(mu(t), mu_0) + t W_2^2(mu(t), mu_1) <= t (1 - t) cost,   with equality for the cheapest plan
/// ```
///
/// No cloud is below `t (1 - t) W_2^2(mu_0, mu_1)`, so that along the cheapest plan this is the barycenter itself.
pub(super) fn geodesic(inputs: &Inputs<'_>, maker: &PlanMaker<'_>, run: &mut Run<'_>) -> Result<Barycenter> {
    let [source, target] = [inputs.clouds[0], inputs.clouds[1]];
    let t = inputs.weights[1];
    let question = Question::new(source, target)?;
    maker.validate(question.sizes())?;
    let found = maker.between(&question, run)?;
    let (story, stop) = (found.story.clone(), found.stop);
    // Some methods report another cost than that of their plan.
    let cost = found.plan()?.cost(source, target, &SqEuclidean)?;
    let lower_bound = found.lower_bound.filter(|_| run.bounds).map(|bound| t * (1.0 - t) * bound.min(cost));
    let curve = Geodesic::new(source, target, found.into_plan()?)?;
    let support = curve.at(t)?;
    let plans = [true, false].map(|is_source| end(curve.coupling(), is_source));
    let plans = plans.into_iter().collect::<Result<Vec<Coupling>>>()?;
    Ok(Barycenter {
        weights: inputs.all_weights.clone(),
        objective: t * (1.0 - t) * cost,
        lower_bound,
        costs: inputs.spread(vec![t * t * cost, (1.0 - t) * (1.0 - t) * cost]),
        plans: inputs.spread(plans),
        steps: Vec::new(),
        is_geodesic: true,
        method: maker.method().name,
        stop,
        story: format!("two clouds: the geodesic of their plan at t = {t}; the plan: {story}"),
        support,
    })
}

/// The plan from the pieces of a plan to the points that they come from, or go to.
fn end(coupling: &Coupling, is_source: bool) -> Result<Coupling> {
    let count = if is_source { coupling.source_len() } else { coupling.target_len() };
    let ends = coupling.entries().map(|(i, j, _)| (if is_source { i } else { j }) as u32);
    if coupling.is_matching() {
        return Ok(Coupling::from_map(ends.collect())?);
    }
    let masses = coupling.entries().map(|(_, _, mass)| mass).collect();
    let entries = Coo { sources: (0..coupling.len() as u32).collect(), targets: ends.collect(), masses };
    Ok(Coupling::sparse(coupling.len(), count, entries)?)
}

/// The only cloud that has a weight.
pub(super) fn alone(inputs: &Inputs<'_>, maker: &PlanMaker<'_>) -> Result<Barycenter> {
    let cloud = inputs.clouds[0];
    let n = cloud.len() as u32;
    let support = Measure::from_vec(cloud.points().to_vec(), cloud.dim())?;
    let (support, plan) = match cloud.weights() {
        None => (support, Coupling::from_map((0..n).collect())?),
        Some(weights) => {
            let [sources, targets] = [0, 1].map(|_| (0..n).collect());
            let plan = Coo { sources, targets, masses: weights.to_vec() };
            (support.with_weights(weights)?, Coupling::sparse(cloud.len(), cloud.len(), plan)?)
        }
    };
    Ok(Barycenter {
        support,
        weights: inputs.all_weights.clone(),
        objective: 0.0,
        lower_bound: Some(0.0),
        costs: inputs.spread(vec![0.0]),
        plans: inputs.spread(vec![plan]),
        steps: Vec::new(),
        is_geodesic: true,
        method: maker.method().name,
        stop: Stop::ClosedForm,
        story: "one cloud has all the weight: it is the barycenter".to_string(),
    })
}
