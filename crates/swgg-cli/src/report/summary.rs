//! A few lines for a person.

use crate::printer::wrapped;

/// Text in the making: a title, lines with a name in front, notes below them.
#[derive(Debug, Default)]
pub struct Summary {
    text: String,
    title: String,
    lines: Vec<(String, String)>,
}

impl Summary {
    /// Begins with a title and an empty line.
    pub fn titled(title: String) -> Self {
        Summary { text: format!("{title}\n\n"), title, lines: Vec::new() }
    }

    /// A line with a name in front.
    pub fn line(&mut self, name: &str, value: impl AsRef<str>) {
        let value = value.as_ref();
        self.text += &format!("  {name:<10} {value}\n");
        // Lines that were broken become one, and columns become parts of a sentence.
        let broken: Vec<&str> = value.lines().map(str::trim).collect();
        let parts = broken.join(" ");
        let parts: Vec<&str> = parts.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
        let words = parts.join(", ");
        match self.lines.last_mut() {
            // It goes on with the line before.
            Some((_, before)) if name.is_empty() => *before += &format!("; {words}"),
            _ => self.lines.push((name.to_string(), words)),
        }
    }

    /// Words on lines of at most 80 columns.
    pub fn note(&mut self, words: &str) {
        self.text += &wrapped(words, 80);
    }

    /// Text that has its lines already.
    pub fn text(&mut self, text: impl AsRef<str>) {
        self.text += text.as_ref();
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What it begins with.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Names and values of its lines, without the spaces that make columns of them.
    pub fn lines(&self) -> Vec<(String, String)> {
        self.lines.clone()
    }
}
