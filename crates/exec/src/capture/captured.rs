//! What is asked of a capture, and what comes of it.

use std::{path::PathBuf, sync::Arc};

use crate::spill::SpillStore;

/// How much of an output is returned, and where the rest goes.
#[derive(Debug, Clone)]
pub struct CaptureOptions {
    /// Up to so many bytes an output is returned whole.
    pub threshold_bytes: usize,
    /// How many characters of its beginning a longer one shows.
    pub head_chars: usize,
    /// How many characters of its end a longer one shows.
    pub tail_chars: usize,
    /// Where a longer one is kept; without a store its middle is dropped, and that is said.
    pub spill: Option<Arc<SpillStore>>,
    /// What the output is of, for whoever lists the kept ones.
    pub label: String,
}

impl Default for CaptureOptions {
    /// 50 KiB whole, else 6,000 and 24,000 characters, kept nowhere.
    fn default() -> Self {
        Self {
            threshold_bytes: 50 * 1024,
            head_chars: 6_000,
            tail_chars: 24_000,
            spill: None,
            label: String::new(),
        }
    }
}

impl CaptureOptions {
    /// Keeps what is too long in that store.
    #[must_use]
    pub fn spill(mut self, store: Arc<SpillStore>) -> Self {
        self.spill = Some(store);
        self
    }

    /// Says what the output is of.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}

/// Where the whole of an output is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpillInfo {
    /// The handle by which the store finds it.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// Bytes in the file.
    pub bytes: u64,
    /// Lines in the file; a last line without a newline counts.
    pub lines: u64,
    /// Bytes that were produced after these but not kept.
    pub lost_bytes: u64,
}

/// An output, bounded.
///
/// Characters are counted as they are shown: a byte that is not part of any UTF-8 character, or a
/// NUL, is shown as `\xNN` and counts four.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Captured {
    /// The whole output, or its head, a line that says what is missing, and its tail.
    pub text: String,
    /// The file that holds what `text` does not.
    pub spill: Option<SpillInfo>,
    /// Bytes of the whole output.
    pub bytes: u64,
    /// Lines of the whole output; a last line without a newline counts.
    pub lines: u64,
    /// Characters of the whole output.
    pub chars: u64,
    /// Bytes between head and tail.
    pub omitted_bytes: u64,
    /// Line ends between head and tail.
    pub omitted_lines: u64,
    /// Characters between head and tail.
    pub omitted_chars: u64,
    /// What could not be kept and why, in words; the same is in `text`.
    pub trouble: Option<String>,
}

impl Captured {
    /// Whether `text` is the whole output.
    pub const fn is_whole(&self) -> bool {
        self.omitted_bytes == 0
    }
}
