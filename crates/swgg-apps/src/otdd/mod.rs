//! Distances between data sets: points with labels against points with labels (OTDD, Alvarez-Melis and Fusi, 2020).
//!
//! A label is the cloud of the points that bear it, so that two labels have a distance however they are called, and two points cost
//!
//! ```text
//! c((x, a), (y, b)) = ( |x - y|^2 + W_2^2(alpha_a, beta_b) )^(p / 2)        p = 1 (the paper) or 2
//! OTDD(D_1, D_2)    = ( min_P sum P_ij c_ij )^(1 / p)
//! ```
//!
//! with `alpha_a` the points of label `a`, all of one weight. The distances between labels are those of exact transport, of fitted Gaussians (Bures), of
//! Sinkhorn, or min-SWGG: the paper's question is how far its plan of one line will do. Paper: Supp. "Data set distance".
//!
//! | room | what it holds |
//! |---|---|
//! | `data_set` | points with labels, checked once, class by class; a sample of them |
//! | `images` | pixels as coordinates: their scale, and another size |
//! | `label_distance` | which distance between labels, by name |
//! | `bures` | fitted Gaussians by their factors, so that what belongs to a class is computed once |
//! | `labels` | the distances between all labels of two data sets |
//! | `lines` | min-SWGG by random lines that are the same for all classes: points are put in order once |
//! | `pair` | the plan between two data sets |
//! | `search` | the doors: two data sets, or all pairs of several |
//! | `tree` | which data sets are close to each other: average linkage |

mod bures;
mod data_set;
mod error;
mod images;
mod label_distance;
mod labels;
mod lines;
mod outcome;
mod pair;
mod search;
mod settings;
mod tree;

pub use data_set::{DataSet, sample};
pub use error::{Error, Result};
pub use images::{Pixels, Size, resized};
pub use label_distance::{LABEL_DISTANCES, LabelDistance, LabelDistanceKind};
pub use outcome::{Distances, PairDistance};
pub use search::{otdd, otdd_matrix};
pub use settings::{Settings, outer_methods, outer_solver};
pub use tree::{Join, linkage};
