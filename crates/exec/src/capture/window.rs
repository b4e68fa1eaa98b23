//! The beginning and the end of an output, in bounded memory.

use unicode_segmentation::GraphemeCursor;

use super::shown::{Tally, shown, units};

/// Bytes past a cut that are looked at to find whether it falls inside a grapheme cluster.
///
/// A family of four emoji takes 25 bytes; a longer cluster may be cut, between two characters.
const CLUSTER_BYTES: usize = 64;

/// The most bytes that one shown character can take.
const CHAR_BYTES: usize = 4;

/// The first and the last bytes of an output.
#[derive(Debug)]
pub(super) struct Window {
    head_chars: usize,
    tail_chars: usize,
    head: Vec<u8>,
    recent: Vec<u8>,
}

/// One end of an output, cut to size.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) text: String,
    pub(super) tally: Tally,
}

impl Window {
    pub(super) const fn new(head_chars: usize, tail_chars: usize) -> Self {
        Self { head_chars, tail_chars, head: Vec::new(), recent: Vec::new() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let room = raw_size(self.head_chars).saturating_sub(self.head.len());
        self.head.extend_from_slice(bytes.get(..room).unwrap_or(bytes));

        let size = raw_size(self.tail_chars);
        let start = bytes.len().saturating_sub(size);
        if start > 0 {
            self.recent.clear();
        }
        self.recent.extend_from_slice(bytes.get(start..).unwrap_or_default());
        // Moving only when twice the size has gathered makes the cost of moving vanish.
        if self.recent.len() > 2 * size {
            self.recent.drain(..self.recent.len() - size);
        }
    }

    /// The first characters.
    pub(super) fn head(&self) -> End {
        let cut = fitting(units(&self.head).map(|unit| (unit.bytes, unit.chars)), self.head_chars);
        let cut = cluster_start(&self.head, cut);
        end(self.head.get(..cut).unwrap_or_default())
    }

    /// The last characters.
    pub(super) fn tail(&self) -> End {
        // Older bytes depend on how the output was split; only the last are the same for every split.
        let start = self.recent.len().saturating_sub(raw_size(self.tail_chars));
        let bytes = self.recent.get(start..).unwrap_or_default();
        let units: Vec<_> = units(bytes).map(|unit| (unit.bytes, unit.chars)).collect();
        let cut = bytes.len() - fitting(units.into_iter().rev(), self.tail_chars);
        let cut = cluster_end(bytes, cut);
        end(bytes.get(cut..).unwrap_or_default())
    }
}

const fn raw_size(chars: usize) -> usize {
    chars * CHAR_BYTES + CLUSTER_BYTES
}

fn end(bytes: &[u8]) -> End {
    End { text: shown(bytes), tally: Tally::of(bytes) }
}

/// How many bytes of the units fit into so many characters.
fn fitting(units: impl Iterator<Item = (usize, usize)>, chars: usize) -> usize {
    let mut left = chars;
    units
        .map_while(|(bytes, chars)| {
            left = left.checked_sub(chars)?;
            Some(bytes)
        })
        .sum()
}

/// The cut, or, if it falls inside a cluster, where the cluster starts.
fn cluster_start(bytes: &[u8], cut: usize) -> usize {
    around(bytes, cut)
        .and_then(|(text, at)| {
            let mut cursor = GraphemeCursor::new(at, text.len(), true);
            if cursor.is_boundary(text, 0).ok()? {
                return None;
            }
            Some(cut - (at - cursor.prev_boundary(text, 0).ok()??))
        })
        .unwrap_or(cut)
}

/// The cut, or, if it falls inside a cluster, where the cluster ends.
fn cluster_end(bytes: &[u8], cut: usize) -> usize {
    around(bytes, cut)
        .and_then(|(text, at)| {
            let mut cursor = GraphemeCursor::new(at, text.len(), true);
            if cursor.is_boundary(text, 0).ok()? {
                return None;
            }
            Some(cut + (cursor.next_boundary(text, 0).ok()?? - at))
        })
        .unwrap_or(cut)
}

/// The text around the cut, and where in it the cut is; nothing if there is none on both sides.
fn around(bytes: &[u8], cut: usize) -> Option<(&str, usize)> {
    let before = bytes.get(cut.saturating_sub(CLUSTER_BYTES)..cut)?;
    let after = bytes.get(cut..bytes.len().min(cut + CLUSTER_BYTES))?;
    let from = before.len() - valid_suffix(before);
    let to = valid_prefix(after);
    if from == before.len() || to == 0 {
        return None;
    }
    let text = bytes.get(cut - (before.len() - from)..cut + to)?;
    Some((std::str::from_utf8(text).ok()?, before.len() - from))
}

fn valid_prefix(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len())
}

fn valid_suffix(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    last.filter(|chunk| chunk.invalid().is_empty()).map_or(0, |chunk| chunk.valid().len())
}
