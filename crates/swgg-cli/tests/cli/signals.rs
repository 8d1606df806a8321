//! Kills and interruptions.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::bytes::{npy64, scattered};
use crate::scene::{Ran, Scene, one_line};

/// Nothing here takes this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// More directions than a test waits for.
const ENDLESS: &str = "--directions 20000";

const STOPPING: &str = "stopping; press Ctrl-C again to leave without a result\n";

/// A run of `swgg` that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Refused if it has ended, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(scene: &Scene, line: &str) -> Self {
        Running(scene.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn interrupt(&self) {
        // Fails if the process has just ended by itself, which every test here allows for.
        let command = format!("kill -INT {} 2>/dev/null", self.0.id());
        Command::new("sh").arg("-c").arg(command).status().unwrap();
    }

    fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    /// Waits until a file of at least this size is being written; `false` if the process ends first.
    fn writes(&mut self, scene: &Scene, bytes: u64) -> bool {
        let started = Instant::now();
        while started.elapsed() < PATIENCE && !self.has_ended() {
            if unfinished(scene).is_some_and(|size| size >= bytes) {
                return true;
            }
            sleep(Duration::from_micros(200));
        }
        false
    }

    fn end(mut self) -> Ran {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        if let Some(mut pipe) = self.0.stderr.take() {
            pipe.read_to_string(&mut stderr).unwrap();
        }
        Ran { code: self.0.wait().unwrap().code(), stdout, stderr }
    }
}

/// Bytes in the largest temporary file, if there is one.
fn unfinished(scene: &Scene) -> Option<u64> {
    let names = scene.names("").into_iter().filter(|name| name.ends_with(".tmp"));
    // It may be gone by now.
    names.filter_map(|name| fs::metadata(scene.path(&name)).ok()).map(|file| file.len()).max()
}

/// Interrupts a long search once it is under way, trying again later if it had not started. What happens `meanwhile`
/// happens as soon as the interruption has been heard.
fn interrupted(scene: &Scene, line: &str, meanwhile: impl Fn(&Running)) -> Ran {
    // The process does not say when it starts searching.
    let mut delay = Duration::from_millis(200);
    while delay < PATIENCE {
        let mut run = Running::start(scene, line);
        sleep(delay);
        run.interrupt();
        let mut stderr = BufReader::new(run.0.stderr.take().unwrap());
        let mut heard = String::new();
        stderr.read_line(&mut heard).unwrap();
        // A long search is told of beforehand.
        if heard.starts_with("warning: ") {
            heard.clear();
            stderr.read_line(&mut heard).unwrap();
        }
        if heard == STOPPING {
            meanwhile(&run);
            stderr.read_to_string(&mut heard).unwrap();
            return Ran { stderr: heard, ..run.end() };
        }
        // Before the search there is nothing to save, and the process just leaves.
        let ran = run.end();
        assert!(heard.is_empty() && matches!(ran.code, None | Some(130)), "{heard} {ran:?}");
        delay *= 2;
    }
    panic!("swgg {line} never started its search");
}

fn large(n: usize) -> Scene {
    Scene::new().with("a.npy", scattered(n, 1)).with("b.npy", scattered(n, 2))
}

#[test]
fn a_kill_leaves_a_whole_plan_or_what_was_there() {
    const N: usize = 300_000;
    let scene = large(N);
    let plan = scene.path("out.csv");
    let mut cut_short = 0;
    // The plan has some 10 MB.
    for (bytes, old) in [(1, None), (1_000_000, Some("old")), (5_000_000, None), (10_000_000, Some("old"))] {
        if let Some(old) = old {
            fs::write(&plan, old).unwrap();
        }
        let mut run = Running::start(&scene, "solve a.npy b.npy --directions 1 --plan out.csv");
        run.writes(&scene, bytes);
        drop(run);
        let text = fs::read_to_string(&plan).ok();
        if text.as_deref() == old {
            cut_short += usize::from(unfinished(&scene).is_some());
        } else {
            let text = text.unwrap();
            assert!(text.ends_with('\n') && text.lines().count() == N + 1, "killed after {bytes} bytes");
        }
        let left = scene.names("").into_iter().filter(|name| name.ends_with(".tmp") || name == "out.csv");
        left.for_each(|name| fs::remove_file(scene.path(&name)).unwrap());
    }
    assert!(cut_short > 0, "no kill came in the middle of writing");
}

