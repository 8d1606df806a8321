//! Superpixels: an image cut into many small regions whose borders follow its edges.
//!
//! A watershed floods the image from markers on a regular grid, lowest gradient first; with compactness, pixels far
//! from their marker wait longer, and the regions grow rounder (P. Neubert and P. Protzel, *Compact watershed and
//! preemptive SLIC*, 2014). Inside a region an image is nearly of one kind, which makes it the place for a prior of
//! proximity in colorization and pan-sharpening.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;
use swgg::ndarray::{Array2, ArrayView2, ArrayView3};

/// How strongly an image changes at each pixel: the Sobel magnitudes of its bands, summed, in units of their mean.
///
/// `bands` is band by row by column; the border is continued outwards. The mean of the result is 1 whatever the depth
/// of the image, so that a compactness means the same everywhere; an image of one color has gradient 0.
pub fn gradient<T: Copy + Into<f64> + Sync>(bands: ArrayView3<T>) -> Array2<f64> {
    let (_, rows, columns) = bands.dim();
    let mut sum = Array2::zeros((rows, columns));
    let Some(values) = sum.as_slice_mut().filter(|values| !values.is_empty()) else {
        return sum;
    };
    values.par_chunks_exact_mut(columns).with_min_len(8).enumerate().for_each(|(i, values)| {
        let (above, below) = (i.saturating_sub(1), (i + 1).min(rows - 1));
        for band in bands.outer_iter() {
            let line = |i: usize| -> Vec<f64> { band.row(i).iter().map(|&x| x.into()).collect() };
            let (above, here, below) = (line(above), line(i), line(below));
            for (j, sum) in values.iter_mut().enumerate() {
                let (left, right) = (j.saturating_sub(1), (j + 1).min(columns - 1));
                let across = above[right] - above[left] + 2.0 * (here[right] - here[left]) + below[right]
                    - below[left];
                let down =
                    below[left] - above[left] + 2.0 * (below[j] - above[j]) + below[right] - above[right];
                *sum += (across * across + down * down).sqrt();
            }
        }
    });
    let mean = sum.iter().map(|x| x / sum.len() as f64).sum::<f64>();
    if mean > 0.0 && mean.is_finite() {
        sum /= mean;
    }
    sum
}

/// A label for every pixel, from 0, by the compact watershed of a gradient.
///
/// About `markers` seeds stand on a regular grid, each moved to the lowest place nearby; a pixel is taken by the
/// region that reaches it with the smallest
///
/// ```text
/// gradient(pixel) + compactness * distance(pixel, marker of the region)
/// ```
///
/// among all pixels that touch a region (by a side), and at equal heights by the one that reached it first. Labels
/// count the markers row by row, and all of them occur. There is at least one marker and at most one per pixel, of which there may be
/// less than 2^32;
/// a compactness below 0 counts as 0, a gradient that is not a number as the highest of all. `O(n log n)`.
///
/// ```
/// use swgg::ndarray::Array;
/// use swgg_apps::superpixels::{gradient, watershed};
///
/// // Two halves, dark and bright: the border between the regions is the border between the halves.
/// let image = Array::from_shape_fn((1, 6, 9), |(_, _, column)| if column < 3 { 10.0 } else { 90.0 });
/// let labels = watershed(gradient(image.view()).view(), 2, 0.0);
/// assert!(labels.indexed_iter().all(|((_, column), &label)| label == u32::from(column >= 3)));
/// ```
pub fn watershed(gradient: ArrayView2<f64>, markers: usize, compactness: f64) -> Array2<u32> {
    let (rows, columns) = gradient.dim();
    let compactness = compactness.max(0.0);
    let places = seeds(gradient, markers);
    let heights = gradient.as_standard_layout();
    let heights: &[f64] = heights.as_slice().unwrap_or_default();
    let mut labels = vec![OPEN; rows * columns];
    // Height at which a pixel waits in the queue: a later and higher claim to it would never be heard.
    let mut waiting = vec![Height::NEVER; rows * columns];
    let mut queue = BinaryHeap::with_capacity(rows * columns / 4);
    let mut order = 0;
    for (label, place) in (0_u32..).zip(&places) {
        let pixel = place[0] * columns + place[1];
        waiting[pixel] = Height::FIRST;
        queue.push(Reverse(Claim { height: Height::FIRST, order, pixel: pixel as u32, label }));
        order += 1;
    }
    while let Some(Reverse(Claim { pixel, label, .. })) = queue.pop() {
        let pixel = pixel as usize;
        if labels[pixel] != OPEN {
            continue;
        }
        labels[pixel] = label;
        let (i, j) = (pixel / columns, pixel % columns);
        let [row, column] = places[label as usize];
        let mut claim = |pixel: usize, i: usize, j: usize| {
            if labels[pixel] != OPEN {
                return;
            }
            let (down, across) = (i as f64 - row as f64, j as f64 - column as f64);
            let height = Height::of(heights[pixel] + compactness * (down * down + across * across).sqrt());
            if height < waiting[pixel] {
                waiting[pixel] = height;
                queue.push(Reverse(Claim { height, order, pixel: pixel as u32, label }));
                order += 1;
            }
        };
        if i > 0 {
            claim(pixel - columns, i - 1, j);
        }
        if j > 0 {
            claim(pixel - 1, i, j - 1);
        }
        if j + 1 < columns {
            claim(pixel + 1, i, j + 1);
        }
        if i + 1 < rows {
            claim(pixel + columns, i + 1, j);
        }
    }
    Array2::from_shape_vec((rows, columns), labels).unwrap_or_default()
}

