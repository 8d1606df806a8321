//! Rasters: kinds of samples and layouts in, tags carried along, damaged and giant files refused.

use std::path::Path;

use swgg_io::raster::{Depth, Raster, TagValue, Tags};
use swgg_io::{ErrorKind, Output};
use tiff::encoder::colortype::Gray16;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder};

use crate::Scene;

/// A raster with something different at every pixel.
fn raster(bands: usize, rows: usize, columns: usize, depth: Depth) -> Raster {
    let most = match depth {
        Depth::U8 => 256,
        Depth::U16 | Depth::F32 => 65536,
    };
    let values = (0..bands * rows * columns).map(|k| ((k * 257 + 3) % most) as f32).collect();
    Raster { bands, rows, columns, depth, values, tags: Tags::default() }
}

fn write(raster: &Raster, path: &Path) {
    raster.write(Output::create(path).unwrap()).unwrap().commit().unwrap();
}

fn refusal(content: &[u8]) -> ErrorKind {
    let scene = Scene::new("scene.tif", content);
    let error = Raster::read(&scene.path()).expect_err("refused");
    assert_eq!(error.path(), Some(&*scene.path()));
    match error.kind() {
        ErrorKind::BadRaster { reason } => ErrorKind::BadRaster { reason: reason.clone() },
        ErrorKind::RasterCut { reason } => ErrorKind::RasterCut { reason: reason.clone() },
        &ErrorKind::RasterTooLarge { bands, columns, rows, most } => {
            ErrorKind::RasterTooLarge { bands, columns, rows, most }
        }
        other => panic!("{other}"),
    }
}

