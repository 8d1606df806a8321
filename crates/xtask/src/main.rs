//! Verbs.
fn main() {}
