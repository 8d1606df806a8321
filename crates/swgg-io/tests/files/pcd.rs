//! Files of the Point Cloud Library, in three encodings.

use std::fs;

use super::{Scene, refusal, strings};

/// Two points with padding, packed colours, a descriptor of two values and a label; literals only where compressed.
pub fn scan(encoding: &str) -> Vec<u8> {
    let header = format!(
        "# .PCD v.7 - Point Cloud Data file format\nVERSION .7\nFIELDS x y z _ rgb shape label\nSIZE 4 4 4 1 4 2 8\n\
         TYPE F F F U F I U\nCOUNT 1 1 1 4 1 2 1\nWIDTH 1\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA {encoding}\n"
    );
    let xyz = [[0.5f32, -1.5, 2.5], [4.0, 5.0, 6.0]];
    let colors = [0x00ff8001u32, 0x00010203];
    let body = match encoding {
        "ascii" => {
            let color = colors.map(f32::from_bits);
            format!(
                "0.5 -1.5 2.5 0 0 0 0 {:?} 7 -8 1\n\n4 5 6 0 0 0 0 {:?} 9 10 18446744073709551615\n",
                color[0], color[1]
            )
            .into_bytes()
        }
        _ => {
            let fields: [Vec<Vec<u8>>; 7] = [
                (0..2).map(|row| xyz[row][0].to_le_bytes().to_vec()).collect(),
                (0..2).map(|row| xyz[row][1].to_le_bytes().to_vec()).collect(),
                (0..2).map(|row| xyz[row][2].to_le_bytes().to_vec()).collect(),
                vec![vec![0; 4]; 2],
                (0..2).map(|row| colors[row].to_le_bytes().to_vec()).collect(),
                [[7i16, -8], [9, 10]]
                    .iter()
                    .map(|pair| pair.iter().flat_map(|v| v.to_le_bytes()).collect())
                    .collect(),
                [1u64, u64::MAX].iter().map(|v| v.to_le_bytes().to_vec()).collect(),
            ];
            if encoding == "binary" {
                (0..2).flat_map(|row| fields.iter().flat_map(move |field| field[row].clone())).collect()
            } else {
                let plain: Vec<u8> = fields.concat().concat();
                let packed: Vec<u8> =
                    plain.chunks(32).flat_map(|run| [&[run.len() as u8 - 1][..], run].concat()).collect();
                let sizes = [packed.len() as u32, plain.len() as u32].map(u32::to_le_bytes).concat();
                [sizes, packed].concat()
            }
        }
    };
    [header.into_bytes(), body].concat()
}

const ENCODINGS: [&str; 3] = ["ascii", "binary", "binary_compressed"];

#[test]
fn points_in_every_encoding() {
    for encoding in ENCODINGS {
        let scene = Scene::new("a.pcd", scan(encoding));
        let cloud = scene.read();
        assert_eq!(cloud.as_f32(), Some(&[0.5, -1.5, 2.5, 4.0, 5.0, 6.0][..]), "{encoding}");
        assert_eq!(cloud.names(), Some(&strings(&["x", "y", "z"])[..]));
        assert_eq!(cloud.ignored(), strings(&["rgb", "shape", "label"]));
        assert_eq!((cloud.format().name(), cloud.dtype()), ("pcd", "float32"));
        assert_eq!(scene.pick("z,y").as_f32(), Some(&[2.5, -1.5, 6.0, 5.0][..]));
        assert_eq!(
            scene.try_read(Some("x,shape")).unwrap_err(),
            "column \"shape\" holds lists, not numbers; pick other columns"
        );
        assert!(scene.try_read(Some("x,label")).unwrap_err().contains("18446744073709551615 is beyond 2^53"));
    }
}

