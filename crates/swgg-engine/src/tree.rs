//! Cells as the leaves of a tree: every node is cut by a pair of directions, one for either side.

use serde::{Deserialize, Serialize};

use crate::cuts::Splitter;
use crate::key::{Key, project};
use crate::scan::Side;

/// A tree of cells. Without nodes there is one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

/// A cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Node {
    /// For sources and for targets: the direction that is cut across, and where.
    pub sides: [(Bits, Splitter); 2],
    pub children: [Child; 2],
}

/// What is on one side of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Child {
    /// Another cut.
    Node(u32),
    /// A cell.
    Cell(u32),
}

/// Numbers that JSON keeps to the last bit: it has them as whole numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct Bits(pub Vec<f64>);

impl From<Vec<u64>> for Bits {
    fn from(words: Vec<u64>) -> Self {
        Bits(words.into_iter().map(f64::from_bits).collect())
    }
}

impl From<Bits> for Vec<u64> {
    fn from(bits: Bits) -> Self {
        bits.0.into_iter().map(f64::to_bits).collect()
    }
}

impl Tree {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.nodes.len() + 1
    }

    /// Shows each cell that a point is in, and how many of its units.
    #[inline]
    pub fn place(&self, side: Side, point: &[f64], id: u64, units: u64, show: &mut impl FnMut(usize, u64)) {
        let first = if self.nodes.is_empty() { Child::Cell(0) } else { Child::Node(0) };
        self.descend(first, (side, point, id), units, show);
    }

    fn descend(
        &self,
        mut at: Child,
        (side, point, id): (Side, &[f64], u64),
        mut units: u64,
        show: &mut impl FnMut(usize, u64),
    ) {
        while let Child::Node(node) = at {
            let Node { sides, children } = &self.nodes[node as usize];
            let (direction, splitter) = &sides[side as usize];
            let below = splitter.below(Key::new(project(point, &direction.0), id), units);
            at = children[usize::from(below == 0)];
            if below > 0 && below < units {
                // The atom lies on the border: one part goes either way.
                self.descend(children[1], (side, point, id), units - below, show);
                units = below;
            }
        }
        if let Child::Cell(cell) = at
            && units > 0
        {
            show(cell as usize, units);
        }
    }

    /// Cuts a cell in two: the lower part keeps its number, the upper one is a new cell, whose number is returned.
    pub fn cut(&mut self, cell: usize, sides: [(Bits, Splitter); 2]) -> usize {
        let (node, new) = (self.nodes.len() as u32, self.cells());
        let parent = self.nodes.iter_mut().flat_map(|node| &mut node.children);
        parent
            .filter(|child| **child == Child::Cell(cell as u32))
            .for_each(|child| *child = Child::Node(node));
        self.nodes.push(Node { sides, children: [Child::Cell(cell as u32), Child::Cell(new as u32)] });
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(tree: &Tree, x: f64, id: u64, units: u64) -> Vec<(usize, u64)> {
        let mut found = Vec::new();
        tree.place(Side::Source, &[x], id, units, &mut |cell, units| found.push((cell, units)));
        found.sort_unstable();
        found
    }

    fn border(x: f64, id: u64, before: u64) -> [(Bits, Splitter); 2] {
        let side = (Bits(vec![1.0]), Splitter::new(Key::new(x, id), before));
        [side.clone(), side]
    }

    #[test]
    fn an_atom_on_two_borders_is_in_three_cells() {
        let mut tree = Tree::default();
        assert_eq!(cells(&tree, 0.3, 7, 5), [(0, 5)]);
        assert_eq!(tree.cut(0, border(0.5, 3, 4)), 1);
        assert_eq!(cells(&tree, 0.3, 7, 5), [(0, 5)]);
        assert_eq!(cells(&tree, 0.5, 2, 5), [(0, 5)]);
        assert_eq!(cells(&tree, 0.5, 4, 5), [(1, 5)]);
        assert_eq!(cells(&tree, 0.5, 3, 5), [(0, 4), (1, 1)]);
        assert_eq!(tree.cut(0, border(0.5, 3, 3)), 2);
        assert_eq!(cells(&tree, 0.5, 3, 5), [(0, 3), (1, 1), (2, 1)]);
        assert_eq!(cells(&tree, 0.1, 0, 2), [(0, 2)]);
        assert_eq!(tree.cells(), 3);
    }

    #[test]
    fn it_survives_json() {
        let mut tree = Tree::default();
        tree.cut(0, border(0.1 + 0.2, 3, 4));
        let text = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
    }
}
