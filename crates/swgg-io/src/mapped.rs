//! The bytes of a file seen as numbers without a copy: the only unsafe code of the crate.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::marker::PhantomData;

use memmap2::Mmap;

/// Numbers for which every pattern of bits is a value.
pub(crate) trait Plain: Copy {}
impl Plain for f32 {}
impl Plain for f64 {}

/// Everything in a file from `offset` on, as numbers in the byte order of this machine.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    map: Mmap,
    offset: usize,
    values: PhantomData<T>,
}

impl<T: Plain> Mapped<T> {
    /// Maps the file, or `None` if the bytes after `offset` are not a whole number of aligned values.
    pub(crate) fn open(file: &File, offset: usize) -> io::Result<Option<Self>> {
        // SAFETY: the map is private and read-only. Another process that rewrites the file while it is mapped
        // changes the values we see (any bits are a float), and one that shortens it ends this process with a
        // signal; `read_cloud` documents both.
        let map = unsafe { Mmap::map(file)? };
        let mapped = Self { map, offset, values: PhantomData };
        Ok(mapped.try_slice().is_some().then_some(mapped))
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        self.try_slice().unwrap_or_default()
    }

    fn try_slice(&self) -> Option<&[T]> {
        let bytes = self.map.get(self.offset..)?;
        // SAFETY: `Plain` types are floats, valid for any bits; `align_to` takes care of alignment and bounds.
        let (before, values, after) = unsafe { bytes.align_to::<T>() };
        (before.is_empty() && after.is_empty()).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn aligned_bytes_are_values() {
        let bytes: Vec<u8> = [9.0f64, 1.5, -2.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let mapped = Mapped::<f64>::open(&file(&bytes), 8).unwrap().unwrap();
        assert_eq!(mapped.as_slice(), [1.5, -2.0]);
    }

    #[test]
    fn bytes_that_are_not_values_are_left_to_the_decoder() {
        assert!(Mapped::<f32>::open(&file(&[0; 18]), 2).unwrap().is_none());
        assert!(Mapped::<f32>::open(&file(&[0; 18]), 0).unwrap().is_none());
        assert!(Mapped::<f32>::open(&file(&[0; 4]), 8).unwrap().is_none());
    }
}
