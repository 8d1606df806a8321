//! What a file uses: its `use` lines, and the paths it writes in place.

use super::tokens::{Token, tokens};

/// A path from the root of the crate: `["line", "Walk"]` for `crate::line::Walk`.
#[derive(Debug, PartialEq)]
pub struct Used {
    /// The module that uses it, from the root of the crate.
    pub by: Vec<String>,
    pub path: Vec<String>,
    /// Its name where it is used: that after `as`, or the last of the path.
    pub name: String,
    pub line: usize,
}

/// One source file, as far as layers are concerned. What is compiled for tests only is left out: tests may use everything.
#[derive(Debug, Default, PartialEq)]
pub struct File {
    pub uses: Vec<Used>,
    /// Modules declared by `mod`, with those in place.
    pub modules: Vec<String>,
    /// Modules declared for tests.
    pub tests: Vec<String>,
}

/// The module that a file is, from its path below `src`: `["line", "walk"]` for `line/walk.rs`, nothing for `lib.rs`.
pub fn place(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.trim_end_matches(".rs").split('/').map(String::from).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib")) {
        parts.pop();
    }
    parts
}

/// Reads a file that is the module `place`.
pub fn read(source: &str, place: Vec<String>) -> File {
    let tokens = tokens(source);
    let root = place.len();
    let mut reader =
        Reader { tokens: &tokens, at: 0, place, root, opened: Vec::new(), depth: 0, file: File::default() };
    while reader.at < tokens.len() {
        reader.step();
    }
    reader.file
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// The module around this token.
    place: Vec<String>,
    /// How deep the module of the file is.
    root: usize,
    /// Depths of the braces that opened modules in place.
    opened: Vec<usize>,
    depth: usize,
    file: File,
}

impl<'a> Reader<'a> {
    /// The word `ahead` of this one; nothing beyond the end.
    fn peek(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text)
    }

    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ("#", "[" | "!") => self.attribute(),
            ("{", _) => {
                self.depth += 1;
                self.at += 1;
            }
            ("}", _) => {
                self.depth = self.depth.saturating_sub(1);
                if self.opened.last() == Some(&self.depth) {
                    self.opened.pop();
                    self.place.pop();
                }
                self.at += 1;
            }
            ("mod", name) if matches!(self.peek(2), "{" | ";") => {
                if self.place.len() == self.root {
                    self.file.modules.push(name.to_string());
                }
                // A module of its own is in another file.
                if self.peek(2) == "{" {
                    self.place.push(name.to_string());
                    self.opened.push(self.depth);
                    self.depth += 1;
                }
                self.at += 3;
            }
            // `use<'a>` says what a type captures.
            ("use", next) if next != "<" => {
                self.at += 1;
                self.tree(&[]);
            }
            ("crate" | "super" | "self", "::") => self.tree(&[]),
            _ => self.at += 1,
        }
    }

    /// Passes an attribute, and what it keeps for tests.
    fn attribute(&mut self) {
        let start = self.at;
        let is_inner = self.peek(1) == "!";
        self.at += if is_inner { 2 } else { 1 };
        self.group();
        let words: Vec<&str> = self.tokens[start..self.at].iter().map(|token| token.text).collect();
        let has = |word: &str| words.contains(&word);
        if !has("cfg") || !(has("test") || has("doctest")) || has("not") {
            return;
        }
        if is_inner {
            self.at = self.tokens.len();
        } else {
            self.skip_item();
        }
    }

    /// Passes brackets and what is in them.
    fn group(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.tokens.len() {
            match self.peek(0) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Passes an item: to its semicolon, or to the end of its braces.
    fn skip_item(&mut self) {
        while self.at < self.tokens.len() {
            match (self.peek(0), self.peek(1)) {
                ("mod", name) if self.peek(2) == ";" => {
                    self.file.tests.push(name.to_string());
                    self.at += 2;
                }
                (";", _) => {
                    self.at += 1;
                    return;
                }
                ("{", _) => {
                    self.group();
                    // As in `use a::{b, c};`.
                    self.at += usize::from(self.peek(0) == ";");
                    return;
                }
                ("(" | "[", _) => self.group(),
                // The end of what is around a field or an arm.
                ("}", _) => return,
                _ => self.at += 1,
            }
        }
    }

    /// A path and the tree of names behind it.
    fn tree(&mut self, before: &[&'a str]) {
        let mut path = before.to_vec();
        let line = self.tokens.get(self.at).map_or(0, |token| token.line);
        if self.peek(0) == "::" {
            // Another crate, whatever its name.
            path.push("::");
            self.at += 1;
        }
        loop {
            match self.peek(0) {
                "{" => {
                    self.at += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.tree(&path);
                        self.at += usize::from(self.peek(0) == ",");
                    }
                    self.at += 1;
                    return;
                }
                // After `::` of a path in place there may be generic arguments.
                word if word == "*" || word.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                    path.push(word);
                    self.at += 1;
                }
                _ => {
                    // No name where there should be one: the end of the path, never without a step ahead.
                    self.at += usize::from(path.len() == before.len());
                    break;
                }
            }
            if self.peek(0) != "::" {
                break;
            }
            self.at += 1;
        }
        let mut name = path.last().copied().unwrap_or_default();
        if self.peek(0) == "as" {
            name = self.peek(1);
            self.at += 2;
        }
        self.found(&path, name, line);
    }

    fn found(&mut self, path: &[&str], name: &str, line: usize) {
        let (mut from, mut rest) = match path {
            ["crate", rest @ ..] => (Vec::new(), rest),
            ["self", rest @ ..] => (self.place.clone(), rest),
            ["super", ..] => (self.place.clone(), path),
            // At the root a name may be that of a module; anywhere else it is a child or another crate.
            ["::", ..] => return,
            _ if self.place.is_empty() => (Vec::new(), path),
            _ => return,
        };
        while let ["super", tail @ ..] = rest {
            from.pop();
            rest = tail;
        }
        // `{self, ...}` is what is before the braces.
        let rest = rest.strip_suffix(&["self"]).unwrap_or(rest);
        let name = if name == "self" { rest.last().copied().unwrap_or_default() } else { name };
        from.extend(rest.iter().map(ToString::to_string));
        self.file.uses.push(Used { by: self.place.clone(), path: from, name: name.to_string(), line });
    }
}

