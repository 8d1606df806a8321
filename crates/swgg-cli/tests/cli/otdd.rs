//! `swgg otdd`: what it reads, what it finds, what it refuses.

use crate::bytes::npy64;
use crate::scene::Scene;

/// An IDX array of bytes.
fn idx(shape: &[u32], data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0, 0, 8, shape.len() as u8];
    shape.iter().for_each(|length| bytes.extend(length.to_be_bytes()));
    bytes.extend(data);
    bytes
}

/// So many images of so many pixels a side, and their labels, three in turn.
fn images(count: usize, side: usize, seed: usize) -> [Vec<u8>; 2] {
    let label = |k: usize| (k * 5 % 3) as u8;
    let pixel = |k: usize| ((k * k * 7 + seed * 13 + k) % 90) as u8 + 60 * label(k / (side * side));
    let pixels: Vec<u8> = (0..count * side * side).map(pixel).collect();
    let labels: Vec<u8> = (0..count).map(label).collect();
    [idx(&[count as u32, side as u32, side as u32], &pixels), idx(&[count as u32], &labels)]
}

/// Two sets of images, one of another size, and a table.
fn data() -> Scene {
    let (a, b, c) = (images(30, 6, 1), images(24, 6, 2), images(20, 4, 3));
    let table: String = (0..12).map(|k| format!("{},{},{}\n", k, k * k % 7, ["ant", "cat"][k % 2])).collect();
    let other: String = (0..9).map(|k| format!("{},{},{}\n", k, k * k % 5, k % 2)).collect();
    Scene::new()
        .with("a-images-idx3-ubyte", &a[0])
        .with("a-labels-idx1-ubyte", &a[1])
        .with("b-images-idx3-ubyte", &b[0])
        .with("b-labels-idx1-ubyte", &b[1])
        .with("small-images-idx3-ubyte", &c[0])
        .with("small-labels-idx1-ubyte", &c[1])
        .with("t.csv", format!("x,y,label\n{table}"))
        .with("u.csv", format!("x,y,kind\n{other}"))
}

#[test]
fn images_with_their_labels_beside_them() {
    let scene = data();
    let found = scene.json("otdd a-images-idx3-ubyte b-images-idx3-ubyte --picture heat.svg");
    let pair = &found["pairs"][0];
    assert_eq!((found["d"].as_u64(), found["stop"].as_str()), (Some(36), Some("converged")));
    assert_eq!(
        (&found["distance"], &found["distances"][0][1]),
        (&pair["distance"], &found["distances"][1][0])
    );
    assert_eq!((pair["cost_is"].as_str(), pair["gap"].as_f64()), (Some("exact"), Some(0.0)));
    assert_eq!(found["sets"][0]["labels"].as_array().unwrap().len(), 3);
    assert_eq!(found["sets"][1]["class_sizes"], serde_json::json!([8, 8, 8]));
    assert_eq!(pair["label_distances"].as_array().unwrap().len(), 3);
    let picture = scene.text("heat.svg");
    assert!(
        picture.starts_with("<svg") && picture.contains("Distances between 2 data sets"),
        "{picture:.200}"
    );
    // The unit of pixels is a factor.
    let distance = |flags: &str| {
        let line = format!("otdd a-images-idx3-ubyte b-images-idx3-ubyte {flags}");
        scene.json(&line)["distance"].as_f64().unwrap()
    };
    let (paper, unit, raw) = (distance(""), distance("--pixels unit"), distance("--pixels raw"));
    assert!((raw / 255.0 - unit).abs() < 1e-9 * unit && (unit / 0.3081 - paper).abs() < 1e-9 * paper);
    // Other distances between labels, and the squared cost.
    for flags in [
        "--label-distance bures",
        "--label-distance sinkhorn",
        "--power 2",
        "--method exact",
        "--effort 2 --gap 0.1",
    ] {
        let other = distance(flags);
        assert!(other > 0.3 * paper && other < 3.0 * paper, "{flags}: {other} {paper}");
    }
    let lines = distance("--label-distance min-swgg --search random --directions 30 --seed 2");
    assert!(lines >= distance("--label-distance exact") - 1e-9);
    assert_eq!(distance("--threads 1"), distance("--threads 2"));
}

#[test]
fn images_of_different_sizes_are_resized() {
    let scene = data();
    let line = "otdd a-images-idx3-ubyte small-images-idx3-ubyte b-images-idx3-ubyte";
    let found = scene.json(line);
    assert_eq!((found["d"].as_u64(), found["pairs"].as_array().unwrap().len()), (Some(36), 3));
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.ends_with("resized from 4 x 4 to 6 x 6, bilinear"), "{note}");
    assert_eq!((found["joins"].as_array().unwrap().len(), &found["distance"]), (2, &serde_json::Value::Null));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert_eq!(found["distances"][i][j], found["distances"][j][i]);
        assert_eq!(found["distances"][i][i], 0.0);
    }
    assert_eq!(scene.json(&format!("{line} --resize 5x7"))["d"], 35);
    scene.works(&format!("{line} --picture heat.png -q --names one,two,three"));
    let said = scene.works(&format!("{line} --names one,two,three --threads 1"));
    assert!(said.contains("\n  one "), "{said}");
}

