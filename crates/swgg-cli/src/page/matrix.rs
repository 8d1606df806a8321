//! The page of a matrix, such as the distances between data sets.

use super::chart::{HeatMap, heat_map};
use super::{Origin, Page};
use crate::report::Summary;

/// What a summary says, and a heat map below it.
pub fn matrix(summary: &Summary, lead: String, map: &HeatMap<'_>, (seed, threads): (u64, usize)) -> Page {
    let origin = Origin::of_this_command().with_seed(seed, threads);
    let mut page = Page::about(summary, lead, origin);
    page.section("Matrix", heat_map(map));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_a_page() {
        let (names, values) = (["mnist".to_string(), "usps".to_string()], [vec![0.0, 2.5], vec![2.5, 0.0]]);
        let mut summary = Summary::titled("Distances between 2 data sets".to_string());
        summary.line("samples", "2 000 of each");
        let map = HeatMap { names: &names, values: &values, about: "Not rooted." };
        let text = matrix(&summary, "Two.".to_string(), &map, (7, 2)).html();
        for words in
            ["<h1>Distances between 2 data sets</h1>", "2.50000", "<td>2\u{a0}000 of each</td>", "<td>7 ("]
        {
            assert!(text.contains(words), "no {words}");
        }
    }
}
