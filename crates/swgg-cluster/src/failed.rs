//! Mistakes that a task found, on their way through Ballista, which carries words.

use datafusion::error::DataFusionError;
use swgg_engine::Error;

/// What stands around the words of a mistake that another try would meet again.
const MARKS: [&str; 2] = ["<<swgg: ", " :swgg>>"];

/// A mistake in words that [`found`] finds again.
pub fn refused(error: &Error) -> DataFusionError {
    let [open, close] = MARKS;
    DataFusionError::Execution(format!("{open}{error}{close}"))
}

/// The words of a mistake of ours, in what Ballista says about a job.
pub fn found(message: &str) -> Option<&str> {
    let [open, close] = MARKS;
    let (_, rest) = message.split_once(open)?;
    Some(rest.split_once(close)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive() {
        let error = Error::Setting("too small; give more".to_string());
        let wrapped = format!("Job 7 failed: {:?}", refused(&error));
        assert_eq!(found(&wrapped), Some("too small; give more"));
        assert_eq!(found("connection refused"), None);
    }
}
