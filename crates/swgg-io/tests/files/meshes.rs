//! Vertices of meshes.

use super::{Scene, refusal, strings};

pub const OBJ: &str = "# cube\nmtllib a.mtl\nv 0 0 0\nv 1 0.5 0 1.0\nv 1 1 1 0.2 0.3 0.4\nvn 0 0 1\nvt 0 1\nf 1/1/1 2/1/1 3/1/1\n";
pub const OFF: &str = "OFF # a triangle\n\n3 1 0\n0 0 0\n1 0.5 0 255 0 0\n1 1 1\n3 0 1 2\n";
pub const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0.5 0\nvertex 1 1 1\nendloop\nendfacet\n\
                       facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 1\nvertex 1 0.5 0\nendloop\nendfacet\nendsolid\n";

/// Triangles in binary, the same one twice.
pub fn binary_stl() -> Vec<u8> {
    let mut bytes = b"solid, though it is not text".to_vec();
    bytes.resize(80, b' ');
    bytes.extend(2_u32.to_le_bytes());
    for _ in 0..2 {
        let numbers = [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0, 1.0];
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

const POINTS: [f64; 9] = [0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0, 1.0];

#[test]
fn vertices_are_points_once_each() {
    let off_in_one = "OFF 3 0 0\n0 0 0\n1 0.5 0\n1 1 1\n";
    for (name, bytes) in [
        ("a.obj", OBJ.as_bytes().to_vec()),
        ("a.off", OFF.as_bytes().to_vec()),
        ("a.off", off_in_one.as_bytes().to_vec()),
        ("a.stl", STL.as_bytes().to_vec()),
        ("a.STL", binary_stl()),
    ] {
        let scene = Scene::new(name, bytes);
        let cloud = scene.read();
        assert_eq!(*cloud.to_f64(), POINTS, "{name}");
        assert_eq!(cloud.names(), Some(&strings(&["x", "y", "z"])[..]));
        assert_eq!(*scene.pick("z,x").to_f64(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "{name}");
        assert_eq!(scene.read_table(None).1.rows(), 3);
    }
    assert_eq!(Scene::new("a.obj", OBJ).read().ignored(), ["faces"]);
    assert!(Scene::new("a.stl", binary_stl()).read().as_f32().is_some());
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    assert_eq!(refusal("a.obj", "f 1 2 3\n"), "holds no points: it has zero rows; add at least one");
    assert_eq!(
        refusal("a.obj", "v 0 0\n"),
        "is not a valid obj file: line 1 has nothing where the z of a vertex should be"
    );
    assert_eq!(
        refusal("a.off", "OFF\n2 0 0\n0 0 0\n"),
        "the header announces 2 vertices but 1 are present; correct one of them"
    );
    assert!(refusal("a.off", "ply\n").ends_with("it begins with \"ply\", not with OFF"));
    assert!(refusal("a.off", "OFF\n4000000000 0 0\n").starts_with("the header announces 24000000000 bytes"));
    assert!(refusal("a.off", "OFF BINARY\n").starts_with("holds a mesh in binary OFF"));
    let whole = binary_stl();
    assert!(
        refusal("a.stl", &whole[..150])
            .starts_with("the header announces 100 bytes of data but 66 follow it")
    );
    assert!(refusal("a.stl", "short").ends_with("it is shorter than its header of 84 bytes"));
    assert!(
        refusal("a.stl", "solid a\nvertex 1 2 x\n")
            .ends_with("line 2 has \"x\" where the z of a vertex should be")
    );
}
