//! Readers: any bytes are read or refused, and nothing larger is made of them than they could hold.

use std::path::PathBuf;
use std::sync::OnceLock;

use swgg_io::raster::Raster;
use swgg_io::{ReadOptions, idx, picture, read_cloud, read_plan, read_table, read_vector, survey};
use tempfile::TempDir;

/// Formats of clouds whose bytes are not those of another target.
const CLOUDS: [&str; 12] =
    ["npy", "ply", "pcd", "las", "laz", "parquet", "npz", "obj", "off", "stl", "xyz", "pts"];

/// The bytes as a file of this name.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    let path = DIRECTORY.get_or_init(|| tempfile::tempdir().expect("a directory")).path().join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

/// The first byte says which format.
fn named<'a>(endings: &[&str], data: &'a [u8]) -> Option<(PathBuf, &'a [u8])> {
    let (&first, bytes) = data.split_first()?;
    let ending = endings[usize::from(first) % endings.len()];
    Some((file(&format!("a.{ending}"), bytes), bytes))
}

fn check(path: &std::path::Path) {
    let options = ReadOptions::default();
    if let Ok(cloud) = read_cloud(path, &options) {
        assert_eq!(cloud.to_f64().len(), cloud.rows() * cloud.columns());
        assert!(cloud.rows() > 0 && cloud.columns() > 0);
    }
    if let Ok((cloud, attributes)) = read_table(path, &options) {
        assert_eq!(cloud.rows(), attributes.rows());
        for name in attributes.names() {
            assert!(attributes.values(name).is_none_or(|values| values.len() == cloud.rows()));
        }
    }
}

pub fn cloud(data: &[u8]) {
    if let Some((path, _)) = named(&CLOUDS, data) {
        check(&path);
    }
}

pub fn text(data: &[u8]) {
    if let Some((path, _)) = named(&["csv", "tsv", "txt"], data) {
        check(&path);
        if let Ok(Some(survey)) = survey(&path, &ReadOptions::default()) {
            assert!(survey.columns.iter().all(|column| column.finite <= survey.rows));
        }
        let _ = read_vector(&path);
    }
}

pub fn packed(data: &[u8]) {
    if let Some((path, _)) = named(&["csv.gz", "npy.zst", "npz"], data) {
        check(&path);
    }
}

pub fn plan(data: &[u8]) {
    if let Some((path, _)) = named(&["csv", "npz", "parquet"], data)
        && let Ok(plan) = read_plan(&path)
    {
        let (n, m) = plan.extent();
        assert!(plan.entries.iter().all(|entry| (entry.0 as usize) < n && (entry.1 as usize) < m));
    }
}

pub fn picture(data: &[u8]) {
    if let Some((path, _)) = named(&["png", "jpg", "tif", "webp", "bmp"], data)
        && let Ok(picture) = picture::read(&path)
    {
        assert_eq!(picture.samples.len() % (picture.width * picture.height), 0);
    }
}

pub fn profile(data: &[u8]) {
    let (one, other) = data.split_at(data.len() / 2);
    assert!(picture::is_same_profile(Some(one), Some(one)));
    let same = picture::is_same_profile(Some(one), Some(other));
    assert_eq!(same, picture::is_same_profile(Some(other), Some(one)));
    let _ = picture::is_same_profile(Some(data), None);
}

pub fn raster(data: &[u8]) {
    let _ = Raster::read(&file("a.tif", data));
}

pub fn idx(data: &[u8]) {
    if let Some((path, _)) = named(&["idx", "idx3-ubyte"], data) {
        let _ = idx::read(&path);
        check(&path);
    }
}
