//! Why a model did not answer.

use std::time::Duration;

use thiserror::Error;

/// Why a model did not answer.
///
/// Messages of a provider are in here only cut to a bounded length, free of control characters and
/// with the key masked. No key and no header is ever part of an error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The options make no request possible.
    #[error("{message}")]
    Configuration {
        /// What is wrong, and what to do about it.
        message: String,
    },
    /// The server could not be reached, or the connection broke.
    #[error("{url}: {message}")]
    Connection {
        /// The server, without user name and query.
        url: String,
        /// What failed, in the words of the transport.
        message: String,
        /// The failure itself.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The server's certificate is not to be trusted. No option turns this check off.
    #[error("{url}: its certificate is not trusted: {message}")]
    Certificate {
        /// The server, without user name and query.
        url: String,
        /// Why it is not trusted.
        message: String,
    },
    /// Nothing came for too long.
    #[error("nothing came from the provider for {}", human(*.after))]
    Idle {
        /// How long nothing came.
        after: Duration,
    },
    /// The key was refused (HTTP 401 or 403).
    #[error("the provider refused the key from {key_source} (HTTP {status}): {message}")]
    Unauthorized {
        /// The HTTP status.
        status: u16,
        /// Where the key came from, such as `ANTHROPIC_API_KEY`.
        key_source: String,
        /// The provider's message.
        message: String,
    },
    /// The conversation does not fit into the model's context.
    #[error("the conversation is too long for the model: {message}")]
    ContextTooLong {
        /// The provider's message.
        message: String,
    },
    /// The request was refused for what it is; to send it again would not help.
    #[error("the provider refused the request (HTTP {status}): {message}")]
    Refused {
        /// The HTTP status, or the one that an error inside a stream stands for.
        status: u16,
        /// The provider's message.
        message: String,
    },
    /// The provider is overloaded, limits the rate, or failed: to try later may help.
    #[error("the provider can't answer now (HTTP {status}): {message}")]
    Unavailable {
        /// The HTTP status, or the one that an error inside a stream stands for.
        status: u16,
        /// The provider's message.
        message: String,
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// The stream ended before the answer was complete.
    #[error("the answer broke off before it was complete")]
    Incomplete,
    /// What came is not what the wire format allows.
    #[error("the answer can't be understood: {message}")]
    Malformed {
        /// What is wrong with it.
        message: String,
    },
    /// Something that came is larger than its bound.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// The bound in bytes.
        limit: usize,
    },
    /// The provider asks to wait longer than the options allow.
    #[error(
        "the provider asks to wait {}, longer than the {} that are allowed: {source}",
        human(*.wait), human(*.limit)
    )]
    WaitTooLong {
        /// How long it asks to wait.
        wait: Duration,
        /// The longest wait that the options allow.
        limit: Duration,
        /// The last failure.
        #[source]
        source: Box<Self>,
    },
    /// Every attempt failed.
    #[error("gave up after {attempts} attempts: {source}")]
    GaveUp {
        /// How many attempts were made.
        attempts: u32,
        /// The last failure.
        #[source]
        source: Box<Self>,
    },
}

impl LlmError {
    /// Whether the same request may succeed later. What has been retried to the end is not.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Connection { .. }
                | Self::Idle { .. }
                | Self::Unavailable { .. }
                | Self::Incomplete
                | Self::Malformed { .. }
        )
    }

    /// How long the provider asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable { retry_after, .. } => *retry_after,
            Self::WaitTooLong { wait, .. } => Some(*wait),
            Self::GaveUp { source, .. } => source.retry_after(),
            _ => None,
        }
    }

    /// Whether the conversation is too long for the model, so that a shorter one may be answered.
    pub fn is_context_too_long(&self) -> bool {
        matches!(self, Self::ContextTooLong { .. })
    }
}

/// A duration for people: `1.5 s`, `90 s`, `999999999 s (11574 days)`.
pub(crate) fn human(duration: Duration) -> String {
    const DAY: u64 = 24 * 60 * 60;
    const HOUR: u64 = 60 * 60;
    let seconds = duration.as_secs();
    if seconds < 10 && duration.subsec_millis() > 0 {
        return format!("{:.1} s", duration.as_secs_f64());
    }
    match seconds {
        s if s >= 2 * DAY => format!("{s} s ({} days)", s / DAY),
        s if s >= 2 * HOUR => format!("{s} s ({} hours)", s / HOUR),
        s if s >= 120 => format!("{s} s ({} minutes)", s / 60),
        s => format!("{s} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let cases = [
            (Duration::from_millis(1500), "1.5 s"),
            (Duration::from_secs(90), "90 s"),
            (Duration::from_mins(10), "600 s (10 minutes)"),
            (Duration::from_hours(2), "7200 s (2 hours)"),
            (Duration::from_secs(999_999_999), "999999999 s (11574 days)"),
        ];
        for (duration, text) in cases {
            assert_eq!(human(duration), text);
        }
    }

    #[test]
    fn what_was_retried_to_the_end_is_not_retryable_but_remembers_the_wait() {
        let last = LlmError::Unavailable {
            status: 429,
            message: String::new(),
            retry_after: Some(Duration::from_secs(3)),
        };
        assert!(last.is_retryable());
        let gave_up = LlmError::GaveUp { attempts: 4, source: Box::new(last) };
        assert!(!gave_up.is_retryable());
        assert_eq!(gave_up.retry_after(), Some(Duration::from_secs(3)));
    }
}
