//! The number types points may be stored in.

/// `f32` or `f64`: how coordinates are stored. Every sum is taken in `f64`.
pub trait Scalar: Copy + Send + Sync + PartialOrd + std::fmt::Debug + 'static + sealed::Sealed {
    /// Distance from 1 to the next number of this type.
    const EPSILON: f64;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
    /// The nearest number of this type.
    fn from_f64(number: f64) -> Self;
    /// Which of the two this is, with something that holds numbers of it.
    #[doc(hidden)]
    fn precision<H: Holder>(held: H::Of<Self>) -> Precision<H>;
    /// What one of two functions makes: that of this type.
    #[doc(hidden)]
    fn made<H: Holder>(
        single: impl FnOnce() -> H::Of<f32>,
        double: impl FnOnce() -> H::Of<f64>,
    ) -> H::Of<Self>;
}

/// A type that holds numbers of either precision, such as a reference to points.
#[doc(hidden)]
pub trait Holder {
    /// The type with numbers of this one.
    type Of<T: Scalar>;
}

/// What a [`Holder`] holds, with its precision known: from here on code is compiled in this crate.
#[doc(hidden)]
pub enum Precision<H: Holder> {
    /// Numbers of 4 bytes.
    Single(H::Of<f32>),
    /// Numbers of 8 bytes.
    Double(H::Of<f64>),
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
    fn precision<H: Holder>(held: H::Of<Self>) -> Precision<H> {
        Precision::Single(held)
    }
    fn made<H: Holder>(single: impl FnOnce() -> H::Of<f32>, _: impl FnOnce() -> H::Of<f64>) -> H::Of<Self> {
        single()
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
    fn precision<H: Holder>(held: H::Of<Self>) -> Precision<H> {
        Precision::Double(held)
    }
    fn made<H: Holder>(_: impl FnOnce() -> H::Of<f32>, double: impl FnOnce() -> H::Of<f64>) -> H::Of<Self> {
        double()
    }
}

/// A call with something of known precision. The two functions that it makes are compiled in this crate: a generic function is compiled
/// anew in every crate that calls it.
macro_rules! by_precision {
    (
        $t:ty: $holder:ty = $held:expr,
        ($($name:ident: $kind:ty = $given:expr),*) -> $answer:ty,
        |$known:ident| $call:expr
    ) => {{
        use $crate::number::scalar::{Holder, Precision, Scalar};
        #[inline(never)]
        fn single($known: <$holder as Holder>::Of<f32>, $($name: $kind),*) -> $answer {
            $call
        }
        #[inline(never)]
        fn double($known: <$holder as Holder>::Of<f64>, $($name: $kind),*) -> $answer {
            $call
        }
        match <$t as Scalar>::precision::<$holder>($held) {
            Precision::Single(known) => single(known, $($given),*),
            Precision::Double(known) => double(known, $($given),*),
        }
    }};
}
pub(crate) use by_precision;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
