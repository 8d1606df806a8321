//! The words of a Rust file, without its comments and strings.

/// A word or a sign, and its line, counted from 1. `::` is one sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: usize,
}

/// Every word and sign of a source, in order. Comments, strings, characters, and lifetimes are left out.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let (length, is_token) = measure(rest, first);
        let text = &rest[..length];
        if is_token {
            found.push(Token { text: text.strip_prefix("r#").unwrap_or(text), line });
        }
        line += text.matches('\n').count();
        at += length;
    }
    found
}

/// How many bytes the first thing takes, and whether it counts.
fn measure(rest: &str, first: char) -> (usize, bool) {
    if rest.starts_with("//") {
        (rest.find('\n').unwrap_or(rest.len()), false)
    } else if rest.starts_with("/*") {
        (block_comment(rest), false)
    } else if let Some(length) = string(rest) {
        (length, false)
    } else if first == '\'' {
        (quote(rest), false)
    } else if is_word(first) {
        let word = rest.strip_prefix("r#").map_or(0, |_| 2);
        (word + rest[word..].find(|c| !is_word(c)).unwrap_or(rest.len() - word), true)
    } else if rest.starts_with("::") {
        (2, true)
    } else {
        (first.len_utf8(), !first.is_whitespace())
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let tail = &rest.as_bytes()[at..];
        let step = if tail.starts_with(b"/*") {
            depth += 1;
            2
        } else if tail.starts_with(b"*/") {
            depth -= 1;
            2
        } else {
            1
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a string of any kind, if there is one.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let Some(tail) = rest.strip_prefix(prefix) else { return false };
        let tail = if prefix.ends_with('r') { tail.trim_start_matches('#') } else { tail };
        tail.starts_with('"')
    })?;
    let body = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let end = format!("\"{}", &body[..hashes]);
        let inner = &body[hashes + 1..];
        let length = inner.find(&end).map_or(inner.len(), |found| found + end.len());
        return Some(prefix.len() + hashes + 1 + length);
    }
    Some(prefix.len() + closing(body, '"'))
}

/// Bytes up to and with the closing quote of a text that begins with one.
fn closing(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    body.len()
}

/// A character has its closing quote, a lifetime has none.
fn quote(rest: &str) -> usize {
    let mut inner = rest.char_indices().skip(1);
    match (inner.next(), inner.next()) {
        (Some((_, '\\')), _) => closing(rest, '\''),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn words(source: &str) -> String {
        tokens(source).iter().map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_are_left_out() {
        assert_eq!(words("a // crate::b\n/* c /* d */ e */ f"), "a f");
        assert_eq!(words(r##"a "crate::b \" c" d r#"e " f"# g b"h" i br"\" j"##), "a d g i j");
        assert_eq!(words(r"a '\'' b 'c' d '\u{1F600}' e"), "a b d e");
    }

    #[test]
    fn lifetimes_are_no_characters() {
        assert_eq!(
            words("fn f<'a, 'b>(x: &'a str) -> &'b str"),
            "fn f < ,  > ( x : & str ) - > & str".replace("  ", " ")
        );
        assert_eq!(words("Measure<'_, f32>, 'x'"), "Measure < , f32 > ,");
    }

    #[test]
    fn paths_raw_words_and_lines() {
        assert_eq!(words("crate::r#type::B as r"), "crate :: type :: B as r");
        let lines: Vec<usize> = tokens("a\n\"x\ny\" b // c\nd").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 3, 4]);
    }

    #[test]
    fn what_is_not_closed_ends_with_the_file() {
        assert_eq!(words("a /* b"), "a");
        assert_eq!(words("a \"b"), "a");
        assert_eq!(words("a r#\"b\""), "a");
        assert_eq!(words("a '"), "a");
    }
}
