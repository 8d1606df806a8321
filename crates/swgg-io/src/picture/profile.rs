//! What a colour profile says, as far as two of them can mean the same under different names.
//!
//! Read are profiles of a matrix and three curves, which is what cameras, screens and editors write for RGB (ICC.1:2022, 8.3 and
//! 10.6, 10.18). Others are compared byte by byte.

/// Where the primaries lie, against the white of profiles, and what the curve of each channel makes of some samples.
#[derive(Clone, Debug, PartialEq)]
struct Meaning {
    primaries: [[f64; 3]; 3],
    curves: [[f64; SAMPLES.len()]; 3],
}

/// Samples at which curves are compared.
const SAMPLES: [f64; 6] = [0.01, 0.05, 0.2, 0.4, 0.6, 0.8];
/// Profiles that are as near as this are one: a step of 255 is 0.004.
const SAME: f64 = 0.003;
/// sRGB (IEC 61966-2-1), adapted to D50 as in profiles.
const SRGB: [[f64; 3]; 3] =
    [[0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410]];

/// Whether numbers under two profiles are the same colours; no profile is sRGB.
pub fn is_same_profile(one: Option<&[u8]>, other: Option<&[u8]>) -> bool {
    if one == other {
        return true;
    }
    let meaning = |profile: Option<&[u8]>| profile.map_or_else(|| Some(srgb()), read);
    let (Some(one), Some(other)) = (meaning(one), meaning(other)) else { return false };
    let values = |meaning: &Meaning| {
        let curves = meaning.curves.iter().flatten();
        meaning.primaries.iter().flatten().chain(curves).copied().collect::<Vec<f64>>()
    };
    values(&one).iter().zip(values(&other)).all(|(x, y)| (x - y).abs() <= SAME)
}

fn srgb() -> Meaning {
    let curve = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
    Meaning { primaries: SRGB, curves: [SAMPLES.map(curve); 3] }
}

/// The meaning of a profile of a matrix and curves.
fn read(profile: &[u8]) -> Option<Meaning> {
    if profile.get(16..20)? != b"RGB " || profile.get(20..24)? != b"XYZ " {
        return None;
    }
    let count = (word(profile, 128)? as usize).min(100);
    let tag = |name: &[u8; 4]| -> Option<&[u8]> {
        let entry = (0..count).map(|k| 132 + 12 * k).find(|&at| profile.get(at..at + 4) == Some(name))?;
        let (start, size) = (word(profile, entry + 4)? as usize, word(profile, entry + 8)? as usize);
        profile.get(start..start.checked_add(size)?)
    };
    // A table from device to connection space would count more than the matrix.
    if tag(b"A2B0").is_some() {
        return None;
    }
    let [r, g, b] = [tag(b"rXYZ")?, tag(b"gXYZ")?, tag(b"bXYZ")?].map(|place| {
        let at = |k: usize| fixed(place, 8 + 4 * k);
        Some([at(0)?, at(1)?, at(2)?])
    });
    let [x, y, z] = [tag(b"rTRC")?, tag(b"gTRC")?, tag(b"bTRC")?].map(curve);
    Some(Meaning { primaries: [r?, g?, b?], curves: [x?, y?, z?] })
}

