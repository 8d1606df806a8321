//! Charts as HTML: they fit any width, follow the colours of the page, print, and need no script.

use super::html::{escaped, grid};
use super::plan::Paid;
use crate::figure::round_numbers;
use crate::printer::{counted, grouped, number};

/// The interval in which the optimum lies: what is needed for certain, and what could be saved at most.
pub fn interval(cost: f64, lower_bound: Option<f64>, words: &str) -> String {
    // Bounds that meet, to rounding, leave nothing open.
    let lower_bound = lower_bound.map(|bound| if bound >= cost * (1.0 - 1e-9) { cost } else { bound });
    let share = match lower_bound {
        Some(bound) if cost > 0.0 => (bound / cost).clamp(0.0, 1.0),
        Some(_) => 1.0,
        None => 0.0,
    };
    let sure = 100.0 * share;
    let open = if share < 1.0 { "<i class=\"open\"></i>" } else { "" };
    let mut labels = format!("<span>0</span><span>cost {}</span>", number(cost));
    if let Some(bound) = lower_bound.filter(|bound| *bound < cost) {
        // Beside what it is a bound of, where it nearly reaches it.
        let near = if share > 0.5 { " class=\"bound\"" } else { "" };
        labels = format!(
            "<span>0</span><span{near}>lower bound {}</span><span>cost {}</span>",
            number(bound),
            number(cost)
        );
    }
    format!(
        "<div class=\"interval\" role=\"img\" aria-label=\"{0}\"><i class=\"sure\" style=\"width:{sure:.3}%\"></i>\
         {open}</div>\n<div class=\"ends\">{labels}</div>\n<p>{0}</p>\n",
        escaped(words)
    )
}

/// What points pay, and the dearest of them.
pub fn histogram(paid: &Paid) -> String {
    let tallest = paid.bars.iter().copied().max().unwrap_or(0).max(1);
    let width = paid.top / paid.bars.len() as f64;
    let is_dear = |k: usize| paid.dearest.iter().any(|dear| bar_of(paid, dear.cost) == k);
    let bar = |(k, &count): (usize, &usize)| {
        // Whoever is there can be seen.
        let height = if count == 0 { 0.0 } else { (100.0 * count as f64 / tallest as f64).max(1.5) };
        let (from, to) = (number(width * k as f64), number(width * (k + 1) as f64));
        let class = if is_dear(k) && count > 0 { " class=\"dear\"" } else { "" };
        let title = format!("{}: {from} to {to}", counted(count, "point"));
        format!("<i{class} style=\"height:{height:.1}%\" title=\"{title}\"></i>")
    };
    let bars: String = paid.bars.iter().enumerate().map(bar).collect();
    let more = if paid.most > paid.top { " or more" } else { "" };
    let mut text = format!(
        "<p>What each source point pays ({}), for a unit of its mass: {} on average, {} at most.</p>\n\
         <div class=\"histogram\" role=\"img\" aria-label=\"histogram of the costs of {}\">{bars}</div>\n\
         <div class=\"ends\"><span>0</span><span>{}</span><span>{}{more}</span></div>\n",
        escaped(&paid.name),
        number(paid.mean),
        number(paid.most),
        counted(paid.points, "point"),
        short(paid.top / 2.0),
        short(paid.top),
    );
    let row = |(k, dear): (usize, &super::plan::Dear)| {
        let target = dear.target.map_or_else(|| "-".to_string(), grouped);
        let times = if paid.mean > 0.0 { format!("{:.1}", dear.cost / paid.mean) } else { "-".to_string() };
        let mark = format!(
            "<button type=\"button\" class=\"live\" data-dear=\"{k}\" aria-pressed=\"false\" \
             aria-label=\"show point {} in the picture\">show</button>",
            dear.source
        );
        vec![grouped(dear.source), target, number(dear.cost), times, mark]
    };
    let rows: Vec<Vec<String>> = paid.dearest.iter().enumerate().map(row).collect();
    text += "<h3>The dearest points</h3>\n<p>Points are counted from 0; the target is the one that takes most.</p>\n";
    text += &grid(&["source", "target", "cost", "times the mean", ""], &rows);
    text
}

fn bar_of(paid: &Paid, cost: f64) -> usize {
    let count = paid.bars.len();
    let bar = if paid.top > 0.0 { (cost / paid.top * count as f64) as usize } else { 0 };
    bar.min(count - 1)
}

