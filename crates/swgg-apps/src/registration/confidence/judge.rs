//! How sure one may be of a pose: what is true.

use swgg::ndarray::{Array2, Axis};
use swgg::{Parallelism, Question, Run, Solver, Trees};

use crate::registration::agreement::Agreement;
use crate::registration::cloud::{Cloud, measure};
use crate::registration::error::Result;
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::inputs::Inputs;
use crate::registration::matcher::{Limits, NearestNeighbors, iterate};
use crate::registration::motion::Motion;
use crate::registration::pairs::Pairs;
use crate::registration::refinement::Refined;
use crate::registration::settings::Settings;
use crate::registration::start::{Candidates, SAME_POSE};

use super::Confidence;

/// A point within so many squared spacings lies on the target.
const ON_SPACINGS: f64 = 4.0;
/// Less than this share of the source on the target is doubtful.
const ENOUGH_SHARE: f64 = 0.8;
/// And less than this is nothing found.
const LITTLE_SHARE: f64 = 0.4;
/// Where clouds overlap in part, at least so much of what was matched has to agree.
const AGREED_SHARE: f64 = 0.6;
/// Clouds that differ this much more than two halves of the target are not of one shape.
const UNLIKE: f64 = 2.5;
/// What of a cost is nothing, against the squared size of the cloud.
const NOTHING: f64 = 1e-16;
/// A rival whose score is more than this many times that of the answer is none.
const RIVAL_SCORE_RATIO: f64 = 2.0;
/// A rival of clouds that overlap in part agrees with the target as much as the answer does, but for this factor.
const RIVAL_AGREEMENT_RATIO: f64 = 1.1;
/// How far rivals are refined before they are compared.
const RIVAL_LIMITS: Limits = Limits { steps: 10, tolerance: 1e-3 };
/// Points of both halves when the fit as a whole is judged.
const JUDGED_POINTS: usize = 2048;

/// Looks at an answer again, beside other poses.
pub(in crate::registration) struct Judge<'a> {
    pub inputs: &'a Inputs<'a>,
    pub thinned: &'a IndexedPair,
}

/// Candidates that end in another pose than the answer.
#[derive(Default)]
struct Rivals {
    /// How far from the answer those are that fit as well.
    apart: Vec<f64>,
    /// The best score of those that fit worse, against that of the answer.
    ratio: Option<f64>,
}

impl Rivals {
    /// What there is to say if some fit as well.
    fn ambiguous(&self) -> Option<Confidence> {
        let apart = self.apart.iter().copied().reduce(f64::min)?;
        Some(Confidence::Ambiguous { rivals: self.apart.len(), apart })
    }
}

