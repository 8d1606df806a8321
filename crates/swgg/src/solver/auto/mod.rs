//! The default solver.

mod goal;
mod line;

use std::time::{Duration, Instant};

use self::line::on_a_line;
use super::compiled::{Compiled, run_compiled};
use super::embedding::places;
use super::ground::with_ground;
use super::partial::{DISCARD_COST, MASS, MASS_SOURCE, MASS_TARGET};
use super::{Builder, Estimate, Method, Solver, bounding, optimal};
use crate::answer::{Bounding, CostIs, Fact, Remark, Transport, counted};
use crate::dual::has_prices;
use crate::ensemble::improve::{Improvable, Schedule, improvable};
use crate::error::{ErrorKind, Result};
use crate::exact::{Start, from_start, paid};
use crate::flow::Goal;
use crate::line::direction::Direction;
use crate::measure::{Measure, pairable};
use crate::number::scalar::Scalar;
use crate::paper::slices::{InMemory, Slices};
use crate::plan::coupling::Coupling;
use crate::question::{Ground, Question, Sizes};
use crate::run::Run;
use crate::run::stop::Stop;
use crate::run::workers::Workers;
use crate::setting::{Setting, Settings};

/// How hard to try.
pub const EFFORT: Setting = Setting::count("effort", 1, 10)
    .help("E", "from 1, a quick look, to 10, close to the optimum [default: 5]");
/// Time instead of effort; it is the deadline of the run.
pub const TIME_LIMIT: Setting = Setting::number("time_limit")
    .flag("time-limit")
    .help(
        "SECONDS",
        "instead of an effort, time for the plan and its lower bound: the best by then, which depends on the machine",
    )
    .instead_of("effort");
/// A proof to stop at; it is the gap of the run.
pub const GAP: Setting = Setting::number("gap").help(
    "SHARE",
    "stop as soon as the plan is certified to be within this share of the optimum, such as 0.01 for 1 %",
);

/// A plan between two clouds with the default settings: start here, unless there is a reason to take another one; see [`Auto`].
///
/// ```
/// use swgg::Measure;
/// let source = Measure::from_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2)?;
/// let target = Measure::from_slice(&[3.0, 1.0, 3.0, 0.0, 4.0, 0.0], 2)?;
/// let found = swgg::solve(&source, &target)?;
/// assert_eq!(found.cost, 9.0);
/// assert!(found.gap() <= Some(1e-12)); // proven optimal, up to rounding
/// assert_eq!(found.plan()?.target_of(0), Some(1));
/// # Ok::<(), swgg::Error>(())
/// ```
pub fn solve<T: Scalar>(source: &Measure<T>, target: &Measure<T>) -> Result<Transport> {
    Auto::default().solve(source, target)
}

/// The default solver: exact where that is cheap, otherwise many lines made into one plan.
///
/// - A cloud on a line, or dimension one: the closed form, which is exact.
/// - Small problems ([`is_exact`](Auto::is_exact)): exact transport; with a time limit, as far as the time goes.
/// - Otherwise trees with a line per cell are grown and merged, and the plan is refined by exact transport inside small blocks of
///   neighbouring pairs, in stages. More effort means more stages of the same schedule, so with the same seed the cost never rises
///   with the effort. `O(n log n)` time a stage, `O(n)` memory.
/// - With the effort of 5 and more, a gap to stop at or enough time, an auction among the cheapest targets then brings the
///   plan as close to the optimum as is asked for, with prices that prove it: in dimension 2 to 8, and for matchings of up to 16 384 points in
///   more dimensions, where it holds a number for every pair of points. From dimension 128 on it is quicker than trees, and taken at any effort.
/// - At other costs than squared distances trees and passes only begin; the auction knows the cost that is asked for.
///
/// ```
/// use swgg::{Auto, Measure, Question, Run, Solver};
/// # let points: Vec<f64> = (0..3000).map(|k| f64::from(k * k % 1009)).collect();
/// # let source = Measure::from_slice(&points[..1500], 3)?;
/// # let target = Measure::from_slice(&points[1500..], 3)?;
/// let question = Question::new(&source, &target)?;
/// let plan = Auto { effort: 2 }.answer(&question, &mut Run::seeded(7))?;
/// println!("{}: at most {:.1} % above the optimum", plan.story, 100.0 * plan.gap().unwrap_or(f64::INFINITY));
/// assert!(plan.lower_bound.is_some_and(|bound| bound <= plan.cost));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Auto {
    /// From 1, a quick look, to 10, close to the optimum. A run with a deadline uses its time instead.
    pub effort: u8,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { effort: 5 }
    }
}

