//! Names that fit a pattern.

/// Whether a name fits a pattern of letters, `?` for any one of them and `*` for any number.
///
/// ```
/// assert!(swgg_io::fits("part-*.csv", "part-07.csv"));
/// assert!(!swgg_io::fits("pc?", "pc10"));
/// ```
pub fn fits(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // Which beginnings of the name fit the pattern so far.
    let mut fits = vec![false; name.len() + 1];
    fits[0] = true;
    for sign in pattern.chars() {
        if sign == '*' {
            let first = fits.iter().position(|fits| *fits).unwrap_or(fits.len());
            fits[first..].fill(true);
            continue;
        }
        for k in (0..=name.len()).rev() {
            fits[k] = k > 0 && fits[k - 1] && (sign == '?' || name[k - 1] == sign);
        }
    }
    fits[name.len()]
}

/// Whether a word is a pattern at all.
pub(crate) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, expected) in [
            ("*.jpg", "a.jpg", true),
            ("*.jpg", "a.png", false),
            ("a?c*", "abc", true),
            ("a?c*", "ac", false),
            ("*", "", true),
            ("*b*b*", "abab", true),
            ("*b*b*", "aba", false),
            ("**", "x", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
