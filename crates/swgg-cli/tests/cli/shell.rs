//! What the program says about itself: topics, completions, manual pages, versions; and names that would play with a terminal.

use std::process::Command;

use crate::scene::{Ran, Scene};

#[test]
fn every_shell_has_completions() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = scene.works(&format!("completions {shell}"));
        for word in ["color-transfer", "min-swgg", "skip-missing"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    let refused = scene.run("completions tcsh");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{refused:?}");
}

/// Asked in a real shell, where there is one.
#[test]
fn bash_completes_commands_and_methods() {
    let scene = Scene::new();
    let script = scene.works("completions bash");
    std::fs::write(scene.path("swgg.bash"), script).unwrap();
    let complete = |words: &str, last: usize| {
        let line = format!(
            "source swgg.bash; COMP_WORDS=({words}); COMP_CWORD={last}; _swgg swgg \"${{COMP_WORDS[{last}]}}\" \"\"; echo ${{COMPREPLY[@]}}"
        );
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &line]).current_dir(scene.path(""));
        bash.output().ok().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(found) = complete("swgg sol", 1) else {
        eprintln!("skipped: no bash");
        return;
    };
    assert_eq!(found.trim(), "solve");
    let flags = complete("swgg solve a b --decimal", 4).unwrap();
    assert_eq!(flags.trim(), "--decimal-comma");
}

#[test]
fn manual_pages_are_one_per_command() {
    let scene = Scene::new();
    let said = scene.works("man pages");
    let names = scene.names("pages");
    assert_eq!(said, format!("{} manual pages written to pages\n", names.len()));
    for page in ["swgg.1", "swgg-solve.1", "swgg-check.1", "swgg-color-transfer.1"] {
        assert!(names.contains(&page.to_string()), "{names:?}");
    }
    let solve = scene.text("pages/swgg-solve.1");
    assert!(solve.starts_with(".ie") || solve.starts_with(".TH"), "{solve:.60}");
    assert!(solve.contains("time\\-limit"));
    // And again over the old ones.
    scene.works("man pages");
}

#[test]
fn topics_say_what_there_is() {
    let scene = Scene::new();
    let formats = scene.works("help formats");
    for word in [".npz", ".csv", ".gz", "standard input", ".h5ad"] {
        assert!(formats.to_lowercase().contains(word), "{word}: {formats}");
    }
    assert!(scene.works("help methods").contains("subspace-robust"));
    assert!(scene.works("help searches").contains("annealing"));
    assert!(scene.works("help costs").contains("mahalanobis"));
    assert!(scene.works("help columns").contains("pc1-pc3"));
    let codes = scene.works("help exit-codes");
    for code in ["\n0 ", "\n1 ", "\n2 ", "\n130 "] {
        assert!(format!("\n{codes}").contains(code), "{codes}");
    }
    scene.refuses(
        "help poetry",
        "there is no command and no topic \"poetry\"; topics are formats, columns, methods, searches, costs, exit-codes, \
         and swgg --help lists the commands",
    );
    assert_eq!(scene.works("help"), scene.works("--help"));
    assert_eq!(scene.works("help register"), scene.works("register --help"));
}

#[test]
fn a_verbose_version_describes_the_machine() {
    let scene = Scene::new();
    for line in ["--version --verbose", "--verbose -V"] {
        let said = scene.works(line);
        assert!(said.starts_with(concat!("swgg ", env!("CARGO_PKG_VERSION"), "\n")), "{said}");
        for word in ["instructions", "threads", "memory", "engine", "clouds", ".parquet", "methods"] {
            assert!(said.contains(word), "{word}: {said}");
        }
        assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    }
    let alone = scene.run("--verbose");
    assert!(alone.code == Some(2) && alone.stderr.contains("--version"), "{alone:?}");
}

#[cfg(unix)]
#[test]
fn names_of_files_do_not_reach_the_terminal_raw() {
    let scene = Scene::new().with("red\u{1b}[31m.csv", "x,y\n1,zwei\n");
    let run = |args: &[&str]| {
        let mut command = scene.command("");
        command.args(args);
        Ran::of(command)
    };
    let safe = |args: &[&str]| {
        let ran = run(args);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{args:?}: {ran:?}");
        ran.stdout + &ran.stderr
    };
    for args in [
        &["solve", "red\u{1b}[31m.csv", "target.csv"][..],
        &["solve", "no\u{1b}[31m.csv", "target.csv"],
        &["info", "red\u{1b}[31m.csv"],
    ] {
        assert!(safe(args).contains("[31m"), "{args:?}");
    }
    // The parser of flags leaves such letters out altogether.
    for args in [&["solve\u{1b}[31m"][..], &["solve", "a", "b", "--method", "\u{1b}[31m"]] {
        assert!(safe(args).starts_with("error: "), "{args:?}");
    }
}
