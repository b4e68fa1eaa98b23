//! Small helpers for arguments that are still JSON, as effects see them.

use std::num::NonZeroU64;

use serde_json::Value;

/// The property as text; empty if it is missing.
pub(crate) fn text<'a>(arguments: &'a Value, property: &str) -> &'a str {
    arguments.get(property).and_then(Value::as_str).unwrap_or_default()
}

/// A line number that may be left out.
pub(crate) fn line(number: Option<u64>) -> NonZeroU64 {
    number.and_then(NonZeroU64::new).unwrap_or(NonZeroU64::MIN)
}
