//! The page of a registration: the source on its way into the frame of the target.

use swgg::Measure;
use swgg::ndarray::{Array2, ArrayView2};
use swgg_apps::registration::{Motion, Registration};

use super::chart::curve;
use super::html::grid;
use super::lens::Lens;
use super::plan::{MOST_POINTS, Seen};
use super::scene::Scene;
use super::track::{Spin, Track, some};
use super::{Origin, Page};
use crate::exit::{Failure, Outcome};
use crate::printer::{grouped, number};
use crate::report::Summary;

/// Steps that are listed.
const LISTED: usize = 40;

pub fn registration(
    [source, target]: [&Measure<'_, f64>; 2],
    found: &Registration,
    summary: &Summary,
    (seed, threads): (u64, usize),
) -> Outcome<Page> {
    let origin = Origin::of_this_command().with_seed(seed, threads);
    let lead = format!(
        "{} points were brought onto {}; matched points are {} apart (root mean square). Confidence: {}.",
        grouped(source.len()),
        grouped(target.len()),
        number(found.rms),
        found.confidence
    );
    let mut page = Page::about(summary, lead, origin);
    page.facts.retain(|(name, _)| name != "confidence");
    page.scene = Some(scene([source, target], &found.motion)?);
    page.section("The motion", matrix(&found.motion));
    if found.steps.len() > 1 {
        let costs: Vec<(f64, f64)> =
            found.steps.iter().enumerate().map(|(k, step)| ((k + 1) as f64, step.cost)).collect();
        let chart = curve(&costs, "step", "Mean squared distance of the matches");
        page.section("Steps", chart + &steps(found));
    }
    Ok(page)
}

fn scene([source, target]: [&Measure<'_, f64>; 2], motion: &Motion) -> Outcome<Scene> {
    let dim = source.dim();
    let numbers = some(source.len(), MOST_POINTS);
    let rows: Vec<f64> = numbers.iter().flat_map(|&i| source.point(i)).copied().collect();
    let view = ArrayView2::from_shape((numbers.len(), dim), &rows)
        .map_err(|error| Failure::new(error.to_string()))?;
    let moved = Measure::from_vec(motion.apply(view).into_raw_vec_and_offset().0, dim)?;
    let lens = Lens::new(&[source, target, &moved], 3)?;
    let seen = |cloud: &Measure<'_, f64>, numbers: &[usize]| {
        let mut points = Vec::new();
        numbers.iter().for_each(|&i| lens.see(cloud.point(i), 0.0, &mut points));
        points
    };
    let all: Vec<usize> = (0..moved.len()).collect();
    let mut frames = vec![seen(source, &numbers), seen(&moved, &all)];
    let spin = if lens.is_plain() { spin(motion, &source.mean()) } else { None };
    let mut notes: Vec<String> = lens.told().map(String::from).into_iter().collect();
    match spin {
        // What moves as one needs no second moment, but the box around all must hold it.
        Some(_) => {}
        None => notes.push("On their way points are drawn along straight lines.".to_string()),
    }
    let others = some(target.len(), MOST_POINTS);
    let still = Track::still("target", 1, seen(target, &others), target.len());
    let frame_of_end = if spin.is_some() { frames.pop() } else { None };
    let track = Track {
        name: "source".to_string(),
        end: None,
        colors: [0, 0],
        frames,
        spin,
        of: source.len(),
        ..Track::default()
    };
    for (track, drawn) in [(&track, numbers.len()), (&still, others.len())] {
        if drawn < track.of {
            notes.push(format!(
                "{} of {} points are drawn ({}).",
                grouped(drawn),
                grouped(track.of),
                track.name
            ));
        }
    }
    let mut scene = Scene::new(Seen {
        dim: lens.dim(),
        plain: lens.is_plain(),
        tracks: vec![still, track],
        paid: None,
        notes,
    });
    scene.also = frame_of_end;
    scene.lines = false;
    scene.ends = ["as it came", "where it belongs"];
    Ok(scene)
}

/// A motion of the plane or of space as a turn about a point that moves; nothing if it is a reflection.
fn spin(motion: &Motion, center: &[f64]) -> Option<Spin> {
    if motion.is_reflection() {
        return None;
    }
    let r = &motion.rotation;
    let (axis, angle) = match center.len() {
        2 => (Vec::new(), r[[1, 0]].atan2(r[[0, 0]])),
        3 => axis_angle(r),
        _ => return None,
    };
    let row = ArrayView2::from_shape((1, center.len()), center).ok()?;
    let shift = motion.apply(row).iter().zip(center).map(|(to, from)| to - from).collect();
    Some(Spin { center: center.to_vec(), shift, axis, angle, scale: motion.scale })
}

/// Axis and angle of a rotation, by its quaternion, which keeps its digits at every angle.
fn axis_angle(r: &Array2<f64>) -> (Vec<f64>, f64) {
    let (xx, yy, zz) = (r[[0, 0]], r[[1, 1]], r[[2, 2]]);
    // Four times the square of each component; the largest is divided by.
    let squares = [1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz];
    let largest = (0..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let (a, b) = (|i: usize, j: usize| r[[i, j]] - r[[j, i]], |i: usize, j: usize| r[[i, j]] + r[[j, i]]);
    let [w, x, y, z] = match largest {
        0 => [squares[0], a(2, 1), a(0, 2), a(1, 0)],
        1 => [a(2, 1), squares[1], b(0, 1), b(0, 2)],
        2 => [a(0, 2), b(0, 1), squares[2], b(1, 2)],
        _ => [a(1, 0), b(0, 2), b(1, 2), squares[3]],
    };
    let length = (x * x + y * y + z * z).sqrt();
    if length == 0.0 {
        return (vec![0.0, 0.0, 1.0], 0.0);
    }
    // The short way round.
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    ([x, y, z].iter().map(|c| sign * c / length).collect(), 2.0 * length.atan2(w.abs()))
}

/// The homogeneous matrix.
fn matrix(motion: &Motion) -> String {
    let matrix = motion.matrix();
    /// Columns of a matrix that a page shows; a wider one is for files.
    const MOST_COLUMNS: usize = 12;
    if matrix.ncols() > MOST_COLUMNS {
        return format!("<p>A matrix of {0} x {0} numbers: --transform writes it.</p>\n", matrix.ncols());
    }
    let size = matrix.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // What is nothing but rounding beside the largest is zero.
    let cell = |x: &f64| if x.abs() < 1e-12 * size { "0".to_string() } else { number(*x) };
    let rows: Vec<String> = matrix
        .rows()
        .into_iter()
        .map(|row| {
            format!("<tr>{}</tr>", row.iter().map(|x| format!("<td>{}</td>", cell(x))).collect::<String>())
        })
        .collect();
    format!(
        "<p>The homogeneous matrix that maps the source into the frame of the target:</p>\n\
         <div class=\"wide\"><table class=\"matrix\"><tbody>{}</tbody></table></div>\n",
        rows.concat()
    )
}

fn steps(found: &Registration) -> String {
    let listed = some(found.steps.len(), LISTED);
    let row = |k: usize| {
        let step = &found.steps[k];
        vec![
            (k + 1).to_string(),
            step.stage.name().to_string(),
            grouped(step.points),
            number(step.cost),
            number(step.change),
        ]
    };
    let rows: Vec<Vec<String>> = listed.into_iter().map(row).collect();
    let all = if rows.len() < found.steps.len() {
        format!("<p>{} of {} steps.</p>\n", rows.len(), found.steps.len())
    } else {
        String::new()
    };
    format!(
        "<details><summary>All steps</summary>\n{all}{}</details>\n",
        grid(&["step", "matched by", "points", "cost before", "moved, of the size"], &rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use swgg::ndarray::{Array1, array};

    /// Where a spin takes a point at the end, as the script computes it.
    fn end(spin: &Spin, point: [f64; 3]) -> Vec<f64> {
        let p: Vec<f64> = (0..3).map(|k| point[k] - spin.center[k]).collect();
        let (u, (sin, cos)) = (&spin.axis, spin.angle.sin_cos());
        let cross = |k: usize| u[(k + 1) % 3] * p[(k + 2) % 3] - u[(k + 2) % 3] * p[(k + 1) % 3];
        let along: f64 = (0..3).map(|k| u[k] * p[k]).sum();
        let turned = |k: usize| cos * p[k] + sin * cross(k) + (1.0 - cos) * along * u[k];
        (0..3).map(|k| spin.center[k] + spin.shift[k] + spin.scale * turned(k)).collect()
    }

    #[test]
    fn spins_end_where_motions_do() {
        let turn = |angle: f64| {
            array![[angle.cos(), -angle.sin(), 0.0], [angle.sin(), angle.cos(), 0.0], [0.0, 0.0, 1.0]]
        };
        let other = |angle: f64| {
            array![[1.0, 0.0, 0.0], [0.0, angle.cos(), -angle.sin()], [0.0, angle.sin(), angle.cos()]]
        };
        let angles = [0.0, 1e-9, 0.7, 3.0, std::f64::consts::PI, -2.5];
        for (a, b) in angles.iter().flat_map(|a| angles.map(|b| (*a, b))) {
            let motion = Motion {
                rotation: turn(a).dot(&other(b)),
                translation: Array1::from(vec![1.0, -2.0, 0.5]),
                scale: 1.5,
            };
            let spin = spin(&motion, &[0.3, 0.2, -1.0]).unwrap();
            for point in [[1.0, 2.0, 3.0], [-4.0, 0.0, 0.1]] {
                let row = array![[point[0], point[1], point[2]]];
                let expected = motion.apply(row.view());
                let gap =
                    end(&spin, point).iter().zip(&expected).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
                assert!(gap < 1e-7, "{a} {b}: {gap}");
            }
        }
    }
}
