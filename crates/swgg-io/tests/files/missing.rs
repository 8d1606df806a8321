//! Values that are not there, columns of weights, decimals after a comma, and what text holds.

use parquet::basic::Compression;
use parquet::data_type::{DoubleType, FloatType};
use swgg_io::{Cloud, Format, ReadOptions, read_cloud, survey};

use super::Scene;
use super::tables::{put, table};

fn read(scene: &Scene, options: &ReadOptions) -> Result<Cloud, String> {
    read_cloud(&scene.path(), options).map_err(|error| error.to_string())
}

#[test]
fn rows_with_gaps_are_left_out_and_counted() {
    let options = ReadOptions { skip_missing: true, ..ReadOptions::default() };
    let text = Scene::new("a.csv", "x,y\n1,2\n,3\nNA,4\n5,nan\n6,inf\n7,8\n");
    let cloud = read(&text, &options).unwrap();
    assert_eq!((&*cloud.to_f64(), cloud.skipped()), (&[1.0, 2.0, 7.0, 8.0][..], 4));
    let parquet = table(
        "optional double x; required float y;",
        Compression::SNAPPY,
        &[&|group| {
            put::<DoubleType>(group, &[0.5, 9.0], Some(&[1, 0, 1]));
            put::<FloatType>(group, &[1.0, 2.0, 3.0], None);
        }],
    );
    assert!(parquet.refusal().contains("is null"));
    let cloud = read(&parquet, &options).unwrap();
    assert_eq!((&*cloud.to_f64(), cloud.skipped()), (&[0.5, 1.0, 9.0, 3.0][..], 1));
    let none = Scene::new("a.csv", "x,y\n,2\nnan,3\n");
    assert!(read(&none, &options).unwrap_err().ends_with("it has zero rows; add at least one"));
}

#[test]
fn a_column_of_weights_is_no_coordinate() {
    let scene = Scene::new("a.csv", "x,Mass,y\n1,0.5,2\n3,0.25,4\n");
    let options = ReadOptions { weights: Some("mass".into()), ..ReadOptions::default() };
    let cloud = read(&scene, &options).unwrap();
    assert_eq!((&*cloud.to_f64(), cloud.weights()), (&[1.0, 2.0, 3.0, 4.0][..], Some(&[0.5, 0.25][..])));
    let picked = ReadOptions { columns: Some("y".parse().unwrap()), ..options.clone() };
    assert_eq!(&*read(&scene, &picked).unwrap().to_f64(), [2.0, 4.0]);
    let unknown = ReadOptions { weights: Some("w".into()), ..ReadOptions::default() };
    assert!(read(&scene, &unknown).unwrap_err().contains("there is no column \"w\""));
    let gaps = Scene::new("a.csv", "x,mass\n1,0.5\n3,\n5,1\n");
    assert!(read(&gaps, &options).unwrap_err().contains("column \"mass\" holds text, not numbers"));
    let cloud = read(&gaps, &ReadOptions { skip_missing: true, ..options.clone() }).unwrap();
    assert_eq!((cloud.weights(), cloud.skipped()), (Some(&[0.5, 1.0][..]), 1));
    let ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
               property float mass\nend_header\n0 0 0 2\n1 1 1 3\n";
    let cloud = read(&Scene::new("a.ply", ply), &options).unwrap();
    assert_eq!((cloud.columns(), cloud.weights()), (3, Some(&[2.0, 3.0][..])));
}

#[test]
fn decimals_after_a_comma() {
    let options = ReadOptions { decimal_comma: true, ..ReadOptions::default() };
    for text in ["x;y\n1,5;-2\n", "1,5;-2\n", "x\ty\n1,5\t-2,0\n", "1,5 -2\n"] {
        assert_eq!(&*read(&Scene::new("a.csv", text), &options).unwrap().to_f64(), [1.5, -2.0], "{text:?}");
    }
    let weighted = ReadOptions { weights: Some("w".into()), ..options };
    let cloud = read(&Scene::new("a.csv", "x;w\n1,5;0,5\n"), &weighted).unwrap();
    assert_eq!((&*cloud.to_f64(), cloud.weights()), (&[1.5][..], Some(&[0.5][..])));
}

#[test]
fn the_format_may_be_said() {
    let scene = Scene::new("points", "1 2\n3 4\n");
    let options = ReadOptions { format: Some(Format::Xyz), ..ReadOptions::default() };
    assert_eq!(read(&scene, &options).unwrap().rows(), 2);
}

#[test]
fn a_survey_says_what_columns_hold() {
    let scene = Scene::new("a.csv", "id,x,note\nb1,1,\nb2,3,far\nb3,nan,\n");
    let survey = survey(&scene.path(), &ReadOptions::default()).unwrap().unwrap();
    let numeric: Vec<&str> =
        survey.columns.iter().filter(|column| column.is_numeric()).map(|column| &*column.name).collect();
    assert_eq!((survey.rows, &numeric[..]), (3, &["x"][..]));
    let [id, x, note] = &survey.columns[..] else { panic!() };
    assert_eq!((id.words, id.example.as_deref()), (3, Some("b1")));
    assert_eq!((x.finite, x.not_finite, x.min, x.mean, x.max), (2, 1, 1.0, 2.0, 3.0));
    assert_eq!((note.missing, note.words, note.example.as_deref()), (2, 1, Some("far")));
}
