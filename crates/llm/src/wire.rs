//! What the wire formats have in common.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Map, Value};

/// Adds a field to a JSON object.
pub(crate) fn insert(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(map) = object {
        map.insert(name.to_owned(), value.into());
    }
}

/// A field of a JSON object; null if it has none, or is none.
pub(crate) fn field<'a>(object: &'a Value, name: &str) -> &'a Value {
    object.get(name).unwrap_or(&Value::Null)
}

/// Takes a field out of a JSON object; null if it has none, or is none.
pub(crate) fn take(object: &mut Value, name: &str) -> Value {
    object.get_mut(name).map(Value::take).unwrap_or_default()
}

/// The arguments of a call as an object, for the history that is sent back: servers refuse a
/// conversation whose arguments are no JSON object, so those that are none become `{}`. The result
/// that follows in the conversation tells the model what was wrong with them.
pub(crate) fn arguments_object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Whether a call's arguments say nothing, which is read as no arguments: blanks alone, or a byte
/// order mark, count as no text.
pub(crate) fn is_blank(arguments: &str) -> bool {
    arguments.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

/// A tool's name as every server takes it back. A model may have made up any.
pub(crate) fn tool_name(name: &str) -> Cow<'_, str> {
    token(name, 64, "unknown")
}

/// An id as every server takes it back. It may come from another provider.
pub(crate) fn call_id(id: &str) -> Cow<'_, str> {
    token(id, 256, "unknown")
}

fn token<'a>(text: &'a str, limit: usize, empty: &'a str) -> Cow<'a, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.is_empty() {
        return Cow::Borrowed(empty);
    }
    if text.len() <= limit && text.chars().all(allowed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(limit).map(|c| if allowed(c) { c } else { '_' }).collect())
}

/// The size of Base64 `data` in bytes, for people.
pub(crate) fn decoded_size(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

/// The ids of the calls in one answer: none missing, none twice.
#[derive(Debug)]
pub(crate) struct CallIds {
    prefix: String,
    used: HashSet<String>,
}

impl Default for CallIds {
    /// Made-up ids are unlike those of any other answer.
    fn default() -> Self {
        Self { prefix: format!("call_{:016x}", rand::random::<u64>()), used: HashSet::new() }
    }
}

impl CallIds {
    /// The provider's id if it is good, else one of our own.
    pub(crate) fn take(&mut self, given: &str) -> String {
        let id = if given.is_empty() || self.used.contains(given) {
            format!("{}_{}", self.prefix, self.used.len() + 1)
        } else {
            given.to_owned()
        };
        self.used.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_are_no_object_become_an_empty_object() {
        for text in ["", "{\"a\": ", "[1]", "null", "nonsense", "\"{}\""] {
            assert_eq!(arguments_object(text), Map::new(), "{text}");
        }
        assert_eq!(Value::Object(arguments_object("{\"a\": [1]}")), json!({"a": [1]}));
    }

    #[test]
    fn names_and_ids_become_what_servers_accept() {
        let cases = [
            ("read_file", "read_file"),
            ("", "unknown"),
            ("mcp.files read", "mcp_files_read"),
            ("读", "_"),
        ];
        for (given, sent) in cases {
            assert_eq!(tool_name(given), sent);
        }
        assert_eq!(tool_name(&"x".repeat(100)).len(), 64);
        assert_eq!(call_id("call_1|fc_2"), "call_1_fc_2");
    }

    #[test]
    fn missing_and_repeated_ids_are_replaced_by_fresh_ones() {
        let mut ids = CallIds::default();
        let taken = ["a", "", "a", "b", ""].map(|id| ids.take(id));
        assert_eq!((taken[0].as_str(), taken[3].as_str()), ("a", "b"));
        assert_eq!(taken.iter().collect::<HashSet<_>>().len(), 5);
    }

    #[test]
    fn base64_sizes_are_exact() {
        for (data, size) in [("", 0), ("QQ==", 1), ("QUI=", 2), ("QUJD", 3)] {
            assert_eq!(decoded_size(data), size);
        }
    }
}
