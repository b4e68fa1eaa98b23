//! Replacing passages in bytes: no files, no I/O.
//!
//! Models write LF. A file with CRLF is searched as if it had LF, and what is put into it gets the
//! line ends of what it takes the place of. A passage that itself has a CR means exactly that.

use std::{borrow::Cow, ops::Range};

use callgate_registry::ToolError;
use memchr::memmem;

use crate::{near, text};

/// Places of an ambiguous passage that are listed.
const MAX_PLACES: usize = 20;

/// One change: a passage, and what takes its place.
#[derive(Debug, Clone)]
pub(crate) struct Passage {
    old: String,
    new: String,
    everywhere: bool,
}

impl Passage {
    pub(crate) const fn new(old: String, new: String, everywhere: bool) -> Self {
        Self { old, new, everywhere }
    }

    /// Refuses a change that is none, or that could be made anywhere. `at` is the JSON Pointer of
    /// the change.
    pub(crate) fn check(&self, at: &str) -> Result<(), ToolError> {
        if self.old.is_empty() {
            return Err(ToolError::invalid(
                format!("{at}/old_text"),
                "old_text is empty, so it occurs everywhere. To insert text, give a line that is \
                 there and repeat it in new_text; to write a whole file, use write_file.",
            ));
        }
        if self.old == self.new {
            return Err(ToolError::invalid(
                format!("{at}/new_text"),
                "old_text and new_text are the same: nothing would change.",
            ));
        }
        Ok(())
    }
}

/// Why a change could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Which of the edits, counted from 0, and how many there are.
    edit: (usize, usize),
    kind: FaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum FaultKind {
    NotFound { near: near::Near },
    Ambiguous { lines: Vec<usize> },
    NoChange,
}

impl Fault {
    /// The fault in words for a model.
    pub(crate) fn explain(&self, shown: &str) -> ToolError {
        let (index, of) = self.edit;
        let which = if of == 1 { String::new() } else { format!("Edit {} of {of}: ", index + 1) };
        let what = match &self.kind {
            FaultKind::NotFound { near } => {
                let earlier = if index == 0 { "" } else { " after the edits before it" };
                format!("old_text is not in {shown}{earlier}. {near}")
            }
            FaultKind::Ambiguous { lines } => {
                let listed: Vec<String> =
                    lines.iter().take(MAX_PLACES).map(ToString::to_string).collect();
                let more = if lines.len() > MAX_PLACES { ", ..." } else { "" };
                format!(
                    "old_text is in {shown} at {} places, starting in lines {}{more}. Add lines \
                     around the place that is meant, or set replace_all to change all of them.",
                    lines.len(),
                    listed.join(", ")
                )
            }
            FaultKind::NoChange => format!("the edits together leave {shown} as it is."),
        };
        ToolError::failed(format!("{which}{what} Nothing was changed."))
    }
}

/// Makes the changes in order, each to the result of the one before; all of them or none.
pub(crate) fn apply(content: &[u8], passages: &[Passage]) -> Result<Vec<u8>, Fault> {
    let (mark, body) = match content.strip_prefix(text::BOM) {
        Some(body) => (text::BOM, body),
        None => (&[][..], content),
    };
    let mut body = Cow::Borrowed(body);
    for (index, passage) in passages.iter().enumerate() {
        let fault = |kind| Fault { edit: (index, passages.len()), kind };
        body = Cow::Owned(replaced(&body, passage).map_err(fault)?);
    }
    let after = [mark, &body].concat();
    if after == content {
        let last = passages.len().saturating_sub(1);
        return Err(Fault { edit: (last, passages.len()), kind: FaultKind::NoChange });
    }
    Ok(after)
}

fn replaced(body: &[u8], passage: &Passage) -> Result<Vec<u8>, FaultKind> {
    let places = Places::find(body, passage.old.as_bytes());
    match (places.ranges.len(), passage.everywhere) {
        (0, _) => {
            let near = near::find(&String::from_utf8_lossy(body), &passage.old);
            Err(FaultKind::NotFound { near })
        }
        (1, _) | (_, true) if !places.overlapping || passage.everywhere => {
            Ok(places.replace(body, &passage.new))
        }
        _ => Err(FaultKind::Ambiguous { lines: places.lines(body) }),
    }
}

