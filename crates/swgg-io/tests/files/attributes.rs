//! What points carry, from format to format.

use std::fs;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type, Int64Type};
use swgg_io::{Attributes, Cloud};

use super::tables::{put, table};
use super::{Scene, ply, strings};

/// Colours, an intensity, normals and a label.
const POLYGON: &str = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                       property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float intensity\n\
                       property float nx\nproperty float ny\nproperty float nz\nproperty int label\nend_header\n\
                       0.5 1 2 255 128 0 0.25 1 0 0 -3\n3 4 5 1 2 3 17 0 0.6 0.8 70000\n";

fn polygon() -> (Cloud, Attributes) {
    Scene::new("a.ply", POLYGON).read_table(None)
}

fn types(attributes: &Attributes) -> Vec<String> {
    attributes.names().map(|name| format!("{name}: {}", attributes.type_name(name).unwrap())).collect()
}

#[test]
fn polygon_files_keep_types_and_order() {
    let (cloud, attributes) = polygon();
    let (scene, left_out) = Scene::write_table("b.ply", &cloud, &attributes);
    assert_eq!(left_out, strings(&[]));
    let header = String::from_utf8_lossy(&fs::read(scene.path()).unwrap()).into_owned();
    assert!(header.contains("property float z\nproperty uchar red\nproperty uchar green\n"), "{header}");
    let (again, kept) = scene.read_table(None);
    assert_eq!(again.as_f32(), cloud.as_f32());
    assert_eq!(format!("{kept:?}"), format!("{attributes:?}"));
    for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let (_, attributes) = Scene::new("a.ply", ply::mesh(encoding)).read_table(None);
        assert_eq!(types(&attributes), ["red: uint8", "label: int32"]);
        assert_eq!(attributes.values("label"), Some(vec![-3.0, -3.0]));
        let not =
            ["weights (lists)", "camera (not of points)", "strips (not of points)", "face (not of points)"];
        assert_eq!(attributes.unread(), strings(&not));
    }
    let wrong = POLYGON.replace(" 255 ", " 256 ");
    let error = swgg_io::read_table(&Scene::new("a.ply", wrong).path(), &Default::default());
    assert!(error.is_err());
}

#[test]
fn polygons_to_every_other_format() {
    let (cloud, attributes) = polygon();
    let check = |name: &'static str, expected: &[&str], lost: &[&str]| {
        let (scene, left_out) = Scene::write_table(name, &cloud, &attributes);
        assert_eq!(left_out, strings(lost), "{name}");
        let (again, kept) = scene.read_table(None);
        assert_eq!(again.to_f64(), cloud.to_f64(), "{name}");
        assert_eq!(types(&kept), strings(expected), "{name}");
        kept
    };
    let normals = ["normal_x: float32", "normal_y: float32", "normal_z: float32"];
    let kept = check(
        "b.pcd",
        &[&["rgb: float32", "intensity: float32"], &normals[..], &["label: int32"]].concat(),
        &[],
    );
    let packed = kept.values("rgb").unwrap();
    assert_eq!((packed[0] as f32).to_bits(), 0x00ff_8000);
    let kept = check(
        "b.parquet",
        &[
            "red: uint8",
            "green: uint8",
            "blue: uint8",
            "intensity: float32",
            "nx: float32",
            "ny: float32",
            "nz: float32",
            "label: int32",
        ],
        &[],
    );
    assert_eq!(kept.values("red"), Some(vec![255.0, 1.0]));
    let kept = check(
        "b.csv",
        &attributes
            .names()
            .map(|n| format!("{n}: text"))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
        &[],
    );
    assert_eq!(kept.values("ny"), Some(vec![0.0, 0.6]));
    let bare = " (a .xyz file has no names to tell it from a coordinate)";
    let lost: Vec<String> = attributes.names().map(|name| format!("{name}{bare}")).collect();
    check("b.xyz", &[], &lost.iter().map(String::as_str).collect::<Vec<_>>());

    let (scene, left_out) = Scene::write_table("b.laz", &cloud, &attributes);
    let no_place = " (no place for it in a LAS point)";
    let lost = ["nx", "ny", "nz", "label"].map(|name| format!("{name}{no_place}"));
    assert_eq!(left_out, [&["intensity (its values do not fit)".to_owned()], &lost[..]].concat());
    let (_, kept) = scene.read_table(None);
    assert_eq!(kept.values("red"), Some(vec![65535.0, 257.0]));
    assert_eq!(kept.values("return_number"), Some(vec![1.0, 1.0]));
}

