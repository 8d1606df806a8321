//! What moves on the canvas of a page, its controls and its legend.

use serde::Serialize;

use super::chart::short;
use super::grid::Grid;
use super::html::{escaped, prose};
use super::plan::{Paid, Seen};
use super::still;
use super::track::{Track, TrackData};

/// Clouds, their ways, and what goes with them.
pub struct Scene {
    /// Two or three.
    pub dim: usize,
    pub tracks: Vec<Track>,
    /// Numbers of the steps that frames are, where they are steps.
    pub steps: Option<Vec<usize>>,
    /// What points pay.
    pub paid: Option<Paid>,
    /// What a reader has to know about what is drawn.
    pub notes: Vec<String>,
    /// Whether ways are drawn at first.
    pub lines: bool,
    /// What 0 and 1 are on the slider, in words.
    pub ends: [&'static str; 2],
    /// Places that points come to and no frame holds.
    pub also: Option<Vec<f64>>,
    /// Names of the axes: those of coordinates, or numbers of principal axes.
    axes: [&'static str; 3],
}

/// For the script.
#[derive(Serialize)]
pub struct SceneData {
    dim: usize,
    axes: [&'static str; 3],
    grid: Grid,
    view: Grid,
    tracks: Vec<TrackData>,
    steps: Option<Vec<usize>>,
    lines: bool,
    dearest: Vec<Ways>,
}

/// Where a point is, and where it goes.
#[derive(Serialize)]
struct Ways {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Scene {
    /// What is seen of two clouds, or of more.
    pub fn new(seen: Seen) -> Self {
        let Seen { dim, plain, tracks, paid, notes } = seen;
        let axes = if plain { ["x", "y", "z"] } else { ["1", "2", "3"] };
        let ends = ["the source", "the target"];
        Scene { dim, tracks, steps: None, paid, notes, lines: true, ends, also: None, axes }
    }

    fn clouds(&self) -> impl Iterator<Item = &[f64]> + Clone {
        self.tracks.iter().flat_map(|track| &track.frames).chain(&self.also).map(Vec::as_slice)
    }

    /// All that the script needs.
    pub fn data(&self) -> SceneData {
        let (grid, view) = (Grid::around(self.dim, self.clouds()), Grid::shown(self.dim, self.clouds()));
        let top = self.paid.as_ref().map_or(0.0, |paid| paid.top);
        let dearest = self.paid.iter().flat_map(|paid| &paid.dearest);
        SceneData {
            dim: self.dim,
            axes: self.axes,
            tracks: self.tracks.iter().map(|track| track.data(&grid, top)).collect(),
            grid,
            view,
            steps: self.steps.clone(),
            lines: self.lines,
            dearest: dearest.map(|dear| Ways { from: dear.from.clone(), to: dear.to.clone() }).collect(),
        }
    }

    /// What cannot be seen where it belongs.
    fn beyond(&self) -> usize {
        let grid = Grid::around(self.dim, self.clouds());
        self.clouds()
            .flat_map(|points| points.chunks_exact(self.dim))
            .filter(|point| !grid.holds(point))
            .count()
    }

    /// Canvas, controls, legend, notes, and a picture for those without JavaScript.
    pub fn html(&self) -> String {
        let moves = self.tracks.iter().any(Track::moves);
        let names: Vec<String> = self.tracks.iter().map(|track| track.name.clone()).collect();
        let label = format!("{} in {} dimensions", names.join(", "), self.dim);
        let mut text = format!(
            "<section class=\"scene\">\n<figure>\n<canvas class=\"live\" id=\"canvas\" tabindex=\"0\" role=\"img\" \
             aria-label=\"{}\" aria-describedby=\"hint\"></canvas>\n<noscript>{}</noscript>\n",
            escaped(&label),
            still::svg(self),
        );
        text += "<figcaption>\n";
        text += &self.legend();
        if moves {
            text += &self.slider();
        }
        text += &self.hint(moves);
        text += "</figcaption>\n</figure>\n";
        let mut notes = self.notes.clone();
        if let Some(beyond @ 1..) = Some(self.beyond()) {
            notes.push(format!(
                "{} far outside are drawn at the edge.",
                crate::printer::counted(beyond, "point")
            ));
        }
        if !notes.is_empty() {
            text += &format!("<p class=\"note\">{}</p>\n", prose(&notes.join(" ")));
        }
        text + "</section>\n"
    }

    fn legend(&self) -> String {
        let mut entries: Vec<(usize, &str)> = Vec::new();
        for track in &self.tracks {
            entries.push((track.colors[0], &track.name));
            entries.extend(track.end.as_deref().map(|end| (track.colors[1], end)));
        }
        let mut told: Vec<(usize, &str)> = Vec::new();
        for entry in entries {
            if !told.contains(&entry) {
                told.push(entry);
            }
        }
        // The source first, whatever is drawn first.
        told.sort_by_key(|(color, _)| *color);
        let mut text = String::from("<ul class=\"legend\">");
        for (color, name) in told {
            text += &format!("<li><i class=\"dot c{}\"></i>{}</li>", color % 10, escaped(name));
        }
        if let Some(paid) = self.paid.as_ref().filter(|_| self.lines) {
            text += &format!(
                "<li class=\"scale\">{} <span>0</span><i class=\"ramp\"></i><span>{}{}</span></li>",
                escaped(&paid.name),
                short(paid.top),
                if paid.most > paid.top { " or more" } else { "" },
            );
        }
        text + "</ul>\n"
    }

    fn slider(&self) -> String {
        let [first, last] = self.ends;
        let lines = match self.lines {
            true => "<label class=\"check\"><input type=\"checkbox\" id=\"lines\" checked> lines</label>",
            false => "",
        };
        format!(
            "<div class=\"controls live\"><button type=\"button\" id=\"play\" aria-pressed=\"false\">Play</button>\
             <label class=\"walk\"><span class=\"hidden\">from {first} at 0 to {last} at 1</span>\
             <input type=\"range\" id=\"walk\" min=\"0\" max=\"1000\" step=\"1\" value=\"0\"></label>\
             <output id=\"moment\" for=\"walk\">t = 0.00</output>{lines}</div>\n"
        )
    }

    fn hint(&self, moves: bool) -> String {
        let drag =
            if self.dim == 3 { "Drag to turn, with Shift or two fingers to move" } else { "Drag to move" };
        let play = if moves { ", <kbd>Space</kbd> to play" } else { "" };
        format!(
            "<p class=\"hint live\" id=\"hint\">{drag}; click, then wheel or pinch to zoom. Keys: arrows, <kbd>+</kbd> \
             <kbd>&minus;</kbd>, <kbd>0</kbd> to begin again{play}.</p>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A walk of many points in space, with everything that takes room.
    fn large(count: usize) -> Scene {
        let points = |shift: f64| (0..3 * count).map(|k| ((k * 7919) % 10_007) as f64 + shift).collect();
        let track = Track {
            name: "source".to_string(),
            end: Some("target".to_string()),
            colors: [0, 1],
            frames: vec![points(0.0), points(5.0)],
            masses: Some((0..count).map(|k| 1.0 + (k % 3) as f64).collect()),
            costs: Some((0..count).map(|k| (k % 1000) as f64).collect()),
            spin: None,
            of: 2 * count,
        };
        Scene::new(Seen {
            dim: 3,
            plain: true,
            tracks: vec![track],
            paid: None,
            notes: vec!["Some are drawn.".to_string()],
        })
    }

    #[test]
    fn a_hundred_thousand_points_fit_into_three_megabytes() {
        let scene = large(100_000);
        let page = super::super::Page { scene: Some(scene), ..Default::default() };
        let text = page.html();
        assert!(text.len() <= 3_000_000, "{} bytes", text.len());
        assert!(text.contains("Some are drawn."));
    }

    #[test]
    fn the_data_is_what_the_script_reads() {
        let data: Value = serde_json::from_str(&super::super::html::json(&large(10).data())).unwrap();
        assert_eq!(data["dim"], 3);
        for key in ["grid", "view"] {
            assert_eq!(data[key]["low"].as_array().unwrap().len(), 3, "{key}");
            assert_eq!(data[key]["high"].as_array().unwrap().len(), 3, "{key}");
        }
        let track = &data["tracks"][0];
        assert_eq!((track["count"].as_u64(), track["frames"].as_u64()), (Some(10), Some(2)));
        // Two frames of ten points of three coordinates of two bytes, four letters for three bytes.
        assert_eq!(track["points"].as_str().unwrap().len(), 160);
        assert_eq!(track["costs"].as_str().unwrap().len(), 16);
        assert_eq!(track["colors"], serde_json::json!([0, 1]));
        assert!(data["steps"].is_null() && data["dearest"].as_array().unwrap().is_empty());
    }
}
