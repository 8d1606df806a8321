//! Arrays as MNIST has them: round trips by hand, and every refusal.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use swgg_io::idx::{Numbers, is_named, labels_beside, read};

use super::Scene;

/// An array of bytes.
fn array(shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|length| bytes.extend(length.to_be_bytes()));
    bytes.extend(data);
    bytes
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn refusal(bytes: &[u8]) -> String {
    let scene = Scene::new("a-idx3-ubyte.gz", bytes);
    let path = scene.path();
    let error = read(&path).unwrap_err().to_string();
    error.strip_prefix(&format!("{}: ", path.display())).unwrap().to_string()
}

#[test]
fn plain_and_compressed_say_the_same() {
    let bytes = array(&[2, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255]);
    for bytes in [bytes.clone(), zipped(&bytes)] {
        let scene = Scene::new("train-images-idx3-ubyte", bytes);
        let found = read(&scene.path()).unwrap();
        assert_eq!(found.shape, [2, 2, 3]);
        assert_eq!(found.numbers, Numbers::Bytes(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255]));
        assert_eq!(
            (found.numbers.len(), found.numbers.get(11), found.numbers.is_empty()),
            (12, 255.0, false)
        );
    }
}

#[test]
fn every_type_is_read() {
    let floats = |kind: u8, data: &[u8]| {
        let mut bytes = vec![0, 0, kind, 1, 0, 0, 0, 1];
        bytes.extend(data);
        let scene = Scene::new("x.idx", bytes);
        read(&scene.path()).unwrap().numbers.get(0)
    };
    assert_eq!(floats(0x09, &[0xff]), -1.0);
    assert_eq!(floats(0x0b, &(-300_i16).to_be_bytes()), -300.0);
    assert_eq!(floats(0x0c, &70_000_i32.to_be_bytes()), 70_000.0);
    assert_eq!(floats(0x0d, &1.5_f32.to_be_bytes()), 1.5);
    assert_eq!(floats(0x0e, &(-2.25_f64).to_be_bytes()), -2.25);
}

#[test]
fn broken_bytes_are_refused() {
    let whole = array(&[2, 2, 3], &[7; 12]);
    let says = |bytes: &[u8], words: &str| {
        let found = refusal(bytes);
        assert!(found.contains(words), "{found} should say {words}");
    };
    says(&[], "it is empty");
    says(&[0, 0, 8], "ends too early");
    says(b"\x89PNG....", "it begins with the bytes 0x89 0x50, not with two zeros");
    says(&array(&[], &[]), "announces no axes");
    says(&[0, 0, 7, 1, 0, 0, 0, 1, 5], "its type 0x07 is unknown");
    says(&whole[..whole.len() - 1], "announces 12 bytes of data but 11 follow");
    says(&[&whole[..], &[0]].concat(), "announces 12 bytes of data but 13 follow");
    says(&array(&[0, 28, 28], &[]), "zero rows");
    says(&array(&[u32::MAX, u32::MAX, u32::MAX], &[1]), "which no file holds");
    // Compressed: cut short, too long, announced beyond what the bytes can hold, and with a damaged checksum.
    says(&zipped(&whole[..whole.len() - 2]), "announces 12 bytes of data but 10 follow");
    says(&zipped(&[&whole[..], &[0]].concat()), "more than the 12 bytes that it announces");
    says(&zipped(&array(&[60_000, 28, 28], &[0; 8])), "more than its compressed bytes can hold");
    let mut damaged = zipped(&whole);
    let last = damaged.len() - 8;
    damaged[last] ^= 1;
    says(&damaged, "its compressed bytes are damaged");
    let packed = zipped(&whole);
    says(&packed[..packed.len() - 9], "");
}

/// A header that announces a gigabyte in a file of a megabyte of zeros is believed only as far as the bytes go.
#[test]
fn a_bomb_is_not_read_beyond_what_it_announces() {
    let packed = zipped(&array(&[2, 2], &vec![0; 1 << 20]));
    assert!(refusal(&packed).contains("more than the 4 bytes that it announces"));
}

#[test]
fn names_of_files() {
    for name in ["a-idx3-ubyte", "a.idx3-ubyte.gz", "b.idx", "t10k-images-idx3-ubyte.GZ", "x.IDX1-ubyte"] {
        assert!(is_named(name.as_ref()), "{name}");
    }
    for name in ["a.csv", "idx.npy", "idx3", "a.gz", "a-ubyte"] {
        assert!(!is_named(name.as_ref()), "{name}");
    }
    assert_eq!(labels_beside("x.npy".as_ref()), None);
}

proptest! {
    /// Whatever the bytes, there is an answer and no panic.
    #[test]
    fn any_bytes_have_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200), place in 0usize..40, value: u8) {
        let _ = read(&Scene::new("a-idx3-ubyte", &bytes).path());
        let mut packed = zipped(&array(&[3, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
        let length = packed.len();
        packed[place % length] = value;
        if let Ok(found) = read(&Scene::new("a-idx3-ubyte", &packed).path()) {
            prop_assert_eq!(found.numbers.len(), found.shape.iter().product::<usize>());
        }
    }
}
