//! Every refusal of the crate, with its numbers and its sentence.

use super::LARGEST_COORDINATE;

/// What was wrong. Rows, columns and directions are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No points at all.
    #[error("the cloud has no points; a measure needs at least one")]
    Empty,
    /// Points without coordinates.
    #[error("the points have no coordinates; a measure lives in dimension 1 or more")]
    NoColumns,
    /// A flat buffer that is not a whole number of rows.
    #[error("found {len} numbers, which do not fill rows of {dim}; give n times {dim} numbers")]
    RaggedBuffer {
        /// Numbers in the buffer.
        len: usize,
        /// Coordinates per point.
        dim: usize,
    },
    /// More points than a 32-bit index can name.
    #[error("found {n} points; at most {max} are supported: subsample the cloud", max = u32::MAX)]
    TooManyPoints {
        /// Points found.
        n: usize,
    },
    /// NaN or infinity among the coordinates.
    #[error(
        "row {row}, column {column} (counted from 0) is {value}, not a finite number; \
         drop the row or fill it in"
    )]
    NotFinite {
        /// Point.
        row: usize,
        /// Coordinate.
        column: usize,
        /// NaN or an infinity.
        value: f64,
    },
    /// A coordinate whose square would overflow.
    #[error(
        "row {row}, column {column} (counted from 0) is {value:e}: squared distances would overflow; \
         rescale the coordinates below {limit:e}",
        limit = LARGEST_COORDINATE
    )]
    TooLarge {
        /// Point.
        row: usize,
        /// Coordinate.
        column: usize,
        /// The coordinate.
        value: f64,
    },
    /// Source and target live in different spaces.
    #[error(
        "the source has dimension {source_dim} and the target {target_dim}; \
         both clouds must have the same columns"
    )]
    DimensionMismatch {
        /// Dimension of the source.
        source_dim: usize,
        /// Dimension of the target.
        target_dim: usize,
    },
    /// Not one weight per point.
    #[error("found {found} weights for {expected} points; give one weight per point")]
    WeightCount {
        /// Weights given.
        found: usize,
        /// Points.
        expected: usize,
    },
    /// A weight that is negative, NaN or infinite.
    #[error("weight {row} (counted from 0) is {value}; weights are finite and not negative")]
    BadWeight {
        /// Point.
        row: usize,
        /// Its weight.
        value: f64,
    },
    /// Nothing to transport.
    #[error("all {n} weights are zero; at least one must be positive")]
    NoMass {
        /// Points.
        n: usize,
    },
    /// A search over nothing.
    #[error("no directions to try; ask for at least one")]
    NoDirections,
    /// A vector that points nowhere.
    #[error("direction {index} has length {length}; a direction needs a finite, positive length")]
    NoLength {
        /// Position in its set, 0 for a single direction.
        index: usize,
        /// Length found.
        length: f64,
    },
    /// A direction of another space.
    #[error("the direction has {found} coordinates, the points have {expected}; they must agree")]
    DirectionDimension {
        /// Coordinates of the direction.
        found: usize,
        /// Coordinates of the points.
        expected: usize,
    },
    /// Points of a plane or more where a line was expected.
    #[error(
        "transport on the line takes points with 1 column, found {found}; project them on a direction first"
    )]
    NotOneDimensional {
        /// Coordinates per point.
        found: usize,
    },
    /// An exponent below one.
    #[error("the exponent is {p}; |x - y|^p needs a finite p of 1 or more")]
    BadExponent {
        /// The exponent.
        p: f64,
    },
    /// An order below one makes no norm.
    #[error("the order of the norm is {order}; give 1 or more")]
    BadOrder {
        /// The order.
        order: f64,
    },
    /// A scale that makes no sense.
    #[error("the scale of column {column} is {scale}; give a finite number that is not negative")]
    BadScale {
        /// The column.
        column: usize,
        /// Its scale.
        scale: f64,
    },
    /// Scales for another number of columns.
    #[error("found {found} scales for points of dimension {expected}; give one per column")]
    ScaleCount {
        /// Scales that were given.
        found: usize,
        /// Columns there are.
        expected: usize,
    },
    /// A covariance that is none.
    #[error("the covariance does not fit: {problem}")]
    BadCovariance {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A point without a direction.
    #[error(
        "row {row} of the {cloud} is zero, which has no direction; leave it out, or use another cost than cosine"
    )]
    ZeroVector {
        /// Source or target.
        cloud: &'static str,
        /// The point.
        row: usize,
    },
    /// Labels for another number of points.
    #[error("found {found} labels for {expected} points; give one per point")]
    LabelCount {
        /// Labels that were given.
        found: usize,
        /// Points there are.
        expected: usize,
    },
    /// A label that the costs between labels do not have.
    #[error("row {row} of the {cloud} has the label {label}; give whole numbers from 0 to {}, the rows of the costs between labels", labels - 1)]
    BadLabel {
        /// Source or target.
        cloud: &'static str,
        /// The point.
        row: usize,
        /// Its label.
        label: f64,
        /// Labels there are.
        labels: usize,
    },
    /// Costs between labels that are none.
    #[error("the costs between labels do not fit: {problem}")]
    BadLabelCosts {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// No trees to grow.
    #[error("0 trees make no plan; grow at least one")]
    NoTrees,
    /// No matchings to merge.
    #[error("0 matchings make no plan; give at least one")]
    NoMatchings,
    /// An effort that is not on the scale.
    #[error("the effort is {effort}; it goes from 1 (a quick look) to 10 (close to the optimum)")]
    BadEffort {
        /// The effort.
        effort: u8,
    },
    /// A setting of another method or search.
    #[error("{setting} is not a setting of {what} {name}; leave it out, or use {what} {}", owners.join("|"))]
    ForeignSetting {
        /// The setting.
        setting: &'static str,
        /// `method` or `search`.
        what: &'static str,
        /// The method or search that has no such setting.
        name: &'static str,
        /// Those that have it.
        owners: Vec<&'static str>,
    },
    /// A setting of some searches, and none was named.
    #[error("{setting} needs a search it belongs to; add search {}", owners.join("|"))]
    SettingWithoutSearch {
        /// The setting.
        setting: &'static str,
        /// The searches that have it.
        owners: Vec<&'static str>,
    },
    /// A setting with a value that it cannot have.
    #[error("{setting} {problem}")]
    Setting {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// A name that no method or search has.
    #[error("there is no {what} {name:?}; give one of {}", known.join(", "))]
    UnknownName {
        /// `method` or `search`.
        what: &'static str,
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<&'static str>,
    },
    /// A method that cannot pay such costs.
    #[error("method {method} does not take {cost}; use {}", instead(takers))]
    UnsupportedCost {
        /// The method.
        method: &'static str,
        /// The costs.
        cost: String,
        /// The methods that take other costs than squared distances; none where a power of the distance is asked for instead.
        takers: Vec<&'static str>,
    },
    /// Costs for other numbers of points.
    #[error(
        "found {rows} x {columns} costs for {n} source and {m} target points; give a row per source point and a \
         column per target point"
    )]
    CostMatrixSize {
        /// Rows of the matrix.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Source points.
        n: usize,
        /// Target points.
        m: usize,
    },
    /// A plan of a method that has none.
    #[error("method {method} has no plan between the points; use method auto or exact")]
    NoPlan {
        /// The method.
        method: &'static str,
    },
    /// A curve parameter outside the curve.
    #[error("t is {t}; a geodesic runs from 0 (source) to 1 (target)")]
    OutsideCurve {
        /// The parameter.
        t: f64,
    },
    /// The one-line closed form was asked for clouds that are not on one.
    #[error(
        "neither cloud lies on a line: the straighter one strays {deviation:.1e} from it, {tolerance:.1e} is \
         allowed; use min-SWGG instead"
    )]
    NotOnALine {
        /// Largest distance of a point from the best line found.
        deviation: f64,
        /// Largest distance allowed.
        tolerance: f64,
    },
    /// A pivot that does not lie on a line of the direction given with it.
    #[error(
        "the pivot strays {deviation:.1e} from the line of the direction, {tolerance:.1e} is allowed; \
         give points of that line"
    )]
    PivotOffLine {
        /// Largest distance of a point of the pivot from the line through its first point.
        deviation: f64,
        /// Largest distance allowed.
        tolerance: f64,
    },
    /// A pair form was asked for measures that do not pair.
    #[error(
        "pairing by rank needs two uniform clouds of the same size, found {n} and {m} points\
         {weighted}; use the quantile form",
        weighted = if *.weighted { ", weighted" } else { "" }
    )]
    NotPairable {
        /// Points of the source.
        n: usize,
        /// Points of the target.
        m: usize,
        /// Whether one of them carries unequal weights.
        weighted: bool,
    },
    /// Indices that are not a permutation, or a coupling entry outside its matrix.
    #[error("entry {position} names {what} {index}, of which there are {count}")]
    IndexOutOfRange {
        /// Position of the entry.
        position: usize,
        /// What the index names.
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A permutation that uses an index twice.
    #[error("index {index} appears twice; a permutation uses each index once")]
    NotAPermutation {
        /// The repeated index.
        index: usize,
    },
    /// A coupling used with measures it does not belong to.
    #[error(
        "the coupling joins {coupling_source} points to {coupling_target}, the measures have \
         {n} and {m}; use the measures it was built from"
    )]
    CouplingSize {
        /// Rows of the coupling.
        coupling_source: usize,
        /// Columns of the coupling.
        coupling_target: usize,
        /// Points of the source.
        n: usize,
        /// Points of the target.
        m: usize,
    },
    /// A plan that does not carry one measure to the other.
    #[error(
        "the plan misses the weights of the measures by {gap:.1e}; \
         a coupling must take all of one and fill all of the other"
    )]
    NotACoupling {
        /// Largest difference between a marginal of the plan and a weight.
        gap: f64,
    },
    /// Parallel arrays of different lengths.
    #[error("a plan needs as many sources as targets and masses, found {sources}, {targets} and {masses}")]
    PlanLengths {
        /// Source indices.
        sources: usize,
        /// Target indices.
        targets: usize,
        /// Masses.
        masses: usize,
    },
    /// A dense matrix nobody wants.
    #[error(
        "a dense {n} x {m} plan takes {needed} bytes, the limit is {limit}; \
         use the sparse entries (COO) instead"
    )]
    DenseTooLarge {
        /// Rows.
        n: usize,
        /// Columns.
        m: usize,
        /// Bytes the matrix takes.
        needed: u128,
        /// Bytes allowed.
        limit: u128,
    },
    /// A matrix in a large space.
    #[error(
        "the {what} is a matrix of {rows} x {columns}, which takes {needed} bytes; the limit is {limit}; \
         reduce the dimension first, or use a method that needs no such matrix"
    )]
    MatrixTooLarge {
        /// Which matrix.
        what: &'static str,
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
        /// Bytes the matrix takes.
        needed: u128,
        /// Bytes allowed.
        limit: u128,
    },
    /// A sparse plan that is not sparse.
    #[error(
        "the plan has {entries} entries, the limit is {limit}; \
         lower epsilon, which makes it sparser, or take the barycentric map"
    )]
    PlanTooLarge {
        /// Entries of the plan.
        entries: usize,
        /// Entries allowed.
        limit: usize,
    },
    /// Nothing left to do for a search that goes in steps.
    #[error("the number of steps is 0; give 1 or more")]
    NoSteps,
    /// A setting outside its range.
    #[error("{name} is {value}; {expected}")]
    BadSetting {
        /// What the setting is called.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A method that moves all mass, asked about a part of it.
    #[error("method {method} moves all of the mass; use method auto or exact for a part of it")]
    UnsupportedMarginals {
        /// The method.
        method: &'static str,
    },
    /// Weights whose sum cannot be counted with.
    #[error("the weights of the {cloud} add up to {total}; scale them to a sum between 1e-300 and 1e150")]
    BadTotal {
        /// Source or target.
        cloud: &'static str,
        /// What they add up to.
        total: f64,
    },
    /// A cost that is negative or not finite.
    #[error(
        "cost {value} in row {row}, column {column} (counted from 0); costs must be finite and not negative"
    )]
    BadCost {
        /// Row of the matrix: the source.
        row: usize,
        /// Column of the matrix: the target.
        column: usize,
        /// The cost.
        value: f64,
    },
    /// Costs that do not fit into numbers.
    #[error(
        "distances of about {distance:.1e} to the power {} overflow; \
         give a smaller exponent, or rescale the coordinates",
        shown(*p)
    )]
    CostOverflow {
        /// The exponent.
        p: f64,
        /// About the largest distance.
        distance: f64,
    },
    /// Potentials of another problem.
    #[error("found {found} potentials for {expected} points; give one per point")]
    PotentialCount {
        /// How many there are.
        found: usize,
        /// How many points there are on that side.
        expected: usize,
    },
    /// Arcs that do not let all mass through.
    #[error(
        "the support has no room for {share:.2e} of the mass; \
         add arcs, such as those of any plan between the measures"
    )]
    InfeasibleSupport {
        /// The share of the mass that finds no way.
        share: f64,
    },
    /// A subspace of no dimension, or of more than the space has.
    #[error("the dimension of the subspace is {found}; give 1 to {dim}")]
    SubspaceDimension {
        /// The dimension asked for.
        found: usize,
        /// Dimension of the points.
        dim: usize,
    },
    /// Vectors that span less than there are of them.
    #[error(
        "row {row} (counted from 0) of the basis is spanned by the rows before it; give independent vectors"
    )]
    DependentRows {
        /// The first such row.
        row: usize,
    },
    /// A covariance of another space.
    #[error("the covariance is {rows} x {columns}, expected {dim} x {dim}; give one row per coordinate")]
    CovarianceShape {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Dimension of the space.
        dim: usize,
    },
    /// A matrix that is no covariance.
    #[error("the covariance is not {what}: it misses by {by:.1e}; give one that comes from points")]
    NotACovariance {
        /// What it should be.
        what: &'static str,
        /// By how much it is not.
        by: f64,
    },
    /// Eigenvectors that could not be found.
    #[error("the eigenvectors of a {dim} x {dim} matrix were not found; rescale the coordinates")]
    NoEigenvectors {
        /// Dimension of the matrix.
        dim: usize,
    },
    /// More entries than a plan should hold.
    #[error("the independent plan would have {entries} entries, at most {most} are held; use the other rule")]
    TooManyEntries {
        /// Entries of the plan.
        entries: u64,
        /// Most that are held.
        most: u64,
    },
    /// More blurred copies than memory should hold.
    #[error("{copies} copies of {n} points are more than {most} in all; ask for fewer copies")]
    TooManyCopies {
        /// Copies of each point.
        copies: usize,
        /// Points of the larger cloud.
        n: usize,
        /// Most of them in all.
        most: usize,
    },
    /// A sweep of a space that is not the plane.
    #[error(
        "a sweep turns through the plane, the points have dimension {dim}; \
         search by stein, gradient or at random instead"
    )]
    NotThePlane {
        /// Dimension of the points.
        dim: usize,
    },
    /// A sweep that would meet too many directions.
    #[error(
        "a sweep from {n} to {m} points meets {turns} changes of order, {limit} are allowed; \
         search by stein, gradient or at random instead"
    )]
    SweepTooLarge {
        /// Points of the source.
        n: usize,
        /// Points of the target.
        m: usize,
        /// Pairs of points of one cloud.
        turns: u64,
        /// Most of them.
        limit: u64,
    },
    /// Something that a problem of this kind cannot do.
    #[error("this problem cannot {what}; search at random instead")]
    Unsupported {
        /// What was asked.
        what: &'static str,
    },
    /// The operating system refused to start threads.
    #[error("could not start {threads} threads ({reason}); ask for fewer")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The system's words.
        reason: String,
    },
}

/// A number as it was given, without a hundred zeros.
/// What to use at another cost.
fn instead(takers: &[&str]) -> String {
    if takers.is_empty() {
        return "a power of the distance".to_string();
    }
    format!("method {}", takers.join("|"))
}

fn shown(x: f64) -> String {
    if x.abs() >= 1e16 { format!("{x:e}") } else { x.to_string() }
}
