//! What can go wrong, in finished sentences.

use datafusion_common::DataFusionError;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table, or what is in it.
    #[error("{path}: {problem}")]
    Table {
        /// The file, folder or pattern.
        path: String,
        /// What was found, what was expected, what to do.
        problem: String,
    },
    /// The settings ask for something that cannot be.
    #[error("{0}")]
    Setting(String),
    /// A place that is written to.
    #[error("{path}: {problem}")]
    Place {
        /// The file or folder.
        path: String,
        /// What happened and what to do.
        problem: String,
    },
    /// A plan that is not one between the tables.
    #[error("{path}: {problem}")]
    NotAPlan {
        /// The folder of the plan.
        path: String,
        /// Which point gives or gets what instead of what.
        problem: String,
    },
    /// The mathematics refused.
    #[error(transparent)]
    Refused(#[from] swgg::Error),
    /// DataFusion could not go on.
    #[error("DataFusion: {0}")]
    DataFusion(String),
    /// A cluster that is not there, or does not do what it is asked for.
    #[error("{address}: {problem}")]
    Cluster {
        /// Its address.
        address: String,
        /// What happened and what to do.
        problem: String,
    },
    /// Somebody asked the run to end.
    #[error("stopped before it was done; a plan that was begun goes on with --resume")]
    Interrupted,
}

/// What everything here returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A mistake in a table.
    pub(crate) fn table(path: impl std::fmt::Display, problem: impl Into<String>) -> Self {
        Error::Table { path: path.to_string(), problem: problem.into() }
    }

    /// Ids are names, and names are given once.
    pub(crate) fn repeated(path: impl std::fmt::Display, id: u64) -> Self {
        Error::table(path, format!("the id {id} is there more than once; ids are different for every row"))
    }

    /// Two passes over a table saw different rows.
    pub(crate) fn changed(path: impl std::fmt::Display) -> Self {
        Error::table(path, "its rows changed while it was read; keep the table still and start again")
    }

    /// A place that cannot be written to, or read again.
    pub(crate) fn place(path: &std::path::Path, problem: impl Into<String>) -> Self {
        Error::Place { path: path.display().to_string(), problem: problem.into() }
    }
}

impl From<DataFusionError> for Error {
    fn from(error: DataFusionError) -> Self {
        // Errors of ours pass through DataFusion and come out as they were.
        let mut inner = error;
        loop {
            inner = match inner {
                DataFusionError::Context(_, cause) => *cause,
                DataFusionError::Shared(cause) => match std::sync::Arc::try_unwrap(cause) {
                    Ok(cause) => cause,
                    Err(cause) => return Error::DataFusion(cause.strip_backtrace()),
                },
                DataFusionError::External(cause) => match cause.downcast::<Error>() {
                    Ok(error) => return *error,
                    Err(cause) => return Error::DataFusion(cause.to_string()),
                },
                other => return Error::DataFusion(other.strip_backtrace()),
            };
        }
    }
}

impl From<Error> for DataFusionError {
    fn from(error: Error) -> Self {
        DataFusionError::External(Box::new(error))
    }
}
