//! LiDAR files, plain and compressed.

use std::fs;

use super::{Scene, refusal, strings};

const SIZES: [usize; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];

/// Three points of a format with some extra bytes, every byte of them told apart, and a record before them.
pub fn plain(point_format: u8, extra: usize) -> Vec<u8> {
    let size = SIZES[usize::from(point_format)] + extra;
    let (length, minor) = if point_format < 6 { (227u16, 2) } else { (375, 4) };
    let mut bytes = vec![0; usize::from(length)];
    let record = [&[0; 2][..], b"LASF_Projection\0", &[7, 8, 3, 0], &[0; 32], b"WKT"].concat();
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"LASF");
    put(24, &[1, minor]);
    put(94, &length.to_le_bytes());
    put(96, &(u32::from(length) + record.len() as u32).to_le_bytes());
    put(100, &1u32.to_le_bytes());
    put(104, &[point_format]);
    put(105, &(size as u16).to_le_bytes());
    put(107, &3u32.to_le_bytes());
    for axis in 0..3 {
        put(131 + 8 * axis, &0.01f64.to_le_bytes());
        put(155 + 8 * axis, &(1000.0 * axis as f64).to_le_bytes());
    }
    if minor == 4 {
        put(107, &[0; 4]);
        put(247, &3u64.to_le_bytes());
    }
    bytes.extend(&record);
    for row in 0..3i32 {
        let coordinates = [100 * row, -7, i32::MAX - row].map(i32::to_le_bytes).concat();
        bytes.extend(&coordinates);
        bytes.extend((12..size).map(|k| (16 * row as usize + k) as u8));
    }
    bytes
}

/// The same, compressed.
pub fn compressed(point_format: u8) -> Vec<u8> {
    let (cloud, attributes) = Scene::new("a.las", plain(point_format, 2)).read_table(None);
    let (scene, left_out) = Scene::write_table("a.laz", &cloud, &attributes);
    assert_eq!(left_out, strings(&[]));
    fs::read(scene.path()).unwrap()
}

fn bits(bytes: &[u8], start: usize) -> &[u8] {
    &bytes[start..]
}

#[test]
fn every_point_format_comes_back_bit_by_bit() {
    for point_format in 0..=10 {
        for extra in [0, 3] {
            let bytes = plain(point_format, extra);
            let scene = Scene::new("a.las", &bytes);
            let (cloud, attributes) = scene.read_table(None);
            assert_eq!((cloud.rows(), cloud.columns(), cloud.dtype()), (3, 3, "int32"));
            assert_eq!(cloud.as_f64().unwrap()[3..5], [1.0, 999.93]);
            let size = 3 * (SIZES[usize::from(point_format)] + extra);
            for name in ["b.las", "b.laz"] {
                let (out, left_out) = Scene::write_table(name, &cloud, &attributes);
                assert_eq!(left_out, strings(&[]), "format {point_format} to {name}");
                let (again, kept) = out.read_table(None);
                assert_eq!(again.as_f64(), cloud.as_f64(), "format {point_format} to {name}");
                for field in attributes.names() {
                    assert_eq!(kept.values(field), attributes.values(field), "{field}");
                }
                if name == "b.las" {
                    let written = fs::read(out.path()).unwrap();
                    assert_eq!(bits(&written, written.len() - size), bits(&bytes, bytes.len() - size));
                    assert_eq!(written.len(), bytes.len());
                }
            }
        }
    }
}

#[test]
fn columns_by_name() {
    let scene = Scene::new("a.las", plain(3, 2));
    let cloud = scene.read();
    assert_eq!(cloud.names(), Some(&strings(&["x", "y", "z"])[..]));
    assert!(cloud.ignored().contains(&"gps_time".to_owned()) && cloud.ignored().contains(&"red".to_owned()));
    // Bytes 28 and 29 of the points, of 12 and 13, and five bits of 15.
    let picked = scene.pick("red,intensity,classification");
    let word = |low: u8| f64::from(u16::from_le_bytes([low, low + 1]));
    assert_eq!(picked.as_f64().unwrap()[..3], [word(28), word(12), 15.0]);
    assert_eq!(
        scene.try_read(Some("extra_bytes")).unwrap_err(),
        "column \"extra_bytes\" holds bytes, not numbers; pick other columns"
    );
}

