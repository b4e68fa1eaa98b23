//! Reading of arguments: what came, turned into one JSON object or refused in words.
//!
//! The reader is stricter than a usual JSON parser, because what it lets pass is run. A duplicate key
//! could show one value to a check and another to the tool, a number that is rounded is not the number
//! that was asked for, and a text that was cut off may have lost the half that mattered.

mod json;

use serde_json::{Map, Value};

pub(crate) use json::parse;

use crate::{call::Arguments, words};

/// Levels of arrays and objects. Real tools need fewer than ten; more would put the stack of whatever
/// walks the value recursively at risk. The usual limit of JSON parsers.
pub(crate) const MAX_DEPTH: usize = 128;

/// Bytes of the arguments of one call: 32 MiB, well above the largest file that a model could write.
pub(crate) const MAX_BYTES: usize = 32 * 1024 * 1024;

/// Arguments that can't be read, and what may be shown of them.
#[derive(Debug)]
pub(crate) struct Unreadable {
    /// What is wrong, for the model.
    pub(crate) message: String,
    /// The arguments as they came, as far as they may be passed on.
    pub(crate) arguments: Value,
}

/// Reads arguments once; text inside text stays text.
pub(crate) fn read(arguments: Arguments) -> Result<Value, Unreadable> {
    let (value, was_text) = match arguments {
        Arguments::Text(text) => (read_text(text)?, true),
        Arguments::Value(value) => (measured(value)?, false),
    };
    match value {
        Value::Object(_) => Ok(value),
        other => {
            let mut message = format!("at the root: expected object, came {}", words::kind(&other));
            if was_text && other.is_string() {
                message.push_str("; send the object itself, not its text inside a string");
            }
            Err(Unreadable { message, arguments: other })
        }
    }
}

fn read_text(text: String) -> Result<Value, Unreadable> {
    if text.len() > MAX_BYTES {
        return Err(Unreadable { message: too_large(text.len()), arguments: Value::Null });
    }
    let body = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // Some wire formats carry no text at all where a tool takes no arguments.
    if body.trim_ascii().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match parse(body) {
        Ok(value) => Ok(value),
        Err(malformed) => {
            let message = malformed.describe(body);
            Err(Unreadable { message, arguments: Value::String(text) })
        }
    }
}

/// Refuses a value that is too deep or too large to be walked and copied safely.
fn measured(value: Value) -> Result<Value, Unreadable> {
    let mut bytes = 0_usize;
    let mut pending = vec![(&value, 1_usize)];
    let mut too_deep = false;
    while let Some((value, depth)) = pending.pop() {
        match value {
            Value::String(text) => bytes = bytes.saturating_add(text.len()),
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => {
                bytes = bytes.saturating_add(map.keys().map(String::len).sum());
                pending.extend(map.values().map(|item| (item, depth + 1)));
            }
            _ => {}
        }
        bytes = bytes.saturating_add(1);
        too_deep = depth > MAX_DEPTH + 1;
        if too_deep || bytes > MAX_BYTES {
            break;
        }
    }
    if too_deep {
        dismantle(value);
        return Err(Unreadable { message: too_deep_message(), arguments: Value::Null });
    }
    if bytes > MAX_BYTES {
        return Err(Unreadable { message: too_large(bytes), arguments: Value::Null });
    }
    Ok(value)
}

/// Drops a value level by level: its own drop recurses, and would overflow the stack.
fn dismantle(value: Value) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(map) => pending.extend(map.into_iter().map(|(_, item)| item)),
            _ => {}
        }
    }
}

fn too_large(bytes: usize) -> String {
    format!("the arguments are too large: {bytes} bytes, where {MAX_BYTES} are the limit")
}

fn too_deep_message() -> String {
    format!("the arguments are nested deeper than {MAX_DEPTH} levels")
}

#[cfg(test)]
mod tests;
