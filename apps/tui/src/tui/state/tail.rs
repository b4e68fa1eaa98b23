//! The end of a running call's output.

use crate::tui::text::{Cleaner, SafeText};

/// Bytes that are kept; a screen shows far fewer.
const KEEP: usize = 16 * 1024;

/// The last of an output, made safe as it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tail {
    text: SafeText,
    cleaner: Cleaner,
    bytes: u64,
}

impl Default for Tail {
    fn default() -> Self {
        Self { text: SafeText::default(), cleaner: Cleaner::reading(), bytes: 0 }
    }
}

impl Tail {
    pub(crate) fn push(&mut self, raw: &str) {
        self.bytes += raw.len() as u64;
        self.cleaner.push(raw, &mut self.text);
        if self.text.as_str().len() > 2 * KEEP {
            self.text.forget_front(KEEP);
        }
    }

    pub(crate) const fn text(&self) -> &SafeText {
        &self.text
    }

    /// Bytes that came, kept or not.
    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }
}
