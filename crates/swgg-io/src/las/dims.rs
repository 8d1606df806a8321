//! Where the bytes of a LAS point hold what. Names are those that Python's laspy gives.

use crate::scalar::{Number, Scalar};

/// One dimension of a point: some bits of a byte, or all bits of some bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dim {
    pub(super) name: &'static str,
    pub(super) scalar: Scalar,
    /// Values per point.
    pub(super) count: usize,
    offset: usize,
    shift: u32,
    /// 0 if all bits belong to it.
    bits: u32,
}

/// Bytes of a point of a format; `None` if there is no such format.
pub(super) fn size(point_format: u8) -> Option<usize> {
    Some(*[20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67].get(usize::from(point_format))?)
}

/// The dimensions of a point after its three coordinates of 32 bits each, and of the `extra` bytes after them.
pub(super) fn dims(point_format: u8, extra: usize) -> Vec<Dim> {
    let full = |name, scalar, offset| Dim { name, scalar, count: 1, offset, shift: 0, bits: 0 };
    let some = |name, offset, shift, bits| Dim { name, scalar: Scalar::U8, count: 1, offset, shift, bits };
    let mut dims = vec![full("intensity", Scalar::U16, 12)];
    let next = if point_format < 6 {
        dims.extend([
            some("return_number", 14, 0, 3),
            some("number_of_returns", 14, 3, 3),
            some("scan_direction_flag", 14, 6, 1),
            some("edge_of_flight_line", 14, 7, 1),
            some("classification", 15, 0, 5),
            some("synthetic", 15, 5, 1),
            some("key_point", 15, 6, 1),
            some("withheld", 15, 7, 1),
            full("scan_angle_rank", Scalar::I8, 16),
            full("user_data", Scalar::U8, 17),
            full("point_source_id", Scalar::U16, 18),
        ]);
        20
    } else {
        dims.extend([
            some("return_number", 14, 0, 4),
            some("number_of_returns", 14, 4, 4),
            some("synthetic", 15, 0, 1),
            some("key_point", 15, 1, 1),
            some("withheld", 15, 2, 1),
            some("overlap", 15, 3, 1),
            some("scanner_channel", 15, 4, 2),
            some("scan_direction_flag", 15, 6, 1),
            some("edge_of_flight_line", 15, 7, 1),
            full("classification", Scalar::U8, 16),
            full("user_data", Scalar::U8, 17),
            full("scan_angle", Scalar::I16, 18),
            full("point_source_id", Scalar::U16, 20),
        ]);
        22
    };
    let mut next = next;
    let mut follow = |name, scalar: Scalar, count: usize| {
        dims.push(Dim { name, scalar, count, offset: next, shift: 0, bits: 0 });
        next += scalar.size() * count;
    };
    if !matches!(point_format, 0 | 2) {
        follow("gps_time", Scalar::F64, 1);
    }
    if matches!(point_format, 2 | 3 | 5 | 7 | 8 | 10) {
        ["red", "green", "blue"].into_iter().for_each(|name| follow(name, Scalar::U16, 1));
    }
    if matches!(point_format, 8 | 10) {
        follow("nir", Scalar::U16, 1);
    }
    if matches!(point_format, 4 | 5 | 9 | 10) {
        follow("wave_packet", Scalar::U8, 29);
    }
    if extra > 0 {
        follow("extra_bytes", Scalar::U8, extra);
    }
    dims
}

impl Dim {
    /// The bytes of this dimension of a point.
    pub(super) fn get<'a>(&self, point: &'a [u8], scratch: &'a mut [u8; 1]) -> &'a [u8] {
        if self.bits == 0 {
            return &point[self.offset..self.offset + self.scalar.size() * self.count];
        }
        scratch[0] = point[self.offset] >> self.shift & ((1 << self.bits) - 1);
        scratch
    }

    /// Sets this dimension of a point; the bits were zero before.
    pub(super) fn set(&self, point: &mut [u8], bytes: &[u8]) {
        if self.bits == 0 {
            point[self.offset..self.offset + bytes.len()].copy_from_slice(bytes);
        } else {
            point[self.offset] |= bytes[0] << self.shift;
        }
    }

    /// Whether a value of the right type has few enough bits.
    pub(super) fn holds(&self, value: Number) -> bool {
        self.bits == 0 || value.to_integer().is_some_and(|value| value < 1 << self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_fill_their_points() {
        for (point_format, extra) in (0..=10).flat_map(|format| [(format, 0), (format, 5)]) {
            let mut covered = vec![0u8; size(point_format).unwrap() + extra];
            covered[..12].fill(255);
            for dim in dims(point_format, extra) {
                let ones = vec![255; dim.scalar.size() * dim.count];
                let ones = if dim.bits == 0 { ones } else { vec![(1 << dim.bits) - 1] };
                let mut one = vec![0; covered.len()];
                dim.set(&mut one, &ones);
                assert_eq!(dim.get(&one, &mut [0]), ones);
                covered.iter_mut().zip(one).for_each(|(all, one)| {
                    assert_eq!(*all & one, 0, "format {point_format}, {}", dim.name);
                    *all |= one;
                });
            }
            assert!(covered.iter().all(|&byte| byte == 255), "format {point_format}: {covered:?}");
        }
        assert_eq!(size(11), None);
    }
}