#[cfg(test)]
mod tests {
    use super::{place, read};

    /// `path` or `path as name`, of each use.
    fn uses(source: &str, file: &str) -> Vec<String> {
        let show = |used: &super::Used| {
            let path = used.path.join("::");
            let last = used.path.last().is_none_or(|last| *last == used.name);
            if last { path } else { format!("{path} as {}", used.name) }
        };
        read(source, place(file)).uses.iter().map(show).collect()
    }

    #[test]
    fn files_are_modules() {
        assert!(place("lib.rs").is_empty());
        assert_eq!(place("line.rs"), ["line"]);
        assert_eq!(place("line/mod.rs"), ["line"]);
        assert_eq!(place("line/walk.rs"), ["line", "walk"]);
    }

    #[test]
    fn groups() {
        let source = "use crate::{a::B, c::{self, D, e::*}, F as G};";
        assert_eq!(uses(source, "x.rs"), ["a::B", "c", "c::D", "c::e::*", "F as G"]);
        assert_eq!(uses("pub(crate) use crate::a::{B,};\npub use crate::c;", "x.rs"), ["a::B", "c"]);
    }

    #[test]
    fn super_is_the_root_only_at_the_top() {
        assert_eq!(uses("use super::a::B;", "x.rs"), ["a::B"]);
        assert_eq!(uses("use super::a::B; use super::super::c::D;", "x/y.rs"), ["x::a::B", "c::D"]);
        assert_eq!(uses("use super::a; use self::b;", "x/mod.rs"), ["a", "x::b"]);
        assert_eq!(uses("mod y { use super::a; } use super::b;", "x.rs"), ["x::a", "b"]);
    }

    #[test]
    fn other_crates_and_children_are_nobodys_business() {
        assert!(
            uses("use rayon::prelude::*; use ::swgg::a; use child::A; pub(crate) fn f() {}", "x.rs")
                .is_empty()
        );
        assert_eq!(uses("pub use a::{B, C as D};", "lib.rs"), ["a::B", "a::C as D"]);
    }

    #[test]
    fn paths_in_place() {
        let source =
            "impl crate::a::B for C { fn f(&self) -> Vec<super::d::E> { crate::g::h::<u8>(self.0) } }";
        assert_eq!(uses(source, "x.rs"), ["a::B", "d::E", "g::h"]);
        assert_eq!(uses("fn f() -> impl Fn() + use<'_> {}", "x.rs"), Vec::<String>::new());
        assert!(uses("/// [`crate::A`]\n// crate::B\nlet c = \"crate::D\";", "x.rs").is_empty());
    }

    #[test]
    fn lines() {
        let file = read("//! About.\n\nuse crate::{\n    a::B,\n    c::D,\n};\n", place("x.rs"));
        assert_eq!(file.uses.iter().map(|used| used.line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn tests_may_use_everything() {
        let source = "use crate::a;\n#[cfg(test)]\n#[allow(dead_code)]\nmod tests { use crate::b; fn f() {} }\nuse crate::c;";
        assert_eq!(uses(source, "x.rs"), ["a", "c"]);
        assert_eq!(
            uses(
                "#[cfg(test)] use crate::{a, b}; #[cfg(test)] fn f() -> [u8; 2] { crate::c() } use crate::d;",
                "x.rs"
            ),
            ["d"]
        );
        assert_eq!(
            uses("#[cfg(not(test))] use crate::a; #[cfg(all(test, unix))] use crate::b;", "x.rs"),
            ["a"]
        );
        assert!(uses("#![cfg(test)]\nuse crate::a;", "x.rs").is_empty());
        let file = read(
            "mod a; pub mod b { mod c; } #[cfg(test)] mod dual_tests; #[cfg(doctest)] struct D;",
            vec![],
        );
        assert_eq!((file.modules, file.tests), (vec!["a".into(), "b".into()], vec!["dual_tests".into()]));
    }

    #[test]
    fn nonsense_ends() {
        for source in [
            "use",
            "use {",
            "use crate::{a::{",
            "#[cfg(test)]",
            "use ;",
            "use crate::{;};",
            "}}}",
            "crate::",
            "mod a {",
        ] {
            read(source, place("x.rs"));
        }
    }
}