/// A pixel that no region has taken yet.
const OPEN: u32 = u32::MAX;

/// A region that touches a pixel and wants it. The lowest is served first, and the first to have come among equals.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    height: Height,
    order: u64,
    pixel: u32,
    label: u32,
}

/// A number that sorts fast: its bits, turned so that integers have the same order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Height(i64);

impl Height {
    const FIRST: Height = Height(i64::MIN);
    const NEVER: Height = Height(i64::MAX);

    fn of(height: f64) -> Self {
        // What is not a number becomes the highest.
        let bits = height.min(f64::MAX).to_bits().cast_signed();
        Height(bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed())
    }
}

/// The middles of the cells of a regular grid, each moved to the lowest gradient in the inner half of its cell.
fn seeds(gradient: ArrayView2<f64>, markers: usize) -> Vec<[usize; 2]> {
    let (rows, columns) = gradient.dim();
    let (down, across) = grid(rows, columns, markers.max(1));
    let mut seeds = Vec::with_capacity(down * across);
    for k in 0..down {
        for l in 0..across {
            seeds.push(lowest(gradient, inner(k, down, rows), inner(l, across, columns)));
        }
    }
    seeds
}

/// Rows and columns of a grid of nearly square cells with about as many cells as markers.
fn grid(rows: usize, columns: usize, markers: usize) -> (usize, usize) {
    if rows == 0 || columns == 0 {
        return (0, 0);
    }
    let ideal = (markers as f64 * rows as f64 / columns as f64).sqrt();
    let fit = |down: usize| {
        let share = |of: usize, most: usize| ((markers as f64 / of as f64).round() as usize).clamp(1, most);
        let across = share(down.clamp(1, rows), columns);
        // Once more from the other side: where the image is thin, the first guess is far off.
        (share(across, rows), across)
    };
    let (fewer, more) = (fit(ideal.floor() as usize), fit(ideal.ceil() as usize));
    let off = |(down, across): (usize, usize)| (down * across).abs_diff(markers);
    if off(fewer) <= off(more) { fewer } else { more }
}

/// The inner half of cell `k` of `cells` along an axis, as a range that is never empty.
fn inner(k: usize, cells: usize, length: usize) -> std::ops::Range<usize> {
    let (start, end) = (k * length / cells, (k + 1) * length / cells);
    let margin = (end - start).saturating_sub(1) / 4;
    start + margin..end - margin
}