#[test]
fn an_interrupted_barycenter_is_the_best_so_far() {
    let scene = large(60_000).with("c.npy", scattered(60_000, 3));
    let line = "barycenter a.npy b.npy c.npy --effort 9 --gain 0 --max-steps 100000 --out out.npy --json";
    let ran = interrupted(&scene, line, |_| ());
    let found = one_line(&ran.stdout);
    assert_eq!((ran.code, found["stop"].as_str()), (Some(1), Some("interrupted")));
    assert_eq!(scene.points("out.npy").len(), 60_000);
    assert_eq!(unfinished(&scene), None);
}

#[test]
fn an_interrupted_search_keeps_the_best_so_far() {
    const N: usize = 200_000;
    let scene = large(N);
    let ran = interrupted(&scene, &format!("solve a.npy b.npy {ENDLESS} --plan plan.csv --json"), |_| ());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING));
    let found = one_line(&ran.stdout);
    assert_eq!(found["stop"], "interrupted");
    let tried = found["directions"].as_u64().unwrap();
    assert!((1..20_000).contains(&tried));
    assert_eq!(scene.plan("plan.csv").len(), N);
    assert_eq!(unfinished(&scene), None);
    // Stopping after so many directions is the same as asking for as many.
    let again = scene.json(&format!("solve a.npy b.npy --directions {tried}"));
    assert_eq!((&again["cost"], &again["theta"]), (&found["cost"], &found["theta"]));
}

#[test]
fn a_summary_says_that_the_search_was_stopped() {
    let scene = large(50_000).with("thetas.npy", npy64(2, &[0.6, 0.8].repeat(60_000)));
    for line in [
        "solve a.npy b.npy --directions 60000",
        "solve a.npy b.npy --directions-file thetas.npy",
        "interpolate a.npy b.npy --directions 60000 --out steps",
    ] {
        let ran = interrupted(&scene, line, |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "swgg {line}");
        assert!(ran.stdout.contains("\n  stopped    early; this is the best so far\n"), "{}", ran.stdout);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ran.stdout);
    }
    assert_eq!(scene.names("steps").len(), 11);
}

#[test]
fn every_long_search_keeps_the_best_so_far() {
    const N: usize = 20_000;
    let scene = large(N);
    for search in ["annealing", "gradient", "stein"] {
        let line = format!("solve a.npy b.npy --search {search} --iterations 1000000 --plan plan.csv --json");
        let ran = interrupted(&scene, &line, |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{search}");
        let found = one_line(&ran.stdout);
        assert_eq!((found["search"].as_str(), found["stop"].as_str()), (Some(search), Some("interrupted")));
        assert_eq!(scene.plan("plan.csv").len(), N, "{search}");
        fs::remove_file(scene.path("plan.csv")).unwrap();
    }
}

#[test]
fn an_interrupted_exact_solve_has_a_plan_and_a_bound() {
    const N: usize = 20_000;
    let scene = large(N);
    let ran = interrupted(&scene, "solve a.npy b.npy --method exact --plan plan.csv --json", |_| ());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING));
    let found = one_line(&ran.stdout);
    assert!(found["lower_bound"].as_f64() <= found["cost"].as_f64(), "{found}");
    assert_eq!(found["stop"].as_str(), Some("interrupted"));
    assert_eq!(scene.plan("plan.csv").len(), N);
}

