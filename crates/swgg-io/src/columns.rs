//! Picking columns, and naming them in messages.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::pattern::{fits, is_pattern};

/// Which columns of a file are coordinates, in the order in which they are wanted.
///
/// Written as names, 0-based indices, inclusive ranges of either and patterns, separated by commas: `x,y,z`, `0,2`, `4-6,w`,
/// `pc1-pc3`, `pc*` (`*` for any letters, `?` for one). An item that is the name of a column means that column, even if it
/// looks like an index; letters of the other case will do where no name fits exactly.
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

    /// Whether this picks all columns but some.
    pub(crate) fn is_others(&self) -> bool {
        self.others
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

/// The column of a name, in letters of either case if that is not another one's.
fn named(item: &str, names: &[String]) -> Result<Option<usize>, ErrorKind> {
    let only = |is_meant: &dyn Fn(&String) -> bool| {
        let mut meant = names.iter().enumerate().filter(|(_, name)| is_meant(name)).map(|(index, _)| index);
        match (meant.next(), meant.next()) {
            (_, Some(_)) => Err(bad(item, "several columns have this name; pick by index")),
            (first, None) => Ok(first),
        }
    };
    match only(&|name| name == item)? {
        Some(index) => Ok(Some(index)),
        None => only(&|name| name.to_lowercase() == item.to_lowercase()),
    }
}

/// A range from one name to another; there may be hyphens in the names.
fn range_of_names(item: &str, names: &[String]) -> Result<Option<(usize, usize)>, ErrorKind> {
    for (at, _) in item.match_indices('-') {
        if let (Some(first), Some(last)) =
            (named(item[..at].trim(), names)?, named(item[at + 1..].trim(), names)?)
        {
            return Ok(Some((first, last)));
        }
    }
    Ok(None)
}

fn positions(item: &str, names: Option<&[String]>, count: usize) -> Result<Vec<usize>, ErrorKind> {
    let known = names.unwrap_or_default();
    // An index is one even if a name in other letters looks like it, which digits never do.
    if let Some(index) = named(item, known)? {
        return Ok(vec![index]);
    }
    if is_pattern(item) {
        let lower = item.to_lowercase();
        let fitting: Vec<usize> = (0..known.len()).filter(|&index| fits(item, &known[index])).collect();
        let loosely = || (0..known.len()).filter(|&index| fits(&lower, &known[index].to_lowercase()));
        let fitting = if fitting.is_empty() { loosely().collect() } else { fitting };
        if !fitting.is_empty() {
            return Ok(fitting);
        }
    }
    let range = match item.split_once('-') {
        Some((first, last)) => first.parse().ok().zip(last.parse().ok()),
        None => item.parse().ok().map(|index| (index, index)),
    };
    let range = match range {
        Some(range) => Some(range),
        None => range_of_names(item, known)?,
    };
    match range {
        Some((first, last)) if first > last => Err(bad(item, "the range runs backwards")),
        Some((first, last)) if last < count => Ok((first..=last).collect()),
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
    fn ranges_of_names_patterns_and_letters_of_either_case() {
        let table = names("id pc1 pc2 pc3 PC10 Label a-b c");
        let of = |selection, names: &[String]| pick(selection, Some(names), names.len());
        let pick = |selection| of(selection, &table);
        assert_eq!(pick("pc1-pc3"), Ok(vec![1, 2, 3]));
        assert_eq!(pick("pc*"), Ok(vec![1, 2, 3]));
        assert_eq!(pick("P*"), Ok(vec![4]));
        assert_eq!(pick("pc??"), Ok(vec![4]));
        assert_eq!(pick("label,ID"), Ok(vec![5, 0]));
        assert_eq!(pick("PC1-Pc10"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(pick("a-b"), Ok(vec![6]));
        assert_eq!(pick("a-b-c"), Ok(vec![6, 7]));
        assert!(pick("pc3-pc1").unwrap_err().ends_with("the range runs backwards"));
        assert!(pick("q*").unwrap_err().starts_with("there is no column \"q*\"; the columns are id, pc1"));
        assert!(pick("pc1,pc*").unwrap_err().ends_with("it picks a column that is already picked"));
        let twice = names("x X");
        assert_eq!(of("x", &twice), Ok(vec![0]));
        let twice = names("Xy XY");
        assert!(of("xy", &twice).unwrap_err().contains("several columns"));
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