/// The lowest pixel of a window; of several, the one nearest to its middle.
fn lowest(
    gradient: ArrayView2<f64>,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) -> [usize; 2] {
    // Twice the distance, to stay among integers.
    let far = |k: usize, range: &std::ops::Range<usize>| (2 * k).abs_diff(range.start + range.end - 1);
    let mut best = [rows.start, columns.start];
    let mut least = (f64::INFINITY, usize::MAX);
    for i in rows.clone() {
        for j in columns.clone() {
            let height = gradient[[i, j]];
            let away = far(i, &rows).pow(2) + far(j, &columns).pow(2);
            if height < least.0 || (height == least.0 && away < least.1) {
                (best, least) = ([i, j], (height, away));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use swgg::ndarray::{Array, Array3};

    use super::*;

    /// Smooth hills with a little texture.
    fn image(rows: usize, columns: usize) -> Array3<f64> {
        Array::from_shape_fn((2, rows, columns), |(band, i, j)| {
            let (x, y) = (i as f64 / 9.0, j as f64 / 7.0 + band as f64);
            100.0 * (x.sin() * y.cos()) + ((i * 31 + j * 17 + band * 7) % 13) as f64
        })
    }

    /// Regions in one piece, by the sides of their pixels.
    fn pieces(labels: &Array2<u32>) -> usize {
        let mut seen = Array2::from_elem(labels.dim(), false);
        let mut count = 0;
        for (start, _) in labels.indexed_iter() {
            if seen[start] {
                continue;
            }
            count += 1;
            let mut open = vec![[start.0, start.1]];
            seen[start] = true;
            while let Some([i, j]) = open.pop() {
                for side in [[i.wrapping_sub(1), j], [i, j.wrapping_sub(1)], [i, j + 1], [i + 1, j]] {
                    if labels.get(side) == Some(&labels[[i, j]]) && !seen[side] {
                        seen[side] = true;
                        open.push(side);
                    }
                }
            }
        }
        count
    }

    /// Length of the borders between regions: the shorter, the rounder they are.
    fn border(labels: &Array2<u32>) -> usize {
        let (rows, columns) = labels.dim();
        let down = (1..rows).flat_map(|i| (0..columns).map(move |j| ([i - 1, j], [i, j])));
        let across = (0..rows).flat_map(|i| (1..columns).map(move |j| ([i, j - 1], [i, j])));
        down.chain(across).filter(|&(a, b)| labels[a] != labels[b]).count()
    }

    #[test]
    fn every_pixel_has_a_label_and_every_region_is_in_one_piece() {
        for (rows, columns) in [(60, 80), (1, 50), (50, 1), (1, 1), (7, 5)] {
            let gradient = gradient(image(rows, columns).view());
            for markers in [1, 2, 10, 35, 200] {
                let labels = watershed(gradient.view(), markers, 0.0);
                let count = *labels.iter().max().unwrap() as usize + 1;
                let asked = markers.min(rows * columns);
                assert!(
                    count * 10 >= asked * 8 && count * 10 <= asked * 12,
                    "{rows}x{columns}: {count} of {asked}"
                );
                assert_eq!(pieces(&labels), count, "{rows}x{columns}, {markers} markers");
            }
        }
    }

    #[test]
    fn compactness_makes_regions_rounder() {
        let gradient = gradient(image(90, 120).view());
        let borders: Vec<usize> =
            [1e-8, 0.02, 0.08, 0.3].iter().map(|&c| border(&watershed(gradient.view(), 48, c))).collect();
        assert!(borders.is_sorted_by(|a, b| a > b), "{borders:?}");
    }

    #[test]
    fn regions_stop_at_edges() {
        // A bright disc: no region lies on both sides of its rim.
        let disc = |i: usize, j: usize| (i as f64 - 40.0).hypot(j as f64 - 40.0) < 25.0;
        let image = Array::from_shape_fn((1, 80, 80), |(_, i, j)| if disc(i, j) { 200.0 } else { 20.0 });
        let labels = watershed(gradient(image.view()).view(), 36, 0.0);
        let mut sides = vec![(0, 0); 36];
        for ((i, j), &label) in labels.indexed_iter() {
            let side = &mut sides[label as usize];
            *(if disc(i, j) { &mut side.0 } else { &mut side.1 }) += 1;
        }
        // The rim itself is two pixels wide in the gradient.
        assert!(
            sides.iter().all(|&(inside, outside)| inside.min(outside) * 8 <= inside.max(outside)),
            "{sides:?}"
        );
    }

    #[test]
    fn odd_gradients_do_no_harm() {
        let flat = watershed(Array2::zeros((20, 20)).view(), 16, 0.0);
        assert_eq!(pieces(&flat), 16);
        let mut holes = Array2::zeros((20, 20));
        holes.slice_mut(swgg::ndarray::s![3..9, ..]).fill(f64::NAN);
        holes[[15, 15]] = f64::INFINITY;
        let labels = watershed(holes.view(), 16, -1.0);
        assert!(labels.iter().all(|&label| label < 16));
        assert_eq!(watershed(Array2::zeros((0, 5)).view(), 4, 0.0).len(), 0);
    }

    #[test]
    fn a_gradient_has_mean_one() {
        let gradient = gradient(image(30, 40).view());
        assert!((gradient.mean().unwrap() - 1.0).abs() < 1e-12);
        let deeper = super::gradient((image(30, 40) * 257.0).view());
        assert!(deeper.iter().zip(&gradient).all(|(a, b)| (a - b).abs() < 1e-9));
        assert!(super::gradient(Array3::from_elem((3, 4, 5), 7.0).view()).iter().all(|&x| x == 0.0));
    }
}
