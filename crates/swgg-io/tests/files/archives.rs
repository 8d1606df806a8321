//! Arrays of archives, by name; images and pictures as clouds.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use swgg_io::picture::{self, Picture, Samples};
use swgg_io::{Output, ReadOptions, read_cloud, read_plan};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::npy::array;
use super::{Scene, refusal, strings};

/// An archive as NumPy writes it, packed or not.
pub fn archive(members: &[(&str, Vec<u8>)], packed: bool) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn doubles(shape: &str, values: &[f64]) -> Vec<u8> {
    array(1, "'<f8'", false, shape, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

fn at(scene: &Scene, array: &str) -> PathBuf {
    format!("{}:{array}", scene.path().display()).into()
}

#[test]
fn an_array_is_picked_by_name_unless_it_is_the_only_one() {
    for packed in [false, true] {
        let x = doubles("(2, 2)", &[1.0, 2.0, 3.0, 4.0]);
        let one = Scene::new("a.npz", archive(&[("X", x.clone())], packed));
        assert_eq!(*one.read().to_f64(), [1.0, 2.0, 3.0, 4.0]);
        let two = Scene::new("a.npz", archive(&[("X", x), ("y", doubles("(3,)", &[7.0, 8.0, 9.0]))], packed));
        assert_eq!(two.refusal(), "holds 2 arrays: X, y; say which after a colon, as in FILE.npz:X");
        let read = |name: &str| read_cloud(&at(&two, name), &ReadOptions::default());
        assert_eq!(*read("y").unwrap().to_f64(), [7.0, 8.0, 9.0]);
        assert_eq!((read("X").unwrap().rows(), read("X").unwrap().columns()), (2, 2));
        let missing = read("z").unwrap_err().to_string();
        assert!(missing.ends_with("a.npz:z: has no array \"z\"; it has X, y"), "{missing}");
    }
    assert!(refusal("a.npz", "no archive").starts_with("is not a valid npz file: "));
}

#[test]
fn sparse_matrices_are_plans_by_rows_and_by_columns() {
    let ints = |values: &[i32]| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        array(1, "'<i4'", false, &format!("({},)", values.len()), &bytes)
    };
    let word = |word: &str| array(1, "'|S3'", false, "()", word.as_bytes());
    let shape = array(1, "'<i8'", false, "(2,)", &[2_i64.to_le_bytes(), 2_i64.to_le_bytes()].concat());
    for (format, expected) in [("csr", [(0, 1, 0.25), (1, 0, 0.75)]), ("csc", [(1, 0, 0.25), (0, 1, 0.75)])] {
        let members = [
            ("indices", ints(&[1, 0])),
            ("indptr", ints(&[0, 1, 2])),
            ("format", word(format)),
            ("shape", shape.clone()),
            ("data", doubles("(2,)", &[0.25, 0.75])),
        ];
        let scene = Scene::new("plan.npz", archive(&members, true));
        let plan = read_plan(&scene.path()).unwrap();
        assert_eq!((&plan.entries[..], plan.shape), (&expected[..], Some((2, 2))), "{format}");
        assert!(scene.refusal().starts_with("holds a sparse matrix, which cannot be read as points"));
    }
    let other = Scene::new("plan.npz", archive(&[("X", doubles("(1,)", &[1.0]))], false));
    let said = read_plan(&other.path()).unwrap_err().to_string();
    assert!(said.ends_with("is not a plan: it holds X, not a matrix of scipy.sparse.save_npz"), "{said}");
}

#[test]
fn a_picture_is_the_cloud_of_its_colours() {
    let scene = Scene::new("a.png", "");
    let two = Picture::new(2, 1, 4, Samples::U8(vec![255, 0, 51, 255, 0, 102, 0, 0])).unwrap();
    picture::write(Output::create(&scene.path()).unwrap(), &two).unwrap().commit().unwrap();
    let cloud = scene.read();
    assert_eq!(cloud.as_f32(), Some(&[1.0, 0.0, 0.2, 0.0, 0.4, 0.0][..]));
    assert_eq!(
        (cloud.names().unwrap(), cloud.ignored()),
        (&strings(&["r", "g", "b"])[..], &strings(&["alpha"])[..])
    );
    assert_eq!(scene.pick("b").as_f32(), Some(&[0.2, 0.0][..]));
    let gray = Picture::new(1, 1, 1, Samples::U16(vec![65535])).unwrap();
    picture::write(Output::create(&scene.path()).unwrap(), &gray).unwrap().commit().unwrap();
    assert_eq!(scene.read().as_f32(), Some(&[1.0; 3][..]));
}

#[test]
fn images_of_mnist_are_rows() {
    let bytes = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2][..], &[1, 2, 3, 255]].concat();
    for name in ["t10k-images-idx3-ubyte", "a.idx3-ubyte", "a.idx"] {
        let scene = Scene::new(name, &bytes);
        assert_eq!(*scene.read().to_f64(), [1.0, 2.0, 3.0, 255.0], "{name}");
        assert_eq!(scene.read().columns(), 2);
        assert_eq!(*scene.pick("1").to_f64(), [2.0, 255.0]);
    }
    let packed = Scene::new("t10k-images-idx3-ubyte.gz", super::packed::gzip(&bytes));
    assert_eq!(packed.read().rows(), 2);
}
