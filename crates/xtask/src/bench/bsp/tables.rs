//! Prints what was measured, goal by goal.

use super::record::{Measured, Row};

pub const HEADER: &str = "\
`ot.compute_bspot_bijection` of POT 0.9.7.post1 (BSP-OT) beside `swgg::Auto`, in one run, on the same clouds (f32, seed 0) and two
threads. After a warm-up, best of three runs, or as many as begin within ten seconds; files are read before. Lines, merged or not, are run
in turn, and the best of 25 runs counts, or of as many as begin within 25 seconds. Of the peer the shortest time and the lowest cost count, even of different runs; its cost is computed again from its permutation in f64. Under a time limit it is
our cost that varies, and the middle one of three counts. Costs are those between the centred clouds: what every plan pays for the
distance of the means is taken off, and so from under all shares. Bounds are off unless a table says so. Small problems are solved
exactly from effort 5 on.";

/// How many times faster than the peer, at least.
const FASTER: f64 = 4.0;
/// Share of the peer's excess in the same time, at most.
const CLOSER: f64 = 0.5;
/// Seconds until a million points are as good as the peer's 16 plans, and megabytes.
const MILLION: (f64, f64) = (4.0, 1000.0);
/// Excess at effort 10, and certified gap at effort 5, with 3000 points.
const SMALL: (f64, f64) = (0.005, 0.03);
/// Cost with weights at effort 5, as a multiple of that at effort 10.
const WEIGHTED: f64 = 1.02;
/// Time of merged directions, as a multiple of that of the best one.
const MERGED: f64 = 2.5;

/// Processors that other programs may take before times count as disturbed.
const QUIET: f64 = 0.1;

pub fn print(measured: &[Measured]) {
    for case in measured {
        match case.others {
            Some(others) if others > QUIET => println!(
                "\nDisturbed: other programs took {others:.1} processors while `{}` was measured; measure it again.",
                case.name
            ),
            _ => {}
        }
    }
    let pairs: Vec<&Measured> = measured.iter().filter(|case| case.row("bsp:64").is_some()).collect();
    as_good(&pairs);
    same_time(&pairs);
    million(&pairs);
    small(&pairs);
    weighted(measured);
    merged(&pairs);
    certified(&pairs);
}

/// Title, what the goal is, and the names of the columns.
fn head(title: &str, columns: &str) {
    println!("\n**{title}**\n\n| {columns} |");
    println!("|{}", "---|".repeat(columns.split('|').count()));
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "missed" }
}

fn pair(case: &Measured) -> String {
    format!("{}, n = {}, d = {}", case.what, count(case.n), case.d)
}

/// `3000`, `100 000`, `1 000 000`.
pub fn count(n: usize) -> String {
    match n {
        ..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{} {:03}", n / 1000, n % 1000),
        _ => format!("{} {:03} {:03}", n / 1_000_000, n / 1000 % 1000, n % 1000),
    }
}

/// Five significant digits.
fn digits(value: f64) -> String {
    let places = 4.0 - value.abs().max(1e-12).log10().floor();
    format!("{value:.*}", places.max(0.0) as usize)
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        share if share < 1e-9 => "0".into(),
        share if share < 0.001 => format!("{share:.0e}"),
        share if share < 10.0 => format!("{share:.3}"),
        share => format!("{share:.0}"),
    }
}

fn time(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.3}") } else { format!("{seconds:.1}") }
}

fn answer(case: &Measured, row: &Row) -> String {
    format!("{} ({})", digits(case.centred(row)), time(row.seconds))
}

fn as_good(cases: &[&Measured]) {
    head(
        &format!(
            "As good as BSP-OT, sooner: cost (seconds), our lowest effort at or below its 64 plans; goal {FASTER} times faster"
        ),
        "pair | BSP-OT 16 plans | BSP-OT 64 plans | effort | swgg | times faster | goal",
    );
    for case in cases {
        let (Some(few), Some(many)) = (case.row("bsp:16"), case.row("bsp:64")) else { continue };
        let ours = match case.effort_below(many.cost) {
            Some((effort, row)) => {
                let ratio = many.seconds / row.seconds;
                let met = verdict(ratio >= FASTER);
                format!("{effort} | {} | {ratio:.1} | {met}", answer(case, row))
            }
            None => "- | not reached | - | missed".into(),
        };
        println!("| {} | {} | {} | {ours} |", pair(case), answer(case, few), answer(case, many));
    }
}

fn same_time(cases: &[&Measured]) {
    head(
        &format!(
            "In the same time, better: per cent above the reference when we are given the time of its 64 plans; goal {CLOSER} of \
             its excess. The last column needs no reference: it is what our lower bound proves of the ratio"
        ),
        "pair | reference | s | BSP-OT % | swgg % | swgg s | ratio | goal | at most",
    );
    for case in cases {
        let (Some(peer), Some(ours)) = (case.row("bsp:64"), case.limited()) else { continue };
        let kind = if case.reference.exact { "exact" } else { "best known" };
        let ratio = case.excess(ours) / case.excess(peer);
        let bound = case.reference.lower_bound;
        let proved = (ours.cost - bound).max(0.0) / (peer.cost - bound);
        println!(
            "| {} | {} ({kind}) | {} | {} | {} | {} | {ratio:.3} | {} | {proved:.2} |",
            pair(case),
            digits(case.reference.cost - case.shift),
            time(peer.seconds),
            percent(case.excess(peer)),
            percent(case.excess(ours)),
            time(ours.seconds),
            verdict(ratio <= CLOSER),
        );
    }
}

