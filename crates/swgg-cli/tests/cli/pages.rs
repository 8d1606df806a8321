//! `--report`: pages of every command, what is in them, and what a browser makes of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use swgg_io::Output;
use swgg_io::picture::{Picture, Samples, write};

use crate::browser::{Hands, browser};
use crate::bytes::{npy64, scattered};
use crate::scene::Scene;

/// Clouds of the plane, of space and of ten dimensions, and two pictures.
fn scene() -> Scene {
    let cloud = |n: usize, d: usize, seed: usize| {
        npy64(d, &(0..n * d).map(|k| ((k * k * 31 + seed * 977) % 613) as f64 / 613.0).collect::<Vec<f64>>())
    };
    let scene = Scene::new()
        .with("a.npy", scattered(60, 1))
        .with("b.npy", scattered(40, 2))
        .with("c.npy", scattered(50, 3))
        .with("space.npy", cloud(80, 3, 1))
        .with("other.npy", cloud(80, 3, 2))
        .with("many.npy", cloud(50, 10, 3))
        .with("more.npy", cloud(50, 10, 4))
        .with("line.npy", cloud(30, 1, 5))
        .with("ants.csv", b"x,y,kind\n0,0,a\n1,0,a\n5,5,b\n6,5,b\n")
        .with("cats.csv", b"x,y,kind\n3,4,a\n4,4,a\n8,9,b\n9,9,b\n");
    for (name, low) in [("dusk.png", 10), ("dawn.png", 150)] {
        let samples = (0..48 * 32 * 3).map(|k: usize| low + (k.wrapping_mul(2_654_435_761) >> 9) as u8 % 90);
        let picture = Picture::new(48, 32, 3, Samples::U8(samples.collect())).unwrap();
        write(Output::create(&scene.path(name)).unwrap(), &picture).unwrap().commit().unwrap();
    }
    scene
}

/// A page for every command, and whether something moves on it.
const COMMANDS: [(&str, &str, bool); 12] = [
    ("solve a.npy b.npy --report", "plane.html", true),
    ("solve space.npy other.npy --method exact --report", "space.html", true),
    ("solve many.npy more.npy --report", "many.html", true),
    ("solve a.npy b.npy --method gaussian --report", "map.html", true),
    ("solve a.npy b.npy --mass 0.5 --report", "part.html", true),
    ("interpolate space.npy other.npy --out steps --report", "curve.html", true),
    ("compare a.npy b.npy --methods auto,min-swgg,gaussian,sinkhorn --report", "compare.html", false),
    ("flow a.npy b.npy --steps 40 --report", "flow.html", true),
    ("register space.npy space.npy --report", "register.html", true),
    ("barycenter a.npy b.npy c.npy --out middle.npy --report", "barycenter.html", true),
    ("color-transfer dusk.png dawn.png out.png --report", "color.html", false),
    ("otdd ants.csv cats.csv --label-column kind --report", "sets.html", false),
];