#[test]
fn everything_comes_back_in_its_encoding() {
    for encoding in ENCODINGS {
        let (cloud, attributes) = Scene::new("a.pcd", scan(encoding)).read_table(None);
        assert_eq!(attributes.names().collect::<Vec<_>>(), ["rgb", "shape", "label"]);
        assert_eq!(attributes.type_name("shape").as_deref(), Some("int16 x 2"));
        let (scene, left_out) = Scene::write_table("b.pcd", &cloud, &attributes);
        assert_eq!(left_out, strings(&[]));
        let bytes = fs::read(scene.path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for line in [
            "FIELDS x y z rgb shape label\n",
            "SIZE 4 4 4 4 2 8\n",
            "TYPE F F F F I U\n",
            "COUNT 1 1 1 1 2 1\n",
            "WIDTH 1\nHEIGHT 2\n",
            &format!("POINTS 2\nDATA {encoding}\n"),
        ] {
            assert!(text.contains(line), "{encoding}: {text}");
        }
        let (again, kept) = scene.read_table(None);
        assert_eq!(again.as_f32(), cloud.as_f32());
        assert_eq!(format!("{kept:?}"), format!("{attributes:?}"));
    }
}

#[test]
fn colors_that_are_no_numbers_survive_as_text() {
    // Opaque white is the bits of a float that is not a number.
    let header = "VERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\n";
    let (cloud, attributes) =
        Scene::new("a.pcd", format!("{header}DATA ascii\n1 2 3 4294967295\n")).read_table(None);
    let (scene, _) = Scene::write_table("b.pcd", &cloud, &attributes);
    assert_eq!(scene.read_table(None).1.values("rgb"), Some(vec![4294967295.0]));
    let float = [header.replace("F F F U", "F F F F").as_bytes(), b"DATA ascii\n1 2 3 nan\n"].concat();
    let (cloud, attributes) = Scene::new("a.pcd", float).read_table(None);
    let (scene, _) = Scene::write_table("b.pcd", &cloud, &attributes);
    let text = fs::read_to_string(scene.path()).unwrap();
    assert!(text.contains("TYPE F F F U\n") && text.ends_with("1.0 2.0 3.0 2143289344\n"), "{text}");
}

#[test]
fn old_headers() {
    let old = "# .PCD v.5 - Point Cloud Data file format\nVERSION .5\nCOLUMNS x y\nPOINTS 2\nDATA ascii\n1 2\n3 nan\n";
    let cloud = Scene::new("a.pcd", old).read();
    assert_eq!(cloud.rows(), 2);
    assert_eq!(cloud.as_f32().map(|values| values[..3].to_vec()), Some(vec![1.0, 2.0, 3.0]));
    let stood = old.replace("POINTS", "VIEWPOINT 1 2 3 1 0 0 0\nPOINTS");
    let unread = ["VIEWPOINT (of the file, not of points)"];
    assert_eq!(Scene::new("a.pcd", stood).read_table(None).1.unread(), strings(&unread));
    let next = "VERSION .6\r\nFIELDS x y z\r\nSIZE 8 8 8\r\nTYPE F F F\r\nWIDTH 1\r\nHEIGHT 1\r\nDATA ascii\r\n1 2 3\r\n";
    assert_eq!(Scene::new("a.pcd", next).read().as_f64(), Some(&[1.0, 2.0, 3.0][..]));
}

#[test]
fn bodies_and_headers_that_disagree() {
    let replaced = |encoding: &str, from: &str, to: &str| {
        let bytes = scan(encoding);
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
        refusal("a.pcd", [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat())
    };
    let many = "WIDTH 1000000000000\nHEIGHT 1000\n";
    let announced =
        |encoding| replaced(encoding, "WIDTH 1\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\n", many);
    assert_eq!(
        announced("binary"),
        "the header announces 32000000000000000 bytes of data but 64 follow it; the file is cut short or its header \
         is wrong: write it again"
    );
    assert_eq!(
        announced("ascii"),
        "the header announces 1000000000000000 points but 2 are present; correct one of them"
    );
    assert_eq!(
        announced("binary_compressed"),
        "is not a valid pcd file: its body unpacks to 64 bytes, but its header announces 1000000000000000 points of 32 bytes"
    );
    // Four bytes that pretend to be four billion.
    let header = "FIELDS x y\nWIDTH 500000000\nHEIGHT 1\nDATA binary_compressed\n";
    let lie = [header.as_bytes(), &4u32.to_le_bytes(), &4_000_000_000u32.to_le_bytes(), &[0; 4]].concat();
    assert_eq!(refusal("a.pcd", lie), "is not a valid pcd file: 4 bytes cannot unpack to 4000000000");
    for encoding in ENCODINGS {
        let good = scan(encoding);
        let cut = refusal("a.pcd", &good[..good.len() - 25]);
        assert!(
            cut.contains("cut short") || cut.contains("line 14 has 9 fields where 11"),
            "{encoding}: {cut}"
        );
        let longer = refusal("a.pcd", [&good[..], b"1 2 3"].concat());
        assert!(longer.contains("two files were joined") || longer.contains("line 15 is beyond"), "{longer}");
        Scene::new("a.pcd", [&good[..], b"\n"].concat()).read();
    }
    assert_eq!(
        replaced("ascii", "POINTS 2", "POINTS 3"),
        "is not a valid pcd file: its header announces 3 points, but WIDTH times HEIGHT is 2"
    );
    assert_eq!(
        replaced("ascii", "SIZE 4", "SIZE 3"),
        "is not a valid pcd file: field \"x\" has type F of size 3, which there is not"
    );
    assert_eq!(
        replaced("ascii", "COUNT 1", "COUNT 0"),
        "is not a valid pcd file: field \"x\" has a count of 0"
    );
    assert_eq!(
        replaced("ascii", "COUNT 1 ", "COUNT "),
        "is not a valid pcd file: it has 7 fields but 6 entries in the line \"COUNT\""
    );
    assert_eq!(
        replaced("ascii", "DATA ascii", "DATA morse"),
        "is not a valid pcd file: line 11 is \"DATA morse\""
    );
    assert_eq!(
        replaced("ascii", "x y z", "a y z"),
        "is not a valid pcd file: its points have no field \"x\""
    );
    assert_eq!(
        refusal("a.pcd", "VERSION .7\nFIELDS x y\n"),
        "is not a valid pcd file: its header never ends: there is no line \"DATA\""
    );
    assert_eq!(replaced("ascii", "WIDTH 1\nHEIGHT 2", "WIDTH 0\nHEIGHT 0").split(':').count(), 2);
    assert!(replaced("ascii", "-1.5", "one").starts_with("line 12, column \"y\": \"one\" is not a number"));
}
