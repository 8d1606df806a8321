//! Text that is safe between tags and inside attributes.

use serde::Serialize;

/// Text for HTML, between tags or inside double quotes; signs that cannot be seen are shown by their number.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            '\n' | '\t' => safe.push(' '),
            // Signs that turn the direction of text around could make a name look like another.
            c if c.is_control()
                || ('\u{202a}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c) =>
            {
                safe += &format!("\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// Text for people: like [`escaped`], and thousands stay together at the end of a line. Not for what is copied.
pub fn prose(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |k: usize| letters.get(k).is_some_and(char::is_ascii_digit);
    let kept = |(k, &letter): (usize, &char)| match letter {
        ' ' if k > 0 && is_digit(k - 1) && is_digit(k + 1) => '\u{a0}',
        letter => letter,
    };
    escaped(&letters.iter().enumerate().map(kept).collect::<String>())
}

/// JSON for a script element, which must not be able to end it.
pub fn json(value: &impl Serialize) -> String {
    // Numbers, strings and lists: there is nothing in it that could fail to serialise.
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    text.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Names and values, or rows below a head.
pub fn table(class: &str, head: &[&str], rows: &[(String, String)]) -> String {
    let mut text = format!("<table class=\"{class}\">\n");
    if !head.is_empty() {
        let cells: String =
            head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
        text += &format!("<thead><tr>{cells}</tr></thead>\n");
    }
    text += "<tbody>\n";
    for (name, value) in rows {
        text += &format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escaped(name), prose(value));
    }
    text + "</tbody></table>\n"
}

/// A table of many columns, numbers to the right; the cells are HTML already.
pub fn grid(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: String = head.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
    let mut text =
        format!("<div class=\"wide\"><table class=\"grid\"><thead><tr>{head}</tr></thead>\n<tbody>\n");
    for row in rows {
        let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        text += &format!("<tr>{cells}</tr>\n");
    }
    text + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_html_are_text() {
        assert_eq!(escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
        assert_eq!(escaped("a\u{7}\u{202e}b\u{e9}"), "a\\u{7}\\u{202e}b\u{e9}");
        assert_eq!(escaped("two\nlines"), "two lines");
        assert_eq!(prose("1 000 to 2 & 3"), "1\u{a0}000 to 2 &amp; 3");
    }

    #[test]
    fn json_cannot_end_the_script() {
        let text = json(&["</script><!--", "\u{2028}"]);
        assert_eq!(text, "[\"\\u003c/script>\\u003c!--\",\"\\u2028\"]");
        let back: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, ["</script><!--", "\u{2028}"]);
    }
}
