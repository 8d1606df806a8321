//! `docs/json.md` against what the commands print: no key without a description, none described and missing.

mod validator;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};
use swgg_io::Output;
use swgg_io::picture::{Picture, Samples};
use swgg_io::raster::{Depth, Raster, Tags};

use self::validator::Schema;
use crate::bytes::{npy64, scattered};
use crate::scene::{Scene, root};

/// The schemas of the page by command, each with the definitions they share.
fn schemas() -> BTreeMap<String, Schema> {
    let page = fs::read_to_string(root().join("docs/json.md")).unwrap();
    let mut sections = page.split("\n## ").skip(1).map(|section| {
        let blocks: Vec<&str> = section.split("```json\n").skip(1).collect();
        let [block] = blocks[..] else { panic!("{} blocks in {section:.30}", blocks.len()) };
        let schema: Value = serde_json::from_str(block.split("```").next().unwrap()).unwrap();
        (section.lines().next().unwrap(), schema)
    });
    let (title, shared) = sections.next().unwrap();
    assert_eq!(title, "Definitions");
    let with_shared = |(title, mut schema): (&str, Value)| {
        let mut definitions = shared.as_object().unwrap().clone();
        definitions.extend(schema["$defs"].as_object().cloned().unwrap_or_default());
        schema["$defs"] = Value::Object(definitions);
        (title.strip_prefix("swgg ").unwrap().to_string(), Schema(schema))
    };
    sections.map(with_shared).collect()
}

/// Checks what a run prints against the schema of its command.
#[track_caller]
fn check(scene: &Scene, line: &str) -> Value {
    let schemas = schemas();
    let printed = scene.json(line);
    let command = line.split(' ').next().unwrap();
    schemas[command].check(&printed).unwrap_or_else(|why| panic!("swgg {line}: {why}\n{printed}"));
    printed
}

/// Clouds of 30 and 20 points of the plane, one of 30 points on a line, costs and directions.
fn clouds() -> Scene {
    let line: Vec<f64> = (0..30).flat_map(|k| [f64::from(k * k % 17), 2.0 * f64::from(k * k % 17)]).collect();
    let costs: Vec<f64> = (0..600).map(|k| f64::from(k * 7 % 31)).collect();
    Scene::new()
        .with("a.npy", scattered(30, 1))
        .with("b.npy", scattered(20, 2))
        .with("line.npy", npy64(2, &line))
        .with("costs.npy", npy64(20, &costs))
        .with("thetas.npy", npy64(2, &[1.0, 0.0, 0.6, 0.8]))
}

/// The values that a flag takes, by the program's own words about one that it does not take.
fn values_of(line: &str) -> BTreeSet<String> {
    let said = Scene::new().run(line).stderr;
    let list = said.split("[possible values: ").nth(1).and_then(|rest| rest.split(']').next());
    list.unwrap_or_else(|| panic!("swgg {line}: {said}")).split(", ").map(str::to_string).collect()
}

fn names(schema: &Value) -> BTreeSet<String> {
    schema["enum"].as_array().unwrap().iter().filter_map(Value::as_str).map(str::to_string).collect()
}

#[test]
fn every_command_has_a_schema() {
    let help = Scene::new().works("--help");
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // What cells as files print is that of the engine, which docs/engine.md describes.
    let commands: BTreeSet<&str> = list
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !["help", "completions", "man", "split", "join", "cluster"].contains(name))
        .collect();
    assert_eq!(schemas().keys().map(String::as_str).collect::<BTreeSet<_>>(), commands);
}

#[test]
fn names_are_those_of_the_program() {
    let schemas = schemas();
    let definition = |command: &str, name: &str| names(&schemas[command].0["$defs"][name]);
    assert_eq!(definition("solve", "method"), values_of("solve a b --method ?"));
    assert_eq!(definition("pansharpen", "fusion"), values_of("pansharpen a b c --method ?"));
    let searches = values_of("solve a b --search ?");
    assert!(definition("solve", "search").is_superset(&searches));
    let property = |command: &str, name: &str| names(&schemas[command].0["properties"][name]);
    assert!(property("distance", "search").is_superset(&searches));
    assert_eq!(property("distance", "method"), values_of("distance a b --kind ?"));
    assert_eq!(property("register", "matching"), values_of("register a b --matching ?"));
    let picture = &schemas["color-transfer"].0["$defs"]["picture"]["properties"];
    assert_eq!(names(&picture["method"]), values_of("color-transfer a b c --method ?"));
    assert_eq!(names(&picture["space"]), values_of("color-transfer a b c --space ?"));
}

