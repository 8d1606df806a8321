//! Polygon files, in three encodings.

use super::{Scene, refusal, strings};

const FORMATS: [&str; 3] = ["ascii", "binary_little_endian", "binary_big_endian"];

/// Numbers of a body, encoded as one of `FORMATS` asks.
struct Body<'a> {
    format: &'a str,
    bytes: Vec<u8>,
}

impl Body<'_> {
    fn put<const N: usize>(&mut self, value: f64, little: [u8; N]) {
        match self.format {
            "ascii" => self.bytes.extend(format!("{value} ").as_bytes()),
            "binary_big_endian" => self.bytes.extend(little.iter().rev()),
            _ => self.bytes.extend(little),
        }
    }

    fn end_line(&mut self) {
        if self.format == "ascii" {
            self.bytes.push(b'\n');
        }
    }
}

/// A mesh with elements before and after its two vertices, lists included.
pub fn mesh(format: &str) -> Vec<u8> {
    let mut body = Body { format, bytes: Vec::new() };
    // camera: an int; strips: a list of shorts.
    body.put(7.0, 7i32.to_le_bytes());
    body.end_line();
    for length in [3u8, 0] {
        body.put(length.into(), [length]);
        (0..length).for_each(|index| body.put(index.into(), i16::from(index).to_le_bytes()));
        body.end_line();
    }
    for vertex in [[0.5f32, 1.5, -2.5], [4.0, 5.0, 6.0]] {
        body.put(200.0, [200u8]);
        vertex.iter().for_each(|&value| body.put(value.into(), value.to_le_bytes()));
        body.put(2.0, 2u16.to_le_bytes());
        body.put(0.25, 0.25f64.to_le_bytes());
        body.put(0.75, 0.75f64.to_le_bytes());
        body.put(-3.0, (-3i32).to_le_bytes());
        body.end_line();
    }
    body.put(3.0, [3u8]);
    [0u32, 1, 0].iter().for_each(|&index| body.put(index.into(), index.to_le_bytes()));
    body.end_line();
    let header = format!(
        "ply\nformat {format} 1.0\ncomment made by hand\nobj_info none\nelement camera 1\nproperty int id\n\
         element strips 2\nproperty list uchar short indices\n\
         element vertex 2\nproperty uchar red\nproperty float x\nproperty float32 y\nproperty float z\n\
         property list ushort double weights\nproperty int32 label\n\
         element face 1\nproperty list uint8 uint vertex_indices\nend_header\n"
    );
    [header.into_bytes(), body.bytes].concat()
}

#[test]
fn vertices_of_a_mesh_in_every_encoding() {
    for format in FORMATS {
        let scene = Scene::new("a.ply", mesh(format));
        let cloud = scene.read();
        assert_eq!(cloud.as_f32(), Some(&[0.5, 1.5, -2.5, 4.0, 5.0, 6.0][..]), "{format}");
        assert_eq!(cloud.names(), Some(&strings(&["x", "y", "z"])[..]));
        assert_eq!(cloud.ignored(), strings(&["red", "weights", "label"]));
        assert_eq!(cloud.dtype(), "float32");
        let picked = scene.pick("label,x,red");
        assert_eq!(picked.as_f64(), Some(&[-3.0, 0.5, 200.0, -3.0, 4.0, 200.0][..]), "{format}");
        assert_eq!((picked.dtype(), picked.ignored().len()), ("mixed", 0));
        assert_eq!(
            scene.try_read(Some("x,weights")).unwrap_err(),
            "column \"weights\" holds lists, not numbers; pick other columns"
        );
        assert_eq!(
            scene.try_read(Some("x,w")).unwrap_err(),
            "there is no column \"w\"; the columns are red, x, y, z, weights, label"
        );
    }
}

#[test]
fn two_dimensions_doubles_and_line_ends() {
    let text = "ply\r\nformat ascii 1.0\r\nelement vertex 2\r\nproperty double y\r\nproperty double x\r\n\
                end_header\r\n1 2\r\n\r\n3 nan\r\n";
    let cloud = Scene::new("a.ply", text).read();
    assert_eq!((cloud.columns(), cloud.dtype()), (2, "float64"));
    let values = cloud.as_f64().unwrap();
    assert_eq!((values[0], values[1], values[3]), (2.0, 1.0, 3.0));
    assert!(values[2].is_nan());
}

