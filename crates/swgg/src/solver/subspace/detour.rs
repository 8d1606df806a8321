//! Subspace detours: a plan that is optimal on a subspace, lifted to the whole space.

use std::collections::HashMap;

use super::{DIMENSION, Subspace, dimension};
use crate::answer::{CostIs, Fact, Remark, Transport};
use crate::cost::SqEuclidean;
use crate::error::{ErrorKind, Result};
use crate::exact::{Start, from_start};
use crate::measure::{Measure, pairable};
use crate::number::range::below;
use crate::number::scalar::Scalar;
use crate::plan::coupling::Coupling;
use crate::plan::glue::{MAX_GLUED_ENTRIES, gather};
use crate::question::{Question, Sizes};
use crate::run::Run;
use crate::run::observe::{Observe, Progress};
use crate::run::stop::Stop;
use crate::setting::{Kind, Setting, Settings};
use crate::solver::compiled::{Compiled, run_compiled};
use crate::solver::ground::squared;
use crate::solver::{Builder, Estimate, Method, Solver};

/// How points are joined that look alike on the subspace.
pub const DETOUR: Setting = Setting::of("detour", Kind::Word(&["knothe", "independent"])).help(
    "DETOUR",
    "how points are joined that look alike on the subspace (the first principal axes): knothe, by exact transport \
     across it, or independent, each with all [default: knothe]",
);

/// How the points of two fibres are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lift {
    /// Independently: every point of one with every point of the other.
    MongeIndependent,
    /// By exact transport in the orthogonal complement. Never costs more than the independent lift.
    #[default]
    MongeKnothe,
}

/// Subspace detours (Muzellec & Cuturi, 2019): transport exactly on a subspace `E`, then say what happens to points that
/// look the same from there.
///
/// The plan's projection on `E` is optimal on `E`. Points with one projection (to twelve digits) form a fibre; where the plan
/// on `E` joins two fibres, a [`Lift`] joins their points. When all projections differ, as they do for most clouds, there is
/// nothing to lift, and both lifts are the plan of `E` itself.
///
/// One exact transport of dimension `k`, and with [`Lift::MongeKnothe`] one per pair of joined fibres.
/// Paper: Supp. "Related works", subspace detours. For Gaussians see [`GaussianDetour`](crate::solver::GaussianDetour).
///
/// ```
/// use swgg::solver::{Lift, Subspace, SubspaceDetour};
/// use swgg::{Measure, Solver, ndarray::array};
/// let mu = Measure::from_slice(&[0.0, 0.0, 0.0, 1.0], 2)?;
/// let nu = Measure::from_slice(&[2.0, 1.0, 2.0, 0.0], 2)?;
/// let first_axis = Subspace::span(array![[1.0, 0.0]].view())?;
/// // From the first axis all points look alike: independent pairs, or the best ones.
/// let cost = |lift| {
///     let detour = SubspaceDetour { subspace: Some(first_axis.clone()), lift, ..Default::default() };
///     detour.solve(&mu, &nu).map(|found| found.cost)
/// };
/// assert_eq!((cost(Lift::MongeIndependent)?, cost(Lift::MongeKnothe)?), (4.5, 4.0));
/// # Ok::<(), swgg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SubspaceDetour {
    /// Dimension of the subspace, 1 to `d`; 2 where the space has as many.
    pub k: Option<usize>,
    /// Another subspace than that of the principal axes.
    pub subspace: Option<Subspace>,
    /// What happens within a fibre.
    pub lift: Lift,
}

impl Builder for SubspaceDetour {
    const METHOD: Method = Method {
        settings: &[&DIMENSION, &DETOUR],
        is_compared: false,
        ..Method::new(
            "subspace-detour",
            "Transport by subspace detour",
            "The plan that is optimal on the first principal axes",
        )
    };

    fn build(settings: &Settings) -> Result<Self> {
        let lift = match settings.word(&DETOUR) {
            Some("independent") => Lift::MongeIndependent,
            _ => Lift::MongeKnothe,
        };
        Ok(SubspaceDetour { k: settings.count(&DIMENSION), subspace: None, lift })
    }
}

impl<T: Scalar> Solver<T> for SubspaceDetour {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn validate(&self, sizes: Sizes) -> Result<()> {
        dimension(self.k.filter(|_| self.subspace.is_none()), sizes.d).map(|_| ())
    }

