//! Damaged files: a reader may refuse them or read them, and never panics.

use std::sync::LazyLock;

use parquet::basic::Compression;
use parquet::data_type::{DoubleType, FloatType};
use proptest::collection::vec;
use proptest::prelude::*;
use swgg_io::{ReadOptions, read_table};

use super::npy::array;
use super::tables::{put, table};
use super::{Scene, archives, las, meshes, packed, pcd, ply};

#[derive(Clone, Debug)]
pub enum Damage {
    Flip { at: usize, bits: u8 },
    Insert { at: usize, bytes: Vec<u8> },
    Delete { at: usize, length: usize },
    Truncate { at: usize },
}

pub fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        4 => (any::<usize>(), 1..=u8::MAX).prop_map(|(at, bits)| Damage::Flip { at, bits }),
        2 => (any::<usize>(), vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        2 => (any::<usize>(), "[0-9]{1,20}")
            .prop_map(|(at, digits)| Damage::Insert { at, bytes: digits.into_bytes() }),
        1 => (any::<usize>(), 1usize..9).prop_map(|(at, length)| Damage::Delete { at, length }),
        1 => any::<usize>().prop_map(|at| Damage::Truncate { at }),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let place = |at: usize, bytes: &[u8]| at % bytes.len().max(1);
    match damage {
        Damage::Flip { at, bits } => {
            let at = place(*at, bytes);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bits;
            }
        }
        Damage::Insert { at, bytes: new } => {
            let at = place(*at, bytes);
            bytes.splice(at..at, new.iter().copied());
        }
        Damage::Delete { at, length } => {
            let at = place(*at, bytes);
            bytes.drain(at..(at + length).min(bytes.len()));
        }
        Damage::Truncate { at } => bytes.truncate(place(*at, bytes)),
    }
}

pub fn check(name: impl Into<String>, valid: &[u8], damages: &[Damage]) {
    let mut bytes = valid.to_vec();
    damages.iter().for_each(|damage| apply(&mut bytes, damage));
    let scene = Scene::new(name, &bytes);
    for columns in [None, Some("x,y"), Some("1-2")] {
        if let Ok(cloud) = scene.try_read(columns) {
            assert_eq!(cloud.to_f64().len(), cloud.rows() * cloud.columns());
            assert!(cloud.rows() > 0 && cloud.columns() > 0);
        }
    }
    if let Ok((cloud, attributes)) = read_table(&scene.path(), &ReadOptions::default()) {
        assert_eq!(cloud.rows(), attributes.rows());
        for name in attributes.names() {
            assert!(attributes.values(name).is_none_or(|values| values.len() == cloud.rows()));
        }
    }
}

fn parquet_file() -> Vec<u8> {
    let scene = table(
        "optional double x; required float y;",
        Compression::SNAPPY,
        &[&|group| {
            put::<DoubleType>(group, &[0.5, 1.5, 0.5, 9.0], Some(&[1; 4]));
            put::<FloatType>(group, &[1.0, 2.0, 3.0, 4.0], None);
        }],
    );
    std::fs::read(scene.path()).unwrap()
}

/// The parquet crate panics on some of these; the reader must not.
#[test]
fn parquet_with_any_byte_damaged() {
    let valid = parquet_file();
    for at in 0..valid.len() {
        for bits in [1, 130, 255] {
            check("a.parquet", &valid, &[Damage::Flip { at, bits }]);
        }
    }
}

/// The decoder of compressed points panics on some of these; the reader must not.
#[test]
fn compressed_points_with_any_byte_damaged() {
    for point_format in [3, 8] {
        let valid = las::compressed(point_format);
        for at in 0..valid.len() {
            let mut bytes = valid.clone();
            bytes[at] ^= 255;
            let _ = read_table(&Scene::new("a.laz", &bytes).path(), &ReadOptions::default());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn arrays(damages in vec(damage(), 1..4), fortran: bool) {
        check("a.npy", &array(1, "'<f4'", fortran, "(3, 2)", &[1; 24]), &damages);
        check("a.npy", &array(2, "'>i8'", fortran, "(3, 2)", &[1; 48]), &damages);
    }

    #[test]
    fn text(damages in vec(damage(), 1..4)) {
        check("a.csv", b"\xef\xbb\xbfx,y,\"z, quoted\"\n# comment\n1,2.5,3\n\"4\",-5e3,nan\n\n7,8,9\r\n", &damages);
        check("a.tsv", b"x\ty\n1\t2\n3\t4\n", &damages);
        check("a.txt", b"  1 2   3\n4 5 6\n7 8 9\n", &damages);
        check("a.xyz", b"3\nv 1 2 3\nv 4 5 6\nv 7 8 9\n", &damages);
    }

    #[test]
    fn polygons(damages in vec(damage(), 1..4)) {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            check("a.ply", &ply::mesh(format), &damages);
        }
    }

    #[test]
    fn point_clouds(damages in vec(damage(), 1..4), point_format in 0u8..=10) {
        for encoding in ["ascii", "binary", "binary_compressed"] {
            check("a.pcd", &pcd::scan(encoding), &damages);
        }
        check("a.las", &las::plain(point_format, 2), &damages);
    }

    #[test]
    fn meshes(damages in vec(damage(), 1..4)) {
        check("a.obj", meshes::OBJ.as_bytes(), &damages);
        check("a.off", meshes::OFF.as_bytes(), &damages);
        check("a.stl", meshes::STL.as_bytes(), &damages);
        check("a.stl", &meshes::binary_stl(), &damages);
    }

    #[test]
    fn archives_images_and_packed_files(damages in vec(damage(), 1..4), packed: bool) {
        let array = archives::doubles("(2, 3)", &[1.0; 6]);
        let archive = archives::archive(&[("X", array)], packed);
        check("a.npz", &archive, &damages);
        let scene = Scene::new("a.npz", &archive);
        let _ = swgg_io::read_plan(&scene.path());
        check("a.idx", &[0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4], &damages);
        check("a.csv.gz", &packed::gzip(b"x,y\n1,2\n3,4\n"), &damages);
        check("a.csv.zst", &zstd::encode_all(&b"x,y\n1,2\n3,4\n"[..], 3).unwrap(), &damages);
    }

    #[test]
    fn parquet(damages in vec(damage(), 1..4)) {
        check("a.parquet", &parquet_file(), &damages);
    }
}

proptest! {
    // Fewer: the decoder takes a millisecond to set up.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn compressed_points(damages in vec(damage(), 1..4)) {
        // Made once: files are written down to the disk.
        static VALID: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [3, 7].map(las::compressed));
        VALID.iter().for_each(|valid| check("a.laz", valid, &damages));
    }
}
