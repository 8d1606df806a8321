//! Clouds out and in again.

use std::fs;

use proptest::prelude::*;
use swgg_io::{ErrorKind, Format, Output, writable_extensions, write_cloud};

use super::{Scene, strings};

/// All that keep every bit: LiDAR files count in steps.
fn exact_extensions() -> impl Iterator<Item = &'static str> {
    writable_extensions().into_iter().filter(|extension| ![".las", ".laz"].contains(extension))
}

fn write(scene: &Scene, d: usize, data: &[f64], names: Option<&[String]>) -> Result<(), swgg_io::Error> {
    let format = Format::from_path(&scene.path()).unwrap();
    write_cloud(Output::create(&scene.path()).unwrap(), format, d, data, names)?.commit()
}

fn text(name: &'static str, d: usize, data: &[f64], names: &[&str]) -> String {
    let scene = Scene::new(name, "");
    write(&scene, d, data, (!names.is_empty()).then_some(&strings(names)[..])).unwrap();
    fs::read_to_string(scene.path()).unwrap()
}

#[test]
fn text_is_what_a_person_would_write() {
    let data = [1.0, -0.5, 1e-9, f64::NAN];
    assert_eq!(text("a.csv", 2, &data, &[]), "x,y\n1.0,-0.5\n1e-9,NaN\n");
    assert_eq!(text("a.tsv", 2, &data, &["east", "north"]), "east\tnorth\n1.0\t-0.5\n1e-9\tNaN\n");
    assert_eq!(text("a.xyz", 2, &data, &["east", "north"]), "1.0 -0.5\n1e-9 NaN\n");
    assert_eq!(text("a.csv", 4, &data, &[]), "x0,x1,x2,x3\n1.0,-0.5,1e-9,NaN\n");
}

#[test]
fn odd_names_read_back_or_give_way() {
    for names in [&["#a", "b,c"][..], &["say \"hi\"", "two\nlines"], &["a;b", "tab\there"]] {
        let scene = Scene::new("a.csv", "");
        write(&scene, 2, &[1.0, 2.0], Some(&strings(names))).unwrap();
        let cloud = scene.read();
        assert_eq!(cloud.names(), Some(&strings(names)[..]));
        assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0][..]));
    }
    // These would be read as a point.
    assert_eq!(text("a.csv", 2, &[1.0, 2.0], &["0", "1"]), "x,y\n1.0,2.0\n");
}

#[test]
fn disagreements_are_refused() {
    let refused = |name, d, data: &[f64], names: Option<&[String]>| {
        let scene = Scene::new(name, "old");
        let error = write(&scene, d, data, names).unwrap_err();
        assert_eq!(fs::read(scene.path()).unwrap(), b"old");
        error
    };
    let error = refused("a.ply", 4, &[0.0; 8], None);
    assert!(
        error
            .to_string()
            .ends_with("a .ply file holds points in 2 or 3 dimensions, not 4; write .csv, .npy or .parquet"),
        "{error}"
    );
    let error = refused("a.laz", 2, &[0.0; 8], None);
    assert!(error.to_string().contains("a .laz file holds points in 3 dimensions, not 2;"), "{error}");
    let error = refused("a.las", 3, &[0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0], None);
    assert!(error.to_string().contains("row 1 (from 0) has a coordinate that is not finite"), "{error}");
    let error = refused("a.csv", 3, &[0.0; 4], None);
    assert!(error.to_string().ends_with("cannot write 4 values as rows of 3"), "{error}");
    assert!(matches!(refused("a.csv", 0, &[], None).kind(), ErrorKind::Shape { .. }));
    let error = refused("a.csv", 2, &[0.0; 4], Some(&strings(&["x"])));
    assert!(error.to_string().ends_with("cannot write 1 names over 2 columns"), "{error}");
}

fn bits(values: &[f64]) -> Vec<u64> {
    // Text has one NaN; its sign and payload are not kept.
    values.iter().map(|value| if value.is_nan() { 0 } else { value.to_bits() }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_format_gives_back_every_float(d in 2usize..=3, rows in 1usize..20, seed: [u64; 60]) {
        let data: Vec<f64> = seed[..rows * d].iter().map(|&bits| f64::from_bits(bits)).collect();
        for extension in exact_extensions() {
            let scene = Scene::new(format!("a{extension}"), "");
            if !Format::from_path(&scene.path()).unwrap().holds_dimension(d) {
                continue;
            }
            write(&scene, d, &data, None).unwrap();
            let cloud = scene.read();
            prop_assert_eq!((cloud.rows(), cloud.columns()), (rows, d));
            prop_assert_eq!(bits(&cloud.to_f64()), bits(&data), "{}", extension);
            prop_assert_eq!(cloud.format(), Format::from_path(&scene.path()).unwrap());
        }
    }

    #[test]
    fn numbers_written_by_others_read_back(value: f64, digits in 0usize..20) {
        let forms = [format!("{value}"), format!("{value:e}"), format!("{value:E}"), format!("{value:+?}")];
        for form in &forms {
            let cloud = Scene::new("a.csv", format!("\"{form}\" , {form}\n")).read();
            prop_assert_eq!(bits(&cloud.to_f64()), bits(&[value; 2]), "{}", form);
        }
        let rounded = format!("{value:.digits$e}");
        let cloud = Scene::new("a.txt", format!("  {rounded}\t\n")).read();
        prop_assert_eq!(bits(&cloud.to_f64()), bits(&[rounded.parse().unwrap()]));
    }
}
