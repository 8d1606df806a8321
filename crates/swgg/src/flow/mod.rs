//! Optimal matchings at scale: candidates, auctions, shortest paths, and the proof.
//!
//! A plan that is good already, such as that of many lines, teaches prices: those of a sample of its pairs, which are matched in the same way, carry
//! over to all points. At these prices every source has a few cheapest targets, its *candidates*, found by a k-d tree that knows prices.
//! Sources then bid for targets in an auction with epsilon scaling (Bertsekas), and what an auction would take long for, the last
//! digits, is left to shortest augmenting paths (Jonker and Volgenant).
//!
//! Prices only ever fall within a phase, so what is not among the candidates of a source stays dearer than it was when they were chosen. A
//! source whose candidates have become dearer than that gets new ones: in an auction once they are dearer by some epsilons, and at the end of its
//! phase. So what the prices prove after each phase is right for *all* pairs, not only for candidates: a lower bound of the optimum.
//!
//! For plans that split points, sources bid for mass (Bertsekas and Castanon, 1989). The last digits come from a network simplex along
//! candidates: its prices are checked against all pairs, and sources that have a cheaper target elsewhere get it as a candidate,
//! until the gap is small enough or nothing is cheaper.
//!
//! Partial plans are matched by auctions in which both sides bid, and staying is worth something to everybody.

mod auction;
mod candidates;
mod matching;
mod pair;
pub(crate) mod partial;
mod paths;
mod proof;
mod rows;
#[cfg(test)]
mod tests;
mod transport;
mod two_sided;

pub(crate) use matching::Goal;
pub(crate) use proof::improved;
