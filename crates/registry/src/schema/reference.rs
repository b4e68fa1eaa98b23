//! What a `$ref` refers to, where that is in the same document.

use std::collections::HashMap;

use serde_json::Value;

/// The target of a reference.
pub(super) enum Found<'s> {
    /// A place, with the pointer that led to it.
    Value(&'s Value, &'s str),
    /// An anchored subschema.
    Node(usize),
}

/// Finds the target; the error completes the sentence "the reference …".
pub(super) fn resolve<'s>(
    root: &'s Value,
    root_id: Option<&str>,
    anchors: &HashMap<&str, usize>,
    reference: &'s str,
) -> Result<Found<'s>, &'static str> {
    let own = root_id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty());
    let local = own.and_then(|id| reference.strip_prefix(id)).unwrap_or(reference);
    let fragment = match local.strip_prefix('#') {
        Some(fragment) => fragment,
        None if local.is_empty() => "",
        None => return Err("leads to another document, and nothing is fetched"),
    };
    if fragment.is_empty() {
        return Ok(Found::Value(root, ""));
    }
    if fragment.starts_with('/') {
        let target = decoded(fragment).and_then(|pointer| root.pointer(&pointer));
        return target.map(|value| Found::Value(value, fragment)).ok_or("leads to nothing");
    }
    anchors.get(fragment).map(|index| Found::Node(*index)).ok_or("leads to nothing")
}

/// The fragment of a URI without its percent escapes.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
