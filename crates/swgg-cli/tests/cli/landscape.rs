//! `swgg landscape`: figures and tables of the cost by direction.

use std::fs;

use serde_json::Value;

use crate::Scene;
use crate::bytes::{npy64, scattered};

/// Clouds of 40 and 30 points in the plane, and of 9 in spaces of 3 and 5 dimensions.
fn scene() -> Scene {
    let spatial = |d: usize| npy64(d, &(0..9 * d).map(|i| (i * i * 7 % 31) as f64).collect::<Vec<f64>>());
    let other = |d: usize| npy64(d, &(0..9 * d).map(|i| (i * i * 5 % 29) as f64).collect::<Vec<f64>>());
    Scene::new()
        .with("a.npy", scattered(40, 1))
        .with("b.npy", scattered(30, 2))
        .with("a3.npy", spatial(3))
        .with("b3.npy", other(3))
        .with("a5.npy", spatial(5))
        .with("b5.npy", other(5))
}

/// Draws few directions, which is quick.
fn draw(scene: &Scene, clouds: &str, arguments: &str) -> Value {
    scene.json(&format!("landscape {clouds} --angles 12 --copies 2 --widths 0.1,0.5 {arguments}"))
}

/// The words of an SVG, one piece of text per entry.
fn words(svg: &str) -> Vec<&str> {
    let texts = svg.split("<text").skip(1);
    texts.map(|text| text.split(['>', '<']).nth(1).unwrap().trim()).collect()
}

#[track_caller]
fn check_refusal(clouds: &str, arguments: &str, message: &str) {
    scene().with("old.svg", "old figure").refuses(&format!("landscape {clouds} {arguments}"), message);
}

#[test]
fn the_figure_has_its_words() {
    let scene = scene();
    draw(&scene, "a.npy b.npy", "--out plane.svg");
    let svg = scene.text("plane.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let words = words(&svg);
    for text in [
        "SWGG by direction, 40 and 30 points in dimension 2; best ones marked",
        "SWGG",
        "smoothed, s = 2, noise 0.1 of spread",
        "smoothed, s = 2, noise 0.5 of spread",
        "W2 along the line, squared",
        "squared cost",
        "angle of the direction, degrees",
        "0",
        "90",
        "180",
    ] {
        assert!(words.contains(&text), "no {text:?} in {words:?}");
    }
}

#[test]
fn the_figure_of_a_space_has_a_circle_per_caption() {
    let scene = scene();
    for (d, arguments, circles) in [(3, "", 2), (5, "", 3), (5, "--circles 4", 4), (5, "--circles 1", 1)] {
        let found = draw(&scene, &format!("a{d}.npy b{d}.npy"), &format!("--out space.svg {arguments}"));
        assert_eq!(found["circles"].as_u64(), Some(circles), "{d} {arguments}");
        let svg = scene.text("space.svg");
        let captions: Vec<&str> = words(&svg).into_iter().filter(|word| word.contains("circle")).collect();
        let caption = |k| format!("great circle {k} through the best direction (at 0)");
        assert_eq!(captions, (1..=circles).map(caption).collect::<Vec<_>>());
    }
}

#[test]
fn the_picture_is_a_png() {
    let scene = scene();
    draw(&scene, "a.npy b.npy", "--out plane.png");
    let bytes = fs::read(scene.path("plane.png")).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[12..16], number(16)), (&b"IHDR"[..], 1800));
    assert!((600..3000).contains(&number(20)), "{} pixels high", number(20));
}

#[test]
fn the_table_has_every_direction() {
    let scene = scene();
    draw(&scene, "a3.npy b3.npy", "--out space.csv");
    let header = "circle,angle_deg,swgg,line,smoothed_s2_w0.1,smoothed_s2_w0.5\n";
    assert!(scene.text("space.csv").starts_with(header));
    let rows = scene.points("space.csv");
    let places: Vec<(f64, f64)> = rows.iter().map(|row| (row[0], row[1])).collect();
    let circle = |k: usize| (0..12).map(move |angle| (k as f64, f64::from(15 * angle) - 90.0));
    assert_eq!(places, circle(1).chain(circle(2)).collect::<Vec<_>>());
    assert!(rows.iter().flatten().all(|x| x.is_finite()));
}

#[test]
fn the_lowest_cost_of_the_plane_is_below_the_table() {
    let scene = scene();
    let found = scene.json("landscape a.npy b.npy --angles 180 --copies 1 --widths 0 --out plane.csv");
    let lowest = found["cost"].as_f64().unwrap();
    let rows = scene.points("plane.csv");
    assert_eq!(rows.len(), 180);
    let swgg = rows.iter().map(|row| row[2]).fold(f64::INFINITY, f64::min);
    assert!(swgg >= lowest * (1.0 - 1e-12), "{swgg} is below {lowest}");
    // Transport along a line is never dearer than in the plane.
    assert!(rows.iter().all(|row| row[3] <= row[2]));
    // Neither copied nor blurred, the smoothed cost is the cost.
    assert!(rows.iter().all(|row| (row[4] - row[2]).abs() <= 1e-9 * row[2]), "{rows:?}");
}

