//! The paper's table of PWD (Supp. "Overestimation of WD by PWD"): two pairs on which most lines mislead.
//!
//! ```text
//! cargo bench -p swgg --bench pwd_table
//! ```

use swgg::sliced::{Sliced, Slicing, max_sliced};
use swgg::{Measure, MinSwgg, Run, Solver};
use swgg_testkit::{assignment_cost, low_dimensional_pair, multimodal_pair};

fn main() -> swgg::Result<()> {
    let pairs = [multimodal_pair(200, 0), low_dimensional_pair(200, 0)];
    let mut rows: Vec<(&str, &str, Vec<f64>)> = vec![
        ("max-SW", "-", Vec::new()),
        ("W2^2, exact", "12 / 12", Vec::new()),
        ("PWD, Monte-Carlo", "54 / 29", Vec::new()),
        ("PWD, orthogonal", "54 / 37", Vec::new()),
        ("min-SWGG", "13 / 13", Vec::new()),
    ];
    for (x, y) in &pairs {
        let (mu, nu) = (Measure::from_slice(&x.points, x.dim)?, Measure::from_slice(&y.points, y.dim)?);
        let pwd = Sliced { directions: 1000, ..Sliced::new(Slicing::Projected) };
        let orthogonal = Sliced { orthogonal: true, ..pwd };
        let values = [
            max_sliced(&mu, &nu)?.cost,
            assignment_cost(&x.points, &y.points, x.dim),
            pwd.estimate(&mu, &nu, &mut Run::default())?.cost,
            orthogonal.estimate(&mu, &nu, &mut Run::default())?.cost,
            MinSwgg::new().solve(&mu, &nu)?.cost,
        ];
        rows.iter_mut().zip(values).for_each(|(row, value)| row.2.push(value));
    }
    println!("| squared | multi-modal, d = 2 | low-dimensional, d = 10 | paper |");
    println!("|---|---|---|---|");
    for (name, paper, values) in rows {
        println!("| {name} | {:.1} | {:.1} | {paper} |", values[0], values[1]);
    }
    Ok(())
}
