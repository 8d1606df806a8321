//! Where nearly all of the values lie: a stray point must not make the rest a dot.

/// The share of the values on each side that may be strays.
const STRAYS: f64 = 0.05;

/// From the least to the largest value, without those that are further from the middle nine tenths than `reach` times their width.
pub fn nearly_all(values: &mut [f64], reach: f64) -> Option<(f64, f64)> {
    values.sort_unstable_by(f64::total_cmp);
    let (least, most) = (*values.first()?, *values.last()?);
    let last = values.len() - 1;
    let strays = (STRAYS * last as f64) as usize;
    // Of a handful of points none is a stray.
    if strays == 0 {
        return Some((least, most));
    }
    let (low, high) = (values[strays], values[last - strays]);
    let room = reach * (high - low);
    // Where nearly all points agree in a coordinate, or the width is beyond all numbers, nothing is cut.
    if room.is_nan() || room.is_infinite() || room <= 0.0 {
        return Some((least, most));
    }
    // From the first to the last of those that are left.
    let first = values.partition_point(|x| *x < low - room);
    let end = values.partition_point(|x| *x <= high + room);
    Some((values[first], values[end - 1]))
}

#[cfg(test)]
mod tests {
    use super::nearly_all;

    #[test]
    fn strays_are_cut_and_others_are_not() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(nearly_all(&mut values, 1.5), Some((0.0, 99.0)));
        values.push(1e6);
        assert_eq!(nearly_all(&mut values, 1.5), Some((0.0, 99.0)));
        assert_eq!(nearly_all(&mut [3.0, -1.0, 1e9], 1.5), Some((-1.0, 1e9)));
        assert_eq!(nearly_all(&mut [2.0; 50], 1.5), Some((2.0, 2.0)));
        assert_eq!(nearly_all(&mut [], 1.5), None);
        let mut huge: Vec<f64> = (0..100).map(|k| if k % 2 == 0 { 1.5e308 } else { -1.5e308 }).collect();
        assert_eq!(nearly_all(&mut huge, 1.5), Some((-1.5e308, 1.5e308)));
    }
}