/// The schedule: trees to merge and passes to make, effort by effort; each goes on where the one before it ended.
const STAGES: [(usize, usize); 10] =
    [(3, 1), (0, 5), (8, 2), (0, 3), (12, 3), (0, 5), (24, 6), (0, 10), (32, 16), (0, 32)];
/// What a deadline goes on with when all stages are done.
const FURTHER_STAGE: (usize, usize) = (16, 16);
/// Stages before the exact solver is tried within a time limit.
const STAGES_BEFORE_EXACT: usize = 4;
/// Stages before candidates and auctions take over, with the effort that asks for them and above.
const STAGES_BEFORE_AUCTION: usize = 4;
/// Points of a side up to which the exact solver is taken in any dimension.
const MAX_EXACT_POINTS: usize = 2500;
/// Units of [`work`] up to which it is taken, with the effort of 5 or more and below.
const MAX_EXACT_WORK: [f64; 2] = [2.5e8, 1.2e7];
/// Seconds for a unit of work, on the slow side.
const SECONDS_PER_WORK: f64 = 1.5e-9;

/// What exact transport takes grows like this, from case to case.
fn work(sizes: Sizes) -> f64 {
    sizes.n as f64 * sizes.m as f64 * (8 + sizes.d) as f64
}

/// Steps of the first stages, the first tree included.
fn steps(stages: usize) -> usize {
    1 + STAGES[..stages].iter().map(|(trees, passes)| trees + passes).sum::<usize>()
}

impl Builder for Auto {
    const METHOD: Method = Method {
        settings: &with_ground::<7, 16>([
            &EFFORT,
            &TIME_LIMIT,
            &GAP,
            &MASS,
            &MASS_SOURCE,
            &MASS_TARGET,
            &DISCARD_COST,
        ]),
        is_proved_by_prices: true,
        ..Method::new(
            "auto",
            "Transport",
            "Exact where that is cheap, otherwise many lines made into one plan",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        let effort = settings.count(&EFFORT).and_then(|effort| u8::try_from(effort).ok());
        Ok(Auto { effort: effort.unwrap_or(Auto::default().effort) })
    }
}

impl<T: Scalar> Solver<T> for Auto {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, _: Sizes) -> Result<()> {
        let effort = self.effort;
        if (1..=10).contains(&effort) { Ok(()) } else { Err(ErrorKind::BadEffort { effort }.into()) }
    }

    fn estimate(&self, sizes: Sizes, run: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        let seconds = match run.deadline {
            None if self.is_exact(sizes, false) => {
                let bytes = Estimate::ensemble(sizes, 0.0, run).bytes;
                return Estimate { seconds: Estimate::exact_seconds(n, m, d), bytes };
            }
            None => {
                let stages = usize::from(self.effort.clamp(1, 10));
                Estimate::steps_seconds(sizes, steps(stages) as f64, run)
            }
            Some(deadline) => deadline.saturating_duration_since(Instant::now()).as_secs_f64(),
        };
        let estimate = Estimate::ensemble(sizes, seconds, run);
        let bytes = estimate.bytes.max(optimal::dense_bytes(sizes));
        Estimate { bytes, ..estimate }
    }

