//! The order of points along a line: by projection, equal ones by id.

use serde::{Deserialize, Serialize};

/// A place in that order, as two whole numbers that compare as the projection and the id do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    projection: u64,
    pub id: u64,
}

impl Key {
    #[inline]
    pub fn new(projection: f64, id: u64) -> Self {
        // Adding zero turns -0.0 into 0.0, so that the order of bits agrees with `==`.
        let bits = (projection + 0.0).to_bits();
        // Negative numbers turn around, positive ones come after them.
        Key { projection: if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }, id }
    }
}

/// `<x, theta>`, with the operations and the order of the in-memory core: the same bits.
#[inline]
pub(crate) fn project(x: &[f64], theta: &[f64]) -> f64 {
    let mut products = x.iter().zip(theta).map(|(x, t)| x * t);
    let first = products.next().unwrap_or(0.0);
    products.fold(first, |sum, product| sum + product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_compare_as_numbers_do() {
        let numbers = [-1e300, -2.0, -1e-310, 0.0, 1e-310, 0.5, 3.0, 1e300];
        for (i, &a) in numbers.iter().enumerate() {
            for (j, &b) in numbers.iter().enumerate() {
                assert_eq!(Key::new(a, 5).cmp(&Key::new(b, 5)), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(Key::new(-0.0, 1), Key::new(0.0, 1));
        assert!(Key::new(1.0, 1) < Key::new(1.0, 2));
    }
}
