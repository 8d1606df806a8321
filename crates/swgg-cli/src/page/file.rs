//! The file of a page.

use std::io::Write;
use std::path::Path;

use swgg_io::Output;

use super::Page;
use crate::exit::Outcome;
use crate::outputs::ending;

/// A page to write, checked before the work.
#[derive(Clone, Copy)]
pub struct PageFile<'a> {
    pub path: &'a Path,
}

impl<'a> PageFile<'a> {
    /// What `--report` names, if anything; the caller sees to it that the place can be written to.
    pub fn check(path: Option<&'a Path>) -> Outcome<Option<Self>> {
        path.map(|path| ending("--report", path, &["html"]).map(|_| PageFile { path })).transpose()
    }

    /// Written down to the disk, ready to take its place.
    pub fn write(&self, page: &Page) -> Outcome<Output> {
        let html = page.html();
        Ok(Output::create(self.path)?.write_with(|output| output.write_all(html.as_bytes()))?)
    }

    /// A line of a summary.
    pub fn told(&self) -> String {
        format!("Page written to {}\n", self.path.display())
    }
}
