//! The LZF compression of PCD files: runs of literal bytes, and copies of what came before.
//!
//! A byte below 32 announces that many literal bytes and one more. Any other holds a length in its upper three bits (7:
//! and the next byte on top) and, with the byte after, how far back to copy that length and two more from.

/// Longest run of literal bytes.
const RUN: usize = 32;
/// Longest copy.
const LONGEST: usize = 264;
/// Farthest copy.
const FARTHEST: usize = 1 << 13;
const HASH_BITS: u32 = 14;

/// How many bytes one compressed byte can become at most.
pub(super) const EXPANSION: u64 = (LONGEST as u64).div_ceil(3);

/// The original `length` bytes, or `None` if `input` is no compression of that many.
pub(super) fn decompress(input: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut output = Vec::with_capacity(length);
    let mut rest = input;
    while let Some((&control, after)) = rest.split_first() {
        rest = after;
        let control = usize::from(control);
        if control < RUN {
            let (literal, after) = rest.split_at_checked(control + 1)?;
            output.extend(literal);
            rest = after;
        } else {
            let mut copied = control >> 5;
            if copied == 7 {
                let (&more, after) = rest.split_first()?;
                copied += usize::from(more);
                rest = after;
            }
            let (&low, after) = rest.split_first()?;
            rest = after;
            let back = ((control & 31) << 8 | usize::from(low)) + 1;
            let start = output.len().checked_sub(back)?;
            // Byte by byte: a copy may run into what it writes.
            (start..start + copied + 2).for_each(|at| output.push(output[at]));
        }
        if output.len() > length {
            return None;
        }
    }
    (output.len() == length).then_some(output)
}

/// The compression of some bytes; longer than they are by a thirty-second at worst.
pub(super) fn compress(input: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(input.len() / 2 + 16);
    // Where three bytes of this hash were last seen, plus one.
    let mut seen = vec![0usize; 1 << HASH_BITS];
    let (mut at, mut literals) = (0, 0);
    while at + 2 < input.len() {
        let three = u32::from_le_bytes([input[at], input[at + 1], input[at + 2], 0]);
        let hash = (three.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize;
        let before = std::mem::replace(&mut seen[hash], at + 1);
        let candidate =
            before.checked_sub(1).filter(|&b| at - b <= FARTHEST && input[b..b + 3] == input[at..at + 3]);
        let Some(start) = candidate else {
            at += 1;
            continue;
        };
        let most = (input.len() - at).min(LONGEST);
        let length = 3 + (3..most).take_while(|&k| input[start + k] == input[at + k]).count();
        write_literals(&mut output, &input[literals..at]);
        let (back, copied) = (at - start - 1, length - 2);
        output.push((copied.min(7) << 5 | back >> 8) as u8);
        if copied >= 7 {
            output.push((copied - 7) as u8);
        }
        output.push(back as u8);
        at += length;
        literals = at;
    }
    write_literals(&mut output, &input[literals..]);
    output
}

fn write_literals(output: &mut Vec<u8>, literals: &[u8]) {
    for run in literals.chunks(RUN) {
        output.push((run.len() - 1) as u8);
        output.extend(run);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_codes() {
        // Three literals, then a copy of 5 from 3 back, which runs into itself.
        assert_eq!(decompress(&[2, b'a', b'b', b'c', 3 << 5, 2], 8), Some(b"abcabcab".to_vec()));
        // A long copy: 7 in the control byte, and 20 more.
        assert_eq!(decompress(&[0, b'x', 7 << 5, 20, 0], 30), Some(vec![b'x'; 30]));
        assert_eq!(compress(&[b'x'; 30]), [0, b'x', 7 << 5, 20, 0]);
    }

    #[test]
    fn damage_is_refused() {
        for (input, length) in [
            (&[2, b'a', b'b'][..], 3),
            (&[0, b'a', 1 << 5], 4),
            (&[0, b'a', 7 << 5], 4),
            (&[0, b'a', 1 << 5, 1], 4),
            (&[0, b'a', 1 << 5, 0], 5),
            (&[0, b'a', 1 << 5, 0], 3),
            (&[], 1),
        ] {
            assert_eq!(decompress(input, length), None, "{input:?}");
        }
    }

    proptest! {
        #[test]
        fn out_and_in_again(bytes in vec(0u8..4, 0..2000), noise in vec(any::<u8>(), 0..600), repeats in 1usize..40) {
            for input in [bytes, noise.clone(), noise.repeat(repeats)] {
                let compressed = compress(&input);
                prop_assert!(compressed.len() <= input.len() + input.len().div_ceil(RUN));
                prop_assert!(input.len() as u64 <= compressed.len() as u64 * EXPANSION);
                prop_assert_eq!(decompress(&compressed, input.len()), Some(input));
            }
        }

        #[test]
        fn any_bytes(input in vec(any::<u8>(), 0..200), length in 0usize..400) {
            if let Some(output) = decompress(&input, length) {
                prop_assert_eq!(output.len(), length);
            }
        }
    }
}
