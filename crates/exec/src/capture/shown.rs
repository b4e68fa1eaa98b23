//! How bytes are shown as text, and how many characters that takes.

use std::fmt::Write as _;

/// How many characters `\xNN` is.
const ESCAPE_CHARS: usize = 4;

/// Counts over a run of bytes that begins and ends between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) bytes: u64,
    pub(crate) newlines: u64,
    pub(crate) chars: u64,
}

impl Tally {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, newlines: count(b'\n', bytes), chars: shown_chars(bytes) }
    }

    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            newlines: self.newlines + other.newlines,
            chars: self.chars + other.chars,
        }
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(other.bytes),
            newlines: self.newlines.saturating_sub(other.newlines),
            chars: self.chars.saturating_sub(other.chars),
        }
    }
}

pub(crate) fn count(byte: u8, bytes: &[u8]) -> u64 {
    memchr::memchr_iter(byte, bytes).count() as u64
}

/// Appends the bytes as text: what is no UTF-8, and NUL, as `\xNN`.
///
/// Other control characters stay: what they may do to a terminal is for whoever writes to one to prevent.
pub(crate) fn push_shown(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        let mut parts = chunk.valid().split('\0');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            text.push_str("\\x00");
            text.push_str(part);
        }
        for byte in chunk.invalid() {
            // Writing to a String can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
}

/// The bytes as text.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    push_shown(&mut text, bytes);
    text
}

fn shown_chars(bytes: &[u8]) -> u64 {
    let nuls = count(0, bytes) * (ESCAPE_CHARS as u64 - 1);
    // Nearly all output is ASCII or at least valid, and both checks run at memory speed.
    if bytes.is_ascii() {
        return bytes.len() as u64 + nuls;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.chars().count() as u64 + nuls;
    }
    let chunks = bytes.utf8_chunks();
    chunks.fold(nuls, |sum, chunk| {
        let invalid = chunk.invalid().len() * ESCAPE_CHARS;
        sum + (chunk.valid().chars().count() + invalid) as u64
    })
}

/// One piece that is shown whole or not at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unit {
    pub(super) bytes: usize,
    pub(super) chars: usize,
}

/// The bytes as the pieces that may not be cut: characters, and bytes that are none.
pub(super) fn units(bytes: &[u8]) -> impl Iterator<Item = Unit> {
    bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(|character| Unit {
            bytes: character.len_utf8(),
            chars: if character == '\0' { ESCAPE_CHARS } else { 1 },
        });
        let invalid = chunk.invalid().iter().map(|_| Unit { bytes: 1, chars: ESCAPE_CHARS });
        valid.chain(invalid)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_and_other_bytes_are_escaped() {
        assert_eq!(shown("a\tü字\u{1b}[0m\n".as_bytes()), "a\tü字\u{1b}[0m\n");
        assert_eq!(shown(b"a\0\xff\xe2\x82b"), "a\\x00\\xff\\xe2\\x82b");
    }

    #[test]
    fn the_tally_counts_what_is_shown() {
        for bytes in [&b""[..], b"plain\nlines\n", "字é\0".as_bytes(), b"\xff\0a\xe2\x82\n\xf0\x9f"]
        {
            let expected = Tally {
                bytes: bytes.len() as u64,
                newlines: shown(bytes).matches('\n').count() as u64,
                chars: shown(bytes).chars().count() as u64,
            };
            assert_eq!(Tally::of(bytes), expected, "{bytes:?}");
            assert_eq!(units(bytes).map(|unit| unit.bytes).sum::<usize>(), bytes.len());
            assert_eq!(units(bytes).map(|unit| unit.chars as u64).sum::<u64>(), expected.chars);
        }
    }
}
