//! The inner loops: distances and exponentials, in straight lines that compilers turn into vector instructions.
//!
//! Each loop is written once. On x86 it is compiled three times (baseline, AVX2 with FMA, AVX-512) and the best one that the
//! processor offers is chosen when the program runs. All of them add in the same order, over eight partial sums, so results are
//! the same whatever the number of threads; a fused multiply-add rounds once instead of twice, so a processor without it differs
//! in the last digits.

// Calling a function compiled for more than the baseline is unsafe: `Kernel::detect` has asked the processor before.
#![allow(unsafe_code)]

/// Numbers treated together: one AVX-512 register, two of AVX2.
const LANES: usize = 8;

/// The instructions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kernel(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Whether the baseline of this build has a fused multiply-add; where it has none, `mul_add` is a slow library call.
const FUSED: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));

impl Kernel {
    /// The best this processor offers.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if fused && is_x86_feature_detected!("avx512f") {
                return Kernel(Level::Avx512);
            }
            if fused {
                return Kernel(Level::Avx2);
            }
        }
        Kernel(Level::Portable)
    }
}

/// Declares a method of [`Kernel`] that runs a generic body with the instructions of its level.
macro_rules! compiled_for_each_level {
    ($(#[$doc:meta])* $name:ident = $body:ident($($arg:ident: $kind:ty),*) -> $out:ty) => {
        impl Kernel {
            $(#[$doc])*
            #[inline]
            pub fn $name(self, $($arg: $kind),*) -> $out {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $kind),*) -> $out {
                    $body::<true>($($arg),*)
                }
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn avx512($($arg: $kind),*) -> $out {
                    $body::<true>($($arg),*)
                }
                match self.0 {
                    Level::Portable => $body::<FUSED>($($arg),*),
                    // SAFETY: only `detect` makes this level, after it has found AVX2 and FMA.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => unsafe { avx2($($arg),*) },
                    // SAFETY: only `detect` makes this level, after it has found AVX-512F, AVX2 and FMA.
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => unsafe { avx512($($arg),*) },
                }
            }
        }
    };
}

compiled_for_each_level! {
    /// `out[k] = |x - y_(start + k)|^2`, with the points `y` in [panels](panels); `start` is a multiple of [`POINTS_PER_PANEL`].
    sq_distances = sq_distances_body(x: &[f64], panels: &[f64], start: usize, out: &mut [f64]) -> ()
}

compiled_for_each_level! {
    /// `sum_k 2^(base[k] + shift - rate costs[k])`; infinite or about `2^-1021` where that leaves the range of numbers.
    sum = sum_body(costs: &[f64], base: &[f64], rate: f64, shift: f64) -> f64
}

compiled_for_each_level! {
    /// Largest of `base[k] - rate costs[k]`.
    largest = largest_body(costs: &[f64], base: &[f64], rate: f64) -> f64
}

compiled_for_each_level! {
    /// Replaces each cost by `2^(base[k] + shift - rate costs[k])`.
    masses = masses_body(costs: &mut [f64], base: &[f64], rate: f64, shift: f64) -> ()
}

compiled_for_each_level! {
    /// `sum_k a[k] b[k]`.
    dot = dot_body(a: &[f64], b: &[f64]) -> f64
}

compiled_for_each_level! {
    /// `out[k] += factor a[k]`.
    add = add_body(a: &[f64], factor: f64, out: &mut [f64]) -> ()
}

#[inline(always)]
fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// Coefficients of the polynomial that interpolates `2^r` at the Chebyshev points of `[-1/2, 1/2]`: off by 3e-18 before rounding.
const POLYNOMIAL: [f64; 12] = [
    1.0,
    std::f64::consts::LN_2,
    0.24022650695910158,
    0.055504108664821625,
    0.009618129107587256,
    0.001333355814640647,
    0.00015403530463724353,
    1.5252733841556773e-05,
    1.3215432535912375e-06,
    1.0178057087733941e-07,
    7.074194297288521e-09,
    4.4558179083360645e-10,
];

/// `2^t` to a few units in the last place, for `t` between -1021 and 1022; beyond, the power of the nearest bound. NaN counts as
/// below, so that nothing downstream is NaN.
#[inline(always)]
fn exp2<const FMA: bool>(t: f64) -> f64 {
    // Adding this leaves the nearest whole number in the low bits: a conversion that every instruction set has.
    const ROUND_INTO_LOW_BITS: f64 = 6_755_399_441_055_744.0;
    let t = if t > -1021.0 { t } else { -1021.0 };
    let t = if t < 1022.0 { t } else { 1022.0 };
    let rounded = t + ROUND_INTO_LOW_BITS;
    let r = t - (rounded - ROUND_INTO_LOW_BITS);
    let mut sum = POLYNOMIAL[11];
    for k in (0..11).rev() {
        sum = fma::<FMA>(sum, r, POLYNOMIAL[k]);
    }
    f64::from_bits(sum.to_bits().wrapping_add(rounded.to_bits() << 52))
}

