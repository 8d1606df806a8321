//! A file that never reads, or reserves memory, beyond its end: the offsets come from a footer we do not trust.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

pub(super) struct Bounded {
    pub(super) file: File,
    pub(super) size: u64,
}

impl Bounded {
    fn at(&self, start: u64) -> Result<File> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for Bounded {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Bounded {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(self.at(start)?))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.size) {
            let message = format!("{length} bytes announced at {start}, in a file of {}", self.size);
            return Err(ParquetError::EOF(message));
        }
        let mut bytes = vec![0; length];
        self.at(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
