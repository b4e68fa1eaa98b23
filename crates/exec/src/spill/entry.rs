//! What the store tells of the outputs it keeps.

use std::{path::PathBuf, time::SystemTime};

/// What became of a kept output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpillState {
    /// Its command still writes it.
    Live,
    /// It is as it was when its command ended.
    Complete,
    /// The process that wrote it died; what it had written by then is there.
    Interrupted,
    /// Somebody edited or replaced the file after its command ended; it can't be relied on.
    Changed,
    /// Somebody deleted the file.
    Missing,
}

/// A kept output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpillEntry {
    /// Its handle.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// What it is of.
    pub label: String,
    /// When its first byte was kept.
    pub created: SystemTime,
    /// Bytes in the file.
    pub bytes: u64,
    /// Lines in the file, once its command has ended.
    pub lines: Option<u64>,
    /// Bytes that were produced after these but not kept.
    pub lost_bytes: u64,
    /// What became of it.
    pub state: SpillState,
}

/// One line of a kept output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end; bytes that are no text as `\xNN`; no more than the reader's bound.
    pub text: String,
    /// How many bytes of it lie beyond the bound.
    pub cut_bytes: u64,
}

/// Some lines of a kept output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinePage {
    /// The output.
    pub entry: SpillEntry,
    /// The lines.
    pub lines: Vec<Line>,
    /// The line to go on with, if there are more.
    pub next_line: Option<u64>,
}

/// A range of a kept output, for lines that are too long to be paged by lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPage {
    /// The output.
    pub entry: SpillEntry,
    /// The text; bytes that are no text as `\xNN`.
    pub text: String,
    /// The byte to go on with, if there are more.
    pub next_byte: Option<u64>,
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Swept {
    /// Outputs that were deleted.
    pub removed: u64,
    /// Bytes that they held.
    pub removed_bytes: u64,
    /// Outputs that are still there.
    pub kept: u64,
    /// Bytes that these hold.
    pub kept_bytes: u64,
    /// Outputs that should have gone but could not be deleted.
    pub failed: u64,
}
