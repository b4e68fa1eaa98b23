//! Text from elsewhere, made safe to show: short, on one line, with nothing invisible in it.

use std::fmt::Write as _;

use serde_json::Value;

/// The most characters of a foreign value that a message repeats.
pub(crate) const MAX_SHOWN_CHARS: usize = 100;

/// Whether a character steers a terminal or a reader's eye instead of being seen: controls, the
/// marks that turn the direction of writing, zero-width characters, tags, variation selectors past
/// the common ones.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0x00AD
                | 0x034F
                | 0x061C
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFFB
                | 0x1BCA0..=0x1BCA3
                | 0x1D173..=0x1D17A
                | 0xE0000..=0xE0FFF
        )
}

/// The text with hidden characters as `\u{…}`, so that a person sees that they are there.
pub fn escape_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        _ if is_hidden(c) => {
            // Writing to a string can't fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
        _ => out.push(c),
    }
}

/// At most `max` characters of the text, escaped, with an ellipsis where some are missing.
pub(crate) fn cut(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    let mut used = 0_usize;
    for c in chars.by_ref() {
        let before = out.len();
        push_escaped(&mut out, c);
        used += out.get(before..).map_or(1, |added| added.chars().count());
        if used > max {
            out.truncate(before);
            out.push('…');
            return out;
        }
    }
    out
}

/// A character in quotes, or its code where it can't be seen.
pub(crate) fn quoted_char(c: char) -> String {
    let mut out = String::new();
    push_escaped(&mut out, c);
    format!("'{out}'")
}

/// A name in double quotes, cut and escaped.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", cut(name, MAX_SHOWN_CHARS))
}

/// A value as compact JSON, cut and escaped; never serialises more than it shows of a big one.
pub(crate) fn shown(value: &Value) -> String {
    let mut sink = Bounded { text: String::new(), left: 4 * MAX_SHOWN_CHARS };
    let mut serializer = serde_json::Serializer::new(&mut sink);
    // An error here only says that the bound was reached.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    cut(&sink.text, MAX_SHOWN_CHARS)
}

/// A value with its type, as in `string "2"`.
pub(crate) fn described(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".to_owned(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("{kind} {}", shown(value))
}

/// Takes text up to a bound and then fails, which stops the serialiser.
struct Bounded {
    text: String,
    left: usize,
}

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        let text = String::from_utf8_lossy(bytes);
        for c in text.chars() {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            self.text.push(c);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hidden_characters_become_their_codes_and_others_stay() {
        assert_eq!(escape_hidden("Grüße 你好 👍"), "Grüße 你好 👍");
        assert_eq!(escape_hidden("a\u{200b}b\u{1b}[2J\n"), "a\\u{200b}b\\u{1b}[2J\\n");
    }

    #[test]
    fn a_cut_text_has_at_most_so_many_characters_and_half_an_escape_never() {
        assert_eq!(cut("four", 4), "four");
        assert_eq!(cut("five5", 4), "five…");
        assert_eq!(cut("ab\u{202e}", 9), "ab…");
        assert_eq!(cut("ab\u{202e}", 10), "ab\\u{202e}");
    }

    #[test]
    fn a_big_value_is_shown_by_its_beginning() {
        let big = json!({ "list": vec!["0123456789"; 100_000] });
        let text = shown(&big);
        assert_eq!(text.chars().count(), MAX_SHOWN_CHARS + 1);
        assert!(text.starts_with("{\"list\":[\"0123456789\",") && text.ends_with('…'));
    }

    #[test]
    fn small_values_are_shown_whole_with_their_type() {
        assert_eq!(described(&json!("2")), "string \"2\"");
        assert_eq!(described(&json!([1, null])), "array [1,null]");
        assert_eq!(described(&json!(null)), "null");
    }
}