#[test]
fn steps_are_kept_where_they_can_be() {
    let (cloud, attributes) = Scene::new("a.las", plain(0, 0)).read_table(None);
    let write = |shift: f64| {
        let moved: Vec<f64> = cloud.to_f64().iter().map(|x| x + shift).collect();
        let scene = Scene::new("b.las", "");
        let output = swgg_io::Output::create(&scene.path()).unwrap();
        swgg_io::write_table(output, swgg_io::Format::Las, 3, &moved, &attributes)
            .unwrap()
            .0
            .commit()
            .unwrap();
        let found = scene.read().to_f64().into_owned();
        assert!(found.iter().zip(&moved).all(|(a, b)| (a - b).abs() <= 0.00501), "{found:?} {moved:?}");
        let bytes = fs::read(scene.path()).unwrap();
        let number = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        (number(131), number(155))
    };
    assert_eq!(write(0.25), (0.01, 0.0));
    // Beyond 32 bits of steps from the old offset: a new offset, the same steps.
    let (scale, offset) = write(3e9);
    assert_eq!(scale, 0.01);
    assert!((offset - 3e9).abs() < 2.0, "{offset}");
}

#[test]
fn clouds_from_elsewhere_are_rounded_finely() {
    let points = [[0.1, -1e6, 5.0], [0.2, 2e6, 5.0], [0.3, 1234.56789, 5.0]].concat();
    for (name, format) in [("a.las", swgg_io::Format::Las), ("a.laz", swgg_io::Format::Laz)] {
        let scene = Scene::new(name, "");
        let output = swgg_io::Output::create(&scene.path()).unwrap();
        swgg_io::write_cloud(output, format, 3, &points, None).unwrap().commit().unwrap();
        let found = scene.read().to_f64().into_owned();
        for (k, (found, expected)) in found.iter().zip(&points).enumerate() {
            let extent = [0.2, 3e6, 0.0][k % 3];
            assert!((found - expected).abs() <= 5e-9 * extent, "{found} for {expected}");
        }
    }
}

#[test]
fn headers_that_lie() {
    let good = plain(1, 0);
    let changed = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        refusal("a.las", bytes)
    };
    assert_eq!(
        changed(107, &u32::MAX.to_le_bytes()),
        "the header announces 120259084260 bytes of data but 84 follow it; the file is cut short or its header is \
         wrong: write it again"
    );
    assert_eq!(changed(107, &[0; 4]), "holds no points: it has zero rows; add at least one");
    assert_eq!(changed(0, b"PK"), "is not a valid las file: it does not start with \"LASF\"");
    assert!(changed(94, &60_000u16.to_le_bytes()).contains("its header of 60000 bytes does not fit"));
    assert!(changed(96, &u32::MAX.to_le_bytes()).contains("its points start at byte 4294967295"));
    assert!(changed(100, &9u32.to_le_bytes()).contains("it announces 9 records, 1 are present"));
    assert!(changed(227 + 20, &[255, 255]).contains("a record runs into the points"));
    assert!(changed(104, &[42]).starts_with("holds points of LAS format 42, which cannot be read as points"));
    assert!(changed(105, &[27, 0]).contains("its points have 27 bytes, 28 are needed for format 1"));
    assert!(changed(131, &f64::NAN.to_le_bytes()).contains("its scales or offsets are not usable"));
    assert!(changed(104, &[0x81]).contains("disagree on whether it is compressed"));
    assert!(refusal("a.las", &good[..100]).contains("it ends within its header"));
    assert!(refusal("a.las", &good[..good.len() - 1]).contains("cut short"));
}

#[test]
fn compressed_points_that_lie() {
    for point_format in [1, 6] {
        let good = compressed(point_format);
        let start = u32::from_le_bytes(good[96..100].try_into().unwrap()) as usize;
        let table = u64::from_le_bytes(good[start..start + 8].try_into().unwrap()) as usize;
        let changed = |at: usize, value: &[u8]| {
            let mut bytes = good.clone();
            bytes[at..at + value.len()].copy_from_slice(value);
            refusal("a.laz", bytes)
        };
        assert!(
            changed(table + 4, &u32::MAX.to_le_bytes()).contains("it announces 4294967295 chunks, more than")
        );
        assert!(changed(start, &u64::MAX.to_le_bytes()).contains("chunks"), "format {point_format}");
        let count =
            if point_format == 1 { changed(107, &u32::MAX.to_le_bytes()) } else { changed(247, &[255; 8]) };
        assert!(count.contains("are present; correct one of them"), "{count}");
        let cut = refusal("a.laz", &good[..start + 20]);
        assert!(cut.contains("chunks") || cut.contains("damaged") || cut.contains("present"), "{cut}");
    }
    // A layer that pretends to have four billion bytes.
    let mut bytes = compressed(6);
    let start = u32::from_le_bytes(bytes[96..100].try_into().unwrap()) as usize;
    let layer = start + 8 + SIZES[6] + 2 + 4;
    bytes[layer..layer + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(refusal("a.laz", bytes), "is not a valid las file: its compressed points are damaged");
}
