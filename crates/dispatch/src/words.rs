//! How values and names are shown to the model: escaped, short, on one line.

use serde_json::Value;

/// Characters of a name that are echoed: the longest valid name has 64.
pub(crate) const NAME_CHARS: usize = 100;

/// Characters of a value that are echoed.
const VALUE_CHARS: usize = 60;

/// The text on one line, control characters escaped, at most `limit` characters and `…`.
pub(crate) fn shown(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for character in text.chars() {
        let quote = matches!(character, '"' | '\'');
        let escaped: String =
            if quote { character.to_string() } else { character.escape_debug().collect() };
        length += escaped.chars().count();
        if length > limit {
            line.push('…');
            break;
        }
        line.push_str(&escaped);
    }
    line
}

/// The text in double quotes, cut like a name.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", shown(text, NAME_CHARS))
}

/// The JSON type of the value.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The type and the beginning of the value, such as `string "3"` or `array of 2`.
pub(crate) fn brief(value: &Value) -> String {
    let kind = kind(value);
    match value {
        Value::Null => kind.to_owned(),
        Value::Bool(flag) => format!("{kind} {flag}"),
        Value::Number(number) => format!("{kind} {number}"),
        Value::String(text) => format!("{kind} \"{}\"", shown(text, VALUE_CHARS)),
        Value::Array(items) => format!("{kind} of {}", items.len()),
        Value::Object(map) => format!("{kind} of {}", map.len()),
    }
}

/// The pointer, or words for the empty one.
pub(crate) fn place(pointer: &str) -> String {
    if pointer.is_empty() { "at the root".to_owned() } else { shown(pointer, NAME_CHARS) }
}