#[inline(always)]
fn exponent<const FMA: bool>(cost: f64, base: f64, rate: f64, shift: f64) -> f64 {
    fma::<FMA>(-rate, cost, base + shift)
}

#[inline(always)]
fn sum_body<const FMA: bool>(costs: &[f64], base: &[f64], rate: f64, shift: f64) -> f64 {
    let (cost_blocks, cost_rest) = costs.as_chunks::<LANES>();
    let (base_blocks, base_rest) = base.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (cost, base) in cost_blocks.iter().zip(base_blocks) {
        for lane in 0..LANES {
            lanes[lane] += exp2::<FMA>(exponent::<FMA>(cost[lane], base[lane], rate, shift));
        }
    }
    let rest = cost_rest.iter().zip(base_rest);
    let rest = rest.map(|(cost, base)| exp2::<FMA>(exponent::<FMA>(*cost, *base, rate, shift)));
    lanes.iter().fold(rest.sum(), |sum: f64, lane| sum + lane)
}

#[inline(always)]
fn largest_body<const FMA: bool>(costs: &[f64], base: &[f64], rate: f64) -> f64 {
    let (cost_blocks, cost_rest) = costs.as_chunks::<LANES>();
    let (base_blocks, base_rest) = base.as_chunks::<LANES>();
    let mut lanes = [f64::NEG_INFINITY; LANES];
    for (cost, base) in cost_blocks.iter().zip(base_blocks) {
        for lane in 0..LANES {
            let t = fma::<FMA>(-rate, cost[lane], base[lane]);
            lanes[lane] = if t > lanes[lane] { t } else { lanes[lane] };
        }
    }
    let rest = cost_rest.iter().zip(base_rest).map(|(cost, base)| fma::<FMA>(-rate, *cost, *base));
    rest.chain(lanes).fold(f64::NEG_INFINITY, f64::max)
}

#[inline(always)]
fn masses_body<const FMA: bool>(costs: &mut [f64], base: &[f64], rate: f64, shift: f64) {
    for (cost, base) in costs.iter_mut().zip(base) {
        *cost = exp2::<FMA>(exponent::<FMA>(*cost, *base, rate, shift));
    }
}

#[inline(always)]
fn dot_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    // More sums than numbers treated together, so that an addition does not wait for the one before.
    let (a_blocks, a_rest) = a.as_chunks::<{ 4 * LANES }>();
    let (b_blocks, b_rest) = b.as_chunks::<{ 4 * LANES }>();
    let mut lanes = [0.0; 4 * LANES];
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for lane in 0..4 * LANES {
            lanes[lane] = fma::<FMA>(a[lane], b[lane], lanes[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().fold(rest, |sum, lane| sum + lane)
}

#[inline(always)]
fn add_body<const FMA: bool>(a: &[f64], factor: f64, out: &mut [f64]) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = fma::<FMA>(factor, *a, *out);
    }
}

/// Points of a panel: their sums stay in registers while coordinates pass.
pub(super) const POINTS_PER_PANEL: usize = 32;

/// Points in panels of [`POINTS_PER_PANEL`], each panel column by column; the last one is filled up with zeros.
///
/// In plain columns the coordinates of a point would be far apart, each in a page of its own.
pub(super) fn panels(rows: &[f64], dim: usize) -> Vec<f64> {
    let n = rows.len() / dim;
    let mut panels = vec![0.0; n.next_multiple_of(POINTS_PER_PANEL) * dim];
    for (i, row) in rows.chunks_exact(dim).enumerate() {
        let panel = i / POINTS_PER_PANEL * POINTS_PER_PANEL * dim;
        row.iter()
            .enumerate()
            .for_each(|(c, x)| panels[panel + c * POINTS_PER_PANEL + i % POINTS_PER_PANEL] = *x);
    }
    panels
}

#[inline(always)]
fn sq_distances_body<const FMA: bool>(x: &[f64], panels: &[f64], start: usize, out: &mut [f64]) {
    match x.len() {
        1 => squares_in::<FMA, 1>(x, panels, start, out),
        2 => squares_in::<FMA, 2>(x, panels, start, out),
        3 => squares_in::<FMA, 3>(x, panels, start, out),
        _ => squares_in::<FMA, 0>(x, panels, start, out),
    }
}

