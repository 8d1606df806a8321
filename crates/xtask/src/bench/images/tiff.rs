//! Just enough of TIFF to hand a drawn scene to the command line: 16 bits, uncompressed, pixel by pixel.

use std::path::Path;

use crate::shell::Outcome;

/// Writes samples given pixel by pixel.
pub fn write(path: &Path, bands: usize, rows: usize, columns: usize, samples: &[u16]) -> Outcome<()> {
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    // Behind the header come the samples, then the depths of the bands, then the directory.
    let depths = 8 + data.len();
    let directory = depths + 2 * bands;
    let depth = if bands == 1 { 16 } else { depths };
    let entries = [
        (256_u16, 4_u16, 1, columns),
        (257, 4, 1, rows),
        (258, 3, bands, depth),
        (259, 3, 1, 1),
        (262, 3, 1, 1),
        (273, 4, 1, 8),
        (277, 3, 1, bands),
        (278, 4, 1, rows),
        (279, 4, 1, data.len()),
    ];
    let mut bytes = b"II*\0".to_vec();
    bytes.extend((directory as u32).to_le_bytes());
    bytes.extend(data);
    bytes.extend(16_u16.to_le_bytes().repeat(bands));
    bytes.extend((entries.len() as u16).to_le_bytes());
    for (tag, kind, count, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend((count as u32).to_le_bytes());
        bytes.extend((value as u32).to_le_bytes());
    }
    bytes.extend([0; 4]);
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
