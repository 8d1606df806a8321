//! Pictures: there and back, and what is refused.

use std::path::Path;

use swgg_io::Output;
use swgg_io::picture::{Picture, Samples, is_picture, read, write};

fn save(path: &Path, picture: &Picture) -> swgg_io::Result<()> {
    write(Output::create(path)?, picture)?.commit()
}

/// What comes back from a file of this extension.
fn back(extension: &str, picture: &Picture) -> Picture {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(format!("picture.{extension}"));
    save(&path, picture).unwrap_or_else(|error| panic!("{error}"));
    read(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn picture(channels: usize, samples: impl Fn(usize) -> Samples) -> Picture {
    Picture::new(5, 3, channels, samples(15 * channels)).unwrap()
}

fn bytes(count: usize) -> Samples {
    Samples::U8((0..count).map(|k| (k * 37 % 256) as u8).collect())
}

fn words(count: usize) -> Samples {
    Samples::U16((0..count).map(|k| (k * 7919 % 65536) as u16).collect())
}

fn floats(count: usize) -> Samples {
    Samples::F32((0..count).map(|k| k as f32 / 7.0 - 0.5).collect())
}

#[test]
fn every_format_keeps_what_it_can_hold() {
    for channels in 1..=4 {
        for extension in ["png", "PNG"] {
            for samples in [bytes as fn(usize) -> Samples, words] {
                let there = picture(channels, samples);
                assert_eq!(back(extension, &there), there, "{extension} {channels}");
            }
        }
    }
    for channels in [1, 3, 4] {
        for samples in [bytes as fn(usize) -> Samples, words] {
            let there = picture(channels, samples);
            assert_eq!(back("tif", &there), there, "tif {channels}");
        }
    }
    assert_eq!(back("tiff", &picture(3, floats)), picture(3, floats));
    for channels in [3, 4] {
        assert_eq!(back("webp", &picture(channels, bytes)), picture(channels, bytes));
    }
    assert_eq!(back("bmp", &picture(3, bytes)), picture(3, bytes));
    // JPEG loses a little of a smooth picture.
    let smooth = Picture::new(16, 16, 3, Samples::U8((0..768).map(|k| (k / 6) as u8).collect())).unwrap();
    let (Samples::U8(there), Samples::U8(found)) = (&smooth.samples, &back("jpg", &smooth).samples) else {
        panic!("8 bits became others")
    };
    assert!(there.iter().zip(found).all(|(a, b)| a.abs_diff(*b) < 12));
}

#[test]
fn profiles_go_along() {
    let icc: Vec<u8> = (0..200).collect();
    for extension in ["png", "jpg", "tif", "webp"] {
        let there = Picture { icc: Some(icc.clone()), ..picture(3, bytes) };
        assert_eq!(back(extension, &there).icc, there.icc, "{extension}");
    }
}

/// A JPEG with an EXIF tag that says which way is up.
fn turned(orientation: u8) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plain.jpg");
    let column = |k: usize| if k % 32 < 16 { 20 } else { 230 };
    save(&path, &Picture::new(32, 16, 1, Samples::U8((0..512).map(column).collect())).unwrap()).unwrap();
    let plain = std::fs::read(&path).unwrap();
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe1];
    bytes.extend((exif.len() as u16 + 2).to_be_bytes());
    bytes.extend(exif);
    bytes.extend(&plain[2..]);
    bytes
}

#[test]
fn orientation_is_applied() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("turned.jpg");
    let is_dark_first = |picture: &Picture| {
        let Samples::U8(samples) = &picture.samples else { panic!("8 bits became others") };
        samples[0] < 100
    };
    for (orientation, size, dark) in
        [(1, (32, 16), true), (3, (32, 16), false), (6, (16, 32), true), (8, (16, 32), false)]
    {
        std::fs::write(&path, turned(orientation)).unwrap();
        let found = read(&path).unwrap();
        assert_eq!((found.width, found.height), size, "{orientation}");
        assert_eq!(is_dark_first(&found), dark, "{orientation}");
    }
}

