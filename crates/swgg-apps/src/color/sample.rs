//! The numbers that pictures are made of.

use super::colorization::{self, Colorized};
use super::error::Result;
use super::image::Image;
use super::regions;
use super::transfer::{self, Settings, Transferred};

/// A sample of a channel: `u8`, `u16` or `f32`.
pub trait Sample: Copy + PartialEq + Send + Sync + 'static {
    /// Steps from black to white, if there are steps.
    const STEPS: Option<u32>;

    /// From 0, black, to 1.
    fn to_unit(self) -> f64;

    /// The nearest sample; what is out of range is clamped (floats are not).
    fn from_unit(unit: f64) -> Self;

    /// The first eight bits.
    fn cell(self) -> u8;

    /// The same order, as whole numbers.
    fn rank(self) -> u32;

    /// The inside of [`transfer`](super::transfer()), compiled in this crate once for each kind of sample: a generic function is compiled anew
    /// in every crate that calls it.
    #[doc(hidden)]
    fn transferred(
        source: &Image<Self>,
        reference: &Image<Self>,
        settings: &Settings,
    ) -> Result<Transferred<Self>>;

    /// The inside of [`colorize`](super::colorize()), likewise.
    #[doc(hidden)]
    fn colorized(width: usize, grays: &[Self], reference: &Image<Self>) -> Colorized<Self>;

    /// The inside of [`colorize_within`](super::colorize_within()), likewise.
    #[doc(hidden)]
    fn colorized_within(grays: &[Self], colors: &[[Self; 3]], labels: &[u32]) -> Colorized<Self>;
}

/// What is compiled once for each kind of sample.
macro_rules! compiled_here {
    () => {
        fn transferred(
            source: &Image<Self>,
            reference: &Image<Self>,
            settings: &Settings,
        ) -> Result<Transferred<Self>> {
            transfer::run(source, reference, settings)
        }

        fn colorized(width: usize, grays: &[Self], reference: &Image<Self>) -> Colorized<Self> {
            colorization::run(width, grays, reference)
        }

        fn colorized_within(grays: &[Self], colors: &[[Self; 3]], labels: &[u32]) -> Colorized<Self> {
            regions::run(grays, colors, labels)
        }
    };
}

impl Sample for u8 {
    const STEPS: Option<u32> = Some(255);

    fn to_unit(self) -> f64 {
        f64::from(self) / 255.0
    }

    fn from_unit(unit: f64) -> Self {
        (255.0 * unit).round() as u8
    }

    fn cell(self) -> u8 {
        self
    }

    fn rank(self) -> u32 {
        self.into()
    }

    compiled_here!();
}

impl Sample for u16 {
    const STEPS: Option<u32> = Some(65535);

    fn to_unit(self) -> f64 {
        f64::from(self) / 65535.0
    }

    fn from_unit(unit: f64) -> Self {
        (65535.0 * unit).round() as u16
    }

    fn cell(self) -> u8 {
        (self >> 8) as u8
    }

    fn rank(self) -> u32 {
        self.into()
    }

    compiled_here!();
}

impl Sample for f32 {
    const STEPS: Option<u32> = None;

    fn to_unit(self) -> f64 {
        self.into()
    }

    fn from_unit(unit: f64) -> Self {
        unit as f32
    }

    fn cell(self) -> u8 {
        (256.0 * self) as u8
    }

    fn rank(self) -> u32 {
        // The bits of floats are ordered like whole numbers, those of negative ones backwards.
        let bits = self.to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    }

    compiled_here!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_survive_the_way_there_and_back() {
        assert!((0..=u8::MAX).all(|x| u8::from_unit(x.to_unit()) == x));
        assert!((0..=u16::MAX).all(|x| u16::from_unit(x.to_unit()) == x));
        assert_eq!((u8::from_unit(-0.1), u16::from_unit(1.1)), (0, 65535));
        assert_eq!((f32::cell(-0.5), f32::cell(0.999), f32::cell(7.0)), (0, 255, 255));
        let ranks: Vec<u32> = [-2.0_f32, -1.0, 0.0, 1e-9, 0.5, 3.0].iter().map(|x| x.rank()).collect();
        assert!(ranks.is_sorted());
    }
}
