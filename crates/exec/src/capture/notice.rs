//! The line that stands for what is not shown.

use std::fmt::Write as _;

use super::{keep::Kept, shown::Tally};

/// Says how much lies between head and tail, where it is, and how to get at it.
///
/// The numbers stand without separators, so that a model can compare and search them.
pub(super) fn omission(omitted: Tally, total: Tally, lines: u64, kept: &Kept) -> String {
    let mut notice = format!(
        "[... {} characters, {} lines, {} bytes omitted here, \
         of {} characters, {lines} lines, {} bytes in all; ",
        omitted.chars, omitted.newlines, omitted.bytes, total.chars, total.bytes,
    );
    // Writing to a String can't fail.
    let _ = write_whereabouts(&mut notice, kept);
    notice.push_str(" ...]");
    notice
}

fn write_whereabouts(notice: &mut String, kept: &Kept) -> std::fmt::Result {
    let Some(info) = &kept.info else {
        return match &kept.trouble {
            Some(trouble) => write!(notice, "they could not be kept: {trouble}"),
            None => notice.write_str("they were dropped, since no store is in use"),
        };
    };
    let advice = format!(
        "{}; read_output with id \"{}\" pages and searches it",
        info.path.display(),
        info.id
    );
    if info.lost_bytes == 0 {
        write!(notice, "every byte is in {advice}")?;
    } else if info.bytes == 0 {
        notice.write_str("nothing could be kept")?;
    } else {
        let (kept, lost) = (info.bytes, info.lost_bytes);
        write!(notice, "the first {kept} bytes are kept, the {lost} bytes after them are lost; ")?;
        write!(notice, "see {advice}")?;
    }
    match &kept.trouble {
        Some(trouble) => write!(notice, "; {trouble}"),
        None => Ok(()),
    }
}
