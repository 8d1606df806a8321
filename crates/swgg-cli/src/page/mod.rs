//! Pages to look at: one HTML file with everything in it, that a person opens from an e-mail and understands.
//!
//! A [`Page`] is a title, a sentence, sections and where it came from; a [`Scene`] is what moves on its canvas. Numbers travel as text:
//! coordinates as sixteen bits between two corners, in base64. Nothing is fetched from anywhere, and what a page says is there without
//! JavaScript too.
//!
//! | room | what it holds |
//! |---|---|
//! | `html`, `base64`, `grid` | escaped text; bytes as letters; coordinates as sixteen bits |
//! | `lens` | how points of any dimension are seen in two or three |
//! | `track`, `scene`, `still` | points on their way, all of them, and a picture of them that does not move |
//! | `plan` | from plans to tracks, and what each point pays |
//! | `chart`, `pictures` | bars, intervals, curves, heat maps; pictures before and after |
//! | `origin` | the command, the version, the date |
//! | `transport`, `comparison`, `flow`, `registration`, `barycenter`, `recoloring`, `matrix` | the page of each command |

mod barycenter;
mod base64;
mod chart;
mod comparison;
mod crop;
mod file;
mod flow;
mod grid;
mod html;
mod lens;
mod matrix;
mod origin;
mod pictures;
mod plan;
mod recoloring;
mod registration;
mod scene;
mod still;
mod track;
mod transport;

pub use self::barycenter::barycenter;
pub use self::chart::HeatMap;
pub use self::comparison::comparison;
pub use self::crop::nearly_all;
pub use self::file::PageFile;
pub use self::flow::flow;
pub use self::matrix::matrix;
pub use self::origin::{Origin, remember};
pub use self::pictures::Shown;
pub use self::plan::{Seen, Way, seen};
pub use self::recoloring::recoloring;
pub use self::registration::registration;
pub use self::transport::{Told, of_plan, transport};

pub use self::track::{Track, some};

use self::html::{escaped, prose, table};
use self::scene::Scene;
use crate::report::Summary;

const STYLE: &str = include_str!("template/page.css");
const VIEW: &str = include_str!("template/view.js");
const SCRIPT: &str = include_str!("template/page.js");

/// A page in the making.
#[derive(Default)]
pub struct Page {
    title: String,
    /// What was found, in a sentence or two.
    lead: String,
    /// What moves, if anything does.
    scene: Option<Scene>,
    /// Sections, as HTML, with their headings.
    sections: Vec<(String, String)>,
    /// Names and values.
    facts: Vec<(String, String)>,
    origin: Origin,
}

impl Page {
    /// A page about what a summary says.
    fn about(summary: &Summary, lead: String, origin: Origin) -> Self {
        let (title, facts) = (summary.title().to_string(), summary.lines());
        Page { title, lead, facts, origin, ..Page::default() }
    }

    fn section(&mut self, heading: &str, body: String) {
        self.sections.push((heading.to_string(), body));
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let mut body = format!(
            "<header><p class=\"mark\">swgg</p><h1>{}</h1><p class=\"lead\">{}</p></header>\n<main>\n",
            prose(&self.title),
            prose(&self.lead)
        );
        let data = match &self.scene {
            Some(scene) => {
                body += &scene.html();
                html::json(&scene.data())
            }
            None => "{}".to_string(),
        };
        for (heading, section) in &self.sections {
            body += &format!("<section><h2>{}</h2>\n{section}</section>\n", escaped(heading));
        }
        if !self.facts.is_empty() {
            body += &format!("<section><h2>Facts</h2>\n{}</section>\n", table("facts", &[], &self.facts));
        }
        body += &self.origin.html();
        body += "</main>\n";
        // Nothing is loaded from anywhere, and browsers are told to see to it.
        let policy =
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"generator\" content=\"swgg {}\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
             <noscript><style>.live {{ display: none !important; }}</style></noscript>\n</head>\n<body>\n{body}\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{VIEW}{SCRIPT}</script>\n\
             </body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            escaped(&self.title),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_typed_is_escaped() {
        let nasty = "<script>alert(\"&\")</script>\u{1}'";
        let mut page = Page { title: nasty.to_string(), lead: nasty.to_string(), ..Page::default() };
        page.facts.push((nasty.to_string(), nasty.to_string()));
        page.section(nasty, String::new());
        page.origin = Origin::of_command([nasty.into(), nasty.into()]).with_seed(3, 2);
        let text = page.html();
        assert!(!text.contains("<script>alert"), "{text}");
        assert!(!text.contains('\u{1}'));
        assert!(text.matches("&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;").count() >= 5);
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let text = Page::default().html();
        for word in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
