//! The number types points may be stored in.

/// `f32` or `f64`: how coordinates are stored. Every sum is taken in `f64`.
pub trait Scalar: Copy + Send + Sync + PartialOrd + std::fmt::Debug + 'static + sealed::Sealed {
    /// Distance from 1 to the next number of this type.
    const EPSILON: f64;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// The nearest number of this type.
    fn from_f64(number: f64) -> Self;
}

impl Scalar for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn from_f64(number: f64) -> Self {
        number as f32
    }
}

impl Scalar for f64 {
    const EPSILON: f64 = f64::EPSILON;
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn from_f64(number: f64) -> Self {
        number
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
