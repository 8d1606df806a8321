//! Numbers that look random, the same every time and on every machine.

/// A stream of numbers by its seed, for clouds that need no more than that: a linear congruential generator (Knuth's MMIX).
pub struct Random(pub u64);

impl Random {
    /// The next one, from 0 to 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: a sum of twelve.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
