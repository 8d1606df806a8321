//! Poses from pairs of points with normals, which do not ask where the middle of a cloud is.
//!
//! A cloud that is cut has another mean and other principal axes than before, but most pairs of its points are still there. Four numbers
//! of a pair do not change when the cloud moves: the distance of the points, the angles between their normals and the line that joins
//! them, and the angle between the normals. Where two pairs agree in these, one motion brings one pair onto the other; the motion that
//! many pairs agree in is a pose to begin with (Drost, Ulrich, Navab and Ilic 2010).

mod points;
mod table;
mod votes;

use crate::registration::cloud::Cloud;
use crate::registration::error::Result;
use crate::registration::grid::thin;
use crate::registration::indexed_cloud::IndexedPair;
use crate::registration::inputs::Inputs;
use crate::registration::matcher::Normals;
use crate::registration::motion::{Group, Motion};

use points::OrientedPoints;
use table::Table;
use votes::Voting;

/// Points of a cloud whose planes are looked for: enough for its shape, and means of several points where there are more, so less noise.
const PLANE_POINTS: usize = 5000;
/// Points of a cloud that are paired with each other.
const PAIRED_POINTS: usize = 900;
/// Points of the source that ask for poses.
const ASKING_POINTS: usize = 100;

/// The poses that most pairs agree in, the best first. None where the clouds are no surfaces in space, or may grow.
pub(super) fn poses(inputs: &Inputs, most: usize) -> Result<Vec<Motion>> {
    let Inputs { source, target, settings, workers } = inputs;
    if source.dim() != 3 || settings.group == Group::Similarity {
        return Ok(Vec::new());
    }
    let thinned = |cloud: &Cloud, _| thin(cloud.points.view(), PLANE_POINTS);
    let clouds = IndexedPair::new([source, target], thinned, usize::MAX, workers)?;
    let Some(normals) = Normals::new(&clouds, workers)? else { return Ok(Vec::new()) };
    let [source_normals, target_normals] = normals.of_both();
    let asking = OrientedPoints::new(&clouds.source.points, source_normals, PAIRED_POINTS);
    let asked = OrientedPoints::new(&clouds.target.points, target_normals, PAIRED_POINTS);
    let reach = asking.reach().min(asked.reach());
    if asking.len() < 2 || asked.len() < 2 || reach <= 0.0 {
        return Ok(Vec::new());
    }
    let table = Table::new(&asked, reach);
    let voting = Voting { source: &asking, target: &asked, table: &table, group: settings.group };
    let every = asking.len().div_ceil(ASKING_POINTS);
    let numbers: Vec<usize> = (0..asking.len()).step_by(every).collect();
    // Whoever is told to stop asks nobody any more.
    let found = workers.map_items(&numbers, |&i| match workers.is_halted() {
        true => Vec::new(),
        false => voting.ask(i),
    });
    Ok(votes::elected(found.into_iter().flatten().collect(), source, most))
}
