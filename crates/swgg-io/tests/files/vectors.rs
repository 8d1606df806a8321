//! Weights: one column, or one row.

use swgg_io::{Output, read_vector, write_matrix, write_vector};

use super::Scene;
use super::npy::array;

#[test]
fn one_column_or_one_row() {
    let ones = [1.0f64, 2.0, 3.0].map(f64::to_le_bytes).concat();
    for scene in [
        Scene::new("w.npy", array(1, "'<f8'", false, "(3,)", &ones)),
        Scene::new("w.npy", array(1, "'<f8'", false, "(3, 1)", &ones)),
        Scene::new("w.npy", array(1, "'<f8'", false, "(1, 3)", &ones)),
        Scene::new("w.csv", "weight\n1\n2\n3\n"),
        Scene::new("w.txt", "1\n2\n3\n"),
        Scene::new("w.xyz", "1\n2\n3\n"),
    ] {
        assert_eq!(read_vector(&scene.path()).unwrap(), [1.0, 2.0, 3.0]);
    }
}

#[test]
fn several_columns_are_refused() {
    let scene = Scene::new("w.csv", "1,2\n3,4\n5,6\n");
    assert_eq!(
        read_vector(&scene.path()).unwrap_err().to_string(),
        format!(
            "{}: holds 3 rows of 2 columns where a single column was expected; give one number per row",
            scene.path().display()
        )
    );
}

#[test]
fn arrays_written_are_read_back() {
    let scene = Scene::new("a.npy", "");
    let create = || Output::create(&scene.path()).unwrap();
    write_vector(create(), &[0.5, -1e-300]).unwrap().commit().unwrap();
    assert_eq!(read_vector(&scene.path()).unwrap(), [0.5, -1e-300]);
    write_matrix(create(), 2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap().commit().unwrap();
    let cloud = scene.read();
    assert_eq!((cloud.rows(), cloud.columns()), (2, 3));
    assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    let error = write_matrix(create(), 2, 3, &[1.0]).unwrap_err();
    assert!(error.to_string().ends_with("cannot write 1 values as rows of 3, 2 of them"), "{error}");
}