#[test]
fn solve_by_every_method() {
    let scene = clouds();
    for method in values_of("solve a b --method ?") {
        let source = if method == "line" { "line.npy" } else { "a.npy" };
        for target in ["b.npy", "a.npy"] {
            let found = check(&scene, &format!("solve {source} {target} --method {method}"));
            assert_eq!(found["method"], method.as_str());
        }
        check(&scene, &format!("solve {source} b.npy --method {method} --no-bounds"));
    }
    for settings in ["--cost-matrix costs.npy", "--p 1"] {
        check(&scene, &format!("solve a.npy b.npy --method exact {settings}"));
    }
    for settings in ["--time-limit 0.01", "--effort 1", "--directions-file thetas.npy"] {
        check(&scene, &format!("solve a.npy b.npy {settings}"));
    }
    check(&scene, "solve line.npy b.npy");
    for part in ["--mass 0.5", "--mass 1", "--mass-source 0.3", "--discard-cost 2"] {
        assert!(check(&scene, &format!("solve a.npy b.npy {part}"))["unmatched_source"].is_array());
        check(&scene, &format!("solve a.npy b.npy --method exact {part}"));
    }
    check(&scene, "solve a.npy b.npy --method sinkhorn --tau-a 0.9 --tau-b 0.8");
    check(&scene, "solve a.npy b.npy --method subspace-detour --k 1 --detour independent");
    check(&scene, "solve a.npy b.npy --method linear-ot --pivot line.npy");
    // A gap that is reached, and one that is not.
    assert!(check(&scene, "solve a.npy b.npy --gap 0.01").get("gap_missed").is_none());
    let far = |rows: i32, step: f64| {
        npy64(9, &(0..9 * rows).map(|k| (f64::from(k * k % 10_007) * step).sin()).collect::<Vec<_>>())
    };
    let wide = Scene::new().with("a.npy", far(1000, 1.3)).with("b.npy", far(999, 0.7));
    let missed = check(&wide, "solve a.npy b.npy --effort 1 --gap 0.001");
    let (said, story) = (missed["gap_missed"].as_str().unwrap(), missed["story"].as_str().unwrap());
    assert!(said.starts_with("asked: within 0.1 %; certified: ") && story.ends_with(said), "{missed}");
    assert!(said.ends_with(" - not certified further beyond dimension 8"), "{said}");
    let summary = wide.works("solve a.npy b.npy --effort 1 --gap 0.001");
    let (short, why) = said.trim_start_matches("asked: ").split_once(" - ").unwrap();
    let lines = format!("\n  asked      {short}\n             {why}\n");
    assert!(summary.contains(&lines) && summary.lines().all(|line| line.chars().count() <= 80), "{summary}");
    // Large enough not to be solved exactly.
    let large = Scene::new().with("a.npy", scattered(1500, 3)).with("b.npy", scattered(1500, 4));
    assert_eq!(check(&large, "solve a.npy b.npy --effort 1")["solver"], "refined");
}

#[test]
fn solve_by_every_search() {
    let scene = clouds();
    for search in values_of("solve a b --search ?") {
        assert_eq!(check(&scene, &format!("solve a.npy b.npy --search {search}"))["search"], search.as_str());
    }
}

#[test]
fn compare() {
    let scene = clouds();
    check(&scene, "compare a.npy b.npy --out costs.csv");
    let methods: Vec<String> = values_of("solve a b --method ?").into_iter().collect();
    let found =
        check(&scene, &format!("compare a.npy b.npy --methods {} --time-limit inf", methods.join(",")));
    // Neither cloud lies on a line.
    assert_eq!(found["left_out"][0]["method"], "line");
    assert!(found["time_limit"].is_null());
    check(&scene, "compare a.npy b.npy --methods gaussian");
}

#[test]
fn distance_of_every_kind() {
    let scene = clouds();
    for kind in values_of("distance a b --kind ?") {
        check(&scene, &format!("distance a.npy b.npy --kind {kind}"));
    }
    for settings in ["sw --p 1 --orthogonal", "max-sw --p 3", "min-swgg --search gradient --iterations 3"] {
        check(&scene, &format!("distance a.npy b.npy --kind {settings}"));
    }
}

