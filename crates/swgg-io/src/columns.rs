//! Picking columns, and naming them in messages.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// Which columns of a file are coordinates, in the order in which they are wanted.
///
/// Written as names, 0-based indices and inclusive ranges of indices, separated by commas: `x,y,z`, `0,2`, `4-6,w`.
/// An item that is the name of a column means that column, even if it looks like an index.
///
/// ```
/// let selection: swgg_io::ColumnSelection = "x, y, 4-6".parse()?;
/// assert_eq!(selection.to_string(), "x,y,4-6");
/// # Ok::<(), swgg_io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSelection {
    items: Vec<String>,
    /// Whether all other columns are meant.
    others: bool,
}

impl ColumnSelection {
    /// All columns but those that this picks, in the order of the file.
    ///
    /// ```
    /// let features = "label".parse::<swgg_io::ColumnSelection>()?.others();
    /// assert_eq!(features.to_string(), "all but label");
    /// # Ok::<(), swgg_io::Error>(())
    /// ```
    pub fn others(self) -> Self {
        Self { others: !self.others, ..self }
    }

    /// Positions of the picked columns among `count`, each at most once; `names` if the columns have some.
    ///
    /// # Errors
    ///
    /// Columns that are not there, or are picked twice.
    pub fn positions(&self, names: Option<&[String]>, count: usize) -> Result<Vec<usize>, Error> {
        Ok(self.resolve(names, count)?)
    }

    /// [`positions`](Self::positions) for readers, which add the path.
    pub(crate) fn resolve(&self, names: Option<&[String]>, count: usize) -> Result<Vec<usize>, ErrorKind> {
        let mut picked = Vec::new();
        let mut seen = vec![false; count];
        for item in &self.items {
            for index in positions(item, names, count)? {
                if std::mem::replace(&mut seen[index], true) {
                    return Err(bad(item, "it picks a column that is already picked"));
                }
                picked.push(index);
            }
        }
        if self.others {
            picked = (0..count).filter(|index| !seen[*index]).collect();
        }
        if picked.is_empty() {
            return Err(bad("", "it picks nothing"));
        }
        Ok(picked)
    }
}

impl FromStr for ColumnSelection {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let items: Vec<String> = text.split(',').map(|item| item.trim().to_owned()).collect();
        if items.iter().any(String::is_empty) {
            return Err(
                bad(text, "write names, indices or ranges between commas, such as x,y,z or 0-2").into()
            );
        }
        Ok(Self { items, others: false })
    }
}

impl FromIterator<String> for ColumnSelection {
    /// One item per string, for names that contain commas.
    fn from_iter<I: IntoIterator<Item = String>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), others: false }
    }
}

impl fmt::Display for ColumnSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, items) = (if self.others { "all but " } else { "" }, self.items.join(","));
        write!(f, "{before}{items}")
    }
}

fn bad(item: &str, reason: &'static str) -> ErrorKind {
    ErrorKind::BadSelection { item: item.to_owned(), reason }
}

fn positions(
    item: &str,
    names: Option<&[String]>,
    count: usize,
) -> Result<std::ops::RangeInclusive<usize>, ErrorKind> {
    let mut same_name = names.unwrap_or_default().iter().enumerate().filter(|(_, name)| *name == item);
    if let Some((index, _)) = same_name.next() {
        return match same_name.next() {
            None => Ok(index..=index),
            Some(_) => Err(bad(item, "several columns have this name; pick by index")),
        };
    }
    let range = match item.split_once('-') {
        Some((first, last)) => first.parse().ok().zip(last.parse().ok()),
        None => item.parse().ok().map(|index| (index, index)),
    };
    match range {
        Some((first, last)) if first > last => Err(bad(item, "the range runs backwards")),
        Some((first, last)) if last < count => Ok(first..=last),
        _ => Err(ErrorKind::UnknownColumn {
            item: item.to_owned(),
            available: Available { names: names.map(<[String]>::to_vec), count },
        }),
    }
}

/// For each column of the file, its place among the picked ones.
pub(crate) fn slots(picked: &[usize], count: usize) -> Vec<Option<usize>> {
    let mut slots = vec![None; count];
    for (slot, &index) in picked.iter().enumerate() {
        slots[index] = Some(slot);
    }
    slots
}

/// A column of a file, as messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnRef {
    /// Position in the file, from 0.
    pub index: usize,
    /// Name, if the columns have names.
    pub name: Option<String>,
}

impl ColumnRef {
    pub(crate) fn new(index: usize, names: Option<&[String]>) -> Self {
        Self { index, name: names.and_then(|names| names.get(index)).cloned() }
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "column {name:?}"),
            None => write!(f, "column {} (from 0)", self.index),
        }
    }
}

/// The columns a file has, as messages list them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// Their names, if they have some.
    pub names: Option<Vec<String>>,
    /// How many there are.
    pub count: usize,
}

impl fmt::Display for Available {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LISTED: usize = 20;
        match &self.names {
            None if self.count == 1 => f.write_str("the only column is 0, without a name"),
            None => write!(f, "the columns are 0 to {}, without names", self.count.saturating_sub(1)),
            Some(names) => {
                let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
                write!(f, "the columns are {listed}")?;
                match names.len().saturating_sub(LISTED) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn pick(selection: &str, names: Option<&[String]>, count: usize) -> Result<Vec<usize>, String> {
        let selection: ColumnSelection = selection.parse().map_err(|e: Error| e.to_string())?;
        selection.resolve(names, count).map_err(|kind| kind.to_string())
    }

    #[test]
    fn names_indices_and_ranges() {
        let xyz = names("x y z nx ny nz");
        assert_eq!(pick("z,x", Some(&xyz), 6), Ok(vec![2, 0]));
        assert_eq!(pick(" 3-5 , x", Some(&xyz), 6), Ok(vec![3, 4, 5, 0]));
        assert_eq!(pick("0,2", None, 3), Ok(vec![0, 2]));
    }

    #[test]
    fn a_name_wins_over_an_index() {
        assert_eq!(pick("1,0-1", Some(&names("1 0-1")), 2), Ok(vec![0, 1]));
    }

    #[test]
    fn unknown_columns_list_the_known_ones() {
        let xy = names("x y");
        let refused = |selection, names| pick(selection, names, 2).unwrap_err();
        assert_eq!(refused("x,w", Some(&xy[..])), "there is no column \"w\"; the columns are x, y");
        assert_eq!(refused("2", Some(&xy[..])), "there is no column \"2\"; the columns are x, y");
        assert_eq!(
            refused("0-18446744073709551615", None),
            "there is no column \"0-18446744073709551615\"; the columns are 0 to 1, without names"
        );
        let many = Available { names: Some(vec!["c".into(); 25]), count: 25 };
        assert!(many.to_string().ends_with("c, c and 5 more"), "{many}");
    }

    #[test]
    fn senseless_selections() {
        let refused = |selection| pick(selection, Some(&names("x x y")), 3).unwrap_err();
        assert_eq!(
            refused("y,"),
            "cannot pick columns by \"y,\": write names, indices or ranges between commas, such as x,y,z or 0-2"
        );
        assert_eq!(refused("2-1"), "cannot pick columns by \"2-1\": the range runs backwards");
        assert_eq!(
            refused("x"),
            "cannot pick columns by \"x\": several columns have this name; pick by index"
        );
        assert_eq!(
            refused("y,0-2"),
            "cannot pick columns by \"0-2\": it picks a column that is already picked"
        );
    }
}
