//! Permutations of point indices.

use std::ops::Index;

use crate::error::{ErrorKind, Result};

/// A permutation `sigma` of `0..n`, where `sigma[k]` is the index of the point of rank `k`, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation(Vec<u32>);

impl Permutation {
    /// Checks that every index of `0..n` appears once.
    pub fn new(indices: Vec<u32>) -> Result<Self> {
        let count = indices.len();
        let mut seen = vec![false; count];
        for (position, &index) in indices.iter().enumerate() {
            let index = index as usize;
            match seen.get_mut(index) {
                Some(slot) if !*slot => *slot = true,
                Some(_) => return Err(ErrorKind::NotAPermutation { index }.into()),
                None => {
                    return Err(ErrorKind::IndexOutOfRange { position, what: "index", index, count }.into());
                }
            }
        }
        Ok(Permutation(indices))
    }

    pub(crate) fn from_sorter(order: Vec<u32>) -> Self {
        Permutation(order)
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it permutes nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Indices by rank.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The permutation that undoes this one: the rank of each index.
    pub fn inverse(&self) -> Permutation {
        let mut ranks = vec![0; self.0.len()];
        for (rank, &index) in self.0.iter().enumerate() {
            ranks[index as usize] = rank as u32;
        }
        Permutation(ranks)
    }
}

impl AsRef<[u32]> for Permutation {
    fn as_ref(&self) -> &[u32] {
        &self.0
    }
}

impl Index<usize> for Permutation {
    type Output = u32;
    fn index(&self, rank: usize) -> &u32 {
        &self.0[rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_permutations_pass() {
        assert!(Permutation::new(vec![2, 0, 1]).is_ok());
        assert_eq!(
            *Permutation::new(vec![0, 0]).unwrap_err().kind(),
            ErrorKind::NotAPermutation { index: 0 }
        );
        assert!(matches!(
            *Permutation::new(vec![0, 7]).unwrap_err().kind(),
            ErrorKind::IndexOutOfRange { position: 1, index: 7, count: 2, .. }
        ));
    }

    #[test]
    fn the_inverse_undoes() {
        let sigma = Permutation::new(vec![2, 0, 3, 1]).unwrap();
        assert!((0..4).all(|k| sigma.inverse()[sigma[k] as usize] == k as u32));
    }
}
