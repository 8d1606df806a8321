//! `swgg color-transfer` and `swgg colorize`.

use swgg_io::Output;
use swgg_io::picture::{Picture, Samples, read, write};

use crate::scene::Scene;

fn noise(k: usize) -> u8 {
    (k.wrapping_mul(2_654_435_761) >> 9) as u8
}

/// A picture of some channels with a tint.
fn picture(width: usize, height: usize, channels: usize, low: u8) -> Picture {
    let sample = |k: usize| {
        if channels.is_multiple_of(2) && k % channels == channels - 1 { 255 } else { low + noise(k) / 4 }
    };
    Picture::new(width, height, channels, Samples::U8((0..width * height * channels).map(sample).collect()))
        .unwrap()
}

fn scene() -> Scene {
    let scene = Scene::new();
    put(&scene, "dusk.png", &picture(24, 16, 3, 10));
    put(&scene, "dawn.png", &picture(16, 24, 3, 180));
    scene
}

fn put(scene: &Scene, name: &str, picture: &Picture) {
    write(Output::create(&scene.path(name)).unwrap(), picture).unwrap().commit().unwrap();
}

fn sorted(scene: &Scene, name: &str) -> Vec<[u8; 3]> {
    let Samples::U8(samples) = read(&scene.path(name)).unwrap().samples else {
        panic!("8 bits became others")
    };
    let mut pixels: Vec<[u8; 3]> = samples.chunks(3).map(|p| [p[0], p[1], p[2]]).collect();
    pixels.sort_unstable();
    pixels
}