    fn estimate(&self, sizes: Sizes, _: &Run<'_>) -> Estimate {
        let [n, m, d] = [sizes.n, sizes.m, sizes.d].map(|size| size as f64);
        let seconds = Estimate::exact_seconds(n, m, self.k.unwrap_or(2) as f64);
        Estimate { seconds, bytes: Estimate::exact_bytes(n + m, d, 4.0) }
    }

    fn unit(&self, _: Sizes, _: &Run<'_>) -> &'static str {
        "sources in order"
    }

    run_compiled!(SubspaceDetour);
}

impl Compiled for SubspaceDetour {
    fn found<T: Scalar>(&self, question: &Question<'_, T>, run: &mut Run<'_>) -> Result<Transport> {
        let [source, target] = squared(question, "subspace-detour")?;
        let (subspace, place) = match &self.subspace {
            Some(subspace) => (subspace.clone(), "a subspace".to_string()),
            None => {
                let k = dimension(self.k, source.dim())?;
                let axes = if k == 1 { "principal axis".to_string() } else { format!("{k} principal axes") };
                (Subspace::principal(source, target, k)?, format!("the first {axes}"))
            }
        };
        let (k, basis) = (subspace.len(), subspace.basis().clone());
        let lift = match self.lift {
            Lift::MongeKnothe => "knothe",
            Lift::MongeIndependent => "independent",
        };
        let found = Detour { subspace: &subspace, lift: self.lift }.plan([source, target], run)?;
        let story = format!("exact on {place}, {lift} lift");
        let cost = found.subspace_cost;
        // A plan that was stopped early costs more than the best one on the subspace.
        let is_certain = found.stop != Stop::Interrupted;
        Ok(Transport {
            lower_bound: is_certain.then_some(below(cost).min(found.cost)),
            coupling: Some(found.coupling),
            facts: vec![
                ("k", Fact::Count(k)),
                ("detour", Fact::Text(lift.into())),
                ("subspace_cost", Fact::Number(cost)),
                ("fibres", Fact::Counts(found.fibres)),
                ("basis", Fact::Matrix(basis)),
            ],
            remarks: vec![
                Remark::number("subspace", cost, "squared, of the plan on the subspace"),
                Remark::new("method", story.clone()),
            ],
            story,
            steps: 1,
            stop: found.stop,
            ..Transport::new("subspace-detour", found.cost, CostIs::Upper)
        })
    }
}

/// The subspace `E`, and what happens within a fibre.
struct Detour<'a> {
    subspace: &'a Subspace,
    lift: Lift,
}

/// A plan by detour.
struct Lifted {
    cost: f64,
    subspace_cost: f64,
    coupling: Coupling,
    /// Fibres of source and target: as many as points when all projections differ.
    fibres: [usize; 2],
    /// Why the solver on the subspace ended.
    stop: Stop,
}

