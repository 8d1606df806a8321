//! Plans out, in three formats.

use std::fs::{self, File};
use std::io::Read;

use parquet::file::reader::{FileReader, SerializedFileReader};
use swgg_io::{ErrorKind, Output, PlanFormat, write_plan};

use super::{Scene, strings};

const ENTRIES: [(u32, u32, f64); 3] = [(0, 2, 0.1), (1, 0, 1e-12), (1, 3, 1.0 / 3.0)];

fn write(name: &'static str) -> Scene {
    let scene = Scene::new(name, "old");
    let format = PlanFormat::from_path(&scene.path()).unwrap();
    write_plan(Output::create(&scene.path()).unwrap(), format, 2, 4, ENTRIES.iter().copied())
        .unwrap()
        .commit()
        .unwrap();
    scene
}

#[test]
fn csv_prints_masses_that_read_back() {
    let scene = write("plan.csv");
    let text = fs::read_to_string(scene.path()).unwrap();
    assert_eq!(text, "source,target,mass\n0,2,0.1\n1,0,1e-12\n1,3,0.3333333333333333\n");
    assert_eq!(scene.pick("mass").as_f64(), Some(&ENTRIES.map(|(.., mass)| mass)[..]));
}

#[test]
fn npz_has_the_members_of_a_scipy_matrix() {
    let scene = write("plan.npz");
    let mut archive = zip::ZipArchive::new(File::open(scene.path()).unwrap()).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, ["row.npy", "col.npy", "data.npy", "shape.npy", "format.npy"]);
    let mut member = |name: &str| {
        let mut member = archive.by_name(name).unwrap();
        assert_eq!(member.compression(), zip::CompressionMethod::Stored);
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        bytes
    };
    let mut array = |name: &str| {
        let cloud = Scene::new("a.npy", member(name)).read();
        (cloud.dtype().to_owned(), cloud.to_f64().into_owned())
    };
    assert_eq!(array("row.npy"), ("int32".into(), vec![0.0, 1.0, 1.0]));
    assert_eq!(array("col.npy"), ("int32".into(), vec![2.0, 0.0, 3.0]));
    assert_eq!(array("data.npy"), ("float64".into(), ENTRIES.map(|(.., mass)| mass).to_vec()));
    assert_eq!(array("shape.npy"), ("int64".into(), vec![2.0, 4.0]));
    let format = member("format.npy");
    assert!(String::from_utf8_lossy(&format).contains("'descr': '|S3', 'fortran_order': False, 'shape': ()"));
    assert!(format.ends_with(b"\ncoo"));
}

#[test]
fn npz_widens_its_indices_when_the_matrix_is_large() {
    let scene = Scene::new("plan.npz", "");
    let entries = [(u32::MAX, 0, 1.0)];
    let output = Output::create(&scene.path()).unwrap();
    write_plan(output, PlanFormat::Npz, 1 << 32, 1, entries.iter().copied()).unwrap().commit().unwrap();
    let mut archive = zip::ZipArchive::new(File::open(scene.path()).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name("row.npy").unwrap().read_to_end(&mut bytes).unwrap();
    let row = Scene::new("row.npy", bytes).read();
    assert_eq!((row.dtype(), row.as_f64()), ("int64", Some(&[f64::from(u32::MAX)][..])));
}

#[test]
fn parquet_is_a_table_of_three_columns() {
    let cloud = write("plan.parquet").read();
    assert_eq!(cloud.names(), Some(&strings(&["source", "target", "mass"])[..]));
    let flat: Vec<f64> = ENTRIES.iter().flat_map(|&(i, j, mass)| [i.into(), j.into(), mass]).collect();
    assert_eq!(cloud.as_f64(), Some(&flat[..]));
}

#[test]
fn parquet_cuts_long_plans_into_groups() {
    let scene = Scene::new("plan.parquet", "");
    let n = 600_000u32;
    let entries = (0..n).map(|i| (i, n - 1 - i, f64::from(i)));
    let output = Output::create(&scene.path()).unwrap();
    write_plan(output, PlanFormat::Parquet, n as usize, n as usize, entries).unwrap().commit().unwrap();
    let reader = SerializedFileReader::new(File::open(scene.path()).unwrap()).unwrap();
    assert_eq!(reader.num_row_groups(), 3);
    let cloud = scene.pick("target,mass");
    assert_eq!(cloud.rows(), n as usize);
    let agrees = |(i, row): (usize, &[f64])| row == [(n as usize - 1 - i) as f64, i as f64];
    assert!(cloud.to_f64().chunks(2).enumerate().all(agrees));
}

#[test]
fn a_plan_without_entries_is_a_plan() {
    for extension in PlanFormat::EXTENSIONS {
        let scene = Scene::new(format!("plan{extension}"), "old");
        let format = PlanFormat::from_path(&scene.path()).unwrap();
        let output = Output::create(&scene.path()).unwrap();
        write_plan(output, format, 2, 4, std::iter::empty()).unwrap().commit().unwrap();
        assert_ne!(fs::read(scene.path()).unwrap(), b"old");
    }
}

#[test]
fn an_entry_outside_the_matrix_is_refused_and_nothing_written() {
    let scene = Scene::new("plan.csv", "old");
    let output = Output::create(&scene.path()).unwrap();
    let error = write_plan(output, PlanFormat::Csv, 2, 3, ENTRIES.iter().copied()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::PlanEntry { source_index: 1, target_index: 3, n: 2, m: 3 }));
    assert!(error.to_string().ends_with("the plan has an entry (1, 3) outside its 2 x 3 matrix"), "{error}");
    assert_eq!(fs::read(scene.path()).unwrap(), b"old");
}
