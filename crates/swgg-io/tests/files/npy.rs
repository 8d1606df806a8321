//! Arrays built byte by byte, as NumPy stores them.

use std::fs::File;
use std::io::Write;

use super::{Scene, refusal};

pub fn array(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    with_header(version, &format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"), data)
}

fn with_header(version: u8, dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let text = format!("{dictionary:<117}\n");
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Both byte orders of the same integers or floats.
macro_rules! check_type {
    ($type:ty, $code:expr, $dtype:expr) => {
        let values: Vec<$type> =
            vec![1 as $type, 2 as $type, 3 as $type, 100 as $type, 5 as $type, 6 as $type];
        for (order, big) in [("<", false), (">", true)] {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| if big { value.to_be_bytes() } else { value.to_le_bytes() })
                .collect();
            let cloud =
                Scene::new("a.npy", array(1, &format!("'{order}{}'", $code), false, "(2, 3)", &bytes)).read();
            assert_eq!((cloud.rows(), cloud.columns(), cloud.dtype()), (2, 3, $dtype));
            assert_eq!(*cloud.to_f64(), [1.0, 2.0, 3.0, 100.0, 5.0, 6.0], "{order}{}", $code);
            assert_eq!(cloud.as_f32().is_some(), $dtype == "float32");
            assert_eq!(cloud.as_f64().is_some(), $dtype != "float32");
        }
    };
}

#[test]
fn every_type_in_both_byte_orders() {
    check_type!(f32, "f4", "float32");
    check_type!(f64, "f8", "float64");
    check_type!(i8, "i1", "int8");
    check_type!(i16, "i2", "int16");
    check_type!(i32, "i4", "int32");
    check_type!(i64, "i8", "int64");
    check_type!(u8, "u1", "uint8");
    check_type!(u16, "u2", "uint16");
    check_type!(u32, "u4", "uint32");
    check_type!(u64, "u8", "uint64");
    let half = Scene::new("a.npy", array(1, "'<f2'", false, "(1, 2)", &[0x00, 0x3c, 0x00, 0xc0])).read();
    assert_eq!((half.as_f64(), half.dtype()), (Some(&[1.0, -2.0][..]), "float16"));
    let bools = Scene::new("a.npy", array(1, "'|b1'", false, "(1, 2)", &[0, 1])).read();
    assert_eq!((bools.as_f64(), bools.dtype()), (Some(&[0.0, 1.0][..]), "bool"));
}

#[test]
fn versions_orders_shapes_and_columns() {
    let data: Vec<u8> = (1..=6).flat_map(|value| f64::from(value).to_le_bytes()).collect();
    for version in [1, 2, 3] {
        let cloud = Scene::new("a.npy", array(version, "'<f8'", false, "(3, 2)", &data)).read();
        assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]));
    }
    let fortran = Scene::new("a.npy", array(1, "'<f8'", true, "(3, 2)", &data));
    assert_eq!(fortran.read().as_f64(), Some(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0][..]));
    assert_eq!(fortran.pick("1").as_f64(), Some(&[4.0, 5.0, 6.0][..]));
    let vector = Scene::new("a.npy", array(1, "\"<f8\"", false, "(6,)", &data)).read();
    assert_eq!((vector.rows(), vector.columns()), (6, 1));
    let wide = Scene::new("a.npy", array(1, "'<f8'", false, "(2, 3)", &data));
    assert_eq!(wide.pick("2,0").as_f64(), Some(&[3.0, 1.0, 6.0, 4.0][..]));
    assert_eq!(
        wide.try_read(Some("3")).unwrap_err(),
        "there is no column \"3\"; the columns are 0 to 2, without names"
    );
}

#[test]
fn a_large_file_is_mapped() {
    let scene = Scene::new("big.npy", array(1, "'<f4'", false, "(10000000, 3)", &[]));
    let file = File::options().write(true).open(scene.path()).unwrap();
    file.set_len(128 + 10_000_000 * 3 * 4).unwrap();
    let cloud = scene.read();
    assert!(cloud.is_mapped());
    assert_eq!((cloud.rows(), cloud.columns(), cloud.dtype()), (10_000_000, 3, "float32"));
    assert_eq!(cloud.as_f32().map(|values| values[29_999_999]), Some(0.0));
    let small = Scene::new("small.npy", array(1, "'<f4'", false, "(1, 1)", &[0; 4])).read();
    assert!(!small.is_mapped());
}

#[test]
fn integers_beyond_exact_floats_say_where() {
    let values = [1u64, 1 << 60, 3, (1 << 53) + 1];
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let scene = Scene::new("a.npy", array(1, "'<u8'", false, "(2, 2)", &data));
    assert_eq!(
        scene.refusal(),
        "row 1 (from 0), column 1 (from 0): 9007199254740993 is beyond 2^53 and has no exact 64-bit float; subtract \
         an offset or leave the column out"
    );
    assert_eq!(scene.pick("0").as_f64(), Some(&[1.0, 3.0][..]));
}

