//! Numbers without rounding: whole numbers of any size times a power of two, which every finite float is.
//!
//! Sums, differences and products of floats are exact here, whatever their exponents, so that a bound can be held against the
//! truth and not against another rounded number.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// `sign * magnitude * 2^exponent`.
#[derive(Clone, Debug)]
pub struct Dyadic {
    is_negative: bool,
    /// Digits in base 2^32, the lowest first, no zeros at the end.
    magnitude: Vec<u32>,
    exponent: i64,
}

impl Dyadic {
    /// Nothing.
    pub fn zero() -> Self {
        Dyadic { is_negative: false, magnitude: Vec::new(), exponent: 0 }
    }

    /// The value of a float, which must be finite.
    pub fn of(x: f64) -> Self {
        assert!(x.is_finite(), "{x} is no number");
        let bits = x.to_bits();
        let (field, fraction) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
        // Numbers below the least normal one have no hidden bit.
        let (digits, exponent) =
            if field == 0 { (fraction, -1074) } else { (fraction | 1 << 52, field - 1075) };
        Self::new(x.is_sign_negative(), vec![digits as u32, (digits >> 32) as u32], exponent)
    }

    fn new(is_negative: bool, mut magnitude: Vec<u32>, exponent: i64) -> Self {
        while magnitude.last() == Some(&0) {
            magnitude.pop();
        }
        Dyadic { is_negative: is_negative && !magnitude.is_empty(), magnitude, exponent }
    }

    /// Whether it is nothing.
    pub fn is_zero(&self) -> bool {
        self.magnitude.is_empty()
    }

    /// The digits at a lower exponent.
    fn at(&self, exponent: i64) -> Vec<u32> {
        let bits = (self.exponent - exponent) as usize;
        let (words, shift) = (bits / 32, bits % 32);
        let mut digits = vec![0; words];
        let mut carry = 0_u64;
        for &digit in &self.magnitude {
            let wide = (u64::from(digit) << shift) | carry;
            digits.push(wide as u32);
            carry = wide >> 32;
        }
        digits.push(carry as u32);
        digits
    }

    fn magnitudes(&self, other: &Self) -> (Vec<u32>, Vec<u32>, i64) {
        let exponent = self.exponent.min(other.exponent);
        let (mut a, mut b) = (self.at(exponent), other.at(exponent));
        let len = a.len().max(b.len());
        a.resize(len, 0);
        b.resize(len, 0);
        (a, b, exponent)
    }
}

fn compared(a: &[u32], b: &[u32]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

fn subtracted(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut borrow = 0_i64;
    let mut digits = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let difference = i64::from(*x) - i64::from(*y) - borrow;
        borrow = i64::from(difference < 0);
        digits.push(difference as u32);
    }
    digits
}

impl Add for &Dyadic {
    type Output = Dyadic;

    fn add(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = self.magnitudes(other);
        if self.is_negative == other.is_negative {
            let (mut digits, mut carry) = (Vec::with_capacity(a.len() + 1), 0_u64);
            for (x, y) in a.iter().zip(&b) {
                let sum = u64::from(*x) + u64::from(*y) + carry;
                digits.push(sum as u32);
                carry = sum >> 32;
            }
            digits.push(carry as u32);
            return Dyadic::new(self.is_negative, digits, exponent);
        }
        match compared(&a, &b) {
            Ordering::Less => Dyadic::new(other.is_negative, subtracted(&b, &a), exponent),
            _ => Dyadic::new(self.is_negative, subtracted(&a, &b), exponent),
        }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;

    fn neg(self) -> Dyadic {
        Dyadic { is_negative: !self.is_negative && !self.is_zero(), ..self.clone() }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;

    fn sub(self, other: &Dyadic) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;

    fn mul(self, other: &Dyadic) -> Dyadic {
        let mut digits = vec![0_u32; self.magnitude.len() + other.magnitude.len() + 1];
        for (i, &x) in self.magnitude.iter().enumerate() {
            let mut carry = 0_u64;
            for (j, &y) in other.magnitude.iter().enumerate() {
                let wide = u64::from(x) * u64::from(y) + u64::from(digits[i + j]) + carry;
                digits[i + j] = wide as u32;
                carry = wide >> 32;
            }
            digits[i + other.magnitude.len()] = carry as u32;
        }
        Dyadic::new(self.is_negative != other.is_negative, digits, self.exponent + other.exponent)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        (self - other).is_zero()
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        match self - other {
            gap if gap.is_zero() => Ordering::Equal,
            gap if gap.is_negative => Ordering::Less,
            _ => Ordering::Greater,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_what_they_are() {
        let of = Dyadic::of;
        assert_eq!(&of(1.5) + &of(-0.25), of(1.25));
        assert_eq!(&of(1.5) - &of(1.75), of(-0.25));
        assert_eq!(&of(-3.0) * &of(0.5), of(-1.5));
        assert!(of(-1.0) < Dyadic::zero() && Dyadic::zero() < of(f64::MIN_POSITIVE / 4.0));
        assert!((&of(2.5) - &of(2.5)).is_zero() && of(-0.0) == of(0.0));
    }

    #[test]
    fn nothing_is_rounded() {
        // Floats would lose the small one.
        let (large, small) = (Dyadic::of(1e300), Dyadic::of(1e-300));
        let sum = &large + &small;
        assert!(sum > large && &sum - &large == small);
        // (a + b)(a - b) = a^2 - b^2, to the last digit.
        let product = &(&large + &small) * &(&large - &small);
        assert_eq!(product, &(&large * &large) - &(&small * &small));
        let denormal = Dyadic::of(5e-324);
        assert!(&denormal * &denormal > Dyadic::zero());
    }

    #[test]
    fn whole_numbers_agree_with_those_of_128_bits() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as i64 as f64 * if state & 4 == 0 { 1.0 } else { -1.0 }
        };
        for _ in 0..500 {
            let (a, b, c) = (next(), next(), next());
            let whole = (a as i128) * (b as i128) - (c as i128);
            let found = &(&Dyadic::of(a) * &Dyadic::of(b)) - &Dyadic::of(c);
            // Compared in two halves, each of which is a float.
            let (high, low) = (whole >> 50, whole & ((1 << 50) - 1));
            let exact = |x: i128| &Dyadic::of((x >> 20) as f64) * &Dyadic::of(1_048_576.0);
            let high = &exact(high) + &Dyadic::of((high & 0xf_ffff) as f64);
            let expected = &(&high * &Dyadic::of((1_u64 << 50) as f64)) + &Dyadic::of(low as f64);
            assert_eq!(found, expected, "{a} {b} {c}");
        }
    }
}
