//! What the bytes of a file are, and how they are shown.

use std::{borrow::Cow, fmt::Write as _};

/// Bytes at the start of a file by which its kind is told, as git does it.
pub(crate) const SNIFFED: usize = 8 * 1024;

/// The byte-order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// First bytes of files that are not text, and what such a file is.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"%PDF-", "a PDF document; `pdftotext` in bash can read it"),
    (b"PK\x03\x04", "a ZIP archive or a document in one; list it with `unzip -l` in bash"),
    (b"\x1f\x8b", "gzip-compressed; read it with `zcat` in bash"),
    (b"BZh", "bzip2-compressed; read it with `bzcat` in bash"),
    (b"\xfd7zXZ\0", "xz-compressed; read it with `xzcat` in bash"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed; read it with `zstdcat` in bash"),
    (b"\x7fELF", "an ELF executable or library"),
    (b"SQLite format 3\0", "an SQLite database; query it with `sqlite3` in bash"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xff\xfe", "UTF-16 text; read it with `iconv -f UTF-16 -t UTF-8` in bash"),
    (b"\xfe\xff", "UTF-16 text; read it with `iconv -f UTF-16 -t UTF-8` in bash"),
];

/// What a file with this start is, if it isn't text. Its name says nothing: it may lie.
pub(crate) fn binary_kind(start: &[u8]) -> Option<&'static str> {
    let known = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    let riff = || {
        (start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP")).then_some("a WebP image")
    };
    let unknown = || start.contains(&0).then_some("binary, of an unknown kind");
    known.or_else(riff).or_else(unknown)
}

/// Text as it is shown, and what was done to it on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) traits: Traits,
}

/// What can't be seen in text that is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    pub(crate) bom: bool,
    pub(crate) crlf: bool,
    pub(crate) escaped: bool,
}

impl Traits {
    /// The traits in words.
    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        [
            self.crlf.then_some("its lines end in CRLF, which edit_file keeps"),
            self.bom.then_some("it starts with a byte-order mark, which edit_file keeps"),
            self.escaped.then_some("bytes that are not UTF-8 are shown as \\xNN"),
        ]
        .into_iter()
        .flatten()
    }
}

/// Shows bytes as text: no byte-order mark, LF for CRLF, `\xNN` for what isn't UTF-8.
pub(crate) fn show(bytes: &[u8]) -> Shown {
    let (bytes, bom) = match bytes.strip_prefix(BOM) {
        Some(rest) => (rest, true),
        None => (bytes, false),
    };
    let mut traits = Traits { bom, ..Traits::default() };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            traits.escaped = true;
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    if text.contains("\r\n") {
        traits.crlf = true;
        text = text.replace("\r\n", "\n");
    }
    Shown { text, traits }
}

/// At most `max` bytes of a text, cut between characters.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let end = text.floor_char_boundary(max);
    text.get(..end).unwrap_or(text)
}

/// Characters of the start and of the end of what a call named that an answer repeats.
const ECHO: (usize, usize) = (140, 60);

/// What a call named, as an answer repeats it: a long one without its middle, since what came from
/// a model need not go back to it whole.
pub(crate) fn echo(text: &str) -> Cow<'_, str> {
    let (start, end) = ECHO;
    if text.len() <= start + end || text.chars().nth(start + end).is_none() {
        return Cow::Borrowed(text);
    }
    let head: String = text.chars().take(start).collect();
    let mut tail: Vec<char> = text.chars().rev().take(end).collect();
    tail.reverse();
    Cow::Owned(format!("{head}[...]{}", tail.into_iter().collect::<String>()))
}

/// The byte without which a cut would fall inside of a character: `end` moved back to its start.
pub(crate) fn floor_boundary(bytes: &[u8], end: usize) -> usize {
    let end = end.min(bytes.len());
    // A character has at most three bytes that continue it.
    (end.saturating_sub(3)..=end)
        .rev()
        .find(|&at| bytes.get(at).is_none_or(|byte| byte & 0xc0 != 0x80))
        .unwrap_or(end)
}

/// `1 line`, `2 lines`, with thousands kept apart.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number with thousands kept apart, as `80,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_told() {
        let shown = show(b"\xef\xbb\xbfa\r\nb\xff\r\n");
        let traits = Traits { bom: true, crlf: true, escaped: true };
        assert_eq!(shown, Shown { text: "a\nb\\xff\n".to_owned(), traits });
    }

    #[test]
    fn plain_text_is_shown_as_it_is() {
        assert_eq!(
            show("ä\tb\n".as_bytes()),
            Shown { text: "ä\tb\n".to_owned(), ..Shown::default() }
        );
    }

    #[test]
    fn f08_a_kind_is_told_by_content_not_by_name() {
        assert_eq!(binary_kind(b"<html><body>not an image"), None);
        assert_eq!(binary_kind(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("a PNG image"));
        assert_eq!(binary_kind(b"a\0b"), Some("binary, of an unknown kind"));
    }

    #[test]
    fn a_cut_falls_between_characters() {
        let bytes = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=bytes.len()).map(|end| floor_boundary(bytes, end)).collect();
        assert_eq!(cuts, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
    }

    #[test]
    fn thousands_are_kept_apart() {
        assert_eq!(
            [grouped(0), grouped(999), grouped(1_000), grouped(12_345_678)],
            ["0", "999", "1,000", "12,345,678"]
        );
    }
}
