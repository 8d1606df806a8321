//! Whether a JPEG file is whole: its decoder fills what is missing with gray and does not say so.

/// Whether the image data run up to the end-of-image marker (ITU T.81, annex B).
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let mut at = 2;
    // Segments with a length each; after a start of scan, data in which markers are the only bytes behind an 0xff.
    while let (Some(0xff), Some(&marker)) = (bytes.get(at), bytes.get(at + 1)) {
        match marker {
            0xd9 => return true,
            // Fill bytes, and markers without a length.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => {
                let Some(length) = bytes.get(at + 2..at + 4) else { return false };
                at += 2 + usize::from(u16::from_be_bytes([length[0], length[1]]));
                if marker == 0xda {
                    let Some(rest) = bytes.get(at..) else { return false };
                    let is_marker = |w: &[u8]| w[0] == 0xff && !matches!(w[1], 0 | 0xd0..=0xd7 | 0xff);
                    let Some(next) = rest.windows(2).position(is_marker) else { return false };
                    at += next;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thumbnail_does_not_end_a_picture() {
        // An application segment that holds an end-of-image marker, then a scan.
        let mut bytes =
            vec![0xff, 0xd8, 0xff, 0xe1, 0, 4, 0xff, 0xd9, 0xff, 0xda, 0, 2, 1, 0xff, 0, 0xff, 0xd3, 2];
        assert!(!is_whole(&bytes));
        bytes.extend([0xff, 0xd9]);
        assert!(is_whole(&bytes));
        bytes.extend([0, 0, 0]);
        assert!(is_whole(&bytes));
        assert!(!is_whole(&[0xff, 0xd8]));
    }
}
