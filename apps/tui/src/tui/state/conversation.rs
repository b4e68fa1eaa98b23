//! What was said, oldest first.

use super::Anchor;
use crate::tui::{
    msg::Placed,
    text::{Cleaner, SafeText},
};

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    You(SafeText),
    Agent(SafeText),
    /// Thoughts are counted, and their last line is shown.
    Thinking(SafeText),
    Batch(u64),
    Notice(SafeText),
    Error(SafeText),
    /// How a task ended.
    Summary(SafeText),
}

/// One thing that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Never used twice.
    pub(crate) id: u64,
    pub(crate) body: Body,
    /// Changes with the text; what was wrapped before is then stale.
    pub(crate) version: u64,
}

/// The text that is still being written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Writing {
    entry: usize,
    thinking: bool,
    cleaner: Cleaner,
}

/// The conversation and the place in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conversation {
    entries: Vec<Entry>,
    next_id: u64,
    writing: Option<Writing>,
    turn_began: usize,
    pub(crate) anchor: Anchor,
    /// Rows to move by, when next drawn.
    pub(crate) shift: isize,
    placed: Option<Placed>,
    seen: usize,
}

impl Conversation {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn push(&mut self, body: Body) {
        self.writing = None;
        self.entries.push(Entry { id: self.next_id, body, version: 0 });
        self.next_id += 1;
    }

    /// Marks where the answer begins that may have to be taken back.
    pub(crate) const fn begin_turn(&mut self) {
        self.writing = None;
        self.turn_began = self.entries.len();
    }

    /// The answer of this turn is void.
    pub(crate) fn void_turn(&mut self) {
        self.writing = None;
        let kept = self.entries.len().min(self.turn_began);
        let voided = self.entries.split_off(kept);
        let said = |entry: &Entry| matches!(entry.body, Body::Agent(_) | Body::Thinking(_));
        self.entries.extend(voided.into_iter().filter(|entry| !said(entry)));
    }

    /// Appends to the message or thought that is being written.
    pub(crate) fn write(&mut self, raw: &str, thinking: bool) {
        if self.writing.as_ref().is_none_or(|writing| writing.thinking != thinking) {
            let text = SafeText::default();
            self.push(if thinking { Body::Thinking(text) } else { Body::Agent(text) });
            let entry = self.entries.len().saturating_sub(1);
            self.writing = Some(Writing { entry, thinking, cleaner: Cleaner::reading() });
        }
        let Some(writing) = &mut self.writing else { return };
        let Some(entry) = self.entries.get_mut(writing.entry) else { return };
        if let Body::Agent(text) | Body::Thinking(text) = &mut entry.body {
            writing.cleaner.push(raw, text);
            entry.version += 1;
        }
    }

    /// Whether the last entry grows.
    pub(crate) const fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    pub(crate) const fn is_following(&self) -> bool {
        matches!(self.anchor, Anchor::Follow)
    }

    /// Entries that came since the last row was in sight.
    pub(crate) const fn unseen(&self) -> usize {
        self.entries.len().saturating_sub(self.seen)
    }

    pub(crate) const fn scroll_by(&mut self, rows: isize) {
        self.shift = self.shift.saturating_add(rows);
    }

    pub(crate) fn page(&self) -> isize {
        let height = self.placed.map_or(1, |placed| placed.height);
        isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(1)
    }

    pub(crate) const fn follow(&mut self) {
        self.anchor = Anchor::Follow;
        self.shift = 0;
    }

    pub(crate) const fn go_top(&mut self) {
        self.anchor = Anchor::At { entry: 0, row: 0 };
        self.shift = 0;
    }

    /// Takes what the frame found. The person moved if there was a shift: down to the end means to
    /// follow, up means to stay.
    pub(crate) const fn drawn(&mut self, placed: Placed) {
        if self.shift != 0 {
            self.anchor = if placed.at_end && self.shift > 0 {
                Anchor::Follow
            } else {
                Anchor::from_placed(placed)
            };
            self.shift = 0;
        } else if !self.is_following() {
            self.anchor = Anchor::from_placed(placed);
        }
        if placed.at_end {
            self.seen = self.entries.len();
        }
        self.placed = Some(placed);
    }
}
