//! Registration of two clouds.

use std::time::Instant;

use swgg::{Auto, Measure, Observe, Scalar};

use super::climb::{Plan, Story, Transports, by_neighbors, by_planes, by_transport};
use super::cloud::Cloud;
use super::crew::Crew;
use super::error::{Error, Result};
use super::follow::Followed;
use super::motion::Motion;
use super::outcome::{Confidence, Registration, Seconds, Stop};
use super::pairs::{Known, Sides};
use super::planes::Normals;
use super::settings::{Matching, Overlap, Settings, Start};
use super::start::{self, Found};
use super::thin::thin;

/// Points of a cloud that take part in the last steps; more of them are thinned.
const LAST: usize = 11_000;
/// Transport brings the cloud this near, as a share of its size, before neighbours are taken.
const NEAR: f64 = 0.03;
/// Steps by transport before neighbours are taken.
const COARSE: usize = 10;
/// Neighbours bring the cloud this near before planes are taken.
const NEARER: f64 = 0.01;
/// Matches by transport this much farther than nearest neighbours are not those of the same points.
const FARTHER: f64 = 4.0;
/// Points nearer than this many grains, squared, are the same in both clouds.
const SAME: f64 = 0.1;
/// A point within so many grains, squared, lies on the target.
const ON: f64 = 4.0;
/// Less than this share of the source on the target is doubtful.
const ENOUGH: f64 = 0.8;
/// Clouds that differ this much more than two halves of the target are not of one shape.
const UNLIKE: f64 = 2.5;
/// What of a cost is nothing, against the squared size of the cloud.
const NOTHING: f64 = 1e-16;
/// A rival that costs this much more after all is none.
const TOLD: f64 = 2.0;

/// The motion that brings the source onto the target.
///
/// Points are matched and the best motion for the matches is fitted, in turn, until nothing moves (the paper's section on point cloud
/// registration). From a bad pose that ends in a wrong one, so unless a start is given many poses are tried first.
///
/// ```
/// use swgg::Measure;
/// use swgg_apps::registration::{Settings, align};
/// let source = Measure::from_slice(&[0.0, 0.0, 4.0, 0.0, 0.0, 1.0, 2.0, 0.5], 2)?;
/// // Turned by a quarter, and moved by (10, 20).
/// let target = Measure::from_slice(&[10.0, 20.0, 10.0, 24.0, 9.0, 20.0, 9.5, 22.0], 2)?;
/// let found = align(&source, &target, &Settings::default())?;
/// assert!(found.rms < 1e-9);
/// assert!((found.motion.translation[1] - 20.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Clouds of different dimension, of fewer than `d + 1` points or all in one place, and settings that make no sense.
pub fn align<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
) -> Result<Registration> {
    align_watched(source, target, settings, &mut ())
}

/// [`align`] with an observer, which is told about every step from the pose that was chosen, and may stop.
pub fn align_watched<T: Scalar>(
    source: &Measure<T>,
    target: &Measure<T>,
    settings: &Settings,
    watch: &mut dyn Observe,
) -> Result<Registration> {
    let clock = Instant::now();
    if source.dim() != target.dim() {
        let (source_dim, target_dim) = (source.dim(), target.dim());
        return Err(swgg::Error::from(swgg::ErrorKind::DimensionMismatch { source_dim, target_dim }).into());
    }
    settings.validate(source.dim())?;
    let crew = Crew::new(settings.parallelism)?;
    let both = crew.map(&[("source", source), ("target", target)], |(name, cloud)| Cloud::new(name, cloud));
    let mut both = both.into_iter();
    let (Some(source), Some(target)) = (both.next(), both.next()) else { return Err(Error::NoFit) };
    let (source, target) = (source?, target?);
    if let Overlap::Share(found) = settings.overlap {
        let points = source.len().min(target.len()).min(LAST);
        let (left, expected) = ((found * points as f64).round() as usize, source.dim() + 1);
        if left < expected {
            return Err(Error::FewLeft { found, left, points, expected });
        }
    }
    let (begin, found) = match &settings.start {
        Start::At(motion) => (motion.clone(), None),
        // The same points in the same order are where they belong.
        Start::Global if source.points == target.points => (Motion::identity(source.dim()), None),
        Start::Global => {
            let search = if settings.is_partial() { start::part } else { start::whole };
            let found = search(&source, &target, settings, &crew)?;
            (found.best()?, Some(found))
        }
    };
    let started = clock.elapsed().as_secs_f64();
    let story = Story {
        steps: Vec::new(),
        most: settings.max_steps,
        tolerance: settings.tolerance,
        watch,
        stop: None,
    };
    let mut work = Work { source: &source, target: &target, settings, crew: &crew, story, sides: None };
    let (motion, cost, overlap) = work.run(begin)?;
    let confidence = work.confidence(&motion, cost, overlap, found.as_ref())?;
    let stop = work.story.ending();
    let seconds = Seconds { start: started, iterate: clock.elapsed().as_secs_f64() - started };
    let steps = work.story.steps;
    Ok(Registration { motion, overlap, cost, rms: cost.sqrt(), steps, stop, confidence, seconds })
}