    fn unit(&self, sizes: Sizes, run: &Run<'_>) -> &'static str {
        // Trees and passes, or what exact transport counts.
        let looks_at_all =
            run.deadline.is_none() && self.is_exact(sizes, false) && !optimal::are_at_scale(sizes);
        if looks_at_all { "sources in order" } else { "steps" }
    }

    run_compiled! {
        /// The observer is told about trees and passes, and may stop: then the best plan so far is the answer.
        Auto
    }
}

impl Compiled for Auto {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        if let Ground::Matrix(_) = question.ground() {
            // All pairs are there already, and trees know points only.
            return self.exact(question, Start::default(), run);
        }
        if let Some(mut done) = on_a_line(question)? {
            done.facts.extend(self.effort_fact(run));
            return Ok(done);
        }
        if let Some(goal) = self.goal(question, run) {
            return self.auctioned(question, goal, run);
        }
        let sizes = question.sizes();
        let limit = run.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let is_exact =
            self.looks_at_all(sizes, limit.is_some() || !question.is_squared() && run.gap.is_some(), limit);
        if is_exact && limit.is_none() {
            return self.exact(question, Start::default(), run);
        }
        let found = self.refined(question, limit.filter(|_| is_exact), run)?;
        if is_exact && found.stop != Stop::Interrupted {
            // There is time for the optimum, or there is not.
            let start = Start { plan: Some(found.plan()?), potentials: None };
            let best = self.exact(question, start, run)?;
            // An optimum that was reached is proved, even where rounding puts it above a plan that is as good.
            let is_done = !matches!(best.stop, Stop::Interrupted | Stop::TimeLimit);
            if is_done || best.cost <= found.cost {
                return Ok(best);
            }
            return Ok(Transport { stop: best.stop, ..found });
        }
        Ok(found)
    }
}

/// The plan of one line, where there is no time for a tree.
fn hurried<T: Scalar>(
    question: &Question<'_, T>,
    (source, target): (&Measure<T>, &Measure<T>),
    run: &Run<'_>,
) -> Result<Option<Transport>> {
    let Some(deadline) = run.deadline else { return Ok(None) };
    let sizes = Sizes { n: source.len(), m: target.len(), d: source.dim() };
    let left = deadline.saturating_duration_since(Instant::now()).as_secs_f64() + SPARE_SECONDS;
    // Plans that split points take longer.
    let steps = if pairable(source, target) { 2.0 } else { 8.0 };
    if Estimate::steps_seconds(sizes, steps, run) <= left {
        return Ok(None);
    }
    let slices = InMemory::with_parallelism(source, target, run.parallelism)?;
    let shift: Vec<f64> = source.mean().iter().zip(target.mean()).map(|(m, n)| n - m).collect();
    let theta = match sizes.d {
        // The widest axis tells more, where finding it takes no time.
        0..=MAX_HURRIED_DIM => slices.axes()?.get(0),
        d => Direction::new(&shift).or_else(|_| Direction::axis(d, 0))?,
    };
    let coupling = slices.coupling(&theta)?;
    let cost = paid(question, &coupling)?;
    let story = "the plan of one line: there was no time for a tree".to_string();
    Ok(Some(Transport {
        coupling: Some(coupling),
        steps: 1,
        stop: Stop::TimeLimit,
        remarks: vec![Remark::new("method", story.clone())],
        bounding: Bounding::Prices,
        exponent: question.exponent(),
        ..answer(cost, "refined", (0, 0), story)
    }))
}

/// Seconds after the deadline that a first tree may end.
const SPARE_SECONDS: f64 = 0.2;
/// Dimension up to which principal axes are found in a hurry.
const MAX_HURRIED_DIM: usize = 64;

