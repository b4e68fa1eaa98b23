//! Reading lines in bounded memory.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
};

use super::Line;
use crate::capture::shown;

const BUFFER_BYTES: usize = 128 * 1024;

/// The lines of a kept output, one after the other.
///
/// A line is never held whole: of one that is longer than the bound its beginning is given, and how much there is beyond.
#[derive(Debug)]
pub struct LineReader {
    source: BufReader<File>,
    bound: usize,
    next: u64,
}

impl LineReader {
    pub(super) fn new(file: File, bound: usize) -> Self {
        Self { source: BufReader::with_capacity(BUFFER_BYTES, file), bound, next: 1 }
    }

    /// Passes over the lines before that one.
    pub(super) fn skip_to(&mut self, number: u64) -> io::Result<()> {
        while self.next < number && take_line(&mut self.source, &mut Vec::new(), 0)?.is_some() {
            self.next += 1;
        }
        Ok(())
    }

    /// The number of the next line, if there is one.
    pub(super) fn at_next_line(&mut self) -> io::Result<Option<u64>> {
        Ok((!fill(&mut self.source)?.is_empty()).then_some(self.next))
    }
}

impl Iterator for LineReader {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = Vec::new();
        match take_line(&mut self.source, &mut bytes, self.bound).transpose()? {
            Ok(beyond) => {
                let number = self.next;
                self.next += 1;
                let cut = if beyond > 0 { drop_begun_character(&mut bytes) } else { 0 };
                if beyond == 0 && bytes.last() == Some(&b'\r') {
                    bytes.pop();
                }
                Some(Ok(Line { number, text: shown(&bytes), cut_bytes: beyond + cut }))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

fn fill(source: &mut impl BufRead) -> io::Result<&[u8]> {
    // The borrow of a filled buffer can't leave a loop that retries, so the retry comes first.
    while let Err(error) = source.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    source.fill_buf()
}

/// Takes a line: its beginning goes to `kept`; tells how many bytes there were beyond; nothing at the end.
fn take_line(
    source: &mut impl BufRead,
    kept: &mut Vec<u8>,
    bound: usize,
) -> io::Result<Option<u64>> {
    let (mut seen, mut beyond) = (false, 0);
    loop {
        let available = fill(source)?;
        if available.is_empty() {
            return Ok(seen.then_some(beyond));
        }
        seen = true;
        let end = memchr::memchr(b'\n', available);
        let line = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        let (keep, rest) = line.split_at(line.len().min(bound - kept.len().min(bound)));
        kept.extend_from_slice(keep);
        beyond += rest.len() as u64;
        let used = line.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            return Ok(Some(beyond));
        }
    }
}

/// Takes away the beginning of a character that the bound cut; tells how many bytes that was.
fn drop_begun_character(bytes: &mut Vec<u8>) -> u64 {
    let begun = match bytes.utf8_chunks().last().map(|chunk| chunk.invalid().len()) {
        Some(len) if len > 0 => bytes
            .get(bytes.len() - len..)
            .and_then(|end| std::str::from_utf8(end).err())
            .filter(|error| error.error_len().is_none())
            .map_or(0, |_| len),
        _ => 0,
    };
    bytes.truncate(bytes.len() - begun);
    begun as u64
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn all(text: &[u8], bound: usize) -> Vec<(Vec<u8>, u64)> {
        let mut source = BufReader::with_capacity(3, Cursor::new(text));
        let mut lines = Vec::new();
        loop {
            let mut kept = Vec::new();
            match take_line(&mut source, &mut kept, bound).unwrap() {
                Some(beyond) => lines.push((kept, beyond)),
                None => return lines,
            }
        }
    }

    #[test]
    fn lines_end_at_newlines_and_at_the_end() {
        let expected = [(b"a".to_vec(), 0), (Vec::new(), 0), (b"bcdefgh".to_vec(), 0)];
        assert_eq!(all(b"a\n\nbcdefgh", 100), expected);
        assert_eq!(all(b"a\n\nbcdefgh\n", 100), expected);
        assert_eq!(all(b"", 100), []);
    }

    #[test]
    fn a_line_beyond_the_bound_is_counted_not_held() {
        assert_eq!(all(b"abcdefgh\nij\n", 4), [(b"abcd".to_vec(), 4), (b"ij".to_vec(), 0)]);
    }

    #[test]
    fn the_bound_never_cuts_a_character() {
        let mut bytes = "a字".as_bytes()[..3].to_vec();
        assert_eq!((drop_begun_character(&mut bytes), bytes), (2, b"a".to_vec()));
        let mut bytes = b"a\xff".to_vec();
        assert_eq!((drop_begun_character(&mut bytes), bytes), (0, b"a\xff".to_vec()));
    }
}
