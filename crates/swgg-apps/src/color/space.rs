//! Where distances between colours are measured.

/// A space of colours. Samples are taken to be sRGB (IEC 61966-2-1), whatever their profile says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// The samples themselves, from 0 to 1.
    #[default]
    Rgb,
    /// Oklab (Ottosson, "A perceptual color space for image processing", 2020).
    Oklab,
    /// CIE L\*a\*b\* of 1976, white D65, divided by 100.
    Lab,
}

/// White of CIE illuminant D65, as the matrix of sRGB has it.
const WHITE: [f64; 3] = [0.950_455_9, 1.0, 1.089_057_8];

/// Linear sRGB to CIE XYZ.
const XYZ: [[f64; 3]; 3] = [
    [0.412_390_8, 0.357_584_3, 0.180_480_8],
    [0.212_639_0, 0.715_168_7, 0.072_192_3],
    [0.019_330_8, 0.119_194_8, 0.950_532_2],
];

/// Linear sRGB to the cones of Oklab.
const CONES: [[f64; 3]; 3] = [
    [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
    [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
    [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
];

/// The roots of the cones to Oklab.
const OPPONENTS: [[f64; 3]; 3] = [
    [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
    [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
    [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
];

impl Space {
    /// All of them: their names, and a line of help.
    pub const NAMES: [(Space, &'static str, &'static str); 3] = [
        (Space::Rgb, "rgb", "The samples as they are"),
        (Space::Oklab, "oklab", "Oklab: differences as eyes see them"),
        (Space::Lab, "lab", "CIE L*a*b*"),
    ];

    /// A space by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, other, _)| *other == name).map(|(space, ..)| *space)
    }

    /// Its name on the command line and in Python.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(space, ..)| *space == self).map_or("", |(_, name, _)| name)
    }

    /// Coordinates of a colour.
    pub fn from_rgb(self, rgb: [f64; 3]) -> [f64; 3] {
        match self {
            Space::Rgb => rgb,
            Space::Oklab => times(&OPPONENTS, times(&CONES, rgb.map(linear)).map(f64::cbrt)),
            Space::Lab => {
                let xyz = times(&XYZ, rgb.map(linear));
                let [x, y, z] = std::array::from_fn(|k| lab_root(xyz[k] / WHITE[k]));
                [1.16 * y - 0.16, 5.0 * (x - y), 2.0 * (y - z)]
            }
        }
    }

    /// The colour at these coordinates, which may be one that no screen shows.
    pub fn to_rgb(self, at: [f64; 3]) -> [f64; 3] {
        match self {
            Space::Rgb => at,
            Space::Oklab => {
                let cones = times(&inverse(&OPPONENTS), at).map(|root| root * root * root);
                times(&inverse(&CONES), cones).map(gamma)
            }
            Space::Lab => {
                let y = (at[0] + 0.16) / 1.16;
                let roots = [y + at[1] / 5.0, y, y - at[2] / 2.0];
                let xyz = std::array::from_fn(|k| lab_square(roots[k]) * WHITE[k]);
                times(&inverse(&XYZ), xyz).map(gamma)
            }
        }
    }
}

fn times(matrix: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// By cofactors; the matrices here are far from singular.
fn inverse(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);
    std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / determinant))
}

fn linear(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

fn gamma(x: f64) -> f64 {
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

fn lab_root(x: f64) -> f64 {
    if x > 216.0 / 24389.0 { x.cbrt() } else { (24389.0 / 27.0 * x + 16.0) / 116.0 }
}

fn lab_square(root: f64) -> f64 {
    if root > 6.0 / 29.0 { root.powi(3) } else { (116.0 * root - 16.0) * 27.0 / 24389.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: [f64; 3], expected: [f64; 3], by: f64) {
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < by), "{found:?} {expected:?}");
    }

    #[test]
    fn known_colours_have_known_coordinates() {
        // White, and red as the tables of both spaces give it.
        near(Space::Oklab.from_rgb([1.0; 3]), [1.0, 0.0, 0.0], 1e-6);
        near(Space::Lab.from_rgb([1.0; 3]), [1.0, 0.0, 0.0], 1e-5);
        near(Space::Oklab.from_rgb([1.0, 0.0, 0.0]), [0.627_96, 0.224_86, 0.125_85], 1e-4);
        near(Space::Lab.from_rgb([1.0, 0.0, 0.0]), [0.5324, 0.8009, 0.6720], 2e-4);
        near(Space::Lab.from_rgb([0.0; 3]), [0.0; 3], 1e-9);
    }

    #[test]
    fn every_colour_comes_back() {
        for space in [Space::Rgb, Space::Oklab, Space::Lab] {
            for k in 0..125 {
                let rgb = [k % 5, k / 5 % 5, k / 25].map(|c| f64::from(c) / 4.0);
                near(space.to_rgb(space.from_rgb(rgb)), rgb, 1e-6);
            }
        }
    }
}