/// Where a passage is.
struct Places {
    /// Of the bytes as they are in the file, in order and apart from each other.
    ranges: Vec<Range<usize>>,
    /// Whether there is one place that another one laps into.
    overlapping: bool,
    /// Whether LF in the passage was taken to mean the line ends of the file.
    any_line_end: bool,
}

impl Places {
    fn find(body: &[u8], old: &[u8]) -> Self {
        let any_line_end = !old.contains(&b'\r') && memmem::find(body, b"\r\n").is_some();
        if !any_line_end {
            let (ranges, overlapping) = occurrences(body, old);
            return Self { ranges, overlapping, any_line_end };
        }
        let plain = WithoutCr::of(body);
        let (ranges, overlapping) = occurrences(&plain.bytes, old);
        let ranges = ranges
            .into_iter()
            .map(|range| plain.position(range.start)..plain.position(range.end))
            .collect();
        Self { ranges, overlapping, any_line_end }
    }

    fn replace(&self, body: &[u8], new: &str) -> Vec<u8> {
        let mut after = Vec::with_capacity(body.len() + new.len());
        let mut from = 0;
        for range in &self.ranges {
            // One that laps into the place before it.
            if range.start < from {
                continue;
            }
            after.extend(body.get(from..range.start).unwrap_or_default());
            let old = body.get(range.clone()).unwrap_or_default();
            if self.any_line_end && !new.contains('\r') && is_crlf(old, body) {
                after.extend(new.replace('\n', "\r\n").into_bytes());
            } else {
                after.extend(new.as_bytes());
            }
            from = range.end;
        }
        after.extend(body.get(from..).unwrap_or_default());
        after
    }

    /// The lines in which the places start.
    fn lines(&self, body: &[u8]) -> Vec<usize> {
        let (mut line, mut from) = (1, 0);
        let mut lines = Vec::with_capacity(self.ranges.len());
        for range in &self.ranges {
            let between = body.get(from..range.start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count();
            from = range.start;
            lines.push(line);
        }
        lines
    }
}

/// Where `old` is, and whether two places lap over each other so that one of them isn't listed.
fn occurrences(body: &[u8], old: &[u8]) -> (Vec<Range<usize>>, bool) {
    let mut ranges: Vec<Range<usize>> =
        memmem::find_iter(body, old).map(|start| start..start + old.len()).collect();
    let [only] = ranges.as_slice() else {
        return (ranges, false);
    };
    let next = only.start + 1;
    let lapping = body.get(next..).and_then(|rest| memmem::find(rest, old));
    if let Some(at) = lapping {
        ranges.push(next + at..next + at + old.len());
    }
    let overlapping = lapping.is_some();
    (ranges, overlapping)
}

/// Whether new lines in place of `old` end in CRLF: as its first line does, else as most lines do.
fn is_crlf(old: &[u8], body: &[u8]) -> bool {
    if let Some(at) = memchr::memchr(b'\n', old) {
        return at.checked_sub(1).and_then(|before| old.get(before)) == Some(&b'\r');
    }
    let crlf = memmem::find_iter(body, b"\r\n").count();
    crlf * 2 > memchr::memchr_iter(b'\n', body).count()
}

/// Bytes without the CR of each CRLF, and the way back.
struct WithoutCr {
    bytes: Vec<u8>,
    /// For each CR that was left out, the position in `bytes` of the LF that followed it.
    left_out: Vec<usize>,
}

impl WithoutCr {
    fn of(body: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(body.len());
        let mut left_out = Vec::new();
        let mut from = 0;
        for at in memmem::find_iter(body, b"\r\n") {
            bytes.extend(body.get(from..at).unwrap_or_default());
            left_out.push(bytes.len());
            from = at + 1;
        }
        bytes.extend(body.get(from..).unwrap_or_default());
        Self { bytes, left_out }
    }

    /// The position in the original; before its CR, for an LF that had one.
    fn position(&self, at: usize) -> usize {
        at + self.left_out.partition_point(|&line_feed| line_feed < at)
    }
}

#[cfg(test)]
mod tests;
