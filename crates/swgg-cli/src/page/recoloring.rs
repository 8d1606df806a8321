//! The page of a colour transfer: pictures before and after.

use super::html::table;
use super::pictures::{alone, before_after};
use super::{Origin, Page};
use crate::exit::Outcome;
use crate::printer::{counted, number};
use crate::report::{RecoloringDetails, RecoloringReport, Report};

/// Pictures that a page shows, of those of many.
pub const MOST_PICTURES: usize = 12;

/// A page of one picture, or of the first of many; `failed` are those that could not be read or written.
pub fn recoloring(pictures: &[RecoloringReport], failed: usize) -> Outcome<Page> {
    let mut origin = Origin::of_this_command();
    let mut page = Page { title: "Colour transfer".to_string(), ..Page::default() };
    if let Some(first) = pictures.first() {
        if let RecoloringDetails::Transfer { seed, .. } = &first.details {
            origin = origin.with_seed(*seed, first.threads);
        }
        page.lead = match pictures {
            [only] => lead(only),
            _ => format!("{} got the colours of {}.", counted(pictures.len(), "picture"), first.reference),
        };
    }
    if failed > 0 {
        page.lead += &format!(" {} failed.", counted(failed, "picture"));
    }
    if pictures.len() > MOST_PICTURES {
        page.lead += &format!(" The first {MOST_PICTURES} are shown.");
    }
    for (k, picture) in pictures.iter().take(MOST_PICTURES).enumerate() {
        let [before, after, reference] = match &picture.shown[..] {
            [before, after, reference] => [before, after, reference],
            _ => continue,
        };
        let mut section = before_after(before, after)?;
        let sizes = if before.width < picture.width {
            format!(
                "Shown at {} x {} of {} x {} pixels.",
                before.width,
                before.height(),
                picture.width,
                picture.height
            )
        } else {
            format!("Shown at its own size, {} x {} pixels.", picture.width, picture.height)
        };
        section += &format!("<p class=\"note\">{sizes}</p>\n");
        if k == 0 {
            section += &alone(reference)?;
        }
        if pictures.len() > 1 {
            section += &format!(
                "<details><summary>Facts</summary>\n{}</details>\n",
                table("facts", &[], &picture.summary().lines())
            );
            page.section(&picture.source, section);
        } else {
            page.section("Before and after", section);
            page.facts = picture.summary().lines();
        }
    }
    page.origin = origin;
    Ok(page)
}

fn lead(picture: &RecoloringReport) -> String {
    let RecoloringReport { source, reference, .. } = picture;
    match &picture.details {
        RecoloringDetails::Transfer { cost, space, exact_colors, .. } => {
            let exact = if *exact_colors { ", exactly those colours" } else { "" };
            format!(
                "{source} got the colours of {reference}{exact}; pixels moved by {} on average (mean squared distance in {space}).",
                number(*cost)
            )
        }
        RecoloringDetails::Colorization { cost, .. } => {
            format!("{source} got the colours of {reference}; the cost is {}.", number(*cost))
        }
    }
}
