//! `swgg apply`: new points moved as a saved plan moves those near them.

use std::time::Instant;

use swgg::ndarray::Array2;
use swgg::nearest::nearest;
use swgg::{Measure, Parallelism};
use swgg_io::{Output, read_table, write_table};

use crate::args::Apply;
use crate::exit::{self, Failure, Outcome};
use crate::input::{Files, read_coupling};
use crate::interrupt::{self, Phase};
use crate::outputs::{check_places, cloud_format};
use crate::printer::warn;
use crate::progress::Spinner;
use crate::report::{self, ApplyReport};
use crate::seconds::Seconds;

pub fn run(args: &Apply) -> Outcome<u8> {
    let started = Instant::now();
    interrupt::enter(Phase::Reading);
    let format = cloud_format("--out", &args.out)?;
    let inputs = args.clouds.files().chain([args.plan.as_path(), args.cloud.as_path()]);
    check_places(&[&args.out], inputs)?;
    let files = Files::read(&args.clouds, args.print.quiet)?;
    let (source, target) = files.in_double()?;
    let coupling = read_coupling(&args.plan, source.len(), target.len())?;
    let (cloud, attributes) =
        read_table(&args.cloud, &args.clouds.tables.options(args.clouds.columns.as_ref()))?;
    let points = cloud.to_f64();
    let place = |error: swgg::Error| Failure::new(format!("{}: {error}", args.cloud.display()));
    let queries = Measure::from_slice(&points, cloud.columns()).map_err(place)?;
    if queries.dim() != source.dim() {
        return Err(Failure::new(format!(
            "{} has points in dimension {}, the plan moves points in dimension {}; pick the same columns (--columns)",
            args.cloud.display(),
            queries.dim(),
            source.dim()
        )));
    }
    if !format.holds_dimension(source.dim()) {
        let (out, d) = (args.out.display(), source.dim());
        return Err(Failure::usage(format!(
            "{out}: a .{format} file has no place for points in dimension {d}; write .csv, .npy or .parquet"
        )));
    }
    let mut seconds = Seconds::read_since(started);
    let solving = Instant::now();
    let spinner = Spinner::new("moving points".to_string(), args.print.quiet);
    let image = coupling.barycentric_map(&source, &target)?;
    let (moved, farthest) = moved(args, &source, &image, &queries)?;
    drop(spinner);
    seconds["solve"] = solving.elapsed().as_secs_f64();
    interrupt::enter(Phase::Writing);
    let writing = Instant::now();
    let output = Output::create(&args.out)?;
    let (output, left_out) = write_table(output, format, source.dim(), &moved, &attributes)?;
    output.commit()?;
    if !left_out.is_empty() && !args.print.quiet {
        warn(&format!("not in {}: {}", args.out.display(), left_out.join(", ")));
    }
    seconds["write"] = writing.elapsed().as_secs_f64();
    let report = ApplyReport {
        points: queries.len(),
        n: source.len(),
        m: target.len(),
        d: source.dim(),
        neighbors: args.neighbors,
        farthest: farthest.sqrt(),
        out: args.out.display().to_string(),
        threads: Parallelism::from_count(args.threads).threads(),
        seconds,
    };
    report::print(&args.print, &report)?;
    Ok(exit::DONE)
}

/// Where the points go, row by row, and the square of the largest distance of one from the source.
fn moved(
    args: &Apply,
    source: &Measure<'_, f64>,
    image: &Array2<f64>,
    queries: &Measure<'_, f64>,
) -> Outcome<(Vec<f64>, f64)> {
    let k = args.neighbors.min(source.len());
    let near = nearest(source, queries, k, Parallelism::from_count(args.threads))?;
    let dim = source.dim();
    let mut moved = Vec::with_capacity(queries.len() * dim);
    let mut farthest = 0.0_f64;
    for row in 0..queries.len() {
        let (indices, squares) = (near.indices.row(row), near.squares.row(row));
        farthest = farthest.max(squares[0]);
        // A point of the source itself counts alone.
        let weight = |square: f64| {
            if squares[0] == 0.0 { f64::from(u8::from(square == 0.0)) } else { squares[0] / square }
        };
        let total: f64 = squares.iter().map(|&square| weight(square)).sum();
        for (c, x) in queries.point(row).iter().enumerate() {
            let way = |&i: &u32| {
                let i = i as usize;
                if args.to_image { image[[i, c]] - x } else { image[[i, c]] - source.point(i)[c] }
            };
            let mean: f64 =
                indices.iter().zip(squares).map(|(i, &square)| weight(square) * way(i)).sum::<f64>() / total;
            // The image itself, to the last bit, where there is nothing to average.
            let alone = k == 1 && (args.to_image || squares[0] == 0.0);
            moved.push(if alone { image[[indices[0] as usize, c]] } else { x + mean });
        }
    }
    Ok((moved, farthest))
}