#[test]
fn keys() {
    let found = draw(&scene(), "a3.npy b3.npy", "--out space.csv");
    let found = found.as_object().unwrap();
    let keys = [
        "angles",
        "circles",
        "cost",
        "d",
        "file",
        "lower_bound",
        "m",
        "n",
        "search",
        "seconds",
        "stop",
        "theta",
    ];
    assert_eq!(found.keys().collect::<Vec<_>>(), keys);
    assert_eq!((found["angles"].as_u64(), found["search"].as_str()), (Some(12), Some("stein")));
    assert!(found["lower_bound"].as_f64().unwrap() <= found["cost"].as_f64().unwrap());
    assert_eq!((found["file"].as_str(), found["d"].as_u64()), (Some("space.csv"), Some(3)));
}

#[test]
fn the_same_seed_draws_the_same() {
    let scene = scene();
    for (name, arguments) in
        [("one.csv", "--threads 1"), ("five.csv", "--threads 5"), ("other.csv", "--seed 1 --threads 1")]
    {
        draw(&scene, "a.npy b.npy", &format!("{arguments} --out {name}"));
    }
    assert_eq!(scene.text("one.csv"), scene.text("five.csv"));
    assert_ne!(scene.text("one.csv"), scene.text("other.csv"));
}

#[test]
fn quiet_prints_nothing() {
    let scene = scene();
    assert_eq!(scene.works("landscape a.npy b.npy --angles 12 -q --out plane.svg"), "");
    assert!(scene.path("plane.svg").is_file());
}

#[test]
fn clouds_that_leave_nothing_to_see() {
    // Flat curves have no range to scale the axis by.
    let scene = Scene::clouds("1,1\n1,1\n", "1,1\n");
    for out in ["flat.svg", "flat.png", "flat.csv"] {
        draw(&scene, "source.csv target.csv", &format!("--out {out}"));
    }
    let svg = scene.text("flat.svg");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn numbers_out_of_range() {
    let out = "--out old.svg";
    let check = |arguments: &str, message: &str| {
        check_refusal("a.npy b.npy", &format!("{arguments} {out}"), message);
    };
    check("--angles 0", "--angles 0 is too few; a curve needs 2");
    check("--angles 1", "--angles 1 is too few; a curve needs 2");
    check(
        "--angles 18446744073709551615",
        "--angles 18446744073709551615 is too many; no eye tells more than 100000 apart",
    );
    check("--circles 0", "--circles 0 leaves nothing to draw; ask for at least one");
    check("--copies 5,0", "the number of copies is 0; give 1 or more");
    check("--widths -1", "the blur is -1; give a finite number that is not negative");
    check("--widths 0.1,nan", "the blur is NaN; give a finite number that is not negative");
}

#[test]
fn more_circles_than_there_is_room_for() {
    for (clouds, asked, d, room) in
        [("a.npy b.npy", 2, 2, 1), ("a3.npy b3.npy", 3, 3, 2), ("a5.npy b5.npy", usize::MAX, 5, 4)]
    {
        let message = format!(
            "--circles {asked} is too many; in dimension {d} there is room for {room}, orthogonal to each other"
        );
        check_refusal(clouds, &format!("--circles {asked} --out old.svg"), &message);
    }
}

#[test]
fn more_curves_than_colours() {
    check_refusal(
        "a.npy b.npy",
        "--copies 1,2,3,4,5,6 --widths 0.1,0.2 --out old.svg",
        "--copies and --widths make 12 smoothed curves; a figure has colours for 10",
    );
}

#[test]
fn nothing_on_the_circles_is_lower_than_the_lowest() {
    let scene = scene();
    for (clouds, seed) in [("a3.npy b3.npy", 0), ("a5.npy b5.npy", 1), ("a5.npy b5.npy", 2)] {
        let found = scene.json(&format!(
            "landscape {clouds} --angles 360 --copies 1 --widths 0 --seed {seed} --out space.csv"
        ));
        let lowest = found["cost"].as_f64().unwrap();
        let rows = scene.points("space.csv");
        let drawn = rows.iter().map(|row| row[2]).fold(f64::INFINITY, f64::min);
        assert!(drawn >= lowest, "{drawn} is below {lowest}");
        // The lowest one is on every circle, at 0.
        let at_zero = rows.iter().filter(|row| row[1] == 0.0).map(|row| row[2]);
        assert!(
            at_zero.clone().count() > 1 && at_zero.into_iter().all(|c| (c - lowest).abs() <= 1e-9 * lowest)
        );
    }
}

#[test]
fn extensions_that_are_no_figure() {
    for name in ["new.pdf", "new", "svg"] {
        let message = format!("--out {name} must end in .svg, .png or .csv; rename it");
        check_refusal("a.npy b.npy", &format!("--out {name}"), &message);
    }
}

#[test]
fn one_dimension() {
    let scene = Scene::clouds("0\n1\n", "2\n3\n");
    scene.refuses(
        "landscape source.csv target.csv --out new.svg",
        "the points have one column: there is only one line; a landscape needs two or more",
    );
}

#[test]
fn an_input_as_output() {
    let scene = Scene::new().with("w.csv", "1\n1\n1\n");
    for name in ["source.csv", "./target.csv", "w.csv"] {
        scene.refuses(
            &format!("landscape source.csv target.csv --source-weights w.csv --out {name}"),
            &format!("{name} is read and would be overwritten; name another file"),
        );
    }
}

#[test]
fn places_that_cannot_be_written() {
    let missing = "none/new.svg: the directory none does not exist; create it first";
    check_refusal("a.npy b.npy", "--out none/new.svg", missing);
    scene()
        .with_directory("dir.svg")
        .refuses("landscape a.npy b.npy --out dir.svg", "dir.svg: is a directory; give the name of a file");
}
