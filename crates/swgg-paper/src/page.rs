//! `index.html`: one file that holds everything, for screens of any size, light or dark, and for paper.

use std::fmt::Write;
use std::path::Path;

use crate::Outcome;
use crate::book::{Entry, Failure};
use crate::chart::escaped;
use crate::record::Table;
use crate::scale::Extent;

/// Whose figures and tables these are.
pub const PAPER: &str =
    "Mahey et al., Fast Optimal Transport through Sliced Wasserstein Generalized Geodesics, NeurIPS 2023";

const STYLE: &str = "\
:root { color-scheme: light dark; --ground: #ffffff; --ink: #222222; --faint: #6a6f75; --line: #d8dbdf; --panel: #f5f6f8;
  --yes: #1a7f4b; --part: #9a6700; --no: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ground: #16191d; --ink: #e6e6e6; --faint: #a0a6ad; --line: #353a40; --panel: #1e2227;
  --yes: #4cc38a; --part: #e0b040; --no: #ff7b72 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.2rem 4rem; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0 0.3rem }
h2 { font-size: 1.25rem; margin: 0; line-height: 1.3 }
section { border-top: 1px solid var(--line); padding: 1.4rem 0; scroll-margin-top: 0.5rem }
.place { color: var(--faint); font-size: 0.9rem }
.verdict { border-left: 4px solid; padding: 0.5rem 0.9rem; background: var(--panel); margin: 0.8rem 0 }
.verdict ul { margin: 0.2rem 0 0; padding: 0; list-style: none } .verdict li { padding-left: 1.4rem; text-indent: -1.4rem }
.verdict li::before { display: inline-block; width: 1.4rem; text-indent: 0; font-weight: 700 }
.verdict li.yes::before { content: '\\2713'; color: var(--yes) } .verdict li.no::before { content: '\\2717'; color: var(--no) }
.verdict.yes { border-color: var(--yes) } .verdict.part { border-color: var(--part) } .verdict.no { border-color: var(--no) }
.mark { font-weight: 700; white-space: nowrap } .mark.yes { color: var(--yes) } .mark.part { color: var(--part) } .mark.no { color: var(--no) }
figure { margin: 1rem 0 } figcaption { color: var(--faint); font-size: 0.88rem; margin-top: 0.2rem }
figure svg, figure img { max-width: 100%; height: auto; display: block; border-radius: 4px }
@media screen and (max-width: 44rem) { figure { overflow-x: auto } figure svg { max-width: none } }
.photos { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 0.8rem } .photos figure { margin: 0 }
.photos img { width: 100% }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: 0.9rem; margin: 0.4rem 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: 0.25rem 0.9rem 0.25rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
caption { text-align: left; font-weight: 600; padding-bottom: 0.2rem }
nav table { width: 100% } nav td:first-child { white-space: nowrap }
details { font-size: 0.9rem; margin-top: 0.6rem } summary { cursor: pointer; color: var(--faint) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; margin: 0.4rem 0 } dt { color: var(--faint) } dd { margin: 0 }
.stand-in { background: var(--panel); border-radius: 4px; padding: 0.4rem 0.8rem; font-size: 0.92rem }
a { color: inherit }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: 0.3rem } nav td.hidden, nav th.hidden { display: none } }
@media print { body { max-width: none; font-size: 11pt } section, figure { break-inside: avoid } details { display: block }
  :root { --ground: #ffffff; --ink: #000000; --panel: #f5f6f8; --line: #bbbbbb } }
";

/// The page. Pictures are read from where they were written.
pub fn page(entries: &[Entry], failures: &[Failure], out: &Path) -> Outcome<String> {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>The paper, computed anew</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>The paper, computed anew</h1>\n<p>Every figure and table of {}: what it shows, what came out here, and whether that agrees. \
         Verdicts are computed from the numbers on this page.</p>\n",
        escaped(PAPER)
    );
    summary(&mut html, entries);
    contents(&mut html, entries, failures);
    for entry in entries {
        section(&mut html, entry, out)?;
    }
    for Failure { name, place, message } in failures {
        let _ = writeln!(
            html,
            "<section id=\"{name}\"><h2>{name}</h2><div class=\"place\">{}</div><p class=\"verdict no\">could not be run: {}</p></section>",
            escaped(place),
            escaped(message)
        );
    }
    html.push_str("</body>\n</html>\n");
    Ok(html)
}

/// The class of a verdict, and a word for it.
fn mark(entry: &Entry) -> (&'static str, &'static str) {
    match entry.claims.iter().filter(|claim| claim.holds).count() {
        held if held == entry.claims.len() => ("yes", "agrees"),
        0 => ("no", "disagrees"),
        _ => ("part", "agrees in part"),
    }
}

fn summary(html: &mut String, entries: &[Entry]) {
    let Some(first) = entries.first() else { return };
    let count = |word: &str| entries.iter().filter(|entry| mark(entry).1 == word).count();
    let seconds: f64 = entries.iter().map(|entry| entry.seconds - entry.shared_seconds).sum();
    let machine = &first.machine;
    let _ = writeln!(
        html,
        "<p><span class=\"mark yes\">{} agree</span>, <span class=\"mark part\">{} in part</span>, <span class=\"mark no\">{} disagree</span>. \
         {} in {seconds:.0} s ({} run) on {}, {} cores, {}, {} build.</p>",
        count("agrees"),
        count("agrees in part"),
        count("disagrees"),
        swgg::answer::counted(entries.len(), "entry").replace("entrys", "entries"),
        first.extent.name(),
        escaped(machine["processor"].as_str().unwrap_or("an unknown processor")),
        machine["cores"],
        escaped(machine["system"].as_str().unwrap_or_default()),
        escaped(machine["build"].as_str().unwrap_or_default()),
    );
    if first.extent != Extent::Full {
        let _ = writeln!(
            html,
            "<p>This is a {} run: sizes and numbers of seeds are smaller than the paper's. The settings of every entry say what they are; \
             <code>cargo xtask paper</code> takes the paper's own.</p>",
            first.extent.name()
        );
    }
}

/// What was checked, claim by claim.
fn verdict(html: &mut String, entry: &Entry) {
    let (class, word) = mark(entry);
    let _ = writeln!(html, "<div class=\"verdict {class}\"><b class=\"mark {class}\">{word}</b>\n<ul>");
    for claim in &entry.claims {
        let (class, word) = if claim.holds { ("yes", "holds") } else { ("no", "does not hold") };
        let clock = if claim.is_timed { " <small>(by the clock of this machine)</small>" } else { "" };
        let found = escaped(&claim.found);
        let _ = writeln!(html, "<li class=\"{class}\" aria-label=\"{word}: {found}\">{found}{clock}</li>");
    }
    html.push_str("</ul></div>\n");
}

fn contents(html: &mut String, entries: &[Entry], failures: &[Failure]) {
    html.push_str("<nav class=\"wide\"><table>\n<tr><th>In the paper</th><th>What</th><th>Verdict</th><th class=\"hidden\">Seconds</th></tr>\n");
    for entry in entries {
        let (class, word) = mark(entry);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td><a href=\"#{}\">{}</a></td><td class=\"mark {class}\">{word}</td><td class=\"hidden\">{:.1}</td></tr>",
            escaped(&entry.paper.place),
            escaped(&entry.name),
            escaped(&entry.title),
            entry.seconds
        );
    }
    for Failure { name, place, .. } in failures {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td><a href=\"#{name}\">{name}</a></td><td class=\"mark no\">could not be run</td><td class=\"hidden\"></td></tr>",
            escaped(place)
        );
    }
    html.push_str("</table></nav>\n");
}

