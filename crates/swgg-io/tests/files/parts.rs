//! Folders and patterns as one cloud.

use std::fs;

use swgg_io::{ReadOptions, read_cloud};

#[test]
fn files_of_one_kind_are_one_cloud_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("part-10.csv"), "x,y\n5,6\n").unwrap();
    fs::write(at("part-02.csv"), "x,y\n1,2\n3,4\n").unwrap();
    fs::write(at(".hidden.csv"), "x,y\n9,9\n").unwrap();
    fs::write(at("notes.md"), "not a cloud").unwrap();
    let read = |path: &str| read_cloud(&at(path), &ReadOptions::default()).map_err(|error| error.to_string());
    for path in ["", "part-*.csv", "*"] {
        let cloud = read(path).unwrap();
        assert_eq!(*cloud.to_f64(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "{path}");
        assert_eq!(cloud.names().unwrap(), ["x", "y"]);
    }
    assert!(read("other-*.csv").unwrap_err().contains("no files there that can be read as clouds"));
    fs::write(at("part-99.csv"), "x,z\n5,6\n").unwrap();
    let differ = read("").unwrap_err();
    assert!(differ.contains("part-99.csv: has the columns x, z where "), "{differ}");
    assert!(
        differ.ends_with("part-02.csv has the columns x, y; files that make one cloud need the same columns")
    );
    fs::write(at("a.tsv"), "x\n1\n").unwrap();
    assert!(read("").unwrap_err().contains("holds tsv and csv files; name those of one format"));
}