impl Detour<'_> {
    /// The plan. The observer of the run is told of the transport on the subspace.
    fn plan<T: Scalar>(&self, [source, target]: [&Measure<'_, T>; 2], run: &mut Run<'_>) -> Result<Lifted> {
        let (mu, nu) = (self.subspace.project(source)?, self.subspace.project(target)?);
        let part = run.part();
        let mut inner = |progress: &Progress| run.progress(progress);
        let on_subspace =
            from_start(&Question::new(&mu, &nu)?, Start::default(), &mut part.watched(&mut inner))?;
        let (subspace_cost, stop) = (on_subspace.cost, on_subspace.stop);
        let fibres = [Fibres::of(&mu), Fibres::of(&nu)];
        let counts = [fibres[0].members.len(), fibres[1].members.len()];
        let alone = counts == [source.len(), target.len()];
        let coupling = match alone {
            true => on_subspace.into_plan()?,
            false => self.lifted(source, target, on_subspace.plan()?, &fibres, &mut run.part())?,
        };
        let cost = coupling.cost(source, target, &SqEuclidean)?;
        Ok(Lifted { cost, subspace_cost, coupling, fibres: counts, stop })
    }

    /// Joins fibres as the plan on the subspace does, and their points by the lift.
    fn lifted<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        plan: &Coupling,
        [from, to]: &[Fibres; 2],
        run: &mut Run<'_>,
    ) -> Result<Coupling> {
        let mut joined: Vec<(usize, usize, f64)> =
            plan.entries().map(|(i, j, mass)| (from.of[i], to.of[j], mass)).collect();
        joined.sort_by_key(|pair| (pair.0, pair.1));
        joined.dedup_by(|pair, kept| {
            let same = (pair.0, pair.1) == (kept.0, kept.1);
            kept.2 += if same { pair.2 } else { 0.0 };
            same
        });
        let mut pieces = Vec::new();
        if self.lift == Lift::MongeIndependent {
            let entries =
                joined.iter().map(|&(g, h, _)| from.members[g].len() as u64 * to.members[h].len() as u64);
            let entries: u64 = entries.sum();
            if entries > MAX_GLUED_ENTRIES {
                return Err(ErrorKind::TooManyEntries { entries, most: MAX_GLUED_ENTRIES }.into());
            }
        }
        for (g, h, mass) in joined {
            let (x, y) = (from.share(g, source), to.share(h, target));
            match self.lift {
                // A fibre without mass is not part of any plan, but its pieces of nothing may be.
                _ if mass <= 0.0 => {}
                Lift::MongeIndependent => {
                    for &(i, a) in &x {
                        pieces.extend(y.iter().map(|&(j, b)| (i, j, mass * a * b)));
                    }
                }
                Lift::MongeKnothe => pieces.extend(self.knothe(source, target, [&x, &y], mass, run)?),
            }
        }
        Ok(gather(source.len(), target.len(), pieces, pairable(source, target)))
    }

    /// Exact transport between two fibres in the orthogonal complement.
    fn knothe<T: Scalar>(
        &self,
        source: &Measure<T>,
        target: &Measure<T>,
        [x, y]: [&[(u32, f64)]; 2],
        mass: f64,
        run: &mut Run<'_>,
    ) -> Result<Vec<(u32, u32, f64)>> {
        let one = x.len() == 1 || y.len() == 1;
        // In the whole space there is no complement: points of a fibre are equal, and any plan does.
        if one || self.subspace.len() == self.subspace.dim() {
            let all = x.iter().flat_map(|&(i, a)| y.iter().map(move |&(j, b)| (i, j, mass * a * b)));
            return Ok(all.collect());
        }
        let fibre = |measure: &Measure<T>, members: &[(u32, f64)]| {
            let across = |i: u32| {
                let mut point: Vec<f64> = measure.point(i as usize).iter().map(|x| x.to_f64()).collect();
                self.subspace.leave(&mut point);
                point
            };
            let points = members.iter().flat_map(|&(i, _)| across(i)).collect();
            Measure::from_vec(points, measure.dim())?
                .with_weights(&members.iter().map(|member| member.1).collect::<Vec<_>>())
        };
        let (mu, nu) = (fibre(source, x)?, fibre(target, y)?);
        let plan = from_start(&Question::new(&mu, &nu)?, Start::default(), run)?.into_plan()?;
        Ok(plan.entries().map(|(i, j, part)| (x[i].0, y[j].0, mass * part)).collect())
    }
}

/// Points grouped by their projection.
struct Fibres {
    /// The fibre of each point.
    of: Vec<usize>,
    members: Vec<Vec<u32>>,
}

impl Fibres {
    fn of(projected: &Measure) -> Self {
        // Cells this fine hold what rounding cannot tell apart. Two such points may still fall on both sides of an edge, and
        // are then two fibres: that is a coupling too.
        let mean = projected.mean();
        let centred = |i: usize| projected.point(i).iter().zip(&mean).map(|(x, m)| x - m);
        let reach = (0..projected.len()).flat_map(centred).fold(0.0_f64, |m, x| m.max(x.abs()));
        let largest = projected.points().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let cell = (reach * 1e-12).max(largest * 4.0 * f64::EPSILON).max(f64::MIN_POSITIVE);
        let mut seen: HashMap<Vec<i64>, usize> = HashMap::new();
        let mut fibres = Fibres { of: Vec::with_capacity(projected.len()), members: Vec::new() };
        for i in 0..projected.len() {
            let key: Vec<i64> = centred(i).map(|x| (x / cell).round() as i64).collect();
            let fibre = *seen.entry(key).or_insert(fibres.members.len());
            if fibre == fibres.members.len() {
                fibres.members.push(Vec::new());
            }
            fibres.members[fibre].push(i as u32);
            fibres.of.push(fibre);
        }
        fibres
    }

    /// The points of a fibre that have mass, with their shares of it.
    fn share<T: Scalar>(&self, fibre: usize, measure: &Measure<T>) -> Vec<(u32, f64)> {
        let members = &self.members[fibre];
        let whole: f64 = members.iter().map(|&i| measure.weight(i as usize)).sum();
        let shares = members.iter().map(|&i| (i, measure.weight(i as usize) / whole));
        shares.filter(|share| share.1 > 0.0).collect()
    }
}
