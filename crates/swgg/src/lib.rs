//! Optimal transport.