#[test]
fn every_long_method_keeps_the_best_so_far() {
    const N: usize = 5_000;
    let scene = large(N).with("c.npy", scattered(N - 1000, 3));
    for method in
        ["sinkhorn --relative-epsilon 0.0001", "factored", "subspace-robust --k 1", "subspace-detour"]
    {
        let ran = interrupted(&scene, &format!("solve a.npy c.npy --method {method} --json"), |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{method}");
        let found = one_line(&ran.stdout);
        assert_eq!((&found["stop"], &found["plan"]), (&"interrupted".into(), &true.into()), "{method}");
        assert!(found["cost"].as_f64().unwrap() > 0.0, "{method}");
    }
}

#[test]
fn many_lines_keep_the_best_so_far() {
    const N: usize = 60_000;
    let scene = large(N).with("c.npy", scattered(N - 1000, 3));
    for line in [
        "a.npy b.npy --effort 10",
        "a.npy c.npy --time-limit 600",
        "a.npy b.npy --method tree --trees 1000",
        "a.npy c.npy --method merged --directions 100000",
    ] {
        let ran = interrupted(&scene, &format!("solve {line} --no-bounds --map map.npy"), |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{line}");
        assert!(ran.stdout.contains("\n  stopped    early; this is the best so far\n"), "{}", ran.stdout);
        assert_eq!(scene.points("map.npy").len(), N, "{line}");
        fs::remove_file(scene.path("map.npy")).unwrap();
    }
    // A small problem is solved exactly, and can be stopped all the same.
    let scene = large(4_500).with("c.npy", scattered(4_400, 3));
    let ran = interrupted(&scene, "solve a.npy c.npy --threads 1 --json", |_| ());
    let found = one_line(&ran.stdout);
    assert_eq!((ran.code, &found["stop"]), (Some(1), &"interrupted".into()), "{found}");
    assert!(found["lower_bound"].as_f64() <= found["cost"].as_f64(), "{found}");
}

#[test]
fn an_interrupted_comparison_says_what_is_done() {
    let scene = large(8_000);
    let line = "compare a.npy b.npy --methods gaussian,exact,min-swgg --time-limit 1000 --json";
    let ran = interrupted(&scene, line, |_| ());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING));
    let found = one_line(&ran.stdout);
    assert_eq!(found["stop"], "interrupted");
    assert_eq!(found["methods"][0]["method"], "gaussian");
    assert_eq!(found["methods"][1]["stop"], "interrupted");
    assert_eq!(found["left_out"][0]["reason"], "was not reached");
}

#[test]
fn an_interrupted_distance_is_that_of_the_directions_so_far() {
    let scene = large(50_000);
    for kind in ["sw --directions 1000000", "pwd --directions 1000000", "max-sw --iterations 1000000"] {
        let ran = interrupted(&scene, &format!("distance a.npy b.npy --kind {kind}"), |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{kind}");
        assert!(ran.stdout.contains("\n  stopped    early; over the directions so far\n"), "{}", ran.stdout);
    }
}

#[test]
fn an_interrupted_flow_keeps_where_the_particles_are() {
    const N: usize = 2000;
    let scene = large(N);
    for loss in ["sw", "min-swgg --search random", "auto", "sinkhorn"] {
        let line = format!(
            "flow a.npy b.npy --loss {loss} --steps 1000000 --every 1000000 --out way --picture way.svg --json"
        );
        let ran = interrupted(&scene, &line, |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{loss}");
        let found = one_line(&ran.stdout);
        assert_eq!(found["stop"], "interrupted", "{loss}");
        let steps = found["steps"].as_u64().unwrap();
        assert!(steps < 1_000_000, "{loss}");
        // The source, the particles where they have come to unless that is where they began, and the story.
        let files = scene.names("way");
        assert_eq!(files.len(), if steps == 0 { 2 } else { 3 }, "{loss}: {files:?}");
        assert_eq!(scene.points(&format!("way/step_{steps:07}.csv")).len(), N, "{loss}");
        assert!(scene.path("way.svg").exists());
        fs::remove_dir_all(scene.path("way")).unwrap();
    }
}

#[test]
fn an_interrupted_matrix_of_data_sets_keeps_the_pairs_that_are_done() {
    const N: usize = 20_000;
    let labels: Vec<f64> = (0..N).map(|k| (k % 2) as f64).collect();
    let scene = large(N).with("a-labels.npy", npy64(1, &labels)).with("b-labels.npy", npy64(1, &labels));
    for flags in
        ["", "--label-distance sinkhorn", "--label-distance min-swgg --search random --directions 100000000"]
    {
        let ran = interrupted(&scene, &format!("otdd a.npy b.npy {flags} --effort 10 --json"), |_| ());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING), "{flags}");
        let found = one_line(&ran.stdout);
        assert_eq!(
            (found["stop"].as_str(), found["distances"][0][0].as_f64()),
            (Some("interrupted"), Some(0.0))
        );
        assert!(found["pairs"].as_array().unwrap().len() <= 1, "{flags}");
    }
}