#[test]
fn packed_colors_and_normals_are_called_otherwise_elsewhere() {
    let (cloud, attributes) = polygon();
    let (pcd, _) = Scene::write_table("b.pcd", &cloud, &attributes);
    let (cloud, packed) = pcd.read_table(None);
    let (back, left_out) = Scene::write_table("c.ply", &cloud, &packed);
    assert_eq!(left_out, strings(&[]));
    let (_, kept) = back.read_table(None);
    assert_eq!(types(&kept), types(&attributes));
    for name in attributes.names() {
        assert_eq!(kept.values(name), attributes.values(name), "{name}");
    }
}

/// A PLY file has 8 bits for a colour, a PCD file packs as many: what a LAS file has to say in 16 bits becomes that again.
#[test]
fn colors_come_back_from_lidar_files() {
    let (cloud, attributes) = polygon();
    let (las, _) = Scene::write_table("b.las", &cloud, &attributes);
    let (_, deep) = las.read_table(None);
    assert_eq!(deep.type_name("red").as_deref(), Some("uint16"));
    for name in ["c.ply", "c.pcd"] {
        let (there, left_out) = Scene::write_table(name, &cloud, &deep);
        assert!(!left_out.iter().any(|lost| lost.contains("red")), "{left_out:?}");
        let (back, _) = Scene::write_table("d.ply", &cloud, &there.read_table(None).1);
        let (_, kept) = back.read_table(None);
        assert_eq!(kept.type_name("red").as_deref(), Some("uint8"), "{name}");
        for color in ["red", "green", "blue"] {
            assert_eq!(kept.values(color), attributes.values(color), "{name} {color}");
        }
    }
    // Formats with names and types of their own keep all bits.
    let (table, _) = Scene::write_table("c.parquet", &cloud, &deep);
    assert_eq!(table.read_table(None).1.values("red"), Some(vec![65535.0, 257.0]));
    // Every byte of these points is another one, so that 8 bits are not enough.
    let (cloud, full) = Scene::new("a.las", super::las::plain(2, 0)).read_table(None);
    let (_, left_out) = Scene::write_table("e.ply", &cloud, &full);
    assert!(
        left_out.contains(&"half of the 16 bits of red, green and blue (a .ply file has 8)".to_owned()),
        "{left_out:?}"
    );
}

/// Floats of 32 bits are a grid of half a metre where maps have their coordinates.
#[test]
fn points_moved_far_away_are_not_rounded() {
    let (cloud, attributes) = polygon();
    for (shift, dtype) in [(0.0, "float32"), (1.0, "float32"), (5_200_000.1, "float64")] {
        for name in ["b.ply", "b.pcd", "b.parquet"] {
            let moved: Vec<f64> = cloud.to_f64().iter().map(|x| x + shift).collect();
            let scene = Scene::new(name, "");
            let (output, format) =
                (swgg_io::Output::create(&scene.path()).unwrap(), swgg_io::Format::from_path(&scene.path()));
            swgg_io::write_table(output, format.unwrap(), 3, &moved, &attributes)
                .unwrap()
                .0
                .commit()
                .unwrap();
            let found = scene.read_table(None).0;
            assert_eq!(found.dtype(), dtype, "{name} {shift}");
            assert_eq!(found.to_f64().to_vec(), moved, "{name} {shift}");
        }
    }
}

