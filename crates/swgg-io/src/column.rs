//! A column of a file that is kept as it is stored.

use crate::scalar::{Endian, Number, Scalar};

/// One value, or several of one type, per point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) data: Data,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    /// `count` values per point, as little-endian bytes.
    Numbers { scalar: Scalar, count: usize, bytes: Vec<u8> },
    /// A field per point, one after the other.
    Text { text: String, ends: Vec<usize> },
}

impl Column {
    pub(crate) fn numbers(name: impl Into<String>, scalar: Scalar, count: usize) -> Self {
        Self { name: name.into(), data: Data::Numbers { scalar, count, bytes: Vec::new() } }
    }

    pub(crate) fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), data: Data::Text { text: String::new(), ends: Vec::new() } }
    }

    /// Appends bytes of a value as the file has them.
    pub(crate) fn push_bytes(&mut self, value: &[u8], endian: Endian) {
        if let Data::Numbers { bytes, .. } = &mut self.data {
            match endian {
                Endian::Little => bytes.extend(value),
                Endian::Big => bytes.extend(value.iter().rev()),
            }
        }
    }

    /// Appends a field of text as it is, or the value that it says; `false` if it says none.
    pub(crate) fn push_text(&mut self, field: &str) -> bool {
        match &mut self.data {
            Data::Numbers { scalar, bytes, .. } => scalar.push_text(field.as_bytes(), bytes),
            Data::Text { text, ends } => {
                text.push_str(field);
                ends.push(text.len());
                true
            }
        }
    }

    /// Number of points.
    pub(crate) fn rows(&self) -> usize {
        match &self.data {
            Data::Numbers { scalar, count, bytes } => bytes.len() / (scalar.size() * count).max(1),
            Data::Text { ends, .. } => ends.len(),
        }
    }

    /// The bytes of a point; none for text.
    pub(crate) fn bytes(&self, row: usize) -> &[u8] {
        match &self.data {
            Data::Numbers { scalar, count, bytes } => {
                let size = scalar.size() * count;
                &bytes[row * size..(row + 1) * size]
            }
            Data::Text { .. } => &[],
        }
    }

    /// The text of a point; empty for numbers.
    pub(crate) fn field(&self, row: usize) -> &str {
        match &self.data {
            Data::Numbers { .. } => "",
            Data::Text { text, ends } => {
                &text[row.checked_sub(1).map_or(0, |before| ends[before])..ends[row]]
            }
        }
    }

    /// The type, if there is one value of it per point.
    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match self.data {
            Data::Numbers { scalar, count: 1, .. } => Some(scalar),
            _ => None,
        }
    }

    /// What is stored, in words.
    pub(crate) fn type_name(&self) -> String {
        match &self.data {
            Data::Numbers { scalar, count: 1, .. } => scalar.name().to_owned(),
            Data::Numbers { scalar, count, .. } => format!("{} x {count}", scalar.name()),
            Data::Text { .. } => "text".to_owned(),
        }
    }

    /// The numbers of a column that has one per point; of text if it says nothing else.
    pub(crate) fn values(&self) -> Option<Vec<Number>> {
        match &self.data {
            Data::Numbers { scalar, count: 1, bytes } => {
                Some(bytes.chunks_exact(scalar.size()).map(|bytes| scalar.number(bytes)).collect())
            }
            Data::Numbers { .. } => None,
            Data::Text { .. } => {
                (0..self.rows()).map(|row| Number::parse(self.field(row).as_bytes())).collect()
            }
        }
    }

    /// The column in another type, if that type has all of its values (for floats: up to rounding).
    pub(crate) fn in_type(&self, to: Scalar) -> Option<Self> {
        let mut column = Self::numbers(self.name.clone(), to, 1);
        if let Data::Numbers { bytes, .. } = &mut column.data
            && !self.values()?.into_iter().all(|value| to.push(value, bytes))
        {
            return None;
        }
        Some(column)
    }

    /// Keeps the points that `keep` says.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let kept = || keep.iter().enumerate().filter(|(_, keep)| **keep).map(|(row, _)| row);
        let data = match &self.data {
            &Data::Numbers { scalar, count, .. } => {
                let bytes = kept().flat_map(|row| self.bytes(row).iter().copied()).collect();
                Data::Numbers { scalar, count, bytes }
            }
            Data::Text { .. } => {
                let mut column = Self::text("");
                kept().for_each(|row| {
                    column.push_text(self.field(row));
                });
                column.data
            }
        };
        self.data = data;
    }

    /// A column of several values per point as columns of one, numbered; others as they are.
    pub(crate) fn split(self) -> Vec<Self> {
        let Data::Numbers { scalar, count, .. } = self.data else { return vec![self] };
        if count == 1 {
            return vec![self];
        }
        let size = scalar.size();
        let part = |k: usize| {
            let bytes =
                (0..self.rows()).flat_map(|row| self.bytes(row)[k * size..(k + 1) * size].iter().copied());
            let data = Data::Numbers { scalar, count: 1, bytes: bytes.collect() };
            Self { name: format!("{}_{k}", self.name), data }
        };
        (0..count).map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_can_be_left_out() {
        let mut numbers = Column::numbers("n", Scalar::U16, 2);
        [[1u16, 2], [3, 4], [5, 6]]
            .iter()
            .flatten()
            .for_each(|v| numbers.push_bytes(&v.to_le_bytes(), Endian::Little));
        let mut words = Column::text("t");
        ["a", "", "cc"].iter().for_each(|word| assert!(words.push_text(word)));
        for column in [&mut numbers, &mut words] {
            assert_eq!(column.rows(), 3);
            column.retain(&[true, false, true]);
            assert_eq!(column.rows(), 2);
        }
        assert_eq!(numbers.bytes(1), [5, 0, 6, 0]);
        assert_eq!((words.field(0), words.field(1)), ("a", "cc"));
        let parts = numbers.split();
        assert_eq!((parts[1].name.as_str(), parts[1].bytes(0)), ("n_1", &[2, 0][..]));
    }

    #[test]
    fn text_that_says_numbers_has_types() {
        let mut column = Column::text("t");
        ["0", "255", "7"].iter().for_each(|word| assert!(column.push_text(word)));
        assert_eq!(column.in_type(Scalar::U8).map(|c| c.bytes(1).to_vec()), Some(vec![255]));
        assert!(column.in_type(Scalar::I8).is_none());
        assert!(column.push_text("x"));
        assert!(column.in_type(Scalar::F64).is_none());
    }
}
