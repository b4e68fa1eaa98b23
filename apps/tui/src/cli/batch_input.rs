//! The text of a batch: a JSON array of calls, or an object with `calls`.

use std::borrow::Cow;

use callgate_dispatch::{Arguments, Call};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use thiserror::Error;

/// Why a text is no batch. Nothing of it was run.
#[derive(Debug, Error)]
#[error(
    "the input is no batch: {reason}. A batch is a JSON array of \
     {{\"id\": …, \"name\": …, \"arguments\": {{…}}}}, or an object with such an array as `calls`"
)]
pub(crate) struct BatchInputError {
    reason: String,
}

impl BatchInputError {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped<'a> {
    #[serde(borrow)]
    calls: Vec<&'a RawValue>,
}

/// Arguments stay text, so that dispatch reads them strictly: a parser in between would already have
/// dropped a duplicate key or rounded a number.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    id: Option<String>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
}

/// A `null` is there, and dispatch answers it; only a missing field is none.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

/// Reads a batch. Calls without an id are named by their place, `c1` first.
pub(crate) fn parse(text: &str) -> Result<Vec<Call>, BatchInputError> {
    // One byte-order mark is no fault.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let entries = entries(text)?;
    entries.into_iter().enumerate().map(|(index, entry)| call(index, entry.get())).collect()
}

fn entries(text: &str) -> Result<Vec<&RawValue>, BatchInputError> {
    match text.trim_start().chars().next() {
        None => Err(BatchInputError::new("it is empty")),
        Some('{') => serde_json::from_str::<Wrapped<'_>>(text)
            .map(|wrapped| wrapped.calls)
            .map_err(|error| BatchInputError::new(format!("{error}; a single call goes in [ ]"))),
        Some('[') => {
            serde_json::from_str(text).map_err(|error| BatchInputError::new(error.to_string()))
        }
        Some(_) => Err(BatchInputError::new("it is no JSON array")),
    }
}

fn call(index: usize, entry: &str) -> Result<Call, BatchInputError> {
    let number = index + 1;
    if !entry.starts_with('{') {
        return Err(BatchInputError::new(format!("call {number} is no object")));
    }
    let entry: Entry<'_> = serde_json::from_str(entry)
        .map_err(|error| BatchInputError::new(format!("call {number}: {error}")))?;
    Ok(Call {
        id: entry.id.unwrap_or_else(|| format!("c{number}")),
        name: entry.name.into_owned(),
        arguments: entry.arguments.map_or_else(|| Arguments::Text("{}".to_owned()), arguments),
    })
}

/// A JSON text in place of an object is what some wire formats send.
fn arguments(raw: &RawValue) -> Arguments {
    match serde_json::from_str::<String>(raw.get()) {
        Ok(text) => Arguments::Text(text),
        Err(_) => Arguments::Text(raw.get().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_and_an_object_with_calls_are_the_same_batch() {
        let calls = r#"[{"id":"a","name":"x","arguments":{"k":1}},{"name":"y"}]"#;
        let expected =
            vec![Call::with_text("a", "x", r#"{"k":1}"#), Call::with_text("c2", "y", "{}")];
        assert_eq!(parse(calls).unwrap(), expected);
        assert_eq!(parse(&format!("\u{FEFF} {{\"calls\": {calls}}}")).unwrap(), expected);
    }

    #[test]
    fn d08_null_arguments_reach_dispatch_as_they_came() {
        let call = r#"[{"id":"a","name":"x","arguments":null}]"#;
        assert_eq!(parse(call).unwrap(), [Call::with_text("a", "x", "null")]);
    }

    #[test]
    fn d10_arguments_may_be_a_json_text() {
        let call = r#"[{"id":"a","name":"x","arguments":"{\"k\":1}"}]"#;
        assert_eq!(parse(call).unwrap(), [Call::with_text("a", "x", r#"{"k":1}"#)]);
    }

    #[test]
    fn d37_no_calls_are_a_batch() {
        assert_eq!(parse("[]").unwrap(), []);
    }

    #[test]
    fn d39_d41_what_is_no_batch_is_refused_whole() {
        for bad in [
            "",
            "[] []",
            "null",
            "7",
            "\"x\"",
            "{}",
            r#"[{"id":"a","name":"bash","arguments":{}},{"id":"b"}]"#,
            r#"[{"name":"bash","argument":{}}]"#,
            r#"[{"name":7}]"#,
            r#"[{"id":1,"name":"x"}]"#,
            r#"[{"name":"x""#,
            r#"[["a","x",{}]]"#,
            "[1]",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn d17_a_duplicate_key_reaches_dispatch_as_it_came() {
        let call = r#"[{"id":"a","name":"x","arguments":{"k":1,"k":2}}]"#;
        assert_eq!(parse(call).unwrap(), [Call::with_text("a", "x", r#"{"k":1,"k":2}"#)]);
    }
}
