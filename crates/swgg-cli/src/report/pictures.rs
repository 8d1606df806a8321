//! What a command made of one picture, or of many.

use serde::{Serialize, Serializer};

use super::{Report, Summary};
use crate::printer::{counted, duration};

/// One JSON object for one picture, a list of them for many.
pub struct PicturesReport<R> {
    pub pictures: Vec<R>,
    /// Whether a folder or a pattern was given.
    pub is_many: bool,
    pub failed: usize,
    /// The file, or the folder of files, that was written.
    pub out: String,
    /// What else was written, in lines.
    pub also: String,
    pub seconds: f64,
}

impl<R> PicturesReport<R> {
    /// The only picture, if there could not be more.
    fn only(&self) -> Option<&R> {
        match &self.pictures[..] {
            [only] if !self.is_many => Some(only),
            _ => None,
        }
    }
}

impl<R: Serialize> Serialize for PicturesReport<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.only() {
            Some(only) => only.serialize(serializer),
            None => self.pictures.serialize(serializer),
        }
    }
}

impl<R: Report> Report for PicturesReport<R> {
    fn summary(&self) -> Summary {
        if let Some(only) = self.only() {
            let mut summary = only.summary();
            summary.text(&self.also);
            return summary;
        }
        let bad = if self.failed == 0 { String::new() } else { format!(", {} failed", self.failed) };
        let (done, time) = (counted(self.pictures.len(), "picture"), duration(self.seconds));
        let mut summary = Summary::default();
        summary.text(format!("{done} written to {}{bad}, {time}\n", self.out));
        summary.text(&self.also);
        summary
    }
}