impl Auto {
    /// Trees, merged and refined, stage by stage; only some, in half of the time, if exact transport is to follow within this time.
    pub(super) fn refined<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        exact_within: Option<Duration>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let (is_brief, deadline) = (exact_within.is_some(), run.deadline);
        let stages = match deadline {
            _ if is_brief => STAGES_BEFORE_EXACT,
            Some(_) => STAGES.len(),
            None => usize::from(self.effort),
        };
        // Half of the time is for the optimum.
        let half = exact_within.and_then(|limit| deadline?.checked_sub(limit / 2));
        self.staged(question, stages, deadline.is_some() && !is_brief, half, run)
    }

    /// The first stages of the schedule; goes on as long as it gains, if told so. Trees and passes know squared distances, at other costs
    /// those of places that resemble them: then the answer is the plan that costs least after any stage.
    fn staged<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        stages: usize,
        goes_on: bool,
        half: Option<Instant>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let places = places(question)?;
        let (source, target) = match &places {
            Some([source, target]) => (source, target),
            None => (question.source(), question.target()),
        };
        if let Some(hurried) = hurried(question, (source, target), run)? {
            return Ok(self.with_effort(hurried, run));
        }
        let workers = Workers::new(run.parallelism)?;
        let began = Instant::now();
        let mut improvable = improvable(source, target, run.seed, &workers)?;
        // The first tree, a line and their merge take about as long as three steps.
        let step = began.elapsed() / 3;
        // Some of the time is for the bound.
        let sizes = Sizes { n: source.len(), m: target.len(), d: source.dim() };
        let deadline = run.deadline.and_then(|deadline| deadline.checked_sub(bounding::quick(sizes, run)));
        let mut schedule = Schedule::new(run, half.or(deadline), steps(stages)).expecting(step);
        let (mut gained, mut best) = (true, Cheapest::default());
        for (trees, passes) in STAGES[..stages].iter().copied() {
            gained = schedule.stage(&mut *improvable, trees, passes);
            best.meet(question, &*improvable)?;
        }
        while goes_on && schedule.stop.is_none() && gained {
            gained = schedule.stage(&mut *improvable, FURTHER_STAGE.0, FURTHER_STAGE.1);
            best.meet(question, &*improvable)?;
        }
        let (trees, passes) = (schedule.trees, schedule.passes);
        let stop = schedule.stop.unwrap_or(if gained { Stop::AllTried } else { Stop::Converged });
        let (cost, coupling) = best.plan(question, &*improvable)?;
        let mut story =
            format!("{} merged, then {} of refinement", counted(trees, "tree"), counted(passes, "pass"));
        if !question.is_squared() {
            story.push_str(" at squared distances");
            if !has_prices(question) {
                story.push_str("; so many points have no bound at this cost");
            }
        }
        let found = Transport {
            coupling: Some(coupling),
            steps: trees + passes,
            stop: run.reason(stop),
            remarks: vec![Remark::new("method", story.clone())],
            bounding: Bounding::Prices,
            exponent: question.exponent(),
            ..answer(cost, "refined", (trees, passes), story)
        };
        Ok(self.with_effort(found, run))
    }

    /// Some stages, then candidates and auctions until the goal is reached.
    fn auctioned<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        goal: Goal,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        // What takes much longer than the stages begins with all of them: then more effort never costs more.
        let is_quick = optimal::is_quick(question) || run.deadline.is_some() || goal != Goal::Optimal;
        let stages = match is_quick {
            _ if optimal::is_dense(question) && optimal::trees_are_slow(question.sizes()) => 0,
            true => STAGES_BEFORE_AUCTION,
            false => usize::from(self.effort),
        };
        let start = self.staged(question, stages, false, None, run)?;
        let [trees, passes] = ["trees", "passes"].map(|name| start.number(name).unwrap_or(0.0) as usize);
        let found = optimal::pursued(question, start, goal, run)?;
        let end = match (goal, found.stop) {
            (_, Stop::Interrupted | Stop::TimeLimit) => "an auction".to_string(),
            (Goal::Optimal, _) => "an auction to the optimum".to_string(),
            (Goal::Gap(gap) | Goal::AuctionedGap(gap), _) if found.steps == 0 => {
                format!("prices that prove a gap of at most {} %", 100.0 * gap)
            }
            (Goal::Gap(gap), _) => format!("an auction until the gap was at most {} %", 100.0 * gap),
            (Goal::AuctionedGap(_), _) => "an auction".to_string(),
        };
        let story = format!("{}, {}, then {end}", counted(trees, "tree"), counted(passes, "pass"));
        let said = answer(found.cost, "auction", (trees, passes), story.clone());
        let remarks = vec![Remark::new("method", story.clone())];
        // Steps are those of trees and passes.
        let steps = trees + passes;
        Ok(self.with_effort(Transport { story, facts: said.facts, remarks, steps, ..found }, run))
    }

    /// The effort, unless there was a time limit instead.
    fn effort_fact(&self, run: &Run<'_>) -> Option<(&'static str, Fact)> {
        run.deadline.is_none().then_some(("effort", Fact::Count(usize::from(self.effort))))
    }

    /// Says how much effort or time there was.
    fn with_effort(&self, mut found: Transport, run: &Run<'_>) -> Transport {
        let (effort, seed) = (self.effort, run.seed);
        found.facts.extend(self.effort_fact(run));
        if run.deadline.is_none() {
            found.remarks.push(Remark::new("", format!("effort {effort} of 10, seed {seed}")));
        }
        found
    }

    /// Whether a problem is solved exactly: at the default effort and above, and within a time limit, up to 2500 points a side, and
    /// about 4500 in low dimensions; below it, up to about 1000 in low dimensions.
    pub fn is_exact(&self, sizes: Sizes, has_time_limit: bool) -> bool {
        let (work, few) = (work(sizes), sizes.n.max(sizes.m) <= MAX_EXACT_POINTS);
        let is_patient = self.effort >= 5 || has_time_limit;
        work <= MAX_EXACT_WORK[usize::from(!is_patient)] || (is_patient && few)
    }

    fn exact<T: Scalar>(
        &self,
        question: &Question<'_, T>,
        start: Start<'_>,
        run: &mut Run<'_>,
    ) -> Result<Transport> {
        let found = from_start(question, start, run)?;
        let Sizes { n, m, .. } = question.sizes();
        let stop = run.reason(found.stop);
        let story = match stop {
            Stop::Interrupted | Stop::TimeLimit => {
                format!("exact transport of {n} points to {m}, stopped before the end")
            }
            _ => format!("exact transport of {n} points to {m}"),
        };
        let mut facts = answer(found.cost, "exact", (0, 0), String::new()).facts;
        facts.extend(self.effort_fact(run));
        let remarks = vec![Remark::new("method", story.clone())];
        // Steps are those of trees and passes.
        Ok(Transport { method: "auto", stop, steps: 0, story, facts, remarks, ..found })
    }
}

