//! Rows and columns, for the CSV.

/// A table with a name for each column.
#[derive(Debug, Default)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

/// What is in a cell.
#[derive(Debug)]
pub enum Cell {
    Text(&'static str),
    Flag(bool),
    Count(u64),
    Number(f64),
    Empty,
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Cell::Empty, Cell::Number)
    }
}

impl From<Option<u64>> for Cell {
    fn from(count: Option<u64>) -> Self {
        count.map_or(Cell::Empty, Cell::Count)
    }
}