#[test]
fn tables_and_arrays() {
    let scene = data()
        .with("p.npy", npy64(2, &[0.0, 0.0, 1.0, 0.0, 5.0, 5.0, 6.0, 5.0]))
        .with("p-labels.npy", npy64(1, &[0.0, 0.0, 1.0, 1.0]))
        .with("q.npy", npy64(2, &[3.0, 4.0, 4.0, 4.0, 8.0, 9.0, 9.0, 9.0]))
        .with("named.npy", npy64(1, &[7.0, 7.0, 2.0, 2.0]));
    // Text and numbers as labels, in a column that is found or named.
    let found = scene.json("otdd t.csv t.csv");
    assert_eq!((found["distance"].as_f64(), found["d"].as_u64()), (Some(0.0), Some(2)));
    assert_eq!(found["sets"][0]["labels"], serde_json::json!(["ant", "cat"]));
    assert_eq!(found["notes"][0], "labels of t are text, counted in sorted order");
    let named = scene.json("otdd u.csv u.csv --label-column kind --columns x");
    assert_eq!(
        (named["d"].as_u64(), &named["sets"][0]["class_sizes"]),
        (Some(1), &serde_json::json!([5, 4]))
    );
    // A shift of every point and every label by (3, 4).
    let moved = scene.json("otdd p.npy q.npy --labels p-labels.npy,named.npy");
    assert!((moved["distance"].as_f64().unwrap() - 50.0_f64.sqrt()).abs() < 1e-9);
    assert_eq!(moved["sets"][1]["labels"], serde_json::json!(["2", "7"]));
    // A sample is the same for the same seed, and of its size.
    let sampled = |flags: &str| scene.json(&format!("otdd t.csv t.csv --samples 5 {flags}"));
    assert_eq!(
        (&sampled("")["sets"][0]["n"], &sampled("")["distance"]),
        (&serde_json::json!(5), &serde_json::json!(0.0))
    );
}

#[test]
fn refusals() {
    let scene = data()
        .with("p.npy", npy64(2, &[0.0, 0.0, 1.0, 0.0]))
        .with("p-labels.npy", npy64(1, &[0.0]))
        .with("half.npy", npy64(1, &[0.5, 1.0]))
        .with("three.npy", npy64(3, &[0.0; 6]))
        .with("two.npy", npy64(1, &[0.0, 1.0]))
        .with("lonely-images-idx3-ubyte", &images(4, 2, 1)[0])
        .with("cut-images-idx3-ubyte", &images(4, 2, 1)[0][..30])
        .with("cut-labels-idx1-ubyte", &images(4, 2, 1)[1]);
    scene.refuses("otdd t.csv", "found one data set, t.csv; a distance is between at least 2");
    scene.refuses("otdd p.npy p.npy", "p.npy: 1 labels for 2 points; give one for each (--labels)");
    scene.refuses(
        "otdd p.npy p.npy --labels half.npy,half.npy",
        "half.npy: row 0 is 0.5; labels are whole numbers from 0 on",
    );
    scene.refuses("otdd t.csv t.csv --labels a,b,c", "--labels names 3 for 2 data sets; give one for each");
    scene.refuses(
        "otdd u.csv t.csv",
        "u.csv: there is no column \"label\"; the columns are x, y, kind (--label-column names the column of labels, --labels a file of them)",
    );
    scene.refuses(
        "otdd p.npy three.npy --labels two.npy,two.npy",
        "three has points of dimension 3, p of 2; images are brought to one size by --resize HxW, columns are picked by --columns",
    );
    scene.refuses(
        "otdd lonely-images-idx3-ubyte a-images-idx3-ubyte",
        "lonely-images-idx3-ubyte: its labels are not beside it (lonely-labels-idx1-ubyte); name them with --labels",
    );
    scene.refuses(
        "otdd cut-images-idx3-ubyte a-images-idx3-ubyte",
        "cut-images-idx3-ubyte: the header announces 16 bytes of data but 14 follow it; the file is cut short, copy it again",
    );
    scene.refuses(
        "otdd a-labels-idx1-ubyte a-images-idx3-ubyte",
        "a-labels-idx1-ubyte: it has one axis, as labels have; name the file of the images",
    );
    scene.refuses("otdd t.csv t.csv --samples 0", "--samples is 0; ask for at least 1");
    scene.refuses(
        "otdd t.csv t.csv --search random",
        "--search is not a setting of --label-distance auto; leave it out, or use --label-distance min-swgg",
    );
    scene.refuses(
        "otdd t.csv t.csv --method exact --effort 3",
        "--effort is not a setting of --method exact; leave it out, or use --method auto",
    );
    scene.refuses(
        "otdd t.csv t.csv --label-distance sinkhorn --epsilon 0",
        "found an epsilon of 0; give a finite number above 0 (--epsilon, --relative-epsilon)",
    );
    scene.refuses(
        "otdd t.csv u.csv --label-column 2 --resize 3x3",
        "t has rows of 2 numbers, which are no square images; leave --resize out",
    );
    scene.refuses(
        "otdd t.csv t.csv --picture heat.gif",
        "--picture heat.gif must end in .svg or .png; rename it",
    );
}
