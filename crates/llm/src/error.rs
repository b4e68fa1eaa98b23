//! Why a model did not answer.

use thiserror::Error;

/// Why a model did not answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The stream ended before the answer was complete.
    #[error("the answer broke off before it was complete")]
    Incomplete,
}