#[test]
fn interpolate() {
    let scene = clouds();
    check(&scene, "interpolate a.npy b.npy --steps 3 --out steps");
    check(&scene, "interpolate a.npy a.npy --steps 2 --search random --directions 5 --out others");
}

#[test]
fn barycenter() {
    let scene = clouds();
    check(&scene, "barycenter a.npy b.npy line.npy --out out.npy");
    check(&scene, "barycenter a.npy b.npy line.npy --weights 0,1,1 --no-bounds --out out.npy");
    check(&scene, "barycenter a.npy b.npy line.npy --weights 0,1,1 --points 9 --max-steps 1 --out out.npy");
    check(&scene, "barycenter a.npy b.npy --out out.npy");
    let methods = values_of("barycenter a b --out c --method ?");
    assert!(
        schemas()["barycenter"].0["properties"]["method"]["$ref"] == "#/$defs/method" && methods.len() > 5
    );
    let large = Scene::new().with("a.npy", scattered(1300, 3)).with("b.npy", scattered(1200, 4));
    let found = check(&large, "barycenter a.npy b.npy --points 1100 --effort 1 --out out.npy");
    assert_eq!(found["steps"][0]["effort"], 1);
}

#[test]
fn flow() {
    let scene = clouds();
    let schemas = schemas();
    let property = |name: &str| names(&schemas["flow"].0["properties"][name]);
    assert_eq!(property("loss"), values_of("flow a b --loss ?"));
    for loss in values_of("flow a b --loss ?") {
        check(&scene, &format!("flow a.npy b.npy --steps 4 --loss {loss}"));
    }
    check(&scene, "flow a.npy b.npy --steps 4 --optimizer sgd --exact-every 0 --out way --picture way.svg");
}

#[test]
fn otdd() {
    let table = |shift: usize| -> String {
        let row = |k: usize| format!("{},{},{}\n", k * k % 5 + shift, k % 3, k % 2);
        "x,y,label\n".to_string() + &(0..12).map(row).collect::<String>()
    };
    let scene = Scene::new().with("a.csv", table(0)).with("b.csv", table(3)).with("c.csv", table(9));
    let schemas = schemas();
    let property = |name: &str| names(&schemas["otdd"].0["properties"][name]);
    assert_eq!(property("label_distance"), values_of("otdd a b --label-distance ?"));
    assert_eq!(property("method"), values_of("otdd a b --method ?"));
    for name in values_of("otdd a b --label-distance ?") {
        check(&scene, &format!("otdd a.csv b.csv --label-distance {name}"));
    }
    for name in values_of("otdd a b --method ?") {
        check(&scene, &format!("otdd a.csv b.csv --method {name} --power 2"));
    }
    check(&scene, "otdd a.csv b.csv c.csv --label-distance min-swgg --search random --picture heat.svg");
}

#[test]
fn landscape() {
    let scene = clouds();
    check(&scene, "landscape a.npy b.npy --angles 12 --copies 2 --out out.csv");
}

#[test]
fn register() {
    let wave = |k: u32| {
        [f64::from(k), (0.3 * f64::from(k)).sin() * 5.0 + f64::from(k * k % 7), 0.1 * f64::from(k % 5)]
    };
    let points: Vec<f64> = (0..60).flat_map(wave).collect();
    let moved: Vec<f64> = points.chunks(3).flat_map(|p| [1.0 - p[1], p[0] + 2.0, p[2] + 3.0]).collect();
    let scene = Scene::new().with("a.npy", npy64(3, &points)).with("b.npy", npy64(3, &moved));
    for settings in
        ["", "--trace trace --max-steps 2", "--start identity --matching nearest", "--overlap auto"]
    {
        check(&scene, &format!("register a.npy b.npy {settings}"));
    }
    for matching in values_of("register a b --matching ?") {
        check(&scene, &format!("register a.npy b.npy --max-steps 2 --matching {matching}"));
    }
}