/// Two clouds and what is known about them.
struct Work<'a> {
    source: &'a Cloud,
    target: &'a Cloud,
    settings: &'a Settings,
    crew: &'a Crew,
    story: Story<'a>,
    /// Both clouds, thinned, made when they are needed.
    sides: Option<Sides>,
}

impl Work<'_> {
    /// From a pose to the end: the motion, the cost of its matches, the share that was matched.
    fn run(&mut self, begin: Motion) -> Result<(Motion, f64, f64)> {
        match self.settings.matching {
            _ if self.settings.is_partial() => self.polished(begin),
            Matching::Auto => self.mixed(begin),
            Matching::Nearest => self.nearest(begin),
            Matching::MinSwgg(_) | Matching::Exact => {
                let most = self.settings.max_steps;
                let (motion, cost) = self.transported(begin, self.settings.tolerance, most)?;
                Ok((motion, cost, 1.0))
            }
        }
    }

    /// Steps by transport plans.
    fn transported(&mut self, begin: Motion, tolerance: f64, most: usize) -> Result<(Motion, f64)> {
        let (source, target, settings, crew) = (self.source, self.target, self.settings, self.crew);
        let parallelism = crew.run(|parallelism| parallelism);
        let plan = Plan::Chosen(settings.matching);
        let transports =
            Transports { source, target, group: settings.group, plan, seed: settings.seed, parallelism };
        by_transport(&transports, begin, crew, tolerance, most, &mut self.story)
    }

    /// Transport until the cloud is near; then neighbours, unless the plan is better than they are.
    fn mixed(&mut self, begin: Motion) -> Result<(Motion, f64, f64)> {
        let size = (self.source.len(), self.target.len(), self.source.dim());
        let is_exact = Auto { effort: 1, ..Default::default() }.is_exact(size);
        let (near, most) = if is_exact { (self.settings.tolerance, usize::MAX) } else { (NEAR, COARSE) };
        let (motion, cost) = self.transported(begin, near, most)?;
        if self.story.stop.is_some() {
            return Ok((motion, cost, 1.0));
        }
        let pairs = self.pairs(&motion, Overlap::Share(1.0))?;
        if is_exact && cost <= FARTHER * pairs.cost {
            return Ok((motion, cost, 1.0));
        }
        self.polished(motion)
    }

    /// The paper's nearest neighbours: those of all points, one way.
    fn nearest(&mut self, begin: Motion) -> Result<(Motion, f64, f64)> {
        let clouds = [self.source, self.target];
        let sides = Sides::new(clouds, |cloud, _| cloud.points.clone(), usize::MAX, self.crew)?;
        let Settings { group, tolerance, max_steps, .. } = *self.settings;
        let how = (group, Overlap::Share(1.0), (false, 1));
        let (story, known) = (&mut self.story, &mut Known::default());
        let motion = by_neighbors(
            (&sides, self.source),
            (begin, known),
            how,
            self.crew,
            (tolerance, max_steps),
            story,
        )?;
        let pairs = self.crew.run(|parallelism| sides.pairs(&motion, how.1, how.2, parallelism))?;
        Ok((motion, pairs.cost, 1.0))
    }

    /// Nearest neighbours both ways, then planes where clouds are surfaces.
    fn polished(&mut self, begin: Motion) -> Result<(Motion, f64, f64)> {
        self.prepare()?;
        let Some(sides) = &self.sides else { return Err(Error::NoFit) };
        let Settings { group, overlap, tolerance, max_steps, .. } = *self.settings;
        let (clouds, how) = ((sides, self.source), (group, overlap, (true, 1)));
        let some = (group, overlap, (true, sides.sparse()));
        let first = (NEARER.max(tolerance), max_steps);
        let mut known = Known::default();
        let start = (begin, &mut known);
        let mut motion = by_neighbors(clouds, start, some, self.crew, first, &mut self.story)?;
        let near = self
            .crew
            .run(|parallelism| sides.pairs_after(&mut known, &motion, overlap, some.2, parallelism))?;
        let all = |motion: &Motion, mut known: Known| {
            self.crew.run(|parallelism| sides.pairs_after(&mut known, motion, overlap, how.2, parallelism))
        };
        // Much nearer than neighbours are to each other: the same points, about which planes know less.
        let is_same = near.cost <= SAME * sides.grain;
        let normals =
            if is_same || self.story.stop.is_some() { None } else { Normals::of(sides, self.crew)? };
        let mut after = None;
        if let Some(normals) = &normals {
            let reach = (overlap != Overlap::Share(1.0)).then_some(near.farthest);
            let (begin, told) = ((motion.clone(), reach), self.story.steps.len());
            let mut followed = Followed::default();
            let surfaces = (normals, &mut followed);
            let slid = by_planes(clouds, surfaces, begin, group, self.crew, tolerance, &mut self.story)?;
            let pairs = all(&slid, [followed.indices, Vec::new()])?;
            // Sliding along planes brings points no nearer to each other, but not much farther either.
            if pairs.score <= 1.2 * near.score {
                (motion, after) = (slid, Some(pairs));
            } else {
                // The story is that of the answer.
                self.story.steps.truncate(told);
            }
        }
        if after.is_none() && self.story.stop.is_none() {
            let start = (motion, &mut Known::default());
            motion = by_neighbors(clouds, start, how, self.crew, (tolerance, max_steps), &mut self.story)?;
        }
        let pairs = after.map_or_else(|| all(&motion, Known::default()), Ok)?;
        Ok((motion, pairs.cost, pairs.share[0]))
    }

    fn prepare(&mut self) -> Result<()> {
        if self.sides.is_none() {
            let thinned = |cloud: &Cloud, _| thin(cloud.points.view(), LAST);
            self.sides = Some(Sides::new([self.source, self.target], thinned, usize::MAX, self.crew)?);
        }
        Ok(())
    }

    fn pairs(&mut self, motion: &Motion, overlap: Overlap) -> Result<super::pairs::Pairs> {
        self.prepare()?;
        let sides = self.sides.as_ref().ok_or(Error::NoFit)?;
        self.crew.run(|parallelism| sides.pairs(motion, overlap, (true, 1), parallelism))
    }

    /// How sure one may be of a pose.
    fn confidence(
        &mut self,
        motion: &Motion,
        cost: f64,
        overlap: f64,
        found: Option<&Found>,
    ) -> Result<Confidence> {
        self.prepare()?;
        let close = self.sides.as_ref().ok_or(Error::NoFit)?.close(motion, ON, self.crew)?;
        // The same points stay where they are, and nobody looked elsewhere.
        let Some(found) = found else { return Ok(Confidence::Local { close }) };
        let nothing = NOTHING * self.target.size().powi(2);
        let exact = cost <= nothing;
        // How far those apart from the answer are, and what the best of those that fit worse has for a score.
        let (mut rivals, mut told) = (Vec::new(), f64::INFINITY);
        let asked: Vec<&Motion> = found.rivals(nothing).collect();
        if !asked.is_empty() && self.story.stop != Some(Stop::Interrupted) {
            let here = self.pairs(motion, self.settings.overlap)?.score;
            for rival in asked {
                let (there, score, cost) = self.rival(rival.clone())?;
                let apart = self.source.apart(&there, motion);
                // Beside a fit that leaves nothing, only another one is as good.
                let is_as_good = score <= TOLD * here && (!exact || cost <= nothing);
                if apart > start::SAME && is_as_good {
                    rivals.push(apart);
                } else if apart > start::SAME {
                    told = told.min(score / here);
                }
            }
        }
        if let Some(apart) = rivals.iter().copied().reduce(f64::min) {
            return Ok(Confidence::Ambiguous { rivals: rivals.len(), apart });
        }
        if close < ENOUGH * overlap {
            return Ok(Confidence::Doubtful { close });
        }
        if !self.settings.is_partial() && !exact {
            let times = start::misfit(self.source, self.target, motion, self.settings.seed, self.crew)?;
            if times > UNLIKE {
                return Ok(Confidence::Unlike { times });
            }
        }
        let ratio = if exact {
            None
        } else if told.is_finite() {
            Some(told)
        } else {
            found.ratio()
        };
        Ok(Confidence::Clear { ratio })
    }

    /// A rival after some steps to its neighbours, its score and its cost.
    fn rival(&self, begin: Motion) -> Result<(Motion, f64, f64)> {
        let Some(sides) = &self.sides else { return Ok((begin, f64::INFINITY, f64::INFINITY)) };
        let Settings { group, overlap, .. } = *self.settings;
        let watch = &mut ();
        let mut story = Story { steps: Vec::new(), most: 10, tolerance: 1e-3, watch, stop: None };
        let limits = (1e-3, 10);
        let how = (group, overlap, (true, sides.sparse()));
        let begin = (begin, &mut Known::default());
        let motion = by_neighbors((sides, self.source), begin, how, self.crew, limits, &mut story)?;
        let pairs = self.crew.run(|parallelism| sides.pairs(&motion, overlap, (true, 1), parallelism))?;
        Ok((motion, pairs.score, pairs.cost))
    }
}