#[test]
fn the_result_has_the_colours_of_the_reference() {
    let scene = scene();
    let text = scene.works(
        "color-transfer dusk.png dawn.png out.png --method auto --compare sheet.png --against gaussian",
    );
    assert!(text.starts_with("24 x 16 pixels, 8 bits, by auto\n  cost "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_eq!(sorted(&scene, "out.png"), sorted(&scene, "dawn.png"));
    assert!(read(&scene.path("sheet.png")).unwrap().width > 1000);
    let record =
        scene.json("color-transfer dusk.png dawn.png again.png --threads 1 --method exact --space oklab");
    assert_eq!((record["exact_colors"].as_bool(), record["pixels"].as_u64()), (Some(true), Some(384)));
    assert!(record["seconds"]["solve"].as_f64() > Some(0.0));
    for (flags, same) in [("--strength 0", true), ("--samples 50", false), ("--samples 20 --k-means", false)]
    {
        scene.works(&format!("color-transfer dusk.png dawn.png out.png {flags}"));
        assert_eq!(sorted(&scene, "out.png") == sorted(&scene, "dusk.png"), same, "{flags}");
    }
    // Only what is in the file counts.
    for (out, flags, exact) in
        [("a.png", "", true), ("a.png", "--strength 0.5", false), ("a.jpg", "", false), ("a.webp", "", true)]
    {
        let line = format!("color-transfer dusk.png dawn.png {out} --method auto {flags}");
        assert_eq!(scene.json(&line)["exact_colors"].as_bool(), Some(exact), "{line}");
        assert_eq!(scene.works(&line).contains("those of the reference, exactly"), exact, "{line}");
    }
}

#[test]
fn alpha_depth_and_masks_are_respected() {
    let scene = scene();
    let mut clear = picture(24, 16, 4, 10);
    let Samples::U8(samples) = &mut clear.samples else { panic!("8 bits became others") };
    samples.iter_mut().skip(3).step_by(8).for_each(|alpha| *alpha = 0);
    put(&scene, "clear.png", &clear);
    scene.works("color-transfer clear.png dawn.png out.png");
    let Samples::U8(found) = read(&scene.path("out.png")).unwrap().samples else {
        panic!("8 bits became others")
    };
    let Samples::U8(there) = clear.samples else { panic!("8 bits became others") };
    for (x, y) in there.chunks(4).zip(found.chunks(4)) {
        assert_eq!(x[3], y[3]);
        // What cannot be seen is not touched; the rest becomes bright.
        assert_eq!(x[..3] == y[..3], x[3] == 0);
    }
    let deep =
        Picture::new(24, 16, 3, Samples::U16((0..1152).map(|k| u16::from(noise(k)) * 100 + 7).collect()));
    put(&scene, "deep.tif", &deep.unwrap());
    scene.works("color-transfer deep.tif dawn.png deep.png");
    assert_eq!(read(&scene.path("deep.png")).unwrap().samples.bits(), 16);
    put(
        &scene,
        "mask.png",
        &Picture::new(24, 16, 1, Samples::U8((0..384).map(|k| if k < 100 { 255 } else { 0 }).collect()))
            .unwrap(),
    );
    let record = scene.json("color-transfer dusk.png dawn.png out.png --mask mask.png");
    assert_eq!(record["pixels"].as_u64(), Some(100));
    let ran = scene.run("color-transfer dusk.png dawn.png no.png --mask dawn.png");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the mask has 16 x 24 pixels, the picture 24 x 16"), "{}", ran.stderr);
    let ran = scene.run("color-transfer deep.tif dawn.png no.jpg");
    assert!(ran.code == Some(2) && ran.stderr.contains("cannot hold 16-bit samples"), "{}", ran.stderr);
    assert!(!scene.path("no.png").exists() && !scene.path("no.jpg").exists());
}

#[test]
fn folders_and_patterns_go_on_after_a_bad_file() {
    let scene = scene().with_directory("in");
    put(&scene, "in/a.png", &picture(8, 8, 3, 20));
    put(&scene, "in/b.png", &picture(8, 8, 1, 40));
    std::fs::write(scene.path("in/bad.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    std::fs::write(scene.path("in/notes.txt"), b"no picture").unwrap();
    let ran = scene.run("color-transfer in dawn.png out");
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("2 pictures written to out, 1 failed, "), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("error: in/bad.png: "), "{}", ran.stderr);
    assert!(
        scene.path("out/a.png").exists()
            && scene.path("out/b.png").exists()
            && !scene.path("out/bad.png").exists()
    );
    let records = scene.json("color-transfer in/?.png dawn.png more");
    assert_eq!(records.as_array().map(Vec::len), Some(2));
    assert_eq!(scene.run("color-transfer in dawn.png in").code, Some(2));
    assert_eq!(scene.run("colorize in/*.jpg dawn.png more").code, Some(2));
    let ran = scene.run("color-transfer in/bad* dawn.png none");
    assert!(
        ran.code == Some(2) && ran.stderr.ends_with("error: the only picture failed\n"),
        "{}",
        ran.stderr
    );
    assert!(!scene.path("none").exists());
    // A folder that was there before is not ours to remove.
    std::fs::create_dir(scene.path("mine")).unwrap();
    assert_eq!(scene.run("color-transfer in/bad* dawn.png mine").code, Some(2));
    assert!(scene.path("mine").is_dir());
    assert_eq!(scene.run("color-transfer in dawn.png made --compare made/a.png").code, Some(2));
    assert!(!scene.path("made").exists());
}

#[test]
fn nothing_that_is_read_is_overwritten() {
    let scene = scene().with_directory("in").with_directory("out");
    put(&scene, "in/a.png", &picture(8, 8, 3, 20));
    put(&scene, "out/a.png", &picture(8, 8, 3, 30));
    put(&scene, "mask.png", &picture(24, 16, 1, 150));
    let read = |name: &str| format!("{name} is read and would be overwritten; name another file");
    let twice = |name: &str| format!("{name} is asked for twice; name two files");
    for (line, message) in [
        ("color-transfer dusk.png dawn.png dusk.png", read("dusk.png")),
        ("color-transfer dusk.png dawn.png ./dawn.png", read("./dawn.png")),
        ("color-transfer dusk.png dawn.png mask.png --mask mask.png", read("mask.png")),
        ("color-transfer in out/a.png out", read("out/a.png")),
        ("color-transfer dusk.png dawn.png new.png --compare dusk.png", read("dusk.png")),
        ("color-transfer dusk.png dawn.png new.png --compare new.png", twice("new.png")),
        (
            "color-transfer dusk.png dawn.png new.png --compare new.jpg",
            "new.jpg: a sheet is a .png; name it so".into(),
        ),
        ("colorize dusk.png dawn.png dusk.png", read("dusk.png")),
        ("colorize dusk.png dawn.png dawn.png", read("dawn.png")),
        ("colorize dusk.png dawn.png new.png --compare new.png", twice("new.png")),
    ] {
        scene.refuses(line, &message);
    }
    assert!(!scene.path("new.png").exists());
}

#[test]
fn shares_out_of_range_are_refused_before_anything_is_read() {
    let scene = scene();
    for (option, found) in [("--strength", "2"), ("--smoothing", "-0.5"), ("--strength", "NaN")] {
        let asked = format!("color-transfer gone.png dawn.png out.png {option} {found}");
        scene.refuses(&asked, &format!("{option} is {found}; give a number from 0 to 1"));
    }
}

#[test]
fn gray_pictures_get_colours() {
    let scene = scene();
    put(&scene, "gray.png", &picture(16, 24, 1, 60));
    let text = scene.works("colorize gray.png dawn.png out.png --compare sheet.png");
    assert!(text.contains("(squared Wasserstein distance, exact)"), "{text}");
    assert_eq!(sorted(&scene, "out.png"), sorted(&scene, "dawn.png"));
    let ran = scene.run("colorize dusk.png dawn.png other.png --threads 2 --json");
    assert!(crate::scene::one_line(&ran.stdout)["cost"].as_f64() > Some(0.0));
    // What has colours already is told that they go.
    assert!(
        ran.stderr.starts_with("warning: dusk.png: is not gray; its own colours are dropped"),
        "{}",
        ran.stderr
    );
    assert_eq!(scene.works("colorize dusk.png dawn.png other.png --quiet"), "");
    let record = scene.json("colorize gray.png dawn.png near.png --superpixels --markers 4");
    assert_eq!(record["superpixels"].as_bool(), Some(true));
    assert_eq!(sorted(&scene, "near.png"), sorted(&scene, "dawn.png"));
    assert_eq!(scene.run("colorize dusk.png dawn.png near.png --superpixels").code, Some(2));
    let ran = scene.run("colorize none.png dawn.png out.png");
    assert!(ran.code == Some(2) && ran.stderr.contains("no such file"), "{}", ran.stderr);
}

#[test]
fn the_default_map_has_no_seams_and_the_mean_of_the_reference() {
    let scene = Scene::new();
    // A sky: from one blue to the next by less than a step of 255 per pixel, over a dark ground.
    let (width, height) = (96, 64);
    let sky = |k: usize| {
        let (x, y) = (k % width, k / width);
        if y < 48 {
            [60 + x as u8 / 2, 110 + x as u8 / 2, 180 + (y as u8) / 2]
        } else {
            [40, 50 + y as u8 % 8, 30]
        }
    };
    let leaves = |k: usize| if k.is_multiple_of(3) { [240, 130, 20] } else { [20, 90 + (k % 40) as u8, 60] };
    for (name, color) in [("sky.png", &sky as &dyn Fn(usize) -> [u8; 3]), ("leaves.png", &leaves)] {
        let samples = (0..width * height).flat_map(color).collect();
        put(&scene, name, &Picture::new(width, height, 3, Samples::U8(samples)).unwrap());
    }
    /// The largest step between neighbours of the sky.
    fn largest_step(scene: &Scene, name: &str) -> i32 {
        let Samples::U8(samples) = read(&scene.path(name)).unwrap().samples else {
            panic!("8 bits became others")
        };
        let at = |x: usize, y: usize, c: usize| i32::from(samples[(y * 96 + x) * 3 + c]);
        let steps = (0..48).flat_map(|y| (0..95).flat_map(move |x| (0..3).map(move |c| (x, y, c))));
        steps.map(|(x, y, c)| (at(x + 1, y, c) - at(x, y, c)).abs()).max().unwrap()
    }
    let text = scene.works("color-transfer sky.png leaves.png smooth.png");
    assert!(text.starts_with("96 x 64 pixels, 8 bits, by smooth\n"), "{text}");
    scene.works("color-transfer sky.png leaves.png exact.png --method auto --smoothing 0");
    let (smooth, exact) = (largest_step(&scene, "smooth.png"), largest_step(&scene, "exact.png"));
    assert!(smooth <= 25 && exact > 100, "smooth {smooth}, exact {exact}");
    let mean = |name: &str, c: usize| {
        let Samples::U8(samples) = read(&scene.path(name)).unwrap().samples else {
            panic!("8 bits became others")
        };
        samples.iter().skip(c).step_by(3).map(|&x| f64::from(x)).sum::<f64>() / (width * height) as f64
    };
    for c in 0..3 {
        let (found, wanted) = (mean("smooth.png", c), mean("leaves.png", c));
        assert!((found - wanted).abs() < 20.0, "channel {c}: {found} and {wanted}");
    }
    // The same for any number of threads.
    scene.works("color-transfer sky.png leaves.png one.png --threads 1");
    assert_eq!(
        std::fs::read(scene.path("one.png")).unwrap(),
        std::fs::read(scene.path("smooth.png")).unwrap()
    );
}

#[test]
fn the_count_of_colours_is_that_of_the_file() {
    let scene = Scene::new();
    for (name, colors) in [("few.png", 5_usize), ("more.png", 700)] {
        let samples = (0..2000).flat_map(|k| [(k % colors) as u8, (k % colors / 256) as u8, 9]).collect();
        put(&scene, name, &Picture::new(50, 40, 3, Samples::U8(samples)).unwrap());
    }
    for flags in ["", "--method auto", "--method exact", "--samples 20"] {
        let line = format!("color-transfer few.png more.png out.png {flags}");
        let record = scene.json(&line);
        assert_eq!(record["colors"].to_string(), "[5,700]", "{line}");
        assert!(scene.works(&line).contains("colours    5 to 700\n"), "{line}");
    }
}

#[test]
fn one_profile_by_another_name_is_no_warning() {
    let scene = scene();
    let mut other = picture(24, 16, 3, 10);
    // Not a profile at all: nobody knows what its numbers mean.
    other.icc = Some(vec![7; 200]);
    put(&scene, "strange.png", &other);
    let ran = scene.run("color-transfer strange.png dawn.png out.png");
    assert!(ran.stderr.contains("its colour profile is not that of the reference"), "{ran:?}");
    // Two files without one; swgg-io tests profiles that mean the same.
    assert_eq!(scene.run("color-transfer dusk.png dawn.png out.png").stderr, "");
}

#[test]
fn a_folder_is_not_overwritten_unless_asked() {
    let scene = scene().with_directory("in").with_directory("out");
    put(&scene, "in/a.png", &picture(8, 8, 3, 20));
    put(&scene, "in/b.png", &picture(8, 8, 3, 30));
    put(&scene, "out/b.png", &picture(8, 8, 3, 40));
    let before = std::fs::read(scene.path("out/b.png")).unwrap();
    for command in ["color-transfer", "colorize"] {
        scene.refuses(
            &format!("{command} in dawn.png out"),
            "out/b.png is there already; name another folder, or add --overwrite",
        );
        assert_eq!(std::fs::read(scene.path("out/b.png")).unwrap(), before);
    }
    scene.works("color-transfer in dawn.png out --overwrite");
    assert_ne!(std::fs::read(scene.path("out/b.png")).unwrap(), before);
}
