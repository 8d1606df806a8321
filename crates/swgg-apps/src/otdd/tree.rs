//! Which data sets are close to each other.

use swgg::ndarray::Array2;

/// Two groups that become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Join {
    /// The groups: data sets by their numbers, and joins after them, counted on from the number of data sets.
    pub groups: [usize; 2],
    /// The mean of all distances between members of one and members of the other.
    pub height: f64,
}

/// Average linkage: the two groups whose members are closest in the mean become one, until there is one; ties go to the first.
///
/// `None` where a distance is missing. `O(n^3)`, for the few data sets of a matrix.
///
/// ```
/// use swgg::ndarray::array;
/// use swgg_apps::otdd::linkage;
/// let joins = linkage(&array![[0.0, 5.0, 1.0], [5.0, 0.0, 6.0], [1.0, 6.0, 0.0]]).unwrap_or_default();
/// assert_eq!((joins[0].groups, joins[0].height), ([0, 2], 1.0));
/// assert_eq!((joins[1].groups, joins[1].height), ([1, 3], 5.5));
/// ```
pub fn linkage(distances: &Array2<f64>) -> Option<Vec<Join>> {
    let count = distances.nrows();
    if distances.iter().any(|distance| !distance.is_finite()) {
        return None;
    }
    let mut groups: Vec<(usize, Vec<usize>)> = (0..count).map(|set| (set, vec![set])).collect();
    let mut joins = Vec::new();
    while groups.len() > 1 {
        let mean = |a: &[usize], b: &[usize]| {
            let pairs = a.iter().flat_map(|i| b.iter().map(move |j| distances[(*i, *j)]));
            pairs.sum::<f64>() / (a.len() * b.len()) as f64
        };
        let mut best = (f64::INFINITY, 0, 1);
        for a in 0..groups.len() {
            for b in a + 1..groups.len() {
                let height = mean(&groups[a].1, &groups[b].1);
                if height < best.0 {
                    best = (height, a, b);
                }
            }
        }
        let (height, a, b) = best;
        let (second, members) = groups.remove(b);
        joins.push(Join { groups: [groups[a].0, second], height });
        groups[a].1.extend(members);
        groups[a].0 = count + joins.len() - 1;
        // Groups stay in the order of their names, so that ties are told the same way everywhere.
        groups.sort_by_key(|group| group.0);
    }
    Some(joins)
}
