//! Calls that wait for the person.

use std::collections::VecDeque;

use super::{CallAt, Scroll};
use crate::tui::{
    msg::{Extent, Millis},
    text::SafeText,
};

/// Milliseconds from focus to the first key that counts; a key in between starts them anew, so
/// that a held key never answers.
const ARM: Millis = 500;

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Approval {
    pub(crate) call: CallAt,
    pub(crate) tool_use_id: String,
    pub(crate) tool: SafeText,
    pub(crate) reason: SafeText,
    /// What allowing it for the session allows.
    pub(crate) scope: SafeText,
    /// What would run, with nothing hidden.
    pub(crate) payload: SafeText,
    pub(crate) scroll: Scroll,
    /// The last row of the payload has been in sight.
    pub(crate) read: bool,
}

/// The questions that are open, oldest first; the first is the one that is shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Approvals {
    open: VecDeque<Approval>,
    quiet_since: Millis,
}

impl Approvals {
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(crate) fn first(&self) -> Option<&Approval> {
        self.open.front()
    }

    pub(crate) fn scroll(&mut self) -> Option<&mut Scroll> {
        self.open.front_mut().map(|approval| &mut approval.scroll)
    }

    /// Asks; what is shown stays shown.
    pub(crate) fn ask(&mut self, approval: Approval) {
        if self.open.iter().all(|open| open.call != approval.call) {
            self.open.push_back(approval);
        }
    }

    /// Forgets the question about a call that needs no answer any more. What is shown now may be
    /// another, so its keys arm anew.
    pub(crate) fn settle(&mut self, call: CallAt, now: Millis) {
        let shown = self.first().is_some_and(|open| open.call == call);
        self.open.retain(|open| open.call != call);
        if shown {
            self.disarm(now);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.open.clear();
    }

    /// Shows the next one.
    pub(crate) fn rotate(&mut self, now: Millis) {
        if self.open.len() > 1 {
            self.open.rotate_left(1);
            self.disarm(now);
        }
    }

    /// Brings the question about `call` to the front.
    pub(crate) fn show(&mut self, call: CallAt, now: Millis) -> bool {
        let Some(at) = self.open.iter().position(|open| open.call == call) else { return false };
        self.open.rotate_left(at);
        self.disarm(now);
        true
    }

    /// Keys count again after a quiet moment.
    pub(crate) const fn disarm(&mut self, now: Millis) {
        self.quiet_since = now;
    }

    pub(crate) const fn armed(&self, now: Millis) -> bool {
        now >= self.quiet_since + ARM
    }

    /// When the keys arm, if they have not.
    pub(crate) fn arms_at(&self, now: Millis) -> Option<Millis> {
        (!self.is_empty() && !self.armed(now)).then_some(self.quiet_since + ARM)
    }

    /// Takes what the frame found out about the card.
    pub(crate) fn drawn(&mut self, extent: Extent) {
        if let Some(shown) = self.open.front_mut() {
            shown.scroll.drawn(extent);
            shown.read |= extent.at_end();
        }
    }
}