#[test]
fn what_does_not_fit_is_refused_and_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let refusal = |name: &str, picture: &Picture| {
        let message = save(&directory.path().join(name), picture).unwrap_err().to_string();
        assert!(!directory.path().join(name).exists());
        message.split_once(": ").unwrap().1.to_string()
    };
    assert_eq!(
        refusal("a.jpg", &picture(3, words)),
        "a JPEG file cannot hold 16-bit samples; write .png or .tif"
    );
    assert_eq!(
        refusal("a.jpg", &picture(4, bytes)),
        "a JPEG file cannot hold transparency; write .png, .webp or .tif"
    );
    assert_eq!(
        refusal("a.png", &picture(3, floats)),
        "a PNG file cannot hold floating-point samples; write .tif"
    );
    assert!(
        refusal("a.gif", &picture(3, bytes)).starts_with("the extension \".gif\" is not a known format; use")
    );
    assert!(Picture::new(5, 3, 3, bytes(44)).is_err());
    assert!(Picture::new(usize::MAX, 3, 3, bytes(45)).is_err());
    assert!(
        is_picture(Path::new("x.JPEG")) && !is_picture(Path::new("x.csv")) && !is_picture(Path::new("png"))
    );
}

fn refused(name: &str, content: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    let message = read(&path).unwrap_err().to_string();
    message.strip_prefix(&format!("{}: ", path.display())).unwrap().to_string()
}

#[test]
fn cut_files_are_refused_wherever_they_are_cut() {
    let directory = tempfile::tempdir().unwrap();
    for extension in ["png", "jpg", "tif", "webp", "bmp"] {
        let path = directory.path().join(format!("whole.{extension}"));
        save(&path, &Picture::new(40, 30, 3, bytes(3600)).unwrap()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for share in [10, 50, 90, 99] {
            let message = refused(&format!("cut.{extension}"), &whole[..whole.len() * share / 100]);
            assert!(!message.is_empty(), "{extension} {share}");
        }
        if extension != "tif" && extension != "webp" {
            let message = refused("cut", &whole[..whole.len() / 2]);
            assert!(message.starts_with("the picture is cut short"), "{extension}: {message}");
        }
    }
    assert_eq!(refused("a.png", b""), "the picture is cut short: the file has no bytes; copy it again");
    assert!(refused("a.png", b"not a picture at all").contains("those of no known format"));
    assert!(
        read(&directory.path().join("none.png"))
            .unwrap_err()
            .to_string()
            .ends_with("no such file; check the path")
    );
}

#[test]
fn huge_headers_are_refused_before_anything_is_decoded() {
    // A PNG of 60 000 x 60 000 pixels in its header and none behind it, with valid check sums.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0".to_vec();
    let crc = png[12..].iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    });
    png.extend((!crc).to_be_bytes());
    png.extend(b"\0\0\0\x10IDAT");
    png.extend([0; 20]);
    let message = refused("bomb.png", &png);
    assert!(message.contains("60000 x 60000") || message.contains("memory"), "{message}");
    // A bitmap says it without check sums.
    let mut bmp = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x60\xea\0\0\x60\xea\0\0\x01\0\x18\0".to_vec();
    bmp.extend([0; 100]);
    let message = refused("bomb.bmp", &bmp);
    assert!(message.contains("60000 x 60000") || message.contains("memory"), "{message}");
}

/// The samples of a file with this content.
fn samples_of(name: &str, content: &[u8]) -> (usize, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, content).unwrap();
    let found = read(&path).unwrap_or_else(|error| panic!("{error}"));
    match found.samples {
        Samples::U8(samples) => (found.channels, samples),
        other => panic!("{other:?}"),
    }
}

#[test]
fn palettes_become_colours() {
    // A BMP of two by two: black, red, green and blue by number, the last row first, rows filled up to four bytes.
    let colors = [[0, 0, 0, 0], [0, 0, 255, 0], [0, 255, 0, 0], [255, 0, 0, 0]].concat();
    let rows = [2, 3, 0, 0, 0, 1, 0, 0];
    let start = 14 + 40 + colors.len() as u32;
    let word = |number: u32| number.to_le_bytes();
    let half = |number: u16| number.to_le_bytes();
    let mut content = b"BM".to_vec();
    content.extend([start + rows.len() as u32, 0, start, 40, 2, 2].map(word).concat());
    content.extend([1, 8].map(half).concat());
    content.extend([0, rows.len() as u32, 2835, 2835, 4, 0].map(word).concat());
    content.extend(colors);
    content.extend(rows);
    let expected = vec![0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255];
    assert_eq!(samples_of("palette.bmp", &content), (3, expected));
}

#[test]
fn inks_become_colours() {
    use tiff::encoder::{TiffEncoder, colortype::CMYK8};
    let mut content = std::io::Cursor::new(Vec::new());
    // No ink, black, and yellow over magenta.
    let inks = [0, 0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0];
    TiffEncoder::new(&mut content).unwrap().write_image::<CMYK8>(3, 1, &inks).unwrap();
    let expected = vec![255, 255, 255, 0, 0, 0, 255, 0, 0];
    assert_eq!(samples_of("inks.tif", content.get_ref()), (3, expected));
}