#[test]
fn bodies_cut_short_or_too_long() {
    for format in &FORMATS[1..] {
        let good = mesh(format);
        let refused = refusal("a.ply", &good[..good.len() - 5]);
        assert!(
            refused.ends_with("follow it; the file is cut short or its header is wrong: write it again"),
            "{refused}"
        );
        let refused = refusal("a.ply", [&good[..], b"more"].concat());
        assert!(
            refused.ends_with("follow it; the header is wrong or two files were joined: write it again"),
            "{refused}"
        );
        Scene::new("a.ply", [&good[..], b"\n"].concat()).read();
    }
    let simple = |count: &str, body: &[u8]| {
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nproperty float y\n\
             end_header\n"
        );
        refusal("a.ply", [header.as_bytes(), body].concat())
    };
    assert_eq!(
        simple("3", &[0; 20]),
        "the header announces 24 bytes of data but 20 follow it; the file is cut short or its header is wrong: write it again"
    );
    assert_eq!(
        simple("1000000000000000", &[0; 24]),
        "the header announces 8000000000000000 bytes of data but 24 follow it; the file is cut short or its header \
         is wrong: write it again"
    );
    assert!(simple("18446744073709551615", &[0; 24]).contains("bytes of data but 24 follow it"));
    assert_eq!(
        simple("2", &[0; 24]),
        "the header announces 16 bytes of data but 24 follow it; the header is wrong or two files were joined: write it again"
    );
    assert_eq!(simple("0", &[]), "holds no points: it has zero rows; add at least one");
}

#[test]
fn text_bodies_say_which_line() {
    let refused = |count: &str, body: &str| {
        let header =
            "ply\nformat ascii 1.0\nelement vertex COUNT\nproperty float x\nproperty float y\nend_header\n";
        refusal("a.ply", header.replace("COUNT", count) + body)
    };
    assert_eq!(
        refused("1000000000000000", "1 2\n3 4\n"),
        "the header announces 1000000000000000 items of \"vertex\" but 2 are present; correct one of them"
    );
    assert_eq!(
        refused("1", "1 2\n3 4\n"),
        "is not a valid ply file: line 8 is beyond the items that its header announces"
    );
    assert_eq!(
        refused("2", "1 2\n3\n"),
        "line 8 has 1 field where 2 were expected; complete the row or drop it"
    );
    assert_eq!(
        refused("2", "1 2\n3 4 5\n"),
        "line 8 has 3 fields where 2 were expected; complete the row or drop it"
    );
    assert!(refused("2", "1 2\n3 y\n").starts_with("line 8, column \"y\": \"y\" is not a number"));
}

#[test]
fn broken_headers() {
    let refused = |header: &str| refusal("a.ply", format!("ply\n{header}"));
    assert_eq!(refusal("a.ply", "obj\n"), "is not a valid ply file: its first line is not \"ply\"");
    let endless = "is not a valid ply file: its header never ends: there is no line \"end_header\"";
    assert_eq!(refused("format ascii 1.0\nelement vertex 1\n"), endless);
    let long = "is not a valid ply file: its header has no line \"end_header\" in its first 1048576 bytes (131073 lines); \
                points with very many properties fit a .npy or .parquet file";
    assert_eq!(refused(&"comment\n".repeat(1 << 18)), long);
    assert_eq!(refused("end_header\n"), "is not a valid ply file: its header has no line \"format\"");
    assert_eq!(
        refused("format ascii 1.0\nelement face 1\nproperty int a\nend_header\n1\n"),
        "is not a valid ply file: it has no element \"vertex\""
    );
    let vertex =
        |rest: &str| refused(&format!("format ascii 1.0\nelement vertex 1\n{rest}end_header\n1 2\n"));
    assert_eq!(
        vertex("property int x\nproperty int z\n"),
        "is not a valid ply file: its vertices have no property \"y\""
    );
    assert_eq!(vertex("property quad x\n"), "is not a valid ply file: line 4 has an unknown type \"quad\"");
    assert_eq!(
        vertex("property list float int x\n"),
        "is not a valid ply file: line 4 is \"property list float int x\""
    );
    assert_eq!(refused("format morse 1.0\n"), "is not a valid ply file: line 2 is \"format morse 1.0\"");
    assert_eq!(refused("element vertex -3\n"), "is not a valid ply file: line 2 is \"element vertex -3\"");
    assert_eq!(refused("property int x\n"), "is not a valid ply file: line 2 is \"property int x\"");
    let negative = "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list char int i\n\
                    element vertex 1\nproperty uchar x\nproperty uchar y\nend_header\n";
    assert_eq!(
        refusal("a.ply", [negative.as_bytes(), &[255, 1, 2]].concat()),
        "is not a valid ply file: a list \"i\" has a negative length"
    );
}
