use proptest::prelude::*;
use swgg_testkit::{clouds, smooth_clouds};

use super::*;

/// A look at all points.
fn by_hand<T: Scalar>(points: &Measure<T>, query: &[T], k: usize) -> Vec<Neighbor> {
    let square = |i: usize| {
        query.iter().zip(points.point(i)).fold(0.0, |sum, (x, y)| sum + (x.to_f64() - y.to_f64()).powi(2))
    };
    let mut all: Vec<Neighbor> =
        (0..points.len()).map(|i| Neighbor { square: square(i), index: i as u32 }).collect();
    all.sort();
    all.truncate(k);
    all
}

fn check<T: Scalar>(points: &Measure<T>, queries: &Measure<T>, k: usize) {
    let found = nearest(points, queries, k, Parallelism::Serial).unwrap();
    assert_eq!(found, nearest(points, queries, k, Parallelism::from_count(3)).unwrap());
    let tree = PointTree::new(points, Parallelism::Serial).unwrap();
    assert_eq!(found, tree.nearest_in_order(queries, k, Parallelism::Serial).unwrap());
    if k == 1 {
        let known: Vec<u32> = (0..queries.len()).map(|q| (q * 7 % points.len()) as u32).collect();
        assert_eq!(found, tree.nearest_from(queries, &known, Parallelism::from_count(2)).unwrap());
        let known = found.indices.column(0).to_vec();
        assert_eq!(found, tree.nearest_from(queries, &known, Parallelism::Serial).unwrap());
    }
    let (tree, order) = tree.in_order();
    let moved: Vec<T> = order.iter().flat_map(|&i| points.point(i as usize).to_vec()).collect();
    let moved = Measure::from_slice(&moved, points.dim()).unwrap();
    let again = nearest(&moved, queries, k, Parallelism::Serial).unwrap();
    assert_eq!(again, tree.nearest(queries, k, Parallelism::Serial).unwrap());
    assert_eq!(again.squares, found.squares);
    assert_eq!(found.indices.dim(), (queries.len(), k));
    for q in 0..queries.len() {
        let rows = found.indices.row(q).into_iter().zip(found.squares.row(q));
        let row: Vec<Neighbor> = rows.map(|(&index, &square)| Neighbor { square, index }).collect();
        assert_eq!(row, by_hand(points, queries.point(q), k), "query {q}, k = {k}");
    }
}

/// Numbers without a pattern, on a grid of so many steps.
fn scattered(count: usize, steps: u64, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 33) % steps) as f64 / steps as f64
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn large_clouds_of_many_dimensions() {
    for (n, q, dim) in [(3000, 500, 1), (3000, 500, 2), (2000, 300, 3), (1000, 100, 9), (400, 90, 70)] {
        let (points, queries) = (scattered(n * dim, 1 << 30, 1), scattered(q * dim, 1 << 30, 2));
        let points = Measure::from_slice(&points, dim).unwrap();
        let queries = Measure::from_slice(&queries, dim).unwrap();
        [1, 5, 40].into_iter().for_each(|k| check(&points, &queries, k));
    }
}

#[test]
fn ties_go_to_the_lower_index() {
    // A grid with many points in each place, asked at its places and half way between.
    let (points, queries) = (scattered(2 * 900, 6, 3), scattered(2 * 200, 12, 4));
    let points = Measure::from_slice(&points, 2).unwrap();
    let queries = Measure::from_slice(&queries, 2).unwrap();
    [1, 3, 30, 900].into_iter().for_each(|k| check(&points, &queries, k));
    let same = [0.5; 3000];
    let same = Measure::from_slice(&same, 3).unwrap();
    let found = nearest(&same, &same, 2, Parallelism::Auto).unwrap();
    assert!(found.indices.rows().into_iter().all(|row| row.to_vec() == [0, 1]));
}

#[test]
fn single_precision_is_widened_first() {
    let narrow = |numbers: Vec<f64>| numbers.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    let (points, queries) = (narrow(scattered(600, 1 << 30, 5)), narrow(scattered(90, 1 << 30, 6)));
    check(&Measure::from_slice(&points, 3).unwrap(), &Measure::from_slice(&queries, 3).unwrap(), 4);
}

#[test]
fn refusals() {
    let two = Measure::from_slice(&[0.0, 1.0], 1).unwrap();
    let plane = Measure::from_slice(&[0.0, 1.0], 2).unwrap();
    for k in [0, 3] {
        let error = nearest(&two, &two, k, Parallelism::Serial).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadSetting { name: "k", .. }));
    }
    let tree = PointTree::new(&two, Parallelism::Serial).unwrap();
    for known in [&[0][..], &[0, 2]] {
        let error = tree.nearest_from(&two, known, Parallelism::Serial).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadSetting { name: "known", .. }));
    }
    let error = nearest(&two, &plane, 1, Parallelism::Serial).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::DimensionMismatch { .. }));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn same_as_a_look_at_all_points(
        (dim, points, queries, k) in (1_usize..5, 1_usize..80, 1_usize..40).prop_flat_map(|(dim, n, q)| {
            (Just(dim), clouds(n, dim), smooth_clouds(q, dim), 1..=n)
        })
    ) {
        let points = Measure::from_slice(&points.points, dim).unwrap();
        let queries = Measure::from_slice(&queries.points, dim).unwrap();
        check(&points, &queries, k);
        check(&points, &points, k);
    }
}