/// What a curve makes of the samples.
fn curve(tag: &[u8]) -> Option<[f64; SAMPLES.len()]> {
    match tag.get(..4)? {
        b"curv" => {
            let count = word(tag, 8)? as usize;
            let entry =
                |k: usize| Some(f64::from(u16::from_be_bytes(*tag.get(12 + 2 * k..)?.first_chunk()?)));
            match count {
                0 => Some(SAMPLES),
                1 => entry(0).map(|power| SAMPLES.map(|x| x.powf(power / 256.0))),
                _ => {
                    entry(count - 1)?;
                    let at = |x: f64| {
                        let along = x * (count - 1) as f64;
                        let first = (along as usize).min(count - 2);
                        let (low, high) = (entry(first)?, entry(first + 1)?);
                        Some((low + (along - first as f64) * (high - low)) / 65535.0)
                    };
                    let mut values = [0.0; SAMPLES.len()];
                    for (value, x) in values.iter_mut().zip(SAMPLES) {
                        *value = at(x)?;
                    }
                    Some(values)
                }
            }
        }
        b"para" => {
            let kind = u16::from_be_bytes(*tag.get(8..)?.first_chunk()?);
            let given = *[1, 3, 4, 5, 7].get(usize::from(kind))?;
            let mut p = [0.0; 7];
            for (k, value) in p.iter_mut().enumerate().take(given) {
                *value = fixed(tag, 12 + 4 * k)?;
            }
            let [power, a, b, c, d, e, f] = p;
            let above = |x: f64| (a * x + b).max(0.0).powf(power);
            Some(SAMPLES.map(|x| match kind {
                0 => x.powf(power),
                1 => {
                    if a * x + b >= 0.0 {
                        above(x)
                    } else {
                        0.0
                    }
                }
                2 => {
                    if a * x + b >= 0.0 {
                        above(x) + c
                    } else {
                        c
                    }
                }
                3 => {
                    if x >= d {
                        above(x)
                    } else {
                        c * x
                    }
                }
                _ => {
                    if x >= d {
                        above(x) + e
                    } else {
                        c * x + f
                    }
                }
            }))
        }
        _ => None,
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// A number with 16 bits behind the point.
fn fixed(bytes: &[u8], at: usize) -> Option<f64> {
    word(bytes, at).map(|word| f64::from(word as i32) / 65536.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile with these primaries and one curve for all channels.
    fn profile(primaries: [[f64; 3]; 3], curve: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0_u8; 128];
        bytes[16..24].copy_from_slice(b"RGB XYZ ");
        bytes.extend(6_u32.to_be_bytes());
        let body = 132 + 6 * 12;
        let names = [b"rXYZ", b"gXYZ", b"bXYZ", b"rTRC", b"gTRC", b"bTRC"];
        for (k, name) in names.iter().enumerate() {
            bytes.extend(*name);
            let (start, size) = if k < 3 { (body + 20 * k, 20) } else { (body + 60, curve.len()) };
            bytes.extend((start as u32).to_be_bytes());
            bytes.extend((size as u32).to_be_bytes());
        }
        for primary in primaries {
            bytes.extend(b"XYZ \0\0\0\0");
            bytes.extend(primary.iter().flat_map(|x| ((x * 65536.0).round() as i32).to_be_bytes()));
        }
        bytes.extend(curve);
        bytes
    }

    fn para(kind: u16, numbers: &[f64]) -> Vec<u8> {
        let mut bytes = b"para\0\0\0\0".to_vec();
        bytes.extend(kind.to_be_bytes());
        bytes.extend([0, 0]);
        bytes.extend(numbers.iter().flat_map(|x| ((x * 65536.0).round() as i32).to_be_bytes()));
        bytes
    }

    fn table() -> Vec<u8> {
        let mut bytes = b"curv\0\0\0\0".to_vec();
        bytes.extend(1024_u32.to_be_bytes());
        for k in 0..1024 {
            let x = f64::from(k) / 1023.0;
            let y = if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
            bytes.extend(((y * 65535.0).round() as u16).to_be_bytes());
        }
        bytes
    }

    #[test]
    fn srgb_by_any_name_is_srgb_and_others_are_not() {
        let by_formula = profile(SRGB, &para(3, &[2.4, 1.0 / 1.055, 0.055 / 1.055, 1.0 / 12.92, 0.04045]));
        let by_table = profile(SRGB, &table());
        assert!(is_same_profile(Some(&by_formula), None));
        assert!(is_same_profile(Some(&by_table), Some(&by_formula)));
        let linear = profile(SRGB, b"curv\0\0\0\0\0\0\0\0");
        let mut wide = SRGB;
        wide[1] = [0.20528, 0.62567, 0.06087];
        let wide = profile(wide, &table());
        assert!(!is_same_profile(Some(&linear), None));
        assert!(!is_same_profile(Some(&wide), None));
        assert!(is_same_profile(Some(&wide), Some(&wide.clone())));
    }

    #[test]
    fn damaged_profiles_are_unlike_others_and_no_panic() {
        let whole = profile(SRGB, &table());
        for end in 0..whole.len() {
            let cut = &whole[..end];
            assert!(!is_same_profile(Some(cut), None), "{end}");
        }
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = is_same_profile(Some(&bytes), None);
        }
    }
}
