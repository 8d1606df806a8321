//! What the registry says of every format is true, also of formats that are added to it: nothing here lists them.

use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use swgg_io::picture::{self, Picture, Samples};
use swgg_io::{
    Cloud, ErrorKind, Format, Output, ReadOptions, read_table, readable_extensions, writable_extensions,
    write_cloud,
};

use super::Scene;
use super::mutations::{check, damage};

/// A cloud in three dimensions, which every format has a place for.
const POINTS: [f64; 12] = [0.0, -1.5, 2.0, 3.25, 4.0, -5.0, 6.0, 7.5, 8.0, -9.0, 10.0, 0.125];

fn written(extension: &str) -> Scene {
    let scene = Scene::new(format!("a{extension}"), "");
    let format = Format::from_path(&scene.path()).unwrap();
    let output = Output::create(&scene.path()).unwrap();
    write_cloud(output, format, 3, &POINTS, None).unwrap().commit().unwrap();
    scene
}

fn check_points(cloud: &Cloud, extension: &str) {
    assert_eq!((cloud.rows(), cloud.columns()), (4, 3), "{extension}");
    for (found, expected) in cloud.to_f64().iter().zip(POINTS) {
        assert!((found - expected).abs() < 1e-7, "{extension}: {found} is not {expected}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    for extension in writable_extensions() {
        let scene = written(extension);
        let (cloud, attributes) = scene.read_table(None);
        check_points(&cloud, extension);
        assert_eq!(cloud.format(), Format::from_path(&scene.path()).unwrap());
        // And once more, with the attributes that the format itself gives its points.
        let (again, left_out) = Scene::write_table(format!("b{extension}"), &cloud, &attributes);
        assert!(left_out.is_empty(), "{extension}: {left_out:?}");
        check_points(&again.read(), extension);
    }
}

#[test]
fn every_format_goes_into_every_other() {
    for from in writable_extensions() {
        let (cloud, attributes) = written(from).read_table(None);
        for to in writable_extensions() {
            let (scene, _) = Scene::write_table(format!("b{to}"), &cloud, &attributes);
            check_points(&scene.read_table(Some("0-2")).0, &format!("{from} to {to}"));
        }
    }
}

#[test]
fn a_format_is_read_only_if_it_says_so() {
    for extension in readable_extensions() {
        let scene = Scene::new(format!("a{extension}"), "old");
        let format = Format::from_path(&scene.path()).unwrap();
        assert_eq!(format.is_written(), writable_extensions().contains(extension), "{extension}");
        let written = write_cloud(Output::create(&scene.path()).unwrap(), format, 3, &POINTS, None);
        assert_eq!(written.is_ok(), format.is_written(), "{extension}");
    }
    let refusal = ErrorKind::NotWritten { format: Format::Ply }.to_string();
    let begins = "a .ply file can be read but not written; use one of .npy, .csv, ";
    assert!(refusal.starts_with(begins), "{refusal}");
}

#[test]
fn first_bytes_agree_with_the_extension() {
    for extension in writable_extensions() {
        let scene = written(extension);
        let bytes = fs::read(scene.path()).unwrap();
        match Format::sniff(&bytes) {
            Some(format) => assert_eq!(format, Format::from_path(&scene.path()).unwrap(), "{extension}"),
            None => assert!(bytes.is_ascii(), "{extension} is not text and has no mark"),
        }
        // The start is enough, and nothing is not.
        assert_eq!(Format::sniff(&bytes[..bytes.len().min(256)]), Format::sniff(&bytes), "{extension}");
    }
    assert_eq!(Format::sniff(b""), None);
}

#[test]
fn dimensions_are_refused_as_announced() {
    for extension in writable_extensions() {
        for d in 1..=4 {
            let scene = Scene::new(format!("a{extension}"), "old");
            let format = Format::from_path(&scene.path()).unwrap();
            let output = Output::create(&scene.path()).unwrap();
            match write_cloud(output, format, d, &POINTS, None) {
                Ok(_) => assert!(format.holds_dimension(d), "{extension} in {d}"),
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Dimension { .. }), "{error}");
                    assert!(!format.holds_dimension(d), "{extension} in {d}");
                }
            }
        }
    }
}

#[test]
fn pictures_are_told_by_their_first_bytes() {
    let gray = Picture::new(8, 8, 3, Samples::U8(vec![128; 192])).unwrap();
    for extension in picture::EXTENSIONS {
        let scene = Scene::new(format!("a{extension}"), "");
        assert!(picture::is_picture(&scene.path()));
        picture::write(Output::create(&scene.path()).unwrap(), &gray).unwrap().commit().unwrap();
        for other in picture::EXTENSIONS {
            let renamed = scene.path().with_file_name(format!("b{other}"));
            fs::copy(scene.path(), &renamed).unwrap();
            assert_eq!(picture::read(&renamed).unwrap(), gray, "{extension} as {other}");
        }
    }
}

proptest! {
    // Files are written once each, and those that are damaged never down to the disk.
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn damaged_files_are_refused_or_read(damages in vec(damage(), 1..4)) {
        for (extension, valid) in valid_files() {
            check(format!("a{extension}"), valid, &damages);
        }
    }
}

fn valid_files() -> &'static [(&'static str, Vec<u8>)] {
    use std::sync::LazyLock;
    static VALID: LazyLock<Vec<(&str, Vec<u8>)>> = LazyLock::new(|| {
        let bytes = |extension| (extension, fs::read(written(extension).path()).unwrap());
        writable_extensions().into_iter().map(bytes).collect()
    });
    &VALID
}

#[test]
fn a_file_of_another_format_does_not_end_the_process() {
    for (from, bytes) in valid_files() {
        for to in readable_extensions() {
            let scene = Scene::new(format!("a{to}"), bytes);
            if let Ok((cloud, _)) = read_table(&scene.path(), &ReadOptions::default()) {
                assert!(cloud.rows() > 0, "{from} read as {to}");
            }
        }
    }
}