impl Judge<'_> {
    /// Where nobody looked elsewhere.
    pub fn alone(&self, answer: &Refined) -> Result<Confidence> {
        Ok(Confidence::Local { close: self.close(&answer.motion)? })
    }

    /// Among the candidates it was chosen from; if somebody is in a hurry they are not refined.
    pub fn among(&self, candidates: &Candidates, answer: &Refined, is_hurried: bool) -> Result<Confidence> {
        match self.inputs.settings.is_partial() {
            true => self.in_part(candidates, answer, is_hurried),
            false => self.as_a_whole(candidates, answer, is_hurried),
        }
    }

    /// Of clouds that correspond as a whole.
    fn as_a_whole(&self, candidates: &Candidates, answer: &Refined, is_hurried: bool) -> Result<Confidence> {
        let close = self.close(&answer.motion)?;
        let nothing = NOTHING * self.inputs.target.size().powi(2);
        let is_exact = answer.cost <= nothing;
        // Poses that do not fit are not as good as each other: none is good.
        if !is_exact && close < LITTLE_SHARE {
            return Ok(Confidence::NotFound { close });
        }
        if !is_exact && close < ENOUGH_SHARE {
            return Ok(Confidence::Doubtful { close });
        }
        let rivals = match is_hurried {
            true => Rivals::default(),
            false => self.rivals(candidates, answer, nothing)?,
        };
        // Clouds of two shapes fit nowhere: that several poses are as bad as each other says nothing.
        if !is_exact {
            let times = self.misfit(&answer.motion)?;
            if times > UNLIKE {
                return Ok(Confidence::Unlike { times });
            }
        }
        if let Some(ambiguous) = rivals.ambiguous() {
            return Ok(ambiguous);
        }
        let ratio = if is_exact { None } else { rivals.ratio.or_else(|| candidates.ratio()) };
        Ok(Confidence::Clear { ratio })
    }

    /// Of clouds that overlap in part: a pose is found if as much of the source agrees with the target as was matched.
    fn in_part(&self, candidates: &Candidates, answer: &Refined, is_hurried: bool) -> Result<Confidence> {
        let workers = &self.inputs.workers;
        let agreement = Agreement::new(self.thinned, workers)?;
        let [close, back] = agreement.shares(&answer.motion, workers)?;
        if close < AGREED_SHARE * answer.overlap {
            return Ok(Confidence::NotFound { close: close.min(1.0) });
        }
        let mut rivals = Rivals::default();
        if !is_hurried {
            let mut worse = f64::INFINITY;
            for rival in candidates.rivals(0.0) {
                let apart = self.inputs.source.apart(rival, &answer.motion);
                if apart > SAME_POSE {
                    let ratio = (close + back) / agreement.of(rival, workers)?;
                    if ratio <= RIVAL_AGREEMENT_RATIO {
                        rivals.apart.push(apart);
                    } else {
                        worse = worse.min(ratio);
                    }
                }
            }
            rivals.ratio = Some(worse).filter(|worse| worse.is_finite());
        }
        let clear = Confidence::Clear { ratio: rivals.ratio.or_else(|| candidates.ratio()) };
        Ok(rivals.ambiguous().unwrap_or(clear))
    }

    /// Share of the source on the target.
    fn close(&self, pose: &Motion) -> Result<f64> {
        let limit_sq = ON_SPACINGS * self.thinned.spacing_sq;
        self.thinned.share_within(pose, limit_sq, &self.inputs.workers)
    }

    /// Candidates about as cheap as the best one, after some steps; costs up to `nothing` are rounding.
    fn rivals(&self, candidates: &Candidates, answer: &Refined, nothing: f64) -> Result<Rivals> {
        let mut rivals = Rivals::default();
        let mut asked = candidates.rivals(nothing).peekable();
        if asked.peek().is_none() {
            return Ok(rivals);
        }
        let is_exact = answer.cost <= nothing;
        let score = self.neighbors().pairs(&answer.motion)?.score;
        let mut worse = f64::INFINITY;
        for rival in asked {
            let (pose, pairs) = self.refined(rival.clone())?;
            let apart = self.inputs.source.apart(&pose, &answer.motion);
            if apart > SAME_POSE {
                // Beside a fit that leaves nothing, only another one is as good.
                match pairs.score <= RIVAL_SCORE_RATIO * score && (!is_exact || pairs.cost <= nothing) {
                    true => rivals.apart.push(apart),
                    false => worse = worse.min(pairs.score / score),
                }
            }
        }
        rivals.ratio = Some(worse).filter(|worse| worse.is_finite());
        Ok(rivals)
    }

    fn neighbors(&self) -> NearestNeighbors<'_> {
        let Settings { group, overlap, .. } = *self.inputs.settings;
        NearestNeighbors::new(self.thinned, group, overlap, &self.inputs.workers)
    }

    /// A rival after some steps to its neighbours, and its pairs there.
    fn refined(&self, mut pose: Motion) -> Result<(Motion, Pairs)> {
        let mut some = self.neighbors().every(self.thinned.coarse());
        iterate(&mut some, &self.inputs.source, &mut pose, RIVAL_LIMITS, None)?;
        let pairs = self.neighbors().pairs(&pose)?;
        Ok((pose, pairs))
    }

    /// What transport between halves of samples of the clouds costs at a pose, against that between two halves of the target.
    fn misfit(&self, pose: &Motion) -> Result<f64> {
        let Inputs { source, target, settings, workers } = self.inputs;
        let seed = settings.seed;
        let half = JUDGED_POINTS.min(source.len()).min(target.len()) / 2;
        let moved = pose.apply(source.sample(half, seed).view());
        let both = target.sample(2 * half, seed ^ 1);
        let order = Cloud::shuffled(both.nrows(), seed);
        let halves = [&order[..half], &order[half..2 * half]].map(|rows| both.select(Axis(0), rows));
        let cost = |points: &Array2<f64>| -> Result<f64> {
            let (points, half) = (points.view(), halves[0].view());
            let (source, target) = (measure(&points)?, measure(&half)?);
            let mut run = Run { seed, parallelism: Parallelism::Serial, bounds: false, ..Run::default() };
            Ok(Trees { trees: 8 }.answer(&Question::new(&source, &target)?, &mut run)?.cost)
        };
        let (within, between) = workers.join(|| cost(&halves[1]), || cost(&moved));
        let (within, between) = (within?, between?);
        Ok(if within > 0.0 { between / within } else { 1.0 })
    }
}