#[test]
fn a_second_interruption_leaves_at_once_and_leaves_nothing() {
    for line in ["solve a.npy b.npy --plan plan.csv", "interpolate a.npy b.npy --out steps"] {
        let left_at_once = |_: i32| {
            let scene = large(200_000);
            let before = scene.tree();
            let ran = interrupted(&scene, &format!("{line} {ENDLESS}"), Running::interrupt);
            // Now and then the search stops between the two.
            if ran.code == Some(1) {
                return false;
            }
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(130), "", STOPPING));
            scene.unchanged(&before);
            true
        };
        assert!((0..10).any(left_at_once), "swgg {line}");
    }
}

#[test]
fn an_interrupted_landscape_says_what_it_found_and_draws_nothing() {
    let scene = large(20_000);
    let before = scene.tree();
    let ran = interrupted(&scene, "landscape a.npy b.npy --angles 50000 --out new.svg", |_| ());
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), STOPPING));
    let ending = "\nStopped early: nothing was drawn, and there may be lower directions\n";
    assert!(ran.stdout.contains("  lowest ") && ran.stdout.ends_with(ending), "{}", ran.stdout);
    scene.unchanged(&before);
}

#[test]
fn an_interruption_while_reading_leaves_nothing() {
    let rows: String = (0..200_000).map(|i| format!("{i}.25,{}.5\n", i % 1000)).collect();
    for line in
        ["solve source.csv target.csv --plan plan.csv", "interpolate source.csv target.csv --out steps"]
    {
        for delay in [10, 20, 30] {
            let scene = Scene::clouds(&rows, &rows);
            let before = scene.tree();
            let mut run = Running::start(&scene, &format!("{line} {ENDLESS}"));
            sleep(Duration::from_millis(delay));
            // Whoever runs the tests may have told their children to ignore it: it is heard only once the handler is there.
            let started = Instant::now();
            while !run.has_ended() {
                assert!(started.elapsed() < PATIENCE, "{line} does not hear interrupts");
                run.interrupt();
                sleep(Duration::from_millis(500));
            }
            let ran = run.end();
            // On a fast machine the search may have started: then the result is saved instead.
            if ran.code != Some(1) {
                assert!(matches!(ran.code, None | Some(130)), "{ran:?}");
                scene.unchanged(&before);
            }
        }
    }
}

#[test]
fn an_interruption_while_writing_lets_the_files_finish() {
    const N: usize = 300_000;
    let diagonal: Vec<f64> = (0..2 * N).map(|i| (i / 2 * 7919 % N) as f64).collect();
    let scene = large(N).with("a.npy", npy64(2, &diagonal));
    for method in ["min-swgg --directions 1", "line"] {
        let caught = |_: i32| {
            let mut run =
                Running::start(&scene, &format!("solve a.npy b.npy -q --method {method} --plan plan.csv"));
            run.writes(&scene, 1);
            run.interrupt();
            let ran = run.end();
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{method}: {ran:?}");
            assert_eq!(scene.text("plan.csv").lines().count(), N + 1);
            assert_eq!(unfinished(&scene), None);
            ran.stderr == "finishing the files\n"
        };
        assert!((0..10).any(caught), "no interruption of {method} came in the middle of writing");
    }
}

#[test]
fn an_interrupted_picture_is_not_written_and_that_is_exit_1() {
    use swgg_io::picture::{Picture, Samples, write};
    let scene = Scene::new();
    for (name, step) in [("a.png", 7_usize), ("b.png", 11)] {
        let samples =
            (0..900 * 900 * 3).map(|k: usize| (k.wrapping_mul(2_654_435_761) >> step) as u8).collect();
        let picture = Picture::new(900, 900, 3, Samples::U8(samples)).unwrap();
        write(swgg_io::Output::create(&scene.path(name)).unwrap(), &picture).unwrap().commit().unwrap();
    }
    let mut delay = Duration::from_millis(200);
    while delay < PATIENCE {
        let run = Running::start(&scene, "color-transfer a.png b.png out.png --method auto");
        sleep(delay);
        run.interrupt();
        let asked = Instant::now();
        let ran = run.end();
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        assert!(unfinished(&scene).is_none(), "a temporary file is left");
        match ran.code {
            Some(1) => {
                assert_eq!(ran.stderr, "stopped; what was not whole yet is not written\n");
                assert!(!scene.path("out.png").exists());
                return;
            }
            // Too early: files were still read.
            Some(130) | None => delay *= 2,
            code => panic!("{code:?}: {}", ran.stderr),
        }
    }
    panic!("never under way");
}