#[test]
fn tables_of_text_keep_their_words_and_their_order() {
    let text =
        "name,x,y,red,\"no, te\",z\nfirst,1.0,2.0,007,\"a \"\"b\"\"\",3.0\n\"two, three\",4.0,5.0,255,,6.0\n";
    let scene = Scene::new("a.csv", text);
    let (cloud, attributes) = scene.read_table(None);
    assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    let (out, left_out) = Scene::write_table("b.csv", &cloud, &attributes);
    assert_eq!(left_out, strings(&[]));
    assert_eq!(fs::read_to_string(out.path()).unwrap(), text);
    let (out, left_out) = Scene::write_table("b.ply", &cloud, &attributes);
    assert_eq!(left_out, strings(&["name (text)", "no, te (text)"]));
    assert_eq!(types(&out.read_table(None).1), ["red: uint8"]);
    // A list of points keeps what it had, and no more.
    let list = Scene::new("a.xyz", "1 2 3 9 a\n4 5 6 8 b\n");
    let (cloud, attributes) = list.read_table(Some("0-2"));
    let (out, left_out) = Scene::write_table("b.xyz", &cloud, &attributes);
    assert_eq!(left_out, strings(&[]));
    assert_eq!(fs::read_to_string(out.path()).unwrap(), "1.0 2.0 3.0 9 a\n4.0 5.0 6.0 8 b\n");
    let (cloud, attributes) = Scene::new("a.txt", "x y z gain\n1 2 3 4\n").read_table(None);
    let (out, _) = Scene::write_table("b.txt", &cloud, &attributes);
    assert_eq!(fs::read_to_string(out.path()).unwrap(), "x y z gain\n1.0 2.0 3.0 4\n");
}

#[test]
fn arrays_keep_the_columns_that_are_not_picked() {
    let scene = Scene::new(
        "a.npy",
        super::npy::array(1, "'<i4'", false, "(2, 3)", &[1i32, 2, 3, 4, 5, 6].map(i32::to_le_bytes).concat()),
    );
    let (cloud, attributes) = scene.read_table(Some("2,0"));
    assert_eq!(attributes.values("1"), Some(vec![2.0, 5.0]));
    let (out, left_out) = Scene::write_table("b.npy", &cloud, &attributes);
    assert_eq!(left_out, strings(&[]));
    assert_eq!(out.read().as_f64(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
}

#[test]
fn parquet_keeps_what_it_can_hold() {
    let scene = table(
        "required float x; required float y; required int64 id; required binary word (UTF8); optional int32 gap;
         required int32 day (DATE);",
        Compression::SNAPPY,
        &[&|group| {
            put::<FloatType>(group, &[0.5, 1.5], None);
            put::<FloatType>(group, &[2.5, 3.5], None);
            put::<Int64Type>(group, &[i64::MAX, -1], None);
            put::<ByteArrayType>(group, &[ByteArray::from("é"), ByteArray::from("")], None);
            put::<Int32Type>(group, &[7], Some(&[0, 1]));
            put::<Int32Type>(group, &[1, 2], None);
        }],
    );
    let (cloud, attributes) = scene.read_table(None);
    assert_eq!((cloud.as_f32(), cloud.columns()), (Some(&[0.5, 2.5, 1.5, 3.5][..]), 2));
    assert_eq!(types(&attributes), ["id: int64", "word: text"]);
    assert_eq!(attributes.unread(), strings(&["gap (nulls)", "day (dates or times)"]));
    let (out, left_out) = Scene::write_table("b.parquet", &cloud, &attributes);
    assert_eq!(left_out, attributes.unread());
    let (again, kept) = out.read_table(None);
    assert_eq!(again.as_f32(), cloud.as_f32());
    assert_eq!(
        format!("{kept:?}"),
        format!("{attributes:?}").replace("\"gap (nulls)\", \"day (dates or times)\"", "")
    );
    let (_, left_out) = Scene::write_table("b.ply", &cloud, &attributes);
    assert_eq!(left_out[2..], strings(&["id (integers of 64 bits)", "word (text)"]));
}

#[test]
fn rows_and_normals_follow_the_points() {
    let (_, mut attributes) = polygon();
    assert!(attributes.map_normals(|[x, y, z]| [-y, x, z]));
    assert_eq!(attributes.values("ny"), Some(vec![1.0, 0.0]));
    assert_eq!(attributes.type_name("ny").as_deref(), Some("float32"));
    attributes.retain(&[false, true]);
    assert_eq!((attributes.rows(), attributes.values("label")), (1, Some(vec![70000.0])));
    let (_, mut plain) = Scene::new("a.csv", "x,y,nx\n1,2,3\n").read_table(None);
    assert!(!plain.map_normals(|normal| normal));
    let scene = Scene::new("b.csv", "");
    let output = swgg_io::Output::create(&scene.path()).unwrap();
    let error = swgg_io::write_table(output, swgg_io::Format::Csv, 2, &[1.0; 4], &plain).unwrap_err();
    assert!(error.to_string().ends_with("cannot write 4 values as rows of 2, 1 of them"), "{error}");
}
