//! When a request is sent again, and when not: arithmetic without a clock.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

use crate::{error::LlmError, options::HttpOptions};

/// The wait after the first failure; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Back-off doubles no further than this.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(30);

/// What to do after a failed attempt.
#[derive(Debug)]
pub(super) enum Decision {
    /// Wait, then send again.
    Again {
        /// How long.
        wait: Duration,
        /// What failed, for people.
        reason: String,
    },
    /// Report this.
    GiveUp(LlmError),
}

/// The bounds of all attempts of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retry {
    max_attempts: u32,
    max_wait: Duration,
}

impl Retry {
    pub(super) fn new(options: &HttpOptions) -> Self {
        Self { max_attempts: options.max_attempts.max(1), max_wait: options.max_wait }
    }

    /// Decides after attempt number `attempt` (from 1) failed. `chance` lies in 0..1 and spreads
    /// clients that failed together over the second half of the back-off.
    pub(super) fn decide(self, attempt: u32, failure: LlmError, chance: f64) -> Decision {
        if !failure.is_retryable() {
            return Decision::GiveUp(failure);
        }
        if let Some(wait) = failure.retry_after().filter(|wait| *wait > self.max_wait) {
            let source = Box::new(failure);
            return Decision::GiveUp(LlmError::WaitTooLong { wait, limit: self.max_wait, source });
        }
        if attempt >= self.max_attempts {
            if attempt == 1 {
                return Decision::GiveUp(failure);
            }
            let source = Box::new(failure);
            return Decision::GiveUp(LlmError::GaveUp { attempts: attempt, source });
        }
        let wait = failure.retry_after().unwrap_or_else(|| self.back_off(attempt, chance));
        Decision::Again { wait, reason: failure.to_string() }
    }

    fn back_off(self, attempt: u32, chance: f64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16);
        let full = FIRST_WAIT.saturating_mul(1 << doublings).min(LONGEST_BACK_OFF);
        full.mul_f64(0.5 + chance.clamp(0.0, 1.0) / 2.0).min(self.max_wait)
    }
}

/// How long a response asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// What can't be understood counts as not said.
pub(super) fn asked_wait(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(|ms| seconds(ms, 1e-3)) {
        return Some(wait);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Some(wait) = seconds(value, 1.0) {
        return Some(wait);
    }
    let parse = |date: &str| DateTimeParser::new().parse_timestamp(date).ok();
    let until = parse(value)?;
    // The server's own clock, where it tells, so that a wrong clock of this machine doesn't matter.
    let now = text(DATE.as_str()).and_then(parse).unwrap_or(now);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let value: f64 = text.parse().ok()?;
    if value.is_nan() || value < 0.0 {
        return None;
    }
    Some(Duration::try_from_secs_f64(value * unit).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests;
