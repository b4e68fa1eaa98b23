//! Some lines of a stream, in bounded memory.

use std::{
    io::{self, BufRead},
    num::NonZeroU64,
};

use crate::{blocking::StopFlag, text};

/// Bytes shown of one line; what is longer is data, not text to read.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// Bytes read past the page to count the lines that follow: about a second's work.
const MAX_COUNTED_BYTES: u64 = 512 * 1024 * 1024;

/// The lines that are wanted, and how much of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The first, counted from 1.
    pub(crate) first: NonZeroU64,
    /// How many, if not as many as fit.
    pub(crate) limit: Option<u64>,
    /// Bytes that all of them may take.
    pub(crate) max_bytes: usize,
}

/// The lines that were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Their bytes, with their line ends; cut lines end in a remark on what is left out.
    pub(crate) bytes: Vec<u8>,
    /// How many there are.
    pub(crate) lines: u64,
    /// Lines of the whole stream that were counted; a last one without an end counts.
    pub(crate) total: u64,
    /// Whether `total` is all there are.
    pub(crate) counted_all: bool,
}

/// Reads a page. Lines are counted on after it, within bounds, to tell how many there are.
pub(crate) fn read(mut source: impl BufRead, wanted: Wanted, stop: &StopFlag) -> io::Result<Page> {
    let mut reader = Reader { page: Page::default(), wanted, line: Line::default(), full: false };
    let mut past = 0_u64;
    while past < MAX_COUNTED_BYTES && !stop.is_set() {
        let buffer = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let length = buffer.len();
        if length == 0 {
            reader.page.counted_all = true;
            break;
        }
        if reader.full {
            past += u64::try_from(length).unwrap_or(u64::MAX);
        }
        for piece in buffer.split_inclusive(|&byte| byte == b'\n') {
            reader.take(piece);
        }
        source.consume(length);
    }
    reader.end_line();
    Ok(reader.page)
}

struct Reader {
    page: Page,
    wanted: Wanted,
    line: Line,
    full: bool,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    /// At most one byte more than is shown.
    bytes: Vec<u8>,
    /// Bytes in all.
    length: u64,
    ended: bool,
}

impl Line {
    fn shown(mut self) -> Vec<u8> {
        if self.bytes.len() <= MAX_LINE_BYTES {
            return self.bytes;
        }
        self.bytes.truncate(text::floor_boundary(&self.bytes, MAX_LINE_BYTES));
        let kept = u64::try_from(self.bytes.len()).unwrap_or(u64::MAX);
        let left_out = self.length.saturating_sub(kept).saturating_sub(self.ended.into());
        let remark =
            format!(" [... {} of this line left out]", text::count(left_out, "byte", "bytes"));
        self.bytes.extend(remark.into_bytes());
        if self.ended {
            self.bytes.push(b'\n');
        }
        self.bytes
    }
}

impl Reader {
    /// Takes a line, or a part of one.
    fn take(&mut self, piece: &[u8]) {
        self.line.length += u64::try_from(piece.len()).unwrap_or(u64::MAX);
        if !self.full && self.page.total + 1 >= self.wanted.first.get() {
            // One more than is shown tells that there is more.
            let room = (MAX_LINE_BYTES + 1).saturating_sub(self.line.bytes.len());
            self.line.bytes.extend(piece.iter().take(room));
        }
        if piece.ends_with(b"\n") {
            self.line.ended = true;
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.length == 0 {
            return;
        }
        self.page.total += 1;
        if self.full || self.page.total < self.wanted.first.get() {
            return;
        }
        let shown = line.shown();
        let fits = self.page.bytes.len() + shown.len() <= self.wanted.max_bytes;
        // A page holds at least one line, or paging would not get on.
        if !fits && self.page.lines > 0 || self.wanted.limit == Some(self.page.lines) {
            self.full = true;
            return;
        }
        self.page.bytes.extend(shown);
        self.page.lines += 1;
        self.full = self.wanted.limit == Some(self.page.lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(source: &[u8], first: u64, limit: Option<u64>, max_bytes: usize) -> Page {
        let first = NonZeroU64::new(first).unwrap();
        // A tiny buffer, so that lines come in pieces.
        let source = io::BufReader::with_capacity(3, source);
        read(source, Wanted { first, limit, max_bytes }, &StopFlag::default()).unwrap()
    }

    fn expected(bytes: &[u8], lines: u64, total: u64) -> Page {
        Page { bytes: bytes.to_vec(), lines, total, counted_all: true }
    }

    #[test]
    fn the_wanted_lines_are_read_and_all_are_counted() {
        let source = b"one\ntwo\n\nfour";
        assert_eq!(page(source, 2, Some(2), 100), expected(b"two\n\n", 2, 4));
        assert_eq!(page(source, 3, None, 100), expected(b"\nfour", 2, 4));
        assert_eq!(page(source, 9, None, 100), expected(b"", 0, 4));
        assert_eq!(page(source, 1, Some(0), 100), expected(b"", 0, 4));
        assert_eq!(page(b"", 1, None, 100), expected(b"", 0, 0));
    }

    #[test]
    fn a_page_ends_with_the_last_line_that_fits_and_holds_at_least_one() {
        let source = b"0123456789\nab\ncd\n";
        assert_eq!(page(source, 1, None, 5), expected(b"0123456789\n", 1, 3));
        assert_eq!(page(source, 2, None, 5), expected(b"ab\n", 1, 3));
        assert_eq!(page(source, 2, None, 6), expected(b"ab\ncd\n", 2, 3));
    }

    #[test]
    fn a_long_line_is_cut_between_characters_and_says_how_much_is_missing() {
        let mut source = "é".repeat(5_000).into_bytes();
        source.extend(b"\nlast\n");
        let page = page(&source, 1, None, 50_000);
        let expected =
            format!("{} [... 1,808 bytes of this line left out]\nlast\n", "é".repeat(4_096));
        assert_eq!(String::from_utf8(page.bytes).unwrap(), expected);
        assert_eq!((page.lines, page.total), (2, 2));
    }
}
