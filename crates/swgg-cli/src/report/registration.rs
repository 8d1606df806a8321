//! What a registration found.

use serde::Serialize;
use swgg::Parallelism;
use swgg::ndarray::Array2;
use swgg_apps::registration::{Motion, Registration, Stop};

use super::{Report, Summary};
use crate::args::Register;
use crate::printer::{counted, duration, grouped, number, wrapped};
use crate::seconds::Seconds;

/// The motion, how it was found, and how sure one may be of it.
#[derive(Serialize)]
pub struct RegistrationReport {
    n: usize,
    m: usize,
    d: usize,
    /// Homogeneous, row by row: maps the source into the frame of the target.
    transform: Vec<Vec<f64>>,
    rotation: Vec<Vec<f64>>,
    translation: Vec<f64>,
    scale: f64,
    reflection: bool,
    /// Share of the source that was matched.
    overlap: f64,
    /// Root of the cost.
    rms: f64,
    /// Mean squared distance of the final matches.
    cost: f64,
    steps: Vec<Step>,
    stop: &'static str,
    /// One word, and a sentence.
    confidence: Confidence,
    matching: &'static str,
    seed: u64,
    threads: usize,
    /// Points that were left out of the clouds.
    dropped: Both<Dropped>,
    /// Attributes that the aligned cloud has no place for.
    left_out: Vec<String>,
    /// Files of the trace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trace: Vec<String>,
    seconds: Seconds,
    /// What it does, and why there were no more steps.
    #[serde(skip)]
    moves: Motion,
    #[serde(skip)]
    stopped: Stop,
    /// What follows the summary: files that were written, or what to add.
    #[serde(skip)]
    pub ending: String,
}

/// Points that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Dropped {
    pub not_finite: usize,
    pub at_origin: usize,
}

/// What there is to say about files that were written.
#[derive(Default)]
pub struct Written {
    /// What the format of the aligned cloud has no place for.
    pub left_out: Vec<String>,
    /// Files of the trace.
    pub trace: Vec<String>,
}

#[derive(Serialize)]
struct Both<T> {
    source: T,
    target: T,
}

#[derive(Serialize)]
struct Confidence {
    kind: &'static str,
    sentence: String,
}

#[derive(Serialize)]
struct Step {
    stage: &'static str,
    points: usize,
    cost: f64,
    change: f64,
}

impl RegistrationReport {
    /// Of two clouds of `n` and `m` points without those that were dropped.
    pub fn new(
        args: &Register,
        [(n, source), (m, target)]: [(usize, Dropped); 2],
        found: &Registration,
        written: Written,
        seconds: Seconds,
    ) -> Self {
        let rows = |matrix: &Array2<f64>| matrix.rows().into_iter().map(|row| row.to_vec()).collect();
        let Motion { rotation, translation, scale } = &found.motion;
        let step = |step: &swgg_apps::registration::Step| Step {
            stage: step.stage.name(),
            points: step.points,
            cost: step.cost,
            change: step.change,
        };
        RegistrationReport {
            n,
            m,
            d: translation.len(),
            transform: rows(&found.motion.matrix()),
            rotation: rows(rotation),
            translation: translation.to_vec(),
            scale: *scale,
            reflection: found.motion.is_reflection(),
            overlap: found.overlap,
            rms: found.rms,
            cost: found.cost,
            steps: found.steps.iter().map(step).collect(),
            stop: found.stop.name(),
            confidence: Confidence { kind: found.confidence.name(), sentence: found.confidence.to_string() },
            matching: args.matching.name(),
            seed: args.seed,
            threads: Parallelism::from_count(args.threads).threads(),
            dropped: Both { source, target },
            left_out: written.left_out,
            trace: written.trace,
            seconds,
            moves: found.motion.clone(),
            stopped: found.stop,
            ending: String::new(),
        }
    }

    /// The transform, where it fits on lines.
    fn matrix(&self) -> String {
        /// Coordinates up to which a row of the transform fits on a line.
        const MOST_COORDINATES: usize = 5;
        if self.d > MOST_COORDINATES {
            return String::new();
        }
        let row = |row: &Vec<f64>| {
            row.iter().map(|&x| format!("{:>13}", rounded(x, self.size()))).collect::<String>()
        };
        let rows: Vec<String> = self.transform.iter().map(|values| format!("{}\n", row(values))).collect();
        format!("{}\n", rows.concat())
    }

    /// The largest entry of the transform.
    fn size(&self) -> f64 {
        self.transform.iter().flatten().fold(0.0, |most, x| x.abs().max(most))
    }

    fn motion(&self) -> String {
        let turn = match self.d {
            _ if self.reflection => "a reflection and a turn".to_string(),
            2 | 3 => format!("a turn by {:.3} degrees", self.moves.degrees_to(&Motion::identity(self.d))),
            _ => "a turn".to_string(),
        };
        let scale =
            if self.scale == 1.0 { String::new() } else { format!(", a scale of {}", number(self.scale)) };
        let shift = self.translation.iter().map(|t| t * t).sum::<f64>().sqrt();
        format!("{turn}{scale}, a shift by {}", rounded(shift, self.size()))
    }

    fn steps_told(&self) -> String {
        let steps = grouped(self.steps.len());
        match self.stopped {
            Stop::Converged => format!("{steps}, until nothing moved any more"),
            Stop::Steps => format!("{steps}, all that were allowed: not settled (--max-steps)"),
            Stop::Interrupted => format!("{steps}, then interrupted: the best so far"),
            _ => format!("{steps}, {}", self.stop),
        }
    }
}

impl Report for RegistrationReport {
    fn summary(&self) -> Summary {
        let (n, m) = (grouped(self.n), grouped(self.m));
        let title = format!("Registration of {n} onto {m} points in dimension {}", self.d);
        let mut summary = Summary::titled(title);
        summary.text(self.matrix());
        summary.line("moves", self.motion());
        summary.line(
            "rms",
            format!("{:<12} of the final matches (squared: {})", number(self.rms), number(self.cost)),
        );
        if self.overlap < 1.0 {
            summary.line("overlap", format!("{:.0} % of the source was matched", 100.0 * self.overlap));
        }
        summary.line("steps", self.steps_told());
        // The sentence goes on below its beginning, not below the name.
        let sentence =
            wrapped(&self.confidence.sentence, 66).trim_end().replace("\n  ", &format!("\n{:13}", ""));
        summary.line("confidence", sentence);
        let (work, read) = (self.seconds["start"] + self.seconds["iterate"], self.seconds["read"]);
        let threads = counted(self.threads, "thread");
        summary
            .line("time", format!("{} to register on {threads}, {} to read", duration(work), duration(read)));
        summary.text(&self.ending);
        summary
    }
}

/// A number to six digits; what is nothing but rounding beside the largest is zero.
fn rounded(x: f64, largest: f64) -> String {
    if x.abs() < 1e-12 * largest { "0".to_string() } else { number(x) }
}