/// In dimension `D`, or in any for `D = 0`.
#[inline(always)]
fn squares_in<const FMA: bool, const D: usize>(x: &[f64], panels: &[f64], start: usize, out: &mut [f64]) {
    let dim = if D == 0 { x.len() } else { D };
    let (x, panels) = (&x[..dim], &panels[start * dim..]);
    let (whole, rest) = out.as_chunks_mut::<POINTS_PER_PANEL>();
    let last = &panels[whole.len() * POINTS_PER_PANEL * dim..];
    for (out, panel) in whole.iter_mut().zip(panels.chunks_exact(POINTS_PER_PANEL * dim)) {
        *out = squares_of::<FMA>(x, panel);
    }
    if !rest.is_empty() {
        let sums = squares_of::<FMA>(x, &last[..POINTS_PER_PANEL * dim]);
        rest.copy_from_slice(&sums[..rest.len()]);
    }
}

#[inline(always)]
fn squares_of<const FMA: bool>(x: &[f64], panel: &[f64]) -> [f64; POINTS_PER_PANEL] {
    let mut sums = [0.0; POINTS_PER_PANEL];
    for (x, y) in x.iter().zip(panel.as_chunks::<POINTS_PER_PANEL>().0) {
        for lane in 0..POINTS_PER_PANEL {
            let gap = x - y[lane];
            sums[lane] = fma::<FMA>(gap, gap, sums[lane]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every level this processor has.
    fn levels() -> Vec<Kernel> {
        let best = Kernel::detect();
        let mut levels = vec![Kernel(Level::Portable), best];
        #[cfg(target_arch = "x86_64")]
        if best.0 == Level::Avx512 {
            levels.push(Kernel(Level::Avx2));
        }
        levels
    }

    #[test]
    fn powers_of_two_are_exact_and_others_nearly() {
        for kernel in levels() {
            let exponents: Vec<f64> = (0..200_000).map(|k| -1020.0 + 0.010_203_1 * f64::from(k)).collect();
            let mut powers = vec![0.0; exponents.len()];
            kernel.masses(&mut powers, &exponents, 0.0, 0.0);
            for (t, power) in exponents.iter().zip(&powers) {
                assert!((power / t.exp2() - 1.0).abs() < 2e-15, "{kernel:?}: 2^{t} is not {power}");
            }
            let whole: Vec<f64> = (-1021..=1022).map(f64::from).collect();
            let mut powers = vec![0.0; whole.len()];
            kernel.masses(&mut powers, &whole, 0.0, 0.0);
            assert!(whole.iter().zip(&powers).all(|(t, power)| *power == t.exp2()));
        }
    }

    #[test]
    fn the_ends_of_the_range_hold() {
        for kernel in levels() {
            let mut powers = [0.0; 4];
            kernel.masses(&mut powers, &[-1e300, 1e300, f64::NEG_INFINITY, f64::NAN], 0.0, 0.0);
            assert_eq!(powers, [-1021.0, 1022.0, -1021.0, -1021.0].map(f64::exp2));
        }
    }

    #[test]
    fn levels_agree() {
        let numbers = |n: usize, scale: f64| (0..n).map(|k| scale * (k as f64).sin()).collect::<Vec<_>>();
        for n in [1, 7, 8, 37, 512] {
            for d in [1, 2, 3, 4, 11] {
                let (x, rows, base) =
                    (numbers(d, 2.0), numbers(d * (n + POINTS_PER_PANEL), 3.0), numbers(n, 20.0));
                let panels = panels(&rows, d);
                let mut all = Vec::new();
                for kernel in levels() {
                    let mut costs = vec![0.0; n];
                    kernel.sq_distances(&x, &panels, POINTS_PER_PANEL, &mut costs);
                    let sum = kernel.sum(&costs, &base, 0.7, 0.3);
                    all.push((sum, kernel.largest(&costs, &base, 0.7), costs));
                }
                let naive = |k: usize| -> f64 {
                    (0..d).map(|c| (x[c] - rows[(POINTS_PER_PANEL + k) * d + c]).powi(2)).sum()
                };
                for (sum, largest, costs) in &all {
                    assert!(costs.iter().enumerate().all(|(k, cost)| (cost - naive(k)).abs() < 1e-12));
                    let exponents = costs.iter().zip(&base).map(|(c, b)| b - 0.7 * c);
                    let plain: f64 = exponents.clone().map(|t| (t + 0.3).exp2()).sum();
                    assert!((sum / plain - 1.0).abs() < 1e-12);
                    assert!((largest - exponents.fold(f64::NEG_INFINITY, f64::max)).abs() < 1e-12);
                }
                assert!(
                    all[1..].windows(2).all(|pair| pair[0] == pair[1]),
                    "AVX2 and AVX-512 give the same bits"
                );
            }
        }
    }
}
