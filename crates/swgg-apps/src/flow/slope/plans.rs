//! Losses that are what a plan costs.

use std::ops::ControlFlow;

use swgg::cost::{Cost, SqEuclidean};
use swgg::exact::{Start, from_start};
use swgg::line::{Direction, DirectionSet};
use swgg::ndarray::{Axis, aview1};
use swgg::paper::settings::{SEARCH, START, owners};
use swgg::paper::{Arc, Blur, InMemory, SearchSpec, Slices, Smoothed};
use swgg::setting::{Settings, Value};
use swgg::{Auto, CostIs, Coupling, Measure, Question, Solver, Stop, Transport};

use super::{Slope, Sloped, Turn};
use crate::flow::error::Result;

/// `min-SWGG_2^2`: the plan of the best direction found.
pub(super) struct BestLine {
    search: Settings,
    warm: bool,
    last: Option<Direction>,
    /// What the search is called.
    name: Option<&'static str>,
}

impl BestLine {
    pub fn new(search: Settings, warm: bool) -> Self {
        BestLine { search, warm, last: None, name: None }
    }

    /// The settings of the search, from the last direction if there is one.
    fn settings(&self, last: Option<&Direction>) -> Result<Settings> {
        let mut settings = self.search.clone();
        let Some(last) = last else { return Ok(settings) };
        // Unnamed, it is Stein's from dimension 3 on; said so, it can be given a start.
        if settings.given().next().is_none() && last.dim() > 2 {
            settings.set(&SEARCH, Value::Word("stein".into()))?;
        }
        if settings.word(&SEARCH).is_some_and(|name| owners(&START).contains(&name)) {
            settings.set(&START, Value::Vector(last.as_slice().to_vec()))?;
        }
        Ok(settings)
    }
}

impl Slope for BestLine {
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped> {
        let slices = InMemory::with_parallelism(mu, nu, turn.parallelism)?;
        let last = self.last.take().filter(|_| self.warm);
        let known = KnownWay { slices: &slices, last: last.as_ref() };
        let spec = SearchSpec::new(self.settings(last.as_ref())?)?;
        let (name, found) = spec.run(&known, turn.seed, &mut turn.run())?;
        self.name = Some(name);
        // A search that takes no start does not know the last direction.
        let best = match last {
            Some(last) if slices.cost(&last)? <= found.cost => last,
            _ => found.theta,
        };
        let sloped = of_plan(&slices.coupling(&best)?, mu, nu);
        self.last = Some(best);
        Ok(sloped)
    }

    fn search(&self) -> Option<&'static str> {
        self.name
    }
}

/// Slices whose one axis is the direction of the step before, once there is one: in high dimension principal axes take longer than all the rest.
struct KnownWay<'a, 'b> {
    slices: &'a InMemory<'b, f64>,
    last: Option<&'a Direction>,
}

impl Slices for KnownWay<'_, '_> {
    fn dim(&self) -> usize {
        self.slices.dim()
    }

    fn costs(&self, thetas: &DirectionSet) -> swgg::Result<Vec<f64>> {
        self.slices.costs(thetas)
    }

    fn coupling(&self, theta: &Direction) -> swgg::Result<Coupling> {
        self.slices.coupling(theta)
    }

    fn smoothed(&self, thetas: &DirectionSet, blur: &Blur) -> swgg::Result<Vec<Smoothed>> {
        self.slices.smoothed(thetas, blur)
    }

    fn axes(&self) -> swgg::Result<DirectionSet> {
        match self.last {
            Some(last) => DirectionSet::from_rows(aview1(last.as_slice()).insert_axis(Axis(0))),
            None => self.slices.axes(),
        }
    }

    fn turns(&self) -> swgg::Result<usize> {
        self.slices.turns()
    }

    fn turn(&self, visit: &mut dyn FnMut(Arc) -> ControlFlow<()>) -> swgg::Result<()> {
        self.slices.turn(visit)
    }

    fn batch_len(&self) -> usize {
        self.slices.batch_len()
    }
}

/// The plan of the default solver.
pub(super) struct Cheapest {
    auto: Auto,
    last: Option<Transport>,
}

impl Cheapest {
    pub fn new(effort: u8) -> Self {
        Cheapest { auto: Auto { effort }, last: None }
    }
}

impl Slope for Cheapest {
    fn at(&mut self, mu: &Measure<f64>, nu: &Measure<f64>, turn: &Turn) -> Result<Sloped> {
        let question = Question::new(mu, nu)?;
        let run = &mut turn.run();
        Solver::<f64>::validate(&self.auto, question.sizes())?;
        // What is solved exactly anyway is solved from the plan of the step before.
        let is_exact = self.auto.is_exact(question.sizes(), false);
        let found = match is_exact {
            true => from_start(&question, Start::after(self.last.as_ref()), run)?,
            false => self.auto.answer(&question, run)?,
        };
        let is_whole = !matches!(found.stop, Stop::Interrupted | Stop::TimeLimit);
        let is_optimal = is_whole && (is_exact || found.cost_is == CostIs::Optimal);
        let sloped = Sloped { is_optimal, ..of_plan(found.plan()?, mu, nu) };
        self.last = Some(found);
        Ok(sloped)
    }
}

/// What a plan costs, `sum pi_ij |x_i - y_j|^2`, and its gradient `2 sum_j pi_ij (x_i - y_j)`.
fn of_plan(plan: &Coupling, mu: &Measure<f64>, nu: &Measure<f64>) -> Sloped {
    let d = mu.dim();
    let mut gradient = vec![0.0; mu.points().len()];
    // Sums of blocks lose less than one long sum.
    let (mut loss, mut block) = (0.0, 0.0);
    for (k, (i, j, mass)) in plan.entries().enumerate() {
        let (x, y) = (mu.point(i), nu.point(j));
        block += mass * SqEuclidean.between(x, y);
        for ((g, x), y) in gradient[i * d..(i + 1) * d].iter_mut().zip(x).zip(y) {
            *g += 2.0 * mass * (x - y);
        }
        if k % 1024 == 1023 {
            loss += std::mem::take(&mut block);
        }
    }
    Sloped { loss: loss + block, gradient, is_optimal: false }
}