/// What all answers of this solver say: which part of it found the plan, and what that took.
fn answer(cost: f64, solver: &str, (trees, passes): (usize, usize), story: String) -> Transport {
    let facts = vec![
        ("solver", Fact::Text(solver.into())),
        ("trees", Fact::Count(trees)),
        ("passes", Fact::Count(passes)),
    ];
    Transport { facts, story, ..Transport::new("auto", cost, CostIs::Upper) }
}

/// The cheapest plan after any stage, where stages look at another cost than the one asked for.
#[derive(Default)]
struct Cheapest(Option<(f64, Coupling)>);

impl Cheapest {
    fn meet<T: Scalar>(&mut self, question: &Question<'_, T>, at: &dyn Improvable) -> Result<()> {
        if !question.is_squared() {
            let coupling = at.coupling();
            let cost = paid(question, &coupling)?;
            if self.0.as_ref().is_none_or(|best| cost < best.0) {
                self.0 = Some((cost, coupling));
            }
        }
        Ok(())
    }

    /// With what it costs.
    fn plan<T: Scalar>(self, question: &Question<'_, T>, at: &dyn Improvable) -> Result<(f64, Coupling)> {
        if let Some(best) = self.0 {
            return Ok(best);
        }
        let coupling = at.coupling();
        Ok((paid(question, &coupling)?, coupling))
    }
}