#[test]
fn values_that_are_not_finite_pass_through() {
    let data: Vec<u8> = [f64::NAN, f64::INFINITY].iter().flat_map(|value| value.to_le_bytes()).collect();
    let cloud = Scene::new("a.npy", array(1, "'<f8'", false, "(2, 1)", &data)).read();
    assert!(cloud.to_f64()[0].is_nan() && cloud.to_f64()[1].is_infinite());
}

#[test]
fn arrays_that_are_not_points_are_refused() {
    let refused = |descr: &str, shape: &str| refusal("a.npy", array(1, descr, false, shape, &[0; 48]));
    let plain =
        "which cannot be read as points; save the array with a plain number type such as float32 or float64";
    assert_eq!(refused("'<c16'", "(3,)"), format!("holds complex numbers, {plain}"));
    assert_eq!(refused("'|O'", "(3,)"), format!("holds Python objects, {plain}"));
    assert_eq!(refused("'<U4'", "(3,)"), format!("holds text, {plain}"));
    assert_eq!(refused("'<M8[ns]'", "(6,)"), format!("holds dates or durations, {plain}"));
    assert_eq!(refused("'<f16'", "(3,)"), format!("holds floats wider than 64 bits, {plain}"));
    assert_eq!(refused("'|V8'", "(6,)"), format!("holds raw records, {plain}"));
    assert_eq!(refused("'x'", "(3,)"), format!("holds values of an unknown type, {plain}"));
    assert_eq!(refused("[('x', '<f8'), ('y', '<f8')]", "(3,)"), format!("holds structured records, {plain}"));
    let reshape = "which cannot be read as points; reshape it to n rows of d columns";
    assert_eq!(refused("'<f8'", "()"), format!("holds an array of 0 dimensions, of shape (), {reshape}"));
    assert_eq!(
        refused("'<f8'", "(1, 2, 3)"),
        format!("holds an array of 3 dimensions, of shape (1, 2, 3), {reshape}")
    );
    assert_eq!(refused("'<f8'", "(0, 3)"), "holds no points: it has zero rows; add at least one");
    assert_eq!(
        refused("'<f8'", "(3, 0)"),
        "holds no coordinates: it has no column of numbers; add at least one"
    );
}

#[test]
fn headers_that_lie_give_both_numbers() {
    let refused = |shape: &str| refusal("a.npy", array(1, "'<f4'", false, shape, &[0; 48]));
    assert_eq!(
        refused("(5, 3)"),
        "the header announces 60 bytes of data but 48 follow it; the file is cut short or its header is wrong: write it again"
    );
    assert_eq!(
        refused("(3, 3)"),
        "the header announces 36 bytes of data but 48 follow it; the header is wrong or two files were joined: write it again"
    );
    assert_eq!(
        refused("(1000000000000000, 3)"),
        "the header announces 12000000000000000 bytes of data but 48 follow it; the file is cut short or its header \
         is wrong: write it again"
    );
    assert_eq!(
        refused("(10000000000, 10000000000)"),
        "is not a valid npy file: an array of 10000000000 x 10000000000 values fits in no file"
    );
}

#[test]
fn broken_headers_are_refused() {
    let good = array(1, "'<f4'", false, "(1, 1)", &[0; 4]);
    let inside = "is not a valid npy file: it ends inside its header";
    for length in [3, 8, 9, 60] {
        assert_eq!(refusal("a.npy", &good[..length]), inside);
    }
    assert_eq!(
        refusal("a.npy", "x,y,z\n1,2,3\n"),
        "is not a valid npy file: it does not start with the mark of a NumPy array"
    );
    let mut wrong = good.clone();
    wrong[6] = 9;
    assert_eq!(refusal("a.npy", &wrong), "is not a valid npy file: version 9 of the format is not known");
    let refused = |dictionary: &str| refusal("a.npy", with_header(1, dictionary, &[0; 4]));
    assert_eq!(refused("x"), "is not a valid npy file: its header lacks a '{'");
    assert_eq!(
        refused("{'descr': '<f4'}"),
        "is not a valid npy file: its header has no entry \"fortran_order\""
    );
    assert_eq!(refused("{'descr': '<f4"), "is not a valid npy file: a quote in its header never closes");
    assert_eq!(refused("{'color': 1}"), "is not a valid npy file: its header has an unknown entry \"color\"");
    assert_eq!(
        refused("{'fortran_order': Maybe}"),
        "is not a valid npy file: \"fortran_order\" is neither True nor False"
    );
    assert_eq!(refused("{'shape': (-1, 3)}"), "is not a valid npy file: \"shape\" is not a list of sizes");
    let mut latin = good;
    latin[12] = 0xff;
    assert_eq!(refusal("a.npy", &latin), "is not a valid npy file: its header is not text");
}

#[test]
fn a_file_that_grew_is_refused() {
    let scene = Scene::new("a.npy", array(1, "'<f8'", false, "(2,)", &[0; 16]));
    scene.read();
    File::options().append(true).open(scene.path()).unwrap().write_all(b"\n").unwrap();
    assert_eq!(
        scene.refusal(),
        "the header announces 16 bytes of data but 17 follow it; the header is wrong or two files were joined: write it again"
    );
}
