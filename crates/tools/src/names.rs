//! File names as text, and back.
//!
//! A name on Unix is any bytes. One that is UTF-8 and has no control characters is shown as it is;
//! in any other, the bytes at fault and every backslash become `\xNN`, so that the text is one line,
//! shows the whole name, and leads back to it.

use std::{
    ffi::OsString,
    fmt::Write as _,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

/// The path as one line of text.
pub(crate) fn shown(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => escaped(bytes),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || character == '\\' {
                let mut buffer = [0; 4];
                push_bytes(&mut text, character.encode_utf8(&mut buffer).as_bytes());
            } else {
                text.push(character);
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

fn push_bytes(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "\\x{byte:02x}");
    }
}

/// The path that an escaped text stands for; `None` if it has no escape in it.
pub(crate) fn unescaped(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let mut any = false;
    while let Some((&first, after)) = rest.split_first() {
        match after {
            [b'x', high, low, tail @ ..] if first == b'\\' => {
                if let (Some(high), Some(low)) = (hex(*high), hex(*low)) {
                    bytes.push(high << 4 | low);
                    rest = tail;
                    any = true;
                    continue;
                }
            }
            _ => {}
        }
        bytes.push(first);
        rest = after;
    }
    any.then(|| PathBuf::from(OsString::from_vec(bytes)))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_plain_name_is_shown_as_it_is() {
        assert_eq!(shown(Path::new("a b/ü\\x.rs")), "a b/ü\\x.rs");
    }

    #[test]
    fn a_newline_in_a_name_cannot_look_like_two_names() {
        assert_eq!(shown(Path::new("a\nb")), "a\\x0ab");
    }

    proptest! {
        #[test]
        fn every_escaped_name_leads_back(bytes in proptest::collection::vec(1_u8.., 1..40)) {
            let path = PathBuf::from(OsString::from_vec(bytes));
            let text = shown(&path);
            prop_assert!(!text.contains('\n'));
            if path.to_str() != Some(text.as_str()) {
                prop_assert_eq!(unescaped(&text), Some(path));
            }
        }
    }
}