/// A curve over steps; its values in powers of ten where they are all above zero and far apart.
pub fn curve(points: &[(f64, f64)], x_label: &str, y_label: &str) -> String {
    let points: Vec<(f64, f64)> =
        points.iter().copied().filter(|p| p.0.is_finite() && p.1.is_finite()).collect();
    if points.len() < 2 {
        return String::new();
    }
    let least = points.iter().fold(f64::INFINITY, |least, p| least.min(p.1));
    let most = points.iter().fold(f64::NEG_INFINITY, |most, p| most.max(p.1));
    let powers = least > 0.0 && most > 5.0 * least;
    let height = |y: f64| if powers { y.log10() } else { y };
    let (low, high) = (height(least), height(most));
    let span = if high > low { high - low } else { 1.0 };
    let (first, last) = (points[0].0, points[points.len() - 1].0);
    let across = if last > first { last - first } else { 1.0 };
    // More places than pixels say nothing more.
    let kept = super::track::some(points.len(), 600);
    let ends = [0, points.len() - 1];
    let mut kept: Vec<usize> = kept.into_iter().chain(ends).collect();
    kept.sort_unstable();
    kept.dedup();
    let place = |k: &usize| {
        let (x, y) = points[*k];
        format!("{:.1},{:.1}", 1000.0 * (x - first) / across, 400.0 - 400.0 * (height(y) - low) / span)
    };
    let path: Vec<String> = kept.iter().map(place).collect();
    let ticks = if powers { round_powers(least, most) } else { round_numbers(low, low + span, 4) };
    let marks: String = ticks
        .iter()
        .map(|&tick| {
            let up = 100.0 * ((if powers { tick.log10() } else { tick }) - low) / span;
            format!("<span style=\"bottom:{up:.2}%\">{}</span>", short(tick))
        })
        .collect();
    let scale = if powers { ", logarithmic" } else { "" };
    format!(
        "<p>{}{scale}</p>\n<div class=\"curve\"><div class=\"ticks\">{marks}</div><svg viewBox=\"0 0 1000 400\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\"><polyline points=\"{}\"/></svg></div>\n\
         <div class=\"ends inset\"><span>{}</span><span>{}</span><span>{}</span></div>\n",
        escaped(y_label),
        escaped(&format!(
            "{y_label}, from {} to {}",
            number(points[0].1),
            number(points[points.len() - 1].1)
        )),
        path.join(" "),
        grouped(first as usize),
        escaped(x_label),
        grouped(last as usize),
    )
}

/// Round numbers for a logarithmic axis: powers of ten, and numbers between where these are few.
fn round_powers(least: f64, most: f64) -> Vec<f64> {
    let decades = least.log10().floor() as i32..=most.log10().ceil() as i32;
    let among = |factors: &'static [f64]| -> Vec<f64> {
        let all = decades.clone().flat_map(|k| factors.iter().map(move |factor| factor * 10f64.powi(k)));
        all.filter(|x| (least * (1.0 - 1e-9)..=most * (1.0 + 1e-9)).contains(x)).collect()
    };
    let tens = among(&[1.0]);
    match tens.len() {
        0..=2 => among(&[1.0, 2.0, 5.0]),
        count => tens.into_iter().step_by(count.div_ceil(6)).collect(),
    }
}

/// A number of a scale: three digits, without zeros that say nothing.
pub fn short(x: f64) -> String {
    let magnitude = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    if !(-4..6).contains(&magnitude) {
        return format!("{x:.1e}");
    }
    let text = format!("{x:.*}", (2 - magnitude).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// Numbers for every pair of things, such as distances between data sets.
pub struct HeatMap<'a> {
    /// Names of rows and columns.
    pub names: &'a [String],
    /// Row by row, as many as there are names.
    pub values: &'a [Vec<f64>],
    /// What the numbers are, in a sentence.
    pub about: &'a str,
}

/// A table whose cells are coloured by their numbers: the larger the darker.
pub fn heat_map(map: &HeatMap<'_>) -> String {
    let finite = || map.values.iter().flatten().copied().filter(|x| x.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let head: String =
        map.names.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
    let mut text = format!(
        "<p>{}</p>\n<div class=\"wide\"><table class=\"heat\"><thead><tr><td></td>{head}</tr></thead><tbody>\n",
        escaped(map.about)
    );
    for (name, row) in map.names.iter().zip(map.values) {
        text += &format!("<tr><th scope=\"row\">{}</th>", escaped(name));
        for &x in row {
            let share = if high > low && x.is_finite() { (x - low) / (high - low) } else { 0.0 };
            // Letters stay readable: dark ones on light cells, light ones on dark cells.
            let class = if share > 0.55 { " class=\"deep\"" } else { "" };
            text += &format!("<td{class} style=\"--share:{share:.3}\">{}</td>", number(x));
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_show_what_is_sure() {
        let text = interval(2.0, Some(1.5), "The optimum lies between 1.5 and 2.");
        assert!(text.contains("width:75.000%") && text.contains("lower bound 1.50000"), "{text}");
        assert!(interval(2.0, None, "Nothing is known.").contains("width:0.000%"));
        assert!(interval(0.0, Some(0.0), "Nothing to pay.").contains("width:100.000%"));
        let met = interval(2.0, Some(2.0 - 1e-12), "The optimum.");
        assert!(met.contains("width:100.000%") && !met.contains("lower bound"), "{met}");
    }

    #[test]
    fn curves_fall_from_corner_to_corner() {
        let points: Vec<(f64, f64)> = (0..5000).map(|k| (f64::from(k), 10f64.powi(-k / 1000))).collect();
        let text = curve(&points, "step", "distance <W2>");
        assert!(
            text.contains("logarithmic") && text.contains("&lt;W2&gt;") && text.contains("0.0,0.0 "),
            "{text}"
        );
        assert!(text.contains("1000.0,400.0"), "{text}");
        assert!(text.len() < 12_000);
        assert_eq!(curve(&[(0.0, 1.0)], "step", "loss"), "");
        assert_eq!(round_powers(0.3, 20.0), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(round_powers(1e-12, 1.0).len(), 5);
        assert_eq!(
            [0.0, 0.1, 3.5649, 13.15, 1234.0, 1e-9].map(short),
            ["0", "0.1", "3.56", "13.2", "1234", "1.0e-9"]
        );
    }

    #[test]
    fn heat_maps_have_a_cell_for_every_pair() {
        let names = ["a<b".to_string(), "c".to_string()];
        let values = [vec![0.0, 2.0], vec![2.0, 0.0]];
        let text = heat_map(&HeatMap { names: &names, values: &values, about: "Distances." });
        assert_eq!((text.matches("--share:1.000").count(), text.matches("--share:0.000").count()), (2, 2));
        assert!(text.contains("a&lt;b") && !text.contains("a<b"));
    }
}