/// A little-endian TIFF put together by hand: tags with 16- or 32-bit values, then the chunks.
fn by_hand(tags: &[(u16, &[u32])], chunks: &[Vec<u8>], tiled: bool) -> Vec<u8> {
    let (offsets, counts) = if tiled { (324, 325) } else { (273, 279) };
    let mut place = 8;
    let mut starts = Vec::new();
    for chunk in chunks {
        starts.push(place);
        place += chunk.len() as u32;
    }
    let sizes: Vec<u32> = chunks.iter().map(|chunk| chunk.len() as u32).collect();
    let mut all: Vec<(u16, &[u32])> = tags.to_vec();
    all.extend([(offsets, &starts[..]), (counts, &sizes[..])]);
    all.sort_by_key(|&(tag, _)| tag);
    let mut bytes = b"II*\0".to_vec();
    bytes.extend(place.to_le_bytes());
    bytes.extend(chunks.concat());
    bytes.extend((all.len() as u16).to_le_bytes());
    let mut beyond = place + 2 + 12 * all.len() as u32 + 4;
    let mut tail = Vec::new();
    for (tag, values) in all {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(4_u16.to_le_bytes());
        bytes.extend((values.len() as u32).to_le_bytes());
        let stored: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        if let [value] = values {
            bytes.extend(value.to_le_bytes());
        } else {
            bytes.extend(beyond.to_le_bytes());
            beyond += stored.len() as u32;
            tail.extend(stored);
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(tail);
    bytes
}

/// Tags of a raster of 16-bit samples.
fn header(columns: u32, rows: u32, bands: u32) -> Vec<(u16, Vec<u32>)> {
    let single = [(256, columns), (257, rows), (259, 1), (262, 1), (277, bands)];
    let mut tags: Vec<(u16, Vec<u32>)> = single.iter().map(|&(tag, value)| (tag, vec![value])).collect();
    tags.push((258, vec![16; bands as usize]));
    if bands > 1 {
        tags.push((338, vec![0; bands as usize - 1]));
    }
    tags
}

fn borrowed(tags: &[(u16, Vec<u32>)]) -> Vec<(u16, &[u32])> {
    tags.iter().map(|(tag, values)| (*tag, &values[..])).collect()
}

fn bytes(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(|value| (value as u16).to_le_bytes()).collect()
}

#[test]
fn every_depth_comes_back_to_the_bit() {
    let scene = Scene::new("scene.tif", "");
    for depth in [Depth::U8, Depth::U16, Depth::F32] {
        for (bands, rows, columns) in [(1, 1, 1), (4, 37, 41), (3, 5, 2), (9, 600, 300)] {
            let mut raster = raster(bands, rows, columns, depth);
            if depth == Depth::F32 {
                raster.values.iter_mut().for_each(|value| *value = *value * -0.37 + 1e-3);
            }
            write(&raster, &scene.path());
            assert_eq!(Raster::read(&scene.path()).unwrap(), raster);
        }
    }
}

#[test]
fn values_are_rounded_into_range() {
    let scene = Scene::new("scene.tif", "");
    let values = vec![-4.0, 0.49, 0.5, 254.7, 999.0, f32::NAN];
    let raster = Raster { values, ..raster(1, 2, 3, Depth::U8) };
    write(&raster, &scene.path());
    assert_eq!(Raster::read(&scene.path()).unwrap().values, [0.0, 0.0, 1.0, 255.0, 255.0, 0.0]);
    assert_eq!(Depth::U16.nearest(70000.2), 65535.0);
    let short = Raster { values: vec![0.0; 5], ..raster };
    let error = short.write(Output::create(&scene.path()).unwrap()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shape { found: 5, .. }), "{error}");
}

#[test]
fn georeferencing_and_missing_values_are_carried_along() {
    let scene = Scene::new("scene.tif", "");
    let tags = Tags {
        georeference: vec![
            (33550, TagValue::Doubles(vec![0.5, 0.5, 0.0])),
            (33922, TagValue::Doubles(vec![0.0, 0.0, 0.0, 431_250.25, 5_411_100.75, 0.0])),
            (34264, TagValue::Doubles((0..16).map(|k| f64::from(k) / 3.0).collect())),
            (34735, TagValue::Shorts(vec![1, 1, 0, 1, 3072, 0, 1, 32614])),
            (34736, TagValue::Doubles(vec![6_378_137.0, 298.257_223_563])),
            (34737, TagValue::Text("WGS 84 / UTM zone 14N|".into())),
        ],
        nodata: Some("-9999".into()),
        metadata: Some("<GDALMetadata><Item name=\"BAND\" sample=\"0\">blue</Item></GDALMetadata>".into()),
    };
    let written = Raster { tags, ..raster(4, 6, 7, Depth::F32) };
    write(&written, &scene.path());
    let read = Raster::read(&scene.path()).unwrap();
    assert_eq!(read, written);
    assert_eq!(read.tags.nodata_value(), Some(-9999.0));
    // A choice of bands drops what names bands by their number, and only that.
    let picked = read.pick(&[2, 0]).unwrap();
    assert_eq!((picked.band(0), picked.band(1)), (read.band(2), read.band(0)));
    assert_eq!(picked.tags, Tags { metadata: None, ..read.tags.clone() });
    assert_eq!(read.pick(&[0, 1, 2, 3]).unwrap(), read);
    assert_eq!(read.pick(&[4]), None);
}

#[test]
fn planes_tiles_and_strips_hold_the_same_raster() {
    let raster = raster(3, 20, 40, Depth::U16);
    let chunky: Vec<f32> = (0..800)
        .flat_map(|pixel| (0..3).map(move |band| (band, pixel)))
        .map(|(band, pixel)| raster.band(band)[pixel])
        .collect();
    let read = |content: &[u8]| Raster::read(&Scene::new("scene.tif", content).path()).unwrap();

    let mut strips = header(40, 20, 3);
    strips.push((278, vec![8]));
    let chunks: Vec<_> = chunky.chunks(8 * 40 * 3).map(|strip| bytes(strip.iter().copied())).collect();
    assert_eq!(read(&by_hand(&borrowed(&strips), &chunks, false)), raster);

    let mut planes = header(40, 20, 3);
    planes.extend([(278, vec![20]), (284, vec![2])]);
    let chunks: Vec<_> = (0..3).map(|band| bytes(raster.band(band).iter().copied())).collect();
    assert_eq!(read(&by_hand(&borrowed(&planes), &chunks, false)), raster);

    // Tiles of 16 x 16, those at the right and at the bottom filled up.
    let tile = |plane: &[f32], bands: usize, down: usize, across: usize| {
        let value = |i: usize, j: usize, band: usize| {
            if i < 20 && j < 40 { plane[(i * 40 + j) * bands + band] } else { 0.0 }
        };
        let places = (0..256).map(|k| (down * 16 + k / 16, across * 16 + k % 16));
        bytes(places.flat_map(|(i, j)| (0..bands).map(move |band| value(i, j, band))).collect::<Vec<_>>())
    };
    let tiles = |plane: &[f32], bands: usize| -> Vec<Vec<u8>> {
        (0..6).map(|k| tile(plane, bands, k / 3, k % 3)).collect()
    };
    let mut tiled = header(40, 20, 3);
    tiled.extend([(322, vec![16]), (323, vec![16])]);
    assert_eq!(read(&by_hand(&borrowed(&tiled), &tiles(&chunky, 3), true)), raster);
    tiled.push((284, vec![2]));
    let chunks: Vec<_> = (0..3).flat_map(|band| tiles(raster.band(band), 1)).collect();
    assert_eq!(read(&by_hand(&borrowed(&tiled), &chunks, true)), raster);
}

#[test]
fn compressed_and_big_files_are_read() {
    let raster = raster(1, 50, 60, Depth::U16);
    let samples: Vec<u16> = raster.values.iter().map(|&value| value as u16).collect();
    let scene = Scene::new("scene.tif", "");
    for compression in [Compression::Packbits, Compression::Lzw, Compression::Deflate(DeflateLevel::Fast)] {
        let file = std::fs::File::create(scene.path()).unwrap();
        let mut encoder = TiffEncoder::new_big(file).unwrap().with_compression(compression);
        encoder.write_image::<Gray16>(60, 50, &samples).unwrap();
        assert_eq!(Raster::read(&scene.path()).unwrap(), raster);
    }
}

#[test]
fn a_giant_header_is_refused_before_anything_is_allocated() {
    let bomb = by_hand(&borrowed(&header(60_000, 60_000, 4)), &[vec![0; 8]], false);
    assert!(matches!(
        refusal(&bomb),
        ErrorKind::RasterTooLarge { bands: 4, columns: 60_000, rows: 60_000, .. }
    ));
    // Below the limit, but not in the file.
    let hollow = by_hand(&borrowed(&header(10_000, 10_000, 4)), &[vec![0; 8]], false);
    let ErrorKind::RasterCut { reason } = refusal(&hollow) else { panic!("not cut") };
    assert!(reason.starts_with("800000000 bytes of samples are announced"), "{reason}");
    let most = by_hand(&borrowed(&header(u32::MAX, u32::MAX, 2)), &[vec![0; 8]], false);
    assert!(matches!(refusal(&most), ErrorKind::RasterTooLarge { .. } | ErrorKind::BadRaster { .. }));
}

#[test]
fn what_is_no_raster_of_bands_is_refused() {
    for content in [&b"P6 3 3 255 not a TIFF"[..], b"I", b"II*\0", b"\x89PNG\r\n\x1a\n0000000000000000000000"]
    {
        assert!(matches!(refusal(content), ErrorKind::BadRaster { .. } | ErrorKind::RasterCut { .. }));
    }
    let message = refusal(b"P6 3 3 255 not a TIFF").to_string();
    assert_eq!(message, "is not a TIFF raster that can be read: it does not begin as one; give a .tif file");
    let empty = refusal(b"").to_string();
    assert_eq!(empty, "is not a TIFF raster that can be read: the file is empty");
    // 32-bit integers do not fit into our floats.
    let mut wide = header(2, 2, 1);
    wide.retain(|&(tag, _)| tag != 258);
    wide.push((258, vec![32]));
    let message = refusal(&by_hand(&borrowed(&wide), &[vec![1; 16]], false)).to_string();
    assert!(message.contains("8 or 16 bits without sign or 32-bit floats"), "{message}");
    let missing = Scene::new("scene.tif", "");
    let error = Raster::read(&missing.path().with_file_name("other.tif")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotFound), "{error}");
}

#[test]
fn cut_and_damaged_files_end_in_an_error_or_a_raster() {
    let whole = {
        let scene = Scene::new("scene.tif", "");
        write(&raster(3, 9, 11, Depth::U16), &scene.path());
        std::fs::read(scene.path()).unwrap()
    };
    let scene = Scene::new("scene.tif", "");
    for end in 1..whole.len() {
        std::fs::write(scene.path(), &whole[..end]).unwrap();
        assert!(Raster::read(&scene.path()).is_err(), "cut at {end} of {}", whole.len());
    }
    // The tags are at the end.
    for place in (0..8).chain(whole.len() - 260..whole.len()) {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = whole.clone();
            damaged[place] ^= flip;
            std::fs::write(scene.path(), &damaged).unwrap();
            let _ = Raster::read(&scene.path());
        }
    }
}