fn section(html: &mut String, entry: &Entry, out: &Path) -> Outcome<()> {
    let _ = writeln!(
        html,
        "<section id=\"{}\">\n<h2>{}</h2>\n<div class=\"place\">{}</div>\n<p>{}</p>\n<p><b>The paper:</b> {}</p>",
        escaped(&entry.name),
        escaped(&entry.title),
        escaped(&entry.paper.place),
        escaped(&entry.shows),
        escaped(&entry.paper.says)
    );
    verdict(html, entry);
    if let Some(what) = &entry.stand_in {
        let _ = writeln!(html, "<p class=\"stand-in\"><b>Stand-in:</b> {}</p>", escaped(what));
    }
    entry.tables.iter().for_each(|rows| table(html, rows));
    let shown = || entry.files.iter().zip(&entry.captions);
    for (file, caption) in shown().filter(|(file, _)| file.ends_with(".svg")) {
        let svg = std::fs::read_to_string(out.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let _ = writeln!(html, "<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(caption));
    }
    let mut photos = shown().filter(|(file, _)| file.ends_with(".png")).peekable();
    if photos.peek().is_some() {
        html.push_str("<div class=\"photos\">\n");
        for (file, caption) in photos {
            let bytes = std::fs::read(out.join(file)).map_err(|error| format!("{file}: {error}"))?;
            let (data, caption) = (base64(&bytes), escaped(caption));
            let _ = writeln!(
                html,
                "<figure><img src=\"data:image/png;base64,{data}\" alt=\"{caption}\"><figcaption>{caption}</figcaption></figure>"
            );
        }
        html.push_str("</div>\n");
    }
    for remark in &entry.remarks {
        let _ = writeln!(html, "<p>{}</p>", escaped(remark));
    }
    // Whoever looks at a small run wants to know how small.
    let open = if entry.extent == Extent::Full { "" } else { " open" };
    let _ = writeln!(html, "<details{open}><summary>Settings, seed, seconds, files</summary>\n<dl>");
    let shared = match entry.shared_seconds {
        0.0 => String::new(),
        shared => format!(", {shared:.2} of them for what an entry before has, too"),
    };
    let seconds = ("seconds".to_string(), format!("{:.2}{shared}", entry.seconds));
    let seed = ("seed".to_string(), entry.seed.clone());
    let files = ("files".to_string(), entry.files.join(", "));
    let extent = ("run".to_string(), format!("{}: {}", entry.extent.name(), entry.conditions));
    for (name, value) in entry.settings.iter().chain([&seed, &seconds, &files, &extent]) {
        let _ = writeln!(html, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
    }
    html.push_str("</dl>\n</details>\n</section>\n");
    Ok(())
}

fn table(html: &mut String, Table { title, head, rows }: &Table) {
    let cells = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let _ = writeln!(html, "<div class=\"wide\"><table><caption>{}</caption>", escaped(title));
    let _ = writeln!(html, "<tr>{}</tr>", cells("th", head));
    for row in rows {
        let _ = writeln!(html, "<tr>{}</tr>", cells("td", row));
    }
    html.push_str("</table></div>\n");
}

/// Bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, k| word << 8 | u32::from(chunk.get(k).copied().unwrap_or(0)));
        for k in 0..4 {
            let is_there = k <= chunk.len();
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if is_there { letter.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::InPaper;
    use crate::record::Claim;

    #[test]
    fn what_is_told_is_not_markup() {
        let evil = "<script>alert('x')</script> & \"more\"".to_string();
        let mut rows = Table::new(evil.clone(), ["<b>"]);
        rows.row([evil.clone()]);
        let entry = Entry {
            name: "one".to_string(),
            title: evil.clone(),
            shows: evil.clone(),
            paper: InPaper { place: evil.clone(), says: evil.clone(), numbers: Default::default() },
            ours: Default::default(),
            verdict: evil.clone(),
            claims: vec![Claim::new(true, ""), Claim::new(false, "")],
            seconds: 1.0,
            shared_seconds: 0.5,
            files: Vec::new(),
            captions: Vec::new(),
            tables: vec![rows],
            settings: vec![(evil.clone(), evil.clone())],
            seed: evil.clone(),
            stand_in: Some(evil.clone()),
            remarks: vec![evil.clone()],
            extent: Extent::Tiny,
            machine: serde_json::json!({ "processor": evil.clone(), "cores": 2 }),
            conditions: evil.clone(),
        };
        let failure = Failure { name: "two", place: "nowhere", message: evil };
        let html = page(&[entry], &[failure], Path::new(".")).unwrap();
        assert!(!html.contains("<script") && !html.contains("<b>\""), "{html}");
        assert!(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;more&quot;"));
        assert!(html.contains("could not be run") && html.contains("mark part"));
        assert_eq!(html.matches("<section").count(), html.matches("</section>").count());
    }

    #[test]
    fn bytes_become_letters() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in known {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
