//! From plans to tracks, and what each point pays.

use std::collections::BTreeMap;

use swgg::ndarray::Array2;
use swgg::{Coupling, Measure, Scalar};

use super::lens::Lens;
use super::track::{Track, some};
use crate::exit::Outcome;

/// Points of a track, at most.
pub const MOST_POINTS: usize = 100_000;
/// Points that stayed or were not reached, at most, of each side.
const MOST_STAYED: usize = 10_000;
/// Bars of a histogram.
const BARS: usize = 40;
/// Points that are named as the dearest.
const DEAREST: usize = 10;

/// Two clouds, and who goes where, in two or three dimensions.
pub struct Seen {
    pub dim: usize,
    /// Whether coordinates are those of the points.
    pub plain: bool,
    pub tracks: Vec<Track>,
    pub paid: Option<Paid>,
    /// What a reader has to know.
    pub notes: Vec<String>,
}

/// What is known about where points go.
#[derive(Clone, Copy)]
pub enum Way<'a> {
    /// A plan.
    Plan(&'a Coupling),
    /// Where a map takes the source points, one row each.
    Map(&'a Array2<f64>),
    /// Nothing is known: only the clouds are drawn, and a note says why.
    Nothing,
    /// Nobody asks for a plan: only the clouds are drawn.
    CloudsAlone,
}

/// What the points of the source pay, each for a unit of its mass.
pub struct Paid {
    /// What it is: squared distances, say.
    pub name: String,
    /// Points that pay anything at all.
    pub points: usize,
    pub mean: f64,
    pub most: f64,
    /// The top of the scale; a few points may be above it.
    pub top: f64,
    /// Points from 0 to the top, in bars of equal width; those above are in the last one.
    pub bars: Vec<usize>,
    /// Dearest first.
    pub dearest: Vec<Dear>,
}

/// One of the dearest points.
pub struct Dear {
    /// Number of the point, and of the one that takes most of its mass.
    pub source: usize,
    pub target: Option<usize>,
    pub cost: f64,
    /// As they are seen.
    pub from: Vec<f64>,
    pub to: Vec<f64>,
}

/// Looks at two clouds along at most so many axes. Costs are powers of distances; `None` for others.
pub fn seen<T: Scalar>(
    [source, target]: [&Measure<'_, T>; 2],
    way: Way<'_>,
    exponent: Option<f64>,
    most_axes: usize,
) -> Outcome<Seen> {
    let lens = Lens::new(&[source, target], most_axes)?;
    let mut notes: Vec<String> = lens.told().map(String::from).into_iter().collect();
    let pair = Pair { lens: &lens, source, target, exponent };
    let (tracks, paid) = match way {
        Way::Plan(plan) => {
            if exponent.is_none() {
                notes.push(
                    "The cost that was asked for is not a power of distances; points are told apart by how far they move."
                        .to_string(),
                );
            }
            pair.planned(plan)
        }
        Way::Map(image) => {
            notes.push(
                "There is no plan between the points: the source goes where the map takes it.".to_string(),
            );
            (pair.mapped(image), None)
        }
        Way::Nothing | Way::CloudsAlone => {
            if matches!(way, Way::Nothing) {
                notes.push("This method has no plan: only the clouds are drawn.".to_string());
            }
            (vec![pair.cloud("source", 0, source, 0.0), pair.cloud("target", 1, target, 1.0)], None)
        }
    };
    for track in &tracks {
        let drawn = track.len(lens.dim());
        if drawn < track.of {
            let (drawn, all) = (crate::printer::grouped(drawn), crate::printer::grouped(track.of));
            let what = if track.moves() { "ways" } else { "points" };
            notes.push(format!("{drawn} of {all} {what} are drawn ({}).", track.name));
        }
    }
    Ok(Seen { dim: lens.dim(), plain: lens.is_plain(), tracks, paid, notes })
}

/// Two clouds under a lens.
struct Pair<'a, T: Scalar> {
    lens: &'a Lens,
    source: &'a Measure<'a, T>,
    target: &'a Measure<'a, T>,
    exponent: Option<f64>,
}

impl<T: Scalar> Pair<'_, T> {
    fn place(&self, point: &[T], level: f64) -> Vec<f64> {
        let mut place = Vec::with_capacity(3);
        self.lens.see(point, level, &mut place);
        place
    }

    fn cloud(&self, name: &str, color: usize, cloud: &Measure<'_, T>, level: f64) -> Track {
        let numbers = some(cloud.len(), MOST_POINTS);
        self.these(name, color, cloud, &numbers, (level, cloud.len()))
    }

    fn these(
        &self,
        name: &str,
        color: usize,
        cloud: &Measure<'_, T>,
        numbers: &[usize],
        (level, of): (f64, usize),
    ) -> Track {
        let mut points = Vec::with_capacity(numbers.len() * self.lens.dim());
        numbers.iter().for_each(|&i| self.lens.see(cloud.point(i), level, &mut points));
        Track::still(name, color, points, of)
    }

    /// `|x - y|^p`, or the distance where the cost is another.
    fn cost(&self, i: usize, j: usize) -> f64 {
        let ends = self.source.point(i).iter().zip(self.target.point(j));
        let square: f64 = ends.map(|(x, y)| (x.to_f64() - y.to_f64()).powi(2)).sum();
        match self.exponent {
            Some(2.0) => square,
            Some(p) => square.sqrt().powf(p),
            None => square.sqrt(),
        }
    }

    fn cost_name(&self) -> String {
        match self.exponent {
            Some(2.0) => "squared distance".to_string(),
            Some(1.0) | None => "distance".to_string(),
            Some(p) => format!("distance to the power {p}"),
        }
    }

    fn planned(&self, plan: &Coupling) -> (Vec<Track>, Option<Paid>) {
        let entries: Vec<usize> = some(plan.len(), MOST_POINTS);
        let mut track = Track {
            name: "source".to_string(),
            end: Some("target".to_string()),
            colors: [0, 1],
            of: plan.len(),
            ..Track::default()
        };
        let (mut from, mut to, mut costs, mut masses) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut wanted = entries.into_iter().peekable();
        for (k, (i, j, mass)) in plan.entries().enumerate() {
            if wanted.next_if_eq(&k).is_none() {
                continue;
            }
            self.lens.see(self.source.point(i), 0.0, &mut from);
            self.lens.see(self.target.point(j), 1.0, &mut to);
            costs.push(self.cost(i, j));
            masses.push(mass);
        }
        track.frames = vec![from, to];
        track.costs = Some(costs);
        track.masses = (!plan.is_matching()).then_some(masses);
        let mut tracks = vec![track];
        tracks.extend(self.stayed("source, stayed", 2, self.source, &plan.source_marginal(), 0.0));
        tracks.extend(self.stayed("target, not reached", 3, self.target, &plan.target_marginal(), 1.0));
        (tracks, self.paid(plan))
    }

    /// Points that have mass of which none moves.
    fn stayed(
        &self,
        name: &str,
        color: usize,
        cloud: &Measure<'_, T>,
        moved: &[f64],
        level: f64,
    ) -> Option<Track> {
        let numbers: Vec<usize> =
            (0..cloud.len()).filter(|&i| moved[i] == 0.0 && cloud.weight(i) > 0.0).collect();
        let shown: Vec<usize> = some(numbers.len(), MOST_STAYED).into_iter().map(|k| numbers[k]).collect();
        (!numbers.is_empty()).then(|| self.these(name, color, cloud, &shown, (level, numbers.len())))
    }

    fn mapped(&self, image: &Array2<f64>) -> Vec<Track> {
        let numbers = some(self.source.len(), MOST_POINTS);
        let mut track = self.these("source", 0, self.source, &numbers, (0.0, self.source.len()));
        let mut to = Vec::new();
        numbers.iter().for_each(|&i| self.lens.see(&image.row(i).to_vec(), 1.0, &mut to));
        track.frames.push(to);
        (track.end, track.colors) = (Some("source, mapped".to_string()), [0, 2]);
        vec![track, self.cloud("target", 1, self.target, 1.0)]
    }

    fn paid(&self, plan: &Coupling) -> Option<Paid> {
        let mut costs = vec![0.0; self.source.len()];
        let mut masses = vec![0.0; self.source.len()];
        for (i, j, mass) in plan.entries() {
            costs[i] += mass * self.cost(i, j);
            masses[i] += mass;
        }
        let mut paid: Vec<(f64, usize)> = (0..costs.len())
            .filter(|&i| masses[i] > 0.0)
            .map(|i| (costs[i] / masses[i], i))
            .filter(|(cost, _)| cost.is_finite())
            .collect();
        let mean = costs.iter().sum::<f64>() / masses.iter().sum::<f64>();
        // Ties by number, so that the list is the same everywhere.
        paid.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = paid.first()?.0;
        // A few points that pay many times what others do must not make the rest one bar.
        let usual = paid[paid.len() / 100].0;
        let top = if usual > 0.0 { most.min(1.5 * usual) } else { most };
        let mut bars = vec![0; BARS];
        for (cost, _) in &paid {
            let bar = if top > 0.0 { (cost / top * BARS as f64) as usize } else { 0 };
            bars[bar.min(BARS - 1)] += 1;
        }
        let dearest = self.dearest(plan, &paid[..paid.len().min(DEAREST)]);
        Some(Paid { name: self.cost_name(), points: paid.len(), mean, most, top, bars, dearest })
    }

    fn dearest(&self, plan: &Coupling, first: &[(f64, usize)]) -> Vec<Dear> {
        // Where most of the mass of each goes.
        let mut goes: BTreeMap<usize, (f64, usize)> =
            first.iter().map(|&(_, source)| (source, (0.0, 0))).collect();
        for (i, j, mass) in plan.entries() {
            if let Some(known) = goes.get_mut(&i).filter(|known| mass > known.0) {
                *known = (mass, j);
            }
        }
        let dear = |&(cost, source): &(f64, usize)| {
            let target = goes.get(&source).filter(|(mass, _)| *mass > 0.0).map(|(_, j)| *j);
            let from = self.place(self.source.point(source), 0.0);
            let to = target.map_or_else(|| from.clone(), |j| self.place(self.target.point(j), 1.0));
            Dear { source, target, cost, from, to }
        };
        first.iter().map(dear).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use swgg::plan::Coo;

    #[test]
    fn a_matching_is_seen_whole() {
        let mu = Measure::from_vec(vec![0.0, 0.0, 1.0, 0.0, 2.0, 0.0], 2).unwrap();
        let nu = Measure::from_vec(vec![0.0, 3.0, 1.0, 1.0, 2.0, 2.0], 2).unwrap();
        let plan = Coupling::from_map(vec![0, 1, 2]).unwrap();
        let seen = seen([&mu, &nu], Way::Plan(&plan), Some(2.0), 3).unwrap();
        assert_eq!((seen.dim, seen.tracks.len(), seen.notes.len()), (2, 1, 0));
        assert_eq!(seen.tracks[0].frames[1], nu.points());
        assert_eq!(seen.tracks[0].costs.as_deref(), Some(&[9.0, 1.0, 4.0][..]));
        assert!(seen.tracks[0].masses.is_none());
        let paid = seen.paid.unwrap();
        assert_eq!((paid.points, paid.most, paid.bars.iter().sum::<usize>()), (3, 9.0, 3));
        assert!((paid.mean - 14.0 / 3.0).abs() < 1e-12);
        let order: Vec<(usize, Option<usize>)> = paid.dearest.iter().map(|d| (d.source, d.target)).collect();
        assert_eq!(order, [(0, Some(0)), (2, Some(2)), (1, Some(1))]);
    }

    #[test]
    fn who_stays_is_seen_and_pays_nothing() {
        let mu = Measure::from_vec(vec![0.0, 5.0, 9.0], 1).unwrap();
        let nu = Measure::from_vec(vec![1.0, 7.0], 1).unwrap();
        let entries = Coo { sources: vec![0, 1, 1], targets: vec![0, 0, 1], masses: vec![0.2, 0.1, 0.3] };
        let plan = Coupling::sparse(3, 2, entries).unwrap();
        let seen = seen([&mu, &nu], Way::Plan(&plan), Some(1.0), 3).unwrap();
        let names: Vec<&str> = seen.tracks.iter().map(|track| track.name.as_str()).collect();
        assert_eq!(names, ["source", "source, stayed"]);
        let paid = seen.paid.unwrap();
        assert_eq!((paid.points, paid.name.as_str()), (2, "distance"));
        // The second point pays 4 for a quarter of its mass and 2 for the rest.
        assert!((paid.most - 2.5).abs() < 1e-12 && paid.dearest[0].target == Some(1));
        assert_eq!(seen.tracks[0].masses.as_deref(), Some(&[0.2, 0.1, 0.3][..]));
    }

    #[test]
    fn many_are_thinned_and_that_is_said() {
        let count = MOST_POINTS + 10_000;
        let mu = Measure::from_vec((0..2 * count).map(|k| (k % 997) as f64).collect(), 2).unwrap();
        let plan = Coupling::from_map((0..count as u32).collect()).unwrap();
        let seen = seen([&mu, &mu], Way::Plan(&plan), Some(2.0), 3).unwrap();
        assert_eq!(seen.tracks[0].len(2), MOST_POINTS);
        assert_eq!(seen.tracks[0].costs.as_ref().unwrap().len(), MOST_POINTS);
        assert_eq!(seen.notes, ["100 000 of 110 000 ways are drawn (source)."]);
        // All points count in the histogram, drawn or not.
        assert_eq!(seen.paid.unwrap().points, count);
    }
}