#[test]
fn pictures() {
    let scene = Scene::new().with_directory("many");
    for (name, channels, shift) in
        [("many/a.png", 3, 3), ("many/b.png", 3, 5), ("c.png", 3, 50), ("gray.png", 1, 7)]
    {
        let samples = (0..20 * 12 * channels).map(|k| (k * 37 % 101 + k / 9 + shift) as u8).collect();
        let picture = Picture::new(20, 12, channels, Samples::U8(samples)).unwrap();
        let output = Output::create(&scene.path(name)).unwrap();
        swgg_io::picture::write(output, &picture).unwrap().commit().unwrap();
    }
    for method in values_of("color-transfer a b c --method ?") {
        check(&scene, &format!("color-transfer many/a.png c.png out.png --method {method}"));
    }
    check(&scene, "color-transfer many/a.png c.png out.png --space lab --samples 20");
    assert_eq!(check(&scene, "color-transfer many c.png done").as_array().map(Vec::len), Some(2));
    check(&scene, "colorize gray.png c.png out.png");
    check(&scene, "colorize gray.png c.png out.png --superpixels --markers 4");
    assert_eq!(check(&scene, "colorize many c.png gray --quiet").as_array().map(Vec::len), Some(2));
}

#[test]
fn pansharpen() {
    let scene = Scene::new();
    for (name, bands, side) in [("pan.tif", 1, 64), ("ms.tif", 3, 32)] {
        let values = (0..bands * side * side).map(|k| (300 + k * 31 % 97 + k / 7 % 200) as f32).collect();
        let raster =
            Raster { bands, rows: side, columns: side, depth: Depth::U16, values, tags: Tags::default() };
        raster.write(Output::create(&scene.path(name)).unwrap()).unwrap().commit().unwrap();
    }
    for method in values_of("pansharpen a b c --method ?") {
        check(&scene, &format!("pansharpen pan.tif ms.tif out.tif --markers 4 --method {method}"));
    }
    assert!(check(&scene, "pansharpen pan.tif ms.tif out.tif --score")["scores"].is_array());
}

#[test]
fn info() {
    let scene = clouds().with("gaps.csv", "a,b\n1,nan\n3,inf\n");
    scene.works("solve source.csv target.csv --plan plan.npz --picture p.png");
    let scene = scene.with("mixed.csv", "name,x\nada,1\n");
    for file in ["a.npy", "gaps.csv", "source.csv --columns x", "plan.npz", "p.png", "mixed.csv"] {
        check(&scene, &format!("info {file}"));
    }
}

#[test]
fn saved_plans() {
    let scene = clouds();
    scene.works("solve a.npy b.npy --plan plan.csv");
    check(&scene, "apply plan.csv a.npy b.npy a.npy --out moved.csv --neighbors 3");
    check(&scene, "check plan.csv a.npy b.npy");
    check(&scene, "check plan.csv a.npy b.npy --no-bounds");
}

/// The check itself: keys too many, too few and of another kind are found, at any depth.
#[test]
fn departures_are_found() {
    let schemas = schemas();
    let good = clouds().json("solve a.npy b.npy --method tree");
    let found = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        schemas["solve"].check(&value).err()
    };
    assert_eq!(found(&|_| {}), None);
    assert_eq!(found(&|v| v["more"] = json!(1)).as_deref(), Some(": the key more is not described"));
    // A key of another method is as unknown as one of none.
    assert_eq!(found(&|v| v["passes"] = json!(1)).as_deref(), Some(": the key passes is not described"));
    assert_eq!(found(&|v| v["n"] = json!(1.5)).as_deref(), Some(".n: 1.5 is not of type \"integer\""));
    let drop = |v: &mut Value, key: &str| drop(v.as_object_mut().unwrap().remove(key));
    assert_eq!(found(&|v| drop(v, "gap")).as_deref(), Some(": \"gap\" is missing"));
    assert!(found(&|v| drop(v, "trees")).unwrap().contains("\"trees\" is missing"));
    assert_eq!(
        found(&|v| v["seconds"]["more"] = json!(1)).as_deref(),
        Some(".seconds: the key more is not described")
    );
    assert!(found(&|v| v["method"] = json!("guess")).unwrap().starts_with(".method: \"guess\" is none of"));
}

#[test]
#[should_panic(expected = "does not know the keyword minimum")]
fn a_keyword_that_is_not_known_is_refused() {
    let _ = Schema(json!({ "type": "integer", "minimum": 0 })).check(&json!(1));
}