fn million(cases: &[&Measured]) {
    let (seconds, megabytes) = MILLION;
    for case in cases.iter().filter(|case| case.n >= 1_000_000) {
        let Some(peer) = case.row("bsp:16") else { continue };
        head(
            &format!("A million points: as good as 16 plans of BSP-OT; goal {seconds} s and {megabytes} MB"),
            "who | cost (s) | peak MB of the process | goal",
        );
        let held = |row: &Row| row.megabytes.map_or("-".into(), |held| format!("{held:.0}"));
        println!("| BSP-OT, 16 plans | {} | {} | |", answer(case, peer), held(peer));
        for (effort, row) in case.method("auto") {
            let goal = match case.effort_below(peer.cost) {
                Some((first, _)) if first == effort => {
                    let fits = row.megabytes.is_some_and(|held| held < megabytes);
                    format!("time {}, memory {}", verdict(row.seconds <= seconds), verdict(fits))
                }
                _ => String::new(),
            };
            println!("| swgg, effort {effort} | {} | {} | {goal} |", answer(case, row), held(row));
        }
    }
}

fn small(cases: &[&Measured]) {
    let (excess, gap) = SMALL;
    head(
        &format!(
            "3000 points: above the optimum at effort 10 (goal {} %), and the certified gap by effort (goal {} % at 5), time with bounds in brackets",
            100.0 * excess,
            100.0 * gap
        ),
        "pair | effort 10 % | goal | gap at 1 % | 2 | 3 | 4 | 5 | goal",
    );
    for case in cases.iter().filter(|case| case.n == 3000) {
        let Some(best) = case.row("auto:10") else { continue };
        let bound = |effort: u32| case.row(&format!("auto:{effort}:bounds"));
        let cell = |effort| match bound(effort).map(|row| (case.centred_gap(row), row)) {
            Some((Some(gap), row)) => format!("{} ({})", percent(gap), time(row.seconds)),
            Some((None, _)) => "none".into(),
            None => "-".into(),
        };
        let met = bound(5).and_then(|row| case.centred_gap(row)).is_some_and(|found| found <= gap);
        println!(
            "| {} | {} ({}) | {} | {} | {} |",
            pair(case),
            percent(case.excess(best)),
            best.solver,
            verdict(case.excess(best) <= excess),
            (1..=5).map(cell).collect::<Vec<_>>().join(" | "),
            verdict(met),
        );
    }
}

fn weighted(cases: &[Measured]) {
    for case in cases.iter().filter(|case| case.name.starts_with("weighted")) {
        let (Some(five), Some(ten)) = (case.row("auto:5"), case.row("auto:10")) else { continue };
        head(
            &format!(
                "Weights in (0.2, 1), {} points to {}, d = {}; goal for effort 5: {WEIGHTED} times effort 10, centred or not",
                count(case.n),
                count(7 * case.n / 10),
                case.d
            ),
            "who | cost | centred | times effort 10, centred | s | goal",
        );
        let print = |name: &str, row: &Row, goal: &str| {
            let ratio = case.centred(row) / case.centred(ten);
            let (cost, centred) = (digits(row.cost), digits(case.centred(row)));
            println!("| {name} | {cost} | {centred} | {ratio:.4} | {} | {goal} |", time(row.seconds));
        };
        for (effort, row) in case.method("auto") {
            let worst = (five.cost / ten.cost).max(case.centred(five) / case.centred(ten));
            let goal = if effort == 5 { verdict(worst <= WEIGHTED) } else { "" };
            print(&format!("effort {effort}"), row, goal);
        }
        for (directions, row) in case.method("line") {
            print(&format!("min-SWGG, L = {directions}"), row, "");
        }
    }
}

fn merged(cases: &[&Measured]) {
    head(
        &format!(
            "All directions instead of the best one, L = 200: cost (seconds); goal {MERGED} times the time"
        ),
        "pair | min-SWGG | merged | times as long | goal",
    );
    for case in cases.iter().filter(|case| case.n == 100_000) {
        let (Some(line), Some(merged)) = (case.row("line:200"), case.row("merged:200")) else { continue };
        let ratio = merged.seconds / line.seconds;
        let met = verdict(ratio <= MERGED);
        println!(
            "| {} | {} | {} | {ratio:.2} | {met} |",
            pair(case),
            answer(case, line),
            answer(case, merged)
        );
    }
}

fn certified(cases: &[&Measured]) {
    head(
        "What effort 5 proves: per cent its cost can be above the optimum, of the centred cost and of the whole",
        "pair | solver | gap % | of the whole % | s with bounds | s without",
    );
    for case in cases {
        let (Some(with), Some(without)) = (case.row("auto:5:bounds"), case.row("auto:5")) else { continue };
        let whole = with.lower_bound.filter(|bound| *bound > 0.0).map(|bound| with.cost / bound - 1.0);
        let share = |gap: Option<f64>| gap.map_or("none".into(), |gap| percent(gap.max(0.0)));
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            pair(case),
            with.solver,
            share(case.centred_gap(with)),
            share(whole),
            time(with.seconds),
            time(without.seconds),
        );
    }
}
