//! From a pose to begin with to the last one: which matcher follows which.

use swgg::Auto;
use swgg::question::Sizes;

use super::error::Result;
use super::indexed_cloud::IndexedPair;
use super::inputs::Inputs;
use super::matcher::{Limits, NearestNeighbors, Normals, PlanKind, Planes, TransportPlans, iterate};
use super::matching::Matching;
use super::motion::Motion;
use super::pairs::Pairs;
use super::settings::Settings;
use super::story::Story;

/// Transport brings the cloud this near, as a share of its size, before neighbours are taken.
const NEIGHBORS_BEGIN_SHARE: f64 = 0.03;
/// Steps by transport before neighbours are taken.
const TRANSPORT_STEPS: usize = 10;
/// Neighbours bring the cloud this near before planes are taken.
const PLANES_BEGIN_SHARE: f64 = 0.01;
/// Matches by transport that cost more than this many times those of nearest neighbours are not between the same points.
const SAME_POINTS_COST_RATIO: f64 = 4.0;
/// Points within this many squared spacings are the same in both clouds.
pub(super) const SAME_SPACINGS: f64 = 0.1;
/// Steps to planes are kept if they score at most this many times what neighbours did.
const PLANES_SCORE_RATIO: f64 = 1.2;

/// The last pose.
pub(super) struct Refined {
    pub motion: Motion,
    /// Mean squared distance of the matches.
    pub cost: f64,
    /// Share of the source that is matched.
    pub overlap: f64,
}

/// Matchers one after the other, with their story.
pub(super) struct Refinement<'a, 'b, 'c> {
    pub inputs: &'a Inputs<'a>,
    pub thinned: &'a IndexedPair,
    pub story: &'b mut Story<'c>,
}

impl<'a> Refinement<'a, '_, '_> {
    /// From a pose to the end.
    pub fn run(&mut self, begin: Motion) -> Result<Refined> {
        let settings = self.inputs.settings;
        match settings.matching {
            _ if settings.moved_share().is_some() => self.by_transport(begin, self.limits()),
            _ if settings.is_partial() => self.by_neighbors_then_planes(begin),
            Matching::Auto => self.by_transport_then_neighbors(begin),
            Matching::Nearest => self.by_all_neighbors(begin),
            Matching::MinSwgg(_) | Matching::Exact | Matching::Registered(_) => {
                self.by_transport(begin, self.limits())
            }
        }
    }

    /// The steps and the tolerance that the settings allow.
    fn limits(&self) -> Limits {
        let Settings { max_steps: steps, tolerance, .. } = *self.inputs.settings;
        Limits { steps, tolerance }
    }

    /// Nearest neighbours of all thinned points, both ways.
    fn neighbors(&self) -> NearestNeighbors<'a> {
        let Settings { group, overlap, .. } = *self.inputs.settings;
        NearestNeighbors::new(self.thinned, group, overlap, &self.inputs.workers)
    }

    /// Steps by transport plans.
    fn by_transport(&mut self, begin: Motion, limits: Limits) -> Result<Refined> {
        let Inputs { source, target, settings, workers } = self.inputs;
        let kind = PlanKind::Chosen(settings.matching);
        let mut plans = TransportPlans::new([source, target], kind, settings, workers);
        let mut motion = begin;
        iterate(&mut plans, source, &mut motion, limits, Some(self.story))?;
        Ok(Refined { motion, cost: plans.residual, overlap: settings.moved_share().unwrap_or(1.0) })
    }

    /// Transport until the cloud is near; then neighbours, unless the plan is better than they are.
    fn by_transport_then_neighbors(&mut self, begin: Motion) -> Result<Refined> {
        let Inputs { source, target, settings, .. } = self.inputs;
        let sizes = Sizes { n: source.len(), m: target.len(), d: source.dim() };
        let is_exact = Auto { effort: 1 }.is_exact(sizes, false);
        let limits = match is_exact {
            true => Limits { steps: usize::MAX, tolerance: settings.tolerance },
            false => Limits { steps: TRANSPORT_STEPS, tolerance: NEIGHBORS_BEGIN_SHARE },
        };
        let refined = self.by_transport(begin, limits)?;
        let is_done = self.story.is_over()
            || is_exact
                && refined.cost <= SAME_POINTS_COST_RATIO * self.neighbors().pairs(&refined.motion)?.cost;
        if is_done { Ok(refined) } else { self.by_neighbors_then_planes(refined.motion) }
    }

    /// The paper's nearest neighbours: those of all points, one way.
    fn by_all_neighbors(&mut self, begin: Motion) -> Result<Refined> {
        let Inputs { source, settings, workers, .. } = self.inputs;
        let clouds = self.inputs.whole()?;
        let mut neighbors =
            NearestNeighbors::new(&clouds, settings.group, settings.overlap, workers).one_way();
        let (mut motion, limits) = (begin, self.limits());
        iterate(&mut neighbors, source, &mut motion, limits, Some(self.story))?;
        let cost = neighbors.pairs(&motion)?.cost;
        Ok(Refined { motion, cost, overlap: 1.0 })
    }

    /// Nearest neighbours both ways, then planes where clouds are surfaces.
    fn by_neighbors_then_planes(&mut self, begin: Motion) -> Result<Refined> {
        let (source, limits) = (&self.inputs.source, self.limits());
        let mut motion = begin;
        let mut some = self.neighbors().every(self.thinned.coarse());
        let coarse = Limits { tolerance: PLANES_BEGIN_SHARE.max(limits.tolerance), ..limits };
        iterate(&mut some, source, &mut motion, coarse, Some(self.story))?;
        let near = some.pairs(&motion)?;
        // Much nearer than neighbours are to each other: the same points, about which planes know less.
        let is_same = near.cost <= SAME_SPACINGS * self.thinned.spacing_sq;
        if !is_same
            && !self.story.is_over()
            && let Some(refined) = self.by_planes(&motion, &near)?
        {
            return Ok(refined);
        }
        if !self.story.is_over() {
            iterate(&mut self.neighbors(), source, &mut motion, limits, Some(self.story))?;
        }
        let pairs = self.neighbors().pairs(&motion)?;
        Ok(Refined { motion, cost: pairs.cost, overlap: pairs.share[0] })
    }

    /// Steps to planes from a pose and its pairs; `None` if there are no planes, or if they lead astray.
    fn by_planes(&mut self, begin: &Motion, near: &Pairs) -> Result<Option<Refined>> {
        let Inputs { source, settings, workers, .. } = self.inputs;
        let Some(normals) = Normals::new(self.thinned, workers)? else { return Ok(None) };
        let reach_sq = settings.is_partial().then_some(near.farthest_sq);
        let mut planes = Planes::new(self.thinned, &normals, settings.group, reach_sq, workers);
        let (mut motion, limits, told) = (begin.clone(), self.limits(), self.story.steps.len());
        iterate(&mut planes, source, &mut motion, limits, Some(self.story))?;
        let pairs = self.neighbors().after(planes.into_neighbors()).pairs(&motion)?;
        // Sliding along planes brings points no nearer to each other, but not much farther either.
        if pairs.score <= PLANES_SCORE_RATIO * near.score {
            return Ok(Some(Refined { motion, cost: pairs.cost, overlap: pairs.share[0] }));
        }
        // The story is that of the answer.
        self.story.take_back(told);
        Ok(None)
    }
}
