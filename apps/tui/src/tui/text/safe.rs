//! `SafeText`: the only road from text that others wrote to the screen.

use super::Cleaner;

/// Text that holds no control character but the newline, and nothing that hides.
///
/// Only a [`Cleaner`] fills it, so what takes a `SafeText` cannot be made to write an escape
/// sequence to the terminal, whatever a model or a tool printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SafeText {
    pub(super) text: String,
    pub(super) removed: usize,
    pub(super) revealed: usize,
}

impl SafeText {
    /// Reads like a terminal: whole escape sequences go, carriage returns and backspaces take effect.
    pub(crate) fn clean(raw: &str) -> Self {
        let mut safe = Self::default();
        Cleaner::reading().push(raw, &mut safe);
        safe
    }

    /// Shows every control character instead of obeying it, for what a person must judge.
    pub(crate) fn reveal(raw: &str) -> Self {
        let mut safe = Self::default();
        Cleaner::revealing().push(raw, &mut safe);
        safe
    }

    /// The first line only, for rows that are one line high.
    pub(crate) fn first_line(raw: &str) -> Self {
        let (line, more) = raw.split_once('\n').map_or((raw, false), |(line, _)| (line, true));
        let mut safe = Self::reveal(line.trim_end_matches('\r'));
        if more {
            safe.text.push_str(" …");
        }
        safe
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn borrow(&self) -> SafeStr<'_> {
        SafeStr(&self.text)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Escape sequences and silent control characters that were taken out.
    pub(crate) const fn removed(&self) -> usize {
        self.removed
    }

    /// Characters that would not have been seen and are shown as code points.
    pub(crate) const fn revealed(&self) -> usize {
        self.revealed
    }

    /// The lines, without their newlines.
    pub(crate) fn lines(&self) -> impl DoubleEndedIterator<Item = SafeStr<'_>> {
        self.text.lines().map(SafeStr)
    }

    /// Forgets whole lines from the front until at most `keep` bytes are left.
    pub(crate) fn forget_front(&mut self, keep: usize) {
        let Some(excess) = self.text.len().checked_sub(keep) else { return };
        let cut = self.text.as_bytes().iter().skip(excess).position(|byte| *byte == b'\n');
        let cut = cut.map_or_else(|| self.text.ceil_char_boundary(excess), |at| excess + at + 1);
        self.text.drain(..cut);
    }
}

/// A borrowed piece of [`SafeText`], or chrome of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SafeStr<'a>(&'a str);

impl<'a> SafeStr<'a> {
    pub(crate) const fn as_str(self) -> &'a str {
        self.0
    }

    /// A part of safe text is safe.
    pub(super) const fn part(text: &'a str) -> Self {
        Self(text)
    }

    pub(crate) fn to_text(self) -> SafeText {
        SafeText { text: self.0.to_owned(), removed: 0, revealed: 0 }
    }
}

/// Literals in the source are ours.
impl From<&'static str> for SafeStr<'static> {
    fn from(text: &'static str) -> Self {
        Self(text)
    }
}

impl<'a> From<&'a SafeText> for SafeStr<'a> {
    fn from(text: &'a SafeText) -> Self {
        text.borrow()
    }
}

/// `format!` that ends in a [`SafeText`].
macro_rules! safe_format {
    ($($arguments:tt)*) => {
        $crate::tui::text::SafeText::reveal(&format!($($arguments)*))
    };
}
pub(crate) use safe_format;
