//! A few lines for a person.

use crate::printer::wrapped;

/// Text in the making: a title, lines with a name in front, notes below them.
#[derive(Debug, Default)]
pub struct Summary(String);

impl Summary {
    /// Begins with a title and an empty line.
    pub fn titled(title: String) -> Self {
        Summary(title + "\n\n")
    }

    /// A line with a name in front.
    pub fn line(&mut self, name: &str, value: impl AsRef<str>) {
        self.0 += &format!("  {name:<10} {}\n", value.as_ref());
    }

    /// Words on lines of at most 80 columns.
    pub fn note(&mut self, words: &str) {
        self.0 += &wrapped(words, 80);
    }

    /// Text that has its lines already.
    pub fn text(&mut self, text: impl AsRef<str>) {
        self.0 += text.as_ref();
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
