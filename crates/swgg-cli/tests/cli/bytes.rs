//! Files as bytes: honest ones, and headers that lie.

/// A `.npy` file; `shape` as Python writes it.
pub fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
}

/// 64-bit floats as `.npy` rows of `d`.
pub fn npy64(d: usize, values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy("<f8", &format!("({}, {d})", values.len() / d), &data)
}

/// A `.ply` file of `x` and `y`.
pub fn ply(format: &str, vertices: u64, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nend_header\n"
    );
    [header.as_bytes(), body].concat()
}

/// Points in the unit square, the same for the same seed.
pub fn scattered(n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    npy64(2, &(0..2 * n).map(|_| uniform()).collect::<Vec<f64>>())
}

/// The bytes of a member of a zip archive that does not compress.
pub fn member<'a>(archive: &'a [u8], name: &str) -> &'a [u8] {
    let number = |at: usize, size: usize| {
        archive[at..at + size].iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte))
    };
    let mut at = 0;
    while archive[at..].starts_with(b"PK\x03\x04") {
        let (size, name_size, extra) = (number(at + 18, 4), number(at + 26, 2), number(at + 28, 2));
        let start = at + 30 + name_size + extra;
        if &archive[at + 30..at + 30 + name_size] == name.as_bytes() {
            return &archive[start..start + size];
        }
        at = start + size;
    }
    panic!("no {name} in the archive");
}