/// The data that the script of a page reads.
fn data(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"data\">";
    let text = page.split(start).nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_command_writes_a_page_with_everything_in_it() {
    let scene = scene();
    for (command, file, moves) in COMMANDS {
        let told = scene.works(&format!("{command} {file}"));
        assert!(told.contains(&format!("Page written to {file}\n")), "{command}: {told}");
        let page = scene.text(file);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{file}");
        for word in ["http://", "https://", "@import", "url(", "<link", "<iframe"] {
            assert!(!page.contains(word), "{file} has {word}");
        }
        let sources = page.matches("src=\"").count();
        assert_eq!(sources, page.matches("src=\"data:image/jpeg;base64,").count(), "{file}");
        assert_eq!(page.contains("id=\"walk\""), moves, "{file}");
        assert!(page.contains(&format!("swgg {command} {file}</code>")), "{file} does not say its command");
        assert!(page.contains(&format!("swgg {}", env!("CARGO_PKG_VERSION"))), "{file}");
        assert!(page.contains("<th scope=\"row\">seed</th>"), "{file}");
        assert!(page.len() < 400_000, "{file}: {} bytes", page.len());
        let data = data(&page);
        for track in data["tracks"].as_array().into_iter().flatten() {
            let count = |key: &str| track[key].as_u64().unwrap();
            let bytes = 2 * data["dim"].as_u64().unwrap() * count("count") * count("frames");
            assert_eq!(track["points"].as_str().unwrap().len() as u64, bytes.div_ceil(3) * 4, "{file}");
        }
    }
    let text = |file: &str| scene.text(file);
    assert!(
        text("plane.html").contains("class=\"histogram\"") && text("plane.html").contains("data-dear=\"9\"")
    );
    assert!(text("many.html").contains("seen along their first three principal axes"));
    assert!(text("part.html").contains("source, stayed"));
    assert!(text("map.html").contains("There is no plan between the points"));
    assert!(
        text("compare.html").contains("class=\"scatter\"")
            && text("compare.html").contains("<td>gaussian</td>")
    );
    assert!(text("sets.html").contains("How far ants and cats are apart"));
    assert!(text("color.html").contains("Shown at its own size, 48 x 32 pixels."));
    assert_eq!(data(&text("flow.html"))["steps"].as_array().unwrap().last(), Some(&Value::from(40)));
    assert!(data(&text("register.html"))["tracks"][1]["spin"]["angle"].as_f64().is_some());
}

#[test]
fn names_of_files_are_only_text() {
    let scene = Scene::new();
    let name = "<img src=x onerror=alert(1)>&\u{7}.csv";
    fs::copy(scene.path("source.csv"), scene.path(name)).unwrap();
    let mut command = scene.command("barycenter target.csv");
    command.arg(name).args(["--out", "m.csv", "--report", "page.html"]);
    assert!(command.output().unwrap().status.success());
    let page = scene.text("page.html");
    assert!(!page.contains("<img src=x") && !page.contains('\u{7}'), "{page}");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&amp;\\u{7}.csv"), "{page}");
    assert!(page.contains("$&#39;&lt;img"), "the command is not quoted");
}

#[test]
fn a_hundred_thousand_points_are_three_megabytes() {
    let cloud = |seed: usize| {
        let value = |k: usize| ((k * 7919 + seed * 31) % 1_000_003) as f32 / 1e6;
        let bytes: Vec<u8> = (0..300_000).flat_map(|k| value(k).to_le_bytes()).collect();
        crate::bytes::npy("<f4", "(100000, 3)", &bytes)
    };
    let scene = Scene::new().with("x.npy", cloud(1)).with("y.npy", cloud(2));
    // One line is quick, and its plan is as large as any.
    scene.works("solve x.npy y.npy --directions 1 --no-bounds --report page.html");
    let size = fs::metadata(scene.path("page.html")).unwrap().len();
    assert!((1_500_000..=3_000_000).contains(&size), "{size} bytes");
    assert!(!scene.text("page.html").contains("ways are drawn"));
}

#[test]
fn places_of_pages_are_checked_before_the_work() {
    let scene = scene();
    for (command, _, _) in COMMANDS {
        let line = |path: &str| format!("{command} {path}");
        scene.refuses(&line("page.htm"), "--report page.htm must end in .html; rename it");
        let parent = "none/page.html: the directory none does not exist; create it first";
        scene.refuses(&line("none/page.html"), parent);
    }
    scene.refuses(
        "solve a.npy b.npy --picture x.html --report x.html",
        "--picture x.html must end in .svg or .png; rename it",
    );
    let scene = scene.with("in.html", "0,0\n");
    let ran = scene.run("solve in.html in.html --report in.html");
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn pictures_of_plans() {
    let scene = scene();
    for (clouds, caption) in [
        ("a.npy b.npy", "ways."),
        ("space.npy other.npy", "two principal axes"),
        ("line.npy line.npy", "the source is drawn below"),
    ] {
        scene.works(&format!("solve {clouds} --picture plan.svg"));
        let svg = scene.text("plan.svg");
        assert!(svg.starts_with("<svg ") && svg.contains(caption), "{clouds}");
    }
    let told = scene.works("interpolate a.npy b.npy --out way --picture way.png");
    assert!(told.contains("Picture written to way.png"), "{told}");
    assert!(fs::read(scene.path("way.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn figures_fit_on_a_screen() {
    let scene = scene();
    for clouds in ["space.npy other.npy", "many.npy more.npy"] {
        let line = format!("landscape {clouds} --angles 12 --copies 2 --widths 0.1,0.5 --out land.svg -q");
        scene.works(&line);
        let svg = scene.text("land.svg");
        let size = |name: &str| -> u32 {
            let number = svg.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap();
            number.parse().unwrap()
        };
        assert!(size("height") <= 800 && size("width") <= 1400, "{} x {}", size("width"), size("height"));
        assert!(svg.contains("In each column directions turn away from the best one"), "no caption");
    }
}

#[test]
fn before_and_after_at_one_scale_without_strays() {
    let scene = scene();
    scene.works("register space.npy space.npy --picture both.svg -q");
    assert!(scene.text("both.svg").contains("Before and after at one scale."));
    let mut far: Vec<f64> = scene.points("space.npy").concat();
    far.extend([1e4, 0.0, 0.0]);
    let scene = scene.with("far.npy", npy64(3, &far));
    scene.works("register far.npy space.npy --picture far.svg -q");
    let svg = scene.text("far.svg");
    assert!(svg.contains("far from the others") && svg.contains("are not drawn."), "no word about strays");
}

/// What a page is after its script has run, and what the browser had to complain about.
fn opened(browser: &Path, scene: &Scene, file: &str, more: &[&str]) -> (String, String) {
    let mut command = Command::new(browser);
    let profile = format!("--user-data-dir={}", scene.path("profile").display());
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
    ]);
    command.args([profile.as_str(), "--virtual-time-budget=4000", "--hide-scrollbars"]).args(more);
    command.arg(format!("file://{}#t=0.5", scene.path(file).display()));
    let output = command.output().unwrap();
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_browser_opens_every_page() {
    let Some(browser) = browser() else {
        println!("skipped: no chromium");
        return;
    };
    let scene = scene();
    for (command, file, moves) in COMMANDS {
        scene.works(&format!("{command} {file} -q"));
        let (page, log) = opened(&browser, &scene, file, &["--dump-dom"]);
        assert!(!log.contains("CONSOLE"), "{file}: {log}");
        assert!(page.contains("data-ready=\"1\""), "{file} was not drawn: {log}");
        // The slider is where the address says.
        assert_eq!(page.contains(">t = 0.50"), moves, "{file}");
    }
    let picture = scene.path("look.png");
    let shot = format!("--screenshot={}", picture.display());
    let (_, log) = opened(&browser, &scene, "plane.html", &[&shot, "--window-size=390,844"]);
    assert!(!log.contains("CONSOLE"), "{log}");
    assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn hands_turn_and_zoom_and_walk() {
    let Some(browser) = browser() else {
        println!("skipped: no chromium");
        return;
    };
    let scene = scene();
    // Dragging turns space and moves the plane; all the rest is the same.
    for (clouds, file) in [("space.npy other.npy", "space.html"), ("a.npy b.npy", "plane.html")] {
        scene.works(&format!("solve {clouds} --report {file} -q"));
        let hands = &mut Hands::on(&browser, &scene.path(&format!("profile-{file}")), &scene.path(file));
        let place = hands.middle("canvas");
        let home = hands.drawn();
        hands.drag(place, (70.0, 30.0));
        hands.leaves(&home, "a drag");
        hands.key("0");
        hands.becomes(&home, "a drag and 0");
        for key in ["ArrowLeft", "ArrowUp", "+", "-"] {
            hands.key(key);
            hands.leaves(&home, key);
            hands.key("0");
            hands.becomes(&home, &format!("{key} and 0"));
        }
        hands.wheel(place, -240.0);
        hands.leaves(&home, "the wheel");
        hands.key("0");
        hands.becomes(&home, "the wheel and 0");
        hands.pinch(place);
        hands.leaves(&home, "two fingers");
        hands.key("0");
        hands.becomes(&home, "two fingers and 0");
        // The walk by itself, by the button and by the space bar.
        let play = hands.middle("play");
        let still = hands.drawn();
        hands.click(play);
        hands.wait_for("document.getElementById('play').textContent === 'Pause'");
        hands.leaves(&still, "Play");
        hands.wait_for("Number(document.getElementById('walk').value) > 50");
        hands.click(play);
        hands.wait_for("document.getElementById('play').textContent === 'Play'");
        let stopped = hands.value("document.getElementById('walk').value");
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(hands.value("document.getElementById('walk').value"), stopped, "{file}: a pause moves on");
        hands.value("document.getElementById('canvas').focus()");
        hands.key(" ");
        hands.wait_for("document.getElementById('play').textContent === 'Pause'");
        assert!(hands.complaints.is_empty(), "{file}: {:?}", hands.complaints);
    }
}
