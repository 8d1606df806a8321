//! A picture of a scene that does not move, for readers without JavaScript and for printers.

use super::grid::Grid;
use super::scene::Scene;
use super::track::{Track, some};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 460.0;
/// Points and ways of each track.
const POINTS: usize = 1500;
const LINES: usize = 250;

/// Clouds and some of their ways as one SVG, small enough to be carried along.
pub fn svg(scene: &Scene) -> String {
    let clouds = scene.tracks.iter().flat_map(|track| &track.frames).map(|points| flat(scene.dim, points));
    let clouds: Vec<Vec<f64>> = clouds.collect();
    let view = Grid::shown(2, clouds.iter().map(Vec::as_slice));
    let (width, height) = (view.high[0] / 2.0 - view.low[0] / 2.0, view.high[1] / 2.0 - view.low[1] / 2.0);
    let zoom = (WIDTH / width).min(HEIGHT / height) / 2.0;
    let middle = |axis: usize| view.low[axis] / 2.0 + view.high[axis] / 2.0;
    let (mx, my) = (middle(0), middle(1));
    let place = |point: &[f64]| {
        let x = (WIDTH / 2.0 + (point[0] - mx) * zoom).clamp(-9.0, WIDTH + 9.0);
        let y = (HEIGHT / 2.0 - (point[1] - my) * zoom).clamp(-9.0, HEIGHT + 9.0);
        (x.round() as i32, y.round() as i32)
    };
    let mut lines = String::new();
    let mut dots = String::new();
    for track in &scene.tracks {
        let count = track.len(scene.dim);
        let (Some(first), Some(last)) = (track.frames.first(), track.frames.last()) else { continue };
        let (first, last) = (flat(scene.dim, first), flat(scene.dim, last));
        if scene.lines && track.frames.len() > 1 {
            let path: String = some(count, LINES)
                .into_iter()
                .map(|i| {
                    let ((x, y), (u, v)) = (place(&first[2 * i..]), place(&last[2 * i..]));
                    format!("M{x} {y}L{u} {v}")
                })
                .collect();
            lines += &format!("<path class=\"way\" d=\"{path}\"/>");
        }
        let mut cloud = |points: &[f64], color: usize| {
            let path: String = some(count, POINTS)
                .into_iter()
                .map(|i| {
                    let (x, y) = place(&points[2 * i..]);
                    format!("M{x} {y}h0")
                })
                .collect();
            dots += &format!("<path class=\"dots s{}\" d=\"{path}\"/>", color % 10);
        };
        cloud(&first, track.colors[0]);
        if shows_end(track) {
            cloud(&last, track.colors[1]);
        }
    }
    format!(
        "<svg class=\"still\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"the clouds\">{lines}{dots}</svg>"
    )
}

fn shows_end(track: &Track) -> bool {
    track.frames.len() > 1
}

/// Points of the plane as they are; points of space from a little above.
fn flat(dim: usize, points: &[f64]) -> Vec<f64> {
    if dim == 2 {
        return points.to_vec();
    }
    let ((sin, cos), (rise, run)) = (0.6_f64.sin_cos(), 0.45_f64.sin_cos());
    let seen = points.chunks_exact(3).flat_map(|p| {
        let (x, depth) = (cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]);
        [x, run * p[2] + rise * depth]
    });
    seen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::plan::Seen;

    #[test]
    fn it_is_small_and_inside() {
        let points =
            |shift: f64| (0..90_000).map(|k| ((k * 7919) % 10_007) as f64 + shift).collect::<Vec<f64>>();
        for dim in [2, 3] {
            let mut track = Track::still("source", 0, points(0.0), 90_000 / dim);
            track.frames.push(points(3000.0));
            let text = svg(&Scene::new(Seen {
                dim,
                plain: true,
                tracks: vec![track],
                paid: None,
                notes: Vec::new(),
            }));
            assert!(text.len() < 80_000, "{} bytes", text.len());
            assert!(text.starts_with("<svg") && text.matches("<path").count() == 3);
            assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}
