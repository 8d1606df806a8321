//! Numbers in few words.

/// Mean and deviation.
pub fn spread(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len().max(1) as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / count).sqrt())
}

pub fn mean(numbers: &[f64]) -> f64 {
    spread(numbers).0
}

/// The value below which a share of the numbers lies, between neighbours in proportion. Not a number if there are none.
pub fn quantile(numbers: &[f64], share: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

pub fn median(numbers: &[f64]) -> f64 {
    quantile(numbers, 0.5)
}

/// The slope of the least-squares line through `(ln x, ln y)`: the power by which `y` grows with `x`.
pub fn growth(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let (mx, my) = logs.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / count, b + y / count));
    let (over, under) = logs
        .iter()
        .fold((0.0, 0.0), |(over, under), (x, y)| (over + (x - mx) * (y - my), under + (x - mx).powi(2)));
    over / under
}

/// A number with three digits that count, for people.
pub fn short(x: f64) -> String {
    match x.abs() {
        _ if !x.is_finite() => "-".to_string(),
        0.0 => "0".to_string(),
        size if !(1e-3..1e5).contains(&size) => format!("{x:.2e}"),
        size => format!("{x:.*}", (2 - size.log10().floor() as i32).max(0) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        assert_eq!(spread(&[1.0, 3.0]), (2.0, 1.0));
        assert_eq!((median(&[3.0, 1.0, 2.0]), quantile(&[0.0, 10.0], 0.9)), (2.0, 9.0));
        assert!(median(&[]).is_nan());
        let square: Vec<(f64, f64)> = [1.0, 2.0, 5.0].map(|x| (x, 3.0 * x * x)).to_vec();
        assert!((growth(&square) - 2.0).abs() < 1e-12);
        assert_eq!([0.0, 12.0, 1234.5, 0.0456, 1e-9].map(short), ["0", "12.0", "1234", "0.0456", "1.00e-9"]);
    }
}
