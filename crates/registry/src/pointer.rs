//! JSON Pointers (RFC 6901), built step by step.

/// Appends one step, escaped.
pub(crate) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(c),
        }
    }
}

/// The pointer with one more step.
pub(crate) fn join(pointer: &str, token: &str) -> String {
    let mut longer = pointer.to_owned();
    push(&mut longer, token);
    longer
}
